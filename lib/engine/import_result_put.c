/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of another tool, as records to reduce or, as stated, to the sink. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "codec/json_write.h"
#include "engine/grouping.h"
#include "engine/import_result.h"

#include <stdio.h>

#define META_CAP   ((size_t)64 << 10)
#define CLIENT_MAX 128

/* A segment in the making: its header, and the records of its run. */
struct segment {
	struct tape_buf prov, meta, header_line, start_line, end_line;
	struct tape_record header, start, end;
	char epoch[TAPE_CLOCK_ISO];
	char run_id[TAPE_HASH_TEXT];
};

static void
segment_init(struct segment *s)
{
	memset(s, 0, sizeof(*s));
	tape_buf_init(&s->prov, META_CAP);
	tape_buf_init(&s->meta, META_CAP);
	tape_buf_init(&s->header_line, TAPE_CAP_LINE);
	tape_buf_init(&s->start_line, TAPE_CAP_LINE);
	tape_buf_init(&s->end_line, TAPE_CAP_LINE);
	tape_record_init(&s->header);
	tape_record_init(&s->start);
	tape_record_init(&s->end);
}

static void
segment_release(struct segment *s)
{
	tape_buf_release(&s->prov);
	tape_buf_release(&s->meta);
	tape_buf_release(&s->header_line);
	tape_buf_release(&s->start_line);
	tape_buf_release(&s->end_line);
	tape_record_release(&s->header);
	tape_record_release(&s->start);
	tape_record_release(&s->end);
}

static void
shift(int64_t *t, int64_t epoch_ns)
{
	if (*t != TAPE_ABSENT_I64)
		*t -= epoch_ns;
}

/* The smallest and the largest time that the run has, of those that count. */
static void
find_span(struct tape_import_run *run)
{
	struct tape_run *r = &run->run;

	for (size_t i = 0; i < run->n; i++) {
		const struct tape_result *q = &run->requests[i].result;
		const int64_t end =
		    q->end_ns != TAPE_ABSENT_I64 ? q->end_ns : q->last_ns;

		if (r->start_ns == TAPE_ABSENT_I64 || q->start_ns < r->start_ns)
			r->start_ns = q->start_ns;
		if (end != TAPE_ABSENT_I64 &&
		    (r->end_ns == TAPE_ABSENT_I64 || end > r->end_ns))
			r->end_ns = end;
	}
	if (r->start_ns == TAPE_ABSENT_I64)
		r->start_ns = 0;
	if (r->end_ns == TAPE_ABSENT_I64 || r->end_ns < r->start_ns)
		r->end_ns = r->start_ns;
}

/* Counts what the requests tell, and makes all times count from the first. */
static int64_t
settle(struct tape_import_run *run)
{
	struct tape_run *r = &run->run;
	int64_t epoch, warmup = 0, failed = 0;

	find_span(run);
	epoch = r->start_ns;
	for (size_t i = 0; i < run->n; i++) {
		struct tape_import_request *q = &run->requests[i];

		shift(&q->result.due_ns, epoch);
		shift(&q->result.start_ns, epoch);
		shift(&q->result.first_ns, epoch);
		shift(&q->result.last_ns, epoch);
		shift(&q->result.end_ns, epoch);
		warmup += q->warmup;
		failed += !q->warmup && q->result.ok != 1 && !q->cancelled;
	}
	shift(&r->start_ns, epoch);
	shift(&r->end_ns, epoch);
	if (run->n > 0) {
		if (warmup > 0)
			r->warmup = warmup;
		r->sent = (int64_t)run->n - warmup;
		r->failed = failed;
		r->done = r->sent - failed;
		if (r->requests == TAPE_ABSENT_I64)
			r->requests = r->sent;
	}
	return epoch;
}

static enum tape_status
make_record(enum tape_kind kind, const void *record, struct tape_buf *line,
    struct tape_record *rec, struct tape_err *err)
{
	enum tape_status st = tape_record_encode(kind, record, line, err);

	return st == TAPE_OK
		   ? tape_record_decode(rec, line->data, line->len, err)
		   : st;
}

