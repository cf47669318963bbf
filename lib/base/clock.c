/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include "base/num.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DAY_S INT64_C(86400)

static int64_t
read_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * TAPE_NS_PER_S + ts.tv_nsec;
}

static int64_t
system_now(void *arg)
{
	(void)arg;
	return read_ns(CLOCK_MONOTONIC);
}

static int64_t
system_wall(void *arg)
{
	(void)arg;
	return read_ns(CLOCK_REALTIME);
}

static void
system_sleep(void *arg, int64_t deadline_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(deadline_ns / TAPE_NS_PER_S),
		.tv_nsec = (long)(deadline_ns % TAPE_NS_PER_S),
	};

	(void)arg;
	if (deadline_ns <= 0)
		return;
	while (
	    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		continue;
}

const struct tape_clock tape_clock_system = {
	.now_ns = system_now,
	.wall_ns = system_wall,
	.sleep_until_ns = system_sleep,
};

static int64_t
fake_now(void *arg)
{
	const struct tape_clock_fake *f = arg;

	return f->now_ns;
}

static int64_t
fake_wall(void *arg)
{
	const struct tape_clock_fake *f = arg;

	return f->now_ns + f->wall_offset_ns;
}

static void
fake_sleep(void *arg, int64_t deadline_ns)
{
	struct tape_clock_fake *f = arg;

	if (deadline_ns > f->now_ns)
		f->now_ns = deadline_ns;
}

struct tape_clock
tape_clock_from_fake(struct tape_clock_fake *fake)
{
	return (struct tape_clock){
		.now_ns = fake_now,
		.wall_ns = fake_wall,
		.sleep_until_ns = fake_sleep,
		.arg = fake,
	};
}

int64_t
tape_clock_now_ns(const struct tape_clock *c)
{
	return c->now_ns(c->arg);
}

int64_t
tape_clock_wall_ns(const struct tape_clock *c)
{
	return c->wall_ns(c->arg);
}

void
tape_clock_sleep_until_ns(const struct tape_clock *c, int64_t deadline_ns)
{
	c->sleep_until_ns(c->arg, deadline_ns);
}

int64_t
tape_clock_offset_ns(const struct tape_clock *c, int64_t *width_ns)
{
	int64_t best = INT64_MAX;
	int64_t offset = 0;

	for (int i = 0; i < 20; i++) {
		int64_t before = tape_clock_now_ns(c);
		int64_t wall = tape_clock_wall_ns(c);
		int64_t width = tape_clock_now_ns(c) - before;

		if (width < best) {
			best = width;
			offset = wall - (before + width / 2);
		}
	}
	if (width_ns != NULL)
		*width_ns = best;
	return offset;
}

