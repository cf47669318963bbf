/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace-view: what is in a stream; one exchange of it, read by read. */
#include "cli/diag.h"
#include "cli/libs.h"
#include "cli/tool.h"
#include "engine/view_find.h"
#include "engine/view_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

struct options {
	struct tape_opt_common common;
	const char *id;
	int64_t x;
	bool has_x;
	int64_t run;
	bool has_run;
	bool timeline;
	bool others;
	bool no_index;
	uint64_t width;
	bool json;
	bool allow_truncated;
};

#define AT(f)   offsetof(struct options, f)
#define SEEN(f) .seen_at = offsetof(struct options, has_##f)

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("One exchange"),
	{ .name = "id",
	    .arg = "ID",
	    .type = TAPE_OPT_STRING,
	    .at = AT(id),
	    .help = "exchanges of the request of that id" },
	{ .name = "x",
	    .arg = "N",
	    .type = TAPE_OPT_I64,
	    .at = AT(x),
	    SEEN(x),
	    .help = "the exchange of that number" },
	{ .name = "run",
	    .arg = "N",
	    .type = TAPE_OPT_I64,
	    .at = AT(run),
	    SEEN(run),
	    .help = "of that run only" },
	{ .name = "timeline",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(timeline),
	    .help = "read by read; not its records" },
	{ .name = "others",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(others),
	    .help = "list what else was in flight" },
	TAPE_OPT_HEADING("Output"),
	{ .name = "json",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(json),
	    .help = "an object a line, for machines" },
	{ .name = "allow-truncated",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(allow_truncated),
	    .help = "input without its end is no error" },
	TAPE_OPT_RARE("Rarely needed"),
	{ .name = "no-index",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(no_index),
	    .help = "read all, whatever the index says" },
	{ .name = "width",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(width),
	    .min = TAPE_VIEW_WIDTH_MIN,
	    .max = 100000,
	    .help = "columns of a line (100)" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "others timeline" },
};

static const struct tape_opt_spec spec = {
	.tool = "trace-view",
	.summary = "show what is in a stream",
	.usage = "[option ...] [file ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.libs = tape_libs_streams,
	.max_operands = SIZE_MAX,
	.examples = "trace-view run.wire\n"
		    "trace-view --id 17 --timeline run.wire\n"
		    "trace-view --json run.wire | jq .integrity\n",
};

/* The tool at work. */
struct work {
	struct tape_tool *tool;
	const struct options *options;
	struct tape_view_text text;
	struct tape_view_line line;
	bool refused; /* an input is not what it should be */
};

/* Names an input's fault, and remembers that there was one. */
static void
blame(struct work *w, const struct tape_err *why)
{
	char text[512];

	(void)tape_err_format(why, text, sizeof(text));
	w->refused = w->refused || why->status != TAPE_E_TRUNC;
	if (why->status == TAPE_E_TRUNC && w->options->allow_truncated) {
		tape_diag_warn("%s", text);
		return;
	}
	tape_diag_error("%s", text);
	w->tool->exit_code =
	    tape_diag_worse(w->tool->exit_code, TAPE_EXIT_INPUT);
}

/* The overview. */

static enum tape_status
show_segment(void *arg, const struct tape_view_sum *s, struct tape_err *err)
{
	struct work *w = arg;

	return w->options->json ? tape_view_sum_json(&w->text, s, err)
				: tape_view_sum_text(&w->text, s, err);
}

static enum tape_status
sum_up(struct work *w, struct tape_in *in, struct tape_err *err)
{
	const struct tape_view_sum_sink sink = { show_segment, w };
	struct tape_view_sum_result r;
	enum tape_status st = tape_view_sum(in, sink, &r, err);

	if (st == TAPE_OK && r.err.status != TAPE_OK)
		blame(w, &r.err);
	return st;
}

static enum tape_status
view_all(struct work *w, struct tape_err *err)
{
	struct tape_tool_inputs inputs = { NULL, 0 };
	struct tape_in *in;
	enum tape_status st = tape_tool_open_inputs(w->tool, &inputs, err);

	if (st == TAPE_OK)
		st = tape_tool_text(w->tool, err);
	w->text.out = w->tool->text;
	for (size_t i = 0; i < inputs.n && st == TAPE_OK; i++) {
		in = inputs.in[i];
		inputs.in[i] = NULL; /* it is owned from now on */
		st = sum_up(w, in, err);
	}
	tape_tool_close_inputs(&inputs);
	return st;
}

/* One exchange. */

