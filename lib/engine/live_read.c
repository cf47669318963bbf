/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/live_read.h"

#include "base/mem.h"

#define CHUNK ((size_t)64 << 10)

static void
on_read(void *arg, size_t bytes)
{
	struct tape_live_read *r = arg;
	const int64_t now_ns = tape_clock_now_ns(r->clock);

	if (r->bytes_read == 0)
		r->first_ns = now_ns;
	r->bytes_read += bytes;
	if (tape_mem_grow((void **)&r->marks, &r->marks_cap, r->marks_n + 1,
		sizeof(*r->marks)) != 0) {
		r->out_of_memory = true;
		return;
	}
	r->marks[r->marks_n].end = r->bytes_read;
	r->marks[r->marks_n++].t_ns = now_ns;
}

void
tape_live_read_init(struct tape_live_read *r, const struct tape_clock *clock,
    struct tape_in *in)
{
	memset(r, 0, sizeof(*r));
	r->first_ns = INT64_MIN;
	r->clock = clock;
	r->in = in;
	tape_in_set_stamp(in, on_read, r);
}

void
tape_live_read_release(struct tape_live_read *r)
{
	if (r->in != NULL)
		tape_in_set_stamp(r->in, NULL, NULL);
	tape_mem_free(r->marks);
	memset(r, 0, sizeof(*r));
}

/* Feeds bytes in the pieces in which they were read. */
static enum tape_status
feed(struct tape_live_read *r, struct tape_live *l, const char *p, size_t len,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;
	size_t i = 0, n;

	if (r->out_of_memory || r->marks_n == 0)
		return tape_err_nomem(err);
	while (len > 0 && st == TAPE_OK) {
		while (i + 1 < r->marks_n && r->marks[i].end <= r->bytes_fed)
			i++;
		n = len;
		if (i + 1 < r->marks_n && r->marks[i].end - r->bytes_fed < n)
			n = (size_t)(r->marks[i].end - r->bytes_fed);
		st = tape_live_feed(l, p, n, r->marks[i].t_ns, err);
		p += n;
		len -= n;
		r->bytes_fed += n;
	}
	memmove(r->marks, r->marks + i, (r->marks_n - i) * sizeof(*r->marks));
	r->marks_n -= i;
	return st;
}

enum tape_status
tape_live_read_all(
    struct tape_live_read *r, struct tape_live *l, struct tape_err *err)
{
	char *bytes = tape_mem_realloc(NULL, CHUNK, 1);
	enum tape_status st = bytes == NULL ? tape_err_nomem(err) : TAPE_OK;
	size_t n;

	while (st == TAPE_OK) {
		st = tape_in_read(r->in, bytes, CHUNK, &n, err);
		if (st == TAPE_OK)
			st = feed(r, l, bytes, n, err);
	}
	tape_mem_free(bytes);
	if (st == TAPE_EOF)
		st = tape_live_finish(l, err);
	if (st != TAPE_OK)
		(void)tape_err_at(err, tape_in_name(r->in), 0);
	return st;
}
