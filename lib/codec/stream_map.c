/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_map.h"

#include "base/fdio.h"
#include "base/mem.h"

#include <string.h>
#include <sys/stat.h>

#define WINDOW       ((size_t)1 << 20)
#define SEARCH_BYTES ((uint64_t)1 << 30)

/* Puts the bytes from there into b; TAPE_E_FORMAT when there are not so many. */
static enum tape_status
fetch(const struct tape_map *m, struct tape_buf *b, uint64_t at, size_t len,
    struct tape_err *err)
{
	size_t got;
	enum tape_status st;

	tape_buf_clear(b);
	if (tape_buf_reserve(b, len) != TAPE_OK)
		return tape_buf_status(b, err);
	st = tape_fdio_pread(m->fd, b->data, len, at, &got, err);
	if (st == TAPE_OK && got < len)
		st = tape_err_set(err, TAPE_E_FORMAT, "the file got shorter");
	b->len = st == TAPE_OK ? len : 0;
	return st;
}

/*
 * The index frame that ends there, and stands behind what it is about.
 * TAPE_E_FORMAT or _VERSION when none does.
 */
static enum tape_status
index_before(struct tape_map *m, uint64_t end, struct tape_index *head,
    struct tape_index_scan *scan, size_t *len, struct tape_err *err)
{
	uint32_t check = 0;
	enum tape_status st;

	if (end < TAPE_INDEX_MIN_BYTES + 4)
		return tape_err_set(err, TAPE_E_FORMAT, "no room for an index");
	st = fetch(m, &m->frame, end - 4, 4, err);
	if (st != TAPE_OK)
		return st;
	*len = tape_index_tail(m->frame.data);
	if (*len == 0 || *len + 4 > end)
		return tape_err_set(err, TAPE_E_FORMAT, "no index ends here");
	/* With the four bytes before it, which it knows. */
	st = fetch(m, &m->frame, end - *len - 4, *len + 4, err);
	if (st == TAPE_OK)
		st = tape_index_parse(m->frame.data + 4, *len, head, scan, err);
	if (st != TAPE_OK)
		return st;
	for (int i = 3; i >= 0; i--)
		check = check << 8 | (unsigned char)m->frame.data[i];
	if (head->check != check || head->stored_bytes < 4 ||
	    head->stored_bytes > end - *len)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "an index of something else");
	return TAPE_OK;
}

/* A failure of the system, not of what stands in the file. */
static bool
is_fatal(enum tape_status st)
{
	return st == TAPE_E_IO || st == TAPE_E_NOMEM;
}

/* A candidate at p, of which n bytes are there; its length or 0. */
static size_t
length_at(const char *p, size_t n)
{
	static const char magic[4] = { 0x5c, 0x2a, 0x4d, 0x18 };
	uint32_t len = 0;

	if (n < 8 || memcmp(p, magic, 4) != 0)
		return 0;
	for (int i = 7; i >= 4; i--)
		len = len << 8 | (unsigned char)p[i];
	return len > TAPE_INDEX_MAX_BYTES ? 0 : (size_t)len + 8;
}

/* Looks for an index frame in the window, from its end; *end is where it ends,
   0 when there is none. */
static enum tape_status
search_window(struct tape_map *m, uint64_t from, uint64_t limit, uint64_t *end,
    struct tape_err *err)
{
	struct tape_index head;
	struct tape_index_scan scan;
	struct tape_err why;
	enum tape_status st = TAPE_OK;
	size_t len, same;

	for (size_t i = m->window.len; i-- > 0;) {
		len = length_at(m->window.data + i, m->window.len - i);
		if (len == 0 || from + i + len > limit)
			continue;
		if (len > m->search_left)
			break;
		m->search_left -= len;
		memset(&why, 0, sizeof(why));
		st = index_before(m, from + i + len, &head, &scan, &same, &why);
		if (is_fatal(st)) {
			*err = why;
			return st;
		}
		if (st == TAPE_OK && same == len) {
			*end = from + i + len;
			return TAPE_OK;
		}
	}
	return TAPE_OK;
}

