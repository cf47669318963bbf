/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "base/num.h"
#include "codec/stat_prop.h"
#include "codec/stat_ttest.h"
#include "engine/canary.h"

#include <stdio.h>

#define SHOWN 48 /* a number */

static const struct tape_stat_interval nowhere = { TAPE_ABSENT_F64,
	TAPE_ABSENT_F64 };

static void
set(struct tape_gate_judged *j, enum tape_gate_result result, const char *text)
{
	j->result = result;
	(void)snprintf(j->text, sizeof(j->text), "%s", text);
}

/* The side of a limit on which an interval lies; lower is better, or not. */
static enum tape_gate_result
side_of(struct tape_stat_interval ci, double limit, bool below)
{
	if (below ? ci.hi < limit : ci.lo > limit)
		return TAPE_GATE_PASSED;
	if (below ? ci.lo > limit : ci.hi < limit)
		return TAPE_GATE_FAILED_RULE;
	return TAPE_GATE_UNDECIDED;
}

static void
show_ratio(const struct tape_compare_row *row, double v, char dst[SHOWN])
{
	if (tape_compare_is_share(row))
		(void)snprintf(dst, SHOWN, "%+.2f pt", 100 * v);
	else
		(void)snprintf(dst, SHOWN, "%.3f", v);
}

/* Whether B is worse than the margin allows, as estimated. */
static bool
is_beyond(const struct tape_compare_row *row,
    const struct tape_compare_figures *f, struct tape_stat_interval margin)
{
	return row->def->lower_is_better ? f->ratio > margin.hi
					 : f->ratio < margin.lo;
}

/* Requests of all runs of an arm, and those that failed, or were good. */
static void
count_share(const struct tape_compare_design *d, size_t arm, bool good,
    double *counted, double *all)
{
	*counted = *all = 0;
	for (size_t i = 0; i < d->k; i++) {
		const struct tape_compare_run *run = d->pairs[i].run[arm];

		double n = (double)(run->n + run->failed);

		*counted += good ? run->good_ratio * n : (double)run->failed;
		*all += n;
	}
}

/* Shares whose difference is looked for: those of B, less those of A. */
struct share_terms {
	const struct tape_compare_design *design;
	size_t arm;
	double sign;
};

/* Of a canary the difference of two differences from the reference. */
static size_t
list_terms(const struct tape_compare_report *r, struct share_terms terms[4])
{
	size_t n = 0;

	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++) {
		double sign = arm == TAPE_COMPARE_B ? 1 : -1;

		if (r->canary == NULL) {
			terms[n++] =
			    (struct share_terms){ r->design, arm, sign };
			continue;
		}
		for (size_t of = 0; of < TAPE_COMPARE_ARMS; of++)
			terms[n++] =
			    (struct share_terms){ &r->canary->of[arm]->design,
				    of, of == TAPE_COMPARE_B ? sign : -sign };
	}
	return n;
}

/*
 * The interval of a difference of shares that is the same in all pairs, so that
 * these tell nothing of the noise: that of Newcombe (1998, method 10), from
 * each share's own.
 */
static bool
share_difference(const struct tape_compare_report *r, bool good,
    struct tape_stat_interval *ci)
{
	struct share_terms terms[4];
	size_t n = list_terms(r, terms);
	double diff = 0, below = 0, above = 0;

	for (size_t i = 0; i < n; i++) {
		const struct share_terms *t = &terms[i];
		struct tape_stat_interval w;
		double counted, all, p, lo, hi;

		count_share(t->design, t->arm, good, &counted, &all);
		if (tape_stat_wilson(
			counted, all, TAPE_COMPARE_LEVEL, &w, NULL) != TAPE_OK)
			return false;
		p = counted / all;
		lo = t->sign > 0 ? p - w.lo : w.hi - p;
		hi = t->sign > 0 ? w.hi - p : p - w.lo;
		diff += t->sign * p;
		below = hypot(below, lo);
		above = hypot(above, hi);
	}
	ci->lo = diff - below;
	ci->hi = diff + above;
	return true;
}

