/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "cli/diag.h"
#include "cli/opt_table.h"

#include <getopt.h>
#include <unistd.h>

/* getopt's value for entry i: above every letter. */
#define VALUE_OF(i) ((int)(i) + 256)

#define CLOSEST 3 /* so many edits apart may still be meant */
#define WORD    40

struct scan {
	struct tape_opt_result *r;
	struct option *longs;
	struct tape_buf shorts;
	char **argv;
};

static int
argument_of(const struct tape_opt *o)
{
	if (o->arg == NULL)
		return no_argument;
	return o->type == TAPE_OPT_MAYBE ? optional_argument
					 : required_argument;
}

static enum tape_status
make_arrays(struct scan *s, struct tape_err *err)
{
	size_t count = tape_opt_table_count(s->r->spec);
	size_t n = 0;

	s->longs = tape_mem_calloc(count + 1, sizeof(*s->longs));
	if (s->longs == NULL)
		return tape_err_nomem(err);
	(void)tape_buf_add_char(&s->shorts, ':');
	for (size_t i = 0; i < count; i++) {
		const struct tape_opt *o = tape_opt_table_entry(s->r->spec, i);

		if (o->name == NULL)
			continue;
		s->longs[n].name = o->name;
		s->longs[n].has_arg = argument_of(o);
		s->longs[n++].val = VALUE_OF(i);
		if (o->letter == '\0')
			continue;
		(void)tape_buf_add_fmt(
		    &s->shorts, "%c%.*s", o->letter, argument_of(o), "::");
	}
	return tape_buf_status(&s->shorts, err);
}

static const struct tape_opt *
option_of(const struct tape_opt_spec *s, int c)
{
	size_t count = tape_opt_table_count(s);

	if (c >= VALUE_OF(0) && c < VALUE_OF(count))
		return tape_opt_table_entry(s, (size_t)(c - VALUE_OF(0)));
	for (size_t i = 0; i < count && c > 0; i++)
		if (tape_opt_table_entry(s, i)->letter == c)
			return tape_opt_table_entry(s, i);
	return NULL;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Insertions, deletions and replacements that make one word the other. */
static size_t
distance(struct tape_str a, struct tape_str b)
{
	size_t row[WORD + 1];

	if (a.len > WORD || b.len > WORD)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			size_t swap = diagonal + (a.p[i - 1] != b.p[j - 1]);

			diagonal = row[j];
			row[j] = least(swap, least(row[j], row[j - 1]) + 1);
		}
	}
	return row[b.len];
}

static enum tape_status
refuse_unknown(
    const struct tape_opt_spec *s, struct tape_str name, struct tape_err *err)
{
	const struct tape_opt *meant = NULL;
	size_t best = least(CLOSEST, name.len / 2 + 1);

	for (size_t i = 0; i < tape_opt_table_count(s); i++) {
		const struct tape_opt *o = tape_opt_table_entry(s, i);
		size_t d = o->name == NULL
			       ? SIZE_MAX
			       : distance(name, tape_str_of(o->name));

		if (d < best) {
			best = d;
			meant = o;
		}
	}
	if (meant == NULL)
		return tape_err_set(err, TAPE_E_USAGE, "unknown option --%.*s",
		    (int)least(name.len, WORD), name.p);
	return tape_err_set(err, TAPE_E_USAGE,
	    "unknown option --%.*s; did you mean --%s?", (int)name.len, name.p,
	    meant->name);
}

/* A long option that getopt did not take: unknown, or short for several.
   What stands behind = is not repeated, as it may be a secret. */
static enum tape_status
refuse_long(
    const struct tape_opt_spec *s, const char *arg, struct tape_err *err)
{
	struct tape_str name = { arg + 2, strcspn(arg + 2, "=") };
	const char *first = NULL;

	for (size_t i = 0; i < tape_opt_table_count(s); i++) {
		const char *n = tape_opt_table_entry(s, i)->name;

		if (n == NULL || strncmp(n, name.p, name.len) != 0)
			continue;
		if (first != NULL)
			return tape_err_set(err, TAPE_E_USAGE,
			    "option --%.*s could be --%s or --%s",
			    (int)name.len, name.p, first, n);
		first = n;
	}
	return refuse_unknown(s, name, err);
}

