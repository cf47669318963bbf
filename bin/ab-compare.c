/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ab-compare: which of two deployments is slower, in which phase, with what
   confidence. */
#include "base/mem.h"
#include "cli/compare_opts.h"
#include "cli/compare_test_opts.h"
#include "cli/diag.h"
#include "cli/libs.h"
#include "cli/tool.h"
#include "engine/canary.h"
#include "engine/compare_args.h"
#include "engine/compare_arrange.h"
#include "engine/compare_family.h"
#include "engine/compare_formats.h"
#include "engine/compare_load.h"
#include "engine/compare_looked.h"
#include "engine/compare_origin.h"
#include "engine/compare_record.h"
#include "engine/gate_reports.h"

struct options {
	struct tape_opt_common common;
	struct tape_compare_given given;
	struct tape_compare_test_given test;
	struct tape_compare_vary vary; /* what was given */
};

/* What takes several files. */
static const char *const lists[] = { "a", "b", NULL };

static const struct tape_opt_join joins[] = {
	{ &tape_compare_opts_part, offsetof(struct options, given) },
	{ &tape_compare_test_opts_part, offsetof(struct options, test) },
};

static const struct tape_opt_spec spec = {
	.tool = "ab-compare",
	.summary = "compare two deployments by interleaved runs",
	.usage = "[option ...] [file ...] | --a FILE ... --b FILE ...",
	.joins = joins,
	.join_count = sizeof(joins) / sizeof(joins[0]),
	.libs = tape_libs_stat,
	.max_operands = SIZE_MAX,
	.examples = "ab-compare runs.metrics\n"
		    "ab-compare --arms base,fp8 --margin 2% runs.metrics\n"
		    "ab-compare --a base-*.metrics --b fp8-*.metrics\n",
};

/* How it is to be tested, as far as one option alone can be right. */
static enum tape_status
set_method(
    const struct options *o, struct tape_compare_opts *to, struct tape_err *err)
{
	const struct tape_compare_given *g = &o->given;
	const struct tape_compare_test_given *t = &o->test;
	enum tape_status st = TAPE_OK;

	to->alpha = g->alpha;
	to->margin_ratio = g->has_margin ? g->margin_ratio : TAPE_ABSENT_F64;
	to->seed = g->seed;
	to->ci = (enum tape_compare_ci)t->ci;
	to->exploratory = t->exploratory;
	to->aa = t->aa;
	to->shape = t->shape;
	to->seq.max_pairs = t->max_pairs;
	to->seq.spending = (enum tape_stat_spending)t->spending;
	if (t->sequential)
		to->seq.plan = TAPE_COMPARE_ANYTIME;
	if (t->looks != NULL)
		st = tape_compare_parse_looks(t->looks, &to->seq, err);
	if (st == TAPE_OK && t->primary != NULL)
		st = tape_compare_parse_rows(t->primary, &to->primary, err);
	if (st == TAPE_OK && to->seq.plan == TAPE_COMPARE_FIXED &&
	    (t->max_pairs > 0 || t->looked != NULL))
		return tape_err_set(err, TAPE_E_USAGE,
		    "%s needs --sequential or --looks",
		    t->looked != NULL ? "--looked" : "--max-pairs");
	return st;
}

static enum tape_status
load_list(struct tape_tool *t, const struct tape_compare_given *o, size_t list,
    size_t arm, struct tape_compare_set *set, struct tape_err *err)
{
	const struct tape_opt_list *files =
	    list == TAPE_COMPARE_A ? &o->a : &o->b;
	enum tape_status st;

	st = tape_tool_input_paths(t, (const char *const *)files->items,
	    files->count, TAPE_FORMAT_METRICS, o->allow_truncated, err);
	return st == TAPE_OK ? tape_compare_load(set, t->reader, arm, err) : st;
}

/* All that is read. */
struct inputs {
	struct tape_compare_set set;
	struct tape_compare_lookeds looked;
	struct tape_compare_opts opts;
	struct tape_gate gate;
};

static enum tape_status
load_looked(struct tape_tool *t, const struct options *o,
    struct tape_compare_lookeds *to, struct tape_err *err)
{
	enum tape_status st;

	if (o->test.looked == NULL)
		return TAPE_OK;
	st = tape_tool_input_paths(t, &o->test.looked, 1, TAPE_FORMAT_REPORT,
	    o->given.allow_truncated, err);
	return st == TAPE_OK ? tape_compare_looked_load(to, t->reader, err)
			     : st;
}

static enum tape_status
load(struct tape_tool *t, const struct tape_compare_given *o,
    struct tape_compare_set *set, struct tape_err *err)
{
	enum tape_status st;

	if (o->a.count > 0 && t->opt.operand_count > 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "files besides --a and --b");
	if (o->a.count > 0) {
		st = load_list(t, o, TAPE_COMPARE_A, TAPE_COMPARE_A, set, err);
		if (st == TAPE_OK)
			st = load_list(
			    t, o, TAPE_COMPARE_B, TAPE_COMPARE_B, set, err);
	} else {
		st = tape_compare_name_arms(o->arms, set, err);
		if (st == TAPE_OK)
			st = tape_tool_input(
			    t, TAPE_FORMAT_METRICS, o->allow_truncated, err);
		if (st == TAPE_OK)
			st = tape_compare_load(
			    set, t->reader, TAPE_COMPARE_ANY_ARM, err);
	}
	return st == TAPE_OK ? tape_compare_arrange(set, err) : st;
}

