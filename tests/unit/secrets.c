/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/secrets.h"

#include "base/mem.h"
#include "unit/tap.h"

static bool
header(const char *name)
{
	return tape_secrets_header(name, strlen(name));
}

static enum tape_status
add(struct tape_secrets *s, const char *v)
{
	return tape_secrets_add(s, v, strlen(v), NULL);
}

int
main(void)
{
	struct tape_secrets s = { 0 };
	char text[] = "sk-open-sesame, sk-open-sesame Bearer sk-open-sesam";
	char whole[] = "Bearer sk-open-sesame";
	uint64_t nth = 0;

	ok(!tape_secrets_mask(&s, text, sizeof(text) - 1), "none known");
	is_int(add(&s, "Bearer sk-open-sesame"), TAPE_OK, "add");
	is_int(add(&s, "short"), TAPE_OK, "a short one is no secret");
	is_int(s.n, 2, "the value, and what stands behind the blank");
	ok(tape_secrets_mask(&s, text, sizeof(text) - 1), "found");
	is_str(text, "**************, ************** Bearer sk-open-sesam",
	    "masked, lengths kept, a part of it is left");
	ok(tape_secrets_mask(&s, whole, sizeof(whole) - 1), "found");
	is_str(whole, "*********************", "the whole line");
	ok(!tape_secrets_mask(&s, text, 0), "an empty text");
	tape_secrets_release(&s);

	ok(header("Set-Cookie") && header("cookie"), "cookies");
	ok(header("Authorization") && header("WWW-Authenticate") &&
		header("proxy-authenticate"),
	    "authorization");
	ok(header("X-Api-Key") && header("x-amz-security-token"), "keys");
	ok(!header("x-ratelimit-remaining-tokens") && !header("date") &&
		!header("openai-processing-ms") && !header(""),
	    "others are kept");

	do {
		tape_mem_fail_at(++nth);
		if (add(&s, "one value") == TAPE_OK)
			break;
		tape_mem_fail_at(0);
	} while (nth < 20);
	tape_mem_fail_at(0);
	ok(nth > 2 && nth < 20, "failing allocations: %d", (int)nth);
	tape_secrets_release(&s);
	return done_testing();
}
