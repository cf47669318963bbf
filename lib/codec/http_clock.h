/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http_clock: the time of a read, and how long before it the kernel had the
 * bytes.
 *
 * The kernel stamps what it receives with CLOCK_REALTIME; all else here is
 * CLOCK_MONOTONIC.  What lies between the two changes only when somebody sets
 * the wall clock, since both are slewed alike.  So the difference is measured
 * at open and again each second, and each stamp is checked against it by one
 * reading of the wall clock: more than 50 us off is a step, or this thread was
 * put aside between two readings; a new measurement tells which.  After a step
 * the lags of a second are unknown, as stamps from before it may still come.
 */
#ifndef TAPE_CODEC_HTTP_CLOCK_H
#define TAPE_CODEC_HTTP_CLOCK_H

#include "codec/http.h"

#define TAPE_HTTP_CLOCK_STEP_NS (50 * TAPE_NS_PER_US)

struct tape_http_clock {
	const struct tape_clock *clock;
	int64_t offset_ns;  /* wall minus monotonic */
	int64_t looked_ns;  /* when it was measured last */
	int64_t trusted_ns; /* no lags before this time */
	struct tape_http_clock_stats stats;
};

/* clock must live as long. */
void tape_http_clock_open(
    struct tape_http_clock *c, const struct tape_clock *clock);

/*
 * Takes the time.  wall_ns is the kernel's stamp, -1 for none; *lag_ns is set
 * to how long ago that was, or to -1 where it is not known.  What came at the
 * wall time cannot have come before floor_ns, the time of what came before: a
 * stamp from before that is not believed, nor one from the future.  Errors of
 * under a microsecond, as the measurement has, are set right.
 */
int64_t tape_http_clock_stamp(struct tape_http_clock *c, int64_t wall_ns,
    int64_t floor_ns, int64_t *lag_ns);

#endif
