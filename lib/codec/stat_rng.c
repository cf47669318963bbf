/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_rng.h"

#include "base/hash.h"

#include <string.h>

enum {
	ROUNDS = 10,
};

/* Multipliers and key steps of Salmon et al. 2011, table 2. */
static const uint32_t mul[2] = { 0xd2511f53, 0xcd9e8d57 };
static const uint32_t step[2] = { 0x9e3779b9, 0xbb67ae85 };

void
tape_rng_philox(
    const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t c[4], k[2] = { key[0], key[1] };

	memcpy(c, counter, sizeof(c));
	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t a = (uint64_t)mul[0] * c[0];
		const uint64_t b = (uint64_t)mul[1] * c[2];

		c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k[0];
		c[1] = (uint32_t)b;
		c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k[1];
		c[3] = (uint32_t)a;
		k[0] += step[0];
		k[1] += step[1];
	}
	memcpy(out, c, sizeof(c));
}

void
tape_rng_init(struct tape_rng *r, uint64_t seed, uint32_t purpose, uint32_t row,
    uint32_t replicate)
{
	memset(r, 0, sizeof(*r));
	r->key[0] = (uint32_t)seed;
	r->key[1] = (uint32_t)(seed >> 32);
	r->counter[0] = replicate;
	r->counter[2] = row;
	r->counter[3] = purpose;
}

uint32_t
tape_rng_u32(struct tape_rng *r)
{
	if (r->left == 0) {
		tape_rng_philox(r->counter, r->key, r->block);
		r->counter[1]++;
		r->left = 4;
	}
	return r->block[4 - r->left--];
}

uint64_t
tape_rng_u64(struct tape_rng *r)
{
	const uint64_t low = tape_rng_u32(r);

	return (uint64_t)tape_rng_u32(r) << 32 | low;
}

double
tape_rng_double(struct tape_rng *r)
{
	/* 52 bits, not 53: with the half added, 53 would round up to 1. */
	return ((double)(tape_rng_u64(r) >> 12) + 0.5) * 0x1p-52;
}

uint32_t
tape_rng_mulhi(uint32_t u, uint32_t n)
{
	return (uint32_t)((uint64_t)u * n >> 32);
}

uint32_t
tape_rng_below(struct tape_rng *r, uint32_t n)
{
	uint64_t m;
	uint32_t surplus;

	if (n == 0)
		return 0;
	surplus = (0U - n) % n; /* 2^32 mod n: so many words are too many */
	do
		m = (uint64_t)tape_rng_u32(r) * n;
	while ((uint32_t)m < surplus);
	return (uint32_t)(m >> 32);
}

uint32_t
tape_rng_fnv32(const void *p, size_t len)
{
	const unsigned char *s = p;
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < len; i++)
		h = (h ^ s[i]) * 0x01000193;
	return h;
}

uint64_t
tape_rng_fnv64(const void *p, size_t len)
{
	return tape_hash_add(TAPE_HASH_START, p, len);
}
