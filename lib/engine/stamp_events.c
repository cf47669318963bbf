/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp_events.h"

#include "base/mem.h"

/* The usual value of each column; INT64_MIN: none is, so all are stored. */
static const int64_t usual[TAPE_STAMP_COLUMNS] = {
	[TAPE_STAMP_T] = INT64_MIN,
	[TAPE_STAMP_LAG] = -1,
	[TAPE_STAMP_TEXT] = INT64_MIN,
	[TAPE_STAMP_CHOICE] = 0,
	[TAPE_STAMP_TOKENS] = -1,
	[TAPE_STAMP_SERVER] = -1,
	[TAPE_STAMP_LATE] = -1,
};

void
tape_stamp_events_init(struct tape_stamp_events *e)
{
	memset(e, 0, sizeof(*e));
	tape_buf_init(&e->class, TAPE_CAP_EVENTS);
	tape_buf_init(&e->clk, TAPE_CAP_EVENTS);
}

void
tape_stamp_events_clear(struct tape_stamp_events *e)
{
	e->n = 0;
	e->bare = false;
	for (size_t i = 0; i < TAPE_STAMP_COLUMNS; i++)
		e->column[i].n = 0;
	tape_buf_clear(&e->class);
	tape_buf_clear(&e->clk);
}

void
tape_stamp_events_release(struct tape_stamp_events *e)
{
	for (size_t i = 0; i < TAPE_STAMP_COLUMNS; i++)
		tape_mem_free(e->column[i].v);
	tape_buf_release(&e->class);
	tape_buf_release(&e->clk);
	tape_stamp_events_init(e);
}

/* Makes the column n long, with the usual value. */
static enum tape_status
pad(struct tape_stamp_values *c, size_t n, int64_t value, struct tape_err *err)
{
	if (n > c->cap &&
	    tape_mem_grow((void **)&c->v, &c->cap, n, sizeof(*c->v)) != 0)
		return tape_err_nomem(err);
	while (c->n < n)
		c->v[c->n++] = value;
	return TAPE_OK;
}

static enum tape_status
put(struct tape_stamp_events *e, enum tape_stamp_column which, int64_t value,
    struct tape_err *err)
{
	struct tape_stamp_values *c = &e->column[which];
	enum tape_status st;

	if (c->n == 0 && value == usual[which])
		return TAPE_OK;
	st = pad(c, e->n + 1, usual[which], err);
	if (st == TAPE_OK)
		c->v[e->n] = value;
	return st;
}

enum tape_status
tape_stamp_events_add(struct tape_stamp_events *e,
    const struct tape_stamp_read *read, const struct tape_api_event *ev,
    int64_t server_ns, struct tape_err *err)
{
	const bool known = read->lag_ns >= 0;
	const int64_t values[TAPE_STAMP_COLUMNS] = {
		[TAPE_STAMP_T] = known ? read->t_ns - read->lag_ns : read->t_ns,
		[TAPE_STAMP_LAG] = known ? read->lag_ns : -1,
		[TAPE_STAMP_TEXT] = e->bare ? INT64_MIN : ev->text_bytes,
		[TAPE_STAMP_CHOICE] =
		    ev->choice == TAPE_ABSENT_I64 ? 0 : ev->choice,
		[TAPE_STAMP_TOKENS] = ev->out_tokens,
		[TAPE_STAMP_SERVER] = server_ns,
		[TAPE_STAMP_LATE] = ev->server_late_ns == TAPE_ABSENT_I64
					? -1
					: ev->server_late_ns,
	};
	enum tape_status st = TAPE_OK;

	if (e->n == TAPE_CAP_EVENTS)
		return tape_err_set(
		    err, TAPE_E_LIMIT, "more than %zu events", TAPE_CAP_EVENTS);
	for (int i = 0; i < TAPE_STAMP_COLUMNS && st == TAPE_OK; i++)
		st = put(e, (enum tape_stamp_column)i, values[i], err);
	(void)tape_buf_add_char(&e->class, ev->class);
	(void)tape_buf_add_char(&e->clk, known ? 'k' : 'u');
	if (st == TAPE_OK)
		st = tape_buf_status(&e->class, err);
	if (st == TAPE_OK)
		st = tape_buf_status(&e->clk, err);
	if (st != TAPE_OK)
		return st;
	if (e->n > 0 && e->read_t_ns == read->t_ns)
		e->clk.data[e->n - 1] = 'm';
	e->read_t_ns = read->t_ns;
	e->n++;
	return TAPE_OK;
}

void
tape_stamp_events_doubt(
    struct tape_stamp_events *e, int64_t from_ns, int64_t to_ns)
{
	int64_t *const t = e->column[TAPE_STAMP_T].v;
	int64_t *const lag = e->column[TAPE_STAMP_LAG].v;
	const size_t n = e->column[TAPE_STAMP_LAG].n; /* 0, or the events' */
	size_t known = 0;

	for (size_t i = 0; i < n; i++) {
		if (lag[i] < 0 || t[i] + lag[i] <= from_ns ||
		    t[i] + lag[i] > to_ns) {
			known += lag[i] >= 0;
			continue;
		}
		t[i] += lag[i];
		lag[i] = -1;
		if (e->clk.data[i] == 'k')
			e->clk.data[i] = 'u';
	}
	if (known == 0)
		e->column[TAPE_STAMP_LAG].n = 0;
}

enum tape_status
tape_stamp_events_get(
    struct tape_stamp_events *e, struct tape_events *out, struct tape_err *err)
{
	struct tape_i64s *const spans[TAPE_STAMP_COLUMNS] = {
		[TAPE_STAMP_T] = &out->t_ns,
		[TAPE_STAMP_LAG] = &out->lag_ns,
		[TAPE_STAMP_TEXT] = &out->text_bytes,
		[TAPE_STAMP_CHOICE] = &out->choice,
		[TAPE_STAMP_TOKENS] = &out->out_tokens,
		[TAPE_STAMP_SERVER] = &out->server_ns,
		[TAPE_STAMP_LATE] = &out->server_late_ns,
	};
	static const int64_t none[1];
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < TAPE_STAMP_COLUMNS && st == TAPE_OK; i++) {
		struct tape_stamp_values *c = &e->column[i];

		if (c->n > 0)
			st = pad(c, e->n, usual[i], err);
		spans[i]->v = c->n > 0 ? c->v : NULL;
		spans[i]->n = c->n;
	}
	if (e->n == 0)
		out->t_ns.v = none;
	if (e->n == 0 && !e->bare)
		out->text_bytes.v = none;
	out->class = tape_str_make(e->class.data, e->class.len);
	out->clk = tape_str_make(e->clk.data, e->clk.len);
	return st;
}
