/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ab-compare: which of two deployments is slower, in which phase, with what
   confidence. */
#include "base/mem.h"
#include "cli/diag.h"
#include "cli/tool.h"
#include "engine/compare_load.h"
#include "engine/compare_record.h"

#include <stdio.h>

enum format { FORMAT_AUTO, FORMAT_TABLE, FORMAT_JSON, FORMAT_STREAM };

struct options {
	struct tape_opt_common common;
	struct tape_opt_list a;
	struct tape_opt_list b;
	const char *arms;
	double alpha;
	double margin_ratio;
	bool has_margin;
	unsigned vary;
	uint64_t seed;
	int format;
	bool allow_truncated;
};

static const char *const formats[] = { "auto", "table", "json", "stream",
	NULL };

/* The conditions that --vary names, in the order of their bits. */
static const char *const conditions[] = { "model", "extra", "load", "trace",
	"api", "warmup", NULL };

static enum tape_status
parse_vary(const char *arg, void *field, struct tape_err *err)
{
	unsigned *vary = field;
	const char *p = arg;

	while (*p != '\0') {
		size_t n = strcspn(p, ","), i = 0;

		while (conditions[i] != NULL &&
		       (strlen(conditions[i]) != n ||
			   strncmp(conditions[i], p, n) != 0))
			i++;
		if (conditions[i] == NULL)
			return tape_err_set(err, TAPE_E_USAGE,
			    "'%.*s' is none of model, extra, load, trace, api, "
			    "warmup",
			    (int)n, p);
		*vary |= 1U << i;
		p += n + (p[n] == ',');
	}
	return TAPE_OK;
}

#define AT(f) offsetof(struct options, f)

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Runs"),
	{ .name = "a",
	    .arg = "FILE",
	    .type = TAPE_OPT_LIST,
	    .at = AT(a),
	    .help = "runs of A, one or more files" },
	{ .name = "b",
	    .arg = "FILE",
	    .type = TAPE_OPT_LIST,
	    .at = AT(b),
	    .help = "runs of B, in the same order" },
	{ .name = "arms",
	    .arg = "A,B",
	    .type = TAPE_OPT_STRING,
	    .at = AT(arms),
	    .help = "labels of baseline and candidate" },
	{ .name = "vary",
	    .arg = "LIST",
	    .type = TAPE_OPT_CALL,
	    .at = AT(vary),
	    .parse = parse_vary,
	    .help = "what may differ: model, extra, load, ..." },
	{ .name = "allow-truncated",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(allow_truncated),
	    .help = "take inputs without an end" },
	TAPE_OPT_HEADING("Tests"),
	{ .name = "margin",
	    .arg = "M",
	    .type = TAPE_OPT_SHARE,
	    .at = AT(margin_ratio),
	    .seen_at = AT(has_margin),
	    .help = "what counts as equivalent, as 2%" },
	{ .name = "alpha",
	    .arg = "P",
	    .type = TAPE_OPT_SHARE,
	    .at = AT(alpha),
	    .help = "level of the tests (0.05)" },
	{ .name = "seed",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(seed),
	    .min = 0,
	    .max = INT64_C(1) << 53,
	    .help = "of drawn sign vectors (1)" },
	TAPE_OPT_HEADING("Output"),
	{ .name = "format",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(format),
	    .names = formats,
	    .help = "table, json or stream" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "a b" },
	{ TAPE_OPT_REQUIRES, "b a" },
	{ TAPE_OPT_EXCLUDES, "a arms" },
};

static const struct tape_opt_spec spec = {
	.tool = "ab-compare",
	.summary = "compare two deployments by interleaved runs",
	.usage = "[option ...] [file ...] | --a FILE ... --b FILE ...",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.max_operands = SIZE_MAX,
	.examples = "ab-compare runs.metrics\n"
		    "ab-compare --arms base,fp8 --margin 2% runs.metrics\n"
		    "ab-compare --a base-*.metrics --b fp8-*.metrics\n",
};

/* Shells expand --a base-*: what follows up to the next option is of A too.
   Gives an argv of its own, which is freed at exit by the system. */
static char **
spread_lists(int *argc, char **argv)
{
	static char a_name[] = "--a", b_name[] = "--b";
	char **v = tape_mem_calloc(2 * (size_t)*argc + 1, sizeof(*v));
	char *list = NULL;
	int n = 0;
	bool fresh = false;

	if (v == NULL)
		return argv;
	for (int i = 0; i < *argc; i++) {
		bool a = strcmp(argv[i], a_name) == 0;
		bool b = strcmp(argv[i], b_name) == 0;

		if (a || b) {
			list = a ? a_name : b_name;
			fresh = true;
		} else if (argv[i][0] == '-' && argv[i][1] != '\0') {
			list = NULL;
		} else if (list != NULL && !fresh) {
			v[n++] = list;
		} else {
			fresh = false;
		}
		v[n++] = argv[i];
	}
	*argc = n;
	return v;
}

/* Names both arms as --arms says, so that the order of runs does not. */
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
	set->arms = TAPE_COMPARE_ARMS;
	return TAPE_OK;
}

static enum tape_status
load_list(struct tape_tool *t, const struct options *o,
    const struct tape_opt_list *files, struct tape_compare_set *set, size_t arm,
    struct tape_err *err)
{
	enum tape_status st;

	st = tape_tool_input_paths(t, (const char *const *)files->items,
	    files->count, TAPE_FORMAT_METRICS, o->allow_truncated, err);
	return st == TAPE_OK ? tape_compare_load(set, t->reader, arm, err) : st;
}

static enum tape_status
load(struct tape_tool *t, const struct options *o, struct tape_compare_set *set,
    struct tape_err *err)
{
	enum tape_status st;

