/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/server_audio.h"

#include "base/clock.h"
#include "codec/json.h"

#define MOST_S 1e9

static int64_t
ns_of(const struct tape_json_token *tok)
{
	double s = -1;

	if (tok->type == TAPE_JSON_DOUBLE)
		s = tok->num;
	else if (tok->type == TAPE_JSON_INT)
		s = (double)tok->i64;
	return s >= 0 && s <= MOST_S ? llround(s * (double)TAPE_NS_PER_S)
				     : TAPE_ABSENT_I64;
}

int64_t
tape_server_audio_ns(struct tape_str usage)
{
	static const char mark[] = "seconds\"";
	int64_t ns = TAPE_ABSENT_I64;
	struct tape_json r;
	struct tape_json_token tok;

	if (usage.p == NULL ||
	    memmem(usage.p, usage.len, mark, sizeof(mark) - 1) == NULL)
		return ns;
	tape_json_init(&r);
	tape_json_open(&r, usage.p, usage.len, TAPE_JSON_FOREIGN);
	if (tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, NULL) == TAPE_OK)
		while (tape_json_next(&r, &tok, NULL) == TAPE_OK &&
		       tok.type != TAPE_JSON_OBJECT_END &&
		       tok.type != TAPE_JSON_END) {
			if (tape_json_key_is(&tok, "seconds") ||
			    tape_json_key_is(&tok, "prompt_audio_seconds"))
				ns = ns_of(&tok);
			if (tape_json_skip(&r, NULL, NULL, NULL) != TAPE_OK)
				break;
		}
	tape_json_release(&r);
	return ns;
}
