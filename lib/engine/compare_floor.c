/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_floor.h"

#include "base/num.h"
#include "codec/json_write.h"
#include "codec/stat_desc.h"
#include "codec/stat_power.h"
#include "engine/compare_design.h"
#include "engine/compare_power.h"

#include <stdio.h>

#define NAME_ROOM   48
#define PAIRS_ROOM  32
#define PAIRS_SHOWN 999
#define PAIRS_MOST  1000000 /* beyond it is as good as never */

/* Mean time from the end of a run to the start of the other of its pair, in
   requests of the runs. */
static double
start_cost(const struct tape_compare_design *design)
{
	double idle = 0, busy = 0, requests = 0;

	for (size_t i = 0; i < design->k; i++) {
		const struct tape_compare_run *x =
		    tape_compare_first(&design->pairs[i]);
		const struct tape_compare_run *y =
		    tape_compare_second(&design->pairs[i]);

		idle += (double)(y->start_ns - x->end_ns);
		busy += (double)(x->end_ns - x->start_ns) +
			(double)(y->end_ns - y->start_ns);
		requests += (double)x->n + (double)y->n;
	}
	if (!(idle >= 0 && busy > 0 && requests > 0))
		return TAPE_ABSENT_F64;
	return idle / (double)design->k / (busy / requests);
}

void
tape_compare_floor(const struct tape_compare_design *design,
    const struct tape_compare_row *row, struct tape_compare_floor *out)
{
	double within = 0, requests = 0, between, n, k = (double)row->k;

	out->sd = out->largest = out->run_share = TAPE_ABSENT_F64;
	out->requests = out->start_cost = TAPE_ABSENT_F64;
	if (!row->usable || row->k < TAPE_COMPARE_PAIRS_MIN)
		return;
	out->sd = tape_stat_sd(row->d, row->k);
	out->largest = 0;
	for (size_t i = 0; i < row->k; i++) {
		n = (double)design->pairs[i].matched;
		out->largest = fmax(out->largest, fabs(row->d[i]));
		within += row->within[i] / k;
		requests += row->within[i] * n / k;
	}
	if (isnan(within) || !(out->sd > 0))
		return;
	between = fmax(0, out->sd * out->sd - within);
	out->run_share = between / (out->sd * out->sd);
	out->start_cost = start_cost(design);
	/* Both are twice those of one run, which cancels. */
	out->requests =
	    between > 0 ? sqrt(out->start_cost * requests / between) : HUGE_VAL;
}

/* Pairs that an effect needs, and with the upper bound of the deviation. */
static void
count_pairs(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_floor *f,
    double effect, uint64_t n[2])
{
	double d = tape_compare_margin_d(row, effect), a = r->opts->alpha;
	double upper =
	    tape_stat_sd_upper(f->sd, (double)row->k, TAPE_COMPARE_POWER);

	n[0] = tape_stat_pairs_needed(d / f->sd, a, TAPE_COMPARE_POWER);
	n[1] = tape_stat_pairs_needed(d / upper, a, TAPE_COMPARE_POWER);
	for (int i = 0; i < 2; i++)
		if (n[i] < TAPE_COMPARE_PAIRS_MIN)
			n[i] = TAPE_COMPARE_PAIRS_MIN;
}

/* "12, up to 21" for an effect, or "3" where that is all. */
static const char *
print_pairs(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_floor *f,
    double effect, char dst[PAIRS_ROOM])
{
	uint64_t n[2];

	count_pairs(r, row, f, effect, n);
	if (!(f->sd > 0))
		(void)snprintf(dst, PAIRS_ROOM, "-");
	else if (n[0] > PAIRS_SHOWN)
		(void)snprintf(dst, PAIRS_ROOM, "%d+", PAIRS_SHOWN + 1);
	else if (n[1] > PAIRS_SHOWN)
		(void)snprintf(dst, PAIRS_ROOM, "%d, up to %d+", (int)n[0],
		    PAIRS_SHOWN + 1);
	else if (n[0] == n[1])
		(void)snprintf(dst, PAIRS_ROOM, "%d", (int)n[0]);
	else
		(void)snprintf(
		    dst, PAIRS_ROOM, "%d, up to %d", (int)n[0], (int)n[1]);
	return dst;
}

/* On the row's own scale: percent, or points of a share. */
static double
shown(const struct tape_compare_row *row, double d)
{
	return 100 * (tape_compare_is_share(row) ? d : expm1(d));
}