static void
judge_keep(const struct tape_gate_rule *rule,
    const struct tape_compare_report *r, struct tape_gate_judged *j)
{
	const struct tape_compare_row *row = &r->rows[rule->row];
	const struct tape_compare_judged *of = &r->verdict->rows[rule->row];
	struct tape_stat_interval margin =
	    tape_compare_margin(row, rule->limit);
	bool below = row->def->lower_is_better;
	double limit = below ? margin.hi : margin.lo;
	char at[SHOWN], lo[SHOWN], hi[SHOWN], to[SHOWN];
	bool constant;

	if (r->notes->refused || r->verdict->overall == TAPE_COMPARE_ALL_NONE) {
		set(j, TAPE_GATE_REFUSED, "there is no comparison");
		return;
	}
	if (!isfinite(of->f.ratio) || isnan(of->f.ci.lo)) {
		set(j, TAPE_GATE_UNDECIDED, "not every run has it");
		return;
	}
	j->estimate = of->f.ratio;
	j->ci = of->f.ci;
	constant = of->f.constant;
	if (constant && (!tape_compare_is_share(row) ||
			    !share_difference(r, !below, &j->ci))) {
		set(j, TAPE_GATE_UNDECIDED,
		    "all pairs differ by the same: no noise to judge by");
		return;
	}
	j->result = side_of(j->ci, limit, below);
	if (!constant && of->status == TAPE_COMPARE_LOSS &&
	    is_beyond(row, &of->f, margin))
		j->result = TAPE_GATE_FAILED_RULE;
	/* Of a fixed order, what drift may explain is neither. */
	if (!constant && tape_compare_fixed_order(r->design) &&
	    side_of(of->f.drift_ci, limit, below) != j->result)
		j->result = TAPE_GATE_UNDECIDED;
	show_ratio(row, j->estimate, at);
	show_ratio(row, j->ci.lo, lo);
	show_ratio(row, j->ci.hi, hi);
	show_ratio(row, limit, to);
	(void)snprintf(j->text, sizeof(j->text), "B/A %s [%s %s], kept %s %s",
	    at, lo, hi, below ? "below" : "above", to);
}

static bool
is_candidate(const struct tape_compare_run *r)
{
	return r->arm == TAPE_COMPARE_B &&
	       (r->ending == TAPE_COMPARE_ENDED ||
		   r->ending == TAPE_COMPARE_ABORTED);
}

/* What a bound is put on, of one run: a logarithm, but of a share. */
static double
quantity_of(
    const struct tape_gate_quantity *q, const struct tape_compare_run *r)
{
	double v = TAPE_ABSENT_F64;

	switch (q->statistic) {
	case TAPE_GATE_P50:
		v = r->level[q->value].median;
		break;
	case TAPE_GATE_MEAN:
		v = r->level[q->value].mean;
		break;
	case TAPE_GATE_P90:
		v = r->level[q->value].p90;
		break;
	case TAPE_GATE_P95:
		v = r->level[q->value].p95;
		break;
	case TAPE_GATE_P99:
		v = r->level[q->value].p99;
		break;
	case TAPE_GATE_GAP_P99:
		v = r->gap_p99_ns;
		break;
	case TAPE_GATE_OUTPUT:
		v = r->output_tokens_per_s;
		break;
	case TAPE_GATE_FAILED:
		return r->n + r->failed > 0
			   ? (double)r->failed / (double)(r->n + r->failed)
			   : TAPE_ABSENT_F64;
	case TAPE_GATE_GOOD:
		return r->n + r->failed > 0 ? r->good_ratio : TAPE_ABSENT_F64;
	}
	return v > 0 ? log(v) : TAPE_ABSENT_F64;
}

static bool
is_share(const struct tape_gate_quantity *q)
{
	return q->statistic == TAPE_GATE_FAILED ||
	       q->statistic == TAPE_GATE_GOOD;
}

static void
show_quantity(const struct tape_gate_quantity *q, double v, char dst[SHOWN])
{
	char text[TAPE_NUM_TEXT];

	if (is_share(q))
		(void)snprintf(dst, SHOWN, "%.2f %%", 100 * v);
	else if (q->statistic == TAPE_GATE_OUTPUT)
		(void)snprintf(dst, SHOWN, "%.4g/s", v);
	else
		(void)snprintf(
		    dst, SHOWN, "%s", tape_num_print_duration(v, text));
}

/* The candidate's runs, each with its number. */
struct runs {
	double *x;
	size_t n;
	size_t missing; /* that have none */
	double failed, all;
	double counted; /* of a share: failed, or good */
};

static enum tape_status
collect(const struct tape_compare_set *set, const struct tape_gate_quantity *q,
    struct runs *s, struct tape_err *err)
{
	memset(s, 0, sizeof(*s));
	s->x = tape_mem_calloc(set->run_count + 1, sizeof(*s->x));
	if (s->x == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < set->run_count; i++) {
		const struct tape_compare_run *r = &set->runs[i];
		double v;

		if (!is_candidate(r))
			continue;
		v = quantity_of(q, r);
		s->failed += (double)r->failed;
		s->all += (double)(r->n + r->failed);
		if (isnan(v))
			s->missing++;
		else
			s->x[s->n++] = v;
		if (is_share(q) && !isnan(v))
			s->counted += v * (double)(r->n + r->failed);
	}
	return TAPE_OK;
}