static enum tape_status
refuse(const struct scan *s, int c, struct tape_err *err)
{
	const struct tape_opt *o = option_of(s->r->spec, optopt);

	if (c == ':' && o != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--%s needs an argument: %s", o->name, o->arg);
	if (o != NULL)
		return tape_err_set(
		    err, TAPE_E_USAGE, "--%s takes no argument", o->name);
	if (optopt != 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "unknown option -%c", optopt);
	return refuse_long(s->r->spec, s->argv[optind - 1], err);
}

static enum tape_status
take(struct tape_opt_result *r, const struct tape_opt *o, const char *arg,
    struct tape_err *err)
{
	void *given = r->given;
	size_t size = r->given_size;

	if (tape_mem_grow(
		&given, &size, r->given_count + 1, sizeof(*r->given)) != 0)
		return tape_err_nomem(err);
	r->given = given;
	r->given_size = size;
	r->given[r->given_count].option = o;
	r->given[r->given_count++].value = arg;
	return tape_opt_value_set(
	    o, arg, (char *)r->options + tape_opt_table_base(r->spec, o), err);
}

static enum tape_status
scan_all(struct scan *s, int argc, struct tape_err *err)
{
	struct tape_opt_result *r = s->r;
	enum tape_status st = TAPE_OK;
	int c;

	/* 0, not 1: glibc's way to start over. */
	optind = 0;
	opterr = 0;
	while (st == TAPE_OK && r->action == TAPE_OPT_RUN) {
		c = getopt_long(argc, s->argv, s->shorts.data, s->longs, NULL);
		if (c == -1)
			break;
		const struct tape_opt *o =
		    c == '?' || c == ':' ? NULL : option_of(r->spec, c);
		if (o == NULL)
			return refuse(s, c, err);
		r->action = tape_opt_table_action(o);
		if (r->action == TAPE_OPT_RUN)
			st = take(r, o, optarg, err);
	}
	r->operands = s->argv + optind;
	r->operand_count = argc > optind ? (size_t)(argc - optind) : 0;
	return st;
}

enum tape_status
tape_opt_parse(const struct tape_opt_spec *spec, int argc, char **argv,
    void *options, struct tape_opt_result *r, struct tape_err *err)
{
	struct scan s = { .r = r, .argv = argv };
	enum tape_status st;

	*r = (struct tape_opt_result){ .spec = spec, .options = options };
	*(struct tape_opt_common *)options =
	    (struct tape_opt_common){ .level = 1 };
	st = tape_opt_table_check(spec, err);
	if (st != TAPE_OK)
		return st;
	tape_buf_init(&s.shorts, 1024);
	st = make_arrays(&s, err);
	if (st == TAPE_OK)
		st = scan_all(&s, argc, err);
	tape_mem_free(s.longs);
	tape_buf_release(&s.shorts);
	if (st == TAPE_OK && r->action == TAPE_OPT_RUN)
		st = tape_opt_rules_check(r, err);
	return st;
}

void
tape_opt_release(struct tape_opt_result *r)
{
	for (size_t i = 0; i < r->given_count; i++) {
		const struct tape_opt *o = r->given[i].option;
		struct tape_opt_list *list;

		if (o->type != TAPE_OPT_LIST)
			continue;
		list = (void *)((char *)r->options +
				tape_opt_table_base(r->spec, o) + o->at);
		tape_mem_free(list->items);
		*list = (struct tape_opt_list){ 0 };
	}
	tape_mem_free(r->given);
	*r = (struct tape_opt_result){ 0 };
}

static enum tape_status
print(const struct tape_opt_spec *spec, enum tape_opt_action action,
    struct tape_err *err)
{
	struct tape_buf b;
	enum tape_status st;

	tape_buf_init(&b, TAPE_CAP_BODY_IN_HAND);
	if (action == TAPE_OPT_HELP || action == TAPE_OPT_HELP_ALL)
		tape_opt_print_help(spec, action == TAPE_OPT_HELP_ALL, &b);
	else if (action == TAPE_OPT_VERSION)
		tape_opt_print_version(spec, &b);
	else
		tape_opt_print_names(spec, &b);
	st = tape_buf_status(&b, err);
	if (st == TAPE_OK)
		st = tape_fdio_write(STDOUT_FILENO, b.data, b.len, err);
	tape_buf_release(&b);
	return st;
}

bool
tape_opt_start(const struct tape_opt_spec *spec, int argc, char **argv,
    void *options, struct tape_opt_result *r, int *exit_code)
{
	const struct tape_opt_common *common = options;
	struct tape_err err = { 0 };
	enum tape_status st;

	tape_diag_start(spec->tool);
	st = tape_opt_parse(spec, argc, argv, options, r, &err);
	tape_diag_level(common->quiet, common->verbose);
	if (st == TAPE_OK && r->action == TAPE_OPT_RUN)
		return true;
	if (st == TAPE_OK)
		st = print(spec, r->action, &err);
	*exit_code = st == TAPE_OK ? TAPE_EXIT_DONE : tape_diag_failure(&err);
	tape_opt_release(r);
	return false;
}
