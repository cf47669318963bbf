/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_arrange.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"
#include "engine/compare_arms.h"

#include <stdlib.h>

/* Arms of runs that were loaded by their labels.  More than two are told apart
   only where they are paired (compare_family.h). */
static enum tape_status
name_by_labels(struct tape_compare_set *set, struct tape_err *err)
{
	struct tape_strs label = set->many;
	enum tape_status st = TAPE_OK;

	if (label.n == 0)
		st = tape_compare_find_arms(set, &label, &set->by_name, err);
	if (st != TAPE_OK)
		return st;
	if (set->aa && label.n == 1)
		return tape_compare_halve(set, err);
	for (size_t a = 0; a < TAPE_COMPARE_ARMS && a < label.n; a++)
		set->arm_name[a] = label.v[a];
	if (label.n > TAPE_COMPARE_ARMS) {
		set->many = label;
		return TAPE_OK;
	}
	for (size_t i = 0; i < set->run_count; i++)
		set->runs[i].arm =
		    tape_str_equal(set->runs[i].label, label.v[0])
			? TAPE_COMPARE_A
			: TAPE_COMPARE_B;
	return TAPE_OK;
}

/* Names of arms that were given as such: their label, or the letter. */
static void
name_by_letter(struct tape_compare_set *set)
{
	for (size_t i = 0; i < set->run_count; i++) {
		const struct tape_compare_run *r = &set->runs[i];

		if (set->arm_name[r->arm].p == NULL)
			set->arm_name[r->arm] =
			    r->label.p
				? r->label
				: tape_str_of(tape_compare_arm_letter(r->arm));
	}
}

static enum tape_status
name_arms(struct tape_compare_set *set, struct tape_err *err)
{
	if (set->named) {
		for (size_t i = 0; i < set->run_count; i++)
			if (set->runs[i].arm >= TAPE_COMPARE_ARMS)
				set->skipped_runs++;
		return TAPE_OK;
	}
	if (set->run_count > 0 && set->runs[0].arm >= TAPE_COMPARE_ARMS)
		return name_by_labels(set, err);
	name_by_letter(set);
	return TAPE_OK;
}

/* Values of one kind that the run has, sorted; v has room for all. */
static enum tape_status
level_of(const struct tape_compare_run *run, enum tape_compare_value value,
    double *v, struct tape_compare_level *out, struct tape_err *err)
{
	size_t n = 0;
	enum tape_status st;

	for (size_t i = 0; i < run->request_count; i++) {
		double l = run->requests[i].log_value[value];

		if (!isnan(l))
			v[n++] = exp(l);
	}
	out->n = n;
	out->median = out->mean = TAPE_ABSENT_F64;
	out->p90 = out->p95 = out->p99 = TAPE_ABSENT_F64;
	if (n == 0)
		return TAPE_OK;
	st = tape_stat_sort(v, n, err);
	if (st != TAPE_OK)
		return st;
	out->median = tape_stat_median(v, n);
	out->mean = tape_stat_mean(v, n);
	out->p90 = tape_stat_quantile(v, n, 0.9);
	out->p95 = tape_stat_quantile(v, n, 0.95);
	out->p99 = tape_stat_quantile(v, n, 0.99);
	return TAPE_OK;
}

static enum tape_status
fill_levels(struct tape_compare_run *run, struct tape_err *err)
{
	double *v;
	enum tape_status st = TAPE_OK;

	if (run->stated)
		return TAPE_OK;
	v = tape_mem_calloc(run->request_count + 1, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (unsigned i = 0; i < TAPE_COMPARE_VALUES && st == TAPE_OK; i++)
		st = level_of(run, i, v, &run->level[i], err);
	tape_mem_free(v);
	return st;
}

/* A total order, so that the order of the input does not show in a mean. */
static int
by_id_and_value(const void *a, const void *b)
{
	const struct tape_compare_request *x = a, *y = b;
	int c = tape_compare_text_order(x->id, y->id);

	if (c == 0)
		c = memcmp((const unsigned char *)x->log_value,
		    (const unsigned char *)y->log_value, sizeof(x->log_value));
	if (c == 0)
		c = memcmp((const unsigned char *)&x->output_tokens,
		    (const unsigned char *)&y->output_tokens,
		    sizeof(x->output_tokens));
	return c;
}

/* Mean of what is there of n values. */
static double
mean_of(const struct tape_compare_request *q, size_t n, int value)
{
	double sum = 0;
	size_t there = 0;

	for (size_t i = 0; i < n; i++) {
		double v = value < TAPE_COMPARE_VALUES ? q[i].log_value[value]
						       : q[i].output_tokens;

		if (isnan(v))
			continue;
		sum += v;
		there++;
	}
	return there == 0 ? TAPE_ABSENT_F64 : sum / (double)there;
}

/* One request instead of n with the same id. */
static struct tape_compare_request
merge(const struct tape_compare_request *q, size_t n)
{
	struct tape_compare_request one = q[0];

	if (n == 1)
		return one;
	for (int i = 0; i < TAPE_COMPARE_VALUES; i++)
		one.log_value[i] = mean_of(q, n, i);
	one.output_tokens = mean_of(q, n, TAPE_COMPARE_VALUES);
	for (size_t i = 1; i < n; i++)
		if (q[i].text != one.text)
			one.text = 0;
	return one;
}

static void
sort_requests(struct tape_compare_run *run)
{
	struct tape_compare_request *q = run->requests;
	size_t n = 0, next;

	if (run->request_count == 0)
		return;
	qsort(q, run->request_count, sizeof(*q), by_id_and_value);
	for (size_t i = 0; i < run->request_count; i = next) {
		for (next = i + 1; next < run->request_count; next++)
			if (tape_compare_text_order(q[next].id, q[i].id) != 0)
				break;
		q[n++] = merge(&q[i], next - i);
	}
	run->request_count = n;
}

enum tape_status
tape_compare_arrange(struct tape_compare_set *set, struct tape_err *err)
{
	enum tape_status st = name_arms(set, err);

	for (size_t i = 0; i < set->run_count && st == TAPE_OK; i++) {
		st = fill_levels(&set->runs[i], err);
		sort_requests(&set->runs[i]);
	}
	return st;
}
