/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_runs.h"

#include "base/clock.h"
#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>

#define CLOCK_TIME 11 /* where hh:mm:ss stands in an ISO time */

static const char *
print_median(const struct tape_compare_run *run, enum tape_compare_value value,
    char dst[TAPE_NUM_TEXT])
{
	double ns = run->level[value].median;

	if (isnan(ns))
		(void)snprintf(dst, TAPE_NUM_TEXT, "n/a");
	else
		(void)tape_num_print_duration(ns, dst);
	return dst;
}

static void
print_run(const struct tape_compare_run *run, size_t pair, int position,
    struct tape_buf *out)
{
	char iso[TAPE_CLOCK_ISO], ttft[TAPE_NUM_TEXT], itl[TAPE_NUM_TEXT];
	char latency[TAPE_NUM_TEXT], rate[TAPE_NUM_TEXT];
	int64_t round =
	    run->round == TAPE_ABSENT_I64 ? (int64_t)pair : run->round;

	if (isnan(run->output_tokens_per_s))
		(void)snprintf(rate, sizeof(rate), "n/a");
	else
		(void)snprintf(
		    rate, sizeof(rate), "%.4g", run->output_tokens_per_s);
	(void)tape_buf_add_fmt(out,
	    "%5" PRId64 "  %3d  %-3s  %.8s  %6" PRId64 "  %6" PRId64
	    "  %9s  %9s  %9s  %8s\n",
	    round, position, tape_compare_arm_letter(run->arm),
	    tape_clock_print_iso(run->start_ns, iso) + CLOCK_TIME, run->n,
	    run->failed, print_median(run, TAPE_COMPARE_TTFT, ttft),
	    print_median(run, TAPE_COMPARE_TPOT, itl),
	    print_median(run, TAPE_COMPARE_LATENCY, latency), rate);
}

void
tape_compare_print_runs(
    const struct tape_compare_design *design, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(out,
	    "%5s  %3s  %-3s  %-8s  %6s  %6s  %9s  %9s  %9s  %8s\n", "round",
	    "pos", "arm", "start", "n", "failed", "ttft p50", "itl p50",
	    "lat. p50", "tok/s");
	for (size_t i = 0; i < design->k; i++) {
		print_run(tape_compare_first(&design->pairs[i]), i + 1, 1, out);
		print_run(
		    tape_compare_second(&design->pairs[i]), i + 1, 2, out);
	}
}
