/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/idmap.h"

#include "base/mem.h"
#include "unit/tap.h"

/* Against an array of what should be there. */
static void
test_against_array(void)
{
	enum { N = 997 };
	static int64_t want[N];
	struct tape_idmap m = { 0 };
	uint64_t value;
	unsigned r = 1;
	int wrong = 0;

	for (int i = 0; i < N; i++)
		want[i] = -1;
	for (int step = 0; step < 20000; step++) {
		uint64_t k;

		r = r * 1103515245U + 12345U;
		k = (r >> 8) % N;
		/* Keys that collide: 16 places only in the low bits. */
		if (want[k] < 0) {
			want[k] = step;
			wrong += tape_idmap_add(&m, k << 4 | (k & 7),
				     (uint64_t)step, NULL) != TAPE_OK;
		} else {
			tape_idmap_remove(&m, k << 4 | (k & 7));
			want[k] = -1;
		}
		k = (r >> 4) % N;
		if (tape_idmap_get(&m, k << 4 | (k & 7), &value))
			wrong += want[k] != (int64_t)value;
		else
			wrong += want[k] >= 0;
	}
	is_int(wrong, 0, "20000 random steps agree with an array");
	for (uint64_t k = 0; k < N; k++)
		wrong += tape_idmap_get(&m, k << 4 | (k & 7), NULL) !=
			 (want[k] >= 0);
	is_int(wrong, 0, "and so does what is there at last");
	tape_idmap_release(&m);
}

int
main(void)
{
	struct tape_idmap m = { 0 };
	uint64_t value = 7;

	ok(!tape_idmap_get(&m, 0, &value) && value == 7, "empty");
	tape_idmap_remove(&m, 0);
	is_int(tape_idmap_add(&m, 0, 0, NULL), TAPE_OK, "key and value 0");
	ok(tape_idmap_get(&m, 0, &value) && value == 0, "found");
	tape_idmap_remove(&m, 0);
	is_int(m.n, 0, "removed");
	tape_idmap_release(&m);
	test_against_array();
	ok(tape_idmap_key("a", 1) != tape_idmap_key("a\0", 2), "length counts");
	ok(tape_idmap_mix(1, 0) != tape_idmap_mix(1, 1),
	    "so does what is mixed "
	    "in");
	tape_mem_fail_at(1);
	is_int(tape_idmap_add(&m, 1, 1, NULL), TAPE_E_NOMEM, "no memory");
	tape_mem_fail_at(0);
	is_int(m.n, 0, "nothing added");
	return done_testing();
}
