/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metrics-reduce: turn events into values of requests and summaries of runs. */
#include "cli/diag.h"
#include "cli/libs.h"
#include "cli/tool.h"
#include "engine/grouping.h"
#include "engine/reduce_out.h"

#include <string.h>

enum format { TABLE, JSON, CSV, STREAM };

struct options {
	struct tape_opt_common common;
	int format;
	bool has_format;
	bool wide;
	int from;
	int clock;
	const char *by;
	struct tape_slo slo;
	bool infinite;
	uint64_t worst;
	bool has_worst;
	const char *worst_by;
	bool strict;
	bool allow_truncated;
};

static const char *const formats[] = { "table", "json", "csv", "stream", NULL };
static const char *const origins[] = { "due", "start", "sent", NULL };
static const char *const clocks[] = { "best", "user", NULL };

static enum tape_status
parse_slo(const char *arg, void *field, struct tape_err *err)
{
	return tape_slo_parse(arg, field, err);
}

#define AT(f)   offsetof(struct options, f)
#define SEEN(f) .seen_at = offsetof(struct options, has_##f)

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Definitions"),
	{ .name = "from",
	    .arg = "TIME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(from),
	    .names = origins,
	    .help = "t0 is due, start or sent (start)" },
	{ .name = "clock",
	    .arg = "CLOCK",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(clock),
	    .names = clocks,
	    .help = "best: kernel time if known; or user" },
	{ .name = "slo",
	    .arg = "LIST",
	    .type = TAPE_OPT_CALL,
	    .at = AT(slo),
	    .parse = parse_slo,
	    .help = "good is within ttft=500ms,tpot=50ms" },
	{ .name = "failures-as-infinite",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(infinite),
	    .help = "failed requests take for ever" },
	TAPE_OPT_HEADING("Output"),
	{ .name = "format",
	    .arg = "FORMAT",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(format),
	    SEEN(format),
	    .names = formats,
	    .help = "table, json, csv or stream" },
	{ .name = "by",
	    .arg = "LABEL,...",
	    .type = TAPE_OPT_STRING,
	    .at = AT(by),
	    .help = "also summarize by values of labels" },
	{ .name = "worst",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(worst),
	    SEEN(worst),
	    .min = 1,
	    .max = TAPE_WORST_MAX,
	    .help = "list the N worst requests of a run" },
	{ .name = "worst-by",
	    .arg = "METRIC",
	    .type = TAPE_OPT_STRING,
	    .at = AT(worst_by),
	    .help = "worst by that metric (latency)" },
	{ .name = "wide",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(wide),
	    .help = "all quantiles and metrics in the table" },
	TAPE_OPT_HEADING("Judgement"),
	{ .name = "strict",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(strict),
	    .help = "exit 1 if a check fails or a client was limited" },
	{ .name = "allow-truncated",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(allow_truncated),
	    .help = "take an input that is cut" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "worst-by worst" },
};

static const struct tape_opt_spec spec = {
	.tool = "metrics-reduce",
	.summary = "turn events into metrics",
	.usage = "[option ...] [file ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.libs = tape_libs_stat,
	.max_operands = SIZE_MAX,
	.examples = "sse-timestamp run.tape | metrics-reduce --format table\n"
		    "metrics-reduce --slo ttft=500ms,tpot=50ms run.events\n"
		    "metrics-reduce --by isl --format csv run.events\n",
};

/* The tool at work. */
struct work {
	struct tape_tool *tool;
	enum format format;
	struct tape_reduce *reduce;
	struct tape_reduce_text text;
	struct tape_buf prov;
};

static enum tape_status
fill_opts(const struct options *o, struct tape_reduce_opts *opts,
    struct tape_err *err)
{
	enum tape_metric_id by = TAPE_METRIC_LATENCY;

	if (o->worst_by != NULL) {
		by = tape_metric_find(tape_str_of(o->worst_by));
		if (by == TAPE_METRIC_COUNT || !tape_metric_is_of_request(by))
			return tape_err_set(err, TAPE_E_USAGE,
			    "--worst-by %s is no metric of a request",
			    o->worst_by);
	}
	*opts = (struct tape_reduce_opts){
		.from = (enum tape_measure_from)o->from,
		.user_clock = o->clock == 1,
		.infinite = o->infinite,
		.slo = o->slo,
		.by = o->by,
		.worst = o->worst,
		.worst_by = by,
	};
	return TAPE_OK;
}

/* What can be refused before an input is opened. */
static enum tape_status
check(const struct work *w, const struct options *o, struct tape_err *err)
{
	struct tape_grouping by;
	enum tape_status st = tape_grouping_init(&by, o->by, err);

	tape_grouping_release(&by);
	if (st != TAPE_OK)
		return st;
	if (o->has_worst && w->format != TABLE && w->format != JSON)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--worst is shown by --format table and json");
	if (o->wide && w->format != TABLE)
		return tape_err_set(
		    err, TAPE_E_USAGE, "--wide is of --format table");
	return TAPE_OK;
}

