/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/reader.h"

#include "base/mem.h"
#include "codec/stream_in.h"
#include "record/preamble.h"

#include <inttypes.h>
#include <stdio.h>

struct tape_reader {
	struct tape_reader_opts opts;
	struct tape_in **in;
	size_t n;
	size_t at; /* the input being read; n at the end */
	/* The segment in hand. */
	bool inside;
	struct tape_preamble what;
	uint64_t records;
	uint64_t segments; /* begun, of this input */
	bool made_end;     /* the last end record was made here */
	bool cut;          /* this input's cut frame has been reported */
	/* A header that came instead of an end record is delivered behind it. */
	bool held;
	struct tape_str held_line;
	struct tape_buf end_line; /* an end record made here */
	enum tape_ending ending;
	uint64_t skipped; /* records of unknown kind */
	char first_skipped[256];
	struct tape_err err; /* the first failure */
};

const char *
tape_ending_name(enum tape_ending e)
{
	static const char *const names[] = { "complete", "interrupted",
		"failed" };

	return names[e];
}

enum tape_ending
tape_ending_of(struct tape_str name)
{
	enum tape_ending e = TAPE_ENDING_COMPLETE;

	while (
	    e < TAPE_ENDING_FAILED && !tape_str_is(name, tape_ending_name(e)))
		e++;
	return e;
}

static enum tape_status
call_idle(void *arg, struct tape_err *err)
{
	struct tape_reader *r = arg;

	(void)err;
	r->opts.idle(r->opts.arg);
	return TAPE_OK;
}

static enum tape_status
open_any(struct tape_reader **out, size_t n,
    const struct tape_reader_opts *opts, struct tape_err *err)
{
	struct tape_reader *r = tape_mem_calloc(1, sizeof(*r));

	*out = NULL;
	if (r == NULL)
		return tape_err_nomem(err);
	r->opts = *opts;
	tape_buf_init(&r->end_line, 256);
	r->in = tape_mem_calloc(n, sizeof(struct tape_in *));
	if (r->in == NULL) {
		tape_mem_free(r);
		return tape_err_nomem(err);
	}
	*out = r;
	return TAPE_OK;
}

enum tape_status
tape_reader_open(struct tape_reader **out, const char *const *paths, size_t n,
    const struct tape_reader_opts *opts, struct tape_err *err)
{
	static const char *const standard[] = { "-" };
	struct tape_reader *r;
	enum tape_status st;

	if (n == 0) {
		paths = standard;
		n = 1;
	}
	st = open_any(out, n, opts, err);
	if (st != TAPE_OK)
		return st;
	r = *out;
	for (; r->n < n && st == TAPE_OK; r->n += st == TAPE_OK) {
		st = tape_in_open_path(&r->in[r->n], paths[r->n], err);
		if (st == TAPE_OK && opts->idle != NULL)
			tape_in_set_idle(r->in[r->n], call_idle, r);
	}
	if (st != TAPE_OK) {
		tape_reader_free(r);
		*out = NULL;
	}
	return st;
}

enum tape_status
tape_reader_open_mem(struct tape_reader **out, const void *p, size_t len,
    const struct tape_reader_opts *opts, struct tape_err *err)
{
	struct tape_in *in;
	enum tape_status st = tape_in_open_mem(&in, p, len, "memory", err);

	*out = NULL;
	return st == TAPE_OK ? tape_reader_open_in(out, in, opts, err) : st;
}

enum tape_status
tape_reader_open_in(struct tape_reader **out, struct tape_in *in,
    const struct tape_reader_opts *opts, struct tape_err *err)
{
	enum tape_status st = open_any(out, 1, opts, err);

	if (st != TAPE_OK) {
		tape_in_free(in);
		return st;
	}
	(*out)->in[0] = in;
	(*out)->n = 1;
	if (opts->idle != NULL)
		tape_in_set_idle(in, call_idle, *out);
	return TAPE_OK;
}

void
tape_reader_set_wait(struct tape_reader *r,
    enum tape_status (*fn)(void *arg, int fd, struct tape_err *err), void *arg)
{
	for (size_t i = 0; i < r->n; i++) {
		tape_in_set_idle(r->in[i], NULL, NULL);
		tape_in_set_wait(r->in[i], fn, arg);
	}
}

void
tape_reader_free(struct tape_reader *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++)
		tape_in_free(r->in[i]);
	tape_mem_free(r->in);
	tape_buf_release(&r->end_line);
	tape_mem_free(r);
}

static struct tape_in *
current(const struct tape_reader *r)
{
	return r->in[r->at < r->n ? r->at : r->n - 1];
}

static void
worsen(struct tape_reader *r, enum tape_ending e)
{
	if (r->ending < e)
		r->ending = e;
}

static void
warn(struct tape_reader *r, const char *text)
{
	if (r->opts.warn != NULL)
		r->opts.warn(r->opts.arg, text);
}

