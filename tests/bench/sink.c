/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sink: what the writer's thread costs.  The exchanges of a recorded wire
 * archive go through the sink again, so often, compressed into a file as ever.
 *
 *	sink KEEP REPEAT ARCHIVE OUTPUT
 *
 * One line of JSON: events, reads and bytes of them all, CPU time of the sink,
 * and what it wrote.  Making the pieces is not timed, freeing them is.
 */
#include "base/mem.h"
#include "base/num.h"
#include "engine/sink_write.h"
#include "record/reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64

/* An exchange without parts, as it was recorded. */
struct kept {
	struct tape_record rec;
	struct tape_buf line;
};

static struct tape_err err;
static struct kept *kept;
static size_t kept_n, kept_cap;
static struct tape_course course = { .run = 1,
	.api = "chat",
	.model = "m",
	.target = "http://127.0.0.1:8000/v1/chat/completions",
	.stream = true };
static int64_t events, reads, body_bytes;

static void
must(bool good)
{
	if (good)
		return;
	fprintf(stderr, "sink: %s\n", err.text);
	exit(1);
}

static void
keep(const struct tape_record *rec)
{
	struct kept *k;

	must(tape_mem_grow(
		 (void **)&kept, &kept_cap, kept_n + 1, sizeof(*kept)) == 0);
	k = &kept[kept_n++];
	memset(k, 0, sizeof(*k));
	tape_buf_init(&k->line, TAPE_CAP_LINE);
	tape_record_init(&k->rec);
	must(tape_buf_add(&k->line, rec->line.p, rec->line.len) == TAPE_OK);
	must(tape_record_decode(&k->rec, k->line.data, k->line.len, &err) ==
	     TAPE_OK);
}

static void
load(const char *path)
{
	struct tape_reader_opts ro = { .formats = TAPE_FORMAT_WIRE };
	struct tape_reader *r;
	struct tape_record rec;

	must(tape_reader_open(&r, &path, 1, &ro, &err) == TAPE_OK);
	tape_record_init(&rec);
	while (tape_reader_next(r, &rec, &err) == TAPE_OK)
		if (rec.kind == TAPE_KIND_EXCHANGE &&
		    rec.u.exchange.parts == TAPE_ABSENT_I64)
			keep(&rec);
	must(err.status == TAPE_OK && kept_n > 0);
	tape_record_release(&rec);
	tape_reader_free(r);
}

static void
add_read(
    struct tape_flight *f, const struct tape_exchange *e, size_t i, size_t *at)
{
	const struct tape_http_read r = { .t_ns =
					      f->start_ns + e->reads.t_ns.v[i],
		.lag_ns = e->reads.lag_ns.n > 0 ? e->reads.lag_ns.v[i] : -1,
		.data = e->body.p + *at,
		.len = (size_t)e->reads.bytes.v[i],
		.first = true };

	tape_flight_read(f, &r);
	*at += r.len;
}

static struct tape_piece *
make(const struct tape_exchange *e, int64_t x)
{
	const struct tape_request req = { .id = e->t.id,
		.labels = e->t.labels,
		.turn = TAPE_ABSENT_I64,
		.output_tokens = e->t.req.output_tokens,
		.input_tokens = e->t.req.input_tokens };
	const struct tape_http_result done = { .status = 200,
		.conn_ns = e->t.conn_ns,
		.sent_ns = e->t.sent_ns,
		.head_ns = e->t.head_ns,
		.head_lag_ns = -1,
		.end_ns = e->t.end_ns,
		.dns_ns = -1,
		.connect_ns = -1,
		.tls_ns = -1 };
	struct tape_flight *f;
	size_t at = 0;

	must(tape_flight_open(&f, &course, &req, &err) == TAPE_OK);
	f->x = x;
	f->start_ns = e->t.start_ns;
	f->turn.due_ns = e->t.due_ns;
	f->turn.could_ns = TAPE_ABSENT_I64;
	f->measured = true;
	tape_flight_header(f, "content-type", 12, "text/event-stream", 17);
	for (size_t i = 0; i < e->reads.bytes.n; i++)
		add_read(f, e, i, &at);
	tape_flight_finish(f, &done);
	reads += (int64_t)e->reads.bytes.n;
	body_bytes += (int64_t)at;
	for (const char *p = e->body.p; (p = strstr(p, "\n\n")) != NULL; p += 2)
		events++;
	return tape_flight_last(f);
}

