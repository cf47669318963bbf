/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_shape.h"

#include "base/mem.h"
#include "codec/json_write.h"
#include "codec/stat_hd.h"
#include "codec/stat_sort.h"
#include "codec/stat_ttest.h"
#include "engine/compare_design.h"

#define DECILES TAPE_COMPARE_DECILES

/* Values of both runs of a pair, sorted; and what comes of all pairs. */
struct work {
	double *v[TAPE_COMPARE_ARMS];
	size_t n[TAPE_COMPARE_ARMS];
	double *d; /* deciles x k: log ratios */
	double *cliff;
	size_t k;
};

static void
close_work(struct work *w)
{
	tape_mem_free(w->v[0]);
	tape_mem_free(w->v[1]);
	tape_mem_free(w->d);
	tape_mem_free(w->cliff);
}

static enum tape_status
open_work(struct work *w, const struct tape_compare_design *design,
    struct tape_err *err)
{
	size_t most[TAPE_COMPARE_ARMS] = { 1, 1 };

	memset(w, 0, sizeof(*w));
	w->k = design->k;
	for (size_t i = 0; i < design->k; i++)
		for (size_t a = 0; a < TAPE_COMPARE_ARMS; a++) {
			size_t n = design->pairs[i].run[a]->request_count;

			most[a] = n > most[a] ? n : most[a];
		}
	w->v[0] = tape_mem_calloc(most[0], sizeof(double));
	w->v[1] = tape_mem_calloc(most[1], sizeof(double));
	w->d = tape_mem_calloc(DECILES * (w->k + 1), sizeof(double));
	w->cliff = tape_mem_calloc(w->k + 1, sizeof(double));
	if (w->v[0] != NULL && w->v[1] != NULL && w->d != NULL &&
	    w->cliff != NULL)
		return TAPE_OK;
	close_work(w);
	return tape_err_nomem(err);
}

static enum tape_status
collect(const struct tape_compare_run *run, enum tape_compare_value value,
    double *v, size_t *n, struct tape_err *err)
{
	*n = 0;
	for (size_t i = 0; i < run->request_count; i++) {
		double l = run->requests[i].log_value[value];

		if (!isnan(l))
			v[(*n)++] = exp(l);
	}
	return tape_stat_sort(v, *n, err);
}

static enum tape_status
add_pair(struct work *w, const struct tape_compare_pair *pair,
    enum tape_compare_value value, size_t i, bool *there, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t a = 0; a < TAPE_COMPARE_ARMS && st == TAPE_OK; a++)
		st = collect(pair->run[a], value, w->v[a], &w->n[a], err);
	*there = w->n[0] > 0 && w->n[1] > 0 && w->n[0] <= TAPE_STAT_HD_MAX &&
		 w->n[1] <= TAPE_STAT_HD_MAX;
	if (st != TAPE_OK || !*there)
		return st;
	for (size_t j = 0; j < DECILES; j++) {
		double q = (double)(j + 1) / (DECILES + 1);

		w->d[j * w->k + i] = log(tape_stat_hd(w->v[1], w->n[1], q)) -
				     log(tape_stat_hd(w->v[0], w->n[0], q));
	}
	w->cliff[i] = tape_stat_cliff(w->v[1], w->n[1], w->v[0], w->n[0]);
	return TAPE_OK;
}

static enum tape_status
finish(const struct work *w, uint64_t seed, struct tape_compare_shape *out,
    struct tape_err *err)
{
	struct tape_stat_flip_opt fo = { .seed = seed };
	const struct tape_stat_rows in = { w->d, DECILES, w->k };
	double half[DECILES];
	struct tape_stat_ttest t;
	enum tape_status st;

	st = tape_stat_band(&in, TAPE_COMPARE_LEVEL, &fo, half, err);
	if (st == TAPE_OK)
		st = tape_stat_paired_t(
		    w->cliff, w->k, 0, TAPE_COMPARE_LEVEL, &t, err);
	if (st != TAPE_OK)
		return st;
	for (size_t j = 0; j < DECILES; j++) {
		double mean = 0;

		for (size_t i = 0; i < w->k; i++)
			mean += w->d[j * w->k + i] / (double)w->k;
		out->ratio[j] = exp(mean);
		out->band[j].lo = exp(mean - half[j]);
		out->band[j].hi = exp(mean + half[j]);
	}
	out->cliff = t.estimate;
	out->cliff_ci = t.ci;
	return TAPE_OK;
}

