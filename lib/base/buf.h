/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * buf: growable byte buffer with a mandatory ceiling.
 *
 * data is never NULL after init and is always followed by a NUL that len does
 * not count.  A failed append leaves the content as it was and sets status,
 * which stays until clear or release; so a run of appends needs one check, of
 * tape_buf_status, at its end.
 */
#ifndef TAPE_BASE_BUF_H
#define TAPE_BASE_BUF_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Every ceiling of the project stands here and in llmtape-stream(5). */
#define TAPE_CAP_LINE          ((size_t)64 << 20) /* one record */
#define TAPE_CAP_SSE_LINE      ((size_t)16 << 20) /* one line of a stream */
#define TAPE_CAP_SSE_EVENT     ((size_t)32 << 20) /* data of one event */
#define TAPE_CAP_BODY_IN_HAND  ((size_t)64 << 10) /* then a part is written */
#define TAPE_CAP_HEADERS       ((size_t)16 << 10) /* response headers kept */
#define TAPE_CAP_REQUEST       ((size_t)64 << 20) /* one request body */
#define TAPE_CAP_TEXT          ((size_t)64 << 20) /* text of one response */
#define TAPE_CAP_JSON_DEPTH    64                 /* nesting of one value */
#define TAPE_CAP_JSON_KEYS     65536              /* of all open objects */
#define TAPE_CAP_UNPACKED      ((size_t)1 << 30)  /* a compressed answer's */
#define TAPE_CAP_UNPACK_FREE   ((size_t)1 << 20)  /* of which not above */
#define TAPE_CAP_UNPACK_RATIO  256                /* times what came */
#define TAPE_CAP_EVENTS        ((size_t)4 << 20)  /* events of a response */
#define TAPE_CAP_OPEN_PARTS    65536 /* exchanges with parts, while reading */
#define TAPE_CAP_QUEUE_RECORDS 4096  /* finished exchanges not yet written */
#define TAPE_CAP_QUEUE_BYTES   ((size_t)64 << 20) /* and their bodies */

struct tape_buf {
	char *data;
	size_t len;
	size_t size;             /* allocated, without the NUL */
	size_t cap;              /* the ceiling */
	enum tape_status status; /* first failure */
};

/* Sets up an empty buffer that may grow to cap bytes.  Allocates nothing. */
void tape_buf_init(struct tape_buf *b, size_t cap);
void tape_buf_release(struct tape_buf *b);
void tape_buf_clear(struct tape_buf *b); /* keeps the memory */

enum tape_status tape_buf_reserve(struct tape_buf *b, size_t more);
enum tape_status tape_buf_add(struct tape_buf *b, const void *p, size_t len);
enum tape_status tape_buf_add_str(struct tape_buf *b, const char *s);
enum tape_status tape_buf_add_char(struct tape_buf *b, char c);
enum tape_status tape_buf_add_fmt(struct tape_buf *b, const char *fmt, ...)
    TAPE_PRINTF(2, 3);

/* Removes the first n bytes (n <= len). */
void tape_buf_consume(struct tape_buf *b, size_t n);

/* Hands the memory to the caller (tape_mem_free) and empties the buffer;
   NULL when nothing was ever added. */
char *tape_buf_detach(struct tape_buf *b, size_t *len);

/* The first failure since init or clear, put into err too. */
enum tape_status tape_buf_status(
    const struct tape_buf *b, struct tape_err *err) TAPE_NODISCARD;

#endif
