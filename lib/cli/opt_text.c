/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt_table.h"
#include "tape_build.h"

#define WIDEST 30 /* of the left column; a wider entry pushes its text */

static bool
is_hidden(const struct tape_opt *o)
{
	return tape_opt_table_action(o) == TAPE_OPT_NAMES;
}

/* Entry i, when it stands in the help that is asked for; *rare is kept between
   the calls, which go up from 0. */
static const struct tape_opt *
shown(const struct tape_opt_spec *s, size_t i, bool all, bool *rare)
{
	const struct tape_opt *o = tape_opt_table_entry(s, i);

	if (o->name == NULL)
		*rare = o->rare;
	return (*rare && !all) || is_hidden(o) ? NULL : o;
}

/* "--rate R", "--wait-ready[=PATH]", "-o, --output FILE" */
static void
add_name(struct tape_buf *out, const struct tape_opt *o)
{
	if (o->letter != '\0')
		(void)tape_buf_add_fmt(out, "-%c, ", o->letter);
	(void)tape_buf_add_fmt(out, "--%s", o->name);
	if (o->type == TAPE_OPT_MAYBE)
		(void)tape_buf_add_fmt(out, "[=%s]", o->arg);
	else if (o->arg != NULL)
		(void)tape_buf_add_fmt(out, " %s", o->arg);
}

/* Columns of an entry: two, four for the letter, the name. */
static size_t
width_of(const struct tape_opt *o)
{
	size_t arg = o->arg != NULL ? strlen(o->arg) + 1 : 0;

	return 6 + 2 + strlen(o->name) + arg +
	       (o->type == TAPE_OPT_MAYBE ? 2 : 0);
}

static size_t
column_of(const struct tape_opt_spec *s, bool all)
{
	size_t widest = 0;
	bool rare = false;

	for (size_t i = 0; i < tape_opt_table_count(s); i++) {
		const struct tape_opt *o = shown(s, i, all, &rare);

		if (o == NULL || o->name == NULL)
			continue;
		if (width_of(o) > widest && width_of(o) <= WIDEST)
			widest = width_of(o);
	}
	return widest + 2;
}

static void
add_entry(struct tape_buf *out, const struct tape_opt *o, size_t column)
{
	size_t from = out->len;
	size_t width;

	if (o->name == NULL) {
		(void)tape_buf_add_fmt(out, "%s:\n", o->help);
		return;
	}
	(void)tape_buf_add_str(out, o->letter != '\0' ? "  " : "      ");
	add_name(out, o);
	width = out->len - from;
	(void)tape_buf_add_fmt(out, "%*s%s\n",
	    (int)(width + 2 > column ? 2 : column - width), "", o->help);
}

void
tape_opt_print_help(
    const struct tape_opt_spec *s, bool all, struct tape_buf *out)
{
	size_t column = column_of(s, all);
	bool rare = false, more = false;

	(void)tape_buf_add_fmt(out, "%s: %s\nusage: %s %s\n\n", s->tool,
	    s->summary, s->tool, s->usage);
	for (size_t i = 0; i < tape_opt_table_count(s); i++) {
		const struct tape_opt *o = shown(s, i, all, &rare);

		more = more || (rare && !all);
		if (o != NULL)
			add_entry(out, o, column);
	}
	if (more)
		(void)tape_buf_add_str(
		    out, "There are more options: see --help-all\n");
	if (s->examples != NULL)
		(void)tape_buf_add_fmt(out, "\nExamples:\n%s", s->examples);
	(void)tape_buf_add_fmt(
	    out, "\nExit codes, streams and the rest: see %s(1)\n", s->tool);
}

void
tape_opt_print_version(const struct tape_opt_spec *s, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(out, "%s (llmtape) %s\n", s->tool, TAPE_VERSION);
	if (s->libs != NULL) {
		s->libs(out);
		(void)tape_buf_add_char(out, '\n');
	}
	(void)tape_buf_add_str(
	    out, "Licence GPL-3.0-or-later; there is no warranty.\n");
}

void
tape_opt_print_names(const struct tape_opt_spec *s, struct tape_buf *out)
{
	for (size_t i = 0; i < tape_opt_table_count(s); i++) {
		const struct tape_opt *o = tape_opt_table_entry(s, i);

		if (o->name == NULL || is_hidden(o))
			continue;
		add_name(out, o);
		(void)tape_buf_add_char(out, '\n');
	}
}
