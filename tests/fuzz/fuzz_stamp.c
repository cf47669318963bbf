/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_stamp: any bytes as the body of an exchange.  Whole and in parts it must
 * give the same response, and one that can be written.  The first byte says how
 * long reads are, the second how many make a part and the content encoding, the
 * third the content type and, where that is JSON, the framing of the dialect, and
 * whether the status is a success.
 */
#include "engine/stamp_flow.h"
#include "record/coding.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define READS 4096

static int64_t t_ns[READS], lag_ns[READS], bytes[READS];

static void
must(bool cond)
{
	if (!cond)
		abort();
}

/* The reads from one to another as a record. */
static void
fill(struct tape_exchange *x, const char *body, size_t from, size_t to)
{
	size_t begin = 0, n = 0;

	for (size_t i = 0; i < from; i++)
		begin += (size_t)bytes[i];
	for (size_t i = from; i < to; i++)
		n += (size_t)bytes[i];
	x->body = tape_str_make(body + begin, n);
	x->reads.t_ns = (struct tape_i64s){ t_ns + from, to - from };
	x->reads.lag_ns = (struct tape_i64s){ lag_ns + from, to - from };
	x->reads.bytes = (struct tape_i64s){ bytes + from, to - from };
}

static void
respond(
    struct tape_flow *f, const struct tape_transfer *t, struct tape_buf *out)
{
	struct tape_response r;
	struct tape_err err = { 0 };

	tape_schema_init(TAPE_KIND_RESPONSE, &r);
	r.t = *t;
	must(tape_flow_finish(f, &r, &err) == TAPE_OK);
	must(tape_record_encode(TAPE_KIND_RESPONSE, &r, out, &err) == TAPE_OK);
}

static void
run(struct tape_exchange *x, const struct tape_flow_about *about,
    const char *body, size_t reads, size_t per_part, struct tape_buf *out)
{
	struct tape_flow f;
	struct tape_buf scratch;
	struct tape_err err = { 0 };
	size_t to;

	tape_flow_init(&f, true);
	tape_buf_init(&scratch, TAPE_CAP_LINE);
	must(tape_flow_begin(&f, &x->t, about, &err) == TAPE_OK);
	for (size_t from = 0; from < reads || from == 0; from = to) {
		to = reads - from > per_part ? from + per_part : reads;
		fill(x, body, from, to);
		if (about->bare)
			x->body = tape_str_make(NULL, 0);
		must(tape_flow_feed(&f, x, &scratch, to == reads, &err) ==
		     TAPE_OK);
		if (to == reads)
			break;
	}
	respond(&f, &x->t, out);
	tape_buf_release(&scratch);
	tape_flow_release(&f);
}

static struct tape_record rec; /* reads back what was written */

/* Whole and in parts it gives the same, which can be read. */
static void
compare(struct tape_exchange *x, const struct tape_flow_about *about,
    const char *body, size_t reads, size_t per_part)
{
	struct tape_buf whole, parts;
	struct tape_err err = { 0 };

	tape_buf_init(&whole, TAPE_CAP_LINE);
	tape_buf_init(&parts, TAPE_CAP_LINE);
	run(x, about, body, reads, READS, &whole);
	run(x, about, body, reads, per_part, &parts);
	must(whole.len == parts.len &&
	     memcmp(whole.data, parts.data, whole.len) == 0);
	tape_record_init(&rec);
	must(tape_record_decode(&rec, whole.data, whole.len, &err) == TAPE_OK);
	if (about->bare)
		must(rec.u.response.events.t_ns.n == reads);
	tape_record_release(&rec);
	tape_buf_release(&whole);
	tape_buf_release(&parts);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const types[] = { "text/event-stream",
		"application/json", "text/html", "", "text/event-stream",
		"application/json", "text/html", "", "application/x-ndjson",
		"application/x-ndjson", "application/vnd.amazon.eventstream",
		"application/vnd.amazon.eventstream", "application/json",
		"application/json", "", "" };
	struct tape_api api = *tape_api_at(0);
	static const char *const encodings[] = { "identity", "gzip", "deflate",
		"zstd" };
	char headers[128];
	struct tape_exchange x;
	struct tape_stamp_step span = { 1, 7 };
	const struct tape_stamp_steps steps = { &span, 1, 1, 0 };
	const struct tape_flow_about about = { .api = &api, .steps = &steps };
	const struct tape_flow_about bare = { .bare = true };
	size_t reads = 0, left, step;

	if (size < 3)
		return 0;
	(void)snprintf(headers, sizeof(headers),
	    "[[\"content-type\",\"%s\"],[\"content-encoding\",\"%s\"]]",
	    types[data[2] % 16], encodings[data[1] / 64]);
	if (data[2] % 16 > 11)
		api.framing =
		    data[2] % 2 == 0 ? TAPE_FRAMING_ARRAY : TAPE_FRAMING_NDJSON;
	left = size - 3;
	step = (size_t)data[0] + 1 + left / (READS - 1);
	for (; left > 0; reads++) {
		bytes[reads] = (int64_t)(left < step ? left : step);
		t_ns[reads] = (int64_t)reads / 2;
		lag_ns[reads] = (int64_t)reads % 3 - 1;
		left -= (size_t)bytes[reads];
	}
	tape_schema_init(TAPE_KIND_EXCHANGE, &x);
	x.t.x = x.t.run = x.t.attempt = 1;
	x.t.id = tape_str_of("q");
	x.t.start_ns = 0;
	x.t.status = data[2] & 16 ? 503 : 200;
	x.t.stream = 1;
	x.t.headers = tape_str_of(headers);
	compare(&x, &about, (const char *)data + 3, reads,
	    (size_t)data[1] % 64 + 1);
	compare(
	    &x, &bare, (const char *)data + 3, reads, (size_t)data[1] % 64 + 1);
	return 0;
}
