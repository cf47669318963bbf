/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding exchanges, with index frames that are right, missing and wrong. */
#include "engine/view_find.h"

#include "base/fdio.h"
#include "codec/stream_map.h"
#include "record/writer.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CAP       ((size_t)64 << 20)
#define EXCHANGES 300

#define WHOLE TAPE_ENDING_COMPLETE
#define CRASH (-1)

/* What reads the answers, and whether the records of runs are there that say
   where their text is. */
static const char *api;

/* Exchange i runs from i ms to i + 5 ms; every tenth has two parts. */
static enum tape_status
put(struct tape_writer *w, enum tape_kind kind, int i, int64_t seq)
{
	static const int64_t t_ns[] = { 1000, 2000 };
	static const int64_t bytes[] = { 3, 3 };
	struct tape_exchange x;
	char id[16], body[32];

	(void)snprintf(id, sizeof(id), "r%d", i);
	(void)snprintf(body, sizeof(body), "%03d%03d", i, (int)seq);
	tape_schema_init(kind, &x);
	x.t.x = i;
	x.t.run = 1 + i % 2;
	x.t.id = tape_str_of(id);
	x.t.api = api != NULL ? tape_str_of(api) : x.t.api;
	x.t.attempt = 1;
	x.t.start_ns = i * INT64_C(1000000);
	if (kind == TAPE_KIND_PART)
		x.seq = seq;
	else
		x.t.end_ns = x.t.start_ns + 5000000;
	if (kind == TAPE_KIND_EXCHANGE && seq > 0)
		x.parts = seq;
	x.reads.t_ns = (struct tape_i64s){ t_ns, 2 };
	x.reads.bytes = (struct tape_i64s){ bytes, 2 };
	x.body = tape_str_of(body);
	return tape_writer_put(w, kind, &x, NULL);
}

static enum tape_status
put_runs(struct tape_writer *w)
{
	static const char *const pointers[] = { "{\"text\":\"/one\"}",
		"{\"text\":\"/two\"}" };
	struct tape_run r;
	enum tape_status st = TAPE_OK;

	for (int i = 0; i < 2 && st == TAPE_OK; i++) {
		tape_schema_init(TAPE_KIND_RUN, &r);
		r.run = i + 1;
		r.at = tape_str_of("start");
		r.pointers = tape_str_of(pointers[i]);
		st = tape_writer_put(w, TAPE_KIND_RUN, &r, NULL);
	}
	return st;
}

static void
put_segment(struct tape_writer *w, int from, int n, int end)
{
	struct tape_header h;
	enum tape_status st;

	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of("2026-03-01T12:00:00.000000000Z");
	h.epoch_mono = tape_str_of("1.000000000");
	h.run_id = tape_str_of("r");
	h.prov = tape_str_of("[]");
	st = tape_writer_header(w, &h, NULL);
	if (st == TAPE_OK && api != NULL)
		st = put_runs(w);
	for (int i = from; i < from + n && st == TAPE_OK; i++) {
		if (i % 10 == 0) {
			st = put(w, TAPE_KIND_PART, i, 0);
			if (st == TAPE_OK)
				st = put(w, TAPE_KIND_PART, i, 1);
		}
		/* The parts of one are some exchanges before its end. */
		if (i % 10 == 7 && i - 7 >= from && st == TAPE_OK)
			st = put(w, TAPE_KIND_EXCHANGE, i - 7, 2);
		if (i % 10 != 0 && st == TAPE_OK)
			st = put(w, TAPE_KIND_EXCHANGE, i, 0);
	}
	if (st == TAPE_OK)
		st = end >= 0 ? tape_writer_end(w, (enum tape_ending)end, NULL)
			      : tape_writer_end_frame(w, NULL);
	if (st != TAPE_OK)
		abort();
}

/* A file of two segments: ids r0 to r299, and from r200 again.  end is how the
   second one ends, or -1: a crash. */
