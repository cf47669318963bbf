/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/steady.h"

#include "base/mem.h"
#include "engine/tally.h"

/* Ids held at a time. */
#define IDS_CAP ((size_t)4 << 30)

void
tape_steady_init(struct tape_steady *s)
{
	memset(s, 0, sizeof(*s));
	tape_buf_init(&s->ids, IDS_CAP);
}

void
tape_steady_release(struct tape_steady *s)
{
	tape_mem_free(s->items);
	tape_mem_free(s->flights);
	tape_mem_free(s->gaps);
	tape_buf_release(&s->ids);
	tape_steady_init(s);
}

enum tape_status
tape_steady_fly(
    struct tape_steady *s, const struct tape_measured *m, struct tape_err *err)
{
	const struct tape_result *r = &m->result;
	const int64_t end =
	    r->end_ns != TAPE_ABSENT_I64 ? r->end_ns : m->window_ns;

	if (r->start_ns == TAPE_ABSENT_I64 || end == TAPE_ABSENT_I64 ||
	    end < r->start_ns)
		return TAPE_OK;
	if (tape_mem_grow((void **)&s->flights, &s->flight_cap, s->flight_n + 1,
		sizeof(*s->flights)) != 0)
		return tape_err_nomem(err);
	s->flights[s->flight_n++] =
	    (struct tape_steady_flight){ r->start_ns, end, m->measured };
	return TAPE_OK;
}

static enum tape_status
hold_gaps(
    struct tape_steady *s, const double *v, size_t n, struct tape_err *err)
{
	if (n == 0)
		return TAPE_OK;
	if (tape_mem_grow((void **)&s->gaps, &s->gap_cap, s->gap_n + n,
		sizeof(*s->gaps)) != 0)
		return tape_err_nomem(err);
	memcpy(s->gaps + s->gap_n, v, n * sizeof(*v));
	s->gap_n += n;
	return TAPE_OK;
}

/* What is borrowed of a response does not outlive it. */
static void
forget_spans(struct tape_measured *m)
{
	static const struct tape_str none;
	struct tape_result *r = &m->result;
	const bool events = tape_str_is(r->tokens.source, "events");

	r->tokens.source = events ? tape_str_of("events") : none;
	r->id = r->arm = r->session = r->stage = r->labels = none;
	r->clock = r->from = r->text_sha256 = none;
	memset(&r->error, 0, sizeof(r->error));
	memset(&r->finish, 0, sizeof(r->finish));
	m->encoding = m->hash = none;
	m->token_gaps = NULL;
}

enum tape_status
tape_steady_hold(struct tape_steady *s, const struct tape_measured *m,
    const double *gaps, size_t gap_n, size_t group, struct tape_err *err)
{
	const struct tape_str id = m->result.id;
	struct tape_steady_item *i;
	enum tape_status st;

	if (tape_mem_grow((void **)&s->items, &s->item_cap, s->item_n + 1,
		sizeof(*s->items)) != 0)
		return tape_err_nomem(err);
	i = &s->items[s->item_n];
	*i = (struct tape_steady_item){ *m, tape_tally_key(&m->result), group,
		s->ids.len, id.len, s->gap_n, gap_n };
	forget_spans(&i->m);
	(void)tape_buf_add(&s->ids, id.p, id.len);
	st = tape_buf_status(&s->ids, err);
	if (st == TAPE_OK)
		st = hold_gaps(s, gaps, gap_n, err);
	if (st == TAPE_OK)
		st = hold_gaps(s, m->token_gaps, m->token_gap_n, err);
	if (st == TAPE_OK)
		s->item_n++;
	return st;
}

const double *
tape_steady_back(
    const struct tape_steady *s, size_t i, struct tape_measured *out)
{
	const struct tape_steady_item *item = &s->items[i];
	const double *gaps = s->gaps == NULL ? NULL : s->gaps + item->gap_at;

	*out = item->m;
	out->result.id = tape_str_make(s->ids.data + item->id_at, item->id_len);
	out->token_gaps = gaps == NULL ? NULL : gaps + item->gap_n;
	return gaps;
}
