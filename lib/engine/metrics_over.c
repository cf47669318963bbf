/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a run, from what was added up over its requests. */
#include "engine/metrics_impl.h"

static double
per_s(double sum, uint64_t n, const struct tape_metric_totals *t)
{
	if (n == 0 || !(t->window_s > 0))
		return TAPE_ABSENT_F64;
	return sum / t->window_s;
}

OVER(requests_per_s)
{
	*n = t->ok;
	return per_s((double)t->ok, t->ok, t);
}

OVER(output_per_s)
{
	*n = t->output_n;
	return per_s(t->output_tokens, t->output_n, t);
}

OVER(input_per_s)
{
	*n = t->input_n;
	return per_s(t->input_tokens, t->input_n, t);
}

OVER(total_per_s)
{
	*n = t->total_n;
	return per_s(t->total_tokens, t->total_n, t);
}

OVER(good_per_s)
{
	*n = t->ok;
	return t->has_good ? per_s((double)t->good, t->ok, t) : TAPE_ABSENT_F64;
}

OVER(good_output_per_s)
{
	*n = t->output_n;
	return t->has_good ? per_s(t->sum[TAPE_SUM_GOOD_OUTPUT], t->output_n, t)
			   : TAPE_ABSENT_F64;
}

static double
share(uint64_t part, const struct tape_metric_totals *t, uint64_t *n)
{
	*n = t->ok + t->failed;
	return *n == 0 ? TAPE_ABSENT_F64 : (double)part / (double)*n;
}

OVER(good_ratio)
{
	double v = share(t->good, t, n);

	return t->has_good ? v : TAPE_ABSENT_F64;
}

OVER(failed_ratio)
{
	return share(t->failed, t, n);
}

/* Of a run without failures there is nothing to divide up. */
static double
share_of_failed(
    enum tape_metric_sum class, const struct tape_metric_totals *t, uint64_t *n)
{
	double v = share((uint64_t)t->sum[class], t, n);

	return t->failed == 0 ? TAPE_ABSENT_F64 : v;
}

OVER(connect_failed)
{
	return share_of_failed(TAPE_SUM_FAILED_CONNECT, t, n);
}

OVER(timeout)
{
	return share_of_failed(TAPE_SUM_FAILED_TIMEOUT, t, n);
}

OVER(http_failed)
{
	return share_of_failed(TAPE_SUM_FAILED_HTTP, t, n);
}

OVER(stream_failed)
{
	return share_of_failed(TAPE_SUM_FAILED_STREAM, t, n);
}

OVER(other_failed)
{
	return share_of_failed(TAPE_SUM_FAILED_OTHER, t, n);
}

/* Absent where there was none: most runs have no such plan. */
static double
share_of_all(uint64_t part, const struct tape_metric_totals *t, uint64_t *n)
{
	*n = t->ok + t->failed + t->cancelled;
	return part == 0 ? TAPE_ABSENT_F64 : (double)part / (double)*n;
}

OVER(cancelled)
{
	return share_of_all(t->cancelled, t, n);
}

OVER(retried)
{
	return share_of_all(t->retried, t, n);
}

static double
share_of(enum tape_metric_sum part, enum tape_metric_sum whole,
    const struct tape_metric_totals *t)
{
	return t->sum[whole] > 0 ? t->sum[part] / t->sum[whole]
				 : TAPE_ABSENT_F64;
}

OVER(stalled)
{
	*n = (uint64_t)t->sum[TAPE_SUM_GAPPED];
	return share_of(TAPE_SUM_STALLED, TAPE_SUM_GAPPED, t);
}

OVER(reused)
{
	*n = (uint64_t)t->sum[TAPE_SUM_CONNECTED];
	return share_of(TAPE_SUM_REUSED, TAPE_SUM_CONNECTED, t);
}

OVER(cached_ratio)
{
	*n = (uint64_t)t->sum[TAPE_SUM_CACHED_N];
	return share_of(TAPE_SUM_CACHED_PART, TAPE_SUM_CACHED_INPUT, t);
}

OVER(reasoning_ratio)
{
	*n = (uint64_t)t->sum[TAPE_SUM_REASONING_N];
	return share_of(TAPE_SUM_REASONING_PART, TAPE_SUM_REASONING_OUTPUT, t);
}

OVER(mismatches)
{
	*n = (uint64_t)t->sum[TAPE_SUM_ASKED];
	return *n == 0 ? TAPE_ABSENT_F64 : t->sum[TAPE_SUM_MISMATCHED];
}

OVER(requests)
{
	*n = t->ok + t->failed;
	return (double)t->ok;
}

OVER(good_requests)
{
	*n = t->ok + t->failed;
	return t->has_good ? (double)t->good : TAPE_ABSENT_F64;
}

OVER(failed_requests)
{
	*n = t->ok + t->failed;
	return (double)t->failed;
}

static double
sum_of(double sum, uint64_t of, uint64_t *n)
{
	*n = of;
	return of == 0 ? TAPE_ABSENT_F64 : sum;
}

OVER(sum_input)
{
	return sum_of(t->input_tokens, t->input_n, n);
}

OVER(sum_output)
{
	return sum_of(t->output_tokens, t->output_n, n);
}

OVER(sum_total)
{
	return sum_of(t->total_tokens, t->total_n, n);
}

OVER(sum_cached)
{
	return sum_of(
	    t->sum[TAPE_SUM_CACHED], (uint64_t)t->sum[TAPE_SUM_CACHED_N], n);
}

OVER(sum_reasoning)
{
	return sum_of(t->sum[TAPE_SUM_REASONING],
	    (uint64_t)t->sum[TAPE_SUM_REASONING_N], n);
}

OVER(sum_failed_input)
{
	return sum_of(t->sum[TAPE_SUM_FAILED_INPUT],
	    (uint64_t)t->sum[TAPE_SUM_FAILED_INPUT_N], n);
}

OVER(window)
{
	*n = t->ok;
	return t->window_ns;
}
