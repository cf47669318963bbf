/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_points.h"

#include "base/mem.h"
#include "engine/between.h"

#include <stdlib.h>

#define CONDITIONS_CAP ((size_t)1 << 22)

enum tape_status
tape_points_init(struct tape_points *p, const char *names, struct tape_err *err)
{
	memset(p, 0, sizeof(*p));
	return tape_grouping_init(&p->by, names, err);
}

void
tape_points_release(struct tape_points *p)
{
	tape_grouping_release(&p->by);
	tape_arena_release(&p->arena);
	tape_idmap_release(&p->map);
	tape_mem_free(p->v);
	p->v = NULL;
	p->n = p->cap = 0;
}

static enum tape_status
keep(struct tape_points *p, struct tape_str from, struct tape_str *to,
    struct tape_err *err)
{
	*to = from;
	if (from.p == NULL)
		return TAPE_OK;
	to->p = tape_arena_dup(&p->arena, from.p, from.len);
	return to->p == NULL ? tape_err_nomem(err) : TAPE_OK;
}

static bool
same(struct tape_str a, struct tape_str b)
{
	return (a.p == NULL && b.p == NULL) || tape_str_equal(a, b);
}

/* The text of a label, and its number. */
static enum tape_status
take_label(struct tape_points *p, struct tape_point *at,
    const struct tape_json_token *tok, struct tape_err *err)
{
	struct tape_str text = tape_str_make(tok->raw, tok->raw_len);
	size_t i;

	for (i = 0; i < p->by.n; i++)
		if (tape_str_equal(
			p->by.names[i], tape_str_make(tok->key, tok->key_len)))
			break;
	if (i == p->by.n)
		return TAPE_OK;
	if (tok->type == TAPE_JSON_STRING)
		text = tape_str_make(tok->str, tok->len);
	if (tok->type == TAPE_JSON_INT || tok->type == TAPE_JSON_DOUBLE)
		at->number[i] = tok->num;
	return keep(p, text, &at->label[i], err);
}

static enum tape_status
take_labels(struct tape_points *p, struct tape_point *at, struct tape_err *err)
{
	struct tape_json json;
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_init(&json);
	tape_json_open(&json, at->group.p, at->group.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = take_label(p, at, &tok, err);
		if (st == TAPE_OK)
			st = tape_json_skip(&json, NULL, NULL, err);
	}
	tape_json_release(&json);
	return st;
}

static enum tape_status
new_point(struct tape_points *p, struct tape_str arm, struct tape_str group,
    struct tape_err *err)
{
	void *v = p->v;
	struct tape_point *at;
	enum tape_status st;

	if (tape_mem_grow(&v, &p->cap, p->n + 1, sizeof(*at)) != 0)
		return tape_err_nomem(err);
	p->v = v;
	at = &p->v[p->n];
	memset(at, 0, sizeof(*at));
	for (size_t i = 0; i < TAPE_GROUPING_NAMES; i++)
		at->number[i] = TAPE_ABSENT_F64;
	st = keep(p, arm, &at->arm, err);
	if (st == TAPE_OK)
		st = keep(p, group, &at->group, err);
	if (st == TAPE_OK)
		st = take_labels(p, at, err);
	if (st != TAPE_OK)
		return st;
	p->arms |= p->n > 0 && !same(p->v[0].arm, at->arm);
	p->n++;
	return TAPE_OK;
}

/* What a label of that name says, NaN if it is no number. */
static double
label_number(
    const struct tape_points *p, const struct tape_point *at, const char *name)
{
	for (size_t i = 0; i < p->by.n; i++)
		if (tape_str_is(p->by.names[i], name))
			return at->number[i];
	return TAPE_ABSENT_F64;
}

static double
asked(const struct tape_summarize_set *set, enum tape_metric_sum tokens,
    enum tape_metric_sum n)
{
	return set->totals.sum[n] > 0
		   ? set->totals.sum[tokens] / set->totals.sum[n]
		   : TAPE_ABSENT_F64;
}

static void
add_value(struct tape_point *at, enum tape_point_value which, double v)
{
	double from = 0;

	if (isnan(v))
		return;
	if (at->v_runs[which] > 0)
		from = v - at->v[which] / (double)at->v_runs[which];
	at->v[which] += v;
	at->v_runs[which]++;
	/* Squares about the mean, as Welford has them. */
	at->half[which] +=
	    from * (v - at->v[which] / (double)at->v_runs[which]);
}

