/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_stream: any bytes as a stream.  Lines and end must be the same in
 * whatever pieces the bytes arrive, whether taken as lines or raw; and what
 * was read, written again compressed, must read the same.
 */
#include "base/buf.h"
#include "base/err.h"
#include "codec/stream_in.h"
#include "codec/stream_out.h"

#include <stdlib.h>
#include <string.h>

/* Text beyond this is not compared: a few bytes can make gigabytes. */
#define TEXT_CAP ((size_t)8 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct chunks {
	struct tape_in *in;
	uint64_t state; /* 0: whole */
};

static void
next_size(void *arg, size_t bytes)
{
	struct chunks *c = arg;

	(void)bytes;
	if (c->state == 0)
		return;
	c->state = c->state * UINT64_C(6364136223846793005) + 1;
	tape_in_set_read_max(c->in, (size_t)(c->state >> 33) % 17 + 1);
}

struct result {
	struct tape_buf text;
	uint64_t lines;
	enum tape_status st;
	char why[320];
};

static void
open_in(struct chunks *c, const void *data, size_t size, uint64_t state)
{
	if (tape_in_open_mem(&c->in, data, size, "fuzz", NULL) != TAPE_OK)
		abort();
	c->state = state;
	tape_in_set_stamp(c->in, next_size, c);
	tape_in_set_line_cap(c->in, (size_t)1 << 20);
	next_size(c, 0);
}

static void
read_lines(struct result *r, const void *data, size_t size, uint64_t state)
{
	struct tape_err err = { 0 };
	struct chunks c;
	const char *line;
	size_t len;

	tape_buf_init(&r->text, TEXT_CAP);
	open_in(&c, data, size, state);
	while ((r->st = tape_in_line(c.in, &line, &len, &err)) == TAPE_OK) {
		if (tape_in_line_no(c.in) == 0 ||
		    memchr(line, '\n', len) != NULL)
			abort();
		if (tape_buf_reserve(&r->text, len + 1) != TAPE_OK)
			break;
		(void)tape_buf_add(&r->text, line, len);
		if (!tape_in_unterminated(c.in))
			(void)tape_buf_add_char(&r->text, '\n');
	}
	r->lines = tape_in_line_no(c.in);
	if (r->st < 0 && err.status != r->st)
		abort();
	memcpy(r->why, err.text, sizeof(r->why));
	tape_in_free(c.in);
}

static void
read_raw(struct result *r, const void *data, size_t size, uint64_t state)
{
	struct tape_err err = { 0 };
	struct chunks c;
	char piece[1000];
	size_t got;

	tape_buf_init(&r->text, TEXT_CAP);
	open_in(&c, data, size, state);
	while ((r->st = tape_in_read(c.in, piece, sizeof(piece), &got, &err)) ==
		   TAPE_OK &&
	       tape_buf_add(&r->text, piece, got) == TAPE_OK)
		if (got == 0)
			abort();
	tape_in_free(c.in);
}

/* Of a damaged block that is not compressed libzstd gives as much as it got
   in one piece, so there only the text before it must be the same. */
static void
same(const struct result *a, const struct result *b)
{
	size_t len = a->text.len < b->text.len ? a->text.len : b->text.len;

	if (a->st != b->st || memcmp(a->text.data, b->text.data, len) != 0)
		abort();
	if (a->st != TAPE_E_FORMAT &&
	    (a->lines != b->lines || a->text.len != b->text.len ||
		strcmp(a->why, b->why) != 0))
		abort();
}

/* Raw bytes have the text of the lines in front, and all of it at the end. */
static void
agrees(const struct result *lines, const struct result *raw)
{
	if (lines->st == TAPE_OK || lines->st == TAPE_E_LIMIT ||
	    raw->st == TAPE_OK)
		return;
	if (raw->st != lines->st || raw->text.len < lines->text.len ||
	    memcmp(raw->text.data, lines->text.data, lines->text.len) != 0 ||
	    (raw->st == TAPE_EOF && raw->text.len != lines->text.len))
		abort();
}

static void
write_again(const struct result *a, uint64_t state)
{
	struct tape_out_opts opts = { .level = 1,
		.frame_bytes = (size_t)(state % 5000) };
	struct tape_buf b;
	struct tape_out *out;
	struct result r;
	size_t at = 0, n;

	tape_buf_init(&b, 2 * TEXT_CAP);
	if (tape_out_open_buf(&out, &b, &opts, NULL) != TAPE_OK)
		abort();
	for (; at < a->text.len; at += n) {
		n = (size_t)(state >> 8) % 3000 + 1;
		n = n < a->text.len - at ? n : a->text.len - at;
		if (tape_out_write(out, a->text.data + at, n, NULL) != TAPE_OK)
			abort();
	}
	if (tape_out_close(out, NULL) != TAPE_OK)
		abort();
	read_raw(&r, b.data, b.len, state);
	if (r.st != TAPE_EOF || r.text.len != a->text.len ||
	    memcmp(r.text.data, a->text.data, r.text.len) != 0)
		abort();
	tape_buf_release(&r.text);
	tape_buf_release(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result whole, pieces, raw;
	uint64_t state = size + 1;

	for (size_t i = 0; i < size; i++)
		state = (state ^ data[i]) * UINT64_C(0x100000001b3);
	state |= 1;
	read_lines(&whole, data, size, 0);
	read_lines(&pieces, data, size, state);
	read_raw(&raw, data, size, state);
	same(&whole, &pieces);
	agrees(&pieces, &raw);
	write_again(&whole, state);
	tape_buf_release(&whole.text);
	tape_buf_release(&pieces.text);
	tape_buf_release(&raw.text);
	return 0;
}