static void
print_row(const struct tape_compare_report *r,
    const struct tape_compare_row *row, struct tape_buf *out)
{
	struct tape_compare_floor f;
	const char *unit = tape_compare_is_share(row) ? "pt" : "%";
	char name[NAME_ROOM], one[PAIRS_ROOM], two[PAIRS_ROOM];
	char five[PAIRS_ROOM], share[PAIRS_ROOM];

	tape_compare_floor(r->design, row, &f);
	if (isnan(f.sd))
		return;
	if (isnan(f.run_share))
		(void)snprintf(share, sizeof(share), "-");
	else
		(void)snprintf(
		    share, sizeof(share), "%.0f %%", 100 * f.run_share);
	(void)tape_buf_add_fmt(out,
	    "%-8s %-12s %7.2f %-2s %7.2f %-2s  %-16s %-16s %-16s %s\n",
	    row->def->phase,
	    tape_compare_row_name(row->def, name, sizeof(name)),
	    shown(row, f.sd), unit, shown(row, f.largest), unit,
	    print_pairs(r, row, &f, 0.01, one),
	    print_pairs(r, row, &f, 0.02, two),
	    print_pairs(r, row, &f, 0.05, five), share);
}

static void
write_finite(struct tape_json_writer *w, const char *name, double v)
{
	if (isfinite(v))
		tape_json_write_double(w, name, v);
}

enum tape_status
tape_compare_floor_json(const struct tape_compare_report *r, size_t row,
    struct tape_buf *out, struct tape_err *err)
{
	static const double effects[] = { 0.01, 0.02, 0.05 };
	struct tape_compare_floor f;
	struct tape_json_writer w;

	tape_compare_floor(r->design, &r->rows[row], &f);
	if (!(f.sd > 0))
		return TAPE_OK;
	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	tape_json_write_double(&w, "largest", f.largest);
	tape_json_write_array(&w, "needs");
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		uint64_t n[2];

		count_pairs(r, &r->rows[row], &f, effects[i], n);
		tape_json_write_object(&w, NULL);
		tape_json_write_double(&w, "effect_ratio", effects[i]);
		if (n[0] <= PAIRS_MOST)
			tape_json_write_u64(&w, "pairs", n[0]);
		if (n[1] <= PAIRS_MOST)
			tape_json_write_u64(&w, "pairs_upper", n[1]);
		tape_json_write_object_end(&w);
	}
	tape_json_write_array_end(&w);
	write_finite(&w, "between_runs_ratio", f.run_share);
	write_finite(&w, "best_requests", f.requests);
	write_finite(&w, "start_cost_requests", f.start_cost);
	tape_json_write_object_end(&w);
	return tape_json_write_finish(&w, err);
}

/* How many requests a run should have, by one row. */
static void
print_requests(const struct tape_compare_report *r,
    const struct tape_compare_row *row, struct tape_buf *out)
{
	struct tape_compare_floor f;

	tape_compare_floor(r->design, row, &f);
	if (isnan(f.requests))
		return;
	if (isinf(f.requests))
		(void)tape_buf_add_fmt(out,
		    "- %s: all of the noise is of requests within runs (%zu a "
		    "run): more of them sharpen it\n",
		    row->def->metric, r->design->matched);
	else
		(void)tape_buf_add_fmt(out,
		    "- %s: %.0f %% of the noise is between runs; starting one "
		    "costs %.3g requests, so about %.0f a run are best (%zu "
		    "now)\n",
		    row->def->metric, 100 * f.run_share, f.start_cost,
		    fmax(1, ceil(f.requests)), r->design->matched);
}

void
tape_compare_print_floor(
    const struct tape_compare_report *r, struct tape_buf *out)
{
	const size_t *n = r->verdict->counts;
	size_t found = n[TAPE_COMPARE_LOSS] + n[TAPE_COMPARE_WIN];

	if (r->design->k < TAPE_COMPARE_PAIRS_MIN)
		return;
	(void)tape_buf_add_fmt(out,
	    "noise floor of equal arms, %zu pairs\n"
	    "%-8s %-12s %10s %10s  %-16s %-16s %-16s %s\n",
	    r->design->k, "phase", "metric", "sd of d", "largest",
	    "pairs for 1 %", "2 %", "5 %", "between runs");
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		print_row(r, &r->rows[i], out);
	(void)tape_buf_add_char(out, '\n');
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (r->rows[i].statistic == TAPE_COMPARE_MATCHED)
			print_requests(r, &r->rows[i], out);
	if (r->verdict->overall == TAPE_COMPARE_ALL_NONE)
		return;
	if (found > 0)
		(void)tape_buf_add_fmt(out,
		    "! false verdicts: %zu of %zu rows found where the arms "
		    "are equal: either they are not, or this set-up deceives\n",
		    found, r->verdict->tested);
	else
		(void)tape_buf_add_fmt(out,
		    "- false verdicts: none in %zu rows (by chance in %.2g of "
		    "all such sessions)\n",
		    r->verdict->tested, r->opts->alpha);
}
