/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the runs of an arm were of the same model, fields and versions. */
#include "base/utf8.h"
#include "codec/json.h"
#include "engine/checks_impl.h"
#include "engine/checks_probe.h"

#include <stdio.h>

#define TEXT_CAP ((size_t)1 << 20)
#define SHOWN    80 /* bytes of a value */
#define NAME     40 /* of a session's name */

static const char *const names[TAPE_CHECKS_LIKE] = { "model", "extra", "server",
	"tool" };

void
tape_checks_firsts_release(struct tape_checks_first *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (int j = 0; j < TAPE_CHECKS_LIKE; j++)
			tape_buf_release(&v[i].of[j].text);
}

/* Fields in their order, without those of which sampling speaks: "a 1, b 2". */
static void
list_extra(struct tape_str extra, struct tape_buf *out)
{
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_str key, raw;

	tape_json_init(&r);
	tape_json_open(&r, extra.p, extra.len, TAPE_JSON_FOREIGN);
	if (tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, NULL) != TAPE_OK)
		tok.type = TAPE_JSON_END;
	while (tok.type != TAPE_JSON_END &&
	       tape_json_next(&r, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END) {
		const bool draws = tape_checks_is_sampling(&tok);
		const size_t before = out->len;

		key = tape_str_make(tok.key, tok.key_len);
		(void)tape_buf_add_fmt(out, "%s%.*s ", before > 0 ? ", " : "",
		    (int)key.len, key.p);
		if (tape_json_skip(&r, &raw.p, &raw.len, NULL) != TAPE_OK)
			break;
		if (!draws)
			(void)tape_buf_add(out, raw.p, raw.len);
		else if (out->len > before)
			out->data[out->len = before] = '\0';
	}
	tape_json_release(&r);
}

/* What this run has, and whether it tells that at all. */
static bool
say(const struct tape_checks_run *run, enum tape_checks_like which,
    struct tape_buf *out)
{
	const struct tape_run *start = run->start;

	switch (which) {
	case TAPE_CHECKS_LIKE_MODEL:
		(void)tape_buf_add(out, start->model.p, start->model.len);
		break;
	case TAPE_CHECKS_LIKE_EXTRA:
		/* Nothing added is known, too. */
		if (start->extra.p != NULL)
			list_extra(start->extra, out);
		return true;
	case TAPE_CHECKS_LIKE_SERVER:
		tape_probe_version(start->health.body, out);
		break;
	case TAPE_CHECKS_LIKE_TOOL:
	case TAPE_CHECKS_LIKE:
		if (start->client.p != NULL)
			(void)tape_buf_add_fmt(out, "%.*s, ",
			    (int)start->client.len, start->client.p);
		(void)tape_buf_add(out, run->tools.p, run->tools.len);
		break;
	}
	return out->len > 0;
}

/* That of the arm, begun if there is room for it; NULL otherwise. */
static struct tape_checks_first *
find_arm(struct tape_checks_history *h, const char *arm)
{
	struct tape_checks_first *f;

	for (size_t i = 0; i < h->firsts_n; i++)
		if (strcmp(h->firsts[i].arm, arm) == 0)
			return &h->firsts[i];
	if (h->firsts_n == TAPE_CHECKS_ARMS)
		return NULL;
	f = &h->firsts[h->firsts_n++];
	memset(f, 0, sizeof(*f));
	memcpy(f->arm, arm, strlen(arm) + 1);
	return f;
}

static int
cut(const char *p, size_t len, size_t most)
{
	return (int)(len <= most ? len : tape_utf8_cut(p, most));
}

/* "run 1 of SESSION" */
static void
name_run(const struct tape_checks_run *run, char dst[TAPE_CHECKS_WHO])
{
	const struct tape_str s = run->session;

	if (s.len == 0)
		(void)snprintf(dst, TAPE_CHECKS_WHO, "run %" PRId64, run->run);
	else
		(void)snprintf(dst, TAPE_CHECKS_WHO, "run %" PRId64 " of %.*s",
		    run->run, cut(s.p, s.len, NAME), s.p);
}

static void
add_value(struct tape_buf *text, const char *who, const struct tape_buf *v)
{
	if (v->len == 0)
		(void)tape_buf_add_fmt(text, "%s: none", who);
	else
		(void)tape_buf_add_fmt(text, "%s: %.*s", who,
		    cut(v->data, v->len, SHOWN), v->data);
}

/* Keeps what is the first that is known, or says how it differs from that. */
static void
compare_one(struct tape_checks_maker *m, struct tape_checks_first *f, int which,
    const char *who, struct tape_buf *now)
{
	struct tape_checks_first_of *of = &f->of[which];

	if (!of->known) {
		of->known = true;
		tape_buf_release(&of->text);
		of->text = *now;
		tape_buf_init(now, TEXT_CAP);
		memcpy(of->who, who, TAPE_CHECKS_WHO);
		return;
	}
	if (of->text.len == now->len &&
	    (now->len == 0 || memcmp(of->text.data, now->data, now->len) == 0))
		return;
	(void)tape_buf_add_fmt(
	    &m->text, "%s%s of ", m->text.len > 0 ? "; " : "", names[which]);
	add_value(&m->text, of->who, &of->text);
	(void)tape_buf_add_str(&m->text, ", of ");
	add_value(&m->text, who, now);
}

static enum tape_status
compare_all(struct tape_checks_maker *m, struct tape_checks_first *f,
    struct tape_err *err)
{
	char who[TAPE_CHECKS_WHO];
	struct tape_buf now;
	enum tape_status st = TAPE_OK;

	name_run(m->run, who);
	tape_buf_init(&now, TEXT_CAP);
	for (int i = 0; i < TAPE_CHECKS_LIKE && st == TAPE_OK; i++) {
		const bool known = say(m->run, (enum tape_checks_like)i, &now);

		st = tape_buf_status(&now, err);
		if (st == TAPE_OK && known)
			compare_one(m, f, i, who, &now);
		tape_buf_clear(&now);
	}
	tape_buf_release(&now);
	return st;
}

/* Made where something differs only. */
enum tape_status
tape_checks_alike(struct tape_checks_maker *m, struct tape_err *err)
{
	struct tape_checks_history *h = m->run->history;
	char arm[TAPE_CHECKS_NAME];
	struct tape_checks_first *f;
	struct tape_check *k;
	enum tape_status st;

	if (h == NULL || m->run->start == NULL)
		return TAPE_OK;
	tape_checks_copy_arm(arm, m->run->start->arm);
	f = find_arm(h, arm);
	if (f == NULL)
		return TAPE_OK;
	k = tape_checks_begin(m, "alike");
	st = compare_all(m, f, err);
	if (st != TAPE_OK || m->text.len == 0) {
		m->out->n--;
		return st;
	}
	tape_checks_warn(k, true,
	    "runs of one arm are of different things: compare these as arms, "
	    "or read them apart");
	return tape_checks_end(m, k, err);
}
