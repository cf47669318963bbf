/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/view_gather.h"

#include "api/api.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

#define IDS_BYTES ((size_t)1 << 30)

bool
tape_view_wants(
    const struct tape_view_want *want, const struct tape_transfer *t)
{
	return (want->id.p == NULL || tape_str_equal(want->id, t->id)) &&
	       (want->x == TAPE_ABSENT_I64 || want->x == t->x) &&
	       (want->run == TAPE_ABSENT_I64 || want->run == t->run);
}

void
tape_view_gather_init(struct tape_view_gather *g,
    const struct tape_view_want *want, struct tape_view_sink sink,
    const char *name)
{
	memset(g, 0, sizeof(*g));
	g->want = want;
	g->sink = sink;
	g->name = name;
	tape_buf_init(&g->header, TAPE_CAP_LINE);
	tape_buf_init(&g->ids, IDS_BYTES);
}

void
tape_view_gather_drop(struct tape_view_gather *g)
{
	for (size_t i = 0; i < g->found_n; i++)
		tape_buf_release(&g->found[i].lines);
	g->found_n = g->found_bytes = 0;
	g->spans_n = 0;
	g->spans_full = false;
	g->blind = false;
	g->segment = 0;
	g->run = TAPE_ABSENT_I64;
	tape_stamp_runs_release(&g->runs);
	tape_buf_clear(&g->header);
	tape_buf_clear(&g->ids);
}

void
tape_view_gather_release(struct tape_view_gather *g)
{
	tape_view_gather_drop(g);
	tape_mem_free(g->found);
	tape_mem_free(g->spans);
	tape_mem_free(g->crowd);
	tape_mem_free(g->edges);
	tape_buf_release(&g->header);
	tape_buf_release(&g->ids);
}

enum tape_status
tape_view_gather_begin(struct tape_view_gather *g, uint64_t segment,
    struct tape_str header, struct tape_err *err)
{
	tape_view_gather_drop(g);
	g->segment = segment;
	(void)tape_buf_add(&g->header, header.p, header.len);
	return tape_buf_status(&g->header, err);
}

void
tape_view_gather_span(
    struct tape_view_gather *g, const struct tape_view_span *s)
{
	if (g->spans_n == TAPE_VIEW_SPANS ||
	    tape_mem_grow((void **)&g->spans, &g->spans_cap, g->spans_n + 1,
		sizeof(*g->spans)) != 0) {
		g->spans_full = true;
		return;
	}
	g->spans[g->spans_n++] = *s;
}

const struct tape_transfer *
tape_view_transfer(const struct tape_record *rec)
{
	switch (rec->kind) {
	case TAPE_KIND_PART:
	case TAPE_KIND_EXCHANGE:
		return &rec->u.exchange.t;
	case TAPE_KIND_RESPONSE:
		return &rec->u.response.t;
	default:
		return NULL;
	}
}

/* An exchange of which the end is known. */
static void
add_span(struct tape_view_gather *g, const struct tape_transfer *t)
{
	struct tape_view_span s = { .x = t->x,
		.start_ns = t->start_ns,
		.end_ns = t->end_ns,
		.sent_ns = t->sent_ns,
		.head_ns = t->head_ns };

	if (t->end_ns == TAPE_ABSENT_I64)
		return;
	if (g->want->others && t->id.len < 4096) {
		s.id_at = (uint32_t)g->ids.len;
		if (tape_buf_add(&g->ids, t->id.p, t->id.len) == TAPE_OK)
			s.id_len = (uint32_t)t->id.len;
	}
	tape_view_gather_span(g, &s);
}

static enum tape_status
note_run(struct tape_view_gather *g, const struct tape_run *run, uint64_t line,
    struct tape_err *err)
{
	const enum tape_status st = tape_stamp_runs_note(&g->runs, run, err);

	g->run = run->run;
	return st == TAPE_OK ? st : tape_err_at(err, g->name, line);
}

/* Whether it takes what a run's record says to read its answer. */
static bool
is_opaque(const struct tape_transfer *t)
{
	const struct tape_api *api =
	    t->api.p == NULL ? NULL : tape_api_find(t->api);

	return api != NULL && api->opaque;
}

/* The one that this record goes on with, or a new one; NULL without memory. */
static struct tape_view_found *
find(struct tape_view_gather *g, int64_t x)
{
	struct tape_view_found *f;

	for (size_t i = g->found_n; i-- > 0;)
		if (g->found[i].x == x && g->found[i].lost)
			return &g->found[i];
	if (tape_mem_grow((void **)&g->found, &g->found_cap, g->found_n + 1,
		sizeof(*g->found)) != 0)
		return NULL;
	f = &g->found[g->found_n++];
	memset(f, 0, sizeof(*f));
	f->x = x;
	f->lost = true;
	f->end_ns = TAPE_ABSENT_I64;
	tape_buf_init(&f->lines, TAPE_VIEW_FOUND_BYTES);
	return f;
}

