/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reader: one or several inputs as a sequence of decoded records.
 *
 * An input is one or several segments: a header, records, an end record.  The
 * reader hands out all three, in order, so a tool sees where a segment begins
 * and ends.  It refuses what it does not understand, with input name and line:
 *
 *	empty input, not a llmtape stream, the wrong stream kind (naming the
 *	tool that makes the right one), another major version, a malformed
 *	record, a kind that does not belong into this stream, an end record
 *	whose count is not that of the records read.
 *
 * What could be read before a failure is always handed out first.  An input
 * that is cut, inside a frame, a line or a segment, or whose end record counts
 * other records than were read, is TAPE_E_TRUNC, or with allow_truncated a
 * warning and an end record that is made here (its status is failed).  What is
 * cut before its first header is an error in any case.
 *
 * An end record with a status that is not complete is warned of.
 *
 * Records of unknown kind are skipped when the stream is of a newer minor
 * version, counted, and warned of once, at the end.
 */
#ifndef TAPE_RECORD_READER_H
#define TAPE_RECORD_READER_H

#include "codec/stream_in.h"
#include "record/coding.h"

/* How a segment ended; of several the worst counts. */
enum tape_ending {
	TAPE_ENDING_COMPLETE,
	TAPE_ENDING_INTERRUPTED,
	TAPE_ENDING_FAILED
};

const char *tape_ending_name(enum tape_ending e); /* as in the end record */

/* Of such a name; any other is failed. */
enum tape_ending tape_ending_of(struct tape_str name);

struct tape_reader_opts {
	unsigned formats;     /* or of enum tape_format: those accepted */
	bool allow_truncated; /* a missing end becomes a warning and an end
	                         record with status failed */
	/* Before a read that would block; may be NULL. */
	void (*idle)(void *arg);
	/* One line of warning, with the input's name and line where it has one,
	   without LF; may be NULL. */
	void (*warn)(void *arg, const char *text);
	void *arg;
};

struct tape_reader;

/*
 * Opens the inputs in this order; "-" or none is standard input.  All are
 * opened before any is read.  *out is the caller's.
 */
enum tape_status tape_reader_open(struct tape_reader **out,
    const char *const *paths, size_t n, const struct tape_reader_opts *opts,
    struct tape_err *err) TAPE_NODISCARD;

/* The same over memory (borrowed until free). */
enum tape_status tape_reader_open_mem(struct tape_reader **out, const void *p,
    size_t len, const struct tape_reader_opts *opts,
    struct tape_err *err) TAPE_NODISCARD;

/* The same over one input that is open already, and maybe was looked at; owned
   from now on, also when this fails. */
enum tape_status tape_reader_open_in(struct tape_reader **out,
    struct tape_in *in, const struct tape_reader_opts *opts,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * The next record: TAPE_OK, TAPE_EOF after the last end record, or an error
 * with the place in err, which stays.  rec is the caller's and is reused; what
 * it points to is valid until the next call.
 */
enum tape_status tape_reader_next(struct tape_reader *r,
    struct tape_record *rec, struct tape_err *err) TAPE_NODISCARD;

/* For a thread that has to end: fn waits for the inputs (tape_in_set_wait);
   idle is not called any more. */
void tape_reader_set_wait(struct tape_reader *r,
    enum tape_status (*fn)(void *arg, int fd, struct tape_err *err), void *arg);

void tape_reader_free(struct tape_reader *r);

const char *tape_reader_name(const struct tape_reader *r); /* current input */
uint64_t tape_reader_line(const struct tape_reader *r);    /* of the last */

/* Bytes of all inputs so far, as they are stored. */
uint64_t tape_reader_bytes_read(const struct tape_reader *r);

enum tape_format tape_reader_format(const struct tape_reader *r);

/* Whether the end record delivered last was made here, since the input lacks
   one or has a wrong one. */
bool tape_reader_made_end(const struct tape_reader *r);

/* The worst ending so far; a truncated segment counts as failed. */
enum tape_ending tape_reader_ending(const struct tape_reader *r);

#endif