static enum tape_status
print_json(struct tape_tool *t, const struct tape_gate_reports *r,
    struct tape_buf *text, struct tape_err *err)
{
	struct tape_strs chains = { r->origin->chains, r->origin->n };
	struct tape_buf prov;
	enum tape_status st;

	tape_buf_init(&prov, TAPE_CAP_LINE);
	st = tape_tool_join_chains(t, &r->origin->first, chains, &prov, err);
	if (st == TAPE_OK)
		st = tape_compare_write_json(r->v, r->n, t->exit_code,
		    tape_str_make(prov.data, prov.len), text, err);
	tape_buf_release(&prov);
	return st;
}

/* What prints one comparison after the other. */
static void (*const printers[])(
    const struct tape_compare_report *r, struct tape_buf *out) = {
	[TAPE_COMPARE_TABLE] = tape_compare_print,
	[TAPE_COMPARE_MARKDOWN] = tape_compare_print_markdown,
	[TAPE_COMPARE_BENCHSTAT] = tape_compare_print_benchstat,
};

static enum tape_status
write_buf(
    struct tape_tool *t, const struct tape_buf *text, struct tape_err *err)
{
	enum tape_status st = tape_buf_status(text, err);

	if (st == TAPE_OK)
		st = tape_tool_text(t, err);
	return st == TAPE_OK
		   ? tape_out_write(t->text, text->data, text->len, err)
		   : st;
}

static enum tape_status
write_text(struct tape_tool *t, enum tape_compare_format format,
    const struct tape_gate_reports *r, struct tape_err *err)
{
	struct tape_buf text;
	enum tape_status st = TAPE_OK;

	tape_buf_init(&text, 2 * TAPE_CAP_LINE);
	if (format == TAPE_COMPARE_JSON)
		st = print_json(t, r, &text, err);
	else if (format == TAPE_COMPARE_JUNIT)
		tape_compare_print_junit(r->v, r->n, &text);
	else
		for (size_t i = 0; i < r->n; i++) {
			if (i > 0)
				(void)tape_buf_add_char(&text, '\n');
			printers[format](&r->v[i], &text);
		}
	if (st == TAPE_OK)
		st = write_buf(t, &text, err);
	tape_buf_release(&text);
	return st;
}

static enum tape_status
write_stream(struct tape_tool *t, const struct tape_gate_reports *r,
    struct tape_err *err)
{
	struct tape_strs chains = { r->origin->chains, r->origin->n };
	enum tape_status st;

	st = tape_tool_output(t, TAPE_FORMAT_REPORT, err);
	if (st == TAPE_OK)
		st = tape_tool_join(t, &r->origin->first, chains, err);
	for (size_t i = 0; i < r->n && st == TAPE_OK; i++)
		st = tape_compare_write(&r->v[i], t->exit_code, t->writer, err);
	return st;
}

static int
exit_code(const struct tape_compare_report *r, size_t n)
{
	static const int codes[] = { [TAPE_GATE_GO] = TAPE_EXIT_DONE,
		[TAPE_GATE_STOP] = TAPE_EXIT_NO,
		[TAPE_GATE_UNKNOWN] = TAPE_EXIT_DATA,
		[TAPE_GATE_MORE] = TAPE_EXIT_OPEN };
	size_t warned;
	enum tape_gate_answer answer = tape_gate_answer(r, n, &warned);

	if (warned > 0)
		tape_diag_warn(
		    "rules of the gate that are undecided: %zu", warned);
	return codes[answer];
}

static enum tape_status
write_reports(struct tape_tool *t, const struct options *o,
    const struct tape_gate_reports *r, struct tape_err *err)
{
	enum tape_compare_format format =
	    (enum tape_compare_format)o->given.format;

	if (format == TAPE_COMPARE_AUTO)
		format =
		    o->common.output ? TAPE_COMPARE_STREAM : TAPE_COMPARE_TABLE;
	t->exit_code = exit_code(r->v, r->n);
	return format == TAPE_COMPARE_STREAM ? write_stream(t, r, err)
					     : write_text(t, format, r, err);
}

/* What is known of the inputs before the rows are judged. */
static enum tape_status
check_inputs(struct tape_tool *t, const struct options *o,
    const struct inputs *in, struct tape_compare_member *m,
    struct tape_err *err)
{
	if (tape_reader_ending(t->reader) == TAPE_ENDING_INTERRUPTED ||
	    t->ended == TAPE_ENDING_INTERRUPTED)
		tape_compare_note(&m->notes, TAPE_COMPARE_WARN, "interrupted",
		    "the input was interrupted: it is not the whole session");
	return o->test.looked == NULL
		   ? TAPE_OK
		   : tape_compare_looked_check(&in->looked, m, &in->opts, err);
}

