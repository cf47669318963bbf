/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/num.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of a refused text is quoted, and the longest number with a unit. */
#define QUOTED  "'%.60s'"
#define LONGEST 64

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int
tape_num_hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static size_t
count_digits(const char *s)
{
	size_t n = 0;

	while (is_digit(s[n]))
		n++;
	return n;
}

/* Length of [digits][.digits] with at least one digit; 0 for none.  A point
   without digits behind it does not belong. */
static size_t
fixed_span(const char *s)
{
	size_t n = count_digits(s);
	size_t frac = s[n] == '.' ? count_digits(s + n + 1) : 0;

	return frac > 0 ? n + 1 + frac : n;
}

/* The same with a sign in front and an exponent behind. */
static size_t
float_span(const char *s)
{
	size_t sign = s[0] == '-';
	size_t n = fixed_span(s + sign);
	size_t e;

	if (n == 0)
		return 0;
	n += sign;
	if (s[n] != 'e' && s[n] != 'E')
		return n;
	e = n + 1;
	if (s[e] == '+' || s[e] == '-')
		e++;
	return count_digits(s + e) > 0 ? e + count_digits(s + e) : n;
}

/* n digits to a number; false when it does not fit. */
static bool
to_u64(const char *s, size_t n, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	*out = v;
	return true;
}

enum tape_status
tape_num_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out,
    struct tape_err *err)
{
	size_t n = count_digits(s);
	uint64_t v;

	if (n == 0 || s[n] != '\0')
		return tape_err_set(
		    err, TAPE_E_USAGE, QUOTED " is not a whole number", s);
	if (!to_u64(s, n, &v) || v < min || v > max)
		return tape_err_set(err, TAPE_E_USAGE,
		    QUOTED " is not within %" PRIu64 " to %" PRIu64, s, min,
		    max);
	*out = v;
	return TAPE_OK;
}

enum tape_status
tape_num_i64(
    const char *s, int64_t min, int64_t max, int64_t *out, struct tape_err *err)
{
	bool neg = s[0] == '-';
	const char *p = s + neg;
	size_t n = count_digits(p);
	uint64_t most = (uint64_t)INT64_MAX + neg;
	uint64_t u;
	int64_t v = 0;

	if (n == 0 || p[n] != '\0')
		return tape_err_set(
		    err, TAPE_E_USAGE, QUOTED " is not a whole number", s);
	bool fits = to_u64(p, n, &u) && u <= most;
	if (fits)
		v = neg ? (int64_t)(0 - u) : (int64_t)u;
	if (!fits || v < min || v > max)
		return tape_err_set(err, TAPE_E_USAGE,
		    QUOTED " is not within %" PRId64 " to %" PRId64, s, min,
		    max);
	*out = v;
	return TAPE_OK;
}

/*
 * strtod on text whose syntax is known to be good.  The end is compared so
 * that a locale with another decimal point is an error, not a wrong number.
 */
static enum tape_status
to_double(const char *s, double *out, struct tape_err *err)
{
	char *end;
	double v = strtod(s, &end);

	if (*end != '\0')
		return tape_err_set(
		    err, TAPE_E_BUG, "the locale's decimal point is not '.'");
	*out = v;
	return TAPE_OK;
}

enum tape_status
tape_num_double(
    const char *s, double min, double max, double *out, struct tape_err *err)
{
	size_t n = float_span(s);
	double v = 0;
	enum tape_status st;

	if (n == 0 || s[n] != '\0')
		return tape_err_set(
		    err, TAPE_E_USAGE, QUOTED " is not a number", s);
	st = to_double(s, &v, err);
	if (st != TAPE_OK)
		return st;
	if (!isfinite(v) || v < min || v > max)
		return tape_err_set(err, TAPE_E_USAGE,
		    QUOTED " is not within %g to %g", s, min, max);
	*out = v;
	return TAPE_OK;
}

/*
 * The fraction of a unit, exactly.  From its last digit to its first, each
 * step adds digit * unit and divides by ten: when the whole is a number of
 * nanoseconds, no step leaves a remainder.  With unit at most an hour, nothing
 * overflows.
 */
static bool
fraction_of(const char *s, size_t n, int64_t unit, int64_t *out)
{
	int64_t v = 0;

	while (n > 0) {
		v += (s[--n] - '0') * unit;
		if (v % 10 != 0)
			return false;
		v /= 10;
	}
	*out = v;
	return true;
}

