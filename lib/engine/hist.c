/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/hist.h"

#include <math.h>
#include <string.h>

#define EXACT  128 /* values below are their own bucket */
#define OCTAVE 64

static unsigned
bucket_of(uint64_t v)
{
	unsigned shift;

	if (v < EXACT)
		return (unsigned)v;
	shift = 57U - (unsigned)__builtin_clzll(v);
	return EXACT + (shift - 1) * OCTAVE + (unsigned)(v >> shift) - OCTAVE;
}

static int64_t
middle_of(unsigned bucket)
{
	unsigned shift;
	int64_t low;

	if (bucket < EXACT)
		return bucket;
	shift = (bucket - EXACT) / OCTAVE + 1;
	low = (int64_t)((bucket - EXACT) % OCTAVE + OCTAVE) << shift;
	return low + (INT64_C(1) << (shift - 1));
}

void
tape_hist_add(struct tape_hist *h, int64_t value)
{
	if (value < 0)
		value = 0;
	h->counts[bucket_of((uint64_t)value)]++;
	h->n++;
	if (value > h->max)
		h->max = value;
}

void
tape_hist_merge(struct tape_hist *h, const struct tape_hist *b)
{
	for (unsigned i = 0; i < TAPE_HIST_BUCKETS; i++)
		h->counts[i] += b->counts[i];
	h->n += b->n;
	if (b->max > h->max)
		h->max = b->max;
}

int64_t
tape_hist_quantile(const struct tape_hist *h, double q)
{
	double rank = ceil(q * (double)h->n);
	int64_t seen = 0;

	if (h->n == 0 || q >= 1)
		return h->max;
	for (unsigned i = 0; i < TAPE_HIST_BUCKETS; i++) {
		seen += h->counts[i];
		if (seen > 0 && (double)seen >= rank)
			return middle_of(i) < h->max ? middle_of(i) : h->max;
	}
	return h->max;
}
