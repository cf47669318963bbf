/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prompts given as text: rows with text_input (or text, prompt) or messages,
 * and optionally output_length, timestamp, session_id and delay.  Rows of one
 * session are its turns: each waits for the one before.
 */
#include "base/mem.h"
#include "engine/import_json.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>

#define ID_ROOM 24

struct session {
	char *name;
	char last_id[ID_ROOM];
	int64_t turns;
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct session *)a)->name,
	    ((const struct session *)b)->name);
}

static void
free_session(void *p)
{
	struct session *s = p;

	tape_mem_free(s->name);
	tape_mem_free(s);
}

/* The session of that name, made when it is new; NULL when memory is out. */
static struct session *
find_session(void **root, struct tape_str name)
{
	struct session *s = tape_mem_calloc(1, sizeof(*s)), **node;

	if (s == NULL)
		return NULL;
	s->name = tape_mem_dup(name.p, name.len);
	node = s->name == NULL ? NULL : tsearch(s, root, by_name);
	if (node == NULL || *node != s)
		free_session(s);
	return node == NULL ? NULL : *node;
}

/* Ties a request to the turn before it, whose id goes into before. */
static enum tape_status
set_turn(struct tape_request *r, void **sessions, char before[ID_ROOM],
    struct tape_str *after, struct tape_err *err)
{
	struct session *s = find_session(sessions, r->session);

	if (s == NULL)
		return tape_err_nomem(err);
	r->turn = s->turns++;
	if (r->turn > 0) {
		(void)snprintf(before, ID_ROOM, "%s", s->last_id);
		*after = tape_str_of(before);
		r->after.v = after;
		r->after.n = 1;
	}
	(void)snprintf(
	    s->last_id, sizeof(s->last_id), "%.*s", (int)r->id.len, r->id.p);
	return TAPE_OK;
}

static enum tape_status
put_row(const struct tape_import_row *row, struct tape_gen *g, void **sessions,
    struct tape_err *err)
{
	char id[ID_ROOM], before[ID_ROOM];
	struct tape_str after;
	struct tape_request r;
	enum tape_status st = TAPE_OK;

	if ((row->text.p == NULL) == (row->messages.p == NULL))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "row needs one of \"text_input\" and \"messages\"");
	tape_schema_init(TAPE_KIND_REQUEST, &r);
	(void)snprintf(id, sizeof(id), "%" PRIu64, g->sums.requests + 1);
	r.id = tape_str_of(id);
	r.input.text = row->text;
	r.input.messages = row->messages;
	r.output_tokens = row->output_tokens;
	r.input_tokens = row->input_tokens;
	r.t_ns = row->t_ns;
	r.session = row->session;
	if (r.session.p != NULL) {
		r.delay_ns = row->delay_ns;
		st = set_turn(&r, sessions, before, &after, err);
	}
	return st == TAPE_OK ? tape_gen_put(g, &r, err) : st;
}

enum tape_status
tape_import_prompts(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_err *err)
{
	struct tape_import_json j;
	struct tape_import_row row;
	void *sessions = NULL;
	enum tape_status st;

	(void)opts;
	tape_import_json_init(&j);
	do {
		st = tape_import_json_row(&j, in, &row, err);
		if (st == TAPE_OK)
			st = put_row(&row, g, &sessions, err);
	} while (st == TAPE_OK);
	tdestroy(sessions, free_session);
	tape_import_json_release(&j);
	return st;
}
