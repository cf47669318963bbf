/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_unpack.h"

#include "base/buf.h"
#include "base/mem.h"

#include <string.h>
#include <strings.h>

#define ZLIB_CONST /* its input is not written to */
#include <zlib.h>

#define OUT_SIZE        ((size_t)64 << 10)
#define ZSTD_WINDOW_LOG 23 /* RFC 9659 */
#define GZIP_WINDOW     (16 + MAX_WBITS)

enum tape_unpack_coding
tape_unpack_find(const char *value)
{
	static const struct {
		const char *name;
		enum tape_unpack_coding coding;
	} names[] = {
		{ "", TAPE_UNPACK_NONE },
		{ "identity", TAPE_UNPACK_NONE },
		{ "gzip", TAPE_UNPACK_GZIP },
		{ "x-gzip", TAPE_UNPACK_GZIP },
		{ "deflate", TAPE_UNPACK_DEFLATE },
		{ "zstd", TAPE_UNPACK_ZSTD },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(value, names[i].name) == 0)
			return names[i].coding;
	return TAPE_UNPACK_UNKNOWN;
}

void
tape_unpack_init(struct tape_unpack *u,
    enum tape_status (*sink)(
	void *user, const char *bytes, size_t len, struct tape_err *err),
    void *user)
{
	memset(u, 0, sizeof(*u));
	u->sink = sink;
	u->user = user;
}

/* What belongs to the decoder of one answer. */
static void
close_decoder(struct tape_unpack *u)
{
	if (u->z != NULL)
		(void)inflateEnd(u->z);
	tape_mem_free(u->z);
	u->z = NULL;
	tape_zstd_dec_release(&u->zstd);
	u->open = false;
}

void
tape_unpack_release(struct tape_unpack *u)
{
	close_decoder(u);
	tape_mem_free(u->out);
	u->out = NULL;
}

void
tape_unpack_clear(struct tape_unpack *u, enum tape_unpack_coding coding)
{
	close_decoder(u);
	u->in_bytes = u->out_bytes = 0;
	u->failed = u->ended = u->has_one = false;
	u->coding = coding;
	u->status = TAPE_OK;
}

static const char *
name_of(const struct tape_unpack *u)
{
	if (u->coding == TAPE_UNPACK_ZSTD)
		return "zstd";
	return u->coding == TAPE_UNPACK_GZIP ? "gzip" : "deflate";
}

static enum tape_status
damaged(struct tape_unpack *u, const char *why, struct tape_err *err)
{
	u->failed = true;
	return tape_err_set(err, TAPE_E_FORMAT,
	    "the answer's %s data is damaged: %s", name_of(u), why);
}

/* Hands out what a step made, unless it is too much for what came. */
static enum tape_status
hand_out(struct tape_unpack *u, size_t made, struct tape_err *err)
{
	u->out_bytes += made;
	if (u->out_bytes > TAPE_CAP_UNPACKED) {
		u->failed = true;
		return tape_err_set(err, TAPE_E_LIMIT,
		    "the answer's %s data unpacks to more than %zu bytes",
		    name_of(u), TAPE_CAP_UNPACKED);
	}
	if (u->out_bytes > TAPE_CAP_UNPACK_FREE &&
	    u->out_bytes / TAPE_CAP_UNPACK_RATIO > u->in_bytes) {
		u->failed = true;
		return tape_err_set(err, TAPE_E_LIMIT,
		    "the answer's %s data unpacks to more than %d times its "
		    "size",
		    name_of(u), TAPE_CAP_UNPACK_RATIO);
	}
	return made > 0 ? u->sink(u->user, u->out, made, err) : TAPE_OK;
}

static void *
z_alloc(void *opaque, unsigned items, unsigned size)
{
	(void)opaque;
	return tape_mem_calloc(items, size);
}

static void
z_free(void *opaque, void *p)
{
	(void)opaque;
	tape_mem_free(p);
}

static enum tape_status
open_z(struct tape_unpack *u, int window_bits, struct tape_err *err)
{
	u->z = tape_mem_calloc(1, sizeof(*u->z));
	if (u->z == NULL)
		return tape_err_nomem(err);
	u->z->zalloc = z_alloc;
	u->z->zfree = z_free;
	if (inflateInit2(u->z, window_bits) != Z_OK) {
		tape_mem_free(u->z);
		u->z = NULL;
		return tape_err_nomem(err);
	}
	return TAPE_OK;
}

static enum tape_status
open_decoder(struct tape_unpack *u, int window_bits, struct tape_err *err)
{
	enum tape_status st;

	if (u->out == NULL)
		u->out = tape_mem_calloc(1, OUT_SIZE);
	if (u->out == NULL)
		return tape_err_nomem(err);
	st = u->coding == TAPE_UNPACK_ZSTD
		 ? tape_zstd_dec_open_window(&u->zstd, ZSTD_WINDOW_LOG, err)
		 : open_z(u, window_bits, err);
	u->open = st == TAPE_OK;
	return st;
}

