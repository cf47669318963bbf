/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs in the top directory: reads tests/fixtures. */
#include "record/reader.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "codec/stream_in.h"
#include "unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define ANY (~0U)

#define HEADER(version)                                                        \
 "{\"kind\":\"header\",\"format\":\"llmtape.wire\",\"version\":\"" version     \
 "\",\"epoch\":\"2026-03-01T12:00:00.000000000Z\","                            \
 "\"epoch_mono\":\"1.000000000\",\"run_id\":\"r\",\"prov\":[]}\n"
#define CLOCK "{\"kind\":\"clock\",\"t_ns\":1,\"offset_ns\":5}\n"
#define END(n, status)                                                         \
 "{\"kind\":\"end\",\"records\":" n ",\"status\":\"" status "\"}\n"

/* All of an input: a letter a record, what was warned of, how it ended. */
struct all {
	char kinds[256];
	size_t n;
	struct tape_buf lines;
	char warnings[1024];
	int warned;
	enum tape_status st;
	enum tape_ending ending;
	struct tape_err err;
	char text[512]; /* of err */
};

static void
keep_warning(void *arg, const char *text)
{
	struct all *a = arg;

	a->warned++;
	(void)snprintf(a->warnings, sizeof(a->warnings), "%s", text);
}

static struct tape_reader_opts
options(struct all *a, unsigned formats, bool allow_truncated)
{
	struct tape_reader_opts opts = { .formats = formats,
		.allow_truncated = allow_truncated,
		.warn = keep_warning,
		.arg = a };

	memset(a, 0, sizeof(*a));
	tape_buf_init(&a->lines, (size_t)1 << 20);
	return opts;
}

static void
drain(struct all *a, struct tape_reader *r)
{
	struct tape_record rec;

	tape_record_init(&rec);
	while ((a->st = tape_reader_next(r, &rec, &a->err)) == TAPE_OK) {
		a->kinds[a->n++] = rec.kind == TAPE_KIND_HEADER ? 'h'
				   : rec.kind == TAPE_KIND_END  ? 'e'
								: '.';
		(void)tape_buf_add(&a->lines, rec.line.p, rec.line.len);
		(void)tape_buf_add_char(&a->lines, '\n');
	}
	a->ending = tape_reader_ending(r);
	(void)tape_err_format(&a->err, a->text, sizeof(a->text));
	tape_record_release(&rec);
}

static void
read_text(struct all *a, const char *text, bool allow_truncated)
{
	struct tape_reader_opts opts = options(a, ANY, allow_truncated);
	struct tape_reader *r;

	if (tape_reader_open_mem(&r, text, strlen(text), &opts, &a->err) !=
	    TAPE_OK)
		abort();
	drain(a, r);
	tape_reader_free(r);
	tape_buf_release(&a->lines);
}

static void
read_paths(struct all *a, const char *const *paths, size_t n, unsigned formats,
    bool allow_truncated)
{
	struct tape_reader_opts opts = options(a, formats, allow_truncated);
	struct tape_reader *r;

	a->st = tape_reader_open(&r, paths, n, &opts, &a->err);
	if (a->st == TAPE_OK)
		drain(a, r);
	else
		(void)tape_err_format(&a->err, a->text, sizeof(a->text));
	tape_reader_free(r);
}

