/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_in: lines or bytes out of a descriptor or of memory, plain or zstd.
 *
 * What is compressed is told by its first bytes, never by a name: at the
 * start, at each zstd frame's end, and at each line start of plain text, the
 * four bytes of a zstd frame (28 B5 2F FD, or of a skippable frame) switch to
 * decompression; no line of JSON or of an event stream starts so.  Therefore
 * any concatenation of plain and compressed parts is read as one text.
 *
 * Everything that can be decoded is delivered before an error is: a file cut
 * inside a frame, or damaged there, gives the complete lines up to that block.
 * So lines of a frame are only known to be what was written when its checksum
 * has been passed; a reader that must be sure waits for the next line, or for
 * TAPE_EOF.  An error stays: later calls return it again.
 *
 * Memory is bounded by the line cap, 256 KiB of buffers, and zstd's window,
 * of at most 128 MiB (frames that want more are refused).
 */
#ifndef TAPE_CODEC_STREAM_IN_H
#define TAPE_CODEC_STREAM_IN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define TAPE_IN_CHUNK ((size_t)128 << 10) /* one read(2) at most */

struct tape_in;

/*
 * Takes fd over on success and closes it in tape_in_free, but for descriptor
 * 0; on failure it stays the caller's.  name is for messages and is copied.
 */
enum tape_status tape_in_open_fd(struct tape_in **out, int fd, const char *name,
    struct tape_err *err) TAPE_NODISCARD;

/* So many bytes of a file from there on, read by pread; fd stays the caller's
   and must outlive the reader. */
enum tape_status tape_in_open_range(struct tape_in **out, int fd, uint64_t from,
    uint64_t bytes, const char *name, struct tape_err *err) TAPE_NODISCARD;

/* A file, or standard input for "-". */
enum tape_status tape_in_open_path(struct tape_in **out, const char *path,
    struct tape_err *err) TAPE_NODISCARD;

/* Memory, which stays the caller's and must outlive the reader. */
enum tape_status tape_in_open_mem(struct tape_in **out, const void *p,
    size_t len, const char *name, struct tape_err *err) TAPE_NODISCARD;

void tape_in_free(struct tape_in *in);

/*
 * The next line without its LF; may hold any byte, NUL too.  line is valid
 * until the next call with in.  TAPE_EOF at the clean end.  Errors, with name
 * and line: TAPE_E_TRUNC, the input stops inside a zstd frame; TAPE_E_FORMAT,
 * it is damaged; TAPE_E_LIMIT, the line is longer than the cap; TAPE_E_IO;
 * TAPE_E_NOMEM.
 *
 * A last line that no LF ends is delivered when the input ends cleanly, and
 * tape_in_unterminated then says so; before an error it is dropped.
 */
enum tape_status tape_in_line(struct tape_in *in, const char **line,
    size_t *len, struct tape_err *err) TAPE_NODISCARD;
bool tape_in_unterminated(const struct tape_in *in);

/*
 * Looks at the text to come without taking it: at least want bytes, fewer
 * only when the input ends or fails first, more when they are there already.
 * want is at most TAPE_IN_CHUNK.  Blocks until then.  TAPE_EOF, or the error,
 * when there is not a byte.  p is valid until the next call with in.
 */
enum tape_status tape_in_peek(struct tape_in *in, size_t want, const char **p,
    size_t *len, struct tape_err *err) TAPE_NODISCARD;

/*
 * Takes up to size (at least 1) bytes of text: what is there, or else what
 * the next read(2) brings.  TAPE_EOF, or the error, when nothing is left.
 */
enum tape_status tape_in_read(struct tape_in *in, void *p, size_t size,
    size_t *got, struct tape_err *err) TAPE_NODISCARD;

/* Lines delivered so far: the 1-based number of the last one. */
uint64_t tape_in_line_no(const struct tape_in *in);

/* Bytes taken from the descriptor or memory, as they are stored. */
uint64_t tape_in_bytes_read(const struct tape_in *in);

/* What was stored in frames, as far as they have ended. */
struct tape_in_sums {
	uint64_t frames;        /* of data */
	uint64_t checked;       /* of frames, those with a checksum, which was
	                           right */
	uint64_t frame_bytes;   /* of frames */
	uint64_t index_frames;  /* skippable ones with the magic of an index */
	uint64_t index_bytes;   /* of these */
	uint64_t foreign_bytes; /* of other skippable frames */
};

const struct tape_in_sums *tape_in_sums(const struct tape_in *in);

/* Whether the last text came from plain text, not from a frame. */
bool tape_in_plain(const struct tape_in *in);

const char *tape_in_name(const struct tape_in *in);

/*
 * fn is called right after each read(2) that brought bytes, before any is
 * looked at: take the clock there.  In plain input byte i of the text came
 * with the call that raised the sum of bytes above i.
 */
void tape_in_set_stamp(
    struct tape_in *in, void (*fn)(void *arg, size_t bytes), void *arg);

/*
 * fn is called before a read(2) that would block, so that a tool can flush
 * its output first.  Its failure becomes that of the call with in.
 */
void tape_in_set_idle(struct tape_in *in,
    enum tape_status (*fn)(void *arg, struct tape_err *err), void *arg);

/*
 * fn waits instead of a read(2) that would block, until fd is ready, or as long
 * as somebody wants it: its failure becomes that of the call with in, and stays.
 * For what is read in a thread of its own that has to end.
 */
void tape_in_set_wait(struct tape_in *in,
    enum tape_status (*fn)(void *arg, int fd, struct tape_err *err), void *arg);

/* Instead of TAPE_CAP_LINE; before the first call that reads. */
void tape_in_set_line_cap(struct tape_in *in, size_t bytes);

/* For tests: a read brings at most this many bytes (1 to TAPE_IN_CHUNK), from
   memory too. */
void tape_in_set_read_max(struct tape_in *in, size_t bytes);

#endif