static enum tape_status
show_found(void *arg, const struct tape_view_found *f,
    const struct tape_view_crowd *crowd, struct tape_err *err)
{
	struct work *w = arg;
	struct tape_err why;
	enum tape_status st;

	if (!w->options->timeline)
		return tape_out_write(
		    w->tool->text, f->lines.data, f->lines.len, err);
	st = tape_view_line_tell(&w->line, f, crowd, err);
	if (st == TAPE_OK && w->line.story.err.status != TAPE_OK) {
		why = w->line.story.err;
		(void)tape_err_at(&why, f->place.name, f->line);
		blame(w, &why);
	}
	return st;
}

static void
report(struct work *w, const char *name, const struct tape_view_findings *r)
{
	struct tape_err why = r->err;

	if (why.status == TAPE_OK && r->failed) {
		(void)tape_err_set(&why, TAPE_E_TRUNC,
		    "what made this stream failed before its end");
		(void)tape_err_at(&why, name, 0);
	}
	if (why.status != TAPE_OK)
		blame(w, &why);
	if (r->indexed)
		tape_diag_note("%s: %" PRIu64 " of %" PRIu64
			       " indexed parts were decoded",
		    name, r->decoded, r->parts);
	else
		tape_diag_note("%s: all of it was read", name);
}

static enum tape_status
find_in(struct work *w, const char *path, const struct tape_view_want *want,
    uint64_t *found, struct tape_err *err)
{
	const struct tape_view_sink sink = { show_found, w };
	struct tape_view_input in = { .name = path,
		.no_index = w->options->no_index };
	struct tape_view_findings r;
	enum tape_status st;

	st = tape_tool_open_fd(w->tool, path, &in.fd, err);
	if (st != TAPE_OK)
		return st;
	st = tape_view_find(&in, want, sink, &r, err);
	if (in.fd > STDIN_FILENO)
		(void)close(in.fd);
	if (st == TAPE_OK)
		report(w, path, &r);
	*found += r.found;
	return st;
}

static void
say_not_found(struct work *w)
{
	const struct options *o = w->options;
	char x[40] = "", run[40] = "";

	if (o->has_x)
		(void)snprintf(x, sizeof(x), "%sx %" PRId64,
		    o->id != NULL ? " and " : "", o->x);
	if (o->has_run)
		(void)snprintf(run, sizeof(run), " in run %" PRId64, o->run);
	tape_diag_error("there is no exchange with %s%s%s%s",
	    o->id != NULL ? "id " : "", o->id != NULL ? o->id : "", x, run);
	w->tool->exit_code = tape_diag_worse(w->tool->exit_code, TAPE_EXIT_NO);
}

static enum tape_status
find(struct work *w, struct tape_err *err)
{
	static char standard[] = "-";
	const struct options *o = w->options;
	const struct tape_view_want want = { .id = tape_str_of(o->id),
		.x = o->has_x ? o->x : TAPE_ABSENT_I64,
		.run = o->has_run ? o->run : TAPE_ABSENT_I64,
		.others = o->others };
	const size_t n = w->tool->opt.operand_count;
	uint64_t found = 0;
	enum tape_status st = tape_tool_text(w->tool, err);

	w->text.out = w->tool->text;
	for (size_t i = 0; i < (n > 0 ? n : 1) && st == TAPE_OK; i++)
		st = find_in(w, n > 0 ? w->tool->opt.operands[i] : standard,
		    &want, &found, err);
	if (st == TAPE_OK && found == 0 && !w->refused)
		say_not_found(w);
	return st;
}

static enum tape_status
check(const struct options *o, struct tape_err *err)
{
	const bool one = o->id != NULL || o->has_x;

	if (!one && (o->timeline || o->has_run || o->no_index))
		return tape_err_set(err, TAPE_E_USAGE,
		    "%s is of one exchange: give --id or --x",
		    o->timeline  ? "--timeline"
		    : o->has_run ? "--run"
				 : "--no-index");
	if (one && o->json && !o->timeline)
		return tape_err_set(err, TAPE_E_USAGE,
		    "records are JSON already: --json is of --timeline");
	return TAPE_OK;
}

static enum tape_status
run(struct tape_tool *t, const struct options *o, struct tape_err *err)
{
	struct work w = { .tool = t, .options = o };
	enum tape_status st = check(o, err);

	if (st != TAPE_OK)
		return st;
	tape_view_text_init(&w.text, NULL);
	w.text.width = (size_t)o->width;
	w.text.others = o->others;
	tape_view_line_init(&w.line,
	    o->json ? tape_view_to_json(&w.text) : tape_view_to_text(&w.text));
	st = o->id != NULL || o->has_x ? find(&w, err) : view_all(&w, err);
	tape_view_line_release(&w.line);
	tape_view_text_release(&w.text);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .width = TAPE_VIEW_WIDTH };
	struct tape_tool t;
	struct tape_err err = { 0 };

	if (!tape_tool_start(&t, &spec, 0, argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&t, &o, &err), &err);
}
