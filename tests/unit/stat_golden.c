/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole path from a record of two arms to adjusted p, against R: the CSV
 * of ab_golden_* has k pairs of runs, two phases, three metrics and n prompts.
 */
#include "base/num.h"
#include "codec/stat_adjust.h"
#include "codec/stat_desc.h"
#include "codec/stat_flip.h"
#include "codec/stat_hl.h"
#include "codec/stat_maxt.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"
#include "codec/stat_ttest.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { PAIRS = 8, PROMPTS = 12, ROWS = 6, VALUES = 6 };

static const char *const row_names[ROWS] = { "prefill/ttft_ms",
	"prefill/itl_ms", "prefill/e2e_ms", "decode/ttft_ms", "decode/itl_ms",
	"decode/e2e_ms" };

/* What is computed per pair; the first three match prompts. */
static const char *const value_names[VALUES] = { "matched_mean",
	"matched_median", "matched_trim20", "ratio_of_medians",
	"ratio_of_means", "ratio_of_p90" };

struct record {
	size_t pairs, prompts;
	double value[ROWS][PAIRS][2][PROMPTS];
};

/* pair,order,arm,phase,prompt,metric,value; false for anything else. */
static bool
add_line(struct record *r, char *line)
{
	char *field[7], name[40];
	uint64_t pair, prompt;
	double value;
	size_t n = 0;

	for (char *p = line; p != NULL && n < 7; n++) {
		field[n] = p;
		p = strchr(p, ',');
		if (p != NULL)
			*p++ = '\0';
	}
	if (n != 7 ||
	    tape_num_u64(field[0], 1, PAIRS, &pair, NULL) != TAPE_OK ||
	    tape_num_u64(field[4], 1, PROMPTS, &prompt, NULL) != TAPE_OK ||
	    tape_num_double(field[6], 0, 1e9, &value, NULL) != TAPE_OK)
		return false;
	(void)snprintf(name, sizeof(name), "%s/%s", field[3], field[5]);
	for (int i = 0; i < ROWS; i++) {
		if (strcmp(name, row_names[i]) != 0)
			continue;
		r->value[i][pair - 1][field[2][0] == 'B'][prompt - 1] = value;
		r->pairs = pair > r->pairs ? pair : r->pairs;
		r->prompts = prompt > r->prompts ? prompt : r->prompts;
		return true;
	}
	return false;
}

static size_t
read_record(struct record *r, const char *name)
{
	char *text = oracle_read(name);
	size_t lines = 0;

	memset(r, 0, sizeof(*r));
	for (char *p = text, *next; p != NULL; p = next) {
		next = strchr(p, '\n');
		if (next != NULL)
			*next++ = '\0';
		lines += add_line(r, p);
	}
	free(text);
	return lines;
}

static double
sorted_stat(double *x, size_t n, int value)
{
	if (tape_stat_sort(x, n, NULL) != TAPE_OK)
		return (double)NAN;
	switch (value) {
	case 0:
	case 4:
		return tape_stat_mean(x, n);
	case 1:
	case 3:
		return tape_stat_median(x, n);
	case 2:
		return tape_stat_trimmed(x, n, 0.2);
	default:
		return tape_stat_quantile(x, n, 0.9);
	}
}

static void
pair_values(const struct record *r, int row, int value, double *d)
{
	for (size_t b = 0; b < r->pairs; b++) {
		const double *a = r->value[row][b][0];
		double x[PROMPTS], y[PROMPTS];

		for (size_t j = 0; j < r->prompts; j++) {
			x[j] = a[j];
			y[j] = a[PROMPTS + j];
			if (value < 3)
				x[j] = log(y[j] / x[j]);
		}
		d[b] = sorted_stat(x, r->prompts, value);
		if (value >= 3)
			d[b] = log(sorted_stat(y, r->prompts, value) / d[b]);
	}
}

static double
number(const cJSON *j, const char *key)
{
	return oracle_number(oracle_get(j, key));
}