/* The same with the place, for what is allowed although it is wrong. */
static void
warn_of(struct tape_reader *r, struct tape_err *why)
{
	char text[512];

	(void)tape_err_at(why, tape_reader_name(r), tape_reader_line(r));
	warn(r, tape_err_format(why, text, sizeof(text)));
}

static void
warn_of_skipped(struct tape_reader *r)
{
	char text[512];

	if (r->skipped == 0)
		return;
	(void)snprintf(text, sizeof(text),
	    "%" PRIu64 " records of kinds newer than this build were skipped; "
	    "the first is %s",
	    r->skipped, r->first_skipped);
	r->skipped = 0;
	warn(r, text);
}

static enum tape_status
fail(struct tape_reader *r, struct tape_err *err)
{
	(void)tape_err_at(&r->err, tape_reader_name(r), tape_reader_line(r));
	warn_of_skipped(r);
	if (err != NULL && err->status == TAPE_OK)
		*err = r->err;
	return r->err.status;
}

static enum tape_status
begin_segment(
    struct tape_reader *r, struct tape_record *rec, struct tape_str line)
{
	enum tape_status st;

	st = tape_preamble_read(&r->what, line, r->opts.formats, &r->err);
	if (st == TAPE_OK)
		st = tape_record_decode(rec, line.p, line.len, &r->err);
	if (st == TAPE_OK)
		st = tape_preamble_check_epochs(&rec->u.header, &r->err);
	if (st != TAPE_OK)
		return st;
	r->inside = true;
	r->records = 0;
	r->segments++;
	return TAPE_OK;
}

/* Delivers an end record that the input lacks. */
static enum tape_status
make_end(struct tape_reader *r, struct tape_record *rec)
{
	tape_buf_clear(&r->end_line);
	(void)tape_buf_add_fmt(&r->end_line,
	    "{\"kind\":\"end\",\"records\":%" PRIu64 ",\"status\":\"failed\"}",
	    r->records);
	if (tape_buf_status(&r->end_line, &r->err) != TAPE_OK)
		return r->err.status;
	r->inside = false;
	r->made_end = true;
	return tape_record_decode(
	    rec, r->end_line.data, r->end_line.len, &r->err);
}

/*
 * The segment in hand stops, for the reason given: an error, or, where that is
 * allowed, a warning and an end record.
 */
static enum tape_status
truncated(
    struct tape_reader *r, struct tape_record *rec, const struct tape_err *why)
{
	struct tape_err warning = *why;

	worsen(r, TAPE_ENDING_FAILED);
	if (!r->opts.allow_truncated) {
		r->err = *why;
		return why->status;
	}
	warn_of(r, &warning);
	return make_end(r, rec);
}

static enum tape_status
stops_early(struct tape_reader *r, struct tape_record *rec, const char *what)
{
	struct tape_err why = { 0 };

	(void)tape_err_set(
	    &why, TAPE_E_TRUNC, "%s stops before its end record", what);
	return truncated(r, rec, &why);
}

/* An end record that says that this is not all. */
static void
warn_of_ending(struct tape_reader *r, enum tape_ending e)
{
	struct tape_err why = { 0 };

	if (e == TAPE_ENDING_COMPLETE)
		return;
	(void)tape_err_set(&why, TAPE_E_TRUNC, "%s",
	    e == TAPE_ENDING_FAILED
		? "what made this stream failed before its end"
		: "the run was interrupted: this is not the whole of it");
	warn_of(r, &why);
}

static enum tape_status
end_segment(struct tape_reader *r, struct tape_record *rec)
{
	struct tape_err why = { 0 };
	struct tape_str status = rec->u.end.status;
	enum tape_ending e = TAPE_ENDING_COMPLETE;

	while (!tape_str_is(status, tape_ending_name(e)))
		if (++e > TAPE_ENDING_FAILED)
			return tape_err_set(&r->err, TAPE_E_FORMAT,
			    "end record has unknown status \"%.*s\"",
			    (int)(status.len < 32 ? status.len : 32), status.p);
	if (rec->u.end.records != (int64_t)r->records) {
		(void)tape_err_set(&why, TAPE_E_TRUNC,
		    "end record counts %" PRId64 " records, but %" PRIu64
		    " were read",
		    rec->u.end.records, r->records);
		return truncated(r, rec, &why);
	}
	worsen(r, e);
	warn_of_ending(r, e);
	r->inside = false;
	r->made_end = false;
	return TAPE_OK;
}

static enum tape_status
unknown_kind(struct tape_reader *r, struct tape_str line)
{
	static const char begin[] = "{\"kind\":\"";
	size_t n = sizeof(begin) - 1;
	const char *end;

	if (line.len > n && memcmp(line.p, begin, n) == 0) {
		end = memchr(line.p + n, '"', line.len - n);
		line.p += n;
		line.len = end == NULL ? line.len - n : (size_t)(end - line.p);
	}
	return tape_err_set(&r->err, TAPE_E_FORMAT,
	    "unknown kind of record \"%.*s\" in a %s stream of version %d.%d",
	    tape_str_shown(line, 40), line.p, tape_format_name(r->what.format),
	    TAPE_STREAM_MAJOR, (int)r->what.minor);
}