/* Where the last index frame before limit ends, or 0. */
static enum tape_status
search(struct tape_map *m, uint64_t limit, uint64_t *end, struct tape_err *err)
{
	uint64_t top = limit, from;
	enum tape_status st = TAPE_OK;

	*end = 0;
	while (top > 0 && *end == 0 && st == TAPE_OK) {
		from = top > WINDOW ? top - WINDOW : 0;
		if (m->search_left < top - from)
			return TAPE_OK;
		m->search_left -= top - from;
		st = fetch(m, &m->window, from, (size_t)(top - from), err);
		if (st == TAPE_OK)
			st = search_window(m, from, limit, end, err);
		/* What the window cut is looked at again. */
		top = from > 0 ? from + 7 : 0;
	}
	return st;
}

static enum tape_status
add(struct tape_map *m, const struct tape_map_part *part, struct tape_err *err)
{
	if (tape_mem_grow((void **)&m->v, &m->cap, m->n + 1, sizeof(*m->v)) !=
	    0)
		return tape_err_nomem(err);
	m->v[m->n++] = *part;
	m->indexed += part->index_bytes > 0;
	return TAPE_OK;
}

/* Adds the part that ends at *pos, and moves *pos to its begin. */
static enum tape_status
step_back(struct tape_map *m, uint64_t *pos, struct tape_map_visitor visitor,
    struct tape_err *err)
{
	struct tape_map_part part = { 0 };
	struct tape_index head;
	struct tape_index_scan scan;
	struct tape_err why = { 0 };
	enum tape_status st;
	size_t len = 0;

	st = index_before(m, *pos, &head, &scan, &len, &why);
	if (is_fatal(st)) {
		*err = why;
		return st;
	}
	if (st == TAPE_OK) {
		part.bytes = head.stored_bytes;
		part.lines = head.lines;
		part.index_bytes = (uint32_t)len;
		part.marks = (uint8_t)head.marks;
		part.at = *pos - len - part.bytes;
		part.wanted = visitor.visit != NULL &&
			      visitor.visit(visitor.arg, &head, &scan);
	} else {
		st = search(m, *pos, &part.at, err);
		if (st != TAPE_OK)
			return st;
		part.bytes = *pos - part.at;
	}
	*pos = part.at;
	return add(m, &part, err);
}

static void
reverse(struct tape_map *m)
{
	struct tape_map_part t;

	for (size_t i = 0, j = m->n; i + 1 < j; i++) {
		t = m->v[i];
		m->v[i] = m->v[--j];
		m->v[j] = t;
	}
}

enum tape_status
tape_map_open(struct tape_map *m, int fd, struct tape_map_visitor visitor,
    struct tape_err *err)
{
	struct tape_map_part whole = { 0 };
	enum tape_status st = TAPE_OK;
	struct stat sb;
	uint64_t pos;

	memset(m, 0, sizeof(*m));
	m->fd = fd;
	m->search_left = SEARCH_BYTES;
	tape_buf_init(&m->frame, TAPE_INDEX_MAX_BYTES + 4);
	tape_buf_init(&m->window, WINDOW);
	if (fstat(fd, &sb) != 0)
		return tape_err_set(err, TAPE_E_IO, "cannot ask for its size");
	m->size = (uint64_t)sb.st_size;
	pos = m->size;
	while (pos > 0 && m->n < TAPE_MAP_MAX && st == TAPE_OK)
		st = step_back(m, &pos, visitor, err);
	if (pos > 0) {
		m->n = m->indexed = 0;
		whole.bytes = m->size;
		if (st == TAPE_OK)
			st = add(m, &whole, err);
	}
	reverse(m);
	return st;
}

void
tape_map_release(struct tape_map *m)
{
	tape_mem_free(m->v);
	tape_buf_release(&m->frame);
	tape_buf_release(&m->window);
}

enum tape_status
tape_map_index(struct tape_map *m, size_t i, struct tape_index *head,
    struct tape_index_scan *scan, struct tape_err *err)
{
	const struct tape_map_part *p = &m->v[i];
	enum tape_status st;
	size_t len;

	st = index_before(
	    m, p->at + p->bytes + p->index_bytes, head, scan, &len, err);
	if (st == TAPE_OK && len != p->index_bytes)
		st = tape_err_set(
		    err, TAPE_E_FORMAT, "the file changed while it was read");
	return st;
}
