/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_fixture: an events stream is put together, reduced to a metrics
 * stream, and asked for what it says.
 */
#ifndef TAPE_UNIT_REDUCE_FIXTURE_H
#define TAPE_UNIT_REDUCE_FIXTURE_H

#include "engine/reduce_out.h"
#include "unit/tap.h"

#define MS INT64_C(1000000)

struct fixture {
	struct tape_buf in;  /* the events */
	struct tape_buf out; /* the metrics, plain */
	uint64_t records;    /* of the segment in hand */
	struct tape_reduce_opts opts;
	struct tape_reduce_counts counts;
	enum tape_status status;
	struct tape_err err;
	struct tape_record rec; /* the one last found */
};

__attribute__((unused)) static void
fixture_open(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	tape_buf_init(&f->in, 64 << 20);
	tape_buf_init(&f->out, 64 << 20);
	tape_record_init(&f->rec);
	f->opts.from = TAPE_MEASURE_FROM_START;
	f->opts.worst_by = TAPE_METRIC_LATENCY;
}

__attribute__((unused)) static void
fixture_close(struct fixture *f)
{
	tape_buf_release(&f->in);
	tape_buf_release(&f->out);
	tape_record_release(&f->rec);
}

__attribute__((format(printf, 2, 3), unused)) static void
fixture_put(struct fixture *f, const char *fmt, ...)
{
	char line[4096];
	__builtin_va_list ap;

	__builtin_va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	__builtin_va_end(ap);
	(void)tape_buf_add_str(&f->in, line);
	(void)tape_buf_add_char(&f->in, '\n');
	f->records++;
}

__attribute__((unused)) static void
fixture_begin(struct fixture *f, const char *run_id)
{
	fixture_put(f,
	    "{\"kind\":\"header\",\"format\":\"llmtape.events\","
	    "\"version\":\"1.0\",\"epoch\":\"2026-03-01T12:00:00.000000000Z\","
	    "\"epoch_mono\":\"5.000000000\",\"run_id\":\"%s\",\"prov\":[]}",
	    run_id);
	f->records = 0;
}

__attribute__((unused)) static void
fixture_end(struct fixture *f, const char *status)
{
	fixture_put(f,
	    "{\"kind\":\"end\",\"records\":%" PRIu64 ",\"status\":\"%s\"}",
	    f->records, status);
}

__attribute__((unused)) static void
fixture_start_run(struct fixture *f, int run, int requests, const char *more)
{
	fixture_put(f,
	    "{\"kind\":\"run\",\"at\":\"start\",\"run\":%d,\"arm\":\"A\","
	    "\"round\":%d,\"position\":1,\"requests\":%d%s}",
	    run, run, requests, more);
}

__attribute__((unused)) static void
fixture_end_run(struct fixture *f, int run)
{
	fixture_put(f,
	    "{\"kind\":\"run\",\"at\":\"end\",\"run\":%d,\"stop\":"
	    "\"complete\"}",
	    run);
}

/*
 * A request of run 1 that starts at start ms, whose two tokens come ttft and
 * latency ms later (0: none comes); more is members, each with its comma
 * before it.
 */
__attribute__((unused)) static void
fixture_request(struct fixture *f, const char *id, int64_t start, int64_t ttft,
    int64_t latency, const char *more)
{
	char events[256] = "\"t_ns\":[],\"class\":\"\",\"clk\":\"\"";

	if (ttft > 0)
		(void)snprintf(events, sizeof(events),
		    "\"t_ns\":[%" PRId64 ",%" PRId64
		    "],\"class\":\"cc\",\"clk\":\"kk\"",
		    ttft * MS, latency * MS);
	fixture_put(f,
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"%s\",%s"
	    "\"start_ns\":%" PRId64 ",\"events\":{%s}%s}",
	    id, strstr(more, "attempt") != NULL ? "" : "\"attempt\":1,",
	    start * MS, events, more);
}

static enum tape_status
fixture_header(
    void *arg, const struct tape_header *header, struct tape_err *err)
{
	return tape_writer_header(arg, header, err);
}

/* Reads all of in through a reduction with that sink. */
static enum tape_status
fixture_feed(struct fixture *f, struct tape_reader *reader,
    const struct tape_reduce_sink *sink)
{
	struct tape_reduce *reduce;
	struct tape_record rec;
	struct tape_err late = { 0 };
	enum tape_status st;

	st = tape_reduce_open(&reduce, &f->opts, sink, &f->err);
	if (st != TAPE_OK)
		return st;
	tape_record_init(&rec);
	while (st == TAPE_OK) {
		st = tape_reader_next(reader, &rec, &f->err);
		if (st == TAPE_OK)
			st = tape_reduce_record(reduce, &rec, &f->err);
	}
	if (st == TAPE_EOF)
		st = tape_reduce_finish(reduce, false, &f->err);
	else
		(void)!tape_reduce_cut(reduce, &late);
	f->counts = tape_reduce_counts(reduce);
	tape_record_release(&rec);
	tape_reduce_free(reduce);
	return st;
}

