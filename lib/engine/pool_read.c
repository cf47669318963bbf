/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pools, read as one sequence of rising values, from memory and from files. */
#include "base/mem.h"
#include "codec/stat_sort.h"
#include "engine/pool.h"

#include <math.h>
#include <string.h>

#define READ_BYTES ((size_t)32 << 20) /* of all runs in files */
#define READ_LEAST ((size_t)4 << 10)

/* One source of rising values: loose ones, a run, or a run in a file. */
struct source {
	const double *loose;
	const struct tape_pool_pair *run;
	size_t left;
	struct tape_runfile_cursor cursor;
	struct tape_pool_pair pair; /* in hand */
};

struct reading {
	struct source *v;
	size_t n;    /* all */
	size_t open; /* a heap: the smallest value first */
};

/* TAPE_EOF when it has no more. */
static enum tape_status
advance(struct source *s, struct tape_err *err)
{
	const char *p;
	enum tape_status st;

	if (s->cursor.file != NULL) {
		st = tape_runfile_take(&s->cursor, sizeof(s->pair), &p, err);
		if (st == TAPE_OK)
			memcpy(&s->pair, p, sizeof(s->pair));
		return st;
	}
	if (s->left == 0)
		return TAPE_EOF;
	s->left--;
	if (s->run != NULL) {
		s->pair = *s->run++;
		return TAPE_OK;
	}
	if (s->loose == NULL)
		return TAPE_EOF;
	s->pair = (struct tape_pool_pair){ *s->loose++ + 0.0, 1 };
	while (s->left > 0 && !(*s->loose > s->pair.v)) {
		s->pair.count++;
		s->loose++;
		s->left--;
	}
	return TAPE_OK;
}

static void
sift(struct reading *r, size_t i)
{
	for (;;) {
		size_t least = i;
		struct source swap;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < r->open; k++)
			if (r->v[k].pair.v < r->v[least].pair.v)
				least = k;
		if (least == i)
			return;
		swap = r->v[i];
		r->v[i] = r->v[least];
		r->v[least] = swap;
		i = least;
	}
}

/* Puts a source among the open ones; an empty one is none. */
static enum tape_status
open_source(struct reading *r, struct source s, struct tape_err *err)
{
	enum tape_status st = advance(&s, err);

	r->v[r->n++] = s;
	if (st == TAPE_EOF)
		return TAPE_OK;
	if (st != TAPE_OK)
		return st;
	r->v[r->n - 1] = r->v[r->open];
	r->v[r->open++] = s;
	return TAPE_OK;
}

static enum tape_status
open_files(
    struct reading *r, struct tape_pool *p, size_t chunk, struct tape_err *err)
{
	enum tape_status st = tape_runfile_flush(&p->file, err);

	for (size_t i = 0; i < p->end_n && st == TAPE_OK; i++) {
		struct source s = { 0 };

		st = tape_runfile_cursor_open(&s.cursor, &p->file,
		    i == 0 ? 0 : p->ends[i - 1], p->ends[i], chunk, err);
		if (st == TAPE_OK)
			st = open_source(r, s, err);
	}
	return st;
}

static enum tape_status
open_pool(
    struct reading *r, struct tape_pool *p, size_t chunk, struct tape_err *err)
{
	enum tape_status st = tape_stat_sort(p->loose, p->loose_n, err);

	if (st == TAPE_OK)
		st = open_source(r,
		    (struct source){ .loose = p->loose, .left = p->loose_n },
		    err);
	for (size_t i = 0; i < p->run_n && st == TAPE_OK; i++)
		st = open_source(r,
		    (struct source){
			.run = p->runs[i].v, .left = p->runs[i].n },
		    err);
	return st == TAPE_OK ? open_files(r, p, chunk, err) : st;
}

static enum tape_status
open_all(struct reading *r, struct tape_pool *const *pools, size_t n,
    struct tape_err *err)
{
	size_t sources = 0, files = 0, chunk = READ_LEAST;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < n; i++) {
		files += pools[i]->end_n;
		sources += 1 + pools[i]->run_n + pools[i]->end_n;
	}
	r->v = tape_mem_calloc(sources, sizeof(*r->v));
	if (r->v == NULL)
		return tape_err_nomem(err);
	if (files > 0 && READ_BYTES / files > chunk)
		chunk = READ_BYTES / files;
	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = open_pool(r, pools[i], chunk, err);
	for (size_t i = r->open / 2; i > 0 && st == TAPE_OK; i--)
		sift(r, i - 1);
	return st;
}