static int64_t
unit_ns(const char *s)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", TAPE_NS_PER_US },
		{ "ms", TAPE_NS_PER_MS },
		{ "s", TAPE_NS_PER_S },
		{ "m", 60 * TAPE_NS_PER_S },
		{ "h", 3600 * TAPE_NS_PER_S },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(s, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

enum tape_status
tape_num_duration_ns(const char *s, int64_t *out, struct tape_err *err)
{
	size_t n = fixed_span(s);
	size_t whole = count_digits(s);
	int64_t unit = unit_ns(s + n);
	int64_t frac = 0;
	uint64_t u = 0;
	int64_t v;

	if (strcmp(s, "0") == 0) {
		*out = 0;
		return TAPE_OK;
	}
	if (n == 0 || unit == 0)
		return tape_err_set(err, TAPE_E_USAGE,
		    QUOTED " is not a duration (like 250ms, 1.5s, 2m)", s);
	if (n > whole &&
	    !fraction_of(s + whole + 1, n - whole - 1, unit, &frac))
		return tape_err_set(
		    err, TAPE_E_USAGE, QUOTED " is finer than a nanosecond", s);
	if (!to_u64(s, whole, &u) || __builtin_mul_overflow(u, unit, &v) ||
	    __builtin_add_overflow(v, frac, &v))
		return tape_err_set(
		    err, TAPE_E_USAGE, "duration " QUOTED " is too long", s);
	*out = v;
	return TAPE_OK;
}

enum tape_status
tape_num_size_bytes(const char *s, uint64_t *out, struct tape_err *err)
{
	static const char letters[] = "KMG";
	size_t n = count_digits(s);
	const char *unit = s + n;
	const char *l = *unit != '\0' ? strchr(letters, *unit) : NULL;
	unsigned shift = l != NULL ? 10 * (unsigned)(l - letters + 1) : 0;
	uint64_t v;

	if (n == 0 || (*unit != '\0' && l == NULL) ||
	    (l != NULL && unit[1] != '\0' && strcmp(unit + 1, "iB") != 0))
		return tape_err_set(err, TAPE_E_USAGE,
		    QUOTED " is not a size (like 65536, 64K, 4MiB)", s);
	if (!to_u64(s, n, &v) || v > UINT64_MAX >> shift)
		return tape_err_set(
		    err, TAPE_E_USAGE, "size " QUOTED " is too large", s);
	*out = v << shift;
	return TAPE_OK;
}

enum tape_status
tape_num_rate_per_s(const char *s, double *out, struct tape_err *err)
{
	size_t n = float_span(s);
	const char *unit = s + n;
	double per = 0;
	char text[LONGEST];
	double v = 0;
	enum tape_status st;

	if (*unit == '\0' || strcmp(unit, "/s") == 0)
		per = 1;
	else if (strcmp(unit, "/m") == 0)
		per = 60;
	else if (strcmp(unit, "/h") == 0)
		per = 3600;
	if (n == 0 || n >= sizeof(text) || per < 1)
		return tape_err_set(err, TAPE_E_USAGE,
		    QUOTED " is not a rate (like 10, 0.5/s, 600/m)", s);
	(void)snprintf(text, sizeof(text), "%.*s", (int)n, s);
	st = to_double(text, &v, err);
	if (st != TAPE_OK)
		return st;
	v /= per;
	if (!isfinite(v) || v <= 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "rate " QUOTED " is not positive", s);
	*out = v;
	return TAPE_OK;
}

enum tape_status
tape_num_share_ratio(const char *s, double *out, struct tape_err *err)
{
	size_t n = fixed_span(s);
	bool percent = strcmp(s + n, "%") == 0;
	char text[LONGEST];
	double v = 0;
	enum tape_status st;

	if (!percent)
		n = float_span(s);
	if (n == 0 || n + 4 > sizeof(text) || (!percent && s[n] != '\0'))
		return tape_err_set(err, TAPE_E_USAGE,
		    QUOTED " is not a share (like 0.05 or 5%%)", s);
	/* The exponent divides before rounding: 0.1% is 0.001. */
	(void)snprintf(
	    text, sizeof(text), "%.*s%s", (int)n, s, percent ? "e-2" : "");
	st = to_double(text, &v, err);
	if (st != TAPE_OK)
		return st;
	if (!(v >= 0 && v <= 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "share " QUOTED " is not within 0 to 1", s);
	*out = v;
	return TAPE_OK;
}

enum tape_status
tape_num_fraction_ns(
    const char *digits, size_t len, int64_t *out, struct tape_err *err)
{
	int64_t v = 0;

	for (size_t i = 0; i < len; i++)
		if (!is_digit(digits[i]))
			len = 0;
	if (len == 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "the fraction is not decimal digits");
	for (size_t i = 0; i < 9; i++)
		v = v * 10 + (i < len ? digits[i] - '0' : 0);
	*out = v;
	return TAPE_OK;
}

char *
tape_num_print_double(double v, char dst[TAPE_NUM_TEXT])
{
	for (int precision = 15; precision <= 17; precision++) {
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.*g", precision, v);
		double back = strtod(dst, NULL);
		if (!(back < v) && !(back > v))
			break;
	}
	return dst;
}

char *
tape_num_print_duration(double ns, char dst[TAPE_NUM_TEXT])
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	double v = fabs(ns);
	size_t unit = 0;
	int decimals;

	/* The limits are where the printed digits would round up. */
	while (unit < 3 && v >= (unit == 0 ? 999.5 : 999.95)) {
		v /= 1000;
		unit++;
	}
	decimals = unit == 0 ? 0 : v < 9.995 ? 2 : 1;
	if (v >= 1e9)
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.3e s", copysign(v, ns));
	else
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.*f %s", decimals,
		    copysign(v, ns), names[unit]);
	return dst;
}
