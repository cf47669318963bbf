/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_index.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "codec/stream_in.h"
#include "codec/stream_out.h"
#include "unit/tap.h"

#include <stdlib.h>

#define CAP ((size_t)64 << 20)

/* The example of llmtape-stream(5). */
static const unsigned char vector[] = { 0x5c, 0x2a, 0x4d, 0x18, 0x2c, 0x00,
	0x00, 0x00, 0x01, 0x03, 0x02, 0x04, 0xac, 0x02, 0xbc, 0x05, 0x01, 0x00,
	0x31, 0x6b, 0x64, 0xa7, 0xbd, 0x02, 0x00, 0x72, 0x6b, 0x64, 0xa7, 0xbd,
	0x00, 0x00, 0x80, 0xa5, 0x96, 0x3a, 0x80, 0x9c, 0x9c, 0x39, 0x78, 0x56,
	0x34, 0x12, 0x8b, 0x3c, 0x81, 0xbb, 0x34, 0x00, 0x00, 0x00 };

static void
same_entry(const struct tape_index_entry *a, const struct tape_index_entry *b,
    const char *what)
{
	ok(a->kind == b->kind && a->has_id == b->has_id &&
		a->has_x == b->has_x && a->has_times == b->has_times &&
		a->id_hash == b->id_hash && a->x == b->x &&
		a->start_ns == b->start_ns && a->end_ns == b->end_ns,
	    "%s", what);
}

static struct tape_index_entry
entry(uint8_t kind, const char *id, int64_t x, int64_t start, int64_t end)
{
	struct tape_index_entry e = { .kind = kind,
		.has_id = true,
		.has_x = true,
		.has_times = end >= start,
		.id_hash = tape_index_hash(id, strlen(id)),
		.x = x };

	if (e.has_times) {
		e.start_ns = start;
		e.end_ns = end;
	}
	return e;
}

static void
build(struct tape_buf *out, const struct tape_index *head,
    const struct tape_index_entry *v, size_t n)
{
	struct tape_index_rows rows;

	tape_index_rows_init(&rows);
	tape_buf_init(out, CAP);
	for (size_t i = 0; i < n; i++)
		if (tape_index_rows_add(&rows, &v[i]) != TAPE_OK)
			abort();
	if (tape_index_build(head, &rows, out) != TAPE_OK)
		abort();
	tape_index_rows_release(&rows);
}

static void
test_vector(void)
{
	const struct tape_index head = { .marks = 3,
		.lines = 4,
		.stored_bytes = 300,
		.text_bytes = 700,
		.first_line = 1,
		.check = 0x12345678 };
	const struct tape_index_entry v[] = {
		entry(1, "r1", 1, 0, -1),
		entry(2, "r1", 1, 1000000, 61000000),
	};
	struct tape_buf b;

	build(&b, &head, v, 2);
	ok(b.len == sizeof(vector) && memcmp(b.data, vector, b.len) == 0,
	    "the example of the manual");
	tape_buf_release(&b);
}

/* The page shows these bytes, 16 a line with a wider gap in the middle. */
static void
test_manual(void)
{
	struct tape_err err = { 0 };
	struct tape_buf text;
	char *page = NULL;
	size_t len = 0;

	tape_buf_init(&text, 1024);
	for (size_t i = 0; i < sizeof(vector); i++)
		(void)tape_buf_add_fmt(&text, "%02x%s", vector[i],
		    i + 1 == sizeof(vector) || i % 16 == 15 ? "\n"
		    : i % 16 == 7                           ? "  "
							    : " ");
	is_int(tape_fdio_slurp("man/llmtape-stream.5", CAP, &page, &len, &err),
	    TAPE_OK, "the manual is read %s", err.text);
	ok(page != NULL && strstr(page, text.data) != NULL,
	    "and shows this example");
	tape_mem_free(page);
	tape_buf_release(&text);
}

