/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other tools' results when memory is out, and when they are cut anywhere; what
   they come to is shown by tests/cli/metrics-reduce. */
#include "engine/import_result.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "engine/reduce_out.h"
#include "unit/tap.h"

#define FIXTURES "tests/fixtures/results/"
#define CUTS     400

static enum tape_status
no_header(void *arg, const struct tape_header *h, struct tape_strs chains,
    struct tape_err *err)
{
	uint64_t *n = arg;

	(void)h;
	(void)chains;
	(void)err;
	++*n;
	return TAPE_OK;
}

/* As CSV, into out; as metrics-reduce does it. */
static enum tape_status
import(const char *p, size_t len, struct tape_buf *dst, uint64_t *headers,
    struct tape_err *err)
{
	struct tape_reduce_opts opts = { .worst_by = TAPE_METRIC_LATENCY,
		.by = "concurrency",
		.header = no_header,
		.header_arg = headers };
	struct tape_import_to to = {
		.header = no_header, .arg = headers, .by = opts.by
	};
	struct tape_reduce_text text;
	struct tape_out *out = NULL;
	struct tape_in *in = NULL;
	enum tape_status st;

	tape_buf_clear(dst);
	tape_err_clear(err);
	st = tape_in_open_mem(&in, p, len, "result", err);
	if (st == TAPE_OK)
		st = tape_out_open_buf(&out, dst, NULL, err);
	tape_reduce_text_init(&text, out);
	to.sink = tape_reduce_to_csv(&text);
	if (st == TAPE_OK)
		st = tape_reduce_open(&to.reduce, &opts, &to.sink, err);
	if (st == TAPE_OK)
		st = tape_import_result(in, NULL, &to, err);
	tape_reduce_free(to.reduce);
	tape_reduce_text_release(&text);
	tape_out_abort(out);
	tape_in_free(in);
	return st;
}

static void
test_no_memory(const char *name, struct tape_str file)
{
	struct tape_err err = { 0 };
	struct tape_buf out;
	uint64_t headers = 0, n = 0;
	enum tape_status st;

	tape_buf_init(&out, 1 << 24);
	do {
		(void)tape_mem_fail_at(++n);
		st = import(file.p, file.len, &out, &headers, &err);
		(void)tape_mem_fail_at(0);
	} while (st == TAPE_E_NOMEM && n < 100000);
	is_int(st, TAPE_OK, "%s after %" PRIu64 " failing allocations %s", name,
	    n - 1, err.text);
	ok(n > 30 && headers > 0, "of which there are more than 30");
	tape_buf_release(&out);
}

/* Whatever is missing at the end, it is refused or read, never worse. */
static void
test_cut(const char *name, struct tape_str file)
{
	struct tape_err err = { 0 };
	struct tape_buf out;
	uint64_t headers = 0, odd = 0;

	tape_buf_init(&out, 1 << 24);
	for (size_t i = 0; i < CUTS; i++) {
		const size_t len = file.len * i / CUTS;
		/* A copy of that length, so that a read beyond it shows. */
		char *p = tape_mem_dup(file.p, len > 0 ? len : 1);
		const enum tape_status st =
		    import(p, len, &out, &headers, &err);

		odd += st != TAPE_OK && st != TAPE_E_FORMAT;
		tape_mem_free(p);
	}
	is_int((int64_t)odd, 0, "%s, cut at %d places", name, CUTS);
	tape_buf_release(&out);
}

int
main(void)
{
	static const char *const names[] = { "aiperf-0.13.0.jsonl",
		"aiperf-0.13.0-summary.json", "vllm-0.33.0-failed.json",
		"vllm-0.33.0.json", "guidellm-0.8.1-failed.json" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char path[128];
		struct tape_err err = { 0 };
		char *p = NULL;
		size_t len = 0;

		(void)snprintf(path, sizeof(path), FIXTURES "%s", names[i]);
		if (!ok(tape_fdio_slurp(path, 1 << 24, &p, &len, &err) ==
			    TAPE_OK,
			"read %s", path))
			continue;
		test_no_memory(names[i], tape_str_make(p, len));
		test_cut(names[i], tape_str_make(p, len));
		tape_mem_free(p);
	}
	return done_testing();
}
