/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp: writes a wire stream for stamp.sh: EXCHANGES answers of EVENTS events
 * each, PER_READ of them in a read, in parts of 64 KiB where an answer is
 * longer.  Plain text on standard output.
 *
 *	stamp EXCHANGES EVENTS PER_READ
 */
#include "base/num.h"
#include "codec/stream_out.h"
#include "record/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PART_BYTES ((size_t)64 << 10)

static const char *const words[] = { " the", " answer", " is", ",", " of",
	" course", " forty", "-two", ".", " \\\"so\\\"", " it", " goes" };

static struct tape_err err;
static struct tape_writer *writer;
static struct tape_buf body;
static int64_t t_ns[1 << 20], lag_ns[1 << 20], bytes[1 << 20];
static size_t reads;

static void
check(enum tape_status st)
{
	if (st == TAPE_OK)
		return;
	fprintf(stderr, "stamp: %s\n", err.text);
	exit(1);
}

static void
begin(void)
{
	struct tape_out *out;
	struct tape_header h;

	check(tape_out_open_fd(&out, STDOUT_FILENO, "output", NULL, &err));
	check(tape_writer_open(&writer, out, TAPE_FORMAT_WIRE, &err));
	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of("2026-03-01T12:00:00.000000000Z");
	h.epoch_mono = tape_str_of("100.000000000");
	h.run_id = tape_str_of("bench");
	h.prov = tape_str_of("[]");
	check(tape_writer_header(writer, &h, &err));
}

static void
put(enum tape_kind kind, int64_t x, int64_t seq)
{
	struct tape_exchange e;

	tape_schema_init(kind, &e);
	e.t.x = x;
	e.t.run = 1;
	e.t.id = tape_str_of("r-0123456");
	e.t.attempt = 1;
	e.t.stage = tape_str_of("measure");
	e.t.api = tape_str_of("chat");
	e.t.stream = 1;
	e.t.model = tape_str_of("Qwen/Qwen3-8B");
	e.t.target = tape_str_of("http://127.0.0.1:8000/v1/chat/completions");
	e.t.due_ns = e.t.start_ns = x * 1000000;
	e.t.end_ns = e.t.start_ns + 1000000000;
	e.t.status = 200;
	e.t.headers = tape_str_of("[[\"content-type\",\"text/event-stream\"],"
				  "[\"server\",\"uvicorn\"]]");
	if (kind == TAPE_KIND_PART)
		e.seq = seq;
	else if (seq > 0)
		e.parts = seq;
	e.reads.t_ns.v = t_ns;
	e.reads.lag_ns.v = lag_ns;
	e.reads.bytes.v = bytes;
	e.reads.t_ns.n = e.reads.lag_ns.n = e.reads.bytes.n = reads;
	e.body = tape_str_make(body.data, body.len);
	check(tape_writer_put(writer, kind, &e, &err));
	tape_buf_clear(&body);
	reads = 0;
}

static void
exchange(int64_t x, int64_t events, int64_t per_read)
{
	int64_t seq = 0, now_ns = 30000000;
	size_t read_at = 0;

	for (int64_t i = 0; i < events + 3; i++) {
		(void)tape_buf_add_fmt(&body,
		    "data: {\"id\":\"chatcmpl-%016llx\",\"object\":"
		    "\"chat.completion.chunk\",\"created\":1716000000,"
		    "\"model\":\"Qwen/Qwen3-8B\",\"choices\":",
		    (unsigned long long)x);
		if (i < events)
			(void)tape_buf_add_fmt(&body,
			    "[{\"index\":0,\"delta\":{\"content\":\"%s\"},"
			    "\"logprobs\":null,\"finish_reason\":null}]}\n\n",
			    words[(size_t)(x * 7 + i) % 12]);
		else if (i == events)
			(void)tape_buf_add_str(&body,
			    "[{\"index\":0,\"delta\":{},\"logprobs\":null,"
			    "\"finish_reason\":\"length\"}]}\n\n");
		else if (i == events + 1)
			(void)tape_buf_add_fmt(&body,
			    "[],\"usage\":{\"prompt_tokens\":512,"
			    "\"completion_tokens\":%" PRId64
			    ",\"total_tokens\":%" PRId64 "}}"
			    "\n\n",
			    events, events + 512);
		else
			(void)tape_buf_add_str(
			    &body, "[]}\n\ndata: [DONE]\n\n");
		if (i % per_read < per_read - 1 && i < events + 2)
			continue;
		now_ns += 20000000 + (i * 7919 + x * 104729) % 400000;
		t_ns[reads] = now_ns;
		lag_ns[reads] = 5000 + (i * 31) % 3000;
		bytes[reads++] = (int64_t)(body.len - read_at);
		read_at = body.len;
		if (body.len >= PART_BYTES && i < events + 2) {
			put(TAPE_KIND_PART, x, seq++);
			read_at = 0;
		}
	}
	put(TAPE_KIND_EXCHANGE, x, seq);
}

int
main(int argc, char **argv)
{
	int64_t exchanges, events, per_read;

	if (argc != 4)
		return 2;
	check(tape_num_i64(argv[1], 1, 1000000, &exchanges, &err));
	check(tape_num_i64(argv[2], 1, 1000000, &events, &err));
	check(tape_num_i64(argv[3], 1, 1000000, &per_read, &err));
	tape_buf_init(&body, TAPE_CAP_LINE);
	begin();
	for (int64_t x = 1; x <= exchanges; x++)
		exchange(x, events, per_read);
	check(tape_writer_end(writer, TAPE_ENDING_COMPLETE, &err));
	check(tape_writer_close(writer, &err));
	tape_buf_release(&body);
	return 0;
}
