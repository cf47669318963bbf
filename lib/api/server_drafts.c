/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/server_drafts.h"

#include "codec/json.h"

/* The members of timings, from behind its brace. */
static void
read_timings(struct tape_json *r, int64_t *drafted, int64_t *accepted)
{
	struct tape_json_token tok;

	while (tape_json_next(r, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END) {
		if (tok.type == TAPE_JSON_INT &&
		    tape_json_key_is(&tok, "draft_n"))
			*drafted = tok.i64;
		else if (tok.type == TAPE_JSON_INT &&
			 tape_json_key_is(&tok, "draft_n_accepted"))
			*accepted = tok.i64;
		else if (tape_json_skip(r, NULL, NULL, NULL) != TAPE_OK)
			return;
	}
}

bool
tape_server_drafts_read(
    struct tape_str server_timing, int64_t *drafted, int64_t *accepted)
{
	static const char mark[] = "\"draft_n";
	int64_t n = -1, yes = -1;
	struct tape_json r;
	struct tape_json_token tok;

	if (server_timing.p == NULL ||
	    memmem(server_timing.p, server_timing.len, mark,
		sizeof(mark) - 1) == NULL)
		return false;
	tape_json_init(&r);
	tape_json_open(
	    &r, server_timing.p, server_timing.len, TAPE_JSON_FOREIGN);
	if (tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, NULL) == TAPE_OK)
		while (tape_json_next(&r, &tok, NULL) == TAPE_OK &&
		       tok.type != TAPE_JSON_OBJECT_END &&
		       tok.type != TAPE_JSON_END) {
			if (tape_json_key_is(&tok, "timings") &&
			    tok.type == TAPE_JSON_OBJECT)
				read_timings(&r, &n, &yes);
			else if (tape_json_skip(&r, NULL, NULL, NULL) !=
				 TAPE_OK)
				break;
		}
	tape_json_release(&r);
	if (n < 0 || yes < 0 || yes > n)
		return false;
	*drafted = n;
	*accepted = yes;
	return true;
}