/* Every way to be wrong, with the exact words. */
#define F TAPE_E_FORMAT
#define T TAPE_E_TRUNC
static const struct {
	const char *name;
	unsigned formats;
	enum tape_status st;
	const char *kinds; /* delivered before */
	const char *text;  /* ":line: text" behind the name */
} bad[] = {
	{ "empty.jsonl", ANY, F, "", ": empty input" },
	{ "not-json.txt", ANY, F, "",
	    ":1: not a llmtape stream: \"Hello, world; this is no tape at...\" "
	    "where a header should be" },
	{ "not-ours.jsonl", ANY, F, "",
	    ":1: not a llmtape stream: \"{\"id\":\"chatcmpl-1\"}\" where a "
	    "header should be" },
	{ "blank-first.jsonl", ANY, F, "",
	    ":1: not a llmtape stream: an empty line where a header should "
	    "be" },
	{ "no-header.jsonl", ANY, F, "",
	    ":1: not a llmtape stream: \"{\"kind\":\"clock\",\"t_ns\":1,"
	    "\"offset...\" where a header should be" },
	{ "binary.bin", ANY, F, "",
	    ":1: not a llmtape stream: \"\\x7fELF\\x02\\x01\\x01\\x00\\xff"
	    "\\xfe\" where a header should be" },
	{ "key-order.jsonl", ANY, F, "",
	    ":1: not a llmtape stream: \"{\"kind\":\"header\",\"version\":"
	    "\"1.0\"...\" where a header should be" },
	{ "wrong-kind-trace.jsonl", TAPE_FORMAT_WIRE, F, "",
	    ":1: this is a llmtape.trace stream; pipe it through trace-replay "
	    "first" },
	{ "wrong-kind-trace.jsonl", TAPE_FORMAT_EVENTS | TAPE_FORMAT_METRICS, F,
	    "",
	    ":1: this is a llmtape.trace stream; pipe it through trace-replay "
	    "| sse-timestamp first" },
	{ "wrong-kind-trace.jsonl", TAPE_FORMAT_REPORT, F, "",
	    ":1: this is a llmtape.trace stream; pipe it through trace-replay "
	    "| sse-timestamp | metrics-reduce | ab-compare first" },
	{ "wrong-kind-metrics.jsonl", TAPE_FORMAT_WIRE | TAPE_FORMAT_EVENTS, F,
	    "",
	    ":1: this is a llmtape.metrics stream, not the llmtape.wire stream "
	    "that trace-replay makes" },
	{ "unknown-format.jsonl", ANY, F, "",
	    ":1: unknown stream format \"llmtape.video\"" },
	{ "major-2.jsonl", ANY, TAPE_E_VERSION, "",
	    ":1: stream has version 2.0; this build reads 1.x" },
	{ "bad-version.jsonl", ANY, F, "",
	    ":1: header has version \"one\", which is none" },
	{ "bad-epoch.jsonl", ANY, F, "",
	    ":1: \"epoch\" is not a time of the form "
	    "2026-03-01T12:00:00.000000000Z" },
	{ "bad-epoch-mono.jsonl", ANY, F, "",
	    ":1: \"epoch_mono\" is not a time of the form 12345.000000000" },
	{ "no-prov.jsonl", ANY, F, "", ":1: header record lacks \"prov\"" },
	{ "truncated-plain.jsonl", ANY, T, "h..",
	    ":3: input stops before its end record" },
	{ "truncated-line.jsonl", ANY, T, "h.",
	    ":3: input stops before its end record" },
	{ "truncated-gap.zst", ANY, T, "h..",
	    ":3: input stops before its end record" },
	{ "truncated-frame.zst", ANY, T, "h..",
	    ":4: compressed data stops inside a frame" },
	{ "truncated-header.zst", ANY, T, "",
	    ":1: compressed data stops inside a frame" },
	{ "truncated-join.jsonl", ANY, T, "h.",
	    ":3: segment stops before its end record" },
	{ "count.jsonl", ANY, T, "h..",
	    ":4: end record counts 3 records, but 2 were read" },
	{ "bad-checksum.zst", ANY, F, "h.e",
	    ":4: compressed data fails its checksum" },
	{ "damaged.zst", ANY, F, "h",
	    ":2: compressed data is damaged: Data corruption detected" },
	{ "status.jsonl", ANY, F, "h.",
	    ":3: end record has unknown status \"done\"" },
	{ "unknown-kind.jsonl", ANY, F, "h",
	    ":2: unknown kind of record \"spam\" in a llmtape.wire stream of "
	    "version 1.0" },
	{ "foreign-kind.jsonl", ANY, F, "h",
	    ":2: request record in a llmtape.wire stream" },
	{ "malformed.jsonl", ANY, F, "h.",
	    ":3: bad JSON at byte 23: not a value" },
	{ "not-an-integer.jsonl", ANY, F, "h",
	    ":2: \"t_ns\" is not of type integer" },
	{ "null.jsonl", ANY, F, "h",
	    ":2: \"offset_ns\" is not of type integer" },
	{ "infinite.jsonl", ANY, F, "h",
	    ":2: bad JSON at byte 63: number too large" },
	{ "duplicate-key.jsonl", ANY, F, "h",
	    ":2: bad JSON at byte 25: key twice in one object" },
	{ "missing-field.jsonl", ANY, F, "h",
	    ":2: clock record lacks \"offset_ns\"" },
	{ "bad-utf8.jsonl", ANY, F, "h", ":2: bad JSON at byte 36: bad UTF-8" },
	{ "blank-line.jsonl", ANY, F, "h",
	    ":2: bad JSON at byte 0: text ends too early" },
	{ "after-end.jsonl", ANY, F, "h.e",
	    ":4: not a llmtape stream: \"{\"kind\":\"clock\",\"t_ns\":2,"
	    "\"offset...\" where a header should be" },
};

