/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buf.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What an empty buffer points to; never written but for its NUL. */
static char empty[1];

void
tape_buf_init(struct tape_buf *b, size_t cap)
{
	memset(b, 0, sizeof(*b));
	b->data = empty;
	b->cap = cap;
}

void
tape_buf_release(struct tape_buf *b)
{
	if (b->data != empty)
		tape_mem_free(b->data);
	tape_buf_init(b, b->cap);
}

void
tape_buf_clear(struct tape_buf *b)
{
	b->len = 0;
	b->status = TAPE_OK;
	if (b->size > 0)
		b->data[0] = '\0';
}

static enum tape_status
fail(struct tape_buf *b, enum tape_status st)
{
	if (b->status == TAPE_OK)
		b->status = st;
	return st;
}

enum tape_status
tape_buf_reserve(struct tape_buf *b, size_t more)
{
	size_t need, size;
	char *p;

	if (b->status != TAPE_OK)
		return b->status;
	if (__builtin_add_overflow(b->len, more, &need) || need > b->cap)
		return fail(b, TAPE_E_LIMIT);
	if (need <= b->size && b->size > 0)
		return TAPE_OK;
	size = b->size < 64 ? 64 : b->size + b->size / 2;
	if (size < need)
		size = need;
	if (size > b->cap)
		size = b->cap;
	p = tape_mem_realloc(b->size > 0 ? b->data : NULL, size + 1, 1);
	if (p == NULL)
		return fail(b, TAPE_E_NOMEM);
	if (b->size == 0)
		p[0] = '\0';
	b->data = p;
	b->size = size;
	return TAPE_OK;
}

enum tape_status
tape_buf_add(struct tape_buf *b, const void *p, size_t len)
{
	enum tape_status st = tape_buf_reserve(b, len);

	if (st != TAPE_OK || len == 0)
		return st;
	memcpy(b->data + b->len, p, len);
	b->len += len;
	b->data[b->len] = '\0';
	return TAPE_OK;
}

enum tape_status
tape_buf_add_str(struct tape_buf *b, const char *s)
{
	return tape_buf_add(b, s, strlen(s));
}

enum tape_status
tape_buf_add_char(struct tape_buf *b, char c)
{
	return tape_buf_add(b, &c, 1);
}

enum tape_status
tape_buf_add_fmt(struct tape_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return fail(b, TAPE_E_BUG);
	if (tape_buf_reserve(b, (size_t)n) != TAPE_OK)
		return b->status;
	if (n == 0)
		return TAPE_OK;
	va_start(ap, fmt);
	(void)vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
	return TAPE_OK;
}

void
tape_buf_consume(struct tape_buf *b, size_t n)
{
	if (n == 0)
		return;
	if (n > b->len)
		n = b->len;
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
	b->data[b->len] = '\0';
}

char *
tape_buf_detach(struct tape_buf *b, size_t *len)
{
	char *p = b->size > 0 ? b->data : NULL;

	if (len != NULL)
		*len = b->len;
	tape_buf_init(b, b->cap);
	return p;
}

enum tape_status
tape_buf_status(const struct tape_buf *b, struct tape_err *err)
{
	if (b->status == TAPE_E_LIMIT)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "larger than the limit of %zu bytes", b->cap);
	if (b->status == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (b->status != TAPE_OK)
		return tape_err_set(err, b->status, "cannot format text");
	return TAPE_OK;
}
