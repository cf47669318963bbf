/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"

#include "unit/tap.h"

/* Values of the authors' own test suite. */
static void
test_vectors(void)
{
	static const struct {
		const char *in, *want;
	} t[] = {
		{ "", "cbf29ce484222325" },
		{ "a", "af63dc4c8601ec8c" },
		{ "b", "af63df4c8601f1a5" },
		{ "foobar", "85944171f73967e8" },
	};
	char got[TAPE_HASH_TEXT];
	uint64_t h;
	size_t i, k;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		h = tape_hash_add(TAPE_HASH_START, t[i].in, strlen(t[i].in));
		is_str(tape_hash_print(h, got), t[i].want, "hash of '%s'",
		    t[i].in);
		h = TAPE_HASH_START;
		for (k = 0; t[i].in[k] != '\0'; k++)
			h = tape_hash_add(h, t[i].in + k, 1);
		is_str(tape_hash_print(h, got), t[i].want, "byte by byte");
	}
}

int
main(void)
{
	test_vectors();
	return done_testing();
}
