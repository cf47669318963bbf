/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding by index frames: which parts of a file are decoded. */
#include "codec/stream_in.h"
#include "codec/stream_map.h"
#include "engine/view_find.h"
#include "record/entry.h"
#include "record/preamble.h"

#define FORMATS (TAPE_FORMAT_WIRE | TAPE_FORMAT_EVENTS)

/* A segment: parts from first to last; its header is the nth of those in the
   first one. */
struct segment {
	bool open;
	uint64_t number; /* from 1 */
	size_t first, last;
	uint64_t nth;
	uint64_t line; /* lines of the file before the first part */
	bool wanted;
};

struct work {
	struct tape_view_search *s;
	struct tape_map map;
	struct tape_record rec;
	uint32_t id_hash;
	bool wrong; /* an index is not what it should be: read all */
	struct segment seg;
	uint64_t lines; /* of the parts passed */
};

static bool
entry_fits(const struct work *w, const struct tape_index_entry *e)
{
	const struct tape_view_want *want = w->s->want;

	return (want->id.p == NULL ||
		   (e->has_id && e->id_hash == w->id_hash)) &&
	       (want->x == TAPE_ABSENT_I64 || (e->has_x && e->x == want->x));
}

static bool
visit(void *arg, const struct tape_index *head, struct tape_index_scan *scan)
{
	const struct work *w = arg;
	struct tape_index_entry e;
	enum tape_status st;
	bool wanted = (head->marks & TAPE_INDEX_PARTIAL) != 0;

	while ((st = tape_index_next(scan, &e, NULL)) == TAPE_OK)
		wanted = wanted || entry_fits(w, &e);
	return wanted || st != TAPE_EOF;
}

/* Lines of one part, which is decoded from the file. */
struct lines {
	uint64_t before; /* lines of the file before the part */
	struct tape_in *in;
	struct tape_index_rows rows; /* of what was decoded */
	uint64_t n, text_bytes;
	bool begins, ends; /* with a header; the last one is an end */
};

static enum tape_status
open_lines(struct work *w, size_t i, struct lines *l, struct tape_err *err)
{
	const struct tape_map_part *p = &w->map.v[i];

	memset(l, 0, sizeof(*l));
	tape_index_rows_init(&l->rows);
	return tape_in_open_range(
	    &l->in, w->map.fd, p->at, p->bytes, w->s->in->name, err);
}

static void
close_lines(struct lines *l)
{
	tape_in_free(l->in);
	tape_index_rows_release(&l->rows);
}

/* The next record of a part; what entry it should have is noted. */
static enum tape_status
next_line(struct work *w, struct lines *l, struct tape_err *err)
{
	struct tape_index_entry e;
	const char *p;
	size_t len;
	enum tape_status st = tape_in_line(l->in, &p, &len, err);

	if (st == TAPE_OK)
		st = tape_record_decode(&w->rec, p, len, err);
	if (st != TAPE_OK)
		return st;
	l->n++;
	l->text_bytes += len + 1;
	l->begins = l->n == 1 ? w->rec.kind == TAPE_KIND_HEADER : l->begins;
	l->ends = w->rec.kind == TAPE_KIND_END;
	if (tape_entry_has(w->rec.kind) &&
	    tape_entry_of((enum tape_kind)w->rec.kind, &w->rec.u, &e) &&
	    tape_index_rows_add(&l->rows, &e) != TAPE_OK)
		w->wrong = w->wrong || l->rows.bytes.status != TAPE_E_LIMIT;
	return TAPE_OK;
}

