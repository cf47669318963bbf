/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/hist.h"

#include "unit/tap.h"

static struct tape_hist h;

int
main(void)
{
	is_int(tape_hist_quantile(&h, 0.5), 0, "empty");
	tape_hist_add(&h, -5);
	is_int(tape_hist_quantile(&h, 1), 0, "negative counts as 0");
	memset(&h, 0, sizeof(h));
	for (int64_t v = 1; v <= 100; v++)
		tape_hist_add(&h, v);
	is_int(tape_hist_quantile(&h, 0.5), 50, "small values are exact");
	is_int(tape_hist_quantile(&h, 0.99), 99, "p99");
	is_int(tape_hist_quantile(&h, 0.991), 100, "the rank is rounded up");
	is_int(tape_hist_quantile(&h, 0), 1, "the least");
	memset(&h, 0, sizeof(h));
	for (int64_t v = 1; v <= 1000; v++)
		tape_hist_add(&h, v * 1000003);
	is_near((double)tape_hist_quantile(&h, 0.5), 500e6, 0.008, "median");
	is_near(
	    (double)tape_hist_quantile(&h, 0.99), 990e6, 0.008, "p99 of large");
	is_int(tape_hist_quantile(&h, 1), 1000 * INT64_C(1000003),
	    "the largest is exact");
	is_int(h.max, 1000 * INT64_C(1000003), "and kept");
	for (int64_t v = 1; v > 0 && v < INT64_MAX / 3; v *= 3) {
		memset(&h, 0, sizeof(h));
		tape_hist_add(&h, v);
		tape_hist_add(&h, INT64_MAX);
		is_near((double)tape_hist_quantile(&h, 0.5), (double)v, 0.008,
		    "within 1 %% at %" PRId64, v);
	}
	is_int(tape_hist_quantile(&h, 1), INT64_MAX, "the largest of all");
	return done_testing();
}