/* Reduces to out; the input is kept. */
__attribute__((unused)) static void
fixture_reduce(struct fixture *f)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_EVENTS };
	struct tape_reader *reader = NULL;
	struct tape_writer *writer = NULL;
	struct tape_out *out = NULL;
	struct tape_reduce_sink sink;
	enum tape_status st;

	tape_buf_clear(&f->out);
	tape_err_clear(&f->err);
	st = tape_reader_open_mem(
	    &reader, f->in.data, f->in.len, &opts, &f->err);
	if (st == TAPE_OK)
		st = tape_out_open_buf(&out, &f->out, NULL, &f->err);
	if (st == TAPE_OK)
		st = tape_writer_open(
		    &writer, out, TAPE_FORMAT_METRICS, &f->err);
	if (st == TAPE_OK) {
		sink = tape_reduce_to_stream(writer);
		sink.begin = fixture_header;
		st = fixture_feed(f, reader, &sink);
	}
	if (writer != NULL && st == TAPE_OK)
		st = tape_writer_close(writer, &f->err);
	else if (writer != NULL && !tape_writer_open_segment(writer))
		(void)!tape_writer_close(writer, &(struct tape_err){ 0 });
	else if (writer != NULL)
		tape_writer_abort(writer);
	tape_reader_free(reader);
	f->status = st;
}

/* The nth record (from 0) of that kind whose line holds all the texts; NULL
   when there is none.  b and c may be NULL. */
__attribute__((unused)) static const struct tape_record *
fixture_find(struct fixture *f, const char *kind, size_t nth, const char *a,
    const char *b)
{
	char begin[64];
	char *line = f->out.data;

	(void)snprintf(begin, sizeof(begin), "{\"kind\":\"%s\"", kind);
	while (*line != '\0') {
		char *end = strchr(line, '\n');
		bool fits;

		if (end == NULL)
			break;
		*end = '\0';
		fits = strncmp(line, begin, strlen(begin)) == 0 &&
		       (a == NULL || strstr(line, a) != NULL) &&
		       (b == NULL || strstr(line, b) != NULL);
		if (fits && nth-- == 0) {
			enum tape_status st = tape_record_decode(
			    &f->rec, line, (size_t)(end - line), &f->err);

			*end = '\n';
			return st == TAPE_OK ? &f->rec : NULL;
		}
		*end = '\n';
		line = end + 1;
	}
	return NULL;
}

__attribute__((unused)) static size_t
fixture_count(struct fixture *f, const char *kind, const char *a)
{
	size_t n = 0;

	while (fixture_find(f, kind, n, a, NULL) != NULL)
		n++;
	return n;
}

/* The summary of a metric, of all requests (group NULL) or of a group. */
__attribute__((unused)) static const struct tape_summary *
fixture_summary(struct fixture *f, const char *metric, const char *group)
{
	char name[64], in[256];

	(void)snprintf(name, sizeof(name), "\"metric\":\"%s\"", metric);
	for (size_t i = 0;; i++) {
		const struct tape_record *rec =
		    fixture_find(f, "summary", i, name, NULL);

		if (rec == NULL)
			break;
		if (group == NULL && rec->u.summary.group.p == NULL)
			return &rec->u.summary;
		(void)snprintf(in, sizeof(in), "%s", group ? group : "");
		if (group != NULL && tape_str_is(rec->u.summary.group, in))
			return &rec->u.summary;
	}
	printf("# no summary of %s\n", metric);
	tape_schema_init(TAPE_KIND_SUMMARY, &f->rec.u.summary);
	return &f->rec.u.summary;
}

__attribute__((unused)) static const struct tape_check *
fixture_check(struct fixture *f, const char *name)
{
	char text[64];
	const struct tape_record *rec;

	(void)snprintf(text, sizeof(text), "\"name\":\"%s\"", name);
	rec = fixture_find(f, "check", 0, text, NULL);
	if (rec == NULL) {
		printf("# no check of %s\n", name);
		tape_schema_init(TAPE_KIND_CHECK, &f->rec.u.check);
		rec = &f->rec;
	}
	return &rec->u.check;
}

__attribute__((unused)) static bool
has_flag(const struct tape_summary *s, const char *flag)
{
	for (size_t i = 0; i < s->flags.n; i++)
		if (tape_str_is(s->flags.v[i], flag))
			return true;
	return false;
}

#endif
