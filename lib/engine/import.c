/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/import.h"

const struct tape_import tape_import_table[] = {
	{ "prompts", "JSON lines: text_input or messages, output_length",
	    tape_import_prompts },
	{ "mooncake", "Mooncake's JSON lines: lengths and hash_ids",
	    tape_import_mooncake },
	{ "azure", "Azure's CSV: TIMESTAMP, ContextTokens, GeneratedTokens",
	    tape_import_azure },
	{ NULL, NULL, NULL },
};

enum tape_status
tape_import_row(
    struct tape_in *in, const char **row, size_t *len, struct tape_err *err)
{
	enum tape_status st;

	for (;;) {
		st = tape_in_line(in, row, len, err);
		if (st != TAPE_OK)
			return st;
		if (*len > 0 && (*row)[*len - 1] == '\r')
			--*len;
		if (*len == 0)
			continue;
		if (tape_in_line_no(in) == 1 && (*row)[0] == '<')
			return tape_err_set(err, TAPE_E_FORMAT,
			    "this is a web page, not a trace: fetch the raw "
			    "file");
		return TAPE_OK;
	}
}