static void
add_quantiles(struct tape_point *at, const struct tape_summary *s,
    enum tape_point_value p50, enum tape_point_value p90)
{
	double max;
	const struct tape_quantiles q = tape_summarize_quantiles(s, &max);

	add_value(at, p50, q.p50);
	add_value(at, p90, q.p90);
}

static void
add_set(const struct tape_points *p, struct tape_point *at,
    const struct tape_summarize_set *set)
{
	const struct tape_summary *s = set->summary;
	double in = label_number(p, at, "isl");
	double out = label_number(p, at, "osl");

	if (isnan(in))
		in = asked(set, TAPE_SUM_ASKED_INPUT, TAPE_SUM_ASKED_INPUT_N);
	if (isnan(out))
		out = asked(set, TAPE_SUM_ASKED_OUTPUT, TAPE_SUM_ASKED);
	if (at->runs == 0)
		at->conditions = p->conditions;
	else if (at->conditions != p->conditions)
		at->conditions = 0;
	at->runs++;
	at->ok += set->totals.ok;
	at->failed += set->totals.failed;
	add_value(at, TAPE_POINT_ASKED_IN, in);
	add_value(at, TAPE_POINT_ASKED_OUT, out);
	add_value(at, TAPE_POINT_IN, s[TAPE_METRIC_INPUT_TOKENS].mean);
	add_value(at, TAPE_POINT_OUT, s[TAPE_METRIC_OUTPUT_TOKENS].mean);
	add_quantiles(
	    at, &s[TAPE_METRIC_TTFT], TAPE_POINT_TTFT_P50, TAPE_POINT_TTFT_P90);
	add_quantiles(
	    at, &s[TAPE_METRIC_TPOT], TAPE_POINT_ITL_P50, TAPE_POINT_ITL_P90);
	add_quantiles(at, &s[TAPE_METRIC_LATENCY], TAPE_POINT_LATENCY_P50,
	    TAPE_POINT_LATENCY_P90);
	add_value(at, TAPE_POINT_USER,
	    s[TAPE_METRIC_TOKENS_PER_S_PER_USER].quantiles.p50);
	add_value(at, TAPE_POINT_TOKENS_PER_S,
	    s[TAPE_METRIC_OUTPUT_TOKENS_PER_S].value);
	add_value(
	    at, TAPE_POINT_REQUESTS_PER_S, s[TAPE_METRIC_REQUESTS_PER_S].value);
}

enum tape_status
tape_points_run(
    struct tape_points *p, const struct tape_run *start, struct tape_err *err)
{
	static const struct tape_str none;
	struct tape_buf b;
	enum tape_status st;

	p->conditions = 0;
	if (start == NULL || p->by.n == 0)
		return TAPE_OK;
	tape_buf_init(&b, CONDITIONS_CAP);
	st = tape_between_conditions(&b, start, none, err);
	if (st == TAPE_OK)
		p->conditions = tape_idmap_key(b.data, b.len);
	tape_buf_release(&b);
	return st;
}

enum tape_status
tape_points_add(struct tape_points *p, struct tape_str group,
    const struct tape_summarize_set *set, struct tape_err *err)
{
	const struct tape_str arm = set->summary[0].arm;
	uint64_t key = tape_idmap_key(group.p, group.len), at;
	enum tape_status st;

	if (arm.p != NULL)
		key = tape_idmap_mix(key, tape_idmap_key(arm.p, arm.len));
	for (; tape_idmap_get(&p->map, key, &at); key = tape_idmap_mix(key, 1))
		if (same(p->v[at].arm, arm) &&
		    tape_str_equal(p->v[at].group, group)) {
			add_set(p, &p->v[at], set);
			return TAPE_OK;
		}
	st = new_point(p, arm, group, err);
	if (st == TAPE_OK)
		st = tape_idmap_add(&p->map, key, p->n - 1, err);
	if (st == TAPE_OK)
		add_set(p, &p->v[p->n - 1], set);
	return st;
}

