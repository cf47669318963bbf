/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_index.h"

#include "base/hash.h"

#include <string.h>

#define HEAD_BYTES ((size_t)8)  /* of any skippable frame */
#define TAIL_BYTES ((size_t)12) /* check, sum, length */
#define ROW_MAX    64           /* more than the longest row */

enum row_flag { ROW_ID = 1 << 4, ROW_X = 1 << 5, ROW_TIMES = 1 << 6 };

static uint32_t
fold(uint64_t h)
{
	return (uint32_t)(h ^ h >> 32);
}

uint32_t
tape_index_hash(const void *p, size_t len)
{
	return fold(tape_hash_add(TAPE_HASH_START, p, len));
}

void
tape_index_rows_init(struct tape_index_rows *r)
{
	memset(r, 0, sizeof(*r));
	tape_buf_init(&r->bytes, ROW_MAX * (size_t)TAPE_INDEX_MAX_ENTRIES);
}

void
tape_index_rows_release(struct tape_index_rows *r)
{
	tape_buf_release(&r->bytes);
	tape_index_rows_init(r);
}

void
tape_index_rows_clear(struct tape_index_rows *r)
{
	tape_buf_clear(&r->bytes);
	r->count = 0;
	memset(&r->last, 0, sizeof(r->last));
}

static size_t
put_u32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i & 0xff);
	return 4;
}

static uint32_t
get_u32(const char *p)
{
	uint32_t v = 0;

	for (int i = 3; i >= 0; i--)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

/* Seven bits a byte, the lowest first; the top bit says that more follow. */
static size_t
put_varint(char *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (char)(v & 0x7f) | (char)0x80;
	p[n++] = (char)v;
	return n;
}

/* Differences wrap, so that any two numbers have one. */
static size_t
put_diff(char *p, int64_t v, int64_t from)
{
	const uint64_t d = (uint64_t)v - (uint64_t)from;

	return put_varint(p, d << 1 ^ (d >> 63 ? UINT64_MAX : 0));
}

static int64_t
high(int64_t x)
{
	return x >> 32;
}

static int64_t
low(int64_t x)
{
	return x & INT64_C(0xffffffff);
}

static int64_t
span_of(const struct tape_index_entry *e)
{
	return (int64_t)((uint64_t)e->end_ns - (uint64_t)e->start_ns);
}

enum tape_status
tape_index_rows_add(struct tape_index_rows *r, const struct tape_index_entry *e)
{
	char row[ROW_MAX];
	size_t n = 1;
	struct tape_index_entry last = r->last;
	enum tape_status st;

	if (r->count == TAPE_INDEX_MAX_ENTRIES || e->kind > TAPE_INDEX_KIND_MAX)
		return TAPE_E_LIMIT;
	row[0] =
	    (char)(e->kind | (e->has_id ? ROW_ID : 0) | (e->has_x ? ROW_X : 0) |
		   (e->has_times ? ROW_TIMES : 0));
	if (e->has_id)
		n += put_u32(row + n, e->id_hash);
	if (e->has_x) {
		n += put_diff(row + n, low(e->x), low(last.x));
		n += put_diff(row + n, high(e->x), high(last.x));
		last.x = e->x;
	}
	if (e->has_times) {
		n += put_diff(row + n, e->end_ns, last.end_ns);
		n += put_diff(row + n, span_of(e), span_of(&last));
		last.start_ns = e->start_ns;
		last.end_ns = e->end_ns;
	}
	st = tape_buf_add(&r->bytes, row, n);
	if (st != TAPE_OK)
		return st;
	r->last = last;
	r->count++;
	return TAPE_OK;
}

enum tape_status
tape_index_build(const struct tape_index *head,
    const struct tape_index_rows *rows, struct tape_buf *out)
{
	const uint64_t fields[] = { rows->count, head->lines,
		head->stored_bytes, head->text_bytes, head->first_line,
		head->back_bytes };
	char begin[HEAD_BYTES + 2 + (size_t)10 * 6], tail[TAIL_BYTES];
	size_t n = HEAD_BYTES, len;
	uint64_t sum;

	begin[n++] = TAPE_INDEX_VERSION;
	begin[n++] = (char)head->marks;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		n += put_varint(begin + n, fields[i]);
	len = n + rows->bytes.len + TAIL_BYTES;
	(void)put_u32(begin, TAPE_INDEX_MAGIC);
	(void)put_u32(begin + 4, (uint32_t)(len - HEAD_BYTES));
	(void)put_u32(tail, head->check);
	sum = tape_hash_add(TAPE_HASH_START, begin, n);
	sum = tape_hash_add(sum, rows->bytes.data, rows->bytes.len);
	sum = tape_hash_add(sum, tail, 4);
	(void)put_u32(tail + 4, fold(sum));
	(void)put_u32(tail + 8, (uint32_t)len);
	(void)tape_buf_add(out, begin, n);
	(void)tape_buf_add(out, rows->bytes.data, rows->bytes.len);
	return tape_buf_add(out, tail, TAIL_BYTES);
}

size_t
tape_index_tail(const char last[4])
{
	const size_t len = get_u32(last);

	if (len < TAPE_INDEX_MIN_BYTES || len > TAPE_INDEX_MAX_BYTES)
		return 0;
	return len;
}

static bool
get_varint(const char **p, const char *end, uint64_t *v)
{
	unsigned char c;

	*v = 0;
	for (unsigned shift = 0; shift < 64 && *p < end; shift += 7) {
		c = (unsigned char)*(*p)++;
		*v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return true;
	}
	return false;
}

static bool
get_diff(const char **p, const char *end, int64_t *v, int64_t from)
{
	uint64_t d;

	if (!get_varint(p, end, &d))
		return false;
	d = d >> 1 ^ (d & 1 ? UINT64_MAX : 0);
	*v = (int64_t)((uint64_t)from + d);
	return true;
}

static bool
get_head(struct tape_index_scan *s, struct tape_index *head)
{
	head->marks = (unsigned char)s->p[1];
	s->p += 2;
	return get_varint(&s->p, s->end, &head->entries) &&
	       get_varint(&s->p, s->end, &head->lines) &&
	       get_varint(&s->p, s->end, &head->stored_bytes) &&
	       get_varint(&s->p, s->end, &head->text_bytes) &&
	       get_varint(&s->p, s->end, &head->first_line) &&
	       get_varint(&s->p, s->end, &head->back_bytes) &&
	       head->entries <= TAPE_INDEX_MAX_ENTRIES;
}

enum tape_status
tape_index_parse(const char *p, size_t len, struct tape_index *head,
    struct tape_index_scan *scan, struct tape_err *err)
{
	const char *const tail = p + len - TAIL_BYTES;

	memset(head, 0, sizeof(*head));
	memset(scan, 0, sizeof(*scan));
	if (len < TAPE_INDEX_MIN_BYTES || len > TAPE_INDEX_MAX_BYTES ||
	    get_u32(p) != TAPE_INDEX_MAGIC ||
	    get_u32(p + 4) != len - HEAD_BYTES || get_u32(tail + 8) != len)
		return tape_err_set(err, TAPE_E_FORMAT, "not an index frame");
	if (tape_index_hash(p, len - 8) != get_u32(tail + 4))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "an index frame fails its checksum");
	if (p[HEAD_BYTES] != TAPE_INDEX_VERSION)
		return tape_err_set(err, TAPE_E_VERSION,
		    "an index frame of version %d",
		    (unsigned char)p[HEAD_BYTES]);
	scan->p = p + HEAD_BYTES;
	scan->end = tail;
	if (!get_head(scan, head))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "an index frame is damaged");
	head->check = get_u32(tail);
	scan->left = head->entries;
	return TAPE_OK;
}

