/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inflight_levels.h"

#include "base/mem.h"

#include <stdbool.h>

/* What a cache holds, as they are filled in no order. */
#define BUCKETS_MAX 4096

struct bucket {
	size_t n;
	uint64_t weight;
	bool wanted; /* a level lies in it */
	bool sorted;
	size_t at;     /* where its pairs begin; of wanted ones only */
	size_t copied; /* of n */
};

/* Key 0 has a bucket of its own, as it may be far below all others. */
struct buckets {
	struct bucket *v;
	size_t n;
	uint64_t first; /* the least other key, shifted */
	int shift;
	struct tape_inflight_pair *pairs; /* by bucket */
	struct tape_inflight_pair *spare;
};

static size_t
bucket_of(const struct buckets *b, uint64_t key)
{
	return key == 0 ? 0 : (size_t)(1 + (key >> b->shift) - b->first);
}

/* So wide that there are not more of them than pairs. */
static void
choose_width(struct buckets *b, const struct tape_inflight_pairs *pairs)
{
	const uint64_t most = pairs->n < BUCKETS_MAX ? pairs->n : BUCKETS_MAX;
	const uint64_t largest = pairs->largest;
	const uint64_t least = largest == 0 ? 0 : pairs->least;

	while ((largest >> b->shift) - (least >> b->shift) > most)
		b->shift++;
	b->first = least >> b->shift;
	b->n = (size_t)((largest >> b->shift) - b->first) + 2;
}

static void
count_up(struct buckets *b, const struct tape_inflight_pair *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct bucket *k = &b->v[bucket_of(b, v[i].key)];

		k->n++;
		k->weight += v[i].value;
	}
}

/* The pairs of the buckets that are wanted, one bucket behind the other. */
static void
copy_wanted(struct buckets *b, const struct tape_inflight_pair *v, size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < b->n; i++) {
		b->v[i].at = at;
		at += b->v[i].wanted ? b->v[i].n : 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct bucket *k = &b->v[bucket_of(b, v[i].key)];

		if (k->wanted)
			b->pairs[k->at + k->copied++] = v[i];
	}
}

/* The key within a bucket, below which so much lies. */
static uint64_t
find_in(struct buckets *b, struct bucket *k, uint64_t below, double weight)
{
	struct tape_inflight_pair *v = b->pairs + k->at;
	size_t i = 0;

	if (!k->sorted)
		tape_inflight_sort(v, b->spare + k->at, k->n);
	k->sorted = true;
	below += v[0].value;
	while (i + 1 < k->n && (double)below < weight)
		below += v[++i].value;
	return v[i].key;
}

/* The bucket in which a level lies, and how much lies below that. */
static struct bucket *
find(struct buckets *b, double weight, uint64_t *below)
{
	struct bucket *last = &b->v[0];

	*below = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct bucket *k = &b->v[i];

		if (k->n == 0)
			continue;
		if (k != last)
			*below += last->weight;
		last = k;
		if ((double)(*below + k->weight) >= weight)
			break;
	}
	return last;
}

enum tape_status
tape_inflight_levels(const struct tape_inflight_pairs *pairs,
    struct tape_inflight_level *level, size_t n, struct tape_err *err)
{
	struct buckets b = { .pairs = pairs->scratch, .spare = pairs->v };
	uint64_t below;

	choose_width(&b, pairs);
	b.v = tape_mem_calloc(b.n, sizeof(*b.v));
	if (b.v == NULL)
		return tape_err_nomem(err);
	count_up(&b, pairs->v, pairs->n);
	for (size_t i = 0; i < n; i++)
		find(&b, level[i].weight, &below)->wanted = true;
	copy_wanted(&b, pairs->v, pairs->n);
	for (size_t i = 0; i < n; i++) {
		struct bucket *k = find(&b, level[i].weight, &below);

		level[i].key = find_in(&b, k, below, level[i].weight);
	}
	tape_mem_free(b.v);
	return TAPE_OK;
}
