/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_maxt.h"

#include "base/mem.h"
#include "codec/stat_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rows stand in ascending order of their observed u, and columns are
 * contiguous: one sign vector is a pass over the rows that adds a column to
 * the sums, and one that keeps the running maximum from the smallest u up.
 * That maximum is the one over the rows which are still in the family when
 * a row's turn comes in the step-down.
 */
enum {
	BLOCK = 10, /* low signs walked by Gray code from one fresh sum */
};

static const double tie = 1e-12;

struct maxt {
	size_t rows, k;
	double *col;   /* k columns of rows: d / sqrt(k sum d^2) */
	double *sum;   /* of one vector */
	double *reach; /* observed u less the tie room */
	uint64_t *count;
	struct row *row;
};

struct row {
	double u;
	double scale; /* 1 / sqrt(k sum d^2), 0 for zeros */
	size_t at;    /* in the caller's order */
};

static int
ascending(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->u != y->u)
		return x->u < y->u ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void
release(struct maxt *m)
{
	tape_mem_free(m->col);
	tape_mem_free(m->sum);
	tape_mem_free(m->reach);
	tape_mem_free(m->count);
	tape_mem_free(m->row);
}

static enum tape_status
open_maxt(struct maxt *m, size_t rows, size_t k, struct tape_err *err)
{
	memset(m, 0, sizeof(*m));
	m->rows = rows;
	m->k = k;
	m->col = tape_mem_calloc(rows * k, sizeof(*m->col));
	m->sum = tape_mem_calloc(rows, sizeof(*m->sum));
	m->reach = tape_mem_calloc(rows, sizeof(*m->reach));
	m->count = tape_mem_calloc(rows, sizeof(*m->count));
	m->row = tape_mem_calloc(rows, sizeof(*m->row));
	if (m->col != NULL && m->sum != NULL && m->reach != NULL &&
	    m->count != NULL && m->row != NULL)
		return TAPE_OK;
	release(m);
	return tape_err_nomem(err);
}

/* By the largest |d| first, so that no square over- or underflows. */
static struct row
measure(const double *d, size_t k, size_t at)
{
	double most = 0, sum = 0, squares = 0;

	for (size_t i = 0; i < k; i++)
		most = fmax(most, fabs(d[i]));
	if (most == 0)
		return (struct row){ 0, 0, at };
	for (size_t i = 0; i < k; i++) {
		sum += d[i] / most;
		squares += d[i] / most * (d[i] / most);
	}
	squares = sqrt((double)k * squares);
	return (struct row){ fabs(sum) / squares, 1 / most / squares, at };
}

static void
arrange(struct maxt *m, const double *d)
{
	for (size_t j = 0; j < m->rows; j++)
		m->row[j] = measure(d + j * m->k, m->k, j);
	qsort(m->row, m->rows, sizeof(*m->row), ascending);
	for (size_t j = 0; j < m->rows; j++) {
		const double *from = d + m->row[j].at * m->k;

		m->reach[j] = m->row[j].u - tie;
		for (size_t i = 0; i < m->k; i++)
			m->col[i * m->rows + j] = from[i] * m->row[j].scale;
	}
}

static void
count_vector(struct maxt *m)
{
	double top = 0;

	for (size_t j = 0; j < m->rows; j++) {
		const double u = fabs(m->sum[j]);

		top = u > top ? u : top;
		m->count[j] += top >= m->reach[j];
	}
}

static void
add(struct maxt *m, size_t i, double times)
{
	const double *col = m->col + i * m->rows;

	for (size_t j = 0; j < m->rows; j++)
		m->sum[j] += times * col[j];
}

/* Sums afresh: pair i is negative where bit i of the words is set. */
static void
set_signs(struct maxt *m, const uint32_t *words)
{
	memset(m->sum, 0, m->rows * sizeof(*m->sum));
	for (size_t i = 0; i < m->k; i++)
		add(m, i, (words[i / 32] >> i % 32 & 1) != 0 ? -1 : 1);
}

/* All vectors whose last sign is plus; the others mirror them. */
static uint64_t
count_all(struct maxt *m)
{
	const size_t free_signs = m->k - 1;
	const size_t low = free_signs < BLOCK ? free_signs : BLOCK;

	for (uint32_t high = 0; high < 1U << (free_signs - low); high++) {
		const uint32_t start = high << low;
		uint32_t signs = start;

		set_signs(m, &start);
		count_vector(m);
		for (uint32_t g = 1; g < 1U << low; g++) {
			const unsigned i = (unsigned)__builtin_ctz(g);

			signs ^= 1U << i;
			add(m, i, (signs >> i & 1) != 0 ? -2 : 2);
			count_vector(m);
		}
	}
	return (uint64_t)1 << free_signs;
}

static uint64_t
count_draws(struct maxt *m, const struct tape_stat_flip_opt *opt)
{
	uint32_t words[TAPE_STAT_SIGNS_WORDS] = { 0 };

	set_signs(m, words);
	count_vector(m);
	for (uint32_t b = 1; b <= opt->replicates; b++) {
		tape_stat_signs_draw(opt, TAPE_RNG_MAXT, b, m->k, words);
		set_signs(m, words);
		count_vector(m);
	}
	return (uint64_t)opt->replicates + 1;
}

static void
finish(const struct maxt *m, uint64_t total, double *p)
{
	double run = 0;

	for (size_t j = m->rows; j-- > 0;) {
		run = fmax(run, (double)m->count[j] / (double)total);
		p[m->row[j].at] = run;
	}
}

static enum tape_status
check(const double *d, size_t rows, size_t k, struct tape_err *err)
{
	if (rows == 0 || k == 0)
		return tape_err_set(
		    err, TAPE_E_DATA, "%zu rows of %zu pairs", rows, k);
	if (rows > TAPE_STAT_MAXT_ROWS)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "%zu rows: at most %d at once", rows, TAPE_STAT_MAXT_ROWS);
	return tape_stat_check(d, rows * k, err);
}

enum tape_status
tape_stat_maxt(const double *d, size_t rows, size_t k,
    const struct tape_stat_flip_opt *opt, double *p, struct tape_err *err)
{
	struct tape_stat_flip_opt o;
	struct maxt m;
	enum tape_status st = tape_stat_signs_opt(opt, k, &o, err);

	if (st == TAPE_OK)
		st = check(d, rows, k, err);
	if (st == TAPE_OK)
		st = open_maxt(&m, rows, k, err);
	if (st != TAPE_OK)
		return st;
	arrange(&m, d);
	finish(&m,
	    k <= TAPE_STAT_MAXT_EXACT ? count_all(&m) : count_draws(&m, &o), p);
	release(&m);
	return TAPE_OK;
}
