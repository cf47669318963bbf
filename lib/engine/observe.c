/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/observe.h"

#include "base/clock.h"
#include "base/mem.h"
#include "codec/stat_select.h"
#include "record/schema.h"

#include <stdlib.h>

#define NEAR_PERIODS 2 /* what a sample covers on each of its sides */

struct maker {
	const struct tape_samples *samples;
	const struct tape_observe_run *run;
	struct tape_observe_set *set;
	int64_t first_ns, last_ns; /* the window, on the clock */
};

void
tape_observe_release(struct tape_observe_set *set)
{
	tape_mem_free(set->v);
	tape_mem_free(set->cover);
	memset(set, 0, sizeof(*set));
}

static enum tape_status
find_period(
    const struct tape_samples_track *t, int64_t *out, struct tape_err *err)
{
	double *gaps, median = 0;
	enum tape_status st;

	*out = 0;
	if (t->n < 2)
		return TAPE_OK;
	gaps = tape_mem_calloc(t->n - 1, sizeof(*gaps));
	if (gaps == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i + 1 < t->n; i++)
		gaps[i] = (double)(t->t_ns[i + 1] - t->t_ns[i]);
	st = tape_stat_select(gaps, t->n - 1, 0.5, &median, err);
	tape_mem_free(gaps);
	*out = (int64_t)median;
	return st;
}

/* How much of the window is near a sample. */
static double
covered(const struct maker *m, const struct tape_observe_cover *c)
{
	const int64_t near = NEAR_PERIODS * c->period_ns;
	int64_t reached = m->first_ns, sum = 0;

	if (m->last_ns <= m->first_ns)
		return c->to > c->from ? 1 : 0;
	for (size_t i = 0; i < c->track->n; i++) {
		int64_t lo = c->track->t_ns[i] - near;
		int64_t hi = c->track->t_ns[i] + near;

		lo = lo < reached ? reached : lo;
		hi = hi > m->last_ns ? m->last_ns : hi;
		if (hi > lo) {
			sum += hi - lo;
			reached = hi;
		}
	}
	return (double)sum / (double)(m->last_ns - m->first_ns);
}

static enum tape_status
look_at(struct maker *m, struct tape_observe_cover *c, struct tape_err *err)
{
	const struct tape_samples_track *t = c->track;
	enum tape_status st = find_period(t, &c->period_ns, err);

	if (st != TAPE_OK)
		return st;
	c->from = tape_samples_from(t, m->first_ns);
	c->to = tape_samples_from(t, m->last_ns + 1);
	c->ratio = covered(m, c);
	return TAPE_OK;
}

/* A record of that track, not yet counted. */
static enum tape_status
begin(struct maker *m, const char *source, const char *device,
    struct tape_observed **out, struct tape_err *err)
{
	struct tape_observed *o;

	if (tape_mem_grow((void **)&m->set->v, &m->set->cap, m->set->n + 1,
		sizeof(*o)) != 0)
		return tape_err_nomem(err);
	o = &m->set->v[m->set->n];
	tape_schema_init(TAPE_KIND_TELEMETRY, o);
	o->run = m->run->run;
	o->arm = m->run->arm;
	o->round = m->run->round;
	o->position = m->run->position;
	o->source = tape_str_of(source);
	o->device = tape_str_of(device);
	o->window_start_ns = m->run->first_ns;
	o->window_end_ns = m->run->last_ns;
	*out = o;
	return TAPE_OK;
}

/* Samples [from, to) of one quantity, in the unit of its role. */
struct slice {
	const struct tape_samples_track *track;
	const struct tape_samples_series *series;
	double scale;
	size_t from, to;
};

static double
value(const struct slice *c, size_t i)
{
	return tape_samples_value(c->series, i) * c->scale;
}

