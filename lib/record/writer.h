/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * writer: the mirror of reader: header, records, end, for each segment.
 *
 * The header is a zstd frame of its own, written at once; the frame in hand
 * ends with the segment.  Between these, frames and flushes are as the options
 * of the outputs say, and as the caller asks for.  Records are counted; a
 * segment that was begun is ended by tape_writer_end or, on an error path, left
 * without end record by tape_writer_abort.
 *
 * Outputs with an index (stream_out.h) are told of each record that has an id.
 *
 * A kind that does not belong into the stream, or a call out of order, is
 * TAPE_E_BUG and writes nothing.
 */
#ifndef TAPE_RECORD_WRITER_H
#define TAPE_RECORD_WRITER_H

#include "codec/stream_out.h"
#include "record/coding.h"
#include "record/reader.h"

struct tape_writer;

/*
 * Writes a stream of that format to out, which the writer owns from now on,
 * also when this fails.
 */
enum tape_status tape_writer_open(struct tape_writer **dst,
    struct tape_out *out, enum tape_format format,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * A second output that gets the same lines, after the first, and is owned too.
 * To be called before the first header.  When its pipe breaks (EPIPE), or its
 * reader takes nothing for longer than its options allow, it is dropped and the
 * first goes on; other failures are as those of the first.
 */
void tape_writer_tee(struct tape_writer *w, struct tape_out *second);

/* True once, when the second was dropped for its reader's slowness: *why says
   so.  A pipe that broke is no news: its reader wanted no more. */
bool tape_writer_tee_news(struct tape_writer *w, struct tape_err *why);

/* Begins a segment; format and version of the header are the writer's. */
enum tape_status tape_writer_header(struct tape_writer *w,
    const struct tape_header *header, struct tape_err *err) TAPE_NODISCARD;

enum tape_status tape_writer_put(struct tape_writer *w, enum tape_kind kind,
    const void *record, struct tape_err *err) TAPE_NODISCARD;

/* A record passed on as it was read (rec->line), fields that this build does
   not know included.  Where a kind with an id is not decoded (the id in rec->u
   is absent), an index says that it lacks one. */
enum tape_status tape_writer_pass(struct tape_writer *w,
    const struct tape_record *rec, struct tape_err *err) TAPE_NODISCARD;

/* Ends the segment. */
enum tape_status tape_writer_end(struct tape_writer *w, enum tape_ending ending,
    struct tape_err *err) TAPE_NODISCARD;

/* True between header and end. */
bool tape_writer_open_segment(const struct tape_writer *w);

/* Everything so far out of this process; end_frame also makes it readable
   after a crash. */
enum tape_status tape_writer_flush(
    struct tape_writer *w, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_writer_end_frame(
    struct tape_writer *w, struct tape_err *err) TAPE_NODISCARD;

uint64_t tape_writer_records(const struct tape_writer *w);  /* of the segment */
uint64_t tape_writer_segments(const struct tape_writer *w); /* begun so far */

/* Of the first output so far: text, and what was written of it. */
uint64_t tape_writer_text_bytes(const struct tape_writer *w);
uint64_t tape_writer_bytes(const struct tape_writer *w);

/* Closes and checks; frees w in every case.  A segment still open is an
   error of the caller (TAPE_E_BUG). */
enum tape_status tape_writer_close(
    struct tape_writer *w, struct tape_err *err) TAPE_NODISCARD;
void tape_writer_abort(struct tape_writer *w);

#endif