enum tape_status
tape_compare_shape(const struct tape_compare_design *design,
    enum tape_compare_value value, uint64_t seed,
    struct tape_compare_shape *out, bool *there, struct tape_err *err)
{
	struct work w;
	enum tape_status st;

	*there = design->k >= TAPE_COMPARE_PAIRS_MIN;
	if (!*there)
		return TAPE_OK;
	st = open_work(&w, design, err);
	if (st != TAPE_OK)
		return st;
	for (size_t i = 0; i < design->k && *there && st == TAPE_OK; i++)
		st = add_pair(&w, &design->pairs[i], value, i, there, err);
	if (st == TAPE_OK && *there)
		st = finish(&w, seed, out, err);
	close_work(&w);
	return st;
}

static void
write_deciles(
    struct tape_json_writer *w, const char *name, const double v[DECILES])
{
	tape_json_write_array(w, name);
	for (size_t j = 0; j < DECILES; j++)
		tape_json_write_double(w, NULL, v[j]);
	tape_json_write_array_end(w);
}

enum tape_status
tape_compare_shape_json(const struct tape_compare_report *r, size_t row,
    struct tape_buf *out, struct tape_err *err)
{
	const struct tape_compare_row_def *def = r->rows[row].def;
	struct tape_compare_shape s;
	struct tape_json_writer w;
	double lo[DECILES], hi[DECILES];
	bool there, finite = true;
	enum tape_status st;

	if (def->statistic != TAPE_COMPARE_MATCHED)
		return TAPE_OK;
	st = tape_compare_shape(
	    r->design, def->value, r->opts->seed, &s, &there, err);
	if (st != TAPE_OK || !there)
		return st;
	for (size_t j = 0; j < DECILES; j++) {
		lo[j] = s.band[j].lo;
		hi[j] = s.band[j].hi;
		finite &= isfinite(lo[j]) && isfinite(hi[j]);
	}
	if (!finite)
		return TAPE_OK;
	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	write_deciles(&w, "ratio", s.ratio);
	write_deciles(&w, "lo", lo);
	write_deciles(&w, "hi", hi);
	tape_json_write_double(&w, "cliff_delta", s.cliff);
	tape_json_write_double(&w, "cliff_lo", s.cliff_ci.lo);
	tape_json_write_double(&w, "cliff_hi", s.cliff_ci.hi);
	tape_json_write_object_end(&w);
	return tape_json_write_finish(&w, err);
}

static void
print_one(
    const char *name, const struct tape_compare_shape *s, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(out, "%-8s B/A ", name);
	for (size_t j = 0; j < DECILES; j++)
		(void)tape_buf_add_fmt(out, " %6.3f", s->ratio[j]);
	(void)tape_buf_add_fmt(out, "   Cliff's delta %+.2f [%+.2f %+.2f]\n",
	    s->cliff, s->cliff_ci.lo, s->cliff_ci.hi);
	(void)tape_buf_add_fmt(out, "%-8s from", "");
	for (size_t j = 0; j < DECILES; j++)
		(void)tape_buf_add_fmt(out, " %6.3f", s->band[j].lo);
	(void)tape_buf_add_fmt(out, "\n%-8s to  ", "");
	for (size_t j = 0; j < DECILES; j++)
		(void)tape_buf_add_fmt(out, " %6.3f", s->band[j].hi);
	(void)tape_buf_add_char(out, '\n');
}

static void
print_head(struct tape_buf *out)
{
	(void)tape_buf_add_fmt(out, "%-13s", "decile");
	for (int j = 1; j <= DECILES; j++)
		(void)tape_buf_add_fmt(out, " %5d%%", 10 * j);
	(void)tape_buf_add_str(out, "   (the band holds all nine at 95 %)\n");
}

void
tape_compare_print_shape(
    const struct tape_compare_report *r, struct tape_buf *out)
{
	static const char *const names[TAPE_COMPARE_VALUES] = {
		[TAPE_COMPARE_TTFT] = "ttft",
		[TAPE_COMPARE_TPOT] = "itl",
		[TAPE_COMPARE_LATENCY] = "latency",
	};
	bool any = false;

	for (int v = 0; v < TAPE_COMPARE_VALUES; v++) {
		struct tape_compare_shape s;
		bool there;
		enum tape_status st =
		    tape_compare_shape(r->design, (enum tape_compare_value)v,
			r->opts->seed, &s, &there, NULL);

		if (st != TAPE_OK)
			out->status = st;
		if (st != TAPE_OK || !there)
			continue;
		if (!any)
			print_head(out);
		any = true;
		print_one(names[v], &s, out);
	}
	if (any)
		(void)tape_buf_add_char(out, '\n');
}