/* How many there are, and the ends. */
static void
take_ends(struct tape_observed *o, const struct slice *c, int64_t epoch_ns)
{
	o->n = 0;
	for (size_t i = c->from; i < c->to; i++) {
		if (isnan(value(c, i)))
			continue;
		o->last = value(c, i);
		o->last_ns = c->track->t_ns[i] - epoch_ns;
		if (o->n++ > 0)
			continue;
		o->first = o->last;
		o->first_ns = o->last_ns;
	}
}

static void
take_gauge(struct tape_observed *o, const struct slice *c)
{
	double sum = 0;

	for (size_t i = c->from; i < c->to; i++) {
		const double v = value(c, i);

		if (isnan(v))
			continue;
		sum += v - o->first;
		if (isnan(o->min) || v < o->min)
			o->min = v;
		if (isnan(o->max) || v > o->max)
			o->max = v;
	}
	o->mean = o->first + sum / (double)o->n;
}

static void
take_bits(struct tape_observed *o, const struct slice *c)
{
	o->bits = o->n_set = 0;
	for (size_t i = c->from; i < c->to; i++) {
		const double v = value(c, i);

		if (!(v >= 0 && v < 0x1p53))
			continue;
		o->bits |= (int64_t)v;
		o->n_set += v > 0;
	}
}

static void
take_counter(struct tape_observed *o, const struct slice *c)
{
	double before = TAPE_ABSENT_F64, sum = 0;

	for (size_t i = c->from; i < c->to; i++) {
		const double v = value(c, i);

		if (isnan(v))
			continue;
		if (!isnan(before))
			sum += v < before ? v : v - before;
		before = v;
	}
	if (o->n < 2)
		return;
	o->increase = sum;
	if (o->last_ns > o->first_ns)
		o->per_s = sum * (double)TAPE_NS_PER_S /
			   (double)(o->last_ns - o->first_ns);
}

/* A counter begins with the sample before the window, and ends behind it. */
static void
widen(const struct maker *m, struct slice *c)
{
	const int64_t *t_ns = c->track->t_ns;
	const size_t n = c->track->n;

	if (c->from > 0 && (c->from == n || t_ns[c->from] > m->first_ns))
		c->from--;
	if (c->to < n && (c->to == 0 || t_ns[c->to - 1] < m->last_ns))
		c->to++;
}

/* The quantity's record, unless no sample of the window has it. */
static enum tape_status
add_series(struct maker *m, const struct tape_observe_cover *cover,
    const struct tape_samples_series *s, struct tape_err *err)
{
	const struct tape_samples_track *t = cover->track;
	const struct tape_role role = tape_role_of(t->source, s->name);
	struct slice c = { t, s, role.scale, cover->from, cover->to };
	struct tape_observed *o;
	enum tape_status st = begin(m, t->source, t->device, &o, err);

	if (st != TAPE_OK)
		return st;
	o->name = tape_str_of(s->name);
	o->role = tape_str_of(role.name);
	o->unit = tape_str_of(role.unit);
	o->type = tape_str_of(tape_role_type_name(role.type));
	if (role.type == TAPE_ROLE_COUNTER)
		widen(m, &c);
	take_ends(o, &c, m->samples->epoch_ns);
	if (o->n == 0)
		return TAPE_OK;
	if (role.type == TAPE_ROLE_GAUGE)
		take_gauge(o, &c);
	else if (role.type == TAPE_ROLE_BITS)
		take_bits(o, &c);
	else
		take_counter(o, &c);
	m->set->n++;
	return TAPE_OK;
}

static enum tape_status
add_track(struct maker *m, struct tape_observe_cover *c, struct tape_err *err)
{
	enum tape_status st = look_at(m, c, err);

	for (size_t i = 0; i < c->track->series_n && st == TAPE_OK; i++)
		st = add_series(m, c, &c->track->series[i], err);
	return st;
}

