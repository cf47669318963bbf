/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did the server stay what it was, by what it says of itself around the run. */
#include "engine/checks_impl.h"
#include "engine/checks_probe.h"

#define TEXT_MAX 200 /* bytes that are shown of a list */

static void
add_cut(struct tape_buf *text, const struct tape_buf *list)
{
	(void)tape_buf_add_fmt(text, "%.*s%s",
	    tape_str_shown(tape_str_make(list->data, list->len), TEXT_MAX),
	    list->data, list->len > TEXT_MAX ? "..." : "");
}

/* The server's list has the model that requests ask for, or one of which it is
   the beginning or that is its beginning: names come with and without tags. */
enum tape_status
tape_checks_model(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_run *start = m->run->start;
	struct tape_probe_models models;
	struct tape_check *k;
	enum tape_status st;

	if (start == NULL || start->model.len == 0 ||
	    start->models.status != 200 || start->models.body.p == NULL)
		return TAPE_OK;
	tape_probe_models_init(&models);
	st = tape_probe_models_read(&models, start->models.body, err);
	if (st == TAPE_OK && models.n > 0) {
		k = tape_checks_begin(m, "model");
		tape_checks_warn(k,
		    !tape_probe_models_have(&models, start->model),
		    "the answers may be another model's: check --model, and "
		    "what the server has loaded");
		(void)tape_buf_add_fmt(&m->text, "asked for %.*s, served: ",
		    tape_str_shown(start->model, TEXT_MAX), start->model.p);
		add_cut(&m->text, &models.list);
		st = tape_checks_end(m, k, err);
	}
	tape_probe_models_release(&models);
	return st;
}

static bool
answered(const struct tape_probe *p)
{
	return p->status != TAPE_ABSENT_I64;
}

/* What differs, appended to the text: nothing when it is the same. */
static enum tape_status
compare(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_run *a = m->run->start, *b = m->run->end;
	struct tape_probe_models before, after;
	enum tape_status st;

	if (a->health.status != b->health.status)
		(void)tape_buf_add_fmt(&m->text,
		    "/health answered %" PRId64 " before and %" PRId64
		    " after; ",
		    a->health.status, b->health.status);
	else
		tape_probe_health_compare(
		    a->health.body, b->health.body, &m->text);
	tape_probe_models_init(&before);
	tape_probe_models_init(&after);
	st = tape_probe_models_read(&before, a->models.body, err);
	if (st == TAPE_OK)
		st = tape_probe_models_read(&after, b->models.body, err);
	if (st == TAPE_OK && (before.list.len != after.list.len ||
				 memcmp(before.list.data, after.list.data,
				     before.list.len) != 0)) {
		(void)tape_buf_add_str(&m->text, "models before: ");
		add_cut(&m->text, &before.list);
		(void)tape_buf_add_str(&m->text, ", after: ");
		add_cut(&m->text, &after.list);
		(void)tape_buf_add_str(&m->text, "; ");
	}
	tape_probe_models_release(&before);
	tape_probe_models_release(&after);
	return st;
}

enum tape_status
tape_checks_server(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_run *a = m->run->start, *b = m->run->end;
	struct tape_check *k;
	enum tape_status st;

	if (a == NULL || b == NULL ||
	    (!answered(&a->health) && !answered(&a->models)))
		return TAPE_OK;
	k = tape_checks_begin(m, "server");
	if (!answered(&b->health) && !answered(&b->models)) {
		tape_checks_bad(k, true, "read the server's log");
		(void)tape_buf_add_str(
		    &m->text, "it answered before the run, and not after it");
		return tape_checks_end(m, k, err);
	}
	st = compare(m, err);
	if (st != TAPE_OK)
		return st;
	tape_checks_bad(k, m->text.len > 0,
	    "restarted or replaced in the run: run again against one server");
	if (m->text.len > 2)
		m->text.data[m->text.len -= 2] = '\0';
	else
		(void)tape_buf_add_str(&m->text, "the same before and after");
	return tape_checks_end(m, k, err);
}
