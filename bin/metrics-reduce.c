/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metrics-reduce: turn events into values of requests and summaries of runs. */
#include "base/mem.h"
#include "cli/diag.h"
#include "cli/libs.h"
#include "cli/reduce_opts.h"
#include "cli/tool.h"
#include "engine/grouping.h"
#include "engine/import_result.h"
#include "engine/partial.h"
#include "engine/reduce_out.h"
#include "engine/samples_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TAPE_REDUCE_WORST_MAX == TAPE_WORST_MAX, "one limit");

struct options {
	struct tape_opt_common common;
	struct tape_reduce_given given;
};

static const struct tape_opt_join joins[] = {
	{ &tape_reduce_opts_part, offsetof(struct options, given) },
};

static const struct tape_opt_spec spec = {
	.tool = "metrics-reduce",
	.summary = "turn events into metrics",
	.usage = "[option ...] [file ...]",
	.joins = joins,
	.join_count = sizeof(joins) / sizeof(joins[0]),
	.libs = tape_libs_stat,
	.max_operands = SIZE_MAX,
	.examples = "sse-timestamp run.tape | metrics-reduce --format table\n"
		    "metrics-reduce --slo ttft=500ms,tpot=50ms run.events\n"
		    "metrics-reduce --by isl --format csv run.events\n",
};

/* The tool at work. */
struct work {
	struct tape_tool *tool;
	enum tape_reduce_format format;
	struct tape_reduce *reduce;
	struct tape_reduce_text text;
	struct tape_buf prov;
	struct tape_samples samples;
	struct tape_offline offline;
	struct tape_tool_inputs foreign; /* with --import */
	uint64_t imported;               /* runs */
};

/* A narrow table shows none of the others. */
static bool
is_basic(const struct work *w, const struct tape_reduce_given *o)
{
	if (o->has_metrics)
		return o->metrics == 0;
	return w->format == TAPE_REDUCE_TABLE && !o->wide;
}

static enum tape_status
fill_opts(const struct work *w, const struct tape_reduce_given *o,
    struct tape_reduce_opts *opts, struct tape_err *err)
{
	enum tape_metric_id by = TAPE_METRIC_LATENCY;
	enum tape_status st;

	if (o->worst_by != NULL) {
		by = tape_metric_find(tape_str_of(o->worst_by));
		if (by == TAPE_METRIC_COUNT || !tape_metric_is_of_request(by))
			return tape_err_set(err, TAPE_E_USAGE,
			    "--worst-by %s is no metric of a request",
			    o->worst_by);
	}
	if (o->has_stall_ratio && !(o->stall_ratio > 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "--stall-ratio is above 1: a median is no stall");
	*opts = (struct tape_reduce_opts){
		.from = (enum tape_measure_from)o->from,
		.user_clock = o->clock == 1,
		.infinite = o->infinite,
		.basic = is_basic(w, o),
		.stall_ratio = o->stall_ratio,
		.by = o->by,
		.slice_ns = o->slice_ns,
		.steady = o->steady,
		.converge = o->converge,
		.worst = o->worst,
		.worst_by = by,
	};
	st = tape_definitions_parse(o->definitions, &opts->peers, err);
	return st != TAPE_OK ? st
			     : tape_slo_parse_all(
				   o->slo.items, o->slo.count, &opts->slo, err);
}

/* What can be refused before an input is opened. */
static enum tape_status
check(struct work *w, const struct tape_reduce_given *o, struct tape_err *err)
{
	/* Slices are no points: they are shown in full. */
	enum tape_status st = tape_points_init(
	    &w->text.points, o->slice_ns > 0 ? NULL : o->by, err);

	if (st != TAPE_OK)
		return st;
	if (o->has_worst && w->format != TAPE_REDUCE_TABLE &&
	    w->format != TAPE_REDUCE_JSON)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--worst is shown by --format table and json");
	if (o->wide && w->format != TAPE_REDUCE_TABLE &&
	    w->format != TAPE_REDUCE_MARKDOWN)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--wide is of --format table and markdown");
	return TAPE_OK;
}

static enum tape_status
open_output(struct work *w, struct tape_reduce_sink *sink, struct tape_err *err)
{
	static struct tape_reduce_sink (*const to[])(
	    struct tape_reduce_text *) = { tape_reduce_to_table,
		tape_reduce_to_json, tape_reduce_to_csv, NULL,
		tape_reduce_to_markdown, tape_reduce_to_openmetrics };
	enum tape_status st;

	if (w->format == TAPE_REDUCE_STREAM) {
		st = tape_tool_output(w->tool, TAPE_FORMAT_METRICS, err);
		if (st == TAPE_OK)
			*sink = tape_reduce_to_stream(w->tool->writer);
		return st;
	}
	st = tape_tool_text(w->tool, err);
	if (st != TAPE_OK)
		return st;
	w->text.out = w->tool->text;
	*sink = to[w->format](&w->text);
	return TAPE_OK;
}

static void
warn(void *arg, const char *text)
{
	(void)arg;
	tape_diag_warn("%s", text);
}

static enum tape_status
read_telemetry(
    struct work *w, const struct tape_reduce_given *o, struct tape_err *err)
{
	const struct tape_reader_opts how = {
		.allow_truncated = o->allow_truncated,
		.warn = warn,
	};
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < o->telemetry.count && st == TAPE_OK; i++)
		st = tape_samples_read(
		    &w->samples, o->telemetry.items[i], &how, err);
	return st;
}

