/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sha256: the hash of FIPS 180-4, for naming texts and traces.  Messages are
 * whole bytes, less than 2^61 of them.
 */
#ifndef TAPE_BASE_SHA256_H
#define TAPE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define TAPE_SHA256_BYTES 32
#define TAPE_SHA256_TEXT  65 /* room for the digest in hexadecimal */

struct tape_sha256 {
	uint32_t state[8];
	uint64_t bytes;          /* of the message so far */
	unsigned char block[64]; /* what is not yet a whole block */
};

void tape_sha256_init(struct tape_sha256 *h);
void tape_sha256_add(struct tape_sha256 *h, const void *p, size_t len);

/* The digest of all that was added; h must be initialised again for more. */
void tape_sha256_finish(
    struct tape_sha256 *h, unsigned char digest[TAPE_SHA256_BYTES]);

/* The same as lower-case hexadecimal text.  Returns dst. */
char *tape_sha256_finish_text(
    struct tape_sha256 *h, char dst[TAPE_SHA256_TEXT]);

#endif
