/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_unpack: any bytes as compressed data, of the coding that the first byte
 * says.  What comes out must be the same for every cutting, up to where it is
 * found to be a bomb, which depends on how far the reader was.
 */
#include "base/buf.h"
#include "codec/stream_unpack.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What came out; only its beginning and a digest are kept. */
struct text {
	size_t len;
	uint64_t digest;
};

static enum tape_status
take(void *user, const char *bytes, size_t len, struct tape_err *err)
{
	struct text *t = user;

	(void)err;
	if (len == 0)
		abort();
	t->len += len;
	for (size_t i = 0; i < len; i++)
		t->digest = (t->digest ^ (unsigned char)bytes[i]) *
			    UINT64_C(0x100000001b3);
	return TAPE_OK;
}

/* Feeds in pieces of at most n bytes, each in a block of its own. */
static enum tape_status
unpack(enum tape_unpack_coding coding, const char *p, size_t len, size_t n,
    struct text *out)
{
	struct tape_unpack u;
	struct tape_err err = { 0 };
	enum tape_status st = TAPE_OK;
	size_t m;

	memset(out, 0, sizeof(*out));
	tape_unpack_init(&u, take, out);
	tape_unpack_clear(&u, coding);
	for (size_t at = 0; at < len && st == TAPE_OK; at += m) {
		char *own;

		m = len - at < n ? len - at : n;
		own = malloc(m);
		if (own == NULL)
			abort();
		memcpy(own, p + at, m);
		st = tape_unpack_feed(&u, own, m, &err);
		free(own);
	}
	if (out->len > TAPE_CAP_UNPACKED + ((size_t)1 << 20) ||
	    (st != TAPE_OK && !u.failed && st != TAPE_E_NOMEM))
		abort();
	tape_unpack_release(&u);
	return st;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum tape_unpack_coding codings[] = { TAPE_UNPACK_GZIP,
		TAPE_UNPACK_DEFLATE, TAPE_UNPACK_ZSTD, TAPE_UNPACK_ZSTD };
	const size_t pieces[] = { 1, 3, 100 };
	struct text whole, cut;
	enum tape_status st, other;

	if (size < 2)
		return 0;
	st = unpack(codings[data[0] % 4], (const char *)data + 1, size - 1,
	    size, &whole);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		other = unpack(codings[data[0] % 4], (const char *)data + 1,
		    size - 1, pieces[i], &cut);
		if (st == TAPE_E_LIMIT || other == TAPE_E_LIMIT)
			continue;
		if (st != other || whole.len != cut.len ||
		    whole.digest != cut.digest)
			abort();
	}
	return 0;
}
