/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_clock.h"

#define EACH_NS  TAPE_NS_PER_S  /* between measurements */
#define AGAIN_NS TAPE_NS_PER_MS /* and when a reading is odd, at least */
#define SLACK_NS TAPE_NS_PER_US /* error of a measurement, generously */

static bool
is_step(int64_t ns)
{
	return ns > TAPE_HTTP_CLOCK_STEP_NS || ns < -TAPE_HTTP_CLOCK_STEP_NS;
}

static void
note_step(struct tape_http_clock *c, int64_t moved_ns, int64_t now_ns)
{
	int64_t size_ns = moved_ns < 0 ? -moved_ns : moved_ns;

	c->stats.steps++;
	if (size_ns > c->stats.step_max_ns)
		c->stats.step_max_ns = size_ns;
	c->trusted_ns = now_ns + EACH_NS;
}

/* One that took too long says nothing (false), and is soon made again. */
static bool
measure(struct tape_http_clock *c, int64_t now_ns)
{
	int64_t width_ns;
	int64_t offset_ns = tape_clock_offset_ns(c->clock, &width_ns);

	c->looked_ns = now_ns;
	if (width_ns > c->stats.width_max_ns)
		c->stats.width_max_ns = width_ns;
	if (width_ns > TAPE_HTTP_CLOCK_STEP_NS)
		return false;
	if (is_step(offset_ns - c->offset_ns))
		note_step(c, offset_ns - c->offset_ns, now_ns);
	c->offset_ns = offset_ns;
	return true;
}

void
tape_http_clock_open(struct tape_http_clock *c, const struct tape_clock *clock)
{
	*c = (struct tape_http_clock){ .clock = clock };
	c->offset_ns = tape_clock_offset_ns(clock, &c->stats.width_max_ns);
	c->looked_ns = tape_clock_now_ns(clock);
	c->trusted_ns = INT64_MIN;
}

/* Whether the offset holds now.  Odd readings in a row are not all looked
   into: it would cost more than the reads. */
static bool
holds(struct tape_http_clock *c, int64_t now_ns)
{
	int64_t off_ns = tape_clock_wall_ns(c->clock) - now_ns - c->offset_ns;
	int64_t age_ns = now_ns - c->looked_ns;

	if (!is_step(off_ns) && age_ns < EACH_NS)
		return now_ns >= c->trusted_ns;
	if (age_ns < AGAIN_NS)
		return false;
	return measure(c, now_ns) && now_ns >= c->trusted_ns;
}

static int64_t
lag(const struct tape_http_clock *c, int64_t wall_ns, int64_t floor_ns,
    int64_t now_ns)
{
	int64_t at_ns = wall_ns - c->offset_ns;

	if (at_ns > now_ns && at_ns - now_ns < SLACK_NS)
		at_ns = now_ns;
	if (at_ns < floor_ns && floor_ns - at_ns < SLACK_NS)
		at_ns = floor_ns;
	return at_ns > now_ns || at_ns < floor_ns ? -1 : now_ns - at_ns;
}

int64_t
tape_http_clock_stamp(struct tape_http_clock *c, int64_t wall_ns,
    int64_t floor_ns, int64_t *lag_ns)
{
	int64_t now_ns = tape_clock_now_ns(c->clock);

	*lag_ns = -1;
	if (wall_ns >= 0 && holds(c, now_ns))
		*lag_ns = lag(c, wall_ns, floor_ns, now_ns);
	if (*lag_ns >= 0)
		c->stats.kernel++;
	else
		c->stats.user++;
	return now_ns;
}
