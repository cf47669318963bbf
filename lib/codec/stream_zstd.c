/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_zstd.h"

#include "codec/stream_out.h"

#include <stdio.h>
#include <string.h>

#include <zstd.h>
#include <zstd_errors.h>

static const unsigned char frame_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
static const unsigned char skip_magic[4] = { 0x50, 0x2a, 0x4d, 0x18 };

/* How many of the first bytes agree, of at most 4. */
static size_t
agree(const unsigned char *p, size_t len, const unsigned char magic[4],
    unsigned char first_mask)
{
	size_t i;

	for (i = 0; i < len && i < 4; i++)
		if ((i == 0 ? p[i] & first_mask : p[i]) != magic[i])
			break;
	return i;
}

enum tape_zstd_sniff
tape_zstd_sniff(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n = agree(p, len, frame_magic, 0xff);

	if (n == 0)
		n = agree(p, len, skip_magic, 0xf0);
	if (n == 4)
		return TAPE_ZSTD_YES;
	return n == len ? TAPE_ZSTD_SHORT : TAPE_ZSTD_NO;
}

static enum tape_status
dec_error(const struct tape_zstd_dec *d, size_t code, struct tape_err *err)
{
	switch ((int)ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return tape_err_nomem(err);
	case ZSTD_error_frameParameter_windowTooLarge:
		return tape_err_set(err, TAPE_E_LIMIT,
		    "compressed data needs a window larger than %u MiB",
		    1U << (d->window_log - 20));
	case ZSTD_error_checksum_wrong:
		return tape_err_set(
		    err, TAPE_E_FORMAT, "compressed data fails its checksum");
	case ZSTD_error_dictionary_wrong:
		return tape_err_set(
		    err, TAPE_E_FORMAT, "compressed data needs a dictionary");
	default:
		return tape_err_set(err, TAPE_E_FORMAT,
		    "compressed data is damaged: %s", ZSTD_getErrorName(code));
	}
}

enum tape_status
tape_zstd_dec_open(struct tape_zstd_dec *d, struct tape_err *err)
{
	return tape_zstd_dec_open_window(d, TAPE_ZSTD_WINDOW_LOG, err);
}

enum tape_status
tape_zstd_dec_open_window(
    struct tape_zstd_dec *d, unsigned window_log, struct tape_err *err)
{
	size_t code;

	d->ctx = ZSTD_createDCtx();
	if (d->ctx == NULL)
		return tape_err_nomem(err);
	d->window_log = window_log;
	code = ZSTD_DCtx_setParameter(
	    d->ctx, ZSTD_d_windowLogMax, (int)window_log);
	if (ZSTD_isError(code)) {
		tape_zstd_dec_release(d);
		return tape_err_set(err, TAPE_E_BUG, "cannot set up zstd: %s",
		    ZSTD_getErrorName(code));
	}
	d->want = ZSTD_initDStream(d->ctx);
	return TAPE_OK;
}

void
tape_zstd_dec_release(struct tape_zstd_dec *d)
{
	(void)ZSTD_freeDCtx(d->ctx);
	memset(d, 0, sizeof(*d));
}

/*
 * What libzstd asks for next is a block and the 3 bytes of the header behind
 * it.  Without these it can do no more than that block.
 */
static size_t
one_block(size_t want)
{
	return want > 3 ? want - 3 : want;
}

enum tape_status
tape_zstd_dec_step(
    struct tape_zstd_dec *d, struct tape_zstd_step *s, struct tape_err *err)
{
	size_t len = one_block(d->want);
	ZSTD_inBuffer in = { s->src, s->src_len < len ? s->src_len : len, 0 };
	ZSTD_outBuffer out = { s->dst, s->dst_size, 0 };
	size_t code = ZSTD_decompressStream(d->ctx, &out, &in);

	s->used = in.pos;
	s->made = out.pos;
	s->ended = code == 0;
	if (ZSTD_isError(code))
		return dec_error(d, code, err);
	d->want = code == 0 ? ZSTD_initDStream(d->ctx) : code;
	return TAPE_OK;
}

enum tape_status
tape_zstd_enc_open(struct tape_zstd_enc *e, int level, struct tape_err *err)
{
	size_t code;

	if (level == 0 || level < TAPE_ZSTD_LEVEL_MIN ||
	    level > TAPE_ZSTD_LEVEL_MAX)
		return tape_err_set(err, TAPE_E_USAGE,
		    "compression level %d is outside %d to %d", level,
		    TAPE_ZSTD_LEVEL_MIN, TAPE_ZSTD_LEVEL_MAX);
	e->ctx = ZSTD_createCCtx();
	if (e->ctx == NULL)
		return tape_err_nomem(err);
	code = ZSTD_CCtx_setParameter(e->ctx, ZSTD_c_compressionLevel, level);
	if (!ZSTD_isError(code))
		code = ZSTD_CCtx_setParameter(e->ctx, ZSTD_c_checksumFlag, 1);
	if (ZSTD_isError(code)) {
		tape_zstd_enc_release(e);
		return tape_err_set(err, TAPE_E_BUG, "cannot set up zstd: %s",
		    ZSTD_getErrorName(code));
	}
	return TAPE_OK;
}

void
tape_zstd_enc_release(struct tape_zstd_enc *e)
{
	(void)ZSTD_freeCCtx(e->ctx);
	memset(e, 0, sizeof(*e));
}

enum tape_status
tape_zstd_enc_step(struct tape_zstd_enc *e, enum tape_zstd_op op,
    struct tape_zstd_step *s, struct tape_err *err)
{
	static const ZSTD_EndDirective dir[] = { ZSTD_e_continue, ZSTD_e_flush,
		ZSTD_e_end };
	ZSTD_inBuffer in = { s->src, s->src_len, 0 };
	ZSTD_outBuffer out = { s->dst, s->dst_size, 0 };
	size_t code = ZSTD_compressStream2(e->ctx, &out, &in, dir[op]);

	s->used = in.pos;
	s->made = out.pos;
	s->ended = code == 0 && in.pos == in.size;
	if (!ZSTD_isError(code))
		return TAPE_OK;
	if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
		return tape_err_nomem(err);
	return tape_err_set(
	    err, TAPE_E_BUG, "cannot compress: %s", ZSTD_getErrorName(code));
}

char *
tape_out_library(char dst[TAPE_OUT_LIBRARY])
{
	(void)snprintf(dst, TAPE_OUT_LIBRARY, "zstd %s", ZSTD_versionString());
	return dst;
}
