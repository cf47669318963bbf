/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/intervals.h"

#include "codec/json.h"
#include "codec/json_write.h"
#include "codec/stat_desc.h"
#include "codec/stat_neff.h"
#include "codec/stat_prop.h"
#include "codec/stat_series.h"

#define BASIS   "within-run"
#define NORMAL  1.4826 /* MAD to the sd of normal data */
#define N_MOST  1e15   /* more requests than that are not counted */
#define Q_EXACT 1e-9

static const struct {
	double q;
	size_t at;
} quantiles[] = {
	{ 0.5, offsetof(struct tape_quantiles, p50) },
	{ 0.9, offsetof(struct tape_quantiles, p90) },
	{ 0.95, offsetof(struct tape_quantiles, p95) },
	{ 0.99, offsetof(struct tape_quantiles, p99) },
	{ 0.999, offsetof(struct tape_quantiles, p999) },
	{ 0.9999, offsetof(struct tape_quantiles, p9999) },
};

/* To a tenth, downwards. */
static double
rounded(double n_eff)
{
	return floor(n_eff * 10 + 1e-6) / 10;
}

/* Requests for an interval of -+ AIM of the value, if n give -+ half. */
static int64_t
n_for(size_t n, double half, double value)
{
	const double off = half / (TAPE_INTERVALS_AIM * fabs(value));
	const double need = ceil((double)n * off * off);

	if (!(need <= N_MOST))
		return TAPE_ABSENT_I64;
	return need < TAPE_STAT_NEFF_MEAN_MIN ? TAPE_STAT_NEFF_MEAN_MIN
					      : (int64_t)need;
}

static void
fill_mean(struct tape_summary *s, struct tape_stat_neff *series, size_t n)
{
	const double n_eff = tape_stat_neff_mean(series);
	struct tape_stat_interval ci;

	s->n_eff = rounded(n_eff);
	ci = tape_stat_neff_interval(
	    s->mean, s->sd, n_eff, TAPE_INTERVALS_LEVEL);
	s->ci.level_ratio = TAPE_INTERVALS_LEVEL;
	s->ci.lo = ci.lo;
	s->ci.hi = ci.hi;
	s->ci.basis = tape_str_of(BASIS);
	s->n_mean_2pct = n_for(n, (ci.hi - ci.lo) / 2, s->mean);
}

static enum tape_status
add_quantile(struct tape_json_writer *w, struct tape_summary *s,
    struct tape_stat_neff *series, const double *sorted, size_t i,
    struct tape_err *err)
{
	const size_t n = series->n;
	const char *at = (const char *)&s->quantiles + quantiles[i].at;
	const double q = quantiles[i].q;
	const double value = *(const double *)(const void *)at;
	struct tape_stat_order_interval o = { 0 };
	double n_eff;
	enum tape_status st;

	if (isnan(value))
		return TAPE_OK;
	n_eff = tape_stat_neff_quantile(series, q, value);
	st = tape_stat_order_interval(
	    n, n_eff, q, TAPE_INTERVALS_LEVEL, &o, err);
	if (st != TAPE_OK || (o.lo == 0 && o.hi > n))
		return st;
	tape_json_write_object(w, NULL);
	tape_json_write_double(w, "q", q);
	if (o.lo > 0)
		tape_json_write_double(w, "lo", sorted[o.lo - 1]);
	if (o.hi <= n)
		tape_json_write_double(w, "hi", sorted[o.hi - 1]);
	tape_json_write_double(w, "coverage", o.coverage);
	tape_json_write_double(w, "n_eff", rounded(n_eff));
	tape_json_write_cstr(w, "basis", BASIS);
	tape_json_write_object_end(w);
	if (i == 0 && o.lo > 0 && o.hi <= n)
		s->n_p50_2pct =
		    n_for(n, (sorted[o.hi - 1] - sorted[o.lo - 1]) / 2, value);
	return TAPE_OK;
}

static enum tape_status
fill_quantiles(struct tape_summary *s, struct tape_stat_neff *series,
    const double *sorted, struct tape_intervals_text *text,
    struct tape_err *err)
{
	struct tape_json_writer w;
	struct tape_buf b;
	enum tape_status st = TAPE_OK;

