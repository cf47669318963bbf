/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/writer.h"

#include "base/mem.h"
#include "record/entry.h"

#include <errno.h>

struct tape_writer {
	struct tape_out *out;
	struct tape_out *second; /* NULL: none, or broken */
	bool second_broken;
	struct tape_err news; /* why it was dropped, until it is told */
	enum tape_format format;
	bool inside;
	uint64_t records;
	uint64_t segments;
	struct tape_buf line;
};

enum tape_status
tape_writer_open(struct tape_writer **dst, struct tape_out *out,
    enum tape_format format, struct tape_err *err)
{
	struct tape_writer *w = tape_mem_calloc(1, sizeof(*w));

	*dst = NULL;
	if (w == NULL) {
		tape_out_abort(out);
		return tape_err_nomem(err);
	}
	w->out = out;
	w->format = format;
	tape_buf_init(&w->line, TAPE_CAP_LINE + 1);
	*dst = w;
	return TAPE_OK;
}

void
tape_writer_tee(struct tape_writer *w, struct tape_out *second)
{
	w->second = second;
}

bool
tape_writer_tee_news(struct tape_writer *w, struct tape_err *why)
{
	if (w->news.status == TAPE_OK)
		return false;
	*why = w->news;
	tape_err_clear(&w->news);
	return true;
}

/* A reader that left, or takes nothing, ends the second output, and nothing
   else. */
static enum tape_status
judge_second(struct tape_writer *w, enum tape_status st,
    const struct tape_err *why, struct tape_err *err)
{
	if (st == TAPE_OK)
		return TAPE_OK;
	if (why->sys == ETIMEDOUT || why->sys == EINTR) {
		w->news = *why;
	} else if (why->sys != EPIPE) {
		if (err != NULL && err->status == TAPE_OK)
			*err = *why;
		return st;
	}
	tape_out_abort(w->second);
	w->second = NULL;
	w->second_broken = true;
	return TAPE_OK;
}

enum tape_status
tape_writer_flush(struct tape_writer *w, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st = tape_out_flush(w->out, err);

	if (st != TAPE_OK || w->second == NULL)
		return st;
	return judge_second(w, tape_out_flush(w->second, &why), &why, err);
}

enum tape_status
tape_writer_end_frame(struct tape_writer *w, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st = tape_out_end_frame(w->out, err);

	if (st != TAPE_OK || w->second == NULL)
		return st;
	return judge_second(w, tape_out_end_frame(w->second, &why), &why, err);
}

/* Writes the line in hand, with its LF, in one piece. */
static enum tape_status
write_line(struct tape_writer *w, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	if (tape_buf_add_char(&w->line, '\n') != TAPE_OK)
		return tape_buf_status(&w->line, err);
	st = tape_out_write(w->out, w->line.data, w->line.len, err);
	if (st != TAPE_OK || w->second == NULL)
		return st;
	st = tape_out_write(w->second, w->line.data, w->line.len, &why);
	return judge_second(w, st, &why, err);
}

static enum tape_status
write_record(struct tape_writer *w, enum tape_kind kind, const void *record,
    struct tape_err *err)
{
	enum tape_status st;

	tape_buf_clear(&w->line);
	st = tape_record_encode(kind, record, &w->line, err);
	return st == TAPE_OK ? write_line(w, err) : st;
}

/* Says to the index what begins or ends, or that something is lacking. */
static void
mark(struct tape_writer *w, unsigned marks)
{
	tape_out_mark(w->out, marks);
	if (w->second != NULL)
		tape_out_mark(w->second, marks);
}

/* Says to the index what the next line is. */
static void
note(struct tape_writer *w, enum tape_kind kind, const void *record)
{
	struct tape_index_entry e;

	if (!tape_entry_has((int)kind))
		return;
	if (!tape_entry_of(kind, record, &e)) {
		mark(w, TAPE_INDEX_PARTIAL);
		return;
	}
	tape_out_note(w->out, &e);
	if (w->second != NULL)
		tape_out_note(w->second, &e);
}

enum tape_status
tape_writer_header(struct tape_writer *w, const struct tape_header *header,
    struct tape_err *err)
{
	struct tape_header h = *header;
	enum tape_status st;

