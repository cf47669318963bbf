/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/token_gaps.h"

#include "api/api.h"
#include "base/mem.h"

/* Every event with text has a count, and all are of choice 0. */
static bool
is_counted(const struct tape_events *e)
{
	if (e->out_tokens.v == NULL)
		return false;
	for (size_t i = 0; i < e->t_ns.n; i++) {
		if (e->choice.v != NULL && e->choice.v[i] != 0)
			return false;
		if (tape_api_is_token(e->class.p[i]) && e->out_tokens.v[i] < 0)
			return false;
	}
	return true;
}

/* So many tokens in that time. */
static enum tape_status
add(struct tape_token_gaps *g, int64_t tokens, double ns, struct tape_err *err)
{
	const size_t n = (size_t)tokens;

	if (tape_mem_grow((void **)&g->v, &g->cap, g->n + n, sizeof(*g->v)) !=
	    0)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		g->v[g->n++] = ns / (double)n;
	return TAPE_OK;
}

enum tape_status
tape_token_gaps_find(struct tape_token_gaps *g, const struct tape_events *e,
    int64_t (*time_of)(const void *arg, size_t i), const void *arg,
    struct tape_err *err)
{
	int64_t seen = 0, last = 0;
	enum tape_status st = TAPE_OK;

	g->n = 0;
	g->silent = TAPE_ABSENT_I64;
	if (!is_counted(e))
		return TAPE_OK;
	g->silent = 0;
	for (size_t i = 0; i < e->t_ns.n && st == TAPE_OK; i++) {
		const int64_t count = e->out_tokens.v[i];
		const int64_t t = time_of(arg, i);

		if (count <= seen)
			continue;
		g->silent += !tape_api_is_token(e->class.p[i]);
		if (seen > 0 && (count - seen > TAPE_TOKEN_GAPS_STEP ||
				    g->n > TAPE_TOKEN_GAPS_MAX)) {
			g->n = 0;
			return TAPE_OK;
		}
		if (seen > 0)
			st = add(g, count - seen, (double)(t - last), err);
		seen = count;
		last = t;
	}
	return st;
}

void
tape_token_gaps_release(struct tape_token_gaps *g)
{
	tape_mem_free(g->v);
	*g = (struct tape_token_gaps){ .silent = TAPE_ABSENT_I64 };
}