static void
test_round_trip(void)
{
	const int64_t far = INT64_C(1) << 60;
	const struct tape_index_entry v[] = {
		entry(1, "", 0, 0, -1),
		entry(2, "a", -1, -far, far),
		entry(15, "b", far, far, far),
		entry(0, "c", -far, INT64_MIN, INT64_MAX),
		entry(3, "d", (INT64_C(7) << 32) + 5, 17, 18),
		{ .kind = 4, .has_x = true, .x = INT64_C(3) << 32 },
		{ .kind = 5, .has_times = true, .start_ns = 5, .end_ns = 5 },
		{ .kind = 6 },
	};
	const size_t n = sizeof(v) / sizeof(v[0]);
	const struct tape_index head = { 0x85, n, UINT64_MAX, 1, 127, 128,
		(uint64_t)1 << 40, 0xfedcba98 };
	struct tape_index got;
	struct tape_index_scan scan;
	struct tape_index_entry e;
	struct tape_err err = { 0 };
	struct tape_buf b;

	build(&b, &head, v, n);
	is_int((int)tape_index_tail(b.data + b.len - 4), (int)b.len,
	    "its end says how long it is");
	is_int(tape_index_parse(b.data, b.len, &got, &scan, &err), TAPE_OK,
	    "it is parsed %s", err.text);
	ok(memcmp(&got, &head, sizeof(got)) == 0, "as a whole");
	for (size_t i = 0; i < n; i++) {
		is_int(tape_index_next(&scan, &e, &err), TAPE_OK, "an entry");
		same_entry(&e, &v[i], "as it was");
	}
	is_int(tape_index_next(&scan, &e, &err), TAPE_EOF, "and no more");
	is_int(tape_index_next(&scan, &e, &err), TAPE_EOF, "still");
	tape_buf_release(&b);
}

/* Sets the sum right again. */
static void
mend(struct tape_buf *b)
{
	const uint32_t sum = tape_index_hash(b->data, b->len - 8);

	for (int i = 0; i < 4; i++)
		b->data[b->len - 8 + (size_t)i] = (char)(sum >> 8 * i);
}

/* Reads all that is there: its end. */
static enum tape_status
read_all(const struct tape_buf *b, size_t len)
{
	struct tape_index head;
	struct tape_index_scan scan;
	struct tape_index_entry e;
	enum tape_status st;

	st = tape_index_parse(b->data, len, &head, &scan, NULL);
	while (st == TAPE_OK)
		st = tape_index_next(&scan, &e, NULL);
	return st;
}

static void
test_damage(void)
{
	const struct tape_index head = { .lines = 9 };
	const struct tape_index_entry v[] = {
		entry(1, "r1", 1, 0, -1),
		entry(2, "r1", 1, 1000000, 61000000),
	};
	struct tape_buf b;
	int taken = 0;

	build(&b, &head, v, 2);
	is_int(read_all(&b, b.len), TAPE_EOF, "a whole one");
	for (size_t i = 0; i < b.len; i++) {
		b.data[i] ^= 0x10;
		taken += read_all(&b, b.len) != TAPE_E_FORMAT;
		b.data[i] ^= 0x10;
		taken += read_all(&b, i) != TAPE_E_FORMAT;
	}
	is_int(taken, 0, "one with a wrong byte, or cut, is refused");
	b.data[8] = 2;
	mend(&b);
	is_int(read_all(&b, b.len), TAPE_E_VERSION, "a newer version");
	b.data[8] = 1;
	b.data[10] = 1;
	mend(&b);
	is_int(read_all(&b, b.len), TAPE_E_FORMAT, "fewer entries than rows");
	b.data[10] = 3;
	mend(&b);
	is_int(read_all(&b, b.len), TAPE_E_FORMAT, "more entries than rows");
	is_int((int)tape_index_tail("\x1b\0\0\0"), 0, "too short to be one");
	is_int((int)tape_index_tail("\1\0\x40\0"), 0, "too long to be one");
	tape_buf_release(&b);
}

/* Files: what is written there. */

static struct tape_out *
open_file(struct tape_buf *b, const struct tape_out_opts *opts)
{
	struct tape_out *out;

	tape_buf_init(b, CAP);
	if (tape_out_open_buf(&out, b, opts, NULL) != TAPE_OK)
		abort();
	return out;
}

