/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/view_sum.h"

#include "api/api.h"
#include "base/mem.h"
#include "base/utf8.h"

#define ALL_FORMATS                                                            \
 (TAPE_FORMAT_TRACE | TAPE_FORMAT_WIRE | TAPE_FORMAT_EVENTS |                  \
     TAPE_FORMAT_METRICS | TAPE_FORMAT_REPORT)

struct work {
	struct tape_in *in;
	struct tape_view_sum_sink sink;
	struct tape_view_sum_result *r;
	struct tape_view_sum s;
	struct tape_record header; /* a copy, which lives with the segment */
	struct tape_buf header_line;
	struct tape_view_run *runs;
	size_t runs_cap;
	bool open;                  /* a segment is in hand */
	struct tape_in_sums before; /* stored, when the segment began */
	bool plain;                 /* it is plain text */
	bool straddles; /* a frame goes on from the segment before */
};

/* Words and times. */

static void
copy_word(char *dst, size_t size, struct tape_str s)
{
	size_t n = s.len < size - 1 ? s.len : tape_utf8_cut(s.p, size - 1);

	if (s.p == NULL)
		return;
	memcpy(dst, s.p, n);
	dst[n] = '\0';
}

static void
meet_time(struct tape_view_sum *s, int64_t t_ns)
{
	if (t_ns == TAPE_ABSENT_I64)
		return;
	if (!s->timed || t_ns < s->first_ns)
		s->first_ns = t_ns;
	if (!s->timed || t_ns > s->last_ns)
		s->last_ns = t_ns;
	s->timed = true;
}

/* Runs. */

/* The entry of a run; NULL when there are too many, or no memory. */
static struct tape_view_run *
find_run(struct work *w, int64_t run)
{
	struct tape_view_sum *s = &w->s;
	struct tape_view_run *v;

	for (size_t i = s->runs_n; i-- > 0;)
		if (w->runs[i].run == run)
			return &w->runs[i];
	if (s->runs_n == TAPE_VIEW_RUNS ||
	    tape_mem_grow((void **)&w->runs, &w->runs_cap, s->runs_n + 1,
		sizeof(*w->runs)) != 0) {
		s->runs_more++;
		return NULL;
	}
	v = &w->runs[s->runs_n++];
	memset(v, 0, sizeof(*v));
	v->run = run;
	v->round = v->position = v->start_ns = v->end_ns = TAPE_ABSENT_I64;
	v->sent = v->done = v->failed = TAPE_ABSENT_I64;
	return v;
}

static void
take_run(struct work *w, const struct tape_run *r)
{
	struct tape_view_run *v = find_run(w, r->run);

	meet_time(&w->s, r->start_ns);
	meet_time(&w->s, r->end_ns);
	if (v == NULL)
		return;
	v->round = r->round;
	v->position = r->position;
	v->start_ns = r->start_ns;
	v->end_ns = r->end_ns;
	v->sent = r->sent;
	v->done = r->done;
	v->failed = r->failed;
	v->ended = tape_str_is(r->at, "end");
	copy_word(v->arm, sizeof(v->arm), r->arm);
	copy_word(v->stop, sizeof(v->stop), r->stop);
}

static void
take_fidelity(struct work *w, const struct tape_fidelity *f)
{
	struct tape_view_run *v = find_run(w, f->run);
	size_t n = 0;

	if (v == NULL)
		return;
	copy_word(v->verdict, sizeof(v->verdict), f->verdict);
	for (size_t i = 0; i < f->reasons.n; i++) {
		if (i > 0 && n + 3 < sizeof(v->reasons)) {
			memcpy(v->reasons + n, "; ", 3);
			n += 2;
		}
		copy_word(
		    v->reasons + n, sizeof(v->reasons) - n, f->reasons.v[i]);
		n = strlen(v->reasons);
	}
}

/* Records. */