/* Sum of the mean power of that source's devices; NaN: it gives none. */
static double
power_of(const struct tape_observe_set *set, struct tape_str source, int64_t *n)
{
	const struct tape_observed *o;
	double sum = TAPE_ABSENT_F64;

	*n = 0;
	for (size_t i = 0; (o = tape_observe_next(set, "power", &i)) != NULL;)
		if (tape_str_equal(o->source, source)) {
			sum = isnan(sum) ? o->mean : sum + o->mean;
			*n += o->n;
		}
	return sum;
}

/* Of each source that gives power, once. */
static enum tape_status
add_energy(struct maker *m, struct tape_err *err)
{
	static const char *const sources[] = { "nvidia-smi", "tegrastats",
		"prometheus" };
	const double window_s =
	    (double)(m->last_ns - m->first_ns) / (double)TAPE_NS_PER_S;
	enum tape_status st = TAPE_OK;

	if (!(m->run->output_tokens > 0) || !(window_s > 0))
		return TAPE_OK;
	for (size_t i = 0; i < 3 && st == TAPE_OK; i++) {
		struct tape_observed *o;
		int64_t n;
		const double power_w =
		    power_of(m->set, tape_str_of(sources[i]), &n);

		if (isnan(power_w))
			continue;
		st = begin(m, sources[i], NULL, &o, err);
		if (st != TAPE_OK)
			return st;
		o->name = o->role = tape_str_of("energy_per_token");
		o->unit = tape_str_of("j");
		o->type = tape_str_of("gauge");
		o->n = n;
		o->mean = power_w * window_s / m->run->output_tokens;
		m->set->n++;
	}
	return st;
}

/* Whichever was sampled first. */
static int
by_name(const void *a, const void *b)
{
	const struct tape_observe_cover *x = a, *y = b;
	const struct tape_samples_track *s = x->track, *t = y->track;
	const int order = strcmp(s->source, t->source);

	if (order != 0)
		return order;
	return strcmp(s->device == NULL ? "" : s->device,
	    t->device == NULL ? "" : t->device);
}

/* The tracks by the clock of the segment in hand, in the order of names. */
static enum tape_status
list_tracks(const struct tape_samples *s, struct tape_observe_set *set,
    struct tape_err *err)
{
	set->cover = tape_mem_calloc(s->track_n, sizeof(*set->cover));
	if (set->cover == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < s->track_n; i++)
		if (s->tracks[i].clock == s->clock)
			set->cover[set->cover_n++].track = &s->tracks[i];
	if (set->cover_n > 1)
		qsort(set->cover, set->cover_n, sizeof(*set->cover), by_name);
	return TAPE_OK;
}

enum tape_status
tape_observe(const struct tape_samples *samples,
    const struct tape_observe_run *run, struct tape_observe_set *set,
    struct tape_err *err)
{
	struct maker m = { .samples = samples, .run = run, .set = set };
	enum tape_status st;

	if (samples->track_n == 0 || run->first_ns == TAPE_ABSENT_I64 ||
	    run->last_ns == TAPE_ABSENT_I64)
		return TAPE_OK;
	m.first_ns = samples->epoch_ns + run->first_ns;
	m.last_ns = samples->epoch_ns + run->last_ns;
	st = list_tracks(samples, set, err);
	for (size_t i = 0; i < set->cover_n && st == TAPE_OK; i++)
		st = add_track(&m, &set->cover[i], err);
	return st == TAPE_OK ? add_energy(&m, err) : st;
}

const struct tape_observed *
tape_observe_next(
    const struct tape_observe_set *set, const char *role, size_t *i)
{
	while (*i < set->n) {
		const struct tape_observed *o = &set->v[(*i)++];

		if (tape_str_is(o->role, role))
			return o;
	}
	return NULL;
}

double
tape_observe_increase(const struct tape_observe_set *set, const char *role)
{
	const struct tape_observed *o;
	double sum = TAPE_ABSENT_F64;

	for (size_t i = 0; (o = tape_observe_next(set, role, &i)) != NULL;)
		if (!isnan(o->increase))
			sum = isnan(sum) ? o->increase : sum + o->increase;
	return sum;
}
