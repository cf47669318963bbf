/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/num.h"

#include "unit/tap.h"

#include <float.h>
#include <stdlib.h>

static struct tape_err err;

static void
good_i64(const char *s, int64_t want)
{
	int64_t v = 77;

	tape_err_clear(&err);
	is_int(tape_num_i64(s, INT64_MIN, INT64_MAX, &v, &err), TAPE_OK,
	    "i64 takes '%s'", s);
	is_int(v, want, "i64 '%s'", s);
}

static void
bad_i64(const char *s, int64_t min, int64_t max, const char *text)
{
	int64_t v = 77;

	tape_err_clear(&err);
	is_int(tape_num_i64(s, min, max, &v, &err), TAPE_E_USAGE,
	    "i64 refuses '%s'", s);
	is_int(v, 77, "and leaves the result");
	is_str(err.text, text, "and says so");
}

static void
test_i64(void)
{
	good_i64("0", 0);
	good_i64("-0", 0);
	good_i64("007", 7);
	good_i64("-12", -12);
	good_i64("9223372036854775807", INT64_MAX);
	good_i64("-9223372036854775808", INT64_MIN);
	bad_i64("9223372036854775808", INT64_MIN, INT64_MAX,
	    "'9223372036854775808' is not within -9223372036854775808 to "
	    "9223372036854775807");
	bad_i64("-9223372036854775809", -5, 5,
	    "'-9223372036854775809' is not within -5 to 5");
	bad_i64("99999999999999999999999", 0, 9,
	    "'99999999999999999999999' is not within 0 to 9");
	bad_i64("11", 0, 10, "'11' is not within 0 to 10");
	bad_i64("-1", 0, 10, "'-1' is not within 0 to 10");
	bad_i64("", 0, 10, "'' is not a whole number");
	bad_i64("-", 0, 10, "'-' is not a whole number");
	bad_i64("+1", 0, 10, "'+1' is not a whole number");
	bad_i64(" 1", 0, 10, "' 1' is not a whole number");
	bad_i64("1 ", 0, 10, "'1 ' is not a whole number");
	bad_i64("0x10", 0, 10, "'0x10' is not a whole number");
	bad_i64("1.0", 0, 10, "'1.0' is not a whole number");
	bad_i64("--1", 0, 10, "'--1' is not a whole number");
}

static void
test_u64(void)
{
	uint64_t v = 77;

	is_int(tape_num_u64("18446744073709551615", 0, UINT64_MAX, &v, NULL),
	    TAPE_OK, "u64 takes its maximum");
	ok(v == UINT64_MAX, "exactly");
	is_int(tape_num_u64("18446744073709551616", 0, UINT64_MAX, &v, NULL),
	    TAPE_E_USAGE, "one more is refused");
	is_int(tape_num_u64("-1", 0, UINT64_MAX, &v, NULL), TAPE_E_USAGE,
	    "a sign is refused");
	is_int(
	    tape_num_u64("", 0, 9, &v, NULL), TAPE_E_USAGE, "nothing is, too");
	is_int(
	    tape_num_u64("5", 6, 9, &v, NULL), TAPE_E_USAGE, "min is checked");
	ok(v == UINT64_MAX, "a failure leaves the result");
}

static void
test_double(void)
{
	static const char *const bad[] = {
		"",
		"-",
		".",
		"1.",
		"e5",
		"1e",
		"1e+",
		"+1",
		" 1",
		"1 ",
		"1,5",
		"0x1p3",
		"inf",
		"nan",
		"NAN",
		"1e999",
		"-1e999",
		"1.5.2",
		"11",
		"-11",
	};
	double v = 77;

	is_int(
	    tape_num_double("1.5", -10, 10, &v, NULL), TAPE_OK, "double 1.5");
	is_near(v, 1.5, 0, "is exact");
	is_int(tape_num_double("-.25e1", -10, 10, &v, NULL), TAPE_OK, "-.25e1");
	is_near(v, -2.5, 0, "has sign and exponent");
	is_int(tape_num_double("5E-324", 0, 1, &v, NULL), TAPE_OK, "tiny");
	ok(v > 0, "and not lost");
	is_int(tape_num_double("1e-999", 0, 1, &v, NULL), TAPE_OK,
	    "below everything is zero");
	is_near(v, 0, 0, "indeed");
	v = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(tape_num_double(bad[i], -10, 10, &v, NULL), TAPE_E_USAGE,
		    "double refuses '%s'", bad[i]);
	is_near(v, 77, 0, "failures leave the result");
}