static void
take_transfer(struct work *w, const struct tape_transfer *t)
{
	meet_time(&w->s, t->start_ns);
	meet_time(&w->s, t->end_ns);
	w->s.exchanges++;
	w->s.warmup += tape_str_is(t->stage, "warmup");
	w->s.failed += t->error.class.p != NULL;
}

static void
take_reads(struct work *w, const struct tape_reads *r)
{
	w->s.reads += r->bytes.n;
	for (size_t i = 0; i < r->lag_ns.n; i++)
		w->s.kernel_reads += r->lag_ns.v[i] >= 0;
	for (size_t i = 0; i < r->bytes.n; i++)
		if (__builtin_add_overflow(
			w->s.body_bytes, r->bytes.v[i], &w->s.body_bytes))
			w->s.body_bytes = INT64_MAX;
}

static void
take_response(struct work *w, const struct tape_response *r)
{
	take_transfer(w, &r->t);
	w->s.events += r->events.class.len;
	for (size_t i = 0; i < r->events.class.len; i++)
		w->s.token_events += tape_api_is_token(r->events.class.p[i]);
	if (r->body_bytes != TAPE_ABSENT_I64 &&
	    __builtin_add_overflow(
		w->s.body_bytes, r->body_bytes, &w->s.body_bytes))
		w->s.body_bytes = INT64_MAX;
	if (r->reads > 0)
		w->s.reads += (uint64_t)r->reads;
}

static void
take_record(struct work *w, const struct tape_record *rec)
{
	switch (rec->kind) {
	case TAPE_KIND_REQUEST:
		meet_time(&w->s, rec->u.request.t_ns);
		break;
	case TAPE_KIND_RUN:
		take_run(w, &rec->u.run);
		break;
	case TAPE_KIND_PART:
		take_reads(w, &rec->u.exchange.reads);
		break;
	case TAPE_KIND_EXCHANGE:
		take_transfer(w, &rec->u.exchange.t);
		take_reads(w, &rec->u.exchange.reads);
		break;
	case TAPE_KIND_CLOCK:
		meet_time(&w->s, rec->u.clock.t_ns);
		break;
	case TAPE_KIND_FIDELITY:
		take_fidelity(w, &rec->u.fidelity);
		break;
	case TAPE_KIND_RESPONSE:
		take_response(w, &rec->u.response);
		break;
	case TAPE_KIND_EVENT:
		meet_time(&w->s, rec->u.event.t_ns);
		w->s.events++;
		break;
	case TAPE_KIND_RESULT:
		meet_time(&w->s, rec->u.result.start_ns);
		meet_time(&w->s, rec->u.result.end_ns);
		break;
	default:
		break;
	}
	w->s.records++;
	w->s.counts[rec->kind]++;
}

/* Segments. */

/* What was stored since the segment began; unknown when a frame holds pieces of
   several segments. */
static void
weigh(struct work *w)
{
	const struct tape_in_sums *now = tape_in_sums(w->in);
	struct tape_in_sums *d = &w->s.stored;

	d->frames = now->frames - w->before.frames;
	d->checked = now->checked - w->before.checked;
	d->frame_bytes = now->frame_bytes - w->before.frame_bytes;
	d->index_frames = now->index_frames - w->before.index_frames;
	d->index_bytes = now->index_bytes - w->before.index_bytes;
	d->foreign_bytes = now->foreign_bytes - w->before.foreign_bytes;

	if (w->plain) {
		memset(d, 0, sizeof(*d));
		w->s.stored_known = true;
		w->s.stored_bytes = w->s.text_bytes;
		w->straddles = false;
		return;
	}
	w->s.stored_known = d->frames > 0 && !w->straddles;
	w->straddles = d->frames == 0;
	w->s.stored_bytes = d->frame_bytes + d->index_bytes + d->foreign_bytes;
}

static enum tape_status
end_segment(struct work *w, struct tape_err *err)
{
	enum tape_status st;

	if (!w->open)
		return TAPE_OK;
	weigh(w);
	w->open = false;
	w->s.runs = w->runs;
	if ((!w->s.has_end || w->s.ending == TAPE_ENDING_FAILED) &&
	    w->r->err.status == TAPE_OK)
		w->r->err = w->s.err;
	st = w->sink.segment(w->sink.arg, &w->s, err);
	return st;
}