static void
test_bad(void)
{
	struct all a;
	char path[128], want[512];
	const char *paths[] = { path };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)snprintf(
		    path, sizeof(path), "tests/fixtures/bad/%s", bad[i].name);
		(void)snprintf(want, sizeof(want), "%s%s", path, bad[i].text);
		read_paths(&a, paths, 1, bad[i].formats, false);
		is_int(a.st, bad[i].st, "%s is refused", bad[i].name);
		is_str(a.kinds, bad[i].kinds, "after what was good");
		is_str(a.text, want, "in words");
		tape_buf_release(&a.lines);
		if (bad[i].st != T || bad[i].kinds[0] == '\0')
			continue;
		is_int(a.ending, TAPE_ENDING_FAILED, "it failed");
		read_paths(&a, paths, 1, bad[i].formats, true);
		is_int(a.st, TAPE_EOF, "%s can be allowed", bad[i].name);
		ok(strncmp(a.kinds, bad[i].kinds, strlen(bad[i].kinds)) == 0 &&
			a.kinds[a.n - 1] == 'e',
		    "with an end record");
		is_int(a.warned, 1, "and a warning");
		is_str(a.warnings, want, "in the same words");
		is_int(a.ending, TAPE_ENDING_FAILED, "it failed all the same");
		tape_buf_release(&a.lines);
	}
}

static void
test_made_end(void)
{
	static const char *const one[] = {
		"tests/fixtures/bad/truncated-frame.zst"
	};
	static const char *const two[] = {
		"tests/fixtures/bad/truncated-join.jsonl",
		"tests/fixtures/bad/truncated-frame.zst"
	};
	const char *last = END("2", "failed");
	struct all a;

	read_paths(&a, one, 1, ANY, true);
	is_str(a.lines.data + a.lines.len - strlen(last), last,
	    "the made end counts and failed");
	tape_buf_release(&a.lines);
	read_paths(&a, two, 2, ANY, true);
	is_str(a.kinds, "h.eh.eh..e", "segments go on behind it");
	is_int(a.warned, 2, "each is warned of");
	is_int(a.st, TAPE_EOF, "to the end");
	tape_buf_release(&a.lines);
	read_text(
	    &a, HEADER("1.0") CLOCK END("1", "complete") "\x28\xb5\x2f", true);
	is_str(a.kinds, "h.e", "cut between segments");
	is_int(a.st, TAPE_EOF, "can be allowed");
	is_int(a.warned, 1, "is warned of");
	is_int(a.ending, TAPE_ENDING_FAILED, "and failed");
}

