/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clock: the time, as a struct of functions, so that tests inject their own.
 *
 * All times are int64 nanoseconds: now_ns of CLOCK_MONOTONIC, wall_ns since
 * 1970 UTC.  Read it as late and as close to the event as possible; never pass
 * an old value down the tree as "now".
 */
#ifndef TAPE_BASE_CLOCK_H
#define TAPE_BASE_CLOCK_H

#include "base/err.h"

#define TAPE_NS_PER_S  INT64_C(1000000000)
#define TAPE_NS_PER_MS INT64_C(1000000)
#define TAPE_NS_PER_US INT64_C(1000)

struct tape_clock {
	int64_t (*now_ns)(void *arg);
	int64_t (*wall_ns)(void *arg);
	/* Returns at once when the time has passed; a signal does not end it. */
	void (*sleep_until_ns)(void *arg, int64_t deadline_ns);
	void *arg;
};

extern const struct tape_clock tape_clock_system;

/* A clock that stands still until it is told: sleeping moves it. */
struct tape_clock_fake {
	int64_t now_ns;
	int64_t wall_offset_ns; /* wall = now + offset */
};
struct tape_clock tape_clock_from_fake(struct tape_clock_fake *fake);

int64_t tape_clock_now_ns(const struct tape_clock *c);
int64_t tape_clock_wall_ns(const struct tape_clock *c);
void tape_clock_sleep_until_ns(const struct tape_clock *c, int64_t deadline_ns);

/*
 * Wall minus monotonic: the best of 20 reads of the wall clock bracketed by
 * two of the monotonic one; *width_ns (may be NULL) is that bracket's width.
 */
int64_t tape_clock_offset_ns(const struct tape_clock *c, int64_t *width_ns);

#define TAPE_CLOCK_ISO  32 /* room for 2026-03-01T12:00:00.000000000Z */
#define TAPE_CLOCK_MONO 24 /* room for 12345.000000000 */

/* UTC, nine digits, Z: all that int64 holds, 1677 to 2262.  Returns dst. */
char *tape_clock_print_iso(int64_t wall_ns, char dst[TAPE_CLOCK_ISO]);

/* From 1970 on; none to nine digits of a second, then Z.  Anything else, leap
   seconds too, is TAPE_E_FORMAT and leaves *wall_ns as it was. */
enum tape_status tape_clock_parse_iso(
    const char *s, int64_t *wall_ns, struct tape_err *err) TAPE_NODISCARD;

/* Seconds since 1970 of a proleptic Gregorian UTC date.  The ranges are the
   caller's affair, but a month outside 1 to 12 gives INT64_MIN. */
int64_t tape_clock_utc_s(
    int year, int month, int day, int hour, int minute, int second);

/* Seconds with nine digits, as epoch_mono has it. */
char *tape_clock_print_mono(int64_t ns, char dst[TAPE_CLOCK_MONO]);
enum tape_status tape_clock_parse_mono(
    const char *s, int64_t *ns, struct tape_err *err) TAPE_NODISCARD;

#endif
