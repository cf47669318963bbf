/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp.h"

#include "base/clock.h"
#include "base/mem.h"
#include "engine/idmap.h"
#include "engine/stamp_flow.h"
#include "engine/stamp_runs.h"

#include <inttypes.h>

struct tape_stamp {
	struct tape_stamp_opts opts;
	struct tape_writer *writer;
	struct tape_stamp_counts counts;
	struct tape_flow_about about;  /* of the segment */
	struct tape_stamp_steps steps; /* likewise */
	struct tape_stamp_runs runs;
	/* Exchanges with parts: by x, and in the order in which they began. */
	struct tape_idmap map;
	struct tape_flow *oldest, *newest;
	size_t open;
	struct tape_flow **flows; /* all, by slot */
	size_t flows_n, flows_cap;
	struct tape_flow *spare;  /* those not open, a list by next */
	struct tape_flow single;  /* for exchanges without parts */
	struct tape_buf scratch;  /* bytes out of base64 */
	struct tape_response out; /* the response in hand */
	struct tape_record lost;
};

enum tape_status
tape_stamp_open(struct tape_stamp **s, const struct tape_stamp_opts *opts,
    struct tape_writer *w, struct tape_err *err)
{
	struct tape_stamp *new = tape_mem_calloc(1, sizeof(*new));

	*s = new;
	if (new == NULL)
		return tape_err_nomem(err);
	new->opts = *opts;
	new->writer = w;
	tape_buf_init(&new->scratch, TAPE_CAP_LINE);
	tape_flow_init(&new->single, opts->text);
	tape_record_init(&new->lost);
	new->about =
	    (struct tape_flow_about){ .api = opts->api, .steps = &new->steps };
	tape_stamp_steps_clear(&new->steps);
	return TAPE_OK;
}

void
tape_stamp_free(struct tape_stamp *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->flows_n; i++) {
		tape_flow_release(s->flows[i]);
		tape_mem_free(s->flows[i]);
	}
	tape_mem_free(s->flows);
	tape_flow_release(&s->single);
	tape_buf_release(&s->scratch);
	tape_record_release(&s->lost);
	tape_idmap_release(&s->map);
	tape_stamp_runs_release(&s->runs);
	tape_stamp_steps_release(&s->steps);
	tape_mem_free(s);
}

struct tape_stamp_counts
tape_stamp_counts(const struct tape_stamp *s)
{
	return s->counts;
}

void
tape_stamp_begin_at(struct tape_stamp *s, int64_t epoch_mono_ns)
{
	s->about.epoch_mono_ns = epoch_mono_ns;
	tape_stamp_steps_clear(&s->steps);
	tape_stamp_runs_release(&s->runs);
}

enum tape_status
tape_stamp_begin(struct tape_stamp *s, const struct tape_header *header,
    struct tape_err *err)
{
	char text[TAPE_CLOCK_MONO];
	const struct tape_str mono = header->epoch_mono;
	int64_t at = 0;
	enum tape_status st;

	if (mono.len >= sizeof(text))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "\"epoch_mono\" is too long");
	memcpy(text, mono.p, mono.len);
	text[mono.len] = '\0';
	st = tape_clock_parse_mono(text, &at, err);
	if (st == TAPE_OK)
		tape_stamp_begin_at(s, at);
	return st;
}

/* The map wants digests; this keeps different numbers different. */
static uint64_t
key_of(int64_t x)
{
	return (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15);
}

static struct tape_flow *
find_flow(const struct tape_stamp *s, int64_t x)
{
	uint64_t slot;

	if (!tape_idmap_get(&s->map, key_of(x), &slot))
		return NULL;
	return s->flows[slot];
}

static struct tape_flow *
take_spare(struct tape_stamp *s)
{
	struct tape_flow *f = s->spare;

	if (f != NULL) {
		s->spare = f->next;
		return f;
	}
	if (tape_mem_grow((void **)&s->flows, &s->flows_cap, s->flows_n + 1,
		sizeof(struct tape_flow *)) != 0)
		return NULL;
	f = tape_mem_calloc(1, sizeof(*f));
	if (f == NULL)
		return NULL;
	tape_flow_init(f, s->opts.text);
	f->slot = s->flows_n;
	s->flows[s->flows_n++] = f;
	return f;
}