static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static bool
is_leap(int64_t y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static int
month_days(int64_t year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
		31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to January 1 of a year. */
static int64_t
days_to_year(int64_t year)
{
	int64_t y = year - 1;

	return y * 365 + floor_div(y, 4) - floor_div(y, 100) +
	       floor_div(y, 400) - 719162;
}

int64_t
tape_clock_utc_s(int year, int month, int day, int hour, int minute, int second)
{
	int64_t days = days_to_year(year) + day - 1;

	if (month < 1 || month > 12)
		return INT64_MIN;
	for (int m = 1; m < month; m++)
		days += month_days(year, m);
	return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

/* Writes the digits of a number so that they stop before end. */
static void
put(char *end, int64_t v)
{
	for (; v > 0; v /= 10)
		*--end = (char)('0' + v % 10);
}

char *
tape_clock_print_iso(int64_t wall_ns, char dst[TAPE_CLOCK_ISO])
{
	int64_t s = floor_div(wall_ns, TAPE_NS_PER_S);
	int64_t ns = wall_ns % TAPE_NS_PER_S;
	int64_t day = floor_div(s, DAY_S);
	int64_t of_day = s - day * DAY_S;
	int64_t year = 1970 + floor_div(day * 400, 146097);
	int month = 1;

	/* The mean year can miss by one near a New Year. */
	while (days_to_year(year) > day)
		year--;
	while (days_to_year(year + 1) <= day)
		year++;
	day -= days_to_year(year);
	while (day >= month_days(year, month))
		day -= month_days(year, month++);
	memcpy(dst, "0000-00-00T00:00:00.000000000Z", 31);
	put(dst + 4, year);
	put(dst + 7, month);
	put(dst + 10, day + 1);
	put(dst + 13, of_day / 3600);
	put(dst + 16, of_day / 60 % 60);
	put(dst + 19, of_day % 60);
	put(dst + 29, ns < 0 ? ns + TAPE_NS_PER_S : ns);
	return dst;
}

/* Whether s looks like the pattern, where 9 stands for a digit. */
static bool
matches(const char *s, const char *pattern)
{
	for (; *pattern != '\0'; s++, pattern++)
		if (*pattern == '9' ? *s < '0' || *s > '9' : *s != *pattern)
			return false;
	return true;
}

static int
number(const char *s, int n)
{
	int v = 0;

	while (n-- > 0)
		v = v * 10 + (*s++ - '0');
	return v;
}

static enum tape_status
bad_iso(const char *s, struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_FORMAT,
	    "'%.40s' is not a time like 2026-03-01T12:00:00.000000000Z", s);
}

enum tape_status
tape_clock_parse_iso(const char *s, int64_t *wall_ns, struct tape_err *err)
{
	int64_t ns = 0;
	const char *p;
	size_t n;
	int64_t v;

	if (!matches(s, "9999-99-99T99:99:99"))
		return bad_iso(s, err);
	int year = number(s, 4);
	int month = number(s + 5, 2);
	int day = number(s + 8, 2);
	int hour = number(s + 11, 2);
	int minute = number(s + 14, 2);
	int second = number(s + 17, 2);
	if (year < 1970 || month < 1 || month > 12 || day < 1 ||
	    day > month_days(year, month) || hour > 23 || minute > 59 ||
	    second > 59)
		return bad_iso(s, err);
	p = s + 19;
	if (*p == '.') {
		n = strspn(p + 1, "0123456789");
		if (n > 9 ||
		    tape_num_fraction_ns(p + 1, n, &ns, NULL) != TAPE_OK)
			return bad_iso(s, err);
		p += n + 1;
	}
	if (strcmp(p, "Z") != 0)
		return bad_iso(s, err);
	v = tape_clock_utc_s(year, month, day, hour, minute, second);
	if (__builtin_mul_overflow(v, TAPE_NS_PER_S, &v) ||
	    __builtin_add_overflow(v, ns, &v))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "the year %d is too late", year);
	*wall_ns = v;
	return TAPE_OK;
}

char *
tape_clock_print_mono(int64_t ns, char dst[TAPE_CLOCK_MONO])
{
	uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	(void)snprintf(dst, TAPE_CLOCK_MONO, "%s%" PRIu64 ".%09" PRIu64,
	    ns < 0 ? "-" : "", u / TAPE_NS_PER_S, u % TAPE_NS_PER_S);
	return dst;
}

enum tape_status
tape_clock_parse_mono(const char *s, int64_t *ns, struct tape_err *err)
{
	size_t whole = strspn(s, "0123456789");
	int64_t frac = 0;
	int64_t v = 0;
	bool fits = true;

	if (whole == 0 || !matches(s + whole, ".999999999") ||
	    s[whole + 10] != '\0' ||
	    tape_num_fraction_ns(s + whole + 1, 9, &frac, NULL) != TAPE_OK)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "'%.40s' is not seconds with nine digits", s);
	for (size_t i = 0; i < whole; i++)
		fits = fits && !__builtin_mul_overflow(v, INT64_C(10), &v) &&
		       !__builtin_add_overflow(v, s[i] - '0', &v);
	if (!fits || __builtin_mul_overflow(v, TAPE_NS_PER_S, &v) ||
	    __builtin_add_overflow(v, frac, &v))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "'%.40s' s is too large", s);
	*ns = v;
	return TAPE_OK;
}