/* A kind that this build does not know, or not in this stream. */
static enum tape_status
strange_kind(struct tape_reader *r, const struct tape_record *rec)
{
	if (r->what.minor > TAPE_STREAM_MINOR) {
		if (r->skipped++ == 0)
			(void)snprintf(r->first_skipped,
			    sizeof(r->first_skipped), "%.200s:%" PRIu64,
			    tape_reader_name(r), tape_reader_line(r));
		return TAPE_OK;
	}
	if (rec->kind == TAPE_KIND_UNKNOWN)
		return unknown_kind(r, rec->line);
	return tape_err_set(&r->err, TAPE_E_FORMAT, "%s record in a %s stream",
	    tape_schema_table[rec->kind].kind,
	    tape_format_name(r->what.format));
}

/* One line of a segment; *deliver says whether rec is for the caller. */
static enum tape_status
take_record(struct tape_reader *r, struct tape_record *rec,
    struct tape_str line, bool *deliver)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	*deliver = true;
	st = tape_record_decode(rec, line.p, line.len, &why);
	if (st == TAPE_E_FORMAT && tape_in_unterminated(current(r)))
		return stops_early(r, rec, "input");
	if (st != TAPE_OK) {
		r->err = why;
		return st;
	}
	if (rec->kind == TAPE_KIND_HEADER) {
		r->held = true;
		r->held_line = line;
		return stops_early(r, rec, "segment");
	}
	if (rec->kind == TAPE_KIND_END)
		return end_segment(r, rec);
	r->records++;
	*deliver = rec->kind != TAPE_KIND_UNKNOWN &&
		   (tape_schema_table[rec->kind].formats &
		       (unsigned)r->what.format) != 0;
	return *deliver ? TAPE_OK : strange_kind(r, rec);
}

/*
 * The input in hand gives no more lines.  TAPE_OK: there is an end record in
 * rec, or, when the input went well, the next one follows.
 */
static enum tape_status
end_input(struct tape_reader *r, struct tape_record *rec, enum tape_status st,
    const struct tape_err *why, bool *deliver)
{
	*deliver = r->inside;
	if (r->inside && st == TAPE_EOF)
		return stops_early(r, rec, "input");
	if (r->inside && st == TAPE_E_TRUNC) {
		r->cut = true;
		return truncated(r, rec, why);
	}
	if (r->segments == 0 && st == TAPE_EOF)
		return tape_err_set(&r->err, TAPE_E_FORMAT, "empty input");
	if (st == TAPE_E_TRUNC && r->segments > 0 && r->opts.allow_truncated) {
		struct tape_err warning = *why;

		worsen(r, TAPE_ENDING_FAILED);
		if (!r->cut)
			warn_of(r, &warning);
	} else if (st != TAPE_EOF) {
		r->err = *why;
		return st;
	}
	r->segments = 0;
	r->cut = false;
	r->at++;
	return TAPE_OK;
}

/* One step; *deliver says whether it made a record for the caller. */
static enum tape_status
step(struct tape_reader *r, struct tape_record *rec, bool *deliver)
{
	struct tape_err why = { 0 };
	struct tape_str line = r->held_line;
	enum tape_status st = TAPE_OK;

	if (r->held)
		r->held = false;
	else
		st = tape_in_line(current(r), &line.p, &line.len, &why);
	if (st != TAPE_OK)
		return end_input(r, rec, st, &why, deliver);
	if (r->inside)
		return take_record(r, rec, line, deliver);
	*deliver = true;
	return begin_segment(r, rec, line);
}

enum tape_status
tape_reader_next(
    struct tape_reader *r, struct tape_record *rec, struct tape_err *err)
{
	bool deliver = false;

	while (r->at < r->n && !deliver)
		if (r->err.status != TAPE_OK ||
		    step(r, rec, &deliver) != TAPE_OK)
			return fail(r, err);
	if (deliver)
		return TAPE_OK;
	warn_of_skipped(r);
	return TAPE_EOF;
}

const char *
tape_reader_name(const struct tape_reader *r)
{
	return tape_in_name(current(r));
}

uint64_t
tape_reader_bytes_read(const struct tape_reader *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->n; i++)
		sum += tape_in_bytes_read(r->in[i]);
	return sum;
}

uint64_t
tape_reader_line(const struct tape_reader *r)
{
	return tape_in_line_no(current(r));
}

enum tape_format
tape_reader_format(const struct tape_reader *r)
{
	return r->what.format;
}

bool
tape_reader_made_end(const struct tape_reader *r)
{
	return r->made_end;
}

enum tape_ending
tape_reader_ending(const struct tape_reader *r)
{
	return r->ending;
}
