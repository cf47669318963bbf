/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sse-timestamp: wire streams into events; anybody's live stream, stamped. */
#include "base/clock.h"
#include "cli/diag.h"
#include "cli/libs.h"
#include "cli/tool.h"
#include "codec/stream_out.h"
#include "engine/live_read.h"
#include "engine/stamp.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum format { FORMAT_AUTO, FORMAT_LINES, FORMAT_STREAM };

struct options {
	struct tape_opt_common common;
	const char *api;
	int format;
	bool text;
	bool allow_truncated;
};

static const char *const formats[] = { "auto", "lines", "stream", NULL };

#define AT(f) offsetof(struct options, f)

static const struct tape_opt table[] = {
	{ .name = "api",
	    .arg = "NAME",
	    .type = TAPE_OPT_STRING,
	    .at = AT(api),
	    .help = "decode as that dialect, see llmtape(7)" },
	{ .name = "text",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(text),
	    .help = "keep texts; of a live stream, data" },
	{ .name = "format",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(format),
	    .names = formats,
	    .help = "of a live stream: auto, lines or stream" },
	{ .name = "allow-truncated",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(allow_truncated),
	    .help = "input without its end is no error" },
};

static const struct tape_opt_spec spec = {
	.tool = "sse-timestamp",
	.summary = "turn wire streams, or a live one, into events",
	.usage = "[option ...] [file ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.libs = tape_libs_unpack,
	.max_operands = SIZE_MAX,
	.examples =
	    "sse-timestamp run.wire -o run.events\n"
	    "trace-replay --url URL trace | sse-timestamp | metrics-reduce\n"
	    "curl -sN URL -d @body.json | sse-timestamp\n",
};

static enum tape_status
find_api(const char *name, const struct tape_api **api, struct tape_err *err)
{
	*api = NULL;
	if (name == NULL)
		return TAPE_OK;
	*api = tape_api_find(tape_str_of(name));
	if (*api != NULL)
		return TAPE_OK;
	return tape_err_set(
	    err, TAPE_E_USAGE, "--api %s is none of those in llmtape(7)", name);
}

static bool
wants_sums(const struct tape_tool *t)
{
	return !t->common->quiet &&
	       (isatty(STDERR_FILENO) || t->common->verbose);
}

/* Wire into events. */

static enum tape_status
stamp_record(struct tape_tool *t, struct tape_stamp *s,
    const struct tape_record *rec, struct tape_err *err)
{
	enum tape_status st;

	switch (rec->kind) {
	case TAPE_KIND_HEADER:
		st = tape_tool_derive(t, &rec->u.header, err);
		if (st != TAPE_OK)
			return st;
		return tape_stamp_begin(s, &rec->u.header, err);
	case TAPE_KIND_END:
		st = tape_stamp_end(s, err);
		if (st != TAPE_OK)
			return st;
		return tape_writer_end(
		    t->writer, tape_reader_ending(t->reader), err);
	default:
		return tape_stamp_record(s, rec, err);
	}
}

static enum tape_status
stamp_all(struct tape_tool *t, struct tape_stamp *s, struct tape_err *err)
{
	struct tape_record rec;
	enum tape_status st, late;

	tape_record_init(&rec);
	while ((st = tape_reader_next(t->reader, &rec, err)) == TAPE_OK) {
		st = stamp_record(t, s, &rec, err);
		if (st != TAPE_OK) {
			(void)tape_err_at(err, tape_reader_name(t->reader),
			    tape_reader_line(t->reader));
			break;
		}
	}
	/* What came before a failure is written, with what it leaves open. */
	if (st != TAPE_EOF && tape_writer_open_segment(t->writer)) {
		late = tape_stamp_end(s, err);
		(void)late;
	}
	tape_record_release(&rec);
	return st;
}

static void
report_stamp(const struct tape_tool *t, const struct tape_stamp *s)
{
	const struct tape_stamp_counts c = tape_stamp_counts(s);
	const uint64_t bytes = tape_reader_bytes_read(t->reader);

	if (!wants_sums(t))
		return;
	tape_diag_warn("%" PRIu64 " responses, %" PRIu64
		       " of them failed; %" PRIu64 " events, %" PRIu64
		       " with tokens, %" PRIu64
		       " malformed; %.1f bytes of input an event",
	    c.responses, c.failed, c.events, c.token_events, c.malformed,
	    c.events > 0 ? (double)bytes / (double)c.events : 0);
}

/* The reader is open. */
static enum tape_status
run_stamp(struct tape_tool *t, const struct options *o,
    const struct tape_api *api, struct tape_err *err)
{
	const struct tape_stamp_opts opts = { .api = api, .text = o->text };
	struct tape_stamp *s = NULL;
	enum tape_status st;

	if (o->format == FORMAT_LINES)
		return tape_err_set(
		    err, TAPE_E_USAGE, "--format lines is for live streams");
	st = tape_tool_output(t, TAPE_FORMAT_EVENTS, err);
	if (st == TAPE_OK)
		st = tape_stamp_open(&s, &opts, t->writer, err);
	if (st == TAPE_OK)
		st = stamp_all(t, s, err);
	if (s != NULL)
		report_stamp(t, s);
	tape_stamp_free(s);
	return st;
}

/* A live stream. */