static enum tape_status
make_header(struct segment *s, const struct tape_import_run *run,
    int64_t epoch_ns, struct tape_err *err)
{
	struct tape_json_writer w;
	struct tape_header h;
	enum tape_status st;

	tape_schema_init(TAPE_KIND_HEADER, &h);
	tape_json_write_init(&w, &s->prov);
	tape_json_write_array(&w, NULL);
	tape_json_write_object(&w, NULL);
	tape_json_write_cstr(&w, "id", "p1");
	tape_json_write_cstr(&w, "tool", run->tool);
	if (run->version.p != NULL)
		tape_json_write_str(
		    &w, "version", run->version.p, run->version.len);
	tape_json_write_object_end(&w);
	tape_json_write_array_end(&w);
	st = tape_json_write_finish(&w, err);
	if (st != TAPE_OK)
		return st;
	tape_json_write_init(&w, &s->meta);
	tape_json_write_object(&w, NULL);
	tape_json_write_str(
	    &w, "imported", run->run.client.p, run->run.client.len);
	tape_json_write_object_end(&w);
	st = tape_json_write_finish(&w, err);
	h.epoch = tape_str_of(tape_clock_print_iso(epoch_ns, s->epoch));
	h.epoch_mono = tape_str_of("0.000000000");
	h.run_id = run->run_id.p != NULL
		       ? run->run_id
		       : tape_str_of(tape_hash_print(run->digest, s->run_id));
	h.meta = tape_str_make(s->meta.data, s->meta.len);
	h.prov = tape_str_make(s->prov.data, s->prov.len);
	if (st != TAPE_OK)
		return st;
	h.format = tape_str_of(tape_format_name(TAPE_FORMAT_METRICS));
	h.version = tape_str_of(TAPE_STREAM_VERSION);
	return make_record(
	    TAPE_KIND_HEADER, &h, &s->header_line, &s->header, err);
}

/* The run record, at the start and at the end. */
static enum tape_status
make_run(
    struct segment *s, const struct tape_import_run *run, struct tape_err *err)
{
	struct tape_run start = run->run, end;
	enum tape_status st;

	tape_schema_init(TAPE_KIND_RUN, &end);
	end.at = tape_str_of("end");
	end.run = start.run;
	end.arm = start.arm;
	end.end_ns = start.end_ns;
	end.sent = start.sent;
	end.done = start.done;
	end.failed = start.failed;
	end.stop = start.stop;
	start.at = tape_str_of("start");
	start.end_ns = start.sent = start.done = start.failed = TAPE_ABSENT_I64;
	start.stop = tape_str_make(NULL, 0);
	st = make_record(TAPE_KIND_RUN, &start, &s->start_line, &s->start, err);
	return st == TAPE_OK ? make_record(TAPE_KIND_RUN, &end, &s->end_line,
				   &s->end, err)
			     : st;
}

/* What reduce has to know of a request beyond its result. */
static enum tape_status
put_request(struct tape_import_to *to, const struct tape_import_run *run,
    const struct tape_import_request *q, struct tape_err *err)
{
	struct tape_measured m;
	struct tape_result *r = &m.result;

	memset(&m, 0, sizeof(m));
	*r = q->result;
	r->run = run->run.run;
	r->from = tape_str_of("start");
	r->clock = tape_str_of("user");
	r->stage = tape_str_of(q->warmup ? "warmup" : "measure");
	m.measured = !q->warmup;
	m.cancelled = q->cancelled;
	m.streamed = q->streamed;
	m.to_end = !q->streamed;
	m.reasoned = q->reasoned;
	m.window_ns = TAPE_ABSENT_I64;
	if (r->ok == 1)
		m.window_ns =
		    r->last_ns != TAPE_ABSENT_I64 ? r->last_ns : r->end_ns;
	if (r->token_events > 0)
		m.user = (uint64_t)r->token_events;
	return tape_reduce_measured(to->reduce, &m,
	    r->ok == 1 ? q->gaps : (struct tape_f64s){ NULL, 0 }, err);
}

static enum tape_status
put_requests(struct tape_import_to *to, const struct tape_import_run *run,
    struct segment *s, struct tape_err *err)
{
	struct tape_record rec;
	enum tape_status st;

