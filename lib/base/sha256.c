/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, constants and numbers of sections are those of FIPS 180-4.
 */
#include "base/sha256.h"

#include <endian.h>
#include <string.h>

/* Section 4.2.2. */
static const uint32_t k[64] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
	0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
	0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138,
	0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f,
	0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2 };

static uint32_t
rotr(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

/* Section 6.2.2, step 1. */
static void
schedule(uint32_t w[64], const unsigned char *block)
{
	uint32_t s0, s1;
	int t;

	memcpy(w, block, 64);
	for (t = 0; t < 16; t++)
		w[t] = be32toh(w[t]);
	for (; t < 64; t++) {
		s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
		s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
		w[t] = s1 + w[t - 7] + s0 + w[t - 16];
	}
}

/* What steps 3 of section 6.2.2 add to h, and then to d. */
static inline uint32_t
t1(uint32_t e, uint32_t f, uint32_t g)
{
	return (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + (g ^ (e & (f ^ g)));
}

static inline uint32_t
t2(uint32_t a, uint32_t b, uint32_t c)
{
	return (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
	       ((a & b) | (c & (a | b)));
}

/* Section 6.2.2, steps 2 to 4.  The variables are not moved along: v[i] is a
   in the rounds where (t + i) % 8 is 0, b where it is 1, and so on. */
static void
compress(uint32_t state[8], const unsigned char *block)
{
	uint32_t w[64], v[8], *d, *h;
	unsigned t, i;

	schedule(w, block);
	memcpy(v, state, sizeof(v));
	for (t = 0; t < 64; t += 8) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			d = &v[(11 - i) & 7];
			h = &v[(15 - i) & 7];
			*h += k[t + i] + w[t + i] +
			      t1(v[(12 - i) & 7], v[(13 - i) & 7],
				  v[(14 - i) & 7]);
			*d += *h;
			*h +=
			    t2(v[(8 - i) & 7], v[(9 - i) & 7], v[(10 - i) & 7]);
		}
	}
	for (i = 0; i < 8; i++)
		state[i] += v[i];
}

void
tape_sha256_init(struct tape_sha256 *h)
{
	/* Section 5.3.3. */
	static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
		0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memset(h, 0, sizeof(*h));
	memcpy(h->state, first, sizeof(first));
}

void
tape_sha256_add(struct tape_sha256 *h, const void *p, size_t len)
{
	const unsigned char *s = p;
	size_t have = h->bytes % 64, n;

	h->bytes += len;
	if (have > 0) {
		n = len < 64 - have ? len : 64 - have;
		if (n > 0)
			memcpy(h->block + have, s, n);
		if (have + n < 64)
			return;
		compress(h->state, h->block);
		s += n;
		len -= n;
	}
	for (; len >= 64; s += 64, len -= 64)
		compress(h->state, s);
	if (len > 0)
		memcpy(h->block, s, len);
}

/* Padding is section 5.1.1. */
void
tape_sha256_finish(
    struct tape_sha256 *h, unsigned char digest[TAPE_SHA256_BYTES])
{
	static const unsigned char pad[64] = { 0x80 };
	uint64_t bits = htobe64(h->bytes * 8);
	size_t have = h->bytes % 64;
	int i;

	tape_sha256_add(h, pad, have < 56 ? 56 - have : 120 - have);
	tape_sha256_add(h, &bits, sizeof(bits));
	for (i = 0; i < 8; i++)
		h->state[i] = htobe32(h->state[i]);
	memcpy(digest, h->state, TAPE_SHA256_BYTES);
}

char *
tape_sha256_finish_text(struct tape_sha256 *h, char dst[TAPE_SHA256_TEXT])
{
	static const char hex[] = "0123456789abcdef";
	unsigned char digest[TAPE_SHA256_BYTES];
	size_t i;

	tape_sha256_finish(h, digest);
	for (i = 0; i < TAPE_SHA256_BYTES; i++) {
		dst[2 * i] = hex[digest[i] >> 4];
		dst[2 * i + 1] = hex[digest[i] & 15];
	}
	dst[2 * i] = '\0';
	return dst;
}
