/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_loop.h"

#include "base/mem.h"

static void
put(struct tape_http *h, size_t at, struct tape_http_xfer *x)
{
	h->heap[at] = x;
	x->heap_at = at;
}

static void
sift_up(struct tape_http *h, size_t at, struct tape_http_xfer *x)
{
	while (at > 0) {
		size_t up = (at - 1) / 2;

		if (h->heap[up]->key_ns <= x->key_ns)
			break;
		put(h, at, h->heap[up]);
		at = up;
	}
	put(h, at, x);
}

static void
sift_down(struct tape_http *h, size_t at, struct tape_http_xfer *x)
{
	for (;;) {
		size_t low = 2 * at + 1;

		if (low >= h->heap_n)
			break;
		if (low + 1 < h->heap_n &&
		    h->heap[low + 1]->key_ns < h->heap[low]->key_ns)
			low++;
		if (h->heap[low]->key_ns >= x->key_ns)
			break;
		put(h, at, h->heap[low]);
		at = low;
	}
	put(h, at, x);
}

bool
tape_http_deadline_reserve(struct tape_http *h)
{
	void *p = h->heap;
	bool fits;

	fits =
	    tape_mem_grow(&p, &h->heap_cap, h->heap_n + 1, sizeof(void *)) == 0;
	h->heap = p;
	return fits;
}

void
tape_http_deadline_add(struct tape_http_xfer *x, int64_t deadline_ns)
{
	struct tape_http *h = x->h;

	x->deadline_ns = x->key_ns = deadline_ns;
	h->heap_n++;
	sift_up(h, h->heap_n - 1, x);
}

void
tape_http_deadline_set(struct tape_http_xfer *x, int64_t deadline_ns)
{
	x->deadline_ns = deadline_ns;
	if (deadline_ns < x->key_ns) {
		x->key_ns = deadline_ns;
		sift_up(x->h, x->heap_at, x);
	}
}

void
tape_http_deadline_remove(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;
	struct tape_http_xfer *last = h->heap[h->heap_n - 1];
	size_t at = x->heap_at;

	h->heap_n--;
	if (last == x)
		return;
	if (last->key_ns < x->key_ns)
		sift_up(h, at, last);
	else
		sift_down(h, at, last);
}

int64_t
tape_http_deadline_next(const struct tape_http *h)
{
	return h->heap_n == 0 ? INT64_MAX : h->heap[0]->key_ns;
}

struct tape_http_xfer *
tape_http_deadline_passed(struct tape_http *h, int64_t now_ns)
{
	while (h->heap_n > 0 && h->heap[0]->key_ns <= now_ns) {
		struct tape_http_xfer *x = h->heap[0];

		if (x->deadline_ns <= now_ns)
			return x;
		x->key_ns = x->deadline_ns;
		sift_down(h, 0, x);
	}
	return NULL;
}