/* Another member is what gzip allows behind one, and nothing else. */
static enum tape_status
next_member(struct tape_unpack *u, struct tape_err *err)
{
	if (u->coding != TAPE_UNPACK_GZIP)
		return damaged(u, "there is more behind its end", err);
	u->ended = false;
	if (inflateReset(u->z) != Z_OK)
		return tape_err_set(err, TAPE_E_BUG, "cannot reset zlib");
	return TAPE_OK;
}

/* One step of zlib, which goes on as long as it fills the output. */
static enum tape_status
step_z(struct tape_unpack *u, bool *more, struct tape_err *err)
{
	z_stream *z = u->z;
	const unsigned before = z->avail_in;
	enum tape_status st = TAPE_OK;
	size_t made;
	int code;

	if (u->ended && before > 0)
		st = next_member(u, err);
	if (st != TAPE_OK)
		return st;
	z->next_out = (unsigned char *)u->out;
	z->avail_out = OUT_SIZE;
	code = inflate(z, Z_SYNC_FLUSH);
	made = OUT_SIZE - z->avail_out;
	u->in_bytes += before - z->avail_in;
	st = hand_out(u, made, err);
	if (st != TAPE_OK)
		return st;
	if (code == Z_MEM_ERROR)
		return tape_err_nomem(err);
	if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
		return damaged(
		    u, z->msg != NULL ? z->msg : "it needs a dictionary", err);
	u->ended = code == Z_STREAM_END;
	*more = z->avail_in > 0 || (z->avail_out == 0 && !u->ended);
	return TAPE_OK;
}

static enum tape_status
feed_z(
    struct tape_unpack *u, const char *bytes, size_t len, struct tape_err *err)
{
	const size_t most = (size_t)1 << 30; /* of zlib's unsigned */
	enum tape_status st = TAPE_OK;
	bool more;
	size_t n;

	for (; len > 0 && st == TAPE_OK; bytes += n, len -= n) {
		n = len < most ? len : most;
		u->z->next_in = (const unsigned char *)bytes;
		u->z->avail_in = (unsigned)n;
		for (more = true; more && st == TAPE_OK;)
			st = step_z(u, &more, err);
	}
	return st;
}

static enum tape_status
feed_zstd(
    struct tape_unpack *u, const char *bytes, size_t len, struct tape_err *err)
{
	struct tape_zstd_step s = { .src = bytes,
		.src_len = len,
		.dst = u->out,
		.dst_size = OUT_SIZE };
	struct tape_err why = { 0 };
	enum tape_status st, late;

	do {
		st = tape_zstd_dec_step(&u->zstd, &s, &why);
		s.src += s.used;
		s.src_len -= s.used;
		u->in_bytes += s.used;
		u->ended = st == TAPE_OK && s.ended;
		late = hand_out(u, s.made, err);
		if (late != TAPE_OK)
			return late;
	} while (st == TAPE_OK &&
		 (s.src_len > 0 || (s.made == s.dst_size && !s.ended)));
	if (st == TAPE_E_FORMAT || st == TAPE_E_LIMIT) {
		u->failed = true;
		return tape_err_set(
		    err, st, "the answer's zstd data: %s", why.text);
	}
	return st == TAPE_E_NOMEM ? tape_err_nomem(err) : st;
}

/* RFC 1950: the method is 8, and both bytes are a multiple of 31. */
static bool
is_zlib(const unsigned char head[2])
{
	return (head[0] & 0x0f) == 8 && (head[0] * 256 + head[1]) % 31 == 0;
}

/* Deflate, of which two bytes tell what it is. */
static enum tape_status
open_deflate(struct tape_unpack *u, const char **bytes, size_t *len,
    struct tape_err *err)
{
	char head[2];
	enum tape_status st;

	if (!u->has_one) {
		u->has_one = true;
		u->one = **bytes;
		++*bytes;
		--*len;
	}
	if (*len == 0)
		return TAPE_OK;
	head[0] = u->one;
	head[1] = **bytes;
	st = open_decoder(u,
	    is_zlib((const unsigned char *)head) ? MAX_WBITS : -MAX_WBITS, err);
	return st == TAPE_OK ? feed_z(u, head, 1, err) : st;
}

enum tape_status
tape_unpack_feed(
    struct tape_unpack *u, const char *bytes, size_t len, struct tape_err *err)
{
	enum tape_status st = u->status;

	if (st != TAPE_OK)
		return tape_err_set(err, st, "unpacking was stopped before");
	if (len == 0)
		return TAPE_OK;
	if (!u->open)
		st = u->coding == TAPE_UNPACK_DEFLATE
			 ? open_deflate(u, &bytes, &len, err)
			 : open_decoder(u, GZIP_WINDOW, err);
	if (st == TAPE_OK && u->open)
		st = u->coding == TAPE_UNPACK_ZSTD
			 ? feed_zstd(u, bytes, len, err)
			 : feed_z(u, bytes, len, err);
	u->status = st;
	return st;
}

bool
tape_unpack_complete(const struct tape_unpack *u)
{
	return u->ended || (!u->open && !u->has_one);
}
