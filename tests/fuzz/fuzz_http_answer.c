/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_http_answer: any bytes as the answer of a server.  However they are cut,
 * the same must be handed out; what is held stays bounded.  The first byte says
 * whether HEAD was asked, and how the bytes are cut the second time.
 */
#include "base/buf.h"
#include "codec/http.h"
#include "codec/http_answer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool holds)
{
	if (!holds)
		abort();
}

/* Bodies are run together: where they are cut is not promised. */
struct log {
	struct tape_buf text, body;
	size_t at;     /* bytes read up to the end */
	bool good;     /* which was one */
	int order;     /* 0 nothing yet, 1 status, 2 body, 3 end */
	unsigned cuts; /* state of the cutter */
};

static void
note(struct log *l, enum tape_http_kind kind, const struct tape_http_item *item)
{
	switch (kind) {
	case TAPE_HTTP_STATUS:
		require(l->order == 0 && item->status >= 200);
		l->order = 1;
		(void)tape_buf_add_fmt(
		    &l->text, "status %d of %d\n", item->status, item->version);
		break;
	case TAPE_HTTP_FIELD:
		require(l->order == 1 || l->order == 2);
		require(item->name.len > 0);
		(void)tape_buf_add(&l->text, item->name.p, item->name.len);
		(void)tape_buf_add_char(&l->text, '=');
		(void)tape_buf_add(&l->text, item->data.p, item->data.len);
		(void)tape_buf_add_char(&l->text, '\n');
		break;
	case TAPE_HTTP_BODY_BYTES:
		require(l->order == 1 || l->order == 2);
		require(item->data.len > 0);
		l->order = 2;
		(void)tape_buf_add(&l->body, item->data.p, item->data.len);
		break;
	case TAPE_HTTP_END:
		require(l->order == 1 || l->order == 2);
		l->order = 3;
		l->good = true;
		(void)tape_buf_add_str(&l->text, "end\n");
		break;
	case TAPE_HTTP_BAD:
		require(
		    l->order != 3 && item->cause != NULL && item->why != NULL);
		l->order = 3;
		(void)tape_buf_add_fmt(
		    &l->text, "bad %s: %s\n", item->cause, item->why);
		break;
	case TAPE_HTTP_MORE:
	default:
		break;
	}
}

/* The next piece, in memory of its own so that a read beyond it is seen. */
static void
feed(struct tape_http_answer *a, struct log *l, const char *data, size_t n)
{
	char *copy = malloc(n > 0 ? n : 1);
	const char *p = copy;
	struct tape_http_item item;
	enum tape_http_kind kind;

	require(copy != NULL);
	memcpy(copy, data, n);
	do {
		memset(&item, 0, sizeof(item));
		kind = tape_http_answer_next(a, &p, copy + n, &item);
		note(l, kind, &item);
	} while (kind != TAPE_HTTP_MORE && l->order != 3);
	require(kind != TAPE_HTTP_MORE || p == copy + n);
	l->at += (size_t)(p - copy);
	require(a->line.size <= TAPE_HTTP_HEADER_BYTES);
	free(copy);
}

static size_t
cut(struct log *l, size_t left)
{
	size_t n;

	if (l->cuts == 0)
		return left;
	l->cuts = l->cuts * 1103515245U + 12345U;
	n = 1 + (l->cuts >> 16) % 7;
	return n < left ? n : left;
}

static void
run(struct log *l, bool head, unsigned cuts, const char *data, size_t size)
{
	struct tape_http_answer a = { .state = TAPE_HTTP_AT_STATUS };
	struct tape_http_item item;
	size_t at = 0;

	*l = (struct log){ .cuts = cuts };
	tape_buf_init(&l->text, SIZE_MAX / 2);
	tape_buf_init(&l->body, SIZE_MAX / 2);
	tape_http_answer_begin(&a, head);
	while (at < size && l->order != 3) {
		size_t n = cut(l, size - at);

		feed(&a, l, data + at, n);
		at += n;
	}
	if (l->order != 3)
		note(l, tape_http_answer_eof(&a, &item), &item);
	require(l->order == 3);
	(void)tape_buf_add_fmt(
	    &l->text, "keeps %d\n", (int)tape_http_answer_keeps(&a));
	/* Ready for the next one. */
	tape_http_answer_begin(&a, false);
	require(a.line.len == 0 && a.head_bytes == 0);
	tape_http_answer_release(&a);
}

static bool
same(const struct tape_buf *a, const struct tape_buf *b)
{
	return a->len == b->len &&
	       (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log whole, pieces;
	bool head;

	if (size == 0)
		return 0;
	head = (data[0] & 1) != 0;
	run(&whole, head, 0, (const char *)data + 1, size - 1);
	run(&pieces, head, data[0] | 1U, (const char *)data + 1, size - 1);
	require(same(&whole.text, &pieces.text));
	require(same(&whole.body, &pieces.body));
	require(whole.good == pieces.good);
	require(!whole.good || whole.at == pieces.at);
	tape_buf_release(&whole.text);
	tape_buf_release(&whole.body);
	tape_buf_release(&pieces.text);
	tape_buf_release(&pieces.body);
	return 0;
}