	tape_buf_init(&b, sizeof(text->v));
	tape_json_write_init(&w, &b);
	tape_json_write_array(&w, NULL);
	for (size_t i = 0;
	     st == TAPE_OK && i < sizeof(quantiles) / sizeof(*quantiles); i++)
		st = add_quantile(&w, s, series, sorted, i, err);
	tape_json_write_array_end(&w);
	if (st == TAPE_OK)
		st = tape_json_write_finish(&w, err);
	if (st == TAPE_OK && b.len > strlen("[]")) {
		memcpy(text->v, b.data, b.len);
		s->quantile_ci = tape_str_make(text->v, b.len);
	}
	tape_buf_release(&b);
	return st;
}

enum tape_status
tape_intervals_fill(struct tape_summary *s, const double *series,
    const double *sorted, size_t n, struct tape_intervals_text *text,
    struct tape_err *err)
{
	struct tape_stat_neff work;
	enum tape_status st;

	if (n < TAPE_STAT_NEFF_MEAN_MIN)
		return TAPE_OK;
	st = tape_stat_neff_open(&work, series, n, err);
	if (st != TAPE_OK)
		return st;
	s->lag1 = tape_stat_acf(series, n, 1);
	fill_mean(s, &work, n);
	if (n >= TAPE_STAT_NEFF_ORDER_MIN)
		st = fill_quantiles(s, &work, sorted, text, err);
	tape_stat_neff_release(&work);
	return st;
}

void
tape_intervals_outliers(struct tape_summary *s, const double *sorted, size_t n)
{
	double limit, without;
	size_t kept = n;

	if (n < TAPE_STAT_NEFF_MEAN_MIN)
		return;
	s->mad = tape_stat_mad(sorted, n);
	s->outliers = 0;
	if (!(s->mad > 0))
		return;
	limit =
	    tape_stat_median(sorted, n) + TAPE_INTERVALS_FAR * NORMAL * s->mad;
	while (kept > 0 && sorted[kept - 1] > limit)
		kept--;
	s->outliers = (int64_t)(n - kept);
	if (kept == n || isnan(s->mean))
		return;
	without = tape_stat_mean(sorted, kept);
	if (fabs(s->mean - without) > TAPE_INTERVALS_MOVED * fabs(without))
		s->mean_without = without;
}

void
tape_intervals_share(struct tape_summary *s, double good, double all)
{
	struct tape_stat_interval ci;

	if (tape_stat_wilson(good, all, TAPE_INTERVALS_LEVEL, &ci, NULL) !=
	    TAPE_OK)
		return;
	s->ci.level_ratio = TAPE_INTERVALS_LEVEL;
	s->ci.lo = ci.lo;
	s->ci.hi = ci.hi;
	s->ci.basis = tape_str_of(BASIS);
}

/* Takes one member of an object of quantile_ci. */
static void
take(struct tape_intervals_ends *e, double *q, const struct tape_json_token *t)
{
	const struct {
		const char *name;
		double *to;
	} members[] = { { "q", q }, { "lo", &e->lo }, { "hi", &e->hi },
		{ "coverage", &e->coverage }, { "n_eff", &e->n_eff } };

	if (t->type != TAPE_JSON_INT && t->type != TAPE_JSON_DOUBLE)
		return;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (tape_str_is(
			tape_str_make(t->key, t->key_len), members[i].name))
			*members[i].to = t->num;
}

bool
tape_intervals_find(
    const struct tape_summary *s, double q, struct tape_intervals_ends *out)
{
	static const struct tape_intervals_ends none = { .lo = TAPE_ABSENT_F64,
		.hi = TAPE_ABSENT_F64,
		.coverage = TAPE_ABSENT_F64,
		.n_eff = TAPE_ABSENT_F64 };
	struct tape_json json;
	struct tape_json_token t;
	double here = TAPE_ABSENT_F64;
	bool found = false;

	*out = none;
	if (s->quantile_ci.p == NULL)
		return false;
	tape_json_init(&json);
	tape_json_open(
	    &json, s->quantile_ci.p, s->quantile_ci.len, TAPE_JSON_OURS);
	while (!found && tape_json_next(&json, &t, NULL) == TAPE_OK &&
	       t.type != TAPE_JSON_END) {
		if (t.type == TAPE_JSON_OBJECT) {
			*out = none;
			here = TAPE_ABSENT_F64;
		} else if (t.type == TAPE_JSON_OBJECT_END) {
			found = fabs(here - q) < Q_EXACT;
		} else {
			take(out, &here, &t);
		}
	}
	tape_json_release(&json);
	/* Not those of another quantile. */
	if (!found)
		*out = none;
	return found;
}