/* Wilson's interval of all runs together, with so many fewer trials as the runs
   differ more than chance would have them. */
static enum tape_status
share_interval(const struct runs *s, const struct tape_stat_ttest *t,
    struct tape_gate_judged *j)
{
	double p = s->counted / s->all, per_run = s->all / (double)s->n;
	double chance = p * (1 - p) / per_run, more = 1;

	if (chance > 0 && t->sd * t->sd > chance)
		more = t->sd * t->sd / chance;
	j->estimate = p;
	return tape_stat_wilson(
	    s->counted / more, s->all / more, TAPE_COMPARE_LEVEL, &j->ci, NULL);
}

static void
judge_runs(const struct tape_gate_rule *rule, const struct runs *s,
    struct tape_gate_judged *j)
{
	bool share = is_share(rule->what);
	struct tape_stat_ttest t;

	if (s->missing > 0 || s->n == 0) {
		set(j, TAPE_GATE_UNDECIDED,
		    s->missing > 0 ? "not every run of B has it"
				   : "there is no run of B");
		return;
	}
	if (s->n < TAPE_GATE_RUNS_MIN ||
	    tape_stat_paired_t(s->x, s->n, 0, TAPE_COMPARE_LEVEL, &t, NULL) !=
		TAPE_OK) {
		set(j, TAPE_GATE_UNDECIDED,
		    "no interval between fewer than three runs");
		return;
	}
	if (share && share_interval(s, &t, j) == TAPE_OK) {
		j->result = side_of(j->ci, rule->limit, rule->below);
		return;
	}
	j->estimate = exp(t.estimate);
	if (t.constant) {
		set(j, TAPE_GATE_UNDECIDED,
		    "all runs are equal: no noise to judge by");
		return;
	}
	j->ci.lo = exp(t.ci.lo);
	j->ci.hi = exp(t.ci.hi);
	j->result = side_of(j->ci, rule->limit, rule->below);
}

static enum tape_status
judge_bound(const struct tape_gate_rule *rule,
    const struct tape_compare_report *r, struct tape_gate_judged *j,
    struct tape_err *err)
{
	char at[SHOWN], lo[SHOWN], hi[SHOWN], failed[SHOWN] = "";
	struct runs s;
	enum tape_status st = collect(r->set, rule->what, &s, err);

	if (st != TAPE_OK)
		return st;
	judge_runs(rule, &s, j);
	tape_mem_free(s.x);
	if (j->text[0] != '\0')
		return TAPE_OK;
	show_quantity(rule->what, j->estimate, at);
	show_quantity(rule->what, j->ci.lo, lo);
	show_quantity(rule->what, j->ci.hi, hi);
	/* What failed is in no latency: it stands beside each. */
	if (s.failed > 0 && !is_share(rule->what))
		(void)snprintf(failed, sizeof(failed),
		    "; %.2f %% failed and are not in it",
		    100 * s.failed / s.all);
	(void)snprintf(j->text, sizeof(j->text),
	    "%s [%s %s] between %zu runs%s", at, lo, hi, s.n, failed);
	return TAPE_OK;
}

static void
sum_up(struct tape_gate_verdict *v)
{
	for (size_t i = 0; i < v->gate->n; i++)
		v->counts[v->rules[i].result]++;
	v->refused = v->counts[TAPE_GATE_REFUSED] > 0 &&
		     v->counts[TAPE_GATE_FAILED_RULE] == 0;
	v->passed = v->counts[TAPE_GATE_FAILED_RULE] == 0 &&
		    v->counts[TAPE_GATE_REFUSED] == 0 &&
		    (v->counts[TAPE_GATE_UNDECIDED] == 0 ||
			v->policy != TAPE_GATE_UNDECIDED_FAILS);
}

enum tape_status
tape_gate_judge(const struct tape_gate *gate,
    const struct tape_compare_report *r, enum tape_gate_policy policy,
    struct tape_gate_verdict *out, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	memset(out, 0, sizeof(*out));
	out->gate = gate;
	out->policy = policy;
	for (size_t i = 0; i < gate->n && st == TAPE_OK; i++) {
		struct tape_gate_judged *j = &out->rules[i];

		j->estimate = TAPE_ABSENT_F64;
		j->ci = nowhere;
		if (gate->rules[i].kind == TAPE_GATE_KEEP)
			judge_keep(&gate->rules[i], r, j);
		else
			st = judge_bound(&gate->rules[i], r, j, err);
	}
	if (st == TAPE_OK)
		sum_up(out);
	return st;
}
