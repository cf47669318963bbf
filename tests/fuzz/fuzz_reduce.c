/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_reduce: any bytes as a stream of events, reduced in every format.  It
 * must not be a bug; a stream must be readable again, JSON must be JSON, and
 * no control character of the input may reach a table.
 */
#include "engine/reduce_out.h"

#include <stdlib.h>

#define CAP ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum format { STREAM, TABLE, JSON, CSV, FORMATS };

static void
require(bool what)
{
	if (!what)
		abort();
}

static enum tape_status
header(void *arg, const struct tape_header *h, struct tape_err *err)
{
	return tape_writer_header(arg, h, err);
}

/* Reduces all of the input, as far as it goes. */
static void
feed(const uint8_t *data, size_t size, const struct tape_reduce_sink *sink)
{
	struct tape_reader_opts in = { .formats = TAPE_FORMAT_EVENTS };
	struct tape_reduce_opts opts = {
		.from = (enum tape_measure_from)(size % 3),
		.user_clock = size % 2 == 0,
		.slo = { 1, { { TAPE_METRIC_GAP, 20000000 } } },
		.by = "isl,arm",
		.worst = 2,
		.worst_by = TAPE_METRIC_LATENCY,
	};
	struct tape_err err = { 0 }, late = { 0 };
	struct tape_reduce *reduce;
	struct tape_reader *reader;
	struct tape_record rec;
	enum tape_status st;

	require(tape_reduce_open(&reduce, &opts, sink, &err) == TAPE_OK);
	require(
	    tape_reader_open_mem(&reader, data, size, &in, &err) == TAPE_OK);
	tape_record_init(&rec);
	do {
		st = tape_reader_next(reader, &rec, &err);
		if (st == TAPE_OK)
			st = tape_reduce_record(reduce, &rec, &err);
	} while (st == TAPE_OK);
	require(st != TAPE_E_BUG);
	if (st != TAPE_EOF)
		require(tape_reduce_cut(reduce, &late) != TAPE_E_BUG);
	tape_record_release(&rec);
	tape_reader_free(reader);
	tape_reduce_free(reduce);
}

static void
check_stream(const struct tape_buf *out)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_METRICS };
	struct tape_err err = { 0 };
	struct tape_reader *reader;
	struct tape_record rec;
	enum tape_status st;

	if (out->len == 0)
		return;
	require(tape_reader_open_mem(
		    &reader, out->data, out->len, &opts, &err) == TAPE_OK);
	tape_record_init(&rec);
	do
		st = tape_reader_next(reader, &rec, &err);
	while (st == TAPE_OK);
	require(st == TAPE_EOF);
	tape_record_release(&rec);
	tape_reader_free(reader);
}

static void
check_json(const struct tape_buf *out)
{
	struct tape_json json;
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_init(&json);
	tape_json_open(&json, out->data, out->len, TAPE_JSON_OURS);
	do
		st = tape_json_next(&json, &tok, NULL);
	while (st == TAPE_OK && tok.type != TAPE_JSON_END);
	/* Our readers' limits do not bind a document of many records. */
	require(st == TAPE_OK || st == TAPE_E_LIMIT);
	tape_json_release(&json);
}

static void
check_table(const struct tape_buf *out)
{
	for (size_t i = 0; i < out->len; i++) {
		const unsigned char c = (unsigned char)out->data[i];

		require(c == '\n' || (c >= 0x20 && c != 0x7f));
	}
}

static void
as_stream(const uint8_t *data, size_t size, struct tape_buf *out)
{
	struct tape_err err = { 0 };
	struct tape_reduce_sink sink;
	struct tape_writer *w;
	struct tape_out *o;

	require(tape_out_open_buf(&o, out, NULL, &err) == TAPE_OK);
	require(tape_writer_open(&w, o, TAPE_FORMAT_METRICS, &err) == TAPE_OK);
	sink = tape_reduce_to_stream(w);
	sink.begin = header;
	feed(data, size, &sink);
	require(!tape_writer_open_segment(w));
	require(tape_writer_close(w, &err) == TAPE_OK);
	check_stream(out);
}

static void
as_text(enum format f, const uint8_t *data, size_t size, struct tape_buf *out)
{
	struct tape_err err = { 0 };
	struct tape_reduce_text text;
	struct tape_reduce_sink sink;
	struct tape_out *o;

	require(tape_out_open_buf(&o, out, NULL, &err) == TAPE_OK);
	tape_reduce_text_init(&text, o);
	text.worst_by = "latency";
	text.wide = size % 2 == 1;
	if (f == TABLE)
		sink = tape_reduce_to_table(&text);
	else if (f == JSON)
		sink = tape_reduce_to_json(&text);
	else
		sink = tape_reduce_to_csv(&text);
	feed(data, size, &sink);
	if (f == JSON)
		require(tape_reduce_json_finish(&text, &err) == TAPE_OK);
	require(tape_out_close(o, &err) == TAPE_OK);
	tape_reduce_text_release(&text);
	if (f == JSON)
		check_json(out);
	if (f == TABLE)
		check_table(out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tape_buf out;

	for (int f = 0; f < FORMATS; f++) {
		tape_buf_init(&out, CAP);
		if (f == STREAM)
			as_stream(data, size, &out);
		else
			as_text((enum format)f, data, size, &out);
		tape_buf_release(&out);
	}
	return 0;
}
