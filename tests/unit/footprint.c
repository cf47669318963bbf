/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/footprint.h"

#include "unit/tap.h"

#include <stdlib.h>

#define BIG ((size_t)32 << 20)

static void
test_resident(void)
{
	int64_t before = tape_footprint_resident();
	char *p = malloc(BIG);
	volatile char *touched = p;

	ok(before > 100000, "this process is resident");
	if (p == NULL)
		return;
	for (size_t i = 0; i < BIG; i += 1024)
		touched[i] = 1;
	ok(tape_footprint_resident() - before > (int64_t)BIG / 2,
	    "and grows with what it touches");
	free(p);
}

static void
test_samples(void)
{
	struct tape_footprint f = { 0 };

	is_int(tape_footprint_per_stream(&f), -1, "nothing is known yet");
	tape_footprint_add(&f, 1000000, 0);
	tape_footprint_add(&f, 5000000, 200);
	tape_footprint_add(&f, 4000000, 300);
	tape_footprint_add(&f, 0, 1000);
	is_int(f.samples, 3, "an unknown size is no sample");
	is_int(f.start_bytes, 1000000, "the first");
	is_int(f.max_bytes, 5000000, "the largest");
	is_int(f.open_at_max, 200, "and what was open then");
	is_int(f.open_max, 300, "the most that were open");
	is_int(tape_footprint_per_stream(&f), 20000, "bytes a stream");
}

static void
test_few(void)
{
	struct tape_footprint f = { 0 };

	tape_footprint_add(&f, 1000, 0);
	tape_footprint_add(&f, 2000, TAPE_FOOTPRINT_STREAMS - 1);
	is_int(tape_footprint_per_stream(&f), -1, "too few to say");
	tape_footprint_add(&f, 11000, TAPE_FOOTPRINT_STREAMS);
	is_int(tape_footprint_per_stream(&f), 100, "enough");
}

int
main(void)
{
	test_resident();
	test_samples();
	test_few();
	return done_testing();
}