static void
put_spare(struct tape_stamp *s, struct tape_flow *f)
{
	f->next = s->spare;
	s->spare = f;
}

static void
close_flow(struct tape_stamp *s, struct tape_flow *f)
{
	tape_idmap_remove(&s->map, key_of(f->x));
	if (f->prev != NULL)
		f->prev->next = f->next;
	else
		s->oldest = f->next;
	if (f->next != NULL)
		f->next->prev = f->prev;
	else
		s->newest = f->prev;
	s->open--;
	put_spare(s, f);
}

/* Keeps the transfer as a response, to be read back if nothing else comes. */
static enum tape_status
keep_transfer(struct tape_flow *f, const struct tape_transfer *t,
    struct tape_response *out, struct tape_err *err)
{
	tape_schema_init(TAPE_KIND_RESPONSE, out);
	out->t = *t;
	tape_buf_clear(&f->first);
	return tape_record_encode(TAPE_KIND_RESPONSE, out, &f->first, err);
}

static enum tape_status
begin_flow(struct tape_stamp *s, struct tape_flow *f,
    const struct tape_transfer *t, struct tape_err *err)
{
	s->about.bare = tape_stamp_runs_bare(&s->runs, t->run);
	s->about.pointers = tape_stamp_runs_pointers(&s->runs, t->run);
	return tape_flow_begin(f, t, &s->about, err);
}

static enum tape_status
open_flow(struct tape_stamp *s, const struct tape_transfer *t,
    struct tape_flow **dst, struct tape_err *err)
{
	struct tape_flow *f;
	enum tape_status st;

	if (s->open == TAPE_CAP_OPEN_PARTS)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "more than %d exchanges are open", TAPE_CAP_OPEN_PARTS);
	f = take_spare(s);
	if (f == NULL)
		return tape_err_nomem(err);
	st = begin_flow(s, f, t, err);
	if (st == TAPE_OK)
		st = keep_transfer(f, t, &s->out, err);
	if (st == TAPE_OK)
		st = tape_idmap_add(&s->map, key_of(t->x), f->slot, err);
	if (st != TAPE_OK) {
		put_spare(s, f);
		return st;
	}
	f->next = NULL;
	f->prev = s->newest;
	if (s->newest != NULL)
		s->newest->next = f;
	else
		s->oldest = f;
	s->newest = f;
	s->open++;
	*dst = f;
	return TAPE_OK;
}

static enum tape_status
take_part(
    struct tape_stamp *s, const struct tape_exchange *x, struct tape_err *err)
{
	struct tape_flow *f = find_flow(s, x->t.x);
	const int64_t want = f == NULL ? 0 : f->seq;
	enum tape_status st;

	if (x->seq != want)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "part %" PRId64 " of exchange %" PRId64
		    " where part %" PRId64 " should be",
		    x->seq, x->t.x, want);
	if (f == NULL) {
		st = open_flow(s, &x->t, &f, err);
		if (st != TAPE_OK || f == NULL)
			return st;
	}
	f->seq++;
	return tape_flow_feed(f, x, &s->scratch, false, err);
}

static void
drop_events(struct tape_response *out, const char *message)
{
	struct tape_response none;

	tape_schema_init(TAPE_KIND_RESPONSE, &none);
	none.t = out->t;
	none.reads = out->reads;
	none.body_bytes = out->body_bytes;
	none.sse = out->sse;
	none.encoding = out->encoding;
	none.t.error.class = tape_str_of("malformed");
	none.t.error.cause = tape_str_of("limit");
	none.t.error.message = tape_str_of(message);
	*out = none;
}

/* A response too long for a line loses its text, and then its events. */
static enum tape_status
write_response(struct tape_stamp *s, struct tape_err *err)
{
	struct tape_response *out = &s->out;
	struct tape_err why = { 0 };
	enum tape_status st;

	st = tape_writer_put(s->writer, TAPE_KIND_RESPONSE, out, &why);
	if (st == TAPE_E_LIMIT && out->text.p != NULL) {
		out->text = tape_str_make(NULL, 0);
		tape_err_clear(&why);
		st = tape_writer_put(s->writer, TAPE_KIND_RESPONSE, out, &why);
	}
	if (st == TAPE_E_LIMIT) {
		drop_events(out, "the response is too long for a record");
		tape_err_clear(&why);
		st = tape_writer_put(s->writer, TAPE_KIND_RESPONSE, out, &why);
	}
	if (st != TAPE_OK && err != NULL && err->status == TAPE_OK)
		*err = why;
	return st;
}

