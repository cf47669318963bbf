/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace-gen: make a trace: requests, their lengths, prompts and times. */
#include "cli/diag.h"
#include "cli/labels.h"
#include "cli/libs.h"
#include "cli/tool.h"
#include "engine/edge_llm.h"
#include "engine/gen_synthetic.h"
#include "engine/import.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define SEED_MAX ((INT64_C(1) << 53) - 1)

struct options {
	struct tape_opt_common common;
	int from;
	bool has_from;
	struct tape_lengths isl;
	bool has_isl;
	struct tape_lengths osl;
	bool has_osl;
	uint64_t count;
	bool has_count;
	int arrivals;
	bool has_arrivals;
	double rate_per_s;
	bool has_rate;
	double burstiness;
	bool has_burstiness;
	double speedup;
	bool has_speedup;
	uint64_t limit;
	uint64_t seed;
	uint64_t block_size;
	uint64_t max_input_tokens;
	uint64_t max_total_tokens;
	struct tape_opt_list labels;
	int to;
	bool has_to;
};

static const char *const formats[] = { "prompts", "mooncake", "azure",
	"burstgpt", NULL };
static const char *const targets[] = { "edge-llm", NULL };
static const char *const arrivals[] = { "trace", "none", "constant", "poisson",
	"gamma", NULL };

static enum tape_status
parse_lengths(const char *arg, void *field, struct tape_err *err)
{
	return tape_lengths_parse(arg, field, err);
}

#define AT(f)   offsetof(struct options, f)
#define SEEN(f) .seen_at = offsetof(struct options, has_##f)

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Requests"),
	{ .name = "from",
	    .arg = "FORMAT",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(from),
	    SEEN(from),
	    .names = formats,
	    .help = "prompts, mooncake, azure or burstgpt" },
	{ .name = "isl",
	    .arg = "MEAN[,SD]",
	    .type = TAPE_OPT_CALL,
	    .at = AT(isl),
	    SEEN(isl),
	    .parse = parse_lengths,
	    .help = "input tokens of synthetic requests" },
	{ .name = "osl",
	    .arg = "MEAN[,SD]",
	    .type = TAPE_OPT_CALL,
	    .at = AT(osl),
	    SEEN(osl),
	    .parse = parse_lengths,
	    .help = "output tokens of synthetic requests" },
	{ .name = "count",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(count),
	    SEEN(count),
	    .min = 1,
	    .max = INT64_C(1000000000),
	    .help = "how many synthetic requests" },
	{ .name = "limit",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(limit),
	    .min = 1,
	    .help = "stop after N requests" },
	{ .name = "block-size",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(block_size),
	    .min = 1,
	    .max = 1 << 20,
	    .help = "tokens of a block of mooncake (512)" },
	{ .name = "label",
	    .arg = "K=V",
	    .type = TAPE_OPT_LIST,
	    .at = AT(labels),
	    .help = "label every request" },
	{ .name = "seed",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(seed),
	    .min = 0,
	    .max = SEED_MAX,
	    .help = "of all draws (0)" },
	TAPE_OPT_HEADING("Times"),
	{ .name = "arrivals",
	    .arg = "LAW",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(arrivals),
	    SEEN(arrivals),
	    .names = arrivals,
	    .help = "constant, poisson, gamma; trace, none" },
	{ .name = "rate",
	    .arg = "R",
	    .type = TAPE_OPT_RATE,
	    .at = AT(rate_per_s),
	    SEEN(rate),
	    .help = "requests per second; poisson arrivals" },
	{ .name = "burstiness",
	    .arg = "B",
	    .type = TAPE_OPT_DOUBLE,
	    .at = AT(burstiness),
	    SEEN(burstiness),
	    .help = "shape of gamma; below 1 burstier" },
	{ .name = "speedup",
	    .arg = "X",
	    .type = TAPE_OPT_DOUBLE,
	    .at = AT(speedup),
	    SEEN(speedup),
	    .help = "divide the trace's own times by X" },
	TAPE_OPT_HEADING("Limits"),
	{ .name = "max-input-tokens",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(max_input_tokens),
	    .min = 1,
	    .max = INT32_MAX,
	    .help = "refuse a longer input" },
	{ .name = "max-total-tokens",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(max_total_tokens),
	    .min = 1,
	    .max = INT32_MAX,
	    .help = "refuse a longer input and output" },
	TAPE_OPT_HEADING("Other formats"),
	{ .name = "to",
	    .arg = "FORMAT",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(to),
	    SEEN(to),
	    .names = targets,
	    .help = "write a trace for edge-llm's llm_inference" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_ONE_OF, "from isl to" },
	{ TAPE_OPT_EXCLUDES, "to osl" },
	{ TAPE_OPT_EXCLUDES, "to count" },
	{ TAPE_OPT_EXCLUDES, "to limit" },
	{ TAPE_OPT_EXCLUDES, "to label" },
	{ TAPE_OPT_EXCLUDES, "to seed" },
	{ TAPE_OPT_EXCLUDES, "to arrivals" },
	{ TAPE_OPT_EXCLUDES, "to rate" },
	{ TAPE_OPT_EXCLUDES, "to max-input-tokens" },
	{ TAPE_OPT_EXCLUDES, "to max-total-tokens" },
	{ TAPE_OPT_EXCLUDES, "from osl" },
	{ TAPE_OPT_EXCLUDES, "from count" },
	{ TAPE_OPT_REQUIRES, "isl osl count" },
	{ TAPE_OPT_REQUIRES, "block-size from" },
	{ TAPE_OPT_REQUIRES, "burstiness arrivals rate" },
	{ TAPE_OPT_EXCLUDES, "speedup rate" },
	{ TAPE_OPT_REQUIRES, "speedup from" },
};

