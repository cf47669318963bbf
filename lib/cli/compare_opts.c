/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare_opts.h"

static const char *const formats[] = { "auto", "table", "json", "markdown",
	"junit", "benchstat", "stream", NULL };

#define AT(f) offsetof(struct tape_compare_given, f)

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
	    .help = "runs of B, one or more files" },
	{ .name = "arms",
	    .arg = "A,B",
	    .type = TAPE_OPT_STRING,
	    .at = AT(arms),
	    .help = "labels of baseline and candidate" },
	{ .name = "vary",
	    .arg = "LIST",
	    .type = TAPE_OPT_LIST,
	    .at = AT(vary),
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
	    .help = "table, json, markdown, junit, benchstat, stream" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "a b" },
	{ TAPE_OPT_REQUIRES, "b a" },
	{ TAPE_OPT_EXCLUDES, "a arms" },
};

const struct tape_opt_part tape_compare_opts_part = {
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
};