/* s->out has the transfer; the flow has the rest. */
static enum tape_status
finish_flow(struct tape_stamp *s, struct tape_flow *f, struct tape_err *err)
{
	enum tape_status st = tape_flow_finish(f, &s->out, err);

	if (st == TAPE_OK)
		st = write_response(s, err);
	if (st != TAPE_OK)
		return st;
	s->counts.responses++;
	s->counts.failed += s->out.t.error.class.p != NULL;
	s->counts.events += f->events.n;
	s->counts.token_events += (uint64_t)f->decoder.token_events;
	s->counts.malformed += (uint64_t)f->decoder.malformed;
	return TAPE_OK;
}

static enum tape_status
take_exchange(
    struct tape_stamp *s, const struct tape_exchange *x, struct tape_err *err)
{
	struct tape_flow *f = find_flow(s, x->t.x);
	const int64_t parts = x->parts == TAPE_ABSENT_I64 ? 0 : x->parts;
	const bool single = f == NULL;
	enum tape_status st = TAPE_OK;

	if (parts != (single ? 0 : f->seq))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "exchange %" PRId64 " should have %" PRId64
		    " parts, but %" PRId64 " were read",
		    x->t.x, parts, single ? 0 : f->seq);
	if (single) {
		f = &s->single;
		st = begin_flow(s, f, &x->t, err);
	}
	if (st == TAPE_OK)
		st = tape_flow_feed(f, x, &s->scratch, true, err);
	if (st != TAPE_OK)
		return st;
	tape_schema_init(TAPE_KIND_RESPONSE, &s->out);
	s->out.t = x->t;
	st = finish_flow(s, f, err);
	if (!single)
		close_flow(s, f);
	return st;
}

enum tape_status
tape_stamp_exchange(struct tape_stamp *s, enum tape_kind kind,
    const struct tape_exchange *x, struct tape_err *err)
{
	return kind == TAPE_KIND_PART ? take_part(s, x, err)
				      : take_exchange(s, x, err);
}

/* Of what is open some may have been read when the clock stepped. */
static enum tape_status
note_clock(
    struct tape_stamp *s, const struct tape_tick *tick, struct tape_err *err)
{
	const struct tape_stamp_step *step;
	bool stepped = false;
	enum tape_status st =
	    tape_stamp_steps_add(&s->steps, tick, &stepped, err);

	if (st != TAPE_OK || !stepped)
		return st;
	step = &s->steps.v[s->steps.n - 1];
	for (struct tape_flow *f = s->oldest; f != NULL; f = f->next)
		tape_flow_doubt(f, step);
	return TAPE_OK;
}

enum tape_status
tape_stamp_record(
    struct tape_stamp *s, const struct tape_record *rec, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	switch (rec->kind) {
	case TAPE_KIND_PART:
	case TAPE_KIND_EXCHANGE:
		return tape_stamp_exchange(
		    s, (enum tape_kind)rec->kind, &rec->u.exchange, err);
	case TAPE_KIND_RUN:
		st = tape_stamp_runs_note(&s->runs, &rec->u.run, err);
		break;
	case TAPE_KIND_CLOCK:
		st = note_clock(s, &rec->u.clock, err);
		break;
	default:
		break;
	}
	return st == TAPE_OK ? tape_writer_pass(s->writer, rec, err) : st;
}

static enum tape_status
write_lost(struct tape_stamp *s, struct tape_flow *f, struct tape_err *err)
{
	struct tape_failure *e = &s->out.t.error;
	enum tape_status st;

	st = tape_record_decode(&s->lost, f->first.data, f->first.len, err);
	if (st != TAPE_OK)
		return st;
	s->out = s->lost.u.response;
	e->class = tape_str_of("lost");
	e->message = tape_str_of("the stream ends before the exchange does");
	st = finish_flow(s, f, err);
	s->counts.lost += st == TAPE_OK;
	return st;
}

enum tape_status
tape_stamp_end(struct tape_stamp *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	while (s->oldest != NULL && st == TAPE_OK) {
		st = write_lost(s, s->oldest, err);
		close_flow(s, s->oldest);
	}
	return st;
}