/* Whether a part that was decoded to its end is what its index says. */
static enum tape_status
compare(struct work *w, size_t i, const struct lines *l, struct tape_err *err)
{
	struct tape_index head;
	struct tape_index_scan scan;
	enum tape_status st = tape_map_index(&w->map, i, &head, &scan, err);

	if (st != TAPE_OK)
		return st;
	if (head.lines != l->n || head.text_bytes != l->text_bytes ||
	    l->begins != ((head.marks & TAPE_INDEX_BEGINS) != 0) ||
	    l->ends != ((head.marks & TAPE_INDEX_ENDS) != 0))
		w->wrong = true;
	if (head.marks & TAPE_INDEX_PARTIAL)
		return TAPE_OK;
	if (head.entries != l->rows.count ||
	    (size_t)(scan.end - scan.p) != l->rows.bytes.len ||
	    memcmp(scan.p, l->rows.bytes.data, l->rows.bytes.len) != 0)
		w->wrong = true;
	return TAPE_OK;
}

static void
add_span(struct work *w, const struct tape_index_entry *e)
{
	const struct tape_view_span s = { .x = e->x,
		.start_ns = e->start_ns,
		.end_ns = e->end_ns,
		.sent_ns = TAPE_ABSENT_I64,
		.head_ns = TAPE_ABSENT_I64 };

	if (e->has_times && e->has_x)
		tape_view_gather_span(&w->s->gather, &s);
}

