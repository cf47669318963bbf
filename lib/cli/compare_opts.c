/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/compare_opts.h"

static const char *const formats[] = { "auto", "table", "json", "markdown",
	"junit", "benchstat", "stream", NULL };

static const char *const policies[] = { "fail", "warn", "pass", NULL };

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
	    .arg = "A,B,...",
	    .type = TAPE_OPT_STRING,
	    .at = AT(arms),
	    .help = "labels of baseline and candidates" },
	{ .name = "vary",
	    .arg = "LIST",
	    .type = TAPE_OPT_LIST,
	    .at = AT(vary),
	    .help = "what may differ: model, server_cmd, ..." },
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
	{ .name = "gate",
	    .arg = "FILE",
	    .type = TAPE_OPT_PATH,
	    .at = AT(gate),
	    .help = "rules that decide the exit code" },
	{ .name = "format",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(format),
	    .names = formats,
	    .help = "table, json, markdown, junit, benchstat, stream" },
	TAPE_OPT_RARE("Sessions and gates"),
	{ .name = "within",
	    .arg = "D",
	    .type = TAPE_OPT_DURATION,
	    .at = AT(within_ns),
	    .min = 1,
	    .max = INT64_MAX,
	    .help = "between the runs of a pair (30m)" },
	{ .name = "undecided",
	    .arg = "WHAT",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(undecided),
	    .seen_at = AT(has_undecided),
	    .names = policies,
	    .help = "rules of the gate: fail (default), warn, pass" },
	{ .name = "canary",
	    .arg = "LABEL",
	    .type = TAPE_OPT_STRING,
	    .at = AT(canary),
	    .help = "arm of both sessions: gate across them" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "undecided gate" },
	{ TAPE_OPT_REQUIRES, "canary gate a b" },
	{ TAPE_OPT_EXCLUDES, "canary aa" },
	{ TAPE_OPT_EXCLUDES, "canary by" },
	{ TAPE_OPT_EXCLUDES, "canary sequential" },
	{ TAPE_OPT_EXCLUDES, "canary looks" },
	{ TAPE_OPT_EXCLUDES, "canary primary" },
	{ TAPE_OPT_EXCLUDES, "canary ci" },
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

enum tape_status
tape_compare_given_check(
    const struct tape_compare_given *g, struct tape_err *err)
{
	if (!(g->alpha > 0 && g->alpha < 0.5))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--alpha must be between 0 and 0.5");
	if (g->has_margin && !(g->margin_ratio > 0))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--margin must be positive");
	if (g->canary != NULL && g->format == TAPE_COMPARE_BENCHSTAT)
		return tape_err_set(
		    err, TAPE_E_USAGE, "--canary has no format benchstat");
	return TAPE_OK;
}
