/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/turns.h"

#include "base/mem.h"

#include <search.h>
#include <stdio.h>

/* The name may hold any byte. */
struct session {
	char *name;
	size_t len;
	char last_id[TAPE_TURNS_ID];
	int64_t turns;
};

static int
by_name(const void *x, const void *y)
{
	const struct session *a = x, *b = y;

	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->name, b->name, a->len);
}

static void
free_session(void *p)
{
	struct session *s = p;

	tape_mem_free(s->name);
	tape_mem_free(s);
}

void
tape_turns_release(struct tape_turns *t)
{
	tdestroy(t->sessions, free_session);
	memset(t, 0, sizeof(*t));
}

/* The session of that name, made when it is new; NULL when memory is out. */
static struct session *
find_session(struct tape_turns *t, struct tape_str name)
{
	struct session key = { .len = name.len }, *s, **node;

	key.name = (char *)(uintptr_t)name.p;
	node = tfind(&key, &t->sessions, by_name);
	if (node != NULL)
		return *node;
	s = tape_mem_calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->name = tape_mem_dup(name.p, name.len);
	s->len = name.len;
	node = s->name == NULL ? NULL : tsearch(s, &t->sessions, by_name);
	if (node == NULL) {
		free_session(s);
		return NULL;
	}
	return s;
}

enum tape_status
tape_turns_set(
    struct tape_turns *t, struct tape_request *r, struct tape_err *err)
{
	struct session *s;

	if (r->session.p == NULL)
		return TAPE_OK;
	s = find_session(t, r->session);
	if (s == NULL)
		return tape_err_nomem(err);
	r->turn = s->turns++;
	if (r->turn > 0) {
		memcpy(t->before, s->last_id, sizeof(t->before));
		t->after = tape_str_of(t->before);
		r->after.v = &t->after;
		r->after.n = 1;
	}
	(void)snprintf(
	    s->last_id, sizeof(s->last_id), "%.*s", (int)r->id.len, r->id.p);
	return TAPE_OK;
}
