/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_rows.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"

#include <stdio.h>

const struct tape_compare_row_def tape_compare_row_table[TAPE_COMPARE_ROWS] = {
	{ "prefill", "ttft", "ns", "lower", TAPE_COMPARE_MATCHED,
	    TAPE_COMPARE_TTFT },
	{ "prefill", "ttft", "ns", "lower", TAPE_COMPARE_P99,
	    TAPE_COMPARE_TTFT },
	{ "decode", "itl", "ns", "lower", TAPE_COMPARE_MATCHED,
	    TAPE_COMPARE_TPOT },
	{ "decode", "gap", "ns", "lower", TAPE_COMPARE_P99,
	    TAPE_COMPARE_VALUES },
	{ "all", "latency", "ns", "lower", TAPE_COMPARE_MATCHED,
	    TAPE_COMPARE_LATENCY },
	{ "all", "latency", "ns", "lower", TAPE_COMPARE_MEAN,
	    TAPE_COMPARE_LATENCY },
	{ "all", "latency", "ns", "lower", TAPE_COMPARE_P99,
	    TAPE_COMPARE_LATENCY },
	{ "all", "output", "per_s", "higher", TAPE_COMPARE_VALUE,
	    TAPE_COMPARE_VALUES },
	{ "all", "failed", "ratio", "lower", TAPE_COMPARE_DIFFERENCE,
	    TAPE_COMPARE_VALUES },
};

const char *
tape_compare_statistic_name(enum tape_compare_statistic s)
{
	static const char *const names[] = {
		[TAPE_COMPARE_MATCHED] = "matched-trim",
		[TAPE_COMPARE_MEDIANS] = "ratio-of-medians",
		[TAPE_COMPARE_MEAN] = "mean",
		[TAPE_COMPARE_P99] = "p99",
		[TAPE_COMPARE_VALUE] = "value",
		[TAPE_COMPARE_DIFFERENCE] = "difference",
	};

	return names[s];
}

const char *
tape_compare_row_name(
    const struct tape_compare_row_def *def, char *dst, size_t size)
{
	const char *tail = "";

	if (def->statistic == TAPE_COMPARE_MEAN)
		tail = " mean";
	if (def->statistic == TAPE_COMPARE_P99)
		tail = " p99";
	(void)snprintf(dst, size, "%s%s", def->metric, tail);
	return dst;
}

/* Values of one run or pair, to be sorted; grows and is used again. */
struct sample {
	double *v;
	size_t n;
	size_t cap;
};

static enum tape_status
add(struct sample *s, double v, struct tape_err *err)
{
	void *p = s->v;

	if (isnan(v))
		return TAPE_OK;
	if (tape_mem_grow(&p, &s->cap, s->n + 1, sizeof(*s->v)) != 0)
		return tape_err_nomem(err);
	s->v = p;
	s->v[s->n++] = v;
	return TAPE_OK;
}

/* The run's values of one kind, as logarithms, sorted. */
static enum tape_status
collect(const struct tape_compare_run *run, enum tape_compare_value value,
    struct sample *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	s->n = 0;
	for (size_t i = 0; i < run->request_count && st == TAPE_OK; i++)
		st = add(s, run->requests[i].log_value[value], err);
	return st == TAPE_OK ? tape_stat_sort(s->v, s->n, err) : st;
}

static double
mean_of_logs(const struct sample *s)
{
	double sum = 0;

	if (s->n == 0)
		return TAPE_ABSENT_F64;
	for (size_t i = 0; i < s->n; i++)
		sum += exp(s->v[i]);
	return log(sum / (double)s->n);
}

/* p99 by type 7 on the natural scale, as every other p99 of the project. */
static double
p99_of_logs(struct sample *s)
{
	double v;

	if (s->n == 0)
		return TAPE_ABSENT_F64;
	for (size_t i = 0; i < s->n; i++)
		s->v[i] = exp(s->v[i]);
	v = tape_stat_quantile(s->v, s->n, 0.99);
	return v > 0 ? log(v) : TAPE_ABSENT_F64;
}

static double
log_of(double v)
{
	return v > 0 && isfinite(v) ? log(v) : TAPE_ABSENT_F64;
}

static double
failed_share(const struct tape_compare_run *run)
{
	int64_t all = run->n + run->failed;

	return all > 0 ? (double)run->failed / (double)all : TAPE_ABSENT_F64;
}

/* The statistic of one run: a logarithm, or a share. */
static enum tape_status
run_level(const struct tape_compare_run *run,
    const struct tape_compare_row *row, struct sample *s, double *level,
    struct tape_err *err)
{
	const struct tape_compare_row_def *def = row->def;
	enum tape_status st = TAPE_OK;

	if (def->statistic == TAPE_COMPARE_DIFFERENCE) {
		*level = failed_share(run);
		return TAPE_OK;
	}
	if (def->value == TAPE_COMPARE_VALUES) {
		*level = log_of(def->statistic == TAPE_COMPARE_VALUE
				    ? run->output_tokens_per_s
				    : run->gap_p99_ns);
		return TAPE_OK;
	}
	st = collect(run, def->value, s, err);
	if (st != TAPE_OK)
		return st;
	if (row->statistic == TAPE_COMPARE_MEAN)
		*level = mean_of_logs(s);
	else if (row->statistic == TAPE_COMPARE_P99)
		*level = p99_of_logs(s);
	else
		*level = s->n ? tape_stat_median(s->v, s->n) : TAPE_ABSENT_F64;
	return TAPE_OK;
}