static const struct tape_opt_spec spec = {
	.tool = "trace-gen",
	.summary = "make a trace of requests",
	.usage = "--from FORMAT [file ...] | --isl MEAN --osl MEAN --count N",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.libs = tape_libs_stat,
	.max_operands = SIZE_MAX,
	.examples =
	    "trace-gen --isl 512 --osl 128 --count 100 -o fixed.trace\n"
	    "trace-gen --from mooncake --speedup 10 conversation.jsonl\n"
	    "trace-gen --from azure --arrivals poisson --rate 5 conv.csv\n",
};

static enum tape_arrivals
law_of(const struct options *o)
{
	return o->has_rate && !o->has_arrivals
		   ? TAPE_ARRIVALS_POISSON
		   : (enum tape_arrivals)o->arrivals;
}

static enum tape_status
check_times(const struct options *o, struct tape_err *err)
{
	bool law = law_of(o) > TAPE_ARRIVALS_NONE;

	if (law && !o->has_rate)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--arrivals %s needs --rate", arrivals[o->arrivals]);
	if (o->has_rate && !law)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--rate goes with --arrivals constant, poisson or gamma");
	if (o->has_burstiness && o->arrivals != TAPE_ARRIVALS_GAMMA)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--burstiness is the shape of --arrivals gamma");
	if (!(o->burstiness > 0 && o->burstiness <= 1e6))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--burstiness must be positive");
	if (!(o->speedup > 0 && o->speedup <= 1e9))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--speedup must be positive");
	if (!o->has_from && o->has_arrivals &&
	    o->arrivals == TAPE_ARRIVALS_TRACE)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--arrivals trace needs --from: nothing else has times");
	return TAPE_OK;
}

/* What else can be refused before a file is opened. */
static enum tape_status
check(const struct tape_tool *t, const struct options *o, struct tape_err *err)
{
	const char *const *own;
	static const char *const synthetic[] = { "isl=", "osl=", NULL };

	if (!o->has_from && !o->has_to && t->opt.operand_count > 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "files need --from FORMAT");
	if (o->block_size > 0 && strcmp(formats[o->from], "mooncake") != 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "--block-size is for --from mooncake");
	for (size_t i = 0; !o->has_from && i < o->labels.count; i++)
		for (own = synthetic; *own != NULL; own++)
			if (strncmp(o->labels.items[i], *own, 4) == 0)
				return tape_err_set(err, TAPE_E_USAGE,
				    "the label %.3s is that of --%.3s", *own,
				    *own);
	return check_times(o, err);
}