/* What the output says of its own making. */
static enum tape_status
take_header(void *arg, const struct tape_header *h, struct tape_strs chains,
    struct tape_err *err)
{
	struct work *w = arg;
	enum tape_status st;

	if (w->format == TAPE_REDUCE_STREAM)
		return tape_tool_join(w->tool, h, chains, err);
	if (w->format != TAPE_REDUCE_JSON)
		return TAPE_OK;
	tape_buf_clear(&w->prov);
	st = tape_tool_join_chains(w->tool, h, chains, &w->prov, err);
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
		st = tape_reduce_record(w->reduce, &rec, err);
		if (st == TAPE_E_FORMAT)
			(void)tape_err_at(
			    err, tape_reader_name(in), tape_reader_line(in));
	} while (st == TAPE_OK);
	tape_record_release(&rec);
	return st == TAPE_EOF ? TAPE_OK : st;
}

static enum tape_status
finish(struct work *w, bool take, struct tape_err *err)
{
	enum tape_status st = tape_reduce_finish(w->reduce, take, err);

	if (st == TAPE_OK && err->status != TAPE_OK) {
		tape_diag_warn("%s", err->text);
		tape_err_clear(err);
	}
	return st;
}

/* Other tools' results instead of events. */
static enum tape_status
import_all(struct work *w, const struct tape_reduce_given *o,
    const struct tape_reduce_sink *sink, struct tape_err *err)
{
	struct tape_import_to to = { w->reduce, *sink, o->by, take_header, w,
		0 };
	const char *tool =
	    o->import == 0 ? NULL : tape_import_tools[o->import - 1].name;
	enum tape_status st =
	    tape_import_results(w->foreign.in, w->foreign.n, tool, &to, err);

	w->imported = to.runs;
	return st;
}

/* Whether the question could be answered, and how. */
static enum tape_status
judge(struct work *w, const struct tape_reduce_given *o, struct tape_err *err)
{
	const struct tape_reduce_counts c = tape_reduce_counts(w->reduce);
	const struct tape_str unknown = tape_reduce_unknown_by(w->reduce);

	if (c.late_samples > 0)
		tape_diag_warn("%" PRIu64 " samples came behind the runs: put "
			       "them in front, or give --telemetry FILE",
		    c.late_samples);
	if (o->strict && (c.checks_failed > 0 || c.client_limited > 0))
		w->tool->exit_code = TAPE_EXIT_NO;
	if (c.measured == 0 && w->imported == 0)
		return tape_err_set(
		    err, TAPE_E_DATA, "%s", tape_reduce_why_nothing(&c));
	if (unknown.p != NULL && c.measured > 0)
		tape_diag_warn("--by %.*s: no request and no run has that "
			       "label",
		    (int)unknown.len, unknown.p);
	return TAPE_OK;
}

