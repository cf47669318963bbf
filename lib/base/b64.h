/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * b64: base64 of RFC 4648 section 4, with padding, without line breaks.
 */
#ifndef TAPE_BASE_B64_H
#define TAPE_BASE_B64_H

#include "base/buf.h"

/* Appends the text of len bytes.  Returns the buffer's status. */
enum tape_status tape_b64_encode(
    struct tape_buf *dst, const void *p, size_t len);

/*
 * Appends the bytes that the text stands for.  Only what the encoder writes is
 * taken: TAPE_E_FORMAT for any other byte, wrong padding, or bits set in what
 * is padded.  On failure dst holds what it held before.
 */
enum tape_status tape_b64_decode(struct tape_buf *dst, const char *text,
    size_t len, struct tape_err *err) TAPE_NODISCARD;

#endif