static enum tape_status
compare(struct tape_tool *t, const struct options *o, struct inputs *in,
    struct tape_err *err)
{
	struct tape_compare_family f = { .v = NULL };
	struct tape_gate_reports r = { .v = NULL };
	struct tape_compare_family_opts fo = {
		o->given.a.count > 0 || in->set.halved, o->test.by, &o->vary
	};
	enum tape_status st;

	st = tape_compare_family_build(&in->set, &fo, &f, err);
	in->opts.cases = f.n;
	for (size_t i = 0; i < f.n && st == TAPE_OK; i++)
		st = check_inputs(t, o, in, &f.v[i], err);
	if (st == TAPE_OK)
		st = tape_compare_family_judge(&f, &in->opts, err);
	if (st == TAPE_OK)
		st = tape_gate_reports(&f, &in->opts, &in->gate,
		    (enum tape_gate_policy)o->given.undecided, &r, err);
	r.origin = &in->set.origin;
	if (st == TAPE_OK)
		st = write_reports(t, o, &r, err);
	tape_gate_reports_release(&r);
	tape_compare_family_release(&f);
	return st;
}

/* A session of --canary: the runs of one list, as a family of one. */
static enum tape_status
load_session(struct tape_tool *t, const struct options *o, size_t arm,
    struct tape_compare_set *set, struct tape_compare_family *f,
    struct tape_err *err)
{
	const struct tape_compare_given *g = &o->given;
	struct tape_compare_family_opts fo = { false, NULL, &o->vary };
	enum tape_status st;

	set->within_ns = g->within_ns;
	st = load_list(t, g, arm, TAPE_COMPARE_ANY_ARM, set, err);
	if (st == TAPE_OK)
		st = tape_canary_name_arms(set, g->canary, err);
	if (st == TAPE_OK)
		st = tape_compare_arrange(set, err);
	return st == TAPE_OK ? tape_compare_family_build(set, &fo, f, err) : st;
}

/* Through a reference server of both sessions. */
static enum tape_status
run_canary(struct tape_tool *t, const struct options *o,
    const struct inputs *in, struct tape_err *err)
{
	struct tape_compare_set set[TAPE_COMPARE_ARMS] = { 0 };
	struct tape_compare_family f[TAPE_COMPARE_ARMS] = { 0 };
	struct tape_canary c = { .label = { NULL, 0 } };
	const struct tape_canary_opts co = { &in->opts, &in->gate,
		(enum tape_gate_policy)o->given.undecided, &o->vary };
	struct tape_gate_reports r = { &c.report, 1, NULL, &set[0].origin };
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < TAPE_COMPARE_ARMS && st == TAPE_OK; i++)
		st = load_session(t, o, i, &set[i], &f[i], err);
	if (st == TAPE_OK)
		st = tape_compare_origin_join(&set[0], &set[1].origin, err);
	if (st == TAPE_OK)
		st = tape_canary_compare(
		    &c, o->given.canary, f[0].v, f[1].v, &co, err);
	if (st == TAPE_OK)
		st = write_reports(t, o, &r, err);
	tape_canary_release(&c);
	for (size_t i = 0; i < TAPE_COMPARE_ARMS; i++) {
		tape_compare_family_release(&f[i]);
		tape_compare_set_release(&set[i]);
	}
	return st;
}

static enum tape_status
run(struct tape_tool *t, struct options *o, struct tape_err *err)
{
	const struct tape_compare_given *g = &o->given;
	struct inputs in = { .set = { .aa = o->test.aa,
				 .within_ns = g->within_ns } };
	enum tape_status st = tape_compare_given_check(g, err);

	for (size_t i = 0; i < g->vary.count && st == TAPE_OK; i++)
		st = tape_compare_parse_vary(g->vary.items[i], &o->vary, err);
	if (st == TAPE_OK)
		st = set_method(o, &in.opts, err);
	if (st == TAPE_OK && g->gate != NULL)
		st = tape_gate_read(&in.gate, g->gate, err);
	if (st == TAPE_OK && g->canary != NULL)
		return run_canary(t, o, &in, err);
	if (st == TAPE_OK)
		st = load_looked(t, o, &in.looked, err);
	if (st == TAPE_OK)
		st = load(t, g, &in.set, err);
	if (st == TAPE_OK)
		st = tape_compare_check_vary(&in.set, &o->vary, err);
	if (st == TAPE_OK)
		st = compare(t, o, &in, err);
	tape_compare_looked_release(&in.looked);
	tape_compare_set_release(&in.set);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .given = { .alpha = 0.05, .seed = 1 } };
	struct tape_tool t;
	struct tape_err err = { 0 };
	char **spread = tape_opt_spread(&argc, argv, lists);
	int code;

	if (spread == NULL) {
		tape_diag_start(spec.tool);
		(void)tape_err_nomem(&err);
		return tape_diag_failure(&err);
	}
	if (tape_tool_start(&t, &spec, 0, argc, spread, &o))
		code = tape_tool_finish(&t, run(&t, &o, &err), &err);
	else
		code = t.exit_code;
	tape_mem_free(spread);
	return code;
}