static void
put(struct tape_out *out, int i, bool noted)
{
	char line[64], id[16];
	struct tape_index_entry e;
	int len = snprintf(line, sizeof(line), "line %d %x\n", i, i * 7919);

	(void)snprintf(id, sizeof(id), "r%d", i);
	e = entry(2, id, i, 10 * i, 10 * i + 7);
	if (noted)
		tape_out_note(out, &e);
	if (tape_out_write(out, line, (size_t)len, NULL) != TAPE_OK)
		abort();
}

struct walk {
	int groups;
	uint64_t lines, entries, text;
	bool wrong;
};

/* From the end to the begin: every byte is in a group or an index frame, and
   each index frame knows the one before it. */
static struct walk
walk_back(const struct tape_buf *b)
{
	struct walk w = { 0 };
	struct tape_index head;
	struct tape_index_scan scan;
	size_t pos = b->len, len, at, before = 0;
	uint64_t next_line = 0;

	while (pos > 0 && !w.wrong) {
		len = pos < 4 ? 0 : tape_index_tail(b->data + pos - 4);
		at = pos - len;
		if (len == 0 || len > pos ||
		    tape_index_parse(b->data + at, len, &head, &scan, NULL) !=
			TAPE_OK ||
		    head.stored_bytes > at || head.stored_bytes < 4 ||
		    memcmp(&b->data[at - 4], &b->data[pos - 12], 4) != 0 ||
		    (w.groups > 0 &&
			(before != at ||
			    head.first_line + head.lines != next_line))) {
			w.wrong = true;
			break;
		}
		before = at - (size_t)head.back_bytes;
		next_line = head.first_line;
		pos = at - (size_t)head.stored_bytes;
		w.wrong = (head.back_bytes == 0) != (pos == 0) ||
			  (next_line == 1) != (pos == 0);
		w.groups++;
		w.lines += head.lines;
		w.entries += head.entries;
		w.text += head.text_bytes;
	}
	return w;
}

static int
count_lines(const struct tape_buf *b, uint64_t *text)
{
	struct tape_in *in;
	const char *line;
	size_t len;
	int n = 0;

	*text = 0;
	if (tape_in_open_mem(&in, b->data, b->len, "mem", NULL) != TAPE_OK)
		abort();
	while (tape_in_line(in, &line, &len, NULL) == TAPE_OK) {
		*text += len + 1;
		n++;
	}
	tape_in_free(in);
	return n;
}

static void
check_file(struct tape_buf *b, int lines, uint64_t entries, int groups)
{
	const struct walk w = walk_back(b);
	uint64_t text;

	ok(!w.wrong, "the file is walked from its end");
	is_int(count_lines(b, &text), lines, "a reader sees the lines only");
	is_int(w.lines, lines, "which are counted");
	is_int(w.entries, entries, "with their entries");
	is_int(w.text, text, "and their text");
	if (groups > 0)
		is_int(w.groups, groups, "in so many groups");
}

static void
test_groups(void)
{
	const struct tape_out_opts opts = { .level = 1, .index = true };
	struct tape_buf b;
	struct tape_out *out = open_file(&b, &opts);
	int i = 0;

	put(out, i++, false);
	(void)!tape_out_end_frame(out, NULL);
	put(out, i++, true);
	(void)!tape_out_end_frame(out, NULL);
	(void)!tape_out_end_frame(out, NULL);
	put(out, i++, false);
	(void)!tape_out_end_frame(out, NULL);
	tape_out_mark(out, TAPE_INDEX_ENDS);
	put(out, i++, false);
	(void)!tape_out_end_frame(out, NULL);
	put(out, i++, false);
	(void)!tape_out_flush(out, NULL);
	put(out, i++, false);
	is_int(tape_out_close(out, NULL), TAPE_OK, "written");
	check_file(&b, i, 1, 3);
	tape_buf_release(&b);
}