static void
report(const struct tape_tool *t, const struct tape_gen_sums *s)
{
	struct tape_buf text;

	if (s->raised > 0)
		tape_diag_warn(
		    "outputs of 0 tokens that became 1: %" PRIu64, s->raised);
	if (s->skipped > 0)
		tape_diag_warn("rows left out, of requests that failed where "
			       "they were recorded: %" PRIu64,
		    s->skipped);
	if (!isatty(STDERR_FILENO) && !t->common->verbose)
		return;
	tape_buf_init(&text, 1024);
	tape_gen_print_sums(s, &text);
	if (text.status == TAPE_OK)
		tape_diag_warn("%s", text.data);
	tape_buf_release(&text);
}

static enum tape_status
fill(const struct options *o, const struct tape_tool_inputs *files,
    struct tape_gen *g, struct tape_err *err)
{
	const struct tape_import_opts opts = { (int64_t)o->block_size };

	if (!o->has_from)
		return tape_gen_synthetic(g, &o->isl, &o->osl, o->count, err);
	return tape_import_all(
	    &tape_import_table[o->from], files->in, files->n, g, &opts, err);
}

static enum tape_status
generate(struct tape_tool *t, const struct options *o,
    const struct tape_gen_opts *opts, struct tape_err *err)
{
	struct tape_tool_inputs files = { NULL, 0 };
	struct tape_gen g;
	enum tape_status st = TAPE_OK;

	if (o->has_from)
		st = tape_tool_open_inputs(t, &files, err);
	if (st == TAPE_OK)
		st = tape_tool_output(t, TAPE_FORMAT_TRACE, err);
	if (st == TAPE_OK)
		st = tape_tool_begin(t, NULL, false, NULL, err);
	if (st == TAPE_OK) {
		tape_gen_init(&g, opts, t->writer);
		st = fill(o, &files, &g, err);
		if (st == TAPE_OK)
			st = tape_writer_end(
			    t->writer, TAPE_ENDING_COMPLETE, err);
		if (st == TAPE_OK)
			report(t, &g.sums);
		tape_gen_release(&g);
	}
	tape_tool_close_inputs(&files);
	return st;
}

/* A trace becomes the input of another program. */
static enum tape_status
convert(struct tape_tool *t, struct tape_err *err)
{
	enum tape_status st = tape_tool_input(t, TAPE_FORMAT_TRACE, false, err);

	if (st == TAPE_OK)
		st = tape_tool_text(t, err);
	return st == TAPE_OK ? tape_edge_llm_write(t->reader, t->text, err)
			     : st;
}

static enum tape_status
run(struct tape_tool *t, const struct options *o, struct tape_err *err)
{
	struct tape_gen_opts opts = {
		.arrivals = law_of(o),
		.rate_per_s = o->rate_per_s,
		.burstiness = o->burstiness,
		.speedup = o->speedup,
		.need_times = o->arrivals == TAPE_ARRIVALS_TRACE &&
			      (o->has_arrivals || o->has_speedup),
		.limit = o->limit,
		.seed = o->seed,
		.max_input_tokens = (int64_t)o->max_input_tokens,
		.max_total_tokens = (int64_t)o->max_total_tokens,
	};
	struct tape_buf labels;
	enum tape_status st;

	if (o->has_to)
		return convert(t, err);
	tape_buf_init(&labels, 1 << 20);
	st = check(t, o, err);
	if (st == TAPE_OK)
		st = tape_labels_join(&o->labels, &labels, err);
	if (st == TAPE_OK && labels.len > 0)
		opts.labels = tape_str_make(labels.data, labels.len);
	if (st == TAPE_OK)
		st = generate(t, o, &opts, err);
	tape_buf_release(&labels);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .burstiness = 1, .speedup = 1 };
	struct tape_tool t;
	struct tape_err err = { 0 };

	if (!tape_tool_start(&t, &spec, 0, argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&t, &o, &err), &err);
}