	if (o->a.count > 0) {
		if (t->opt.operand_count > 0)
			return tape_err_set(
			    err, TAPE_E_USAGE, "files besides --a and --b");
		set->arm_name[TAPE_COMPARE_A] = tape_str_of("A");
		set->arm_name[TAPE_COMPARE_B] = tape_str_of("B");
		set->arms = TAPE_COMPARE_ARMS;
		st = load_list(t, o, &o->a, set, TAPE_COMPARE_A, err);
		if (st == TAPE_OK)
			st = load_list(t, o, &o->b, set, TAPE_COMPARE_B, err);
	} else {
		st = set_arms(o->arms, set, err);
		if (st == TAPE_OK)
			st = tape_tool_input(
			    t, TAPE_FORMAT_METRICS, o->allow_truncated, err);
		if (st == TAPE_OK)
			st = tape_compare_load(
			    set, t->reader, TAPE_COMPARE_ANY_ARM, err);
	}
	if (st == TAPE_OK)
		tape_compare_load_done(set);
	return st;
}

static enum tape_status
put_stream(
    void *arg, enum tape_kind kind, const void *record, struct tape_err *err)
{
	return tape_writer_put(arg, kind, record, err);
}

/* Gathers the records into one document: rows, then the verdict. */
static enum tape_status
put_json(
    void *arg, enum tape_kind kind, const void *record, struct tape_err *err)
{
	struct tape_buf *doc = arg;

	if (doc->len == 0)
		(void)tape_buf_add_str(doc, "{\"comparisons\":[\n");
	else if (kind == TAPE_KIND_COMPARISON)
		(void)tape_buf_add_str(doc, ",\n");
	if (kind == TAPE_KIND_VERDICT)
		(void)tape_buf_add_str(doc, "\n],\"verdict\":\n");
	if (tape_record_encode(kind, record, doc, err) != TAPE_OK)
		return err->status;
	if (kind == TAPE_KIND_VERDICT)
		(void)tape_buf_add_str(doc, "}\n");
	return tape_buf_status(doc, err);
}

static enum tape_status
write_text(struct tape_tool *t, int format, const struct tape_compare_report *r,
    struct tape_err *err)
{
	struct tape_compare_sink sink = { put_json, NULL };
	struct tape_buf text;
	enum tape_status st = TAPE_OK;

	tape_buf_init(&text, TAPE_CAP_LINE);
	sink.arg = &text;
	if (format == FORMAT_JSON)
		st = tape_compare_write(r, t->exit_code, &sink, err);
	else
		tape_compare_print(r, &text);
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
	struct tape_compare_sink sink = { put_stream, NULL };
	enum tape_status st;

	st = tape_tool_output(t, TAPE_FORMAT_REPORT, err);
	if (st == TAPE_OK)
		st = tape_tool_begin(t, NULL, false, NULL, err);
	sink.arg = t->writer;
	if (st == TAPE_OK)
		st = tape_compare_write(r, t->exit_code, &sink, err);
	return st;
}

static int
exit_code(const struct tape_compare_report *r)
{
	if (r->verdict->overall == TAPE_COMPARE_ALL_NONE)
		return TAPE_EXIT_DATA;
	return r->verdict->counts[TAPE_COMPARE_LOSS] > 0 ? TAPE_EXIT_NO
							 : TAPE_EXIT_DONE;
}

static enum tape_status
compare(struct tape_tool *t, const struct options *o,
    struct tape_compare_set *set, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	struct tape_compare_row rows[TAPE_COMPARE_ROWS] = { { .def = NULL } };
	struct tape_compare_opts opts = { o->alpha,
		o->has_margin ? o->margin_ratio : TAPE_ABSENT_F64, o->seed };
	struct tape_compare_design design = { .pairs = NULL };
	struct tape_compare_verdict verdict;
	struct tape_compare_report report = { set, &design, rows, &verdict,
		notes, &opts };
	bool people = o->format == FORMAT_TABLE ||
		      (o->format == FORMAT_AUTO && o->common.output == NULL);
	enum tape_status st;

	st = tape_compare_pair_runs(
	    set, o->a.count > 0, o->vary, &design, notes, err);
	if (st == TAPE_OK)
		st = tape_compare_rows(&design, rows, err);
	if (st == TAPE_OK)
		st = tape_compare_judge(
		    &design, rows, &opts, &verdict, notes, err);
	if (st == TAPE_OK)
		t->exit_code = exit_code(&report);
	if (st == TAPE_OK && (people || o->format == FORMAT_JSON))
		st = write_text(t, o->format, &report, err);
	else if (st == TAPE_OK)
		st = write_stream(t, &report, err);
	tape_compare_rows_release(rows);
	tape_compare_design_release(&design);
	return st;
}

static enum tape_status
run(struct tape_tool *t, const struct options *o, struct tape_err *err)
{
	struct tape_compare_set set = { .arms = 0 };
	struct tape_compare_notes notes = { .v = NULL };
	enum tape_status st;

	if (!(o->alpha > 0 && o->alpha < 0.5))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--alpha must be between 0 and 0.5");
	if (o->has_margin && !(o->margin_ratio > 0))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--margin must be positive");
	st = load(t, o, &set, err);
	if (st == TAPE_OK)
		st = compare(t, o, &set, &notes, err);
	tape_compare_notes_release(&notes);
	tape_compare_set_release(&set);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .alpha = 0.05, .seed = 1 };
	struct tape_tool t;
	struct tape_err err = { 0 };

	argv = spread_lists(&argc, argv);
	if (!tape_tool_start(&t, &spec, 0, argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&t, &o, &err), &err);
}
