/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_reader: any bytes as a stream of records.  What is read, written and
 * read again must be the same, record for record; so must what is passed on;
 * and a second writing must give the bytes of the first.
 */
#include "record/writer.h"

#include <stdlib.h>
#include <string.h>

#define CAP ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes one record in the way asked for. */
static enum tape_status
copy_one(struct tape_writer *w, const struct tape_record *rec, bool pass)
{
	struct tape_str s = rec->u.end.status;
	enum tape_ending e = TAPE_ENDING_COMPLETE;

	if (rec->kind == TAPE_KIND_HEADER)
		return tape_writer_header(w, &rec->u.header, NULL);
	if (rec->kind == TAPE_KIND_END) {
		while (!tape_str_is(s, tape_ending_name(e)))
			e++;
		return tape_writer_end(w, e, NULL);
	}
	if (pass)
		return tape_writer_pass(w, rec, NULL);
	return tape_writer_put(w, (enum tape_kind)rec->kind, &rec->u, NULL);
}

static void
ignore_warning(void *arg, const char *text)
{
	(void)arg;
	if (strchr(text, '\n') != NULL || text[0] == '\0')
		abort();
}

/*
 * Copies the stream's whole segments, as far as it can be read, into out.
 * All of one format: a writer has but one.
 */
static enum tape_status
copy(const char *p, size_t len, unsigned formats, bool pass,
    struct tape_buf *out)
{
	struct tape_reader_opts opts = { .formats = formats,
		.allow_truncated = true,
		.warn = ignore_warning };
	struct tape_err err = { 0 };
	struct tape_reader *r;
	struct tape_record rec;
	struct tape_writer *w;
	struct tape_out *sink;
	enum tape_status st;

	tape_buf_clear(out);
	tape_record_init(&rec);
	if (tape_reader_open_mem(&r, p, len, &opts, NULL) != TAPE_OK ||
	    tape_out_open_buf(&sink, out, NULL, NULL) != TAPE_OK ||
	    tape_writer_open(&w, sink, (enum tape_format)formats, NULL) !=
		TAPE_OK)
		abort();
	while ((st = tape_reader_next(r, &rec, &err)) == TAPE_OK)
		if (copy_one(w, &rec, pass) != TAPE_OK)
			abort();
	if (st < 0 && (err.status != st || err.name[0] == '\0'))
		abort();
	if (tape_writer_open_segment(w) &&
	    tape_writer_end(w, TAPE_ENDING_FAILED, NULL) != TAPE_OK)
		abort();
	if (tape_writer_close(w, NULL) != TAPE_OK)
		abort();
	tape_reader_free(r);
	tape_record_release(&rec);
	return st;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct tape_buf one, two, passed;

	tape_buf_init(&one, CAP);
	tape_buf_init(&two, CAP);
	tape_buf_init(&passed, CAP);
	for (unsigned f = TAPE_FORMAT_TRACE; f <= TAPE_FORMAT_REPORT; f <<= 1) {
		(void)copy(p, size, f, false, &one);
		if (one.len == 0)
			continue;
		if (copy(one.data, one.len, f, false, &two) != TAPE_EOF ||
		    one.len != two.len ||
		    memcmp(one.data, two.data, one.len) != 0)
			abort();
		(void)copy(p, size, f, true, &passed);
		if (copy(passed.data, passed.len, f, false, &two) != TAPE_EOF ||
		    one.len != two.len ||
		    memcmp(one.data, two.data, one.len) != 0)
			abort();
	}
	tape_buf_release(&one);
	tape_buf_release(&two);
	tape_buf_release(&passed);
	return 0;
}
