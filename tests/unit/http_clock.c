/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http: the kernel's wall time on the monotonic clock. */
#include "codec/http_clock.h"
#include "unit/tap.h"

#define US     TAPE_NS_PER_US
#define MS     TAPE_NS_PER_MS
#define S      TAPE_NS_PER_S
#define OFFSET (INT64_C(1700000000) * S)

static struct tape_clock_fake fake;
static struct tape_clock clock_;
static struct tape_http_clock c;

static void
set_up(void)
{
	fake = (struct tape_clock_fake){ .now_ns = 100 * S,
		.wall_offset_ns = OFFSET };
	clock_ = tape_clock_from_fake(&fake);
	tape_http_clock_open(&c, &clock_);
}

/* The lag of bytes that came so long ago by a wall clock that is off by
   wrong_ns. */
static int64_t
lag_of(int64_t ago_ns, int64_t wrong_ns)
{
	int64_t lag_ns;
	int64_t at_ns = fake.now_ns - ago_ns + OFFSET + wrong_ns;
	int64_t t_ns = tape_http_clock_stamp(&c, at_ns, 0, &lag_ns);

	if (t_ns != fake.now_ns)
		ok(false, "the time is not now");
	return lag_ns;
}

static void
test_lags(void)
{
	int64_t lag_ns;

	set_up();
	is_int(lag_of(0, 0), 0, "bytes that came just now");
	is_int(lag_of(7 * MS, 0), 7 * MS, "and a while ago");
	is_int(lag_of(-999, 0), 0, "from within the error of the clocks");
	is_int(lag_of(-1000, 0), -1, "a stamp from the future is not believed");
	(void)tape_http_clock_stamp(&c, -1, 0, &lag_ns);
	is_int(lag_ns, -1, "no stamp");
	is_int(c.stats.kernel, 3, "those with a lag are counted");
	is_int(c.stats.user, 2, "and those without");
}

static void
test_floor(void)
{
	int64_t now_ns, lag_ns;

	set_up();
	now_ns = fake.now_ns;
	(void)tape_http_clock_stamp(
	    &c, now_ns + OFFSET - 5 * MS, now_ns - 5 * MS, &lag_ns);
	is_int(lag_ns, 5 * MS, "as early as the bytes before");
	(void)tape_http_clock_stamp(
	    &c, now_ns + OFFSET - 5 * MS, now_ns - 5 * MS + 900, &lag_ns);
	is_int(lag_ns, 5 * MS - 900, "earlier by the error: it is set right");
	(void)tape_http_clock_stamp(
	    &c, now_ns + OFFSET - 5 * MS, now_ns - 4 * MS, &lag_ns);
	is_int(lag_ns, -1, "earlier than that: it is not believed");
}

static void
test_step(int64_t by_ns, const char *how)
{
	set_up();
	fake.now_ns += 300 * MS;
	fake.wall_offset_ns += by_ns;
	is_int(lag_of(1 * MS, by_ns), -1, "%s: no lag for the next read", how);
	is_int(c.stats.steps, 1, "it is counted");
	is_int(
	    c.stats.step_max_ns, by_ns < 0 ? -by_ns : by_ns, "with its size");
	fake.now_ns += 999 * MS;
	is_int(lag_of(1 * MS, by_ns), -1, "nor for a second");
	fake.now_ns += 2 * MS;
	is_int(lag_of(1 * MS, by_ns), 1 * MS, "and then by the new offset");
	is_int(c.stats.steps, 1, "which is no further step");
}

static void
test_small(void)
{
	set_up();
	fake.wall_offset_ns += 40 * US;
	fake.now_ns += 500 * MS;
	is_int(lag_of(1 * MS, 40 * US), 1 * MS - 40 * US,
	    "a small shift is not seen at once");
	fake.now_ns += 600 * MS;
	is_int(lag_of(1 * MS, 40 * US), 1 * MS,
	    "but by the next measurement, as good as before");
	is_int(c.stats.steps, 0, "and is no step");
}

/* A clock whose thread is put aside before the nth wall reading. */
static int64_t real_ns, aside_ns;
static int reading, aside_at;

static int64_t
now_of(void *arg)
{
	(void)arg;
	return real_ns += 20;
}

static int64_t
wall_of(void *arg)
{
	(void)arg;
	if (++reading == aside_at)
		real_ns += aside_ns;
	return (real_ns += 20) + OFFSET;
}

static void
test_put_aside(void)
{
	static const struct tape_clock slow = { .now_ns = now_of,
		.wall_ns = wall_of };
	int64_t lag_ns, before_ns;

	real_ns = 50 * S;
	tape_http_clock_open(&c, &slow);
	real_ns += 10 * MS;
	before_ns = real_ns;
	aside_at = reading + 1;
	aside_ns = 3 * MS;
	(void)tape_http_clock_stamp(&c, real_ns + OFFSET, 0, &lag_ns);
	ok(lag_ns >= 0 && lag_ns < US,
	    "put aside between two readings: the lag is right");
	is_int(c.stats.steps, 0, "and it is no step");
	ok(real_ns - before_ns >= 3 * MS, "although time went by");
	aside_ns = 100 * US;
	aside_at = reading + 1;
	(void)tape_http_clock_stamp(&c, real_ns + OFFSET, 0, &lag_ns);
	ok(lag_ns >= 0 && c.stats.steps == 0, "again, much later");
	aside_at = reading + 1;
	(void)tape_http_clock_stamp(&c, real_ns + OFFSET, 0, &lag_ns);
	is_int(lag_ns, -1, "at once again: it is not looked into");
	ok(c.stats.width_max_ns > 0 && c.stats.width_max_ns < US,
	    "the widest bracket is known: %d ns", (int)c.stats.width_max_ns);
}

/* Always put aside: no measurement is any good. */
static int64_t
torn_wall(void *arg)
{
	(void)arg;
	return (real_ns += 200 * US) + OFFSET;
}

static void
test_torn(void)
{
	static const struct tape_clock torn = { .now_ns = now_of,
		.wall_ns = torn_wall };
	int64_t lag_ns;

	real_ns = 50 * S;
	tape_http_clock_open(&c, &torn);
	real_ns += 2 * S;
	(void)tape_http_clock_stamp(&c, real_ns + OFFSET, 0, &lag_ns);
	is_int(c.stats.steps, 0, "a measurement that is too wide is no step");
	ok(c.stats.width_max_ns >= 200 * US, "and its width is told");
	is_int(lag_ns, -1, "nor good for a lag");
}

int
main(void)
{
	test_lags();
	test_floor();
	test_step(2 * S, "set forward");
	test_step(-3 * S, "set back");
	test_step(60 * US, "set by little more than is allowed");
	test_small();
	test_put_aside();
	test_torn();
	return done_testing();
}
