/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt_table.h"

static bool
was_given(const struct tape_opt_result *r, struct tape_str name)
{
	for (size_t i = 0; i < r->given_count; i++)
		if (tape_str_is(name, r->given[i].option->name))
			return true;
	return false;
}

bool
tape_opt_seen(const struct tape_opt_result *r, const char *name)
{
	return was_given(r, tape_str_of(name));
}

/* "--a, --b, --c" */
static const char *
print_list(const char *list, char *dst, size_t size)
{
	struct tape_buf b;

	tape_buf_init(&b, size - 1);
	while (*list != '\0') {
		struct tape_str w = tape_opt_table_word(&list);

		(void)tape_buf_add_fmt(
		    &b, "%s--%.*s", b.len > 0 ? ", " : "", (int)w.len, w.p);
	}
	memcpy(dst, b.data, b.len + 1);
	tape_buf_release(&b);
	return dst;
}

static enum tape_status
check_requires(
    const struct tape_opt_result *r, const char *list, struct tape_err *err)
{
	struct tape_str first = tape_opt_table_word(&list);

	if (!was_given(r, first))
		return TAPE_OK;
	while (*list != '\0') {
		struct tape_str w = tape_opt_table_word(&list);

		if (!was_given(r, w))
			return tape_err_set(err, TAPE_E_USAGE,
			    "--%.*s needs --%.*s", (int)first.len, first.p,
			    (int)w.len, w.p);
	}
	return TAPE_OK;
}

static enum tape_status
check_rule(const struct tape_opt_result *r, const struct tape_opt_rule *rule,
    struct tape_err *err)
{
	struct tape_str found[2] = { { NULL, 0 }, { NULL, 0 } };
	const char *list = rule->options;
	char names[256];
	size_t n = 0;

	if (rule->type == TAPE_OPT_REQUIRES)
		return check_requires(r, list, err);
	while (*list != '\0' && n < 2) {
		struct tape_str w = tape_opt_table_word(&list);

		if (was_given(r, w))
			found[n++] = w;
	}
	if (n == 0 && rule->type != TAPE_OPT_EXCLUDES)
		return tape_err_set(err, TAPE_E_USAGE,
		    strchr(rule->options, ' ') != NULL ? "one of %s is needed"
						       : "%s is needed",
		    print_list(rule->options, names, sizeof(names)));
	if (n == 2 && rule->type != TAPE_OPT_ANY_OF)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--%.*s and --%.*s exclude each other", (int)found[0].len,
		    found[0].p, (int)found[1].len, found[1].p);
	return TAPE_OK;
}

static enum tape_status
check_operands(const struct tape_opt_result *r, struct tape_err *err)
{
	const struct tape_opt_spec *s = r->spec;
	struct tape_buf b;

	if (r->operand_count < s->min_operands)
		return tape_err_set(err, TAPE_E_USAGE,
		    "an operand is missing; usage: %s %s", s->tool, s->usage);
	if (r->operand_count <= s->max_operands)
		return TAPE_OK;
	tape_buf_init(&b, 200);
	(void)tape_opt_redact(
	    r->operands[s->max_operands], s->operand_secrecy, &b);
	(void)tape_err_set(
	    err, TAPE_E_USAGE, "operand '%s' is one too many", b.data);
	tape_buf_release(&b);
	return TAPE_E_USAGE;
}

static enum tape_status
check_rules(const struct tape_opt_result *r, const struct tape_opt_rule *rules,
    size_t n, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = check_rule(r, &rules[i], err);
	return st;
}

enum tape_status
tape_opt_rules_check(const struct tape_opt_result *r, struct tape_err *err)
{
	const struct tape_opt_spec *s = r->spec;
	enum tape_status st = check_rules(r, s->rules, s->rule_count, err);

	for (size_t i = 0; i < s->join_count && st == TAPE_OK; i++)
		st = check_rules(r, s->joins[i].part->rules,
		    s->joins[i].part->rule_count, err);
	return st == TAPE_OK ? check_operands(r, err) : st;
}