static double
cpu_s(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static enum tape_keep
keep_of(const char *name)
{
	for (int k = TAPE_KEEP_RAW; k < TAPE_KEEP_TIMES; k++)
		if (strcmp(name, tape_keep_name((enum tape_keep)k)) == 0)
			return (enum tape_keep)k;
	return TAPE_KEEP_TIMES;
}

static double
run(struct tape_sink *sink, uint64_t repeat)
{
	double cpu = 0, begin;
	int64_t x = 0;
	size_t n = kept_n * (size_t)repeat;

	for (size_t i = 0; i < n;) {
		size_t m = 0;

		for (; m < BATCH && i < n; m++, i++, x++)
			tape_sink_piece(sink,
			    make(&kept[i % kept_n].rec.u.exchange, x), NULL);
		begin = cpu_s();
		while (m-- > 0)
			(void)tape_sink_step(sink, 0);
		cpu += cpu_s() - begin;
	}
	return cpu;
}

int
main(int argc, char **argv)
{
	struct tape_out_opts oo = {
		.level = 1, .frame_bytes = (size_t)4 << 20, .index = true
	};
	struct tape_sink_opts so = { .queue_bytes = (size_t)4 << 30 };
	struct tape_header h;
	struct tape_out *out = NULL;
	struct tape_writer *w;
	struct tape_sink *sink;
	uint64_t repeat = 0;
	double cpu;
	int fd;

	if (argc != 5 ||
	    tape_num_u64(argv[2], 1, 1000000, &repeat, &err) != TAPE_OK) {
		fprintf(stderr, "usage: sink KEEP REPEAT ARCHIVE OUTPUT\n");
		return 2;
	}
	load(argv[3]);
	so.keep = keep_of(argv[1]);
	fd = open(argv[4], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	must(fd >= 0 &&
	     tape_out_open_fd(&out, fd, argv[4], &oo, &err) == TAPE_OK);
	must(tape_writer_open(&w, out,
		 so.keep == TAPE_KEEP_EVENTS ? TAPE_FORMAT_EVENTS
					     : TAPE_FORMAT_WIRE,
		 &err) == TAPE_OK);
	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of("2026-03-01T12:00:00.000000000Z");
	h.epoch_mono = tape_str_of("0.000000000");
	h.run_id = tape_str_of("bench");
	h.prov = tape_str_of("[]");
	must(tape_writer_header(w, &h, &err) == TAPE_OK);
	so.writer = w;
	must(tape_sink_open(&sink, &so, &err) == TAPE_OK);
	cpu = run(sink, repeat);
	must(tape_sink_close(sink, &err) == TAPE_OK);
	must(tape_writer_end(w, TAPE_ENDING_COMPLETE, &err) == TAPE_OK);
	printf("{\"keep\":\"%s\",\"events\":%" PRId64 ",\"reads\":%" PRId64
	       ",\"body_bytes\":%" PRId64 ",\"cpu_s\":%.3f,"
	       "\"events_per_cpu_s\":%.0f,\"us_per_event\":%.3f,"
	       "\"bytes\":%" PRIu64 ",\"bytes_per_event\":%.2f,"
	       "\"text_bytes_per_event\":%.1f}\n",
	    argv[1], events, reads, body_bytes, cpu, (double)events / cpu,
	    cpu / (double)events * 1e6, tape_writer_bytes(w),
	    (double)tape_writer_bytes(w) / (double)events,
	    (double)tape_writer_text_bytes(w) / (double)events);
	must(tape_writer_close(w, &err) == TAPE_OK);
	return 0;
}