enum tape_status
tape_index_next(
    struct tape_index_scan *s, struct tape_index_entry *e, struct tape_err *err)
{
	unsigned char flags;
	int64_t lo = 0, hi = 0, span = 0;
	bool good = true;

	if (s->left == 0 && s->p == s->end)
		return TAPE_EOF;
	memset(e, 0, sizeof(*e));
	if (s->left == 0 || s->p == s->end)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "an index frame is damaged");
	flags = (unsigned char)*s->p++;
	e->kind = flags & 0xf;
	e->has_id = (flags & ROW_ID) != 0;
	e->has_x = (flags & ROW_X) != 0;
	e->has_times = (flags & ROW_TIMES) != 0;
	if (e->has_id) {
		good = s->end - s->p >= 4;
		e->id_hash = good ? get_u32(s->p) : 0;
		s->p += good ? 4 : 0;
	}
	if (good && e->has_x) {
		good = get_diff(&s->p, s->end, &lo, low(s->last.x)) &&
		       get_diff(&s->p, s->end, &hi, high(s->last.x));
		e->x = (int64_t)((uint64_t)hi << 32 | (uint64_t)low(lo));
		s->last.x = e->x;
	}
	if (good && e->has_times) {
		good = get_diff(&s->p, s->end, &e->end_ns, s->last.end_ns) &&
		       get_diff(&s->p, s->end, &span, span_of(&s->last));
		e->start_ns = (int64_t)((uint64_t)e->end_ns - (uint64_t)span);
		s->last.start_ns = e->start_ns;
		s->last.end_ns = e->end_ns;
	}
	if (!good)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "an index frame is damaged");
	s->left--;
	return TAPE_OK;
}
