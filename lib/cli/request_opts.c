/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/request_opts.h"

#define AT(field) offsetof(struct tape_request_opts, field)

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Request bodies"),
	{
	    .name = "extra",
	    .arg = "JSON|@FILE",
	    .type = TAPE_OPT_STRING,
	    .at = AT(extra),
	    .secrecy = TAPE_OPT_TEXT,
	    .help = "fields merged into each body",
	},
	{
	    .name = "drop-field",
	    .arg = "NAME",
	    .type = TAPE_OPT_LIST,
	    .at = AT(drop),
	    .help = "leave a field out, one of several",
	},
	{
	    .name = "server",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(server),
	    .seen_at = AT(server_given),
	    .names = tape_server_names + 1,
	    .help = "refuse fields that it does not take",
	},
	TAPE_OPT_RARE("Request bodies in detail"),
	{
	    .name = "allow-field",
	    .arg = "NAME",
	    .type = TAPE_OPT_LIST,
	    .at = AT(allow),
	    .help = "that this --server takes, one of several",
	},
	{
	    .name = "server-limits",
	    .arg = "batch=N[,queue=N]",
	    .type = TAPE_OPT_CALL,
	    .at = AT(limits),
	    .parse = tape_server_limits_parse,
	    .help = "refuse more --concurrency",
	},
	{
	    .name = "max-tokens-field",
	    .arg = "NAME",
	    .type = TAPE_OPT_STRING,
	    .at = AT(max_tokens_field),
	    .help = "field for the length",
	},
	{
	    .name = "no-usage",
	    .type = TAPE_OPT_FLAG,
	    .at = AT(no_usage),
	    .help = "do not ask for usage",
	},
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "allow-field server" },
};

const struct tape_opt_part tape_request_opts = {
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
};

struct tape_server_rules
tape_request_rules(const struct tape_request_opts *o)
{
	struct tape_server_rules r = { .allow = o->allow.items,
		.allow_n = o->allow.count,
		.drop = o->drop.items,
		.drop_n = o->drop.count,
		.limits = o->limits };

	if (o->server_given)
		r.server = (enum tape_server_kind)(o->server + TAPE_SERVER_ANY);
	return r;
}