static void
make(struct tape_buf *b, bool index, int end)
{
	const struct tape_out_opts opts = {
		.level = 1, .frame_bytes = 2000, .index = index
	};
	struct tape_writer *w;
	struct tape_out *out;

	tape_buf_init(b, CAP);
	if (tape_out_open_buf(&out, b, &opts, NULL) != TAPE_OK ||
	    tape_writer_open(&w, out, TAPE_FORMAT_WIRE, NULL) != TAPE_OK)
		abort();
	put_segment(w, 0, EXCHANGES, WHOLE);
	put_segment(w, 200, 50, end);
	if (end >= 0)
		(void)!tape_writer_close(w, NULL);
	else
		tape_writer_abort(w);
}

static int
file_of(const void *p, size_t len)
{
	int fd = memfd_create("view", MFD_CLOEXEC);

	if (fd < 0 || tape_fdio_write(fd, p, len, NULL) != TAPE_OK ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

/* What was found, as text: segment:x line records at_start/min/max. */
static enum tape_status
note(void *arg, const struct tape_view_found *f,
    const struct tape_view_crowd *c, struct tape_err *err)
{
	struct tape_buf *b = arg;
	int lines = 0;

	(void)err;
	for (size_t i = 0; i < f->lines.len; i++)
		lines += f->lines.data[i] == '\n';
	(void)tape_buf_add_fmt(b, "%" PRIu64 ":%" PRId64 " %" PRIu64 " %d%s",
	    f->place.segment, f->x, f->line, lines, f->lost ? " lost" : "");
	if (c->known)
		(void)tape_buf_add_fmt(b, " %" PRId64 "/%" PRId64 "/%" PRId64,
		    c->at_start, c->min, c->max);
	for (size_t i = 0; i < c->n && c->v[i].id_len > 0; i++)
		(void)tape_buf_add_fmt(
		    b, " %.*s", (int)c->v[i].id_len, c->ids + c->v[i].id_at);
	if (f->pointers != NULL)
		(void)tape_buf_add_fmt(
		    b, " %s", f->pointers->v[TAPE_API_POINTER_TEXT]);
	(void)tape_buf_add_str(b, ";");
	return tape_buf_status(b, NULL);
}

static const struct tape_view_want nothing = { .x = TAPE_ABSENT_I64,
	.run = TAPE_ABSENT_I64 };

static struct tape_view_findings
find(const struct tape_buf *file, const struct tape_view_want *want,
    bool no_index, struct tape_buf *got)
{
	const int fd = file_of(file->data, file->len);
	const struct tape_view_input in = { fd, "file", no_index };
	struct tape_view_findings r;
	struct tape_err err = { 0 };

	tape_buf_clear(got);
	is_int(tape_view_find(
		   &in, want, (struct tape_view_sink){ note, got }, &r, &err),
	    TAPE_OK, "looked through %s", err.text);
	(void)close(fd);
	return r;
}

/* Asks for each of some ids; all answers in one text. */
static struct tape_view_findings
ask_all(const struct tape_buf *file, bool no_index, struct tape_buf *all)
{
	static const char *const ids[] = { "r0", "r7", "r130", "r200", "r203",
		"r240", "r299" };
	struct tape_view_want want = nothing;
	struct tape_view_findings r = { 0 };
	struct tape_buf got;

	tape_buf_init(&got, CAP);
	tape_buf_clear(all);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		want.id = tape_str_of(ids[i]);
		r = find(file, &want, no_index, &got);
		(void)tape_buf_add_fmt(all, "%s=%s\n", ids[i], got.data);
	}
	tape_buf_release(&got);
	return r;
}

/* Counted by hand: at any time five run, of one moment an end comes before a
   begin, and lines are those of the file. */
static const char answers[] = "r0=1:0 10 3 0/0/4;\n"
			      "r7=1:7 11 1 4/3/4;\n"
			      "r130=1:130 166 3 4/3/4;\n"
			      "r200=1:200 250 3 4/3/4;2:200 372 3 0/0/4;\n"
			      "r203=1:203 246 1 4/3/4;2:203 368 1 3/3/4;\n"
			      "r240=1:240 298 3 4/3/4;2:240 420 3 4/3/4;\n"
			      "r299=1:299 361 1 4/0/4;\n";

static void
test_right(void)
{
	struct tape_view_want want = nothing;
	struct tape_view_findings r;
	struct tape_buf file, plain, got;

	make(&file, true, WHOLE);
	make(&plain, false, WHOLE);
	tape_buf_init(&got, CAP);
	r = ask_all(&file, false, &got);
	is_str(got.data, answers, "by index");
	ok(r.indexed && r.parts > 20 && r.decoded < 5,
	    "a few of its %d parts were decoded", (int)r.parts);
	r = ask_all(&file, true, &got);
	is_str(got.data, answers, "without looking at it");
	ok(!r.indexed, "is what was done");
	r = ask_all(&plain, false, &got);
	is_str(got.data, answers, "of a file without an index");
	want.x = 203;
	want.run = 2;
	r = find(&file, &want, false, &got);
	is_int(r.found, 2, "by x and run");
	want.run = 1;
	r = find(&file, &want, false, &got);
	is_int(r.found, 0, "but not of another run");
	ok(!r.indexed, "which was made sure of");
	want = nothing;
	want.id = tape_str_of("nobody");
	r = find(&file, &want, false, &got);
	ok(r.found == 0 && !r.indexed && r.err.status == TAPE_OK,
	    "what is not there");
	want.id = tape_str_of("r7");
	want.others = true;
	(void)find(&file, &want, false, &got);
	is_str(got.data, "1:7 11 1 4/3/4 r3 r4 r5 r6 r8 r9 r10 r11;",
	    "with the others");
	tape_buf_release(&got);
	tape_buf_release(&file);
	tape_buf_release(&plain);
}

/* Where a run's record says how to read an answer, it is found, too: at the
   begin of the segment. */
static void
test_pointers(void)
{
	struct tape_view_want want = nothing;
	struct tape_view_findings r;
	struct tape_buf file, got;

	api = "raw";
	make(&file, true, WHOLE);
	tape_buf_init(&got, CAP);
	want.id = tape_str_of("r3");
	r = find(&file, &want, false, &got);
	is_str(got.data, "1:3 8 1 3/3/4 /two;", "near the run's record");
	ok(r.indexed, "by index");
	want.id = tape_str_of("r2");
	(void)find(&file, &want, false, &got);
	is_str(got.data, "1:2 7 1 2/2/4 /one;", "of another run");
	want.id = tape_str_of("r203");
	r = find(&file, &want, false, &got);
	is_str(got.data, "1:203 248 1 4/3/4 /two;2:203 372 1 3/3/4 /two;",
	    "far from it");
	ok(!r.indexed && r.found == 2, "by reading all, once");
	tape_buf_release(&file);
	api = "chat";
	make(&file, true, WHOLE);
	r = find(&file, &want, false, &got);
	ok(r.indexed && r.found == 2, "which no dialect needs");
	api = NULL;
	tape_buf_release(&got);
	tape_buf_release(&file);
}

/* The index frames of b: where they begin and end. */
static size_t
frames(const struct tape_buf *b, size_t at[], size_t len[], size_t max)
{
	struct tape_map m;
	struct tape_err err = { 0 };
	const int fd = file_of(b->data, b->len);
	size_t n = 0;

	if (tape_map_open(&m, fd, (struct tape_map_visitor){ NULL, NULL },
		&err) != TAPE_OK)
		abort();
	for (size_t i = 0; i < m.n && n < max; i++) {
		if (m.v[i].index_bytes == 0)
			continue;
		at[n] = (size_t)(m.v[i].at + m.v[i].bytes);
		len[n++] = m.v[i].index_bytes;
	}
	tape_map_release(&m);
	(void)close(fd);
	return n;
}

static void
check(const struct tape_buf *b, const char *what)
{
	struct tape_buf got;

	tape_buf_init(&got, CAP);
	(void)ask_all(b, false, &got);
	is_str(got.data, answers, "%s", what);
	tape_buf_release(&got);
}

static void
copy(struct tape_buf *to, const struct tape_buf *from)
{
	tape_buf_init(to, CAP);
	(void)tape_buf_add(to, from->data, from->len);
}

static void
cut_out(struct tape_buf *b, size_t at, size_t len)
{
	memmove(b->data + at, b->data + at + len, b->len - at - len);
	b->len -= len;
}

/* Frames that are damaged, or not there. */
static void
test_broken(void)
{
	struct tape_buf file, b;
	size_t at[100], len[100], n, i = 4;

	make(&file, true, WHOLE);
	n = frames(&file, at, len, 100);
	ok(n > 20, "%zu index frames", n);
	copy(&b, &file);
	for (size_t k = 0; k < n; k += 3)
		b.data[at[k] + len[k] / 2] ^= 1;
	check(&b, "every third is damaged");
	tape_buf_release(&b);
	copy(&b, &file);
	for (size_t k = n; k-- > 0;)
		if (k % 2 == 1)
			cut_out(&b, at[k], len[k]);
	check(&b, "every second is gone");
	tape_buf_release(&b);
	copy(&b, &file);
	for (size_t k = n; k-- > 1;)
		cut_out(&b, at[k], len[k]);
	check(&b, "only the first is left");
	tape_buf_release(&b);
	copy(&b, &file);
	cut_out(&b, at[n - 1], len[n - 1]);
	check(&b, "only the last is gone");
	tape_buf_release(&b);
	copy(&b, &file);
	while (i < n && len[i] != len[3])
		i++;
	ok(i < n, "two of one length");
	memcpy(b.data + at[3], file.data + at[i], len[3]);
	is_int(frames(&b, at, len, 100), n - 1, "which is seen");
	check(&b, "one is that of other data");
	tape_buf_release(&b);
	tape_buf_release(&file);
}

static void
put_u32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i & 0xff);
}