static void
test_durations(void)
{
	static const struct {
		const char *s;
		int64_t ns;
	} good[] = {
		{ "0", 0 },
		{ "0s", 0 },
		{ "7ns", 7 },
		{ "10us", 10000 },
		{ "250ms", 250000000 },
		{ "1.5s", 1500000000 },
		{ "1.500000000000000000000000s", 1500000000 },
		{ "0.000000001s", 1 },
		{ ".5s", 500000000 },
		{ "0.1s", 100000000 },
		{ "4.35s", 4350000000 },
		{ "2m", 120000000000 },
		{ "0.25h", 900000000000 },
		{ "1h", 3600000000000 },
		{ "0.0000000000025h", 9 },
		{ "9223372036.854775807s", INT64_MAX },
	};
	static const struct {
		const char *s;
		const char *text;
	} bad[] = {
		{ "", "'' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "1", "'1' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "00", "'00' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "s", "'s' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "-1s", "'-1s' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "1.s", "'1.s' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "1 s", "'1 s' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "1S", "'1S' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "1e3s", "'1e3s' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "1sx", "'1sx' is not a duration (like 250ms, 1.5s, 2m)" },
		{ "1.5ns", "'1.5ns' is finer than a nanosecond" },
		{ "0.0000000005s",
		    "'0.0000000005s' is finer than a nanosecond" },
		{ "0.0000000000026h",
		    "'0.0000000000026h' is finer than a nanosecond" },
		{ "9223372036.854775808s",
		    "duration '9223372036.854775808s' is too long" },
		{ "9223372037s", "duration '9223372037s' is too long" },
		{ "2562048h", "duration '2562048h' is too long" },
		{ "99999999999999999999s",
		    "duration '99999999999999999999s' is too long" },
	};
	int64_t v;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		v = 77;
		is_int(tape_num_duration_ns(good[i].s, &v, NULL), TAPE_OK,
		    "duration takes '%s'", good[i].s);
		is_int(v, good[i].ns, "exactly");
	}
	v = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		tape_err_clear(&err);
		is_int(tape_num_duration_ns(bad[i].s, &v, &err), TAPE_E_USAGE,
		    "duration refuses '%s'", bad[i].s);
		is_str(err.text, bad[i].text, "and says so");
	}
	is_int(v, 77, "failures leave the result");
}

static void
test_sizes(void)
{
	static const struct {
		const char *s;
		uint64_t bytes;
	} good[] = {
		{ "0", 0 },
		{ "65536", 65536 },
		{ "64K", 65536 },
		{ "64KiB", 65536 },
		{ "4M", 4194304 },
		{ "4MiB", 4194304 },
		{ "1G", 1073741824 },
		{ "1GiB", 1073741824 },
		{ "18446744073709551615", UINT64_MAX },
		{ "17179869183G", UINT64_C(17179869183) << 30 },
	};
	static const char *const bad[] = {
		"",
		"K",
		"-1",
		"1k",
		"1KB",
		"1Ki",
		"1KiBx",
		"1.5M",
		"1 K",
		"1B",
		"17179869184G",
		"18446744073709551616",
	};
	uint64_t v = 77;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		is_int(tape_num_size_bytes(good[i].s, &v, NULL), TAPE_OK,
		    "size takes '%s'", good[i].s);
		ok(v == good[i].bytes, "exactly");
	}
	v = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(tape_num_size_bytes(bad[i], &v, NULL), TAPE_E_USAGE,
		    "size refuses '%s'", bad[i]);
	ok(v == 77, "failures leave the result");
}

static void
test_rates_and_shares(void)
{
	static const char too_long[] =
	    "000000000000000000000000000000000000000000000000000000000000000"
	    "01";
	static const char *const bad_rate[] = {
		"",
		"0",
		"-1",
		"1/",
		"1/d",
		"1s",
		"/s",
		"1e999",
		"x",
		"1e-999/h",
		too_long,
	};
	static const char *const bad_share[] = {
		"",
		"%",
		"1.1",
		"101%",
		"-0.1",
		"-1%",
		"5 %",
		"5%%",
		"x",
		"nan",
		"1e1%",
	};
	double v = 0;

	is_int(tape_num_rate_per_s("10", &v, NULL), TAPE_OK, "rate 10");
	is_near(v, 10, 0, "a second");
	is_int(tape_num_rate_per_s("0.5/s", &v, NULL), TAPE_OK, "0.5/s");
	is_near(v, 0.5, 0, "also");
	is_int(tape_num_rate_per_s("600/m", &v, NULL), TAPE_OK, "600/m");
	is_near(v, 10, 0, "a minute");
	is_int(tape_num_rate_per_s("3.6e3/h", &v, NULL), TAPE_OK, "3.6e3/h");
	is_near(v, 1, 0, "an hour");
	for (size_t i = 0; i < sizeof(bad_rate) / sizeof(bad_rate[0]); i++)
		is_int(tape_num_rate_per_s(bad_rate[i], &v, NULL), TAPE_E_USAGE,
		    "rate refuses '%s'", bad_rate[i]);
	is_near(v, 1, 0, "failures leave the result");

	is_int(tape_num_share_ratio("0.05", &v, NULL), TAPE_OK, "share 0.05");
	is_near(v, 0.05, 0, "plain");
	is_int(tape_num_share_ratio("0.1%", &v, NULL), TAPE_OK, "share 0.1%%");
	is_near(v, 0.001, 0, "is the double nearest to 0.001");
	is_int(tape_num_share_ratio("100%", &v, NULL), TAPE_OK, "share 100%%");
	is_near(v, 1, 0, "is all");
	for (size_t i = 0; i < sizeof(bad_share) / sizeof(bad_share[0]); i++)
		is_int(tape_num_share_ratio(bad_share[i], &v, NULL),
		    TAPE_E_USAGE, "share refuses '%s'", bad_share[i]);
	is_near(v, 1, 0, "failures leave the result");
}

