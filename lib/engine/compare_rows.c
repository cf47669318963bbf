/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_rows.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_sort.h"
#include "engine/compare_work.h"

#include <stdio.h>
#include <string.h>

const struct tape_compare_row_def tape_compare_row_table[TAPE_COMPARE_ROWS] = {
	{ "prefill", "ttft", "ns", true, false, TAPE_COMPARE_MATCHED,
	    TAPE_COMPARE_TTFT },
	{ "prefill", "ttft", "ns", true, false, TAPE_COMPARE_P99,
	    TAPE_COMPARE_TTFT },
	{ "decode", "itl", "ns", true, false, TAPE_COMPARE_MATCHED,
	    TAPE_COMPARE_TPOT },
	{ "decode", "gap", "ns", true, false, TAPE_COMPARE_P99,
	    TAPE_COMPARE_VALUES },
	{ "all", "latency", "ns", true, false, TAPE_COMPARE_MATCHED,
	    TAPE_COMPARE_LATENCY },
	{ "all", "latency", "ns", true, false, TAPE_COMPARE_MEAN,
	    TAPE_COMPARE_LATENCY },
	{ "all", "latency", "ns", true, false, TAPE_COMPARE_P99,
	    TAPE_COMPARE_LATENCY },
	{ "all", "output", "per_s", false, false, TAPE_COMPARE_VALUE,
	    TAPE_COMPARE_VALUES },
	{ "all", "failed", "ratio", true, false, TAPE_COMPARE_DIFFERENCE,
	    TAPE_COMPARE_VALUES },
	{ "all", "good", "ratio", false, true, TAPE_COMPARE_DIFFERENCE,
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

bool
tape_compare_is_share(const struct tape_compare_row *row)
{
	return row->statistic == TAPE_COMPARE_DIFFERENCE;
}

double
tape_compare_scale(const struct tape_compare_row *row, double d)
{
	return tape_compare_is_share(row) ? d : exp(d);
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
static double
run_level(
    const struct tape_compare_run *run, const struct tape_compare_row *row)
{
	const struct tape_compare_level *l;

	if (row->statistic == TAPE_COMPARE_DIFFERENCE)
		return row->def->lower_is_better ? failed_share(run)
						 : run->good_ratio;
	if (row->statistic == TAPE_COMPARE_VALUE)
		return log_of(run->output_tokens_per_s);
	if (row->def->value == TAPE_COMPARE_VALUES)
		return log_of(run->gap_p99_ns);
	l = &run->level[row->def->value];
	if (row->statistic == TAPE_COMPARE_MEAN)
		return log_of(l->mean);
	return log_of(row->statistic == TAPE_COMPARE_P99 ? l->p99 : l->median);
}

/* Room for the matched requests of a pair. */
struct sample {
	double *v[3]; /* log(B/A), log A, log B */
	size_t n;
};

static enum tape_status
collect(const struct tape_compare_pair *pair, enum tape_compare_value value,
    bool equal_lengths, struct sample *s, struct tape_err *err)
{
	const struct tape_compare_request *a, *b;
	size_t ia = 0, ib = 0;
	enum tape_status st = TAPE_OK;

	s->n = 0;
	while (tape_compare_next_match(pair, &ia, &ib, &a, &b)) {
		double la = a->log_value[value], lb = b->log_value[value];

		if (isnan(la) || isnan(lb))
			continue;
		if (equal_lengths && !tape_compare_equal_length(a, b))
			continue;
		s->v[0][s->n] = lb - la;
		s->v[1][s->n] = la;
		s->v[2][s->n++] = lb;
	}
	for (size_t i = 0; i < 3 && st == TAPE_OK; i++)
		st = tape_stat_sort(s->v[i], s->n, err);
	return st;
}

/* The square of the standard error of a trimmed mean of n sorted values
   (Tukey and McLaughlin 1963). */
static double
trimmed_variance(const double *v, size_t n)
{
	size_t g = (size_t)(TAPE_COMPARE_TRIM * (double)n), h = n - 2 * g;
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += v[i < g ? g : i >= n - g ? n - g - 1 : i] / (double)n;
	for (size_t i = 0; i < n; i++) {
		double e = v[i < g ? g : i >= n - g ? n - g - 1 : i] - mean;

		squares += e * e;
	}
	return squares / ((double)h * ((double)h - 1));
}

/* One pair of a matched row; absent with too few requests. */
static void
match_pair(const struct sample *s, struct tape_compare_row *row, size_t at)
{
	double d, a, b;

	row->d[at] = TAPE_ABSENT_F64;
	if (s->n < TAPE_COMPARE_MATCH_MIN)
		return;
	d = tape_stat_trimmed(s->v[0], s->n, TAPE_COMPARE_TRIM);
	a = tape_stat_trimmed(s->v[1], s->n, TAPE_COMPARE_TRIM);
	b = tape_stat_trimmed(s->v[2], s->n, TAPE_COMPARE_TRIM);
	row->d[at] = d;
	row->within[at] = trimmed_variance(s->v[0], s->n);
	row->level[TAPE_COMPARE_A][at] = (a + b) / 2 - d / 2;
	row->level[TAPE_COMPARE_B][at] = (a + b) / 2 + d / 2;
}

static enum tape_status
fill_matched(const struct tape_compare_design *design,
    struct tape_compare_row *row, struct sample *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < design->k && st == TAPE_OK; i++) {
		st = collect(&design->pairs[i], row->def->value,
		    design->equal_lengths &&
			row->def->value == TAPE_COMPARE_TPOT,
		    s, err);
		if (st == TAPE_OK)
			match_pair(s, row, i);
		if (st == TAPE_OK && isnan(row->d[i]))
			row->statistic = TAPE_COMPARE_MEDIANS;
	}
	return st;
}

static void
fill_from_runs(
    const struct tape_compare_design *design, struct tape_compare_row *row)
{
	for (size_t i = 0; i < design->k; i++) {
		for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++)
			row->level[arm][i] =
			    run_level(design->pairs[i].run[arm], row);
		row->d[i] = row->level[TAPE_COMPARE_B][i] -
			    row->level[TAPE_COMPARE_A][i];
	}
}

/* Shares are averaged as they are, all else as logarithms. */
static void
summarize(struct tape_compare_row *row)
{
	row->usable = row->k > 0;
	row->empty = true;
	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++) {
		double sum = 0;

		for (size_t i = 0; i < row->k; i++) {
			sum += row->level[arm][i];
			if (!isnan(row->level[arm][i]))
				row->empty = false;
		}
		row->value[arm] = tape_compare_scale(row, sum / (double)row->k);
	}
	for (size_t i = 0; i < row->k; i++)
		if (!isfinite(row->d[i]))
			row->usable = false;
}

