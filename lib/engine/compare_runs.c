/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_runs.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "codec/stat_desc.h"
#include "codec/stat_sort.h"

#include <inttypes.h>
#include <stdio.h>

static double
median_ns(const struct tape_compare_run *run, enum tape_compare_value value)
{
	double *v = tape_mem_calloc(run->request_count + 1, sizeof(*v));
	double m = TAPE_ABSENT_F64;
	size_t n = 0;

	if (v == NULL)
		return m;
	for (size_t i = 0; i < run->request_count; i++)
		if (!isnan(run->requests[i].log_value[value]))
			v[n++] = run->requests[i].log_value[value];
	if (n > 0 && tape_stat_sort(v, n, NULL) == TAPE_OK)
		m = exp(tape_stat_median(v, n));
	tape_mem_free(v);
	return m;
}

static const char *
print_ns(double ns, char dst[TAPE_NUM_TEXT])
{
	if (isnan(ns))
		(void)snprintf(dst, TAPE_NUM_TEXT, "n/a");
	else
		(void)tape_num_print_duration(ns, dst);
	return dst;
}

static void
print_run(
    const struct tape_compare_run *run, size_t place, struct tape_buf *out)
{
	char iso[TAPE_CLOCK_ISO], ttft[TAPE_NUM_TEXT], itl[TAPE_NUM_TEXT];
	char latency[TAPE_NUM_TEXT], rate[TAPE_NUM_TEXT];
	int64_t round =
	    run->round == TAPE_ABSENT_I64 ? (int64_t)place : run->round;

	(void)tape_clock_print_iso(run->start_ns, iso);
	if (isnan(run->output_tokens_per_s))
		(void)snprintf(rate, sizeof(rate), "n/a");
	else
		(void)snprintf(
		    rate, sizeof(rate), "%.4g", run->output_tokens_per_s);
	(void)tape_buf_add_fmt(out,
	    "%5" PRId64 "  %-3s  %.8s  %6" PRId64 "  %6" PRId64
	    "  %9s  %9s  %9s  %8s\n",
	    round, run->arm == TAPE_COMPARE_A ? "A" : "B", iso + 11, run->n,
	    run->failed, print_ns(median_ns(run, TAPE_COMPARE_TTFT), ttft),
	    print_ns(median_ns(run, TAPE_COMPARE_TPOT), itl),
	    print_ns(median_ns(run, TAPE_COMPARE_LATENCY), latency), rate);
}

void
tape_compare_print_runs(
    const struct tape_compare_design *design, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(out,
	    "%5s  %-3s  %-8s  %6s  %6s  %9s  %9s  %9s  %8s\n", "round", "arm",
	    "start", "n", "failed", "TTFT p50", "ITL p50", "lat. p50", "tok/s");
	for (size_t i = 0; i < design->k; i++) {
		const struct tape_compare_pair *p = &design->pairs[i];

		print_run(p->run[p->b_first ? TAPE_COMPARE_B : TAPE_COMPARE_A],
		    i + 1, out);
		print_run(p->run[p->b_first ? TAPE_COMPARE_A : TAPE_COMPARE_B],
		    i + 1, out);
	}
}