/* The next value with how often it is in all sources; TAPE_EOF: none. */
static enum tape_status
next(struct reading *r, struct tape_pool_pair *out, struct tape_err *err)
{
	out->count = 0;
	while (r->open > 0 && (out->count == 0 || !(r->v[0].pair.v > out->v))) {
		enum tape_status st;

		out->v = r->v[0].pair.v;
		out->count += r->v[0].pair.count;
		st = advance(&r->v[0], err);
		if (st == TAPE_EOF) {
			struct source done = r->v[0];

			r->v[0] = r->v[--r->open];
			r->v[r->open] = done;
		} else if (st != TAPE_OK) {
			return st;
		}
		sift(r, 0);
	}
	return out->count > 0 ? TAPE_OK : TAPE_EOF;
}

/* The values that quantiles rest on. */
struct wanted {
	uint64_t rank[TAPE_POOL_QUANTILES];
	double weight[TAPE_POOL_QUANTILES]; /* of the next rank's value */
	double at[TAPE_POOL_QUANTILES];
	double above[TAPE_POOL_QUANTILES]; /* of the next rank, if there is */
	size_t n;
	size_t at_n, above_n; /* found so far */
};

/* The lower rank that a quantile of type 7 rests on, and the weight of the
   next one; as in tape_stat_quantile. */
static uint64_t
rank_of(double q, uint64_t n, double *weight)
{
	const double h = (double)(n - 1) * q;
	const double whole = floor(h);

	*weight = h - whole;
	if (whole >= (double)(n - 1)) {
		*weight = 0;
		return n - 1;
	}
	return (uint64_t)whole;
}

static void
want(struct wanted *w, const struct tape_pool_asked *ask, uint64_t all)
{
	w->n = all == 0 ? 0 : ask->q_n;
	w->at_n = w->above_n = 0;
	for (size_t i = 0; i < w->n; i++)
		w->rank[i] = rank_of(ask->q[i], all, &w->weight[i]);
}

/* n values are not above v. */
static void
find(struct wanted *w, double v, uint64_t n)
{
	for (; w->at_n < w->n && w->rank[w->at_n] < n; w->at_n++)
		w->at[w->at_n] = w->above[w->at_n] = v;
	for (; w->above_n < w->at_n && w->rank[w->above_n] + 1 < n;
	     w->above_n++)
		w->above[w->above_n] = v;
}

static void
tell(const struct wanted *w, struct tape_pool_asked *ask)
{
	for (size_t i = 0; i < w->n; i++)
		ask->at[i] = w->at[i] + w->weight[i] * (w->above[i] - w->at[i]);
	for (size_t i = w->n; i < ask->q_n; i++)
		ask->at[i] = (double)NAN;
}

/*
 * Mean and squares by West's recurrence for weighted values (Comm. ACM 22,
 * 1979), in long double: one pass, and no cancellation.  Values come in rising
 * order and equal ones at once, so the sums are always the same.
 */
static enum tape_status
walk(struct reading *r, struct wanted *w, struct tape_pool_asked *ask,
    struct tape_err *err)
{
	long double mean = 0, squares = 0;
	struct tape_pool_pair pair;
	uint64_t n = 0;
	enum tape_status st;

	while ((st = next(r, &pair, err)) == TAPE_OK) {
		const long double count = (long double)pair.count;
		const long double off = (long double)pair.v - mean;

		if (n == 0)
			ask->min = pair.v;
		ask->max = pair.v;
		n += pair.count;
		mean += off * count / (long double)n;
		squares += count * off * ((long double)pair.v - mean);
		find(w, pair.v, n);
	}
	if (st != TAPE_EOF)
		return st;
	if (n > 0)
		ask->mean = (double)mean;
	if (n > 1)
		ask->sd = (double)sqrtl(squares / (long double)(n - 1));
	return TAPE_OK;
}

static void
release(struct reading *r)
{
	for (size_t i = 0; i < r->n; i++)
		tape_runfile_cursor_release(&r->v[i].cursor);
	tape_mem_free(r->v);
}

enum tape_status
tape_pool_read(struct tape_pool *const *pools, size_t n,
    struct tape_pool_asked *ask, struct tape_err *err)
{
	struct reading r = { 0 };
	struct wanted w;
	uint64_t all = 0;
	enum tape_status st;

	for (size_t i = 0; i < n; i++)
		all += pools[i]->n;
	want(&w, ask, all);
	ask->min = ask->max = ask->mean = ask->sd = (double)NAN;
	st = open_all(&r, pools, n, err);
	if (st == TAPE_OK)
		st = walk(&r, &w, ask, err);
	if (st == TAPE_OK)
		tell(&w, ask);
	release(&r);
	return st;
}

enum tape_status
tape_pool_values(
    struct tape_pool *const *pools, size_t n, double *out, struct tape_err *err)
{
	struct reading r = { 0 };
	struct tape_pool_pair pair;
	enum tape_status st = open_all(&r, pools, n, err);

	while (st == TAPE_OK) {
		st = next(&r, &pair, err);
		for (uint64_t i = 0; st == TAPE_OK && i < pair.count; i++)
			*out++ = pair.v;
	}
	release(&r);
	return st == TAPE_EOF ? TAPE_OK : st;
}