static void
test_printing(void)
{
	static const struct {
		double ns;
		const char *text;
	} durations[] = {
		{ 0, "0 ns" },
		{ 340, "340 ns" },
		{ 999.4, "999 ns" },
		{ 999.6, "1.00 us" },
		{ 3400, "3.40 us" },
		{ 9994, "9.99 us" },
		{ 9996, "10.0 us" },
		{ 181.24e6, "181.2 ms" },
		{ 999.96e6, "1.00 s" },
		{ 12.1e9, "12.1 s" },
		{ -12.1e6, "-12.1 ms" },
		{ 123456e9, "123456.0 s" },
		{ 1e300, "1.000e+291 s" },
	};
	char text[TAPE_NUM_TEXT];

	is_str(tape_num_print_double(0.1, text), "0.1", "shortest");
	is_str(tape_num_print_double(1.0 / 3, text), "0.3333333333333333",
	    "sixteen digits");
	is_str(tape_num_print_double(0.1 + 0.2, text), "0.30000000000000004",
	    "seventeen where they are needed");
	is_str(tape_num_print_double(9007199254740991.0, text),
	    "9007199254740991", "the last safe integer");
	is_str(tape_num_print_double(-0.0, text), "-0", "the sign of zero");
	is_str(tape_num_print_double(DBL_MAX, text), "1.7976931348623157e+308",
	    "the largest");
	is_str(tape_num_print_double(-5e-324, text), "-4.94065645841247e-324",
	    "the smallest");
	is_str(tape_num_print_double(HUGE_VAL, text), "inf", "inf as such");
	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++)
		is_str(tape_num_print_duration(durations[i].ns, text),
		    durations[i].text, "duration %s", durations[i].text);
}

/* Bit patterns from a small generator, printed and read back. */
static void
test_round_trip(void)
{
	uint64_t x = UINT64_C(88172645463325252);
	char text[TAPE_NUM_TEXT];
	int lost = 0;

	for (int i = 0; i < 20000; i++) {
		double v, back = 0;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&v, &x, sizeof(v));
		if (!isfinite(v))
			continue;
		tape_num_print_double(v, text);
		if (tape_num_double(text, -DBL_MAX, DBL_MAX, &back, NULL) !=
			TAPE_OK ||
		    memcmp(&v, &back, sizeof(v)) != 0)
			lost++;
	}
	is_int(lost, 0, "every printed double reads back");
}

static void
test_fractions(void)
{
	int64_t v = 77;

	is_int(tape_num_fraction_ns("25", 2, &v, NULL), TAPE_OK, "25");
	is_int(v, 250000000, "is a quarter");
	is_int(tape_num_fraction_ns("25999", 2, &v, NULL), TAPE_OK, "length");
	is_int(v, 250000000, "is honoured");
	is_int(tape_num_fraction_ns("0000000019", 10, &v, NULL), TAPE_OK, "10");
	is_int(v, 1, "the tenth digit is cut");
	is_int(tape_num_fraction_ns("", 0, &v, NULL), TAPE_E_USAGE, "none");
	is_int(tape_num_fraction_ns("1x", 2, &v, NULL), TAPE_E_USAGE, "x");
	is_int(tape_num_fraction_ns("012345678x", 10, &v, NULL), TAPE_E_USAGE,
	    "even where it would be cut");
	is_int(v, 1, "failures leave the result");
}

static void
test_hex_digits(void)
{
	static const char digits[] = "0123456789abcdef";
	int wrong = 0, others = 0;

	for (int i = 0; i < 16; i++)
		wrong += tape_num_hex_digit(digits[i]) != i;
	is_int(wrong, 0, "hexadecimal digits");
	for (int i = 10; i < 16; i++)
		wrong += tape_num_hex_digit("ABCDEF"[i - 10]) != i;
	is_int(wrong, 0, "upper-case ones");
	for (int c = 0; c < 256; c++)
		others += tape_num_hex_digit((char)c) == -1;
	is_int(others, 256 - 22, "every other character is none");
}

int
main(void)
{
	test_i64();
	test_u64();
	test_hex_digits();
	test_double();
	test_durations();
	test_sizes();
	test_rates_and_shares();
	test_printing();
	test_round_trip();
	test_fractions();
	return done_testing();
}