static void
test_frozen(const char *format, unsigned bit, const char *kinds)
{
	struct all plain, packed;
	struct tape_buf again;
	struct tape_record rec;
	struct tape_err err = { 0 };
	struct tape_in *in;
	char path[64], *text;
	const char *paths[] = { path }, *line;
	size_t len;

	(void)snprintf(
	    path, sizeof(path), "tests/fixtures/v1/%s.jsonl", format);
	read_paths(&plain, paths, 1, bit, false);
	is_int(plain.st, TAPE_EOF, "%s %s", path, plain.text);
	is_str(plain.kinds, kinds, "has its records");
	if (tape_fdio_slurp(path, 1 << 20, &text, &len, &err) != TAPE_OK)
		abort();
	is_str(plain.lines.data, text, "lines come as they are");
	(void)snprintf(path, sizeof(path), "tests/fixtures/v1/%s.zst", format);
	read_paths(&packed, paths, 1, bit, false);
	is_str(packed.lines.data, text, "%s is the same", path);
	tape_buf_init(&again, 1 << 20);
	tape_record_init(&rec);
	if (tape_in_open_mem(&in, text, len, "text", &err) != TAPE_OK)
		abort();
	while (tape_in_line(in, &line, &len, &err) == TAPE_OK &&
	       tape_record_decode(&rec, line, len, &err) == TAPE_OK &&
	       tape_record_encode(
		   (enum tape_kind)rec.kind, &rec.u, &again, &err) == TAPE_OK)
		(void)tape_buf_add_char(&again, '\n');
	is_str(again.data, text, "and is written again to the byte");
	tape_in_free(in);
	tape_record_release(&rec);
	tape_buf_release(&again);
	tape_buf_release(&plain.lines);
	tape_buf_release(&packed.lines);
	tape_mem_free(text);
}

static void
test_segments(void)
{
	static const char *const three[] = { "tests/fixtures/v1/wire.zst",
		"tests/fixtures/v1/wire.jsonl", "tests/fixtures/v1/trace.zst" };
	static const char *const missing[] = { "tests/fixtures/v1/wire.zst",
		"tests/fixtures/none" };
	struct all a;

	read_paths(&a, three, 3, ANY, false);
	is_str(a.kinds, "h.........eh.........eh......e", "three inputs");
	is_int(a.ending, TAPE_ENDING_INTERRUPTED, "the worst ending counts");
	tape_buf_release(&a.lines);
	read_paths(&a, three, 3, TAPE_FORMAT_WIRE, false);
	is_str(a.kinds, "h.........eh.........e", "until one is not wanted");
	is_str(a.text,
	    "tests/fixtures/v1/trace.zst:1: this is a llmtape.trace stream; "
	    "pipe it through trace-replay first",
	    "which is named");
	tape_buf_release(&a.lines);
	read_paths(&a, missing, 2, ANY, false);
	is_int(a.st, TAPE_E_IO, "all are opened first");
	is_int((int)a.n, 0, "before any is read");
	tape_buf_release(&a.lines);
	read_text(&a,
	    HEADER("1.0") END("0", "failed") HEADER("1.0")
		CLOCK END("1", "interrupted"),
	    false);
	is_str(a.kinds, "heh.e", "two segments in one input");
	is_int(a.ending, TAPE_ENDING_FAILED, "one of which failed");
	is_int(a.st, TAPE_EOF, "which is not the reader's failure");
}

static void
test_newer_minor(void)
{
	struct all a;

	read_text(&a,
	    HEADER("1.7") CLOCK
	    "{\"kind\":\"spam\",\"a\":1}\n"
	    "{\"kind\":\"request\",\"new\":1}\n" CLOCK END("4", "complete"),
	    false);
	is_int(a.st, TAPE_E_FORMAT, "a known kind must be well-formed");
	read_text(&a,
	    HEADER("1.7") CLOCK
	    "{\"kind\":\"spam\",\"a\":1}\n"
	    "{\"kind\":\"spam\",\"a\":2}\n" CLOCK END("4", "complete"),
	    false);
	is_int(a.st, TAPE_EOF, "a newer minor version is read");
	is_str(a.kinds, "h..e", "without the kinds it added");
	is_int(a.warned, 1, "which is said once");
	is_str(a.warnings,
	    "2 records of kinds newer than this build were skipped; the first "
	    "is memory:3",
	    "with their number");
	read_text(&a, HEADER("1.7") CLOCK "{\"kind\":\"end\",\"records\":1}\n",
	    false);
	is_int(a.st, TAPE_E_FORMAT, "what is required stays required");
	read_text(&a,
	    HEADER("1.0") "{\"kind\":\"clock\",\"later\":{},\"t_ns\":1,"
			  "\"offset_ns\":5}\n" END("1", "complete"),
	    false);
	is_int(a.st, TAPE_EOF, "unknown fields are no matter");
	read_text(&a,
	    HEADER("1.0") CLOCK "{\"kind\":\"end\",\"records\":1,"
				"\"status\":\"complete\"}",
	    false);
	is_int(a.st, TAPE_EOF, "nor is a missing last LF");
}

