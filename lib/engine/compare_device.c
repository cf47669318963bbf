/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_device.h"

#include "base/hash.h"

#include <stdio.h>

#define NAME_ROOM 48

/* The roles: by which difference of the arms one is warned, relative or not. */
static const struct role {
	const char *name; /* in telemetry records */
	const char *shown;
	const char *unit;
	double relative;
	double absolute;
	double factor; /* to the unit shown */
} roles[TAPE_COMPARE_ROLES] = {
	[TAPE_COMPARE_CLOCK] = { "clock", "clock", "MHz", 0.01, 0, 1 },
	[TAPE_COMPARE_MEMORY_CLOCK] = { "memory_clock", "memory clock", "MHz",
	    0.01, 0, 1 },
	[TAPE_COMPARE_CLOCK_LIMIT] = { "clock_limit", "limit of the clock",
	    "MHz", 0.001, 0, 1 },
	/* What is drawn comes of the work: it is shown, not warned of. */
	[TAPE_COMPARE_POWER] = { "power", "power", "W", 0, 0, 1 },
	[TAPE_COMPARE_POWER_LIMIT] = { "power_limit", "limit of power", "W",
	    0.001, 0, 1 },
	[TAPE_COMPARE_TEMPERATURE] = { "temperature", "temperature", "C", 0, 3,
	    1 },
	[TAPE_COMPARE_THROTTLE] = { "throttle", "share of throttled samples",
	    "%", 0, 0.01, 100 },
};

void
tape_compare_device_init(struct tape_compare_run *run)
{
	for (size_t i = 0; i < TAPE_COMPARE_ROLES; i++)
		run->device.value[i] = TAPE_ABSENT_F64;
	run->engine.acceptance_ratio = TAPE_ABSENT_F64;
	run->engine.acceptance_length = TAPE_ABSENT_F64;
}

static double
value_of(const struct tape_observed *o, size_t role)
{
	if (role != TAPE_COMPARE_THROTTLE)
		return o->mean;
	if (o->n_set == TAPE_ABSENT_I64 || o->n <= 0)
		return TAPE_ABSENT_F64;
	return (double)o->n_set / (double)o->n;
}

void
tape_compare_add_device(
    struct tape_compare_run *run, const struct tape_observed *o)
{
	for (size_t i = 0; run != NULL && i < TAPE_COMPARE_ROLES; i++) {
		struct tape_compare_device *d = &run->device;
		double v = value_of(o, i);
		uint64_t h;

		if (!tape_str_is(o->role, roles[i].name) || !isfinite(v))
			continue;
		h = tape_hash_add(TAPE_HASH_START, o->source.p, o->source.len);
		h = tape_hash_add(h, "/", 1);
		if (o->device.p != NULL)
			h = tape_hash_add(h, o->device.p, o->device.len);
		d->value[i] = d->n[i] == 0
				  ? v
				  : d->value[i] + (v - d->value[i]) /
						      (double)(d->n[i] + 1);
		d->n[i]++;
		/* In whatever order, and however often, they come. */
		for (unsigned b = 0; b < 3; b++)
			d->which[i] |= UINT64_C(1) << (h >> (8 * b) & 63);
	}
}

enum tape_status
tape_compare_add_engine(struct tape_compare_set *set,
    struct tape_compare_run *run, const struct tape_engine *e,
    struct tape_err *err)
{
	enum tape_status st;

	if (run == NULL)
		return TAPE_OK;
	run->engine.acceptance_ratio = e->acceptance_ratio;
	run->engine.acceptance_length = e->acceptance_length_tokens;
	st = tape_compare_keep(set, e->acceptance, &run->engine.source, err);
	return st == TAPE_OK ? tape_compare_keep(set, e->generation,
				   &run->engine.generation, err)
			     : st;
}

/* By the first quantity that both runs have of their devices. */
static bool
other_devices(const struct tape_compare_pair *p)
{
	static const enum tape_compare_role by[] = { TAPE_COMPARE_CLOCK,
		TAPE_COMPARE_POWER, TAPE_COMPARE_TEMPERATURE };
	const struct tape_compare_device *a = &p->run[TAPE_COMPARE_A]->device;
	const struct tape_compare_device *b = &p->run[TAPE_COMPARE_B]->device;

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++)
		if (a->n[by[i]] > 0 && b->n[by[i]] > 0)
			return a->which[by[i]] != b->which[by[i]];
	return false;
}

static void
check_same(const struct tape_compare_design *d,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes)
{
	char pair[NAME_ROOM];
	size_t n = 0, first = 0;

	if (vary != NULL && (vary->bits & TAPE_COMPARE_VARY_DEVICE) != 0)
		return;
	for (size_t i = 0; i < d->k; i++)
		if (other_devices(&d->pairs[i]) && n++ == 0)
			first = i;
	if (n > 0)
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, "device",
		    "the runs of %zu of %zu pairs were on different devices, "
		    "first in %s (--vary device takes them)",
		    n, d->k,
		    tape_compare_pair_name(d, first, pair, sizeof(pair)));
}

/* Of the runs of an arm that have it. */
struct spread {
	double mean, min, max;
	size_t n;
};

static struct spread
spread_of(const struct tape_compare_design *d, size_t arm, size_t role)
{
	struct spread s = { 0, HUGE_VAL, -HUGE_VAL, 0 };

	for (size_t i = 0; i < d->k; i++) {
		double v = d->pairs[i].run[arm]->device.value[role];

		if (isnan(v))
			continue;
		s.mean += v;
		s.min = fmin(s.min, v);
		s.max = fmax(s.max, v);
		s.n++;
	}
	s.mean /= s.n > 0 ? (double)s.n : 1;
	return s;
}

static bool
drifted(const struct role *r, double a, double b)
{
	if (r->relative > 0)
		return fabs(b - a) > r->relative * fabs(a);
	return r->absolute > 0 && fabs(b - a) > r->absolute;
}

static void
check_drift(const struct tape_compare_design *d, size_t role,
    struct tape_compare_notes *notes)
{
	const struct role *r = &roles[role];
	struct spread a = spread_of(d, TAPE_COMPARE_A, role);
	struct spread b = spread_of(d, TAPE_COMPARE_B, role);
	double f = r->factor;

	if (a.n == 0 || b.n == 0 || !drifted(r, a.mean, b.mean))
		return;
	tape_compare_note(notes, TAPE_COMPARE_WARN, "drift",
	    "%s differs between the arms: A %.4g %s (runs %.4g to %.4g), B "
	    "%.4g %s (runs %.4g to %.4g)",
	    r->shown, f * a.mean, r->unit, f * a.min, f * a.max, f * b.mean,
	    r->unit, f * b.min, f * b.max);
}

void
tape_compare_check_devices(const struct tape_compare_design *design,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes)
{
	check_same(design, vary, notes);
	for (size_t i = 0; i < TAPE_COMPARE_ROLES; i++)
		check_drift(design, i, notes);
}
