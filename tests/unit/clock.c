/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include "unit/tap.h"

#include <stdlib.h>

static void
test_system(void)
{
	const struct tape_clock *c = &tape_clock_system;
	int64_t a = tape_clock_now_ns(c);
	int64_t width = -1;
	int64_t off;

	tape_clock_sleep_until_ns(c, a + 2 * TAPE_NS_PER_MS);
	ok(tape_clock_now_ns(c) >= a + 2 * TAPE_NS_PER_MS, "sleeps enough");
	tape_clock_sleep_until_ns(c, a);
	tape_clock_sleep_until_ns(c, -5);
	ok(true, "a deadline that has passed returns");
	off = tape_clock_offset_ns(c, &width);
	ok(width >= 0 && width < TAPE_NS_PER_S, "the bracket has a width");
	ok(llabs(tape_clock_wall_ns(c) - tape_clock_now_ns(c) - off) <
		TAPE_NS_PER_S,
	    "the offset is wall minus monotonic");
}

static void
test_fake(void)
{
	struct tape_clock_fake f = { .now_ns = 100, .wall_offset_ns = 1000 };
	struct tape_clock c = tape_clock_from_fake(&f);
	int64_t width = -1;

	is_int(tape_clock_now_ns(&c), 100, "stands still");
	is_int(tape_clock_wall_ns(&c), 1100, "wall is offset");
	tape_clock_sleep_until_ns(&c, 150);
	is_int(f.now_ns, 150, "sleeping moves it");
	tape_clock_sleep_until_ns(&c, 120);
	is_int(f.now_ns, 150, "never back");
	is_int(tape_clock_offset_ns(&c, &width), 1000, "offset");
	is_int(width, 0, "without width");
	is_int(tape_clock_offset_ns(&c, NULL), 1000, "width may be NULL");
}

/* A clock whose reads take 10, but the seventh bracket takes 2. */
struct slow {
	int64_t now_ns;
	int reads;
};

static int64_t
slow_now(void *arg)
{
	struct slow *s = arg;

	return s->now_ns;
}

static int64_t
slow_wall(void *arg)
{
	struct slow *s = arg;
	int64_t took = ++s->reads == 7 ? 2 : 10;
	int64_t wall = s->now_ns + 500 + (took == 2 ? 1 : 9);

	s->now_ns += took;
	return wall;
}

static void
test_best_of_twenty(void)
{
	struct slow s = { 0, 0 };
	struct tape_clock c = {
		.now_ns = slow_now,
		.wall_ns = slow_wall,
		.arg = &s,
	};
	int64_t width;

	is_int(tape_clock_offset_ns(&c, &width), 500, "best bracket counts");
	is_int(width, 2, "and gives the width");
	is_int(s.reads, 20, "of twenty");
}

