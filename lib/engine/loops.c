/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/loops.h"

#include "base/mem.h"

/* A loop as the feeder sees it. */
struct member {
	struct tape_loop *loop;
	size_t waiting, open; /* flights given, and of those taken up */
	size_t slots;         /* 0: any number */
	int64_t cpu_ns;       /* at cpu_begin */
};

struct tape_loops {
	struct member *v;
	size_t n, used;
	size_t turn;    /* whose it is */
	unsigned first; /* number of the first loop */
	const struct tape_clock *clock;
	struct tape_loop_common common;
	struct tape_loop_stats stats;
};

enum tape_status
tape_loops_open(struct tape_loops **out, size_t n,
    const struct tape_loop_opts *opts, struct tape_err *err)
{
	struct tape_loops *g = tape_mem_calloc(1, sizeof(*g));
	struct tape_loop_opts o = *opts;
	enum tape_status st = TAPE_OK;

	if (g == NULL)
		return tape_err_nomem(err);
	g->v = tape_mem_calloc(n, sizeof(*g->v));
	if (g->v == NULL)
		st = tape_err_nomem(err);
	g->first = opts->index;
	g->clock = opts->clock == NULL ? &tape_clock_system : opts->clock;
	o.common = &g->common;
	while (g->n < n && st == TAPE_OK) {
		o.index = opts->index + (unsigned)g->n;
		st = tape_loop_open(&g->v[g->n].loop, &o, err);
		g->n += st == TAPE_OK;
	}
	if (st != TAPE_OK) {
		tape_loops_free(g);
		return st;
	}
	g->used = n;
	*out = g;
	return TAPE_OK;
}

void
tape_loops_free(struct tape_loops *g)
{
	if (g == NULL)
		return;
	for (size_t i = 0; i < g->n; i++)
		tape_loop_free(g->v[i].loop);
	tape_mem_free(g->v);
	tape_mem_free(g);
}

size_t
tape_loops_n(const struct tape_loops *g)
{
	return g->n;
}

struct tape_loop *
tape_loops_at(const struct tape_loops *g, size_t i)
{
	return g->v[i].loop;
}

size_t
tape_loops_used(const struct tape_loops *g)
{
	return g->used;
}

enum tape_status
tape_loops_start(struct tape_loops *g, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < g->n && st == TAPE_OK; i++)
		st = tape_loop_start(g->v[i].loop, err);
	return st;
}

void
tape_loops_ready(struct tape_loops *g)
{
	for (size_t i = 0; i < g->n; i++)
		while (!tape_loop_is_ready(g->v[i].loop))
			tape_clock_sleep_until_ns(g->clock,
			    tape_clock_now_ns(g->clock) + 100 * TAPE_NS_PER_US);
}

/* The share of loop i in total; 0 stays 0: no limit. */
static size_t
share(size_t total, size_t i, size_t n)
{
	return total / n + (i < total % n);
}

/* The part of a stage that loop i plays. */
static struct tape_stage
split(const struct tape_loops *g, const struct tape_stage *stage, size_t i)
{
	struct tape_stage s = *stage;

	s.rules.slots = share(stage->rules.slots, i, g->used);
	s.max_open = share(stage->max_open, i, g->used);
	s.rules.ramp_first = i;
	s.rules.ramp_step = g->used;
	s.rules.ramp_slots = stage->rules.slots;
	s.ends_urgent = g->used > 1 && stage->rules.slots > 0;
	return s;
}

enum tape_status
tape_loops_begin(
    struct tape_loops *g, const struct tape_stage *stage, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	g->used = g->n;
	if (stage->rules.slots > 0 && stage->rules.slots < g->used)
		g->used = stage->rules.slots;
	if (stage->max_open > 0 && stage->max_open < g->used)
		g->used = stage->max_open;
	g->turn = 0;
	tape_loop_common_begin(&g->common, g->used);
	for (size_t i = 0; i < g->n; i++) {
		g->v[i].waiting = 0;
		g->v[i].open = 0;
	}
	for (size_t i = 0; i < g->used && st == TAPE_OK; i++) {
		struct tape_stage s = split(g, stage, i);

		g->v[i].slots = s.rules.slots;
		st = tape_loop_begin(g->v[i].loop, &s, err);
	}
	return st;
}

bool
tape_loops_tight(const struct tape_loops *g)
{
	return g->used > 1 && g->v[0].slots > 0;
}

static size_t
beyond(const struct member *m)
{
	size_t n = m->slots / 16;

	return n < 1 ? 1 : n > TAPE_LOOPS_BEYOND ? TAPE_LOOPS_BEYOND : n;
}