/* Trimmed means over the matched requests: of log(B/A), and of either log. */
static enum tape_status
matched_level(const struct tape_compare_pair *pair,
    struct tape_compare_row *row, size_t at, struct sample *s,
    struct tape_err *err)
{
	const struct tape_compare_request *a, *b;
	enum tape_compare_value v = row->def->value;
	enum tape_status st = TAPE_OK;
	double *into[3] = { &row->d[at], &row->level[TAPE_COMPARE_A][at],
		&row->level[TAPE_COMPARE_B][at] };

	for (size_t what = 0; what < 3 && st == TAPE_OK; what++) {
		size_t ia = 0, ib = 0;

		s->n = 0;
		while (st == TAPE_OK &&
		       tape_compare_next_match(pair, &ia, &ib, &a, &b)) {
			double la = a->log_value[v], lb = b->log_value[v];

			if (!isnan(la) && !isnan(lb))
				st = add(s,
				    what == 0   ? lb - la
				    : what == 1 ? la
						: lb,
				    err);
		}
		if (st == TAPE_OK)
			st = tape_stat_sort(s->v, s->n, err);
		if (st == TAPE_OK)
			*into[what] = s->n < TAPE_COMPARE_MATCH_MIN
					  ? TAPE_ABSENT_F64
					  : tape_stat_trimmed(
						s->v, s->n, TAPE_COMPARE_TRIM);
	}
	return st;
}

static enum tape_status
fill_matched(const struct tape_compare_design *design,
    struct tape_compare_row *row, struct sample *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < design->k && st == TAPE_OK; i++) {
		st = matched_level(&design->pairs[i], row, i, s, err);
		if (isnan(row->d[i]))
			row->statistic = TAPE_COMPARE_MEDIANS;
	}
	return st;
}

static enum tape_status
fill_from_runs(const struct tape_compare_design *design,
    struct tape_compare_row *row, struct sample *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < design->k && st == TAPE_OK; i++) {
		for (size_t arm = 0; arm < TAPE_COMPARE_ARMS && st == TAPE_OK;
		     arm++)
			st = run_level(design->pairs[i].run[arm], row, s,
			    &row->level[arm][i], err);
		row->d[i] = row->level[TAPE_COMPARE_B][i] -
			    row->level[TAPE_COMPARE_A][i];
	}
	return st;
}

/* Shares are averaged as they are, all else as logarithms. */
static void
summarize(struct tape_compare_row *row)
{
	bool log_scale = row->statistic != TAPE_COMPARE_DIFFERENCE;
	size_t present = 0;

	row->usable = row->k > 0;
	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++) {
		double sum = 0;

		for (size_t i = 0; i < row->k; i++) {
			sum += row->level[arm][i];
			present += isnan(row->level[arm][i]) ? 0U : 1U;
		}
		sum /= (double)row->k;
		row->value[arm] = log_scale ? exp(sum) : sum;
	}
	for (size_t i = 0; i < row->k; i++)
		if (!isfinite(row->d[i]))
			row->usable = false;
	row->empty = present == 0;
}

static enum tape_status
fill_row(const struct tape_compare_design *design, struct tape_compare_row *row,
    struct sample *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	row->k = design->k;
	row->statistic = row->def->statistic;
	row->d = tape_mem_calloc(3 * (row->k + 1), sizeof(*row->d));
	if (row->d == NULL)
		return tape_err_nomem(err);
	row->level[TAPE_COMPARE_A] = row->d + row->k + 1;
	row->level[TAPE_COMPARE_B] = row->d + 2 * (row->k + 1);
	if (row->statistic == TAPE_COMPARE_MATCHED)
		st = fill_matched(design, row, s, err);
	if (st == TAPE_OK && row->statistic != TAPE_COMPARE_MATCHED)
		st = fill_from_runs(design, row, s, err);
	if (st == TAPE_OK)
		summarize(row);
	return st;
}

enum tape_status
tape_compare_rows(const struct tape_compare_design *design,
    struct tape_compare_row rows[TAPE_COMPARE_ROWS], struct tape_err *err)
{
	struct sample s = { NULL, 0, 0 };
	enum tape_status st = TAPE_OK;

	memset(rows, 0, TAPE_COMPARE_ROWS * sizeof(rows[0]));
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++) {
		rows[i].def = &tape_compare_row_table[i];
		st = fill_row(design, &rows[i], &s, err);
	}
	tape_mem_free(s.v);
	return st;
}

void
tape_compare_rows_release(struct tape_compare_row rows[TAPE_COMPARE_ROWS])
{
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		tape_mem_free(rows[i].d);
	memset(rows, 0, TAPE_COMPARE_ROWS * sizeof(rows[0]));
}
