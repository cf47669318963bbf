/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt_attempts.h"

#include "codec/attempts.h"

#define AT(field) offsetof(struct tape_attempts, field)

static const struct tape_opt table[] = {
	TAPE_OPT_RARE("Attempts"),
	{
	    .name = "retry",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(retries),
	    .max = TAPE_ATTEMPTS_MAX,
	    .help = "send what failed again, N times at most (0)",
	},
	{
	    .name = "retry-on",
	    .arg = "LIST",
	    .type = TAPE_OPT_CALL,
	    .at = AT(on),
	    .parse = tape_attempts_parse_on,
	    .help = "failed how (connect,reset,429,503)",
	},
	{
	    .name = "retry-delay",
	    .arg = "TIME",
	    .type = TAPE_OPT_DURATION,
	    .at = AT(delay_ns),
	    .help = "before that, doubled each time (1s)",
	},
	{
	    .name = "retry-delay-max",
	    .arg = "TIME",
	    .type = TAPE_OPT_DURATION,
	    .at = AT(delay_max_ns),
	    .help = "at most, also of Retry-After (60s)",
	},
	{
	    .name = "cancel-rate",
	    .arg = "SHARE",
	    .type = TAPE_OPT_SHARE,
	    .at = AT(cancel_ratio),
	    .help = "cancel such a share on purpose: 5%",
	},
	{
	    .name = "cancel-after",
	    .arg = "TIME",
	    .type = TAPE_OPT_DURATION,
	    .at = AT(cancel_after_ns),
	    .help = "so long after they were sent (0)",
	},
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "retry-on retry" },
	{ TAPE_OPT_REQUIRES, "retry-delay retry" },
	{ TAPE_OPT_REQUIRES, "retry-delay-max retry" },
	{ TAPE_OPT_REQUIRES, "cancel-after cancel-rate" },
};

const struct tape_opt_part tape_opt_attempts_part = {
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
};