	if (w->inside)
		return tape_err_set(err, TAPE_E_BUG,
		    "segment begun before the one before it was ended");
	h.format = tape_str_of(tape_format_name(w->format));
	h.version = tape_str_of(TAPE_STREAM_VERSION);
	mark(w, TAPE_INDEX_BEGINS);
	st = write_record(w, TAPE_KIND_HEADER, &h, err);
	if (st != TAPE_OK)
		return st;
	w->inside = true;
	w->records = 0;
	w->segments++;
	return tape_writer_end_frame(w, err);
}

/* Records of this kind may come here. */
static enum tape_status
check_kind(const struct tape_writer *w, int kind, struct tape_err *err)
{
	if (!w->inside)
		return tape_err_set(
		    err, TAPE_E_BUG, "record written outside of a segment");
	if (kind < 0 || kind >= TAPE_KIND_COUNT || kind == TAPE_KIND_HEADER ||
	    kind == TAPE_KIND_END ||
	    (tape_schema_table[kind].formats & (unsigned)w->format) == 0)
		return tape_err_set(err, TAPE_E_BUG,
		    "record of kind %d written into a %s stream", kind,
		    tape_format_name(w->format));
	return TAPE_OK;
}

enum tape_status
tape_writer_put(struct tape_writer *w, enum tape_kind kind, const void *record,
    struct tape_err *err)
{
	enum tape_status st = check_kind(w, (int)kind, err);

	if (st != TAPE_OK)
		return st;
	tape_buf_clear(&w->line);
	st = tape_record_encode(kind, record, &w->line, err);
	if (st != TAPE_OK)
		return st;
	note(w, kind, record);
	st = write_line(w, err);
	if (st == TAPE_OK)
		w->records++;
	return st;
}

enum tape_status
tape_writer_pass(
    struct tape_writer *w, const struct tape_record *rec, struct tape_err *err)
{
	enum tape_status st = check_kind(w, rec->kind, err);

	if (st != TAPE_OK)
		return st;
	tape_buf_clear(&w->line);
	if (tape_buf_add(&w->line, rec->line.p, rec->line.len) != TAPE_OK)
		return tape_buf_status(&w->line, err);
	note(w, (enum tape_kind)rec->kind, &rec->u);
	st = write_line(w, err);
	if (st == TAPE_OK)
		w->records++;
	return st;
}

enum tape_status
tape_writer_end(
    struct tape_writer *w, enum tape_ending ending, struct tape_err *err)
{
	struct tape_end end = { (int64_t)w->records,
		tape_str_of(tape_ending_name(ending)) };
	enum tape_status st;

	if (!w->inside)
		return tape_err_set(
		    err, TAPE_E_BUG, "segment ended that was not begun");
	mark(w, TAPE_INDEX_ENDS);
	st = write_record(w, TAPE_KIND_END, &end, err);
	if (st != TAPE_OK)
		return st;
	w->inside = false;
	return tape_writer_end_frame(w, err);
}

bool
tape_writer_open_segment(const struct tape_writer *w)
{
	return w->inside;
}

uint64_t
tape_writer_records(const struct tape_writer *w)
{
	return w->records;
}

uint64_t
tape_writer_text_bytes(const struct tape_writer *w)
{
	return tape_out_bytes_in(w->out);
}

uint64_t
tape_writer_bytes(const struct tape_writer *w)
{
	return tape_out_bytes_out(w->out);
}

uint64_t
tape_writer_segments(const struct tape_writer *w)
{
	return w->segments;
}

enum tape_status
tape_writer_close(struct tape_writer *w, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st = tape_out_close(w->out, err), second;

	w->out = NULL;
	if (w->second != NULL) {
		second = tape_out_close(w->second, &why);
		w->second = NULL;
		second = judge_second(w, second, &why, err);
		st = st == TAPE_OK ? second : st;
	}
	if (st == TAPE_OK && w->inside)
		st = tape_err_set(err, TAPE_E_BUG,
		    "stream closed before its segment was ended");
	tape_writer_abort(w);
	return st;
}

void
tape_writer_abort(struct tape_writer *w)
{
	if (w == NULL)
		return;
	tape_out_abort(w->out);
	tape_out_abort(w->second);
	tape_buf_release(&w->line);
	tape_mem_free(w);
}