static enum tape_status
begin_segment(struct work *w, const struct tape_reader *r,
    const struct tape_record *rec, struct tape_err *err)
{
	const uint64_t number = w->s.segment + 1;

	memset(&w->s, 0, sizeof(w->s));
	w->s.name = tape_reader_name(r);
	w->s.segment = number;
	w->s.format = tape_reader_format(r);
	w->before = *tape_in_sums(w->in);
	w->plain = tape_in_plain(w->in);
	w->open = true;
	tape_buf_clear(&w->header_line);
	(void)tape_buf_add(&w->header_line, rec->line.p, rec->line.len);
	if (tape_buf_status(&w->header_line, err) != TAPE_OK)
		return err->status;
	w->s.header = &w->header.u.header;
	return tape_record_decode(
	    &w->header, w->header_line.data, w->header_line.len, err);
}

static enum tape_ending
ending_of(const struct tape_record *rec)
{
	enum tape_ending e = TAPE_ENDING_COMPLETE;

	while (e < TAPE_ENDING_FAILED &&
	       !tape_str_is(rec->u.end.status, tape_ending_name(e)))
		e++;
	return e;
}

static enum tape_status
take(struct work *w, const struct tape_reader *r, const struct tape_record *rec,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (rec->kind == TAPE_KIND_HEADER) {
		st = end_segment(w, err);
		if (st == TAPE_OK)
			st = begin_segment(w, r, rec, err);
	} else if (rec->kind == TAPE_KIND_END) {
		w->s.has_end = !tape_reader_made_end(r);
		w->s.ending = ending_of(rec);
		if (!w->s.has_end)
			return TAPE_OK;
	} else {
		take_record(w, rec);
	}
	w->s.text_bytes += rec->line.len + 1;
	return st;
}

/* The first thing that is wrong with a segment, in the reader's words. */
static void
keep_warning(void *arg, const char *text)
{
	struct work *w = arg;

	(void)tape_err_set(&w->s.err, TAPE_E_TRUNC, "%s", text);
}

static enum tape_status
read_all(struct work *w, struct tape_reader *r, struct tape_err *err)
{
	struct tape_record rec;
	struct tape_err why = { 0 };
	enum tape_status st;

	tape_record_init(&rec);
	while ((st = tape_reader_next(r, &rec, &why)) == TAPE_OK) {
		st = take(w, r, &rec, err);
		if (st != TAPE_OK)
			break;
	}
	tape_record_release(&rec);

	if (why.status == TAPE_E_IO || why.status == TAPE_E_NOMEM) {
		*err = why;
		return st;
	}
	if (why.status != TAPE_OK) {
		w->r->err = why;
		if (w->open && w->s.err.status == TAPE_OK)
			w->s.err = why;
	} else if (st != TAPE_EOF) {
		return st;
	}
	return end_segment(w, err);
}

enum tape_status
tape_view_sum(struct tape_in *in, struct tape_view_sum_sink sink,
    struct tape_view_sum_result *r, struct tape_err *err)
{
	struct work w = { .in = in, .sink = sink, .r = r };
	const struct tape_reader_opts opts = { .formats = ALL_FORMATS,
		.allow_truncated = true,
		.warn = keep_warning,
		.arg = &w };
	struct tape_reader *reader;
	enum tape_status st;

	memset(r, 0, sizeof(*r));
	st = tape_reader_open_in(&reader, in, &opts, err);
	if (st != TAPE_OK)
		return st;
	tape_record_init(&w.header);
	tape_buf_init(&w.header_line, TAPE_CAP_LINE);
	st = read_all(&w, reader, err);
	tape_record_release(&w.header);
	tape_buf_release(&w.header_line);
	tape_mem_free(w.runs);
	tape_reader_free(reader);
	return st;
}