struct live {
	struct tape_tool *tool;
	const struct options *options;
	struct tape_in *in;
	struct tape_live_read read;
	struct tape_live live;
	int64_t prev_ns;
	struct tape_buf scratch;
};

static enum tape_status
on_idle(void *arg, struct tape_err *err)
{
	struct live *l = arg;

	if (l->tool->writer != NULL)
		return tape_writer_flush(l->tool->writer, err);
	if (l->tool->text != NULL)
		return tape_out_flush(l->tool->text, err);
	return TAPE_OK;
}

static enum tape_status
on_row(void *arg, const struct tape_live_row *row, struct tape_err *err)
{
	struct live *l = arg;
	struct tape_live_event record;
	enum tape_status st;

	if (l->tool->writer != NULL) {
		st = tape_live_record(
		    row, l->options->text, &l->scratch, &record, err);
		if (st != TAPE_OK)
			return st;
		record.t_ns -= l->read.first_ns;
		return tape_writer_put(
		    l->tool->writer, TAPE_KIND_EVENT, &record, err);
	}
	tape_buf_clear(&l->scratch);
	(void)tape_live_line(row, l->read.first_ns, l->prev_ns,
	    l->options->text ? SIZE_MAX : 48, &l->scratch);
	l->prev_ns = row->t_ns;
	st = tape_buf_status(&l->scratch, err);
	if (st != TAPE_OK)
		return st;
	return tape_out_write(
	    l->tool->text, l->scratch.data, l->scratch.len, err);
}

static enum tape_status
open_live(struct live *l, struct tape_err *err)
{
	struct tape_tool *t = l->tool;
	int format = l->options->format;
	enum tape_status st;

	if (format == FORMAT_AUTO)
		format =
		    tape_tool_on_terminal(t) ? FORMAT_LINES : FORMAT_STREAM;
	if (format == FORMAT_LINES)
		return tape_tool_text(t, err);
	st = tape_tool_output(t, TAPE_FORMAT_EVENTS, err);
	if (st == TAPE_OK)
		st = tape_tool_begin_at(t, NULL, l->read.first_ns, err);
	return st;
}

static void
report_live(struct live *l)
{
	struct tape_buf text;

	tape_buf_init(&text, 4096);
	if (wants_sums(l->tool) && tape_live_sums(&l->live, &text) == TAPE_OK)
		tape_diag_warn("%s", text.data);
	tape_buf_release(&text);
}

static enum tape_status
run_live(struct live *l, const struct tape_api *api, struct tape_err *err)
{
	const struct tape_live_sink sink = { on_row, l };
	enum tape_status st;

	tape_live_init(&l->live, api != NULL ? api : tape_api_at(0), sink);
	l->prev_ns = INT64_MIN;
	tape_buf_init(&l->scratch, SIZE_MAX / 2);
	tape_in_set_idle(l->in, on_idle, l);
	st = open_live(l, err);
	if (st == TAPE_OK)
		st = tape_live_read_all(&l->read, &l->live, err);
	if (st == TAPE_OK)
		report_live(l);
	tape_buf_release(&l->scratch);
	tape_live_release(&l->live);
	return st;
}

/* True for one of our streams, whatever its kind. */
static bool
is_ours(struct tape_in *in, struct tape_err *err)
{
	static const char begin[] = "{\"kind\":\"";
	const char *p;
	size_t len;

	if (tape_in_peek(in, sizeof(begin) - 1, &p, &len, err) != TAPE_OK)
		return true; /* the reader says what is wrong */
	return len >= sizeof(begin) - 1 &&
	       memcmp(p, begin, sizeof(begin) - 1) == 0;
}

static enum tape_status
run_one(struct tape_tool *t, const struct options *o,
    const struct tape_api *api, struct tape_err *err)
{
	struct live l = { .tool = t, .options = o };
	struct tape_err why = { 0 };
	enum tape_status st;

	st = tape_tool_open_in(t, &l.in, err);
	if (st != TAPE_OK)
		return st;
	tape_live_read_init(&l.read, &tape_clock_system, l.in);
	if (is_ours(l.in, &why)) {
		tape_live_read_release(&l.read);
		st = tape_tool_input_in(
		    t, l.in, TAPE_FORMAT_WIRE, o->allow_truncated, err);
		if (st == TAPE_OK)
			st = run_stamp(t, o, api, err);
	} else {
		st = run_live(&l, api, err);
		tape_live_read_release(&l.read);
		tape_in_free(l.in);
	}
	return st;
}

static enum tape_status
run(struct tape_tool *t, const struct options *o, struct tape_err *err)
{
	const struct tape_api *api;
	enum tape_status st = find_api(o->api, &api, err);

	if (st != TAPE_OK)
		return st;
	if (t->opt.operand_count < 2)
		return run_one(t, o, api, err);
	st = tape_tool_input(t, TAPE_FORMAT_WIRE, o->allow_truncated, err);
	return st == TAPE_OK ? run_stamp(t, o, api, err) : st;
}

int
main(int argc, char **argv)
{
	struct options o = { .format = FORMAT_AUTO };
	struct tape_tool t;
	struct tape_err err = { 0 };

	if (!tape_tool_start(&t, &spec, 0, argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&t, &o, &err), &err);
}