static void
test_error_stays(void)
{
	struct tape_reader_opts opts = { .formats = ANY };
	struct tape_err err = { 0 };
	struct tape_record rec;
	struct tape_reader *r;

	tape_record_init(&rec);
	if (tape_reader_open_mem(&r, HEADER("1.0") "x\n",
		strlen(HEADER("1.0")) + 2, &opts, &err) != TAPE_OK)
		abort();
	is_int(tape_reader_next(r, &rec, &err), TAPE_OK, "a header");
	is_int(tape_reader_format(r), TAPE_FORMAT_WIRE, "has a format");
	is_int((int)tape_reader_line(r), 1, "a line");
	is_str(tape_reader_name(r), "memory", "a name");
	is_int(tape_reader_next(r, &rec, &err), TAPE_E_FORMAT, "an error");
	tape_err_clear(&err);
	is_int(tape_reader_next(r, &rec, &err), TAPE_E_FORMAT, "stays");
	is_int((int)err.line, 2, "with its place");
	tape_reader_free(r);
	tape_reader_free(NULL);
	tape_record_release(&rec);
}

static void
count_idle(void *arg)
{
	int *fd = arg;

	if (fd[2]++ == 0 &&
	    write(fd[1], HEADER("1.0"), strlen(HEADER("1.0"))) < 0)
		abort();
	(void)close(fd[1]);
}

static void
test_idle(void)
{
	int fd[3] = { 0 };
	int keep = dup(0);
	struct tape_reader_opts opts = {
		.formats = ANY, .idle = count_idle, .arg = fd
	};
	struct tape_err err = { 0 };
	struct tape_record rec;
	struct tape_reader *r;

	if (pipe(fd) != 0 || dup2(fd[0], 0) < 0)
		abort();
	tape_record_init(&rec);
	is_int(tape_reader_open(&r, NULL, 0, &opts, &err), TAPE_OK,
	    "no paths are standard input");
	is_int(tape_reader_next(r, &rec, &err), TAPE_OK, "a header");
	is_int(fd[2], 1, "came when idle");
	is_int(tape_reader_next(r, &rec, &err), TAPE_E_TRUNC, "and no more");
	is_str(err.name, "-", "of standard input");
	tape_reader_free(r);
	tape_record_release(&rec);
	(void)dup2(keep, 0);
	(void)close(keep);
	(void)close(fd[0]);
}

static void
test_no_memory(void)
{
	static const char *const paths[] = { "tests/fixtures/v1/wire.zst",
		"tests/fixtures/bad/truncated-frame.zst" };
	struct tape_reader_opts opts;
	struct all a;
	struct tape_reader *r;
	struct tape_record rec;
	struct tape_err err;
	uint64_t nth;
	enum tape_status st = TAPE_E_NOMEM;

	opts = options(&a, ANY, true);
	tape_buf_release(&a.lines);
	for (nth = 1; nth < 200 && st == TAPE_E_NOMEM; nth++) {
		tape_err_clear(&err);
		tape_record_init(&rec);
		(void)tape_mem_fail_at(nth);
		st = tape_reader_open(&r, paths, 2, &opts, &err);
		while (st == TAPE_OK)
			st = tape_reader_next(r, &rec, &err);
		(void)tape_mem_fail_at(0);
		tape_reader_free(r);
		tape_record_release(&rec);
	}
	is_int(st, TAPE_EOF, "out of memory, then not");
	ok(nth > 10 && nth < 200, "after %d allocations", (int)nth);
}

int
main(void)
{
	test_bad();
	test_made_end();
	test_frozen("trace", TAPE_FORMAT_TRACE, "h......e");
	test_frozen("wire", TAPE_FORMAT_WIRE, "h.........e");
	test_frozen("events", TAPE_FORMAT_EVENTS, "h........e");
	test_frozen("metrics", TAPE_FORMAT_METRICS, "h.......e");
	test_frozen("report", TAPE_FORMAT_REPORT, "h..e");
	test_segments();
	test_newer_minor();
	test_error_stays();
	test_idle();
	test_no_memory();
	return done_testing();
}