/* A part that is not decoded. */
static enum tape_status
take_index(struct work *w, size_t i, struct tape_err *err)
{
	struct tape_index head;
	struct tape_index_scan scan;
	struct tape_index_entry e;
	enum tape_status st = tape_map_index(&w->map, i, &head, &scan, err);

	while (st == TAPE_OK) {
		st = tape_index_next(&scan, &e, err);
		if (st == TAPE_OK)
			add_span(w, &e);
	}
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* The time that the exchanges looked for take together. */
struct reach {
	int64_t from, to;
};

static enum tape_status
widen(struct work *w, size_t i, struct reach *r, struct tape_err *err)
{
	struct tape_index head;
	struct tape_index_scan scan;
	struct tape_index_entry e;
	enum tape_status st = tape_map_index(&w->map, i, &head, &scan, err);

	while (st == TAPE_OK) {
		st = tape_index_next(&scan, &e, err);
		if (st != TAPE_OK || !e.has_times || !entry_fits(w, &e))
			continue;
		r->from = e.start_ns < r->from ? e.start_ns : r->from;
		r->to = e.end_ns > r->to ? e.end_ns : r->to;
	}
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* Parts with others that were in flight then are decoded, too. */
static enum tape_status
want_others(struct work *w, const struct segment *g, struct tape_err *err)
{
	struct reach r = { INT64_MAX, INT64_MIN };
	struct tape_index head;
	struct tape_index_scan scan;
	struct tape_index_entry e;
	enum tape_status st = TAPE_OK;

	for (size_t i = g->first; i <= g->last && st == TAPE_OK; i++) {
		if (w->map.v[i].index_bytes == 0)
			r = (struct reach){ INT64_MIN, INT64_MAX };
		else if (w->map.v[i].wanted)
			st = widen(w, i, &r, err);
	}
	for (size_t i = g->first; i <= g->last && st == TAPE_OK; i++) {
		if (w->map.v[i].index_bytes == 0)
			continue;
		st = tape_map_index(&w->map, i, &head, &scan, err);
		while (st == TAPE_OK) {
			st = tape_index_next(&scan, &e, err);
			if (st == TAPE_OK && e.has_times && e.start_ns < r.to &&
			    e.end_ns > r.from)
				w->map.v[i].wanted = true;
		}
		st = st == TAPE_EOF ? TAPE_OK : st;
	}
	return st;
}

static enum tape_status
begin_gathering(struct work *w, const struct segment *g, struct tape_err *err)
{
	struct tape_preamble what;
	enum tape_status st =
	    tape_preamble_read(&what, w->rec.line, FORMATS, err);

	if (st != TAPE_OK)
		return st;
	return tape_view_gather_begin(
	    &w->s->gather, g->number, w->rec.line, err);
}

/* Feeds the lines of one part that belong to the segment; only the header when
   that is all that is wanted. */
static enum tape_status
feed_lines(struct work *w, const struct segment *g, size_t i, struct lines *l,
    bool header_only, struct tape_err *err)
{
	struct tape_view_gather *gather = &w->s->gather;
	uint64_t headers = 0;
	enum tape_status st;
	bool inside = i > g->first;

	while ((st = next_line(w, l, err)) == TAPE_OK) {
		if (w->rec.kind == TAPE_KIND_HEADER) {
			inside = i == g->first && ++headers == g->nth;
			if (inside)
				st = begin_gathering(w, g, err);
		} else if (inside && w->rec.kind == TAPE_KIND_END) {
			w->s->r->failed |=
			    tape_str_is(w->rec.u.end.status, "failed");
		} else if (inside && w->rec.kind != TAPE_KIND_UNKNOWN) {
			st = tape_view_gather_record(
			    gather, &w->rec, l->before + l->n, err);
		}
		if (st != TAPE_OK || (header_only && inside))
			break;
	}
	return st;
}

static enum tape_status
take_part(struct work *w, const struct segment *g, size_t i, uint64_t line,
    struct tape_err *err)
{
	const struct tape_map_part *p = &w->map.v[i];
	const bool all = p->wanted || p->index_bytes == 0;
	struct lines l;
	enum tape_status st = TAPE_OK;

	if (!all && i > g->first)
		return take_index(w, i, err);
	st = open_lines(w, i, &l, err);
	l.before = line;
	if (st == TAPE_OK)
		st = feed_lines(w, g, i, &l, !all, err);
	w->s->r->decoded += all;
	if (!all && st == TAPE_OK)
		st = take_index(w, i, err);
	else if (st == TAPE_EOF && p->index_bytes > 0)
		st = compare(w, i, &l, err);
	/* How a file that is cut ends has been seen before. */
	if (st == TAPE_EOF || (p->index_bytes == 0 && st < TAPE_OK &&
				  st != TAPE_E_NOMEM && st != TAPE_E_IO))
		st = TAPE_OK;
	close_lines(&l);
	return st;
}

/* The segment in hand ends in that part: what is wanted of it is decoded. */
static enum tape_status
end_segment(struct work *w, size_t last, struct tape_err *err)
{
	struct segment *g = &w->seg;
	uint64_t line = g->line;
	enum tape_status st = TAPE_OK;

	if (!g->open)
		return TAPE_OK;
	g->open = false;
	g->last = last;
	if (!g->wanted)
		return TAPE_OK;
	if (w->s->want->others)
		st = want_others(w, g, err);
	w->map.v[last].wanted = true; /* for its end record */
	for (size_t i = g->first; i <= last && st == TAPE_OK && !w->wrong;
	     i++) {
		st = take_part(w, g, i, line, err);
		line += w->map.v[i].lines;
	}
	/* Records of runs have no entry, so only all of the file has them. */
	w->wrong = w->wrong || w->s->gather.blind;
	if (st == TAPE_OK && !w->wrong)
		st = tape_view_gather_end(&w->s->gather, err);
	return st;
}

static void
begin_segment(struct work *w, size_t first, uint64_t nth)
{
	w->seg.open = true;
	w->seg.number++;
	w->seg.first = first;
	w->seg.nth = nth;
	w->seg.line = w->lines;
	w->seg.wanted = false;
}

/* A record of a part without an index, in the first pass. */
static enum tape_status
meet(struct work *w, size_t i, uint64_t *headers, struct tape_err *err)
{
	const struct tape_transfer *t = tape_view_transfer(&w->rec);
	enum tape_status st = TAPE_OK;

	if (w->rec.kind == TAPE_KIND_HEADER) {
		st = end_segment(w, i, err);
		begin_segment(w, i, ++*headers);
	} else if (!w->seg.open) {
		w->wrong = true; /* what reads all of the file says why */
	} else if (w->rec.kind == TAPE_KIND_END) {
		st = end_segment(w, i, err);
	} else if (t != NULL && tape_view_wants(w->s->want, t)) {
		w->seg.wanted = true;
	}
	return st;
}

/* A part without an index is decoded to see what is in it. */
static enum tape_status
pass_unknown(struct work *w, size_t i, struct tape_err *err)
{
	struct tape_err broken = { 0 };
	struct lines l;
	uint64_t headers = 0;
	enum tape_status st = open_lines(w, i, &l, err), done = TAPE_OK;

	if (st != TAPE_OK)
		return st;
	w->s->r->decoded++;
	while (done == TAPE_OK && !w->wrong) {
		st = next_line(w, &l, &broken);
		if (st != TAPE_OK)
			break;
		w->map.v[i].lines = l.n;
		done = meet(w, i, &headers, err);
	}
	close_lines(&l);
	if (st == TAPE_OK || st == TAPE_EOF)
		return done;
	/* The end of the file may be cut; elsewhere all of it is read. */
	if (i + 1 < w->map.n || st == TAPE_E_NOMEM || st == TAPE_E_IO)
		w->wrong = true;
	w->s->r->err = broken;
	return TAPE_OK;
}

static enum tape_status
pass_part(struct work *w, size_t i, struct tape_err *err)
{
	const struct tape_map_part *p = &w->map.v[i];
	enum tape_status st = TAPE_OK;

	if (p->index_bytes == 0) {
		st = pass_unknown(w, i, err);
	} else {
		if (p->marks & TAPE_INDEX_BEGINS) {
			if (i > 0)
				st = end_segment(w, i - 1, err);
			begin_segment(w, i, 1);
		}
		if (!w->seg.open)
			w->wrong = true;
		w->seg.wanted = w->seg.wanted || p->wanted;
		if (st == TAPE_OK && (p->marks & TAPE_INDEX_ENDS))
			st = end_segment(w, i, err);
	}
	w->lines += w->map.v[i].lines;
	return st;
}

/* What no header or end has ended. */
static enum tape_status
pass_end(struct work *w, struct tape_err *err)
{
	struct tape_err *why = &w->s->r->err;

	if (w->map.n == 0)
		return TAPE_OK;
	if (w->seg.open)
		(void)tape_err_set(
		    why, TAPE_E_TRUNC, "input stops before its end record");
	if (why->status != TAPE_OK)
		(void)tape_err_at(why, w->s->in->name, 0);
	return end_segment(w, w->map.n - 1, err);
}

enum tape_status
tape_view_find_parts(
    struct tape_view_search *s, bool *usable, struct tape_err *err)
{
	struct work w = { .s = s };
	const struct tape_map_visitor visitor = { visit, &w };
	struct tape_err why = { 0 };
	enum tape_status st;

	if (s->want->id.p != NULL)
		w.id_hash = tape_index_hash(s->want->id.p, s->want->id.len);
	tape_record_init(&w.rec);
	st = tape_map_open(&w.map, s->in->fd, visitor, err);
	s->r->parts = w.map.n;
	*usable = st == TAPE_OK && w.map.indexed > 0;
	for (size_t i = 0; *usable && i < w.map.n && st == TAPE_OK && !w.wrong;
	     i++)
		st = pass_part(&w, i, &why);
	if (*usable && st == TAPE_OK && !w.wrong)
		st = pass_end(&w, &why);
	/* Nothing is refused, nor missed, for what an index says. */
	if (st == TAPE_E_FORMAT || st == TAPE_E_TRUNC || st == TAPE_E_VERSION ||
	    (st == TAPE_OK && (w.wrong || s->r->found == 0))) {
		*usable = false;
		st = TAPE_OK;
	}
	if (st != TAPE_OK) {
		if (err->status == TAPE_OK)
			*err = why;
		(void)tape_err_at(err, s->in->name, 0);
	}
	tape_map_release(&w.map);
	tape_record_release(&w.rec);
	return st;
}