/* Sets the sum of a frame right again. */
static void
mend(struct tape_buf *b, size_t at, size_t len)
{
	put_u32(b->data + at + len - 8, tape_index_hash(b->data + at, len - 8));
}

/* Frames that lie, with sums that are right. */
static void
test_lies(void)
{
	struct tape_buf file, b;
	size_t at[100], len[100], n;
	char *hash;

	make(&file, true, WHOLE);
	n = frames(&file, at, len, 100);
	copy(&b, &file);
	/* All ids are others. */
	for (size_t i = 0; i < n; i++)
		for (size_t k = at[i] + 20; k + 16 < at[i] + len[i]; k++) {
			hash = b.data + k;
			*hash = (char)(*hash ^ 0x20);
			mend(&b, at[i], len[i]);
		}
	check(&b, "what is hidden is found by reading all");
	tape_buf_release(&b);
	copy(&b, &file);
	/* Other numbers of lines; which a part that is decoded shows. */
	for (size_t i = 0; i < n; i++) {
		b.data[at[i] + 11] ^= 1;
		mend(&b, at[i], len[i]);
	}
	check(&b, "what is decoded tells of a lie");
	tape_buf_release(&b);
	copy(&b, &file);
	for (size_t i = 0; i < n; i++) {
		b.data[at[i] + 9] = 0;
		mend(&b, at[i], len[i]);
	}
	check(&b, "segments that are not marked");
	tape_buf_release(&b);
	copy(&b, &file);
	for (size_t i = 0; i < n; i++) {
		b.data[at[i] + 9] = 3;
		mend(&b, at[i], len[i]);
	}
	check(&b, "segments that are none");
	tape_buf_release(&b);
	tape_buf_release(&file);
}