static enum tape_status
open_output(struct work *w, struct tape_reduce_sink *sink, struct tape_err *err)
{
	enum tape_status st;

	if (w->format == STREAM) {
		st = tape_tool_output(w->tool, TAPE_FORMAT_METRICS, err);
		if (st == TAPE_OK)
			*sink = tape_reduce_to_stream(w->tool->writer);
		return st;
	}
	st = tape_tool_text(w->tool, err);
	if (st != TAPE_OK)
		return st;
	w->text.out = w->tool->text;
	if (w->format == TABLE)
		*sink = tape_reduce_to_table(&w->text);
	else if (w->format == JSON)
		*sink = tape_reduce_to_json(&w->text);
	else
		*sink = tape_reduce_to_csv(&w->text);
	return TAPE_OK;
}

/* What the output says of its own making. */
static enum tape_status
take_header(struct work *w, const struct tape_header *h, struct tape_err *err)
{
	enum tape_status st;

	if (w->format == STREAM)
		return tape_tool_derive(w->tool, h, err);
	if (w->format != JSON)
		return TAPE_OK;
	tape_buf_clear(&w->prov);
	st = tape_tool_chain(w->tool, h, &w->prov, err);
	w->text.prov = tape_str_make(w->prov.data, w->prov.len);
	return st;
}

static enum tape_status
reduce_all(struct work *w, struct tape_err *err)
{
	struct tape_reader *in = w->tool->reader;
	struct tape_record rec;
	enum tape_status st;

	tape_record_init(&rec);
	do {
		st = tape_reader_next(in, &rec, err);
		if (st != TAPE_OK)
			break;
		if (rec.kind == TAPE_KIND_HEADER)
			st = take_header(w, &rec.u.header, err);
		if (st == TAPE_OK)
			st = tape_reduce_record(w->reduce, &rec, err);
		if (st == TAPE_E_FORMAT)
			(void)tape_err_at(
			    err, tape_reader_name(in), tape_reader_line(in));
	} while (st == TAPE_OK);
	tape_record_release(&rec);
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* Whether the question could be answered, and how. */
static enum tape_status
judge(struct work *w, const struct options *o, struct tape_err *err)
{
	const struct tape_reduce_counts c = tape_reduce_counts(w->reduce);

	if (o->strict && (c.checks_failed > 0 || c.client_limited > 0))
		w->tool->exit_code = TAPE_EXIT_NO;
	if (c.measured > 0)
		return TAPE_OK;
	if (c.responses > 0)
		return tape_err_set(err, TAPE_E_DATA,
		    "no response in the input but those of the warm-up");
	if (c.live_events > 0)
		return tape_err_set(err, TAPE_E_DATA,
		    "the input is a live stream: its events belong to no "
		    "request");
	return tape_err_set(err, TAPE_E_DATA, "no response in the input");
}

static enum tape_status
reduce(struct work *w, const struct options *o, struct tape_err *err)
{
	struct tape_reduce_opts opts = { 0 };
	struct tape_reduce_sink sink = { 0 };
	struct tape_err late = { 0 };
	enum tape_status st, closed = TAPE_OK;

	st = fill_opts(o, &opts, err);
	if (st == TAPE_OK)
		st = check(w, o, err);
	if (st != TAPE_OK)
		return st;
	w->text.wide = o->wide;
	w->text.worst_by = tape_metric_table[opts.worst_by].name;
	st = tape_tool_input(
	    w->tool, TAPE_FORMAT_EVENTS, o->allow_truncated, err);
	if (st == TAPE_OK)
		st = open_output(w, &sink, err);
	if (st == TAPE_OK)
		st = tape_reduce_open(&w->reduce, &opts, &sink, err);
	if (st != TAPE_OK)
		return st;
	st = reduce_all(w, err);
	/* What came before a failure is reported nevertheless. */
	if (st != TAPE_OK)
		closed = tape_reduce_cut(w->reduce, &late);
	if (w->format == JSON && closed == TAPE_OK)
		closed = tape_reduce_json_finish(&w->text, &late);
	if (st == TAPE_OK && closed != TAPE_OK) {
		*err = late;
		return closed;
	}
	return st == TAPE_OK ? judge(w, o, err) : st;
}

static enum tape_status
run(struct tape_tool *t, const struct options *o, struct tape_err *err)
{
	struct work w = { .tool = t, .format = (enum format)o->format };
	enum tape_status st;

	if (!o->has_format)
		w.format = tape_tool_on_terminal(t) ? TABLE : STREAM;
	tape_reduce_text_init(&w.text, NULL);
	tape_buf_init(&w.prov, TAPE_CAP_LINE);
	st = reduce(&w, o, err);
	tape_reduce_free(w.reduce);
	tape_buf_release(&w.prov);
	tape_reduce_text_release(&w.text);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .from = TAPE_MEASURE_FROM_START };
	struct tape_tool t;
	struct tape_err err = { 0 };

	if (!tape_tool_start(&t, &spec, 0, argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&t, &o, &err), &err);
}