enum tape_status
tape_view_gather_record(struct tape_view_gather *g,
    const struct tape_record *rec, uint64_t line, struct tape_err *err)
{
	const struct tape_transfer *t = tape_view_transfer(rec);
	struct tape_view_found *f;

	if (rec->kind == TAPE_KIND_RUN)
		return note_run(g, &rec->u.run, line, err);
	if (t == NULL)
		return TAPE_OK;
	if (rec->kind != TAPE_KIND_PART)
		add_span(g, t);
	if (!tape_view_wants(g->want, t))
		return TAPE_OK;
	g->found_bytes += rec->line.len + 1;
	if (g->found_bytes > TAPE_VIEW_FOUND_BYTES)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "over %zu MiB of records were found: ask for one x or run",
		    TAPE_VIEW_FOUND_BYTES >> 20);
	f = find(g, t->x);
	if (f == NULL)
		return tape_err_nomem(err);
	f->line = line;
	f->lost = rec->kind == TAPE_KIND_PART;
	f->start_ns = t->start_ns;
	f->end_ns = t->end_ns;
	f->pointers = tape_stamp_runs_pointers(&g->runs, t->run);
	g->blind = g->blind || (t->run != g->run && is_opaque(t));
	(void)tape_buf_add(&f->lines, rec->line.p, rec->line.len);
	(void)tape_buf_add_char(&f->lines, '\n');
	return tape_buf_status(&f->lines, err);
}

/* In flight. */

static int
by_start(const void *a, const void *b)
{
	const struct tape_view_span *p = a, *q = b;

	if (p->start_ns != q->start_ns)
		return p->start_ns < q->start_ns ? -1 : 1;
	return (p->x > q->x) - (p->x < q->x);
}

static int
by_value(const void *a, const void *b)
{
	const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;

	return (p > q) - (p < q);
}

/* Those whose time overlaps that of f. */
static enum tape_status
pick(struct tape_view_gather *g, const struct tape_view_found *f,
    struct tape_err *err)
{
	const struct tape_view_span *s;

	g->crowd_n = 0;
	for (size_t i = 0; i < g->spans_n; i++) {
		s = &g->spans[i];
		if (s->x == f->x || s->start_ns >= f->end_ns ||
		    s->end_ns <= f->start_ns)
			continue;
		if (tape_mem_grow((void **)&g->crowd, &g->crowd_cap,
			g->crowd_n + 1, sizeof(*g->crowd)) != 0)
			return tape_err_nomem(err);
		g->crowd[g->crowd_n++] = *s;
	}
	if (g->crowd_n > 1)
		qsort(g->crowd, g->crowd_n, sizeof(*g->crowd), by_start);
	return TAPE_OK;
}

/* Begins are sorted already; ends are sorted here and both are merged.  Of one
   time an end comes first. */
static enum tape_status
count(struct tape_view_gather *g, const struct tape_view_found *f,
    struct tape_view_crowd *c, struct tape_err *err)
{
	const size_t n = g->crowd_n;
	size_t begun = 0, ended = 0;
	int64_t now;

	if (tape_mem_grow((void **)&g->edges, &g->edges_cap, n + 1,
		sizeof(*g->edges)) != 0)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		g->edges[i] = g->crowd[i].end_ns;
	if (n > 1)
		qsort(g->edges, n, sizeof(*g->edges), by_value);
	while (begun < n && g->crowd[begun].start_ns <= f->start_ns)
		begun++;
	c->at_start = c->min = c->max = now = (int64_t)begun;
	while (ended < n && g->edges[ended] < f->end_ns) {
		if (begun < n && g->crowd[begun].start_ns < g->edges[ended]) {
			now++;
			begun++;
		} else {
			now--;
			ended++;
		}
		c->min = now < c->min ? now : c->min;
		c->max = now > c->max ? now : c->max;
	}
	now += (int64_t)(n - begun);
	c->max = now > c->max ? now : c->max;
	return TAPE_OK;
}

static enum tape_status
hand_out(
    struct tape_view_gather *g, struct tape_view_found *f, struct tape_err *err)
{
	struct tape_view_crowd c = { .known = !g->spans_full &&
					      f->end_ns != TAPE_ABSENT_I64 };
	enum tape_status st = TAPE_OK;

	f->place.name = g->name;
	f->place.segment = g->segment;
	f->place.header = tape_str_make(g->header.data, g->header.len);
	if (c.known)
		st = pick(g, f, err);
	if (c.known && st == TAPE_OK)
		st = count(g, f, &c, err);
	if (st != TAPE_OK)
		return st;
	c.v = g->crowd;
	c.n = c.known ? g->crowd_n : 0;
	c.ids = g->ids.data;
	return g->sink.found(g->sink.arg, f, &c, err);
}

enum tape_status
tape_view_gather_end(struct tape_view_gather *g, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < g->found_n && st == TAPE_OK; i++)
		st = hand_out(g, &g->found[i], err);
	tape_view_gather_drop(g);
	return st;
}