static int
by_labels(const void *a, const void *b, void *arg)
{
	const struct tape_point *x = a, *y = b;
	const size_t n = x->arm.len < y->arm.len ? x->arm.len : y->arm.len;
	int c = n == 0 ? 0 : memcmp(x->arm.p, y->arm.p, n);

	if (c == 0)
		c = (x->arm.len > y->arm.len) - (x->arm.len < y->arm.len);
	return c != 0 ? c : tape_grouping_compare(arg, x->group, y->group);
}

/* The place of the label that is the load, or p->by.n. */
static size_t
find_load(const struct tape_points *p)
{
	static const char *const names[] = { "concurrency", "rate_per_s" };

	for (size_t n = 0; n < 2; n++)
		for (size_t i = 0; i < p->by.n; i++)
			if (tape_str_is(p->by.names[i], names[n]))
				return i;
	return p->by.n;
}

/* Whether two points differ in the load only, a's being the smaller. */
static bool
goes_before(const struct tape_points *p, const struct tape_point *a,
    const struct tape_point *b, size_t load)
{
	if (!(a->number[load] < b->number[load]) || !same(a->arm, b->arm))
		return false;
	for (size_t i = 0; i < p->by.n; i++)
		if (i != load && !same(a->label[i], b->label[i]))
			return false;
	return true;
}

static double
throughput(const struct tape_point *a)
{
	return isnan(a->v[TAPE_POINT_TOKENS_PER_S])
		   ? a->v[TAPE_POINT_REQUESTS_PER_S]
		   : a->v[TAPE_POINT_TOKENS_PER_S];
}

static bool
is_flat(const struct tape_point *a, const struct tape_point *b, size_t load)
{
	const double doublings = log2(b->number[load] / a->number[load]);
	const double least = pow(1 + TAPE_POINTS_GROWTH, doublings);

	return throughput(b) < least * throughput(a) &&
	       b->v[TAPE_POINT_LATENCY_P50] >
		   least * a->v[TAPE_POINT_LATENCY_P50];
}

/* Flat from the one before on, where none before was. */
static bool
is_saturated(const struct tape_points *p, size_t at, size_t load)
{
	const struct tape_point *b = &p->v[at], *before = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct tape_point *a = &p->v[i];

		if (!goes_before(p, a, b, load))
			continue;
		if (a->saturated)
			return false;
		if (before == NULL || a->number[load] > before->number[load])
			before = a;
	}
	return before != NULL && before->number[load] > 0 &&
	       is_flat(before, b, load);
}

/* Sums become means, and squares about them intervals. */
static void
finish_value(struct tape_point *at, int which)
{
	const double n = (double)at->v_runs[which];
	const double sd = sqrt(at->half[which] / (n - 1));

	at->v[which] = n > 0 ? at->v[which] / n : TAPE_ABSENT_F64;
	at->half[which] = at->conditions != 0 && n > 1 &&
				  at->v_runs[which] == at->runs && isfinite(sd)
			      ? tape_between_half(sd, n)
			      : TAPE_ABSENT_F64;
}

void
tape_points_finish(struct tape_points *p)
{
	const size_t load = find_load(p);

	for (size_t i = 0; i < p->n; i++)
		for (int j = 0; j < TAPE_POINT_VALUES; j++)
			finish_value(&p->v[i], j);
	if (p->n > 1)
		qsort_r(p->v, p->n, sizeof(*p->v), by_labels, &p->by);
	if (load == p->by.n || p->n > TAPE_POINTS_SERIES)
		return;
	/* In the order of labels loads rise, so what is before is done. */
	for (size_t i = 0; i < p->n; i++)
		p->v[i].saturated = is_saturated(p, i, load);
}

double
tape_point_half_ratio(const struct tape_point *p, enum tape_point_value which)
{
	const double mean = fabs(p->v[which]);

	return mean > 0 ? p->half[which] / mean : TAPE_ABSENT_F64;
}

bool
tape_point_is_off(const struct tape_point *p, bool in)
{
	const double is = p->v[in ? TAPE_POINT_IN : TAPE_POINT_OUT];
	const double want =
	    p->v[in ? TAPE_POINT_ASKED_IN : TAPE_POINT_ASKED_OUT];

	return want > 0 && fabs(is - want) > TAPE_POINTS_OFF * want;
}
