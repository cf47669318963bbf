/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_out: text into a descriptor or a buffer, plain or in zstd frames with
 * a checksum.
 *
 * Text is gathered and written 64 KiB at a time.  Frames are cut only between
 * writes, so that with whole lines per write each frame holds whole lines, and
 * what stands before a frame's end can be read whatever happens after it.
 * When to flush and to end frames is the caller's policy; the options cover
 * the policies that count bytes.  An empty frame is never written: without a
 * write the output is empty, also compressed.
 *
 * A file that can be searched gets index frames (stream_index.h), behind groups
 * of frames as stream_group.h says.
 *
 * A failure stays: later calls return it again and write nothing.  Writing to
 * a pipe without a reader is TAPE_E_IO with sys EPIPE, provided that the
 * caller ignores SIGPIPE.
 */
#ifndef TAPE_CODEC_STREAM_OUT_H
#define TAPE_CODEC_STREAM_OUT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/fdio.h"
#include "codec/stream_index.h"

#include <stddef.h>

#define TAPE_OUT_CHUNK ((size_t)64 << 10) /* one write(2), mostly */

struct tape_out;

/* "zstd 1.5.4", of the library in use, into dst.  Returns dst. */
#define TAPE_OUT_LIBRARY 32
char *tape_out_library(char dst[TAPE_OUT_LIBRARY]);

/* A zeroed struct is plain text, flushed only when 64 KiB are there. */
struct tape_out_opts {
	int level;          /* 0 plain; zstd: 1 to 22, or -7 to -1 */
	size_t frame_bytes; /* end the frame at this much text; 0 never */
	size_t flush_bytes; /* flush at this much text; 0 never */
	bool index;         /* index frames; nothing of them in plain text */
	/* With a reader of a pipe or a socket; both members 0: without end. */
	struct tape_fdio_patience patience;
};

/*
 * Takes fd over on success; on failure it stays the caller's.  name is for
 * messages and is copied.  opts may be NULL.  TAPE_E_USAGE: no such level.
 */
enum tape_status tape_out_open_fd(struct tape_out **dst, int fd,
    const char *name, const struct tape_out_opts *opts,
    struct tape_err *err) TAPE_NODISCARD;

/* Appends to buf, which stays the caller's and must outlive the writer. */
enum tape_status tape_out_open_buf(struct tape_out **dst, struct tape_buf *buf,
    const struct tape_out_opts *opts, struct tape_err *err) TAPE_NODISCARD;

/*
 * For the index, before the write of a line: its entry, where it has one, and
 * marks that the group in hand gets.  With an index each write is one line.
 * These never fail: what the index cannot hold, it says that it lacks.
 */
void tape_out_note(struct tape_out *out, const struct tape_index_entry *e);
void tape_out_mark(struct tape_out *out, unsigned marks);

/* Adds len bytes, a whole line with its LF, say. */
enum tape_status tape_out_write(struct tape_out *out, const void *p, size_t len,
    struct tape_err *err) TAPE_NODISCARD;

/* Writes out all that was added, such that a reader can decode it. */
enum tape_status tape_out_flush(
    struct tape_out *out, struct tape_err *err) TAPE_NODISCARD;

/* Ends the frame in hand, if there is one, and writes it; plain: flushes. */
enum tape_status tape_out_end_frame(
    struct tape_out *out, struct tape_err *err) TAPE_NODISCARD;

/*
 * Ends the frame, closes the descriptor and frees out, on failure too; returns
 * the first failure, one of an earlier call included.  Descriptors 0 to 2 are
 * checked as close(2) would, but stay open.
 */
enum tape_status tape_out_close(
    struct tape_out *out, struct tape_err *err) TAPE_NODISCARD;

/* Closes and frees; what is not written yet is lost.  Takes NULL. */
void tape_out_abort(struct tape_out *out);

/* Text added; bytes written; frames begun (0 when plain). */
uint64_t tape_out_bytes_in(const struct tape_out *out);
uint64_t tape_out_bytes_out(const struct tape_out *out);
uint64_t tape_out_frames(const struct tape_out *out);

#endif