	st = tape_reduce_record(to->reduce, &s->header, err);
	if (st == TAPE_OK)
		st = tape_reduce_record(to->reduce, &s->start, err);
	for (size_t i = 0; i < run->n && st == TAPE_OK; i++)
		st = put_request(to, run, &run->requests[i], err);
	if (st == TAPE_OK)
		st = tape_reduce_record(to->reduce, &s->end, err);
	memset(&rec, 0, sizeof(rec));
	rec.kind = TAPE_KIND_END;
	rec.u.end.status = tape_str_of("complete");
	return st == TAPE_OK ? tape_reduce_record(to->reduce, &rec, err) : st;
}

static enum tape_status
put_set(struct tape_import_to *to, struct tape_import_run *run,
    struct tape_str group, struct tape_err *err)
{
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		run->set->summary[i].group = group;
	return to->sink.set == NULL
		   ? TAPE_OK
		   : to->sink.set(to->sink.arg, group, run->set, err);
}

/* The whole, and the one group that it is. */
static enum tape_status
put_sets(struct tape_import_to *to, struct tape_import_run *run,
    struct tape_err *err)
{
	static const struct tape_str none;
	struct tape_grouping g;
	struct tape_str key;
	enum tape_status st = put_set(to, run, none, err);

	if (st != TAPE_OK || to->by == NULL)
		return st;
	st = tape_grouping_init(&g, to->by, err);
	if (st == TAPE_OK)
		st = tape_grouping_key(
		    &g, run->run.labels, &run->run, &key, err);
	if (st == TAPE_OK)
		st = put_set(to, run, key, err);
	tape_grouping_release(&g);
	return st;
}

static enum tape_status
put_stated(struct tape_import_to *to, struct tape_import_run *run,
    const struct segment *s, struct tape_err *err)
{
	static const struct tape_slo none;
	static const struct tape_reduce_outside nothing;
	const struct tape_reduce_sink *sink = &to->sink;
	const struct tape_reduce_run info = {
		.run = run->run.run,
		.start = &s->start,
		.end = &s->end,
		.first_ns = TAPE_ABSENT_I64,
		.last_ns = TAPE_ABSENT_I64,
		.slo = &none,
		.outside = &nothing,
	};
	const struct tape_header *h = &s->header.u.header;
	const struct tape_strs chains = { &h->prov, 1 };
	enum tape_status st = to->header(to->arg, h, chains, err);

	if (st == TAPE_OK && sink->begin != NULL)
		st = sink->begin(sink->arg, h, err);
	if (st == TAPE_OK && sink->pass != NULL)
		st = sink->pass(sink->arg, &s->start, err);
	if (st == TAPE_OK && sink->pass != NULL)
		st = sink->pass(sink->arg, &s->end, err);
	if (st == TAPE_OK && sink->run != NULL)
		st = sink->run(sink->arg, &info, err);
	if (st == TAPE_OK)
		st = put_sets(to, run, err);
	if (st == TAPE_OK && sink->done != NULL)
		st = sink->done(sink->arg, err);
	if (st == TAPE_OK && sink->end != NULL)
		st = sink->end(sink->arg, TAPE_ENDING_COMPLETE, err);
	return st;
}

enum tape_status
tape_import_result_put(struct tape_import_to *to, struct tape_import_run *run,
    struct tape_err *err)
{
	char client[CLIENT_MAX];
	struct segment s;
	int64_t epoch_ns;
	enum tape_status st;

	segment_init(&s);
	(void)snprintf(client, sizeof(client), "%s%s%.*s", run->tool,
	    run->version.p == NULL ? "" : " ",
	    tape_str_shown(run->version, CLIENT_MAX / 2),
	    run->version.p == NULL ? "" : run->version.p);
	run->run.client = tape_str_of(client);
	epoch_ns = settle(run);
	st = make_header(&s, run, epoch_ns, err);
	if (st == TAPE_OK)
		st = make_run(&s, run, err);
	if (st == TAPE_OK && run->stated)
		st = put_stated(to, run, &s, err);
	else if (st == TAPE_OK)
		st = put_requests(to, run, &s, err);
	to->runs += st == TAPE_OK;
	segment_release(&s);
	return st;
}
