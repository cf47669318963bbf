/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/dec.h"

#include "unit/tap.h"

#include <float.h>

/* Powers of ten and their neighbours, where the number of digits changes. */
static void
test_integers(void)
{
	char got[TAPE_DEC_TEXT + 1], want[32];
	uint64_t p = 1;
	int i, d, bad = 0;

	for (i = 0; i < 20; i++, p *= 10)
		for (d = -1; d <= 1; d++) {
			uint64_t v = p + (uint64_t)d;

			got[tape_dec_put_u64(v, got)] = '\0';
			(void)snprintf(want, sizeof(want), "%" PRIu64, v);
			bad += strcmp(got, want) != 0;
			got[tape_dec_put_i64(-(int64_t)v, got)] = '\0';
			(void)snprintf(
			    want, sizeof(want), "%" PRId64, -(int64_t)v);
			bad += strcmp(got, want) != 0;
		}
	is_int(bad, 0, "integers around the powers of ten");
	got[tape_dec_put_u64(UINT64_MAX, got)] = '\0';
	is_str(got, "18446744073709551615", "the largest");
	got[tape_dec_put_i64(INT64_MIN, got)] = '\0';
	is_str(got, "-9223372036854775808", "the smallest");
}

static void
test_doubles(void)
{
	double v = 7;

	ok(tape_dec_scale(1, -1, &v) && fabs(v - 0.1) < DBL_MIN, "0.1");
	ok(tape_dec_scale(123, 20, &v) && fabs(v - 123e20) < 1, "123e20");
	v = 7;
	ok(!tape_dec_scale((UINT64_C(1) << 53) + 1, 0, &v), "too many digits");
	ok(!tape_dec_scale(1, 23, &v) && !tape_dec_scale(1, -23, &v),
	    "exponents beyond the exact powers");
	is_near(v, 7, 0, "leave the output alone");
	is_near(tape_dec_read("9007199254740993]"), 9007199254740992.0, 0,
	    "reads to the nearest");
	ok(isinf(tape_dec_read("-1e999 ")), "too large is infinite");
}

int
main(void)
{
	test_integers();
	test_doubles();
	return done_testing();
}
