/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt_table.h"

#define AT(field) offsetof(struct tape_opt_common, field)

static const struct tape_opt common[] = {
	TAPE_OPT_HEADING("Common"),
	{
	    .name = "output",
	    .letter = 'o',
	    .arg = "FILE",
	    .type = TAPE_OPT_PATH,
	    .at = AT(output),
	    .help = "write to FILE, not to standard output",
	},
	{
	    .name = "compress",
	    .letter = 'z',
	    .arg = "LEVEL",
	    .type = TAPE_OPT_U64,
	    .at = AT(level),
	    .seen_at = AT(level_given),
	    .max = 19,
	    .help = "zstd level (1); 0 is plain text",
	},
	{
	    .name = "force",
	    .at = AT(force),
	    .help = "overwrite; use a terminal for data",
	},
	{
	    .name = "no-host",
	    .at = AT(no_host),
	    .help = "leave this host out of provenance",
	},
	{
	    .name = "quiet",
	    .letter = 'q',
	    .at = AT(quiet),
	    .help = "errors only on standard error",
	},
	{
	    .name = "verbose",
	    .letter = 'v',
	    .at = AT(verbose),
	    .help = "notes, too",
	},
	{
	    .name = "help",
	    .letter = 'h',
	    .help = "this text",
	},
	{
	    .name = "help-all",
	    .help = "the same with all options",
	},
	{
	    .name = "version",
	    .letter = 'V',
	    .help = "versions and licence",
	},
	/* The last is hidden. */
	{
	    .name = "list-options",
	    .help = "",
	},
};

#define COMMON (sizeof(common) / sizeof(common[0]))

size_t
tape_opt_table_count(const struct tape_opt_spec *s)
{
	size_t n = s->option_count + COMMON;

	for (size_t i = 0; i < s->join_count; i++)
		n += s->joins[i].part->option_count;
	return n;
}

const struct tape_opt *
tape_opt_table_entry(const struct tape_opt_spec *s, size_t i)
{
	if (i < s->option_count)
		return &s->options[i];
	i -= s->option_count;
	for (size_t k = 0; k < s->join_count; k++) {
		const struct tape_opt_part *p = s->joins[k].part;

		if (i < p->option_count)
			return &p->options[i];
		i -= p->option_count;
	}
	return &common[i];
}

size_t
tape_opt_table_base(const struct tape_opt_spec *s, const struct tape_opt *o)
{
	for (size_t k = 0; k < s->join_count; k++) {
		const struct tape_opt_part *p = s->joins[k].part;

		for (size_t i = 0; i < p->option_count; i++)
			if (o == &p->options[i])
				return s->joins[k].at;
	}
	return 0;
}

const struct tape_opt *
tape_opt_table_find(const struct tape_opt_spec *s, struct tape_str name)
{
	for (size_t i = 0; i < tape_opt_table_count(s); i++) {
		const struct tape_opt *o = tape_opt_table_entry(s, i);

		if (tape_str_is(name, o->name))
			return o;
	}
	return NULL;
}

enum tape_opt_action
tape_opt_table_action(const struct tape_opt *o)
{
	if (o == &common[COMMON - 1])
		return TAPE_OPT_NAMES;
	if (o == &common[COMMON - 2])
		return TAPE_OPT_VERSION;
	if (o == &common[COMMON - 3])
		return TAPE_OPT_HELP_ALL;
	if (o == &common[COMMON - 4])
		return TAPE_OPT_HELP;
	return TAPE_OPT_RUN;
}

struct tape_str
tape_opt_table_word(const char **list)
{
	struct tape_str word = { *list, strcspn(*list, " ") };

	*list += word.len;
	*list += **list == ' ';
	return word;
}

static const char *
fault(const struct tape_opt *o)
{
	if (o->help == NULL)
		return "has no help";
	if (strspn(o->name, "abcdefghijklmnopqrstuvwxyz0123456789-") !=
		strlen(o->name) ||
	    o->name[0] == '-' || o->name[0] == '\0')
		return "has a bad name";
	if ((o->type == TAPE_OPT_FLAG) != (o->arg == NULL))
		return "has an argument's name too many or too few";
	if ((o->type == TAPE_OPT_ENUM) != (o->names != NULL))
		return "has a list of names too many or too few";
	if ((o->type == TAPE_OPT_CALL) != (o->parse != NULL))
		return "has a parser too many or too few";
	return NULL;
}

static enum tape_status
check_entry(const struct tape_opt_spec *s, size_t i, struct tape_err *err)
{
	const struct tape_opt *o = tape_opt_table_entry(s, i);
	const char *why;

	if (o->name == NULL && o->help != NULL)
		return TAPE_OK;
	if (o->name == NULL)
		return tape_err_set(err, TAPE_E_BUG, "option %zu is empty", i);
	why = fault(o);
	if (why != NULL)
		return tape_err_set(err, TAPE_E_BUG, "--%s %s", o->name, why);
	for (size_t k = 0; k < i; k++) {
		const struct tape_opt *p = tape_opt_table_entry(s, k);

		if (p->name == NULL)
			continue;
		if (strcmp(p->name, o->name) == 0 ||
		    (o->letter != '\0' && p->letter == o->letter))
			return tape_err_set(err, TAPE_E_BUG,
			    "--%s stands in the table twice", o->name);
	}
	return TAPE_OK;
}

static enum tape_status
check_rules(const struct tape_opt_spec *s, const struct tape_opt_rule *rules,
    size_t n, struct tape_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const char *list = rules[i].options;

		while (*list != '\0') {
			struct tape_str w = tape_opt_table_word(&list);

			if (tape_opt_table_find(s, w) == NULL)
				return tape_err_set(err, TAPE_E_BUG,
				    "a rule names '%.*s', which is no option",
				    (int)w.len, w.p);
		}
	}
	return TAPE_OK;
}

enum tape_status
tape_opt_table_check(const struct tape_opt_spec *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < tape_opt_table_count(s) && st == TAPE_OK; i++)
		st = check_entry(s, i, err);
	if (st == TAPE_OK)
		st = check_rules(s, s->rules, s->rule_count, err);
	for (size_t k = 0; k < s->join_count && st == TAPE_OK; k++)
		st = check_rules(s, s->joins[k].part->rules,
		    s->joins[k].part->rule_count, err);
	return st;
}