static enum tape_status
fill_row(const struct tape_compare_design *design, struct tape_compare_row *row,
    struct sample *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	row->k = design->k;
	row->statistic = row->def->statistic;
	row->d = tape_mem_calloc(4 * (row->k + 1), sizeof(*row->d));
	if (row->d == NULL)
		return tape_err_nomem(err);
	row->level[TAPE_COMPARE_A] = row->d + row->k + 1;
	row->level[TAPE_COMPARE_B] = row->d + 2 * (row->k + 1);
	row->within = row->d + 3 * (row->k + 1);
	for (size_t i = 0; i < row->k; i++)
		row->within[i] = TAPE_ABSENT_F64;
	if (row->statistic == TAPE_COMPARE_MATCHED)
		st = fill_matched(design, row, s, err);
	if (st == TAPE_OK && row->statistic != TAPE_COMPARE_MATCHED)
		fill_from_runs(design, row);
	if (st == TAPE_OK)
		summarize(row);
	if (design->no_gaps && strcmp(row->def->metric, "gap") == 0) {
		row->usable = false;
		row->empty = true;
	}
	return st;
}

enum tape_status
tape_compare_rows(const struct tape_compare_design *design,
    struct tape_compare_row rows[TAPE_COMPARE_ROWS], struct tape_err *err)
{
	struct sample s = { .n = 0 };
	size_t most = 0;
	double *v;
	enum tape_status st = TAPE_OK;

	memset(rows, 0, TAPE_COMPARE_ROWS * sizeof(rows[0]));
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		rows[i].def = &tape_compare_row_table[i];
	for (size_t i = 0; i < design->k; i++)
		if (design->pairs[i].matched > most)
			most = design->pairs[i].matched;
	v = tape_mem_calloc(most + 1, 3 * sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < 3; i++)
		s.v[i] = v + i * (most + 1);
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++)
		st = fill_row(design, &rows[i], &s, err);
	tape_mem_free(v);
	return st;
}

void
tape_compare_rows_release(struct tape_compare_row rows[TAPE_COMPARE_ROWS])
{
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		tape_mem_free(rows[i].d);
	memset(rows, 0, TAPE_COMPARE_ROWS * sizeof(rows[0]));
}
