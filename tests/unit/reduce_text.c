/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Table, JSON and CSV: what tests/cli/metrics-reduce cannot make happen. */
#include "unit/reduce_fixture.h"

#include "base/mem.h"

enum format { TABLE, JSON, CSV };

static const char *const names[] = { "table", "JSON", "CSV" };

/* As metrics-reduce does it. */
static enum tape_status
reduce_to(struct fixture *f, enum format format)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_EVENTS };
	struct tape_reduce_text text;
	struct tape_reduce_sink sink;
	struct tape_reader *reader = NULL;
	struct tape_out *out = NULL;
	struct tape_err late = { 0 };
	enum tape_status st, closed = TAPE_OK;

	tape_buf_clear(&f->out);
	tape_err_clear(&f->err);
	st = tape_reader_open_mem(
	    &reader, f->in.data, f->in.len, &opts, &f->err);
	if (st == TAPE_OK)
		st = tape_out_open_buf(&out, &f->out, NULL, &f->err);
	tape_reduce_text_init(&text, out);
	text.worst_by = "latency";
	sink = format == TABLE  ? tape_reduce_to_table(&text)
	       : format == JSON ? tape_reduce_to_json(&text)
				: tape_reduce_to_csv(&text);
	if (st == TAPE_OK) {
		st = fixture_feed(f, reader, &sink);
		if (format == JSON)
			closed = tape_reduce_json_finish(&text, &late);
	}
	if (st == TAPE_OK)
		st = closed;
	tape_reduce_text_release(&text);
	tape_reader_free(reader);
	if (st == TAPE_OK || st == TAPE_E_TRUNC) {
		closed = tape_out_close(out, &f->err);
		st = closed == TAPE_OK ? st : closed;
	} else {
		tape_out_abort(out);
	}
	return st;
}

static void
fill(struct fixture *f)
{
	fixture_open(f);
	f->opts.by = "isl";
	f->opts.worst = 2;
	fixture_begin(f, "r");
	fixture_start_run(f, 1, 3, ",\"targets\":[\"http://x\"]");
	fixture_request(f, "a", 0, 100, 200, ",\"labels\":{\"isl\":1}");
	fixture_request(f, "b", 0, 100, 250, ",\"labels\":{\"isl\":2}");
	fixture_request(f, "c", 0, 0, 0, ",\"error\":{\"class\":\"reset\"}");
}

static void
test_no_memory(enum format format)
{
	struct fixture f;
	enum tape_status st;
	uint64_t n = 0;

	fill(&f);
	fixture_end_run(&f, 1);
	fixture_end(&f, "complete");
	do {
		(void)tape_mem_fail_at(++n);
		st = reduce_to(&f, format);
		(void)tape_mem_fail_at(0);
	} while (st == TAPE_E_NOMEM && n < 10000);
	is_int(st, TAPE_OK, "%s after %" PRIu64 " failing allocations %s",
	    names[format], n - 1, f.err.text);
	ok(n > 50, "%s: it makes more than 50", names[format]);
	ok(f.out.len > 1000, "%s: and is whole then", names[format]);
	fixture_close(&f);
}

/* What breaks off is still one document. */
static void
test_json_cut(void)
{
	struct fixture f;
	struct tape_json json;
	struct tape_json_token tok;
	enum tape_status st;

	fill(&f);
	is_int(reduce_to(&f, JSON), TAPE_E_TRUNC, "an input that is cut");
	tape_json_init(&json);
	tape_json_open(&json, f.out.data, f.out.len, TAPE_JSON_OURS);
	do
		st = tape_json_next(&json, &tok, &f.err);
	while (st == TAPE_OK && tok.type != TAPE_JSON_END);
	is_int(st, TAPE_OK, "is JSON");
	ok(strstr(f.out.data, "\"status\":\"failed\"") != NULL,
	    "and says that it failed");
	tape_json_release(&json);

	tape_buf_clear(&f.in);
	fixture_begin(&f, "r");
	fixture_end(&f, "complete");
	is_int(reduce_to(&f, JSON), TAPE_OK, "no run at all");
	is_str(f.out.data,
	    "{\"tool\":\"metrics-reduce\",\"segments\":[{\"run_id\":\"r\","
	    "\"epoch\":\"2026-03-01T12:00:00.000000000Z\",\"runs\":[],"
	    "\"status\":\"complete\"}]}\n",
	    "is a document, too");
	fixture_close(&f);
}

int
main(void)
{
	for (int i = TABLE; i <= CSV; i++)
		test_no_memory((enum format)i);
	test_json_cut();
	return done_testing();
}
