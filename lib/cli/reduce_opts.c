/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/reduce_opts.h"

static const char *const formats[] = { "table", "json", "csv", "stream", NULL };
static const char *const origins[] = { "due", "start", "sent", NULL };
static const char *const clocks[] = { "best", "user", NULL };
static const char *const metrics[] = { "basic", "all", NULL };

#define AT(f)   offsetof(struct tape_reduce_given, f)
#define SEEN(f) .seen_at = AT(has_##f)

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Definitions"),
	{ .name = "from",
	    .arg = "TIME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(from),
	    .names = origins,
	    .help = "t0 is due, start or sent (start)" },
	{ .name = "clock",
	    .arg = "CLOCK",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(clock),
	    .names = clocks,
	    .help = "best: kernel time if known; or user" },
	{ .name = "slo",
	    .arg = "LIST",
	    .type = TAPE_OPT_LIST,
	    .at = AT(slo),
	    .help = "good is within ttft=500ms,tpot=50ms" },
	{ .name = "failures-as-infinite",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(infinite),
	    .help = "failed requests take for ever" },
	TAPE_OPT_HEADING("Output"),
	{ .name = "format",
	    .arg = "FORMAT",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(format),
	    SEEN(format),
	    .names = formats,
	    .help = "table, json, csv or stream" },
	{ .name = "by",
	    .arg = "LABEL,...",
	    .type = TAPE_OPT_STRING,
	    .at = AT(by),
	    .help = "also summarize by values of labels" },
	{ .name = "worst",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(worst),
	    SEEN(worst),
	    .min = 1,
	    .max = TAPE_REDUCE_WORST_MAX,
	    .help = "list the N worst requests of a run" },
	{ .name = "worst-by",
	    .arg = "METRIC",
	    .type = TAPE_OPT_STRING,
	    .at = AT(worst_by),
	    .help = "worst by that metric (latency)" },
	{ .name = "wide",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(wide),
	    .help = "all quantiles and metrics in the table" },
	TAPE_OPT_HEADING("Judgement"),
	{ .name = "strict",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(strict),
	    .help = "exit 1 if a check fails or a client was limited" },
	{ .name = "allow-truncated",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(allow_truncated),
	    .help = "take an input that is cut" },
	TAPE_OPT_RARE("Metrics"),
	{ .name = "metrics",
	    .arg = "SET",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(metrics),
	    SEEN(metrics),
	    .names = metrics,
	    .help = "basic: those of a table; or all" },
	{ .name = "stall-ratio",
	    .arg = "K",
	    .type = TAPE_OPT_DOUBLE,
	    .at = AT(stall_ratio),
	    SEEN(stall_ratio),
	    .help = "a stall is a gap above K medians (10)" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "worst-by worst" },
};

const struct tape_opt_part tape_reduce_opts_part = {
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
};
