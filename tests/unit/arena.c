/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include "base/mem.h"
#include "unit/tap.h"

#include <stdalign.h>

static bool
aligned(const void *p)
{
	return (uintptr_t)p % alignof(max_align_t) == 0;
}

static void
test_handing_out(void)
{
	struct tape_arena a = { 0 };
	char *one = tape_arena_alloc(&a, 3, 5);
	char *text = tape_arena_dup(&a, "abc", 3);
	int64_t *two = tape_arena_alloc(&a, 4, sizeof(*two));
	char *none = tape_arena_alloc(&a, 0, 8);
	char *empty = tape_arena_dup(&a, NULL, 0);
	bool zero = true;

	ok(aligned(one) && aligned(two), "arrays are aligned");
	for (int i = 0; i < 15; i++)
		zero = zero && one[i] == 0;
	ok(zero && two[3] == 0, "and zeroed");
	is_str(text, "abc", "a copy ends with NUL");
	ok(text >= one + 15 && (char *)two >= text + 4, "they do not overlap");
	ok(none != NULL && none >= (char *)(two + 4), "nothing has an address");
	is_str(empty, "", "and so has an empty text");
	ok(tape_arena_alloc(&a, SIZE_MAX / 2, 3) == NULL,
	    "a size that overflows");
	ok(tape_arena_alloc(&a, SIZE_MAX, 1) == NULL, "or that nobody has");
	ok(tape_arena_dup(&a, "", SIZE_MAX) == NULL, "nor a text of that size");
	tape_arena_release(&a);
	ok(a.blocks == NULL && a.size == 0, "release keeps nothing");
}

/* Memory zeroed again after a reset, though it was used. */
static void
test_reset(void)
{
	struct tape_arena a = { 0 };
	char *p = tape_arena_alloc(&a, 100, 1), *q;

	memset(p, 'x', 100);
	tape_arena_reset(&a);
	q = tape_arena_alloc(&a, 100, 1);
	ok(q == p, "reset hands the same memory out again");
	ok(q[0] == 0 && q[99] == 0, "zeroed");
	tape_arena_release(&a);
	tape_arena_reset(&a);
	ok(a.blocks == NULL, "reset of an empty arena");
}

static void
fill(struct tape_arena *a, size_t bytes)
{
	for (size_t n = 0; n < bytes; n += 100)
		if (tape_arena_alloc(a, 100, 1) == NULL)
			return;
}

static void
test_growth(void)
{
	struct tape_arena a = { 0 };
	uint64_t made;

	fill(&a, 10 << 20);
	ok(a.size <= ((size_t)10 << 20) * 112 / 100 + TAPE_ARENA_STEP,
	    "holds little more than was asked for (%zu)", a.size);
	tape_arena_reset(&a);
	(void)tape_mem_fail_at(0);
	for (int i = 0; i < 3; i++) {
		fill(&a, 10 << 20);
		tape_arena_reset(&a);
	}
	made = tape_mem_fail_at(0);
	is_int((int64_t)made, 0, "as much again allocates nothing");
	fill(&a, TAPE_ARENA_KEEP + 1);
	tape_arena_reset(&a);
	is_int((int64_t)a.size, 0, "what is huge is given back");
	tape_arena_release(&a);
}

static void
test_no_memory(void)
{
	struct tape_arena a = { 0 };

	(void)tape_mem_fail_at(1);
	ok(tape_arena_alloc(&a, 1, 1) == NULL, "no memory for the first block");
	ok(tape_arena_dup(&a, "a", 1) == NULL, "nor for a text");
	(void)tape_mem_fail_at(0);
	fill(&a, 100 << 10);
	(void)tape_mem_fail_at(1);
	tape_arena_reset(&a);
	(void)tape_mem_fail_at(0);
	ok(tape_arena_alloc(&a, 1, 1) != NULL,
	    "a reset without memory leaves an arena that works");
	tape_arena_release(&a);
}

int
main(void)
{
	test_handing_out();
	test_reset();
	test_growth();
	test_no_memory();
	return done_testing();
}
