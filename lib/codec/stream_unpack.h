/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_unpack: the content codings of an answer (RFC 9110, 8.4.1), push-wise:
 * compressed bytes go in as they were read, and all that they complete comes
 * out at once, by a callback.
 *
 * gzip and deflate by zlib, zstd by libzstd.  What is called deflate may be a
 * zlib stream, as it should, or without its header, as some send it.  Several
 * members or frames behind each other are one text.
 *
 * Memory: 64 KiB, and what the library needs: 48 KiB for zlib, for zstd the
 * frame's window, of at most 8 MiB (RFC 9659).
 *
 * Errors stick: TAPE_E_FORMAT for damaged data, TAPE_E_LIMIT for a bomb, which
 * is an answer of over TAPE_CAP_UNPACKED bytes, or of over
 * TAPE_CAP_UNPACK_FREE and TAPE_CAP_UNPACK_RATIO times what came; TAPE_E_NOMEM,
 * or what the callback returned.  What came out before an error is good.
 */
#ifndef TAPE_CODEC_STREAM_UNPACK_H
#define TAPE_CODEC_STREAM_UNPACK_H

#include "codec/stream_zstd.h"

#include <stdbool.h>

enum tape_unpack_coding {
	TAPE_UNPACK_NONE, /* no header, or identity */
	TAPE_UNPACK_GZIP,
	TAPE_UNPACK_DEFLATE,
	TAPE_UNPACK_ZSTD,
	TAPE_UNPACK_UNKNOWN /* any other, and several */
};

/* What a value of Content-Encoding names; "" is none. */
enum tape_unpack_coding tape_unpack_find(const char *value);

struct z_stream_s;

struct tape_unpack {
	uint64_t in_bytes; /* of this answer; read only, as are: */
	uint64_t out_bytes;
	bool failed; /* by its data, not by the callback or for memory */
	/* the rest is private */
	enum tape_unpack_coding coding;
	enum tape_status status;
	bool open;    /* the decoder is set up for this answer */
	bool ended;   /* at the end of a member or frame */
	bool has_one; /* the first byte of deflate is kept: */
	char one;
	struct z_stream_s *z;
	struct tape_zstd_dec zstd;
	char *out;
	enum tape_status (*sink)(
	    void *user, const char *bytes, size_t len, struct tape_err *err);
	void *user;
};

/* sink gets what comes out, with user; its bytes are good during the call. */
void tape_unpack_init(struct tape_unpack *u,
    enum tape_status (*sink)(
	void *user, const char *bytes, size_t len, struct tape_err *err),
    void *user);
void tape_unpack_release(struct tape_unpack *u);

/* Ready for another answer, of a coding that is neither NONE nor UNKNOWN. */
void tape_unpack_clear(struct tape_unpack *u, enum tape_unpack_coding coding);

enum tape_status tape_unpack_feed(struct tape_unpack *u, const char *bytes,
    size_t len, struct tape_err *err) TAPE_NODISCARD;

/* Whether the compressed data may end here: nothing came, or it is at the end
   of a member or frame. */
bool tape_unpack_complete(const struct tape_unpack *u);

#endif
