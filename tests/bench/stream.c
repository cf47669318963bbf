/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream: megabytes of text a CPU second through stream_out and stream_in.
 *
 *	stream [MEBIBYTES]
 *
 * Lines are like those of wire records: times as deltas, short texts.  Prints
 * a line a level: text, ratio, MB/s written, MB/s read as lines.
 */
#include "base/buf.h"
#include "base/num.h"
#include "codec/stream_in.h"
#include "codec/stream_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINES 512 /* different ones */

static double
cpu_s(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void
die(const struct tape_err *err)
{
	(void)fprintf(stderr, "stream: %s\n", err->text);
	exit(4);
}

static uint32_t
draw(uint64_t *state, uint32_t below)
{
	*state =
	    *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963);
	return (uint32_t)((*state >> 33) % below);
}

static void
make_lines(struct tape_buf *b, size_t *ends)
{
	static const char *const words[] = { "the", "of", "stream", "token",
		"model", "answer", "time", "latency", "and", "server", "in",
		"measure", "be", "question", "is", "small" };
	uint64_t state = 7;

	for (size_t i = 0; i < LINES; i++) {
		(void)tape_buf_add_fmt(b,
		    "{\"kind\":\"exchange\",\"x\":%zu,\"reads\":{\"t_ns\":[",
		    i);
		for (int k = 0; k < 60; k++)
			(void)tape_buf_add_fmt(b, "%s%u", k > 0 ? "," : "",
			    19000000 + draw(&state, 2000000));
		(void)tape_buf_add_str(b, "]},\"body\":\"");
		for (int k = 0; k < 60; k++)
			(void)tape_buf_add_fmt(b,
			    "data: {\\\"id\\\":\\\"c-%zu\\\",\\\"delta\\\":"
			    "{\\\"content\\\":\\\" %s\\\"}}\\n\\n",
			    i, words[draw(&state, 16)]);
		(void)tape_buf_add_str(b, "\"}\n");
		ends[i] = b->len;
	}
}

static void
bench(int level, uint64_t want, const struct tape_buf *b, const size_t *ends)
{
	struct tape_out_opts opts = { .level = level,
		.frame_bytes = (size_t)4 << 20 };
	struct tape_err err = { 0 };
	struct tape_buf file;
	struct tape_out *out;
	struct tape_in *in;
	const char *line;
	size_t len, from = 0;
	uint64_t bytes = 0, lines = 0;
	double t0, t1, t2;
	enum tape_status st;

	tape_buf_init(&file, SIZE_MAX / 2);
	if (tape_buf_reserve(&file, want + want / 8) != TAPE_OK ||
	    tape_out_open_buf(&out, &file, &opts, &err) != TAPE_OK)
		die(&err);
	t0 = cpu_s();
	st = TAPE_OK;
	for (size_t i = 0; st == TAPE_OK && bytes < want; i++) {
		from = i % LINES == 0 ? 0 : ends[i % LINES - 1];
		len = ends[i % LINES] - from;
		st = tape_out_write(out, b->data + from, len, &err);
		bytes += len;
	}
	if (st != TAPE_OK || tape_out_close(out, &err) != TAPE_OK)
		die(&err);
	t1 = cpu_s();
	st = tape_in_open_mem(&in, file.data, file.len, "bench", &err);
	while (st == TAPE_OK) {
		st = tape_in_line(in, &line, &len, &err);
		lines++;
	}
	if (st != TAPE_EOF)
		die(&err);
	t2 = cpu_s();
	printf("level %d: %.0f MB, ratio %.2f, write %.0f MB/s, "
	       "read %.0f MB/s, %" PRIu64 " lines\n",
	    level, (double)bytes / 1e6, (double)bytes / (double)file.len,
	    (double)bytes / 1e6 / (t1 - t0), (double)bytes / 1e6 / (t2 - t1),
	    lines - 1);
	tape_in_free(in);
	tape_buf_release(&file);
}

int
main(int argc, char **argv)
{
	struct tape_err err = { 0 };
	struct tape_buf b;
	size_t ends[LINES];
	uint64_t mebibytes = 128;

	if (argc > 1 &&
	    tape_num_u64(argv[1], 1, 4096, &mebibytes, &err) != TAPE_OK)
		die(&err);
	tape_buf_init(&b, (size_t)64 << 20);
	make_lines(&b, ends);
	bench(0, mebibytes << 20, &b, ends);
	bench(1, mebibytes << 20, &b, ends);
	bench(3, mebibytes << 20, &b, ends);
	tape_buf_release(&b);
	return 0;
}
