/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/pool.h"

#include "base/mem.h"
#include "codec/stat_sort.h"

#include <string.h>

/* So few values are held in any case. */
#define LOOSE_LEAST 16

void
tape_pool_init(struct tape_pool *p, size_t bytes, const char *dir)
{
	memset(p, 0, sizeof(*p));
	p->loose_most = TAPE_POOL_LOOSE;
	p->pairs_most = SIZE_MAX;
	if (bytes > 0) {
		/* A quarter for loose values and their sorting, and as two runs
		   become one both are there. */
		if (bytes / 4 / (2 * sizeof(double)) < p->loose_most)
			p->loose_most = bytes / 4 / (2 * sizeof(double));
		p->pairs_most = bytes / 3 / sizeof(struct tape_pool_pair);
	}
	if (p->loose_most < LOOSE_LEAST)
		p->loose_most = LOOSE_LEAST;
	tape_runfile_init(&p->file, dir);
}

static void
drop_runs(struct tape_pool *p)
{
	for (size_t i = 0; i < p->run_n; i++)
		tape_mem_free(p->runs[i].v);
	p->run_n = 0;
	p->pairs = 0;
}

void
tape_pool_release(struct tape_pool *p)
{
	drop_runs(p);
	tape_mem_free(p->loose);
	tape_mem_free(p->ends);
	tape_runfile_release(&p->file);
	memset(p, 0, sizeof(*p));
	p->file.fd = -1;
}

/* Equal values are one pair; -0 and 0 are, as 0. */
static size_t
count_up(const double *v, size_t n, struct tape_pool_pair *out)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (k > 0 && !(v[i] > out[k - 1].v))
			out[k - 1].count++;
		else
			out[k++] = (struct tape_pool_pair){ v[i] + 0.0, 1 };
	}
	return k;
}

static size_t
merge_pairs(const struct tape_pool_run *a, const struct tape_pool_run *b,
    struct tape_pool_pair *out)
{
	size_t i = 0, j = 0, k = 0;

	while (i < a->n || j < b->n) {
		if (j == b->n || (i < a->n && a->v[i].v < b->v[j].v)) {
			out[k++] = a->v[i++];
		} else if (i == a->n || b->v[j].v < a->v[i].v) {
			out[k++] = b->v[j++];
		} else {
			out[k] = a->v[i++];
			out[k++].count += b->v[j++].count;
		}
	}
	return k;
}

/* What was left over is given back. */
static void
shrink(struct tape_pool_run *r)
{
	struct tape_pool_pair *v = tape_mem_realloc(r->v, r->n, sizeof(*r->v));

	if (v != NULL)
		r->v = v;
}

/* The last two runs become one. */
static enum tape_status
merge_last(struct tape_pool *p, struct tape_err *err)
{
	struct tape_pool_run *a = &p->runs[p->run_n - 2];
	struct tape_pool_run *b = &p->runs[p->run_n - 1];
	struct tape_pool_run c;

	c.v = tape_mem_realloc(NULL, a->n + b->n, sizeof(*c.v));
	if (c.v == NULL)
		return tape_err_nomem(err);
	c.n = merge_pairs(a, b, c.v);
	p->pairs -= a->n + b->n - c.n;
	tape_mem_free(a->v);
	tape_mem_free(b->v);
	shrink(&c);
	*a = c;
	p->run_n--;
	return TAPE_OK;
}

/* All runs in memory go to the file. */
static enum tape_status
spill(struct tape_pool *p, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (tape_mem_grow((void **)&p->ends, &p->end_cap, p->end_n + p->run_n,
		sizeof(*p->ends)) != 0)
		return tape_err_nomem(err);
	for (size_t i = 0; i < p->run_n && st == TAPE_OK; i++) {
		st = tape_runfile_append(&p->file, p->runs[i].v,
		    p->runs[i].n * sizeof(*p->runs[i].v), err);
		p->ends[p->end_n++] = p->file.size;
	}
	drop_runs(p);
	return st;
}

/* The loose values become a run. */
static enum tape_status
gather(struct tape_pool *p, struct tape_err *err)
{
	struct tape_pool_run r;
	enum tape_status st;

	if (p->loose_n == 0)
		return TAPE_OK;
	st = tape_stat_sort(p->loose, p->loose_n, err);
	if (st != TAPE_OK)
		return st;
	r.v = tape_mem_realloc(NULL, p->loose_n, sizeof(*r.v));
	if (r.v == NULL)
		return tape_err_nomem(err);
	r.n = count_up(p->loose, p->loose_n, r.v);
	p->loose_n = 0;
	shrink(&r);
	p->runs[p->run_n++] = r;
	p->pairs += r.n;
	while (st == TAPE_OK && p->run_n > 1 &&
	       (p->runs[p->run_n - 2].n <= 2 * p->runs[p->run_n - 1].n ||
		   p->run_n == TAPE_POOL_RUNS))
		st = merge_last(p, err);
	return st == TAPE_OK && p->pairs > p->pairs_most ? spill(p, err) : st;
}

enum tape_status
tape_pool_add(
    struct tape_pool *p, const double *v, size_t n, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	while (n > 0 && st == TAPE_OK) {
		const size_t room = p->loose_most - p->loose_n;
		const size_t now = n < room ? n : room;

		if (p->loose_n + now > p->loose_cap &&
		    tape_mem_grow((void **)&p->loose, &p->loose_cap,
			p->loose_n + now, sizeof(*p->loose)) != 0)
			return tape_err_nomem(err);
		memcpy(p->loose + p->loose_n, v, now * sizeof(*v));
		p->loose_n += now;
		p->n += now;
		v += now;
		n -= now;
		if (p->loose_n == p->loose_most)
			st = gather(p, err);
	}
	return st;
}