/* A crash: no end record, and maybe half a frame. */
static void
test_cut(void)
{
	struct tape_view_want want = nothing;
	struct tape_view_findings r;
	struct tape_buf file, got;
	size_t at[100], len[100], n;

	make(&file, true, CRASH);
	tape_buf_init(&got, CAP);
	want.id = tape_str_of("r203");
	r = find(&file, &want, false, &got);
	is_str(got.data, "1:203 246 1 4/3/4;2:203 368 1 3/3/4;",
	    "in a file without an end");
	is_int(r.err.status, TAPE_E_TRUNC, "which is said");
	ok(r.indexed && r.decoded < 5, "by index");
	n = frames(&file, at, len, 100);
	for (int i = 1; i < 40; i += 4) {
		file.len = at[n - 1] + len[n - 1] - (size_t)i;
		r = find(&file, &want, false, &got);
		is_int(r.found, 2, "cut by %d bytes", i);
		is_int(r.err.status, TAPE_E_TRUNC, "which is said");
	}
	want.id = tape_str_of("r240");
	file.len = at[n - 1] - 10;
	r = find(&file, &want, false, &got);
	ok(r.found >= 1 && r.err.status == TAPE_E_TRUNC,
	    "what its last frame had is lost, and that is said");
	tape_buf_release(&got);
	tape_buf_release(&file);
}