/* Many: frames end by their text, and by what an index holds. */
static void
test_many(void)
{
	struct tape_out_opts opts = {
		.level = 1, .index = true, .frame_bytes = 20000
	};
	struct tape_buf b, joined;
	struct tape_out *out = open_file(&b, &opts);

	for (int i = 0; i < 20000; i++)
		put(out, i, i % 3 == 0);
	is_int(tape_out_close(out, NULL), TAPE_OK, "many lines");
	check_file(&b, 20000, 6667, 0);
	opts.frame_bytes = 0;
	out = open_file(&joined, &opts);
	for (int i = 0; i < TAPE_INDEX_MAX_ENTRIES + 10; i++)
		put(out, i, true);
	is_int(tape_out_close(out, NULL), TAPE_OK, "more than one index has");
	check_file(&joined, TAPE_INDEX_MAX_ENTRIES + 10,
	    TAPE_INDEX_MAX_ENTRIES + 10, 2);
	(void)tape_buf_add(&joined, b.data, b.len);
	ok(!walk_back(&b).wrong, "two files behind each other");
	tape_buf_release(&b);
	tape_buf_release(&joined);
}

static void
test_without(void)
{
	const struct tape_out_opts plain = { .index = true };
	const struct tape_out_opts none = { .level = 1 };
	struct tape_buf a, b;
	struct tape_out *out = open_file(&a, &plain);

	put(out, 1, true);
	is_int(tape_out_close(out, NULL), TAPE_OK, "plain text");
	is_str(a.data, "line 1 1eef\n", "has no index");
	out = open_file(&b, &none);
	put(out, 1, true);
	tape_out_mark(out, TAPE_INDEX_ENDS);
	is_int(tape_out_close(out, NULL), TAPE_OK, "a stream for a pipe");
	ok(walk_back(&b).groups == 0 && memchr(b.data, 0x5c, b.len) == NULL,
	    "has none either");
	tape_buf_release(&a);
	tape_buf_release(&b);
}

/* What cannot be kept is said to be lacking; the text is whole. */
static void
test_partial(void)
{
	const struct tape_out_opts opts = { .level = 1, .index = true };
	struct tape_index_entry e = entry(TAPE_INDEX_KIND_MAX, "r", 1, 0, 1);
	struct tape_index head;
	struct tape_index_scan scan;
	struct tape_buf b;
	struct tape_out *out = open_file(&b, &opts);
	size_t len;

	e.kind++;
	tape_out_note(out, &e);
	put(out, 1, true);
	is_int(tape_out_close(out, NULL), TAPE_OK, "an entry that is none");
	len = tape_index_tail(b.data + b.len - 4);
	is_int(tape_index_parse(b.data + b.len - len, len, &head, &scan, NULL),
	    TAPE_OK, "an index");
	is_int(head.marks, TAPE_INDEX_PARTIAL, "is not whole");
	is_int(head.entries, 1, "and has the rest");
	tape_buf_release(&b);
}

static void
test_no_memory(void)
{
	const struct tape_out_opts opts = { .level = 1, .index = true };
	enum tape_status st = TAPE_E_NOMEM;
	struct tape_out *out;
	struct tape_buf b;
	uint64_t nth, text, made = 1;
	int wrong = 0, lost = 0;

	tape_buf_init(&b, CAP);
	if (tape_buf_reserve(&b, 65536) != TAPE_OK)
		abort();
	for (nth = 1; nth < 50 && made >= nth - 1; nth++) {
		tape_buf_clear(&b);
		(void)tape_mem_fail_at(nth);
		st = tape_out_open_buf(&out, &b, &opts, NULL);
		if (st == TAPE_OK) {
			put(out, 1, true);
			st = tape_out_close(out, NULL);
			wrong += st != TAPE_OK;
		}
		made = tape_mem_fail_at(0);
		if (st == TAPE_OK) {
			wrong += count_lines(&b, &text) != 1;
			lost += walk_back(&b).entries == 0;
		}
	}
	is_int(wrong, 0, "without memory for the index the text is whole");
	ok(lost > 0 && nth > 3 && nth < 50, "and only the index is lacking");
	tape_buf_release(&b);
}

int
main(void)
{
	test_vector();
	test_manual();
	test_round_trip();
	test_damage();
	test_groups();
	test_many();
	test_without();
	test_partial();
	test_no_memory();
	return done_testing();
}