static enum tape_status
reduce(struct work *w, const struct tape_reduce_given *o, struct tape_err *err)
{
	struct tape_reduce_opts opts = { 0 };
	struct tape_reduce_sink sink = { 0 };
	struct tape_err late = { 0 };
	enum tape_status st, closed = TAPE_OK;

	st = fill_opts(w, o, &opts, err);
	if (st == TAPE_OK)
		st = check(w, o, err);
	if (st != TAPE_OK)
		return st;
	opts.samples = &w->samples;
	st = read_telemetry(w, o, err);
	if (st == TAPE_OK && o->offline != NULL)
		st = tape_offline_read(&w->offline, o->offline, err);
	if (o->offline != NULL)
		opts.offline = &w->offline;
	if (st != TAPE_OK)
		return st;
	w->text.wide = o->wide;
	w->text.peers = opts.peers != 0;
	w->text.worst_by = tape_metric_table[opts.worst_by].name;
	opts.header = take_header;
	opts.header_arg = w;
	opts.dir = getenv("TMPDIR");
	opts.memory = (size_t)o->memory_bytes;
	opts.threads = (unsigned)o->threads;
	tape_mem_bound(
	    opts.memory > 0 ? opts.memory : TAPE_REDUCE_MEMORY, opts.dir);
	st = o->has_import ? tape_tool_open_inputs(w->tool, &w->foreign, err)
			   : tape_tool_input(w->tool, TAPE_FORMAT_EVENTS,
				 o->allow_truncated, err);
	if (st == TAPE_OK)
		st = open_output(w, &sink, err);
	if (st == TAPE_OK)
		st = tape_reduce_open(&w->reduce, &opts, &sink, err);
	if (st != TAPE_OK)
		return st;
	st = o->has_import ? import_all(w, o, &sink, err) : reduce_all(w, err);
	/* What came before a failure is reported nevertheless. */
	if (st != TAPE_OK)
		closed = tape_reduce_cut(w->reduce, &late);
	else
		st = finish(w, o->allow_truncated, err);
	if (closed == TAPE_OK)
		closed = tape_reduce_text_finish(&w->text, &late);
	if (st == TAPE_OK && closed != TAPE_OK) {
		*err = late;
		return closed;
	}
	if (st == TAPE_OK)
		st = tape_samples_end(&w->samples, err);
	return st == TAPE_OK ? judge(w, o, err) : st;
}

static enum tape_status
pass_partial(struct tape_tool *t, const struct tape_partial *p,
    struct tape_record *rec, struct tape_err *err)
{
	struct tape_header h;
	enum tape_status st;

	switch (rec->kind) {
	case TAPE_KIND_HEADER:
		h = rec->u.header;
		st = tape_partial_header(p, &h, err);
		return st == TAPE_OK ? tape_tool_derive(t, &h, err) : st;
	case TAPE_KIND_END:
		return tape_writer_end(
		    t->writer, tape_ending_of(rec->u.end.status), err);
	default:
		return tape_partial_record(p, rec, t->writer, err);
	}
}

/* Events to events, for a reduction elsewhere, or of several at once. */
static enum tape_status
write_partial(struct tape_tool *t, const struct tape_reduce_given *o,
    struct tape_err *err)
{
	struct tape_partial p;
	struct tape_record rec;
	enum tape_status st = tape_partial_init(&p, o->shard, err);

	if (st == TAPE_OK)
		st = tape_tool_input(
		    t, TAPE_FORMAT_EVENTS, o->allow_truncated, err);
	if (st == TAPE_OK)
		st = tape_tool_output(t, TAPE_FORMAT_EVENTS, err);
	tape_record_init(&rec);
	while (st == TAPE_OK) {
		st = tape_reader_next(t->reader, &rec, err);
		if (st == TAPE_OK)
			st = pass_partial(t, &p, &rec, err);
	}
	tape_record_release(&rec);
	return st == TAPE_EOF ? TAPE_OK : st;
}

static enum tape_status
run(struct tape_tool *t, const struct tape_reduce_given *o,
    struct tape_err *err)
{
	struct work w = { .tool = t,
		.format = (enum tape_reduce_format)o->format };
	enum tape_status st;

	if (o->partial)
		return write_partial(t, o, err);
	if (!o->has_format)
		w.format = tape_tool_on_terminal(t) ? TAPE_REDUCE_TABLE
						    : TAPE_REDUCE_STREAM;
	tape_reduce_text_init(&w.text, NULL);
	tape_buf_init(&w.prov, TAPE_CAP_LINE);
	tape_samples_init(&w.samples);
	st = reduce(&w, o, err);
	tape_reduce_free(w.reduce);
	tape_tool_close_inputs(&w.foreign);
	tape_buf_release(&w.prov);
	tape_samples_release(&w.samples);
	tape_reduce_text_release(&w.text);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .given = { .from = TAPE_MEASURE_FROM_START,
				 .threads = 2 } };
	struct tape_tool t;
	struct tape_err err = { 0 };

	if (!tape_tool_start(&t, &spec, 0, argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&t, &o.given, &err), &err);
}
