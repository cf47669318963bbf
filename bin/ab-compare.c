/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ab-compare: which of two deployments is slower, in which phase, with what
   confidence. */
#include "base/mem.h"
#include "cli/compare_opts.h"
#include "cli/compare_test_opts.h"
#include "cli/diag.h"
#include "cli/libs.h"
#include "cli/tool.h"
#include "engine/compare_args.h"
#include "engine/compare_arrange.h"
#include "engine/compare_data.h"
#include "engine/compare_design.h"
#include "engine/compare_formats.h"
#include "engine/compare_load.h"
#include "engine/compare_looked.h"
#include "engine/compare_power.h"
#include "engine/compare_record.h"

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

/* Refuses what an earlier look with another plan makes invalid. */
static enum tape_status
check_looked(const struct tape_compare_lookeds *looked,
    const struct tape_compare_report *r, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	return tape_compare_looked_check(looked, r->set->arm_name[0],
	    r->set->arm_name[1], r->rows, r->design->k, r->opts, notes, err);
}

/* Names both arms as --arms says. */
static enum tape_status
set_arms(const char *arms, struct tape_compare_set *set, struct tape_err *err)
{
	const char *comma;

	if (arms == NULL)
		return TAPE_OK;
	comma = strchr(arms, ',');
	if (comma == NULL || comma == arms || comma[1] == '\0' ||
	    strchr(comma + 1, ',') != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--arms takes two labels, as base,candidate");
	set->arm_name[TAPE_COMPARE_A] =
	    tape_str_make(arms, (size_t)(comma - arms));
	set->arm_name[TAPE_COMPARE_B] = tape_str_of(comma + 1);
	if (tape_str_equal(set->arm_name[0], set->arm_name[1]))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--arms takes two different labels");
	set->named = true;
	return TAPE_OK;
}

static enum tape_status
load_list(struct tape_tool *t, const struct tape_compare_given *o, size_t arm,
    struct tape_compare_set *set, struct tape_err *err)
{
	const struct tape_opt_list *files =
	    arm == TAPE_COMPARE_A ? &o->a : &o->b;
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
		st = load_list(t, o, TAPE_COMPARE_A, set, err);
		if (st == TAPE_OK)
			st = load_list(t, o, TAPE_COMPARE_B, set, err);
	} else {
		st = set_arms(o->arms, set, err);
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
print_json(struct tape_tool *t, const struct tape_compare_report *r,
    struct tape_buf *text, struct tape_err *err)
{
	const struct tape_compare_origin *o = &r->set->origin;
	struct tape_strs chains = { o->chains, o->n };
	struct tape_buf prov;
	enum tape_status st;

	tape_buf_init(&prov, TAPE_CAP_LINE);
	st = tape_tool_join_chains(t, &o->first, chains, &prov, err);
	if (st == TAPE_OK)
		st = tape_compare_write_json(r, t->exit_code,
		    tape_str_make(prov.data, prov.len), text, err);
	tape_buf_release(&prov);
	return st;
}

static enum tape_status
print_as(struct tape_tool *t, enum tape_compare_format format,
    const struct tape_compare_report *r, struct tape_buf *text,
    struct tape_err *err)
{
	switch (format) {
	case TAPE_COMPARE_JSON:
		return print_json(t, r, text, err);
	case TAPE_COMPARE_MARKDOWN:
		tape_compare_print_markdown(r, text);
		break;
	case TAPE_COMPARE_JUNIT:
		tape_compare_print_junit(r, text);
		break;
	case TAPE_COMPARE_BENCHSTAT:
		tape_compare_print_benchstat(r, text);
		break;
	case TAPE_COMPARE_AUTO:
	case TAPE_COMPARE_TABLE:
	case TAPE_COMPARE_STREAM:
		tape_compare_print(r, text);
		break;
	}
	return TAPE_OK;
}

static enum tape_status
write_text(struct tape_tool *t, enum tape_compare_format format,
    const struct tape_compare_report *r, struct tape_err *err)
{
	struct tape_buf text;
	enum tape_status st;

	tape_buf_init(&text, 2 * TAPE_CAP_LINE);
	st = print_as(t, format, r, &text, err);
	if (st == TAPE_OK)
		st = tape_buf_status(&text, err);
	if (st == TAPE_OK)
		st = tape_tool_text(t, err);
	if (st == TAPE_OK)
		st = tape_out_write(t->text, text.data, text.len, err);
	tape_buf_release(&text);
	return st;
}

static enum tape_status
write_stream(struct tape_tool *t, const struct tape_compare_report *r,
    struct tape_err *err)
{
	const struct tape_compare_origin *o = &r->set->origin;
	struct tape_strs chains = { o->chains, o->n };
	enum tape_status st;

	st = tape_tool_output(t, TAPE_FORMAT_REPORT, err);
	if (st == TAPE_OK)
		st = tape_tool_join(t, &o->first, chains, err);
	return st == TAPE_OK
		   ? tape_compare_write(r, t->exit_code, t->writer, err)
		   : st;
}

static int
exit_code(const struct tape_compare_verdict *v)
{
	if (v->progress == TAPE_COMPARE_ADD_PAIRS)
		return TAPE_EXIT_OPEN;
	if (v->overall == TAPE_COMPARE_ALL_NONE)
		return TAPE_EXIT_DATA;
	return v->counts[TAPE_COMPARE_LOSS] > 0 ? TAPE_EXIT_NO : TAPE_EXIT_DONE;
}

static enum tape_status
write_report(struct tape_tool *t, const struct options *o,
    const struct tape_compare_report *r, struct tape_err *err)
{
	enum tape_compare_format format =
	    (enum tape_compare_format)o->given.format;

	if (format == TAPE_COMPARE_AUTO)
		format =
		    o->common.output ? TAPE_COMPARE_STREAM : TAPE_COMPARE_TABLE;
	t->exit_code = exit_code(r->verdict);
	return format == TAPE_COMPARE_STREAM ? write_stream(t, r, err)
					     : write_text(t, format, r, err);
}

static enum tape_status
compare(struct tape_tool *t, const struct options *o, const struct inputs *in,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	const struct tape_compare_given *g = &o->given;
	const struct tape_compare_set *set = &in->set;
	struct tape_compare_row rows[TAPE_COMPARE_ROWS] = { { .def = NULL } };
	struct tape_compare_design design = { .pairs = NULL };
	struct tape_compare_verdict verdict;
	const struct tape_compare_report report = { set, &design, rows,
		&verdict, notes, &in->opts };
	enum tape_status st;

	if (tape_reader_ending(t->reader) == TAPE_ENDING_INTERRUPTED ||
	    t->ended == TAPE_ENDING_INTERRUPTED)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "interrupted",
		    "the input was interrupted: it is not the whole session");
	st = tape_compare_pair_runs(set, g->a.count > 0, &design, notes, err);
	if (st == TAPE_OK) {
		tape_compare_check_design(set, &o->vary, &design, notes);
		tape_compare_check_data(&design, notes);
		st = tape_compare_rows(&design, rows, err);
	}
	if (st == TAPE_OK && o->test.looked != NULL)
		st = check_looked(&in->looked, &report, notes, err);
	if (st == TAPE_OK)
		st = tape_compare_judge(
		    &design, rows, &in->opts, &verdict, notes, err);
	if (st == TAPE_OK) {
		tape_compare_power(rows, &in->opts, &verdict);
		st = write_report(t, o, &report, err);
	}
	tape_compare_rows_release(rows);
	tape_compare_design_release(&design);
	return st;
}

static enum tape_status
run(struct tape_tool *t, struct options *o, struct tape_err *err)
{
	const struct tape_compare_given *g = &o->given;
	struct inputs in = { .set = { .within_ns = g->within_ns } };
	struct tape_compare_notes notes = { .v = NULL };
	enum tape_status st = TAPE_OK;

	if (!(g->alpha > 0 && g->alpha < 0.5))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--alpha must be between 0 and 0.5");
	if (g->has_margin && !(g->margin_ratio > 0))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--margin must be positive");
	for (size_t i = 0; i < g->vary.count && st == TAPE_OK; i++)
		st = tape_compare_parse_vary(g->vary.items[i], &o->vary, err);
	if (st == TAPE_OK)
		st = set_method(o, &in.opts, err);
	if (st == TAPE_OK)
		st = load_looked(t, o, &in.looked, err);
	if (st == TAPE_OK)
		st = load(t, g, &in.set, err);
	if (st == TAPE_OK)
		st = tape_compare_check_vary(&in.set, &o->vary, err);
	if (st == TAPE_OK)
		st = compare(t, o, &in, &notes, err);
	tape_compare_notes_release(&notes);
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
