/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare_test_opts.h"

static const char *const spendings[] = { "obf", "pocock", NULL };
static const char *const intervals[] = { "t", "exact", NULL };

#define AT(f) offsetof(struct tape_compare_test_given, f)

static const struct tape_opt table[] = {
	TAPE_OPT_RARE("Adding pairs"),
	{ .name = "sequential",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(sequential),
	    .help = "look after every pair; 7: add more" },
	{ .name = "looks",
	    .arg = "LIST",
	    .type = TAPE_OPT_STRING,
	    .at = AT(looks),
	    .help = "look at so many pairs only, as 8,12,20" },
	{ .name = "spending",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(spending),
	    .names = spendings,
	    .help = "of alpha over the looks: obf (default), pocock" },
	{ .name = "max-pairs",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(max_pairs),
	    .min = 3,
	    .max = 4000,
	    .help = "end undecided at so many" },
	{ .name = "looked",
	    .arg = "FILE",
	    .type = TAPE_OPT_STRING,
	    .at = AT(looked),
	    .help = "report of the look before: same plan" },
	TAPE_OPT_RARE("Noise"),
	{ .name = "aa",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(aa),
	    .help = "equal arms, or one: the noise floor" },
	TAPE_OPT_RARE("Families and intervals"),
	{ .name = "primary",
	    .arg = "LIST",
	    .type = TAPE_OPT_STRING,
	    .at = AT(primary),
	    .help = "rows that decide, as itl,ttft-p99 (all)" },
	{ .name = "by",
	    .arg = "LABELS",
	    .type = TAPE_OPT_STRING,
	    .at = AT(by),
	    .help = "points of a sweep, as concurrency" },
	{ .name = "exploratory",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(exploratory),
	    .help = "bound the share of false rows (BH), not any" },
	{ .name = "ci",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(ci),
	    .names = intervals,
	    .help = "intervals: t (default), exact" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_EXCLUDES, "sequential looks" },
	{ TAPE_OPT_EXCLUDES, "sequential exploratory" },
	{ TAPE_OPT_EXCLUDES, "sequential ci" },
	{ TAPE_OPT_EXCLUDES, "looks exploratory" },
	{ TAPE_OPT_EXCLUDES, "looks ci" },
	{ TAPE_OPT_REQUIRES, "spending looks" },
	{ TAPE_OPT_EXCLUDES, "aa sequential" },
	{ TAPE_OPT_EXCLUDES, "aa looks" },
};

const struct tape_opt_part tape_compare_test_opts_part = {
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
};
