/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every request of a trace has to be. */
#include "base/mem.h"
#include "engine/idmap.h"
#include "engine/spool_impl.h"

#include <inttypes.h>
#include <stdio.h>

#define SHOWN 64 /* bytes of an id in a message */

static enum tape_status
bad(struct tape_err *err, const char *what)
{
	return tape_err_set(err, TAPE_E_FORMAT, "%s", what);
}

/* Which input it is; the number of those that are there. */
static int
input_kind(const struct tape_input *in, size_t *kind)
{
	const bool there[TAPE_SPOOL_INPUTS] = { in->text.p != NULL,
		in->messages.p != NULL, in->tokens.v != NULL,
		in->blocks.vocab.p != NULL, in->body.p != NULL };
	int n = 0;

	for (size_t i = 0; i < TAPE_SPOOL_INPUTS; i++) {
		if (!there[i])
			continue;
		*kind = i;
		n++;
	}
	return n;
}

/* Whoever makes a trace numbers blocks as they first come: one that is not above
   all earlier ones is shared with one of them. */
static void
note_blocks(struct tape_spool_info *i, const struct tape_i64s *ids)
{
	const bool first = i->first_of[TAPE_SPOOL_BLOCKS] == i->requests + 1;
	int64_t top = first ? INT64_MIN : i->top_block;
	bool shared = false;

	for (size_t k = 0; k < ids->n; k++)
		shared |= !first && ids->v[k] <= i->top_block;
	for (size_t k = 0; k < ids->n; k++)
		top = ids->v[k] > top ? ids->v[k] : top;
	i->top_block = top;
	i->reusing += shared;
}

static enum tape_status
check_input(struct tape_spool_info *i, const struct tape_vocab_set *vocabs,
    const struct tape_input *in, struct tape_err *err)
{
	size_t kind = 0;
	int n = input_kind(in, &kind);

	if (n != 1)
		return bad(err, n == 0 ? "a request without an input"
				       : "a request with several inputs");
	if (i->first_of[kind] == 0)
		i->first_of[kind] = i->requests + 1;
	if (in->blocks.vocab.p != NULL) {
		note_blocks(i, &in->blocks.ids);
		return tape_prompt_check(vocabs, &in->blocks, err);
	}
	i->verbatim++;
	i->bodies += in->body.p != NULL;
	return TAPE_OK;
}

static bool
is_object(struct tape_str json)
{
	return json.p == NULL || (json.len > 0 && json.p[0] == '{');
}

static enum tape_status
check_time(struct tape_spool_info *i, const struct tape_request *r,
    struct tape_err *err)
{
	bool timed = r->t_ns != TAPE_ABSENT_I64;
	bool waits = r->after.n > 0;

	if (!timed && i->timed && !waits)
		return bad(err, "a request without t_ns among others with it");
	if (timed && !i->timed && i->requests > i->waiting)
		return bad(err, "a request with t_ns among others without it");
	if (!timed)
		return TAPE_OK;
	if (!i->timed)
		i->first_t_ns = r->t_ns;
	else if (r->t_ns < i->last_t_ns)
		return bad(err, "t_ns goes back");
	i->timed = true;
	i->last_t_ns = r->t_ns;
	return TAPE_OK;
}

static enum tape_status
check_fields(struct tape_spool_info *i, const struct tape_vocab_set *vocabs,
    const struct tape_request *r, struct tape_err *err)
{
	if (r->id.len == 0)
		return bad(err, "an empty id");
	if (!is_object(r->params) || !is_object(r->labels))
		return bad(err, "params or labels that are no object");
	if (r->output_tokens != TAPE_ABSENT_I64 && r->output_tokens < 1)
		return bad(err, "output_tokens below 1");
	if (r->delay_ns != TAPE_ABSENT_I64 && r->delay_ns < 0)
		return bad(err, "a negative delay_ns");
	return check_input(i, vocabs, &r->input, err);
}

static enum tape_status
bad_id(struct tape_err *err, const char *before, struct tape_str id,
    const char *behind)
{
	return tape_err_set(err, TAPE_E_FORMAT, "%s '%.*s'%s", before,
	    tape_str_shown(id, SHOWN), id.p, behind);
}

/* It is not among those that are known. */
static enum tape_status
unknown(const struct spool_filler *f, struct tape_str id, struct tape_err *err)
{
	char behind[96];

	if (f->ids.n <= TAPE_RECENT)
		return bad_id(
		    err, "after names", id, ", which is no earlier request");
	(void)snprintf(behind, sizeof(behind),
	    ", which is none of the %" PRIu64 " requests before it",
	    TAPE_RECENT);
	return bad_id(err, "after names", id, behind);
}

/* Each predecessor is known, and of this session. */
static enum tape_status
find_after(struct spool_filler *f, const struct tape_strs *after,
    uint64_t session, struct tape_err *err)
{
	f->after_n = 0;
	if (tape_mem_grow((void **)&f->after, &f->after_cap, after->n,
		sizeof(*f->after)) != 0)
		return tape_err_nomem(err);
	for (size_t i = 0; i < after->n; i++) {
		struct tape_str id = after->v[i];
		uint64_t of;

		if (!tape_recent_get(&f->ids, tape_idmap_key(id.p, id.len),
			&f->after[i], &of))
			return unknown(f, id, err);
		if (session == 0 || of != session)
			return bad_id(err, "after names", id,
			    ", which is of another session");
		f->after_n++;
	}
	return TAPE_OK;
}

enum tape_status
tape_spool_check(struct spool_filler *f, const struct tape_vocab_set *vocabs,
    const struct tape_request *r, uint64_t key, uint64_t session,
    struct tape_err *err)
{
	enum tape_status st = check_fields(&f->info, vocabs, r, err);

	if (st == TAPE_OK)
		st = check_time(&f->info, r, err);
	if (st == TAPE_OK && tape_recent_get(&f->ids, key, NULL, NULL))
		st = bad_id(err, "id", r->id, " is there twice");
	return st == TAPE_OK ? find_after(f, &r->after, session, err) : st;
}
