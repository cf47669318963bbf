/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt_shape.h"

#define AT(field) offsetof(struct tape_opt_shape, field)

/* clang-format off */
#define POINTER(n, which, h) \
	{ .name = n, .arg = "POINTER", .type = TAPE_OPT_STRING, \
	    .at = AT(pointers[TAPE_API_POINTER_##which]), .help = h }
/* clang-format on */

static const struct tape_opt table[] = {
	TAPE_OPT_RARE("Servers of no dialect"),
	{
	    .name = "body-template",
	    .arg = "FILE",
	    .type = TAPE_OPT_STRING,
	    .at = AT(body_template),
	    .help = "what --api template makes bodies of",
	},
	POINTER("response-text", TEXT, "where an event has text, as /a/0/b"),
	POINTER("response-reasoning", REASONING, "likewise, reasoning"),
	POINTER("response-usage-in", INPUT, "likewise, input tokens"),
	POINTER("response-usage-out", OUTPUT, "likewise, output tokens"),
	POINTER("response-finish", FINISH, "likewise, why it ended"),
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "body-template api" },
};

const struct tape_opt_part tape_opt_shape_part = {
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
};

enum tape_status
tape_opt_shape_pointers(const struct tape_opt_shape *o,
    struct tape_api_pointers *out, struct tape_err *err)
{
	for (size_t i = 0; i < TAPE_API_POINTERS; i++) {
		struct tape_err why = { 0 };

		if (o->pointers[i] == NULL ||
		    tape_api_pointers_set(out, (enum tape_api_pointer)i,
			o->pointers[i], &why) == TAPE_OK)
			continue;
		/* Behind the heading and the template. */
		return tape_err_set(
		    err, TAPE_E_USAGE, "--%s: %s", table[i + 2].name, why.text);
	}
	return TAPE_OK;
}