static void
test_iso(void)
{
	static const struct {
		const char *s;
		int64_t ns;
	} both[] = {
		{ "1970-01-01T00:00:00.000000000Z", 0 },
		{ "2026-03-01T12:00:00.000000000Z",
		    INT64_C(1772366400000000000) },
		{ "2000-02-29T23:59:59.123456789Z",
		    INT64_C(951868799123456789) },
		{ "1999-12-31T23:59:59.999999999Z",
		    INT64_C(946684799999999999) },
		{ "2100-03-01T00:00:00.000000000Z",
		    INT64_C(4107542400000000000) },
		{ "2262-04-11T23:47:16.854775807Z", INT64_MAX },
	};
	static const char *const bad[] = {
		"",
		"2026-03-01",
		"2026-03-01T12:00:00",
		"2026-03-01T12:00:00.Z",
		"2026-03-01T12:00:00.1234567890Z",
		"2026-03-01T12:00:00.1 Z",
		"2026-03-01T12:00:00Zx",
		"2026-03-01T12:00:00+00:00",
		"2026-03-01t12:00:00Z",
		"2026-02-29T12:00:00Z",
		"2100-02-29T12:00:00Z",
		"2026-13-01T12:00:00Z",
		"2026-00-01T12:00:00Z",
		"2026-04-31T12:00:00Z",
		"2026-04-00T12:00:00Z",
		"2026-03-01T24:00:00Z",
		"2026-03-01T12:60:00Z",
		"2026-03-01T12:00:60Z",
		"1969-12-31T23:59:59Z",
		"2262-04-11T23:47:17Z",
		"9999-12-31T23:59:59Z",
	};
	char text[TAPE_CLOCK_ISO];
	struct tape_err err = { 0 };
	int64_t v = 77;

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
		is_str(tape_clock_print_iso(both[i].ns, text), both[i].s,
		    "print %s", both[i].s);
		is_int(tape_clock_parse_iso(both[i].s, &v, NULL), TAPE_OK,
		    "parse it");
		is_int(v, both[i].ns, "back to the same");
	}
	is_int(tape_clock_parse_iso("1970-01-01T00:00:01.5Z", &v, NULL),
	    TAPE_OK, "fewer digits are taken");
	is_int(v, 1500000000, "for what they are");
	is_int(tape_clock_parse_iso("1970-01-01T00:00:02Z", &v, NULL), TAPE_OK,
	    "none, too");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(tape_clock_parse_iso(bad[i], &v, &err), TAPE_E_FORMAT,
		    "refuse '%s'", bad[i]);
	is_int(v, 2000000000, "failures leave the result");
	is_str(err.text, "'' is not a time like 2026-03-01T12:00:00.000000000Z",
	    "in words");
	is_str(tape_clock_print_iso(-1, text), "1969-12-31T23:59:59.999999999Z",
	    "before 1970");
	is_str(tape_clock_print_iso(INT64_MIN, text),
	    "1677-09-21T00:12:43.145224192Z", "the earliest");
}

/* Every day of a few centuries must follow the one before. */
static void
test_calendar(void)
{
	char text[TAPE_CLOCK_ISO];
	int wrong = 0;

	for (int64_t day = 0; day < 106000; day++) {
		int64_t ns = day * 86400 * TAPE_NS_PER_S + 1;
		int64_t back = 0;

		tape_clock_print_iso(ns, text);
		if (tape_clock_parse_iso(text, &back, NULL) != TAPE_OK ||
		    back != ns)
			wrong++;
	}
	is_int(wrong, 0, "days to 2260 print and parse");
	is_int(tape_clock_utc_s(1970, 1, 1, 0, 0, 0), 0, "the epoch");
	is_int(tape_clock_utc_s(1600, 3, 1, 0, 0, 0), INT64_C(-11670912000),
	    "long before");
	is_int(tape_clock_utc_s(2024, 12, 31, 23, 59, 60), 1735689600,
	    "a leap second is the next");
	ok(tape_clock_utc_s(2024, 13, 1, 0, 0, 0) == INT64_MIN, "month 13");
	ok(tape_clock_utc_s(2024, 0, 1, 0, 0, 0) == INT64_MIN, "month 0");
}

static void
test_mono(void)
{
	static const char *const bad[] = {
		"",
		"1",
		"1.",
		".000000000",
		"1.00000000",
		"1.0000000000",
		"-1.000000000",
		"1.00000000x",
		" 1.000000000",
		"9223372036.854775808",
		"9223372037.000000000",
		"99999999999999999999.000000000",
	};
	char text[TAPE_CLOCK_MONO];
	int64_t v = 77;

	is_str(tape_clock_print_mono(INT64_C(12345000000000), text),
	    "12345.000000000", "print");
	is_str(tape_clock_print_mono(7, text), "0.000000007", "pad");
	is_str(tape_clock_print_mono(-7, text), "-0.000000007", "negative");
	is_str(tape_clock_print_mono(INT64_MIN, text), "-9223372036.854775808",
	    "the least fits");
	is_int(tape_clock_parse_mono("12345.000000007", &v, NULL), TAPE_OK,
	    "parse");
	is_int(v, INT64_C(12345000000007), "exactly");
	is_int(tape_clock_parse_mono("9223372036.854775807", &v, NULL), TAPE_OK,
	    "the greatest");
	is_int(v, INT64_MAX, "exactly");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(tape_clock_parse_mono(bad[i], &v, NULL), TAPE_E_FORMAT,
		    "refuse '%s'", bad[i]);
	is_int(v, INT64_MAX, "failures leave the result");
}

int
main(void)
{
	test_system();
	test_fake();
	test_best_of_twenty();
	test_iso();
	test_calendar();
	test_mono();
	return done_testing();
}