bool
tape_loops_room(const struct tape_loops *g, size_t times)
{
	if (!tape_loops_tight(g))
		return true;
	for (size_t i = 0; i < g->used; i++) {
		const struct member *m = &g->v[i];

		if (m->waiting + m->open < m->slots + times * beyond(m))
			return true;
	}
	return false;
}

static bool
rather(const struct member *a, const struct member *b)
{
	if (a->slots > 0) /* the most free */
		return a->slots + b->waiting + b->open >
		       b->slots + a->waiting + a->open;
	if (a->waiting != b->waiting)
		return a->waiting < b->waiting;
	return a->open < b->open;
}

enum tape_status
tape_loops_add(
    struct tape_loops *g, struct tape_flight *f, struct tape_err *err)
{
	struct member *to = &g->v[g->turn];
	enum tape_status st;

	for (size_t k = 1; k < g->used; k++) {
		struct member *m = &g->v[(g->turn + k) % g->used];

		if (rather(m, to))
			to = m;
	}
	st = tape_loop_add(to->loop, f, err);
	if (st != TAPE_OK)
		return st;
	to->waiting++;
	g->turn = ((size_t)(to - g->v) + 1) % g->used;
	return TAPE_OK;
}

void
tape_loops_note(struct tape_loops *g, const struct tape_note *note)
{
	struct member *m = &g->v[note->loop - g->first];

	if (note->kind == TAPE_NOTE_STARTED) {
		m->waiting--;
		m->open++;
	} else {
		m->open--;
	}
}

/* A stop that holds for all is seen by each before it sends; those asleep are
   woken for the sake of what has to be cancelled. */
void
tape_loops_flags(struct tape_loops *g, unsigned flags)
{
	if ((flags & TAPE_NOTE_STOPPED) != 0 && g->used > 1)
		tape_loops_wake(g);
}

void
tape_loops_end(struct tape_loops *g)
{
	for (size_t i = 0; i < g->used; i++)
		tape_loop_end(g->v[i].loop);
}

void
tape_loops_stop(struct tape_loops *g)
{
	tape_loop_common_stop(&g->common, TAPE_LOOP_BROKEN);
	tape_loops_wake(g);
}

void
tape_loops_wake(struct tape_loops *g)
{
	for (size_t i = 0; i < g->n; i++)
		tape_loop_wake(g->v[i].loop);
}

const struct tape_loop_stats *
tape_loops_stats(struct tape_loops *g)
{
	memset(&g->stats, 0, sizeof(g->stats));
	for (size_t i = 0; i < g->used; i++)
		tape_loop_stats_add(&g->stats, tape_loop_stats(g->v[i].loop));
	return &g->stats;
}

const struct tape_err *
tape_loops_error(const struct tape_loops *g)
{
	const struct tape_err *err = tape_loop_error(g->v[0].loop);

	for (size_t i = 1; i < g->n && err->status == TAPE_OK; i++)
		err = tape_loop_error(g->v[i].loop);
	return err;
}

void
tape_loops_live(const struct tape_loops *g, struct tape_loops_live *out)
{
	*out = (struct tape_loops_live){ 0 };
	for (size_t i = 0; i < g->used; i++) {
		const struct tape_loop_live *l = tape_loop_live(g->v[i].loop);
		int64_t p99 = atomic_load(&l->late_p99_ns);

		out->sent += atomic_load(&l->sent);
		out->running += atomic_load(&l->running);
		out->done += atomic_load(&l->done);
		out->failed += atomic_load(&l->failed);
		out->reads += atomic_load(&l->reads);
		if (p99 > out->late_p99_ns)
			out->late_p99_ns = p99;
	}
}

void
tape_loops_cpu_begin(struct tape_loops *g)
{
	for (size_t i = 0; i < g->n; i++)
		g->v[i].cpu_ns = tape_loop_cpu_ns(g->v[i].loop);
}

void
tape_loops_cpu(const struct tape_loops *g, struct tape_loops_cpu *out)
{
	*out = (struct tape_loops_cpu){ 0 };
	for (size_t i = 0; i < g->n; i++) {
		struct tape_loop *l = g->v[i].loop;
		int64_t ns = tape_loop_cpu_ns(l) - g->v[i].cpu_ns;
		int64_t spun = i < g->used ? tape_loop_stats(l)->spun_ns : 0;

		if (spun > ns)
			spun = ns;
		out->sum_ns += ns;
		if (i > 0 && ns - spun <= out->max_ns - out->max_spun_ns)
			continue;
		out->max_ns = ns;
		out->max_spun_ns = spun;
	}
}