/* How a segment ended is known when something of it is looked for. */
static void
test_failed(void)
{
	struct tape_view_want want = nothing;
	struct tape_view_findings r;
	struct tape_buf file, got;

	make(&file, true, TAPE_ENDING_FAILED);
	tape_buf_init(&got, CAP);
	want.id = tape_str_of("r203");
	r = find(&file, &want, false, &got);
	ok(r.found == 2 && r.indexed && r.failed, "its segment failed");
	want.id = tape_str_of("r7");
	r = find(&file, &want, false, &got);
	ok(r.found == 1 && r.indexed && !r.failed, "and this one did not");
	tape_buf_release(&got);
	tape_buf_release(&file);
}

/* Index frames before much that is none, wherever a window ends. */
static void
test_search(void)
{
	const size_t window = (size_t)1 << 20;
	struct tape_buf file;
	size_t at[100], len[100], n, size, first, wrong = 0;

	make(&file, true, WHOLE);
	n = frames(&file, at, len, 100);
	first = file.len;
	for (size_t shift = 0; shift < 12; shift++) {
		/* A skippable frame of somebody else's. */
		file.len = first;
		size = at[n - 1] + shift + window - first - 8;
		(void)tape_buf_add(&file, "\x50\x2a\x4d\x18", 4);
		for (int i = 0; i < 4; i++)
			(void)tape_buf_add_char(
			    &file, (char)(size >> 8 * i & 0xff));
		for (size_t i = 0; i < size; i++)
			(void)tape_buf_add_char(&file, (char)(i * 7));
		wrong += frames(&file, at, len, 100) != n;
	}
	is_int(wrong, 0, "all are found");
	check(&file, "and what they are of");
	tape_buf_release(&file);
}

/* Data that is damaged is never taken for what it was. */
static void
test_damaged_data(void)
{
	struct tape_view_want want = nothing;
	struct tape_view_findings r;
	struct tape_buf file, got;
	size_t at[100], len[100], n, lied = 0;
	bool whole;

	make(&file, true, WHOLE);
	n = frames(&file, at, len, 100);
	tape_buf_init(&got, CAP);
	want.id = tape_str_of("r130");
	for (size_t i = 1; i < n; i++) {
		file.data[at[i] - 40] ^= 4;
		r = find(&file, &want, false, &got);
		whole = strcmp(got.data, "1:130 166 3 4/3/4;") == 0;
		lied += !whole && r.err.status == TAPE_OK;
		file.data[at[i] - 40] ^= 4;
	}
	is_int(lied, 0, "what was found is right, or the damage is told");
	tape_buf_release(&got);
	tape_buf_release(&file);
}

int
main(void)
{
	test_right();
	test_pointers();
	test_broken();
	test_lies();
	test_cut();
	test_failed();
	test_search();
	test_damaged_data();
	return done_testing();
}
