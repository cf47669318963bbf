/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_zstd: what stream_in and stream_out share of zstd: recognising a
 * frame, one step of a decoder or an encoder, errors in our words.
 *
 * Internal to codec/stream_*.  The handles are libzstd's own structs.
 */
#ifndef TAPE_CODEC_STREAM_ZSTD_H
#define TAPE_CODEC_STREAM_ZSTD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Frames that ask for a larger window than 2^27 bytes (128 MiB, what
 * `zstd --ultra -22` uses) are refused, so that a few hostile bytes cannot
 * claim the memory.
 */
#define TAPE_ZSTD_WINDOW_LOG 27

/* One step never makes more than this: the largest block of the format. */
#define TAPE_ZSTD_BLOCK ((size_t)128 << 10)

#define TAPE_ZSTD_LEVEL_MIN (-7)
#define TAPE_ZSTD_LEVEL_MAX 22

enum tape_zstd_sniff {
	TAPE_ZSTD_NO,
	TAPE_ZSTD_SHORT, /* too few bytes to tell; never at 4 or more */
	TAPE_ZSTD_YES    /* a frame, or a skippable frame */
};
enum tape_zstd_sniff tape_zstd_sniff(const char *s, size_t len);

/* The bytes of one step; used, made and ended are its results. */
struct tape_zstd_step {
	const char *src;
	size_t src_len;
	char *dst;
	size_t dst_size;
	size_t used;
	size_t made;
	bool ended; /* decoder: frame is complete; encoder: nothing is held */
};

struct ZSTD_DCtx_s;
struct tape_zstd_dec {
	struct ZSTD_DCtx_s *ctx;
	size_t want;         /* bytes that libzstd asks for */
	unsigned window_log; /* frames may ask for 2 to that many bytes */
};

/* Ready for the first frame; a zeroed struct is the state before. */
enum tape_status tape_zstd_dec_open(
    struct tape_zstd_dec *d, struct tape_err *err) TAPE_NODISCARD;

/* The same with another limit on the window. */
enum tape_status tape_zstd_dec_open_window(struct tape_zstd_dec *d,
    unsigned window_log, struct tape_err *err) TAPE_NODISCARD;
void tape_zstd_dec_release(struct tape_zstd_dec *d);

/*
 * Decodes at most one block: libzstd reports an error without what it decoded
 * before it in the same call, and nothing that can be had may be lost.  After
 * an error the decoder is of no further use.
 */
enum tape_status tape_zstd_dec_step(struct tape_zstd_dec *d,
    struct tape_zstd_step *s, struct tape_err *err) TAPE_NODISCARD;

enum tape_zstd_op {
	TAPE_ZSTD_MORE,
	TAPE_ZSTD_FLUSH, /* ends the block: what was fed can be decoded */
	TAPE_ZSTD_END    /* ends the frame, with the checksum */
};

struct ZSTD_CCtx_s;
struct tape_zstd_enc {
	struct ZSTD_CCtx_s *ctx;
};

/* level is one of libzstd's, not 0; TAPE_E_USAGE outside its range. */
enum tape_status tape_zstd_enc_open(
    struct tape_zstd_enc *e, int level, struct tape_err *err) TAPE_NODISCARD;
void tape_zstd_enc_release(struct tape_zstd_enc *e);

/* FLUSH and END are complete when ended is set; call again until then. */
enum tape_status tape_zstd_enc_step(struct tape_zstd_enc *e,
    enum tape_zstd_op op, struct tape_zstd_step *s,
    struct tape_err *err) TAPE_NODISCARD;

#endif
