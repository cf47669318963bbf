/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/import.h"

const struct tape_import tape_import_table[] = {
	{ "prompts", "JSON lines: text_input or messages, output_length",
	    tape_import_prompts },
	{ "mooncake", "Mooncake's JSON lines: lengths and hash_ids",
	    tape_import_mooncake },
	{ "azure", "Azure's CSV: TIMESTAMP, ContextTokens, GeneratedTokens",
	    tape_import_azure },
	{ "burstgpt", "BurstGPT's CSV: Timestamp, Request and Response tokens",
	    tape_import_burstgpt },
	{ NULL, NULL, NULL },
};

void
tape_import_state_init(struct tape_import_state *s)
{
	memset(s, 0, sizeof(*s));
	s->origin_ns = TAPE_ABSENT_I64;
}

void
tape_import_state_release(struct tape_import_state *s)
{
	tape_turns_release(&s->turns);
}

static enum tape_status
import_one(const struct tape_import *format, struct tape_in *in,
    struct tape_gen *g, const struct tape_import_opts *opts,
    struct tape_import_state *state, struct tape_err *err)
{
	uint64_t before = g->sums.requests;
	enum tape_status st = format->run(in, g, opts, state, err);

	if (st == TAPE_EOF && g->sums.requests == before && !tape_gen_full(g))
		st = tape_err_set(err, TAPE_E_FORMAT, "no request in it");
	if (st < TAPE_OK)
		(void)tape_err_at(err, tape_in_name(in), tape_in_line_no(in));
	return st;
}

enum tape_status
tape_import_all(const struct tape_import *format, struct tape_in *const *in,
    size_t n, struct tape_gen *g, const struct tape_import_opts *opts,
    struct tape_err *err)
{
	struct tape_import_state state;
	enum tape_status st = TAPE_EOF;

	tape_import_state_init(&state);
	for (size_t i = 0; i < n && st == TAPE_EOF && !tape_gen_full(g); i++) {
		tape_gen_file(g, (uint32_t)i);
		st = import_one(format, in[i], g, opts, &state, err);
	}
	tape_import_state_release(&state);
	return st == TAPE_EOF ? TAPE_OK : st;
}

enum tape_status
tape_import_row(
    struct tape_in *in, const char **row, size_t *len, struct tape_err *err)
{
	enum tape_status st;

	for (;;) {
		st = tape_in_line(in, row, len, err);
		if (st != TAPE_OK)
			return st;
		if (tape_in_line_no(in) == 1 && *len >= 3 &&
		    memcmp(*row, "\xef\xbb\xbf", 3) == 0) {
			*row += 3;
			*len -= 3;
		}
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