static void
check_value(struct oracle *o, const char *what, const double *d, size_t k,
    const cJSON *want)
{
	struct tape_stat_ttest t;
	struct tape_stat_flip f;
	double array[PAIRS] = { 0 };

	if (oracle_array(oracle_get(want, "d"), array, PAIRS) != k ||
	    tape_stat_paired_t(d, k, 0, 0.95, &t, NULL) != TAPE_OK ||
	    tape_stat_flip(d, k, NULL, &f, NULL) != TAPE_OK)
		return;
	for (size_t i = 0; i < k; i++) /* log of a ratio: absolute */
		oracle_value(o, what, 1 + d[i], 1 + array[i], 1e-12);
	oracle_value(o, what, exp(t.estimate), number(want, "ratio"), 1e-10);
	oracle_value(o, what, exp(t.ci.lo), number(want, "lo"), 1e-10);
	oracle_value(o, what, exp(t.ci.hi), number(want, "hi"), 1e-10);
	oracle_value(o, what, t.t, number(want, "t"), 1e-10);
	oracle_value(o, what, t.p_two, number(want, "p"), 1e-10);
	if (oracle_get(want, "p_flip") != NULL)
		oracle_value(o, what, f.p_two, number(want, "p_flip"), 1e-10);
}

static void
check_adjusted(struct oracle *o, const char *key, const double *got)
{
	const cJSON *want = oracle_get(oracle_get(o->root, "expected"), key);

	for (int i = 0; i < ROWS; i++)
		oracle_value(o, key, got[i], number(want, row_names[i]), 1e-10);
}

/* The rows' trimmed values, as a family. */
static void
check_family(struct oracle *o, const double *d, size_t k)
{
	double pt[ROWS], pf[ROWS], got[ROWS];

	for (int i = 0; i < ROWS; i++) {
		struct tape_stat_ttest t;
		struct tape_stat_flip f;

		if (tape_stat_paired_t(
			d + (size_t)i * k, k, 0, 0.95, &t, NULL) != TAPE_OK ||
		    tape_stat_flip(d + (size_t)i * k, k, NULL, &f, NULL) !=
			TAPE_OK)
			return;
		pt[i] = t.p_two;
		pf[i] = f.p_two;
	}
	if (tape_stat_adjust(TAPE_STAT_HOLM, pt, ROWS, got, NULL) == TAPE_OK)
		check_adjusted(o, "holm_t", got);
	if (tape_stat_adjust(TAPE_STAT_HOLM, pf, ROWS, got, NULL) == TAPE_OK)
		check_adjusted(o, "holm_flip", got);
	if (tape_stat_adjust(TAPE_STAT_BH, pt, ROWS, got, NULL) == TAPE_OK)
		check_adjusted(o, "bh_t", got);
	if (tape_stat_maxt(d, ROWS, k, NULL, got, NULL) == TAPE_OK)
		check_adjusted(o, "maxT_stepdown", got);
}

static void
test_golden(const char *csv, const char *json, size_t lines, size_t expected)
{
	static struct record r;
	struct oracle o;
	const cJSON *rows;
	double trimmed[ROWS * PAIRS];

	is_int((int64_t)read_record(&r, csv), (int64_t)lines, "%s", csv);
	(void)oracle_open(&o, json);
	rows = oracle_get(oracle_get(o.root, "expected"), "rows");
	for (int i = 0; i < ROWS; i++) {
		const cJSON *row = oracle_get(rows, row_names[i]);
		double d[PAIRS];
		struct tape_stat_hl h;

		for (int v = 0; v < VALUES; v++) {
			pair_values(&r, i, v, d);
			check_value(&o, row_names[i], d, r.pairs,
			    oracle_get(row, value_names[v]));
			if (v == 2)
				memcpy(trimmed + (size_t)i * r.pairs, d,
				    r.pairs * sizeof(*d));
		}
		pair_values(&r, i, 2, d);
		if (tape_stat_hodges_lehmann(d, r.pairs, 0.95, &h, NULL) ==
		    TAPE_OK)
			oracle_value(&o, row_names[i], exp(h.estimate),
			    number(row, "hl"), 1e-10);
	}
	check_family(&o, trimmed, r.pairs);
	oracle_close(&o, expected);
}

int
main(void)
{
	test_golden("ab_golden_k8.csv", "ab_golden_k8.json", 1152, 516);
	test_golden("ab_golden_k3.csv", "ab_golden_k3.json", 360, 336);
	return done_testing();
}
