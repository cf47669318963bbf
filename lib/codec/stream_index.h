/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_index: the index frames of a compressed file: what stands behind a
 * group of data frames and says, in a few bytes a record, what is in them.
 * llmtape-stream(5), INDEX FRAMES, has the layout.
 *
 * An index frame is a skippable frame of zstd, so that any decoder passes over
 * it.  It is a hint: whoever uses one checks what it found there, and decodes
 * the group where the frame is missing, damaged or incomplete.
 *
 * What kinds of record there are is the caller's business: a kind is a number
 * here, and marks are bits.
 */
#ifndef TAPE_CODEC_STREAM_INDEX_H
#define TAPE_CODEC_STREAM_INDEX_H

#include "base/buf.h"

#include <stdbool.h>

#define TAPE_INDEX_VERSION     1
#define TAPE_INDEX_KIND_MAX    15
#define TAPE_INDEX_MAX_ENTRIES 65536 /* of one index frame */

/* An index frame is never shorter or longer; frames that say so are none. */
#define TAPE_INDEX_MIN_BYTES 28
#define TAPE_INDEX_MAX_BYTES ((size_t)4 << 20)

/* The first four bytes of an index frame. */
#define TAPE_INDEX_MAGIC 0x184d2a5cU

enum tape_index_mark {
	TAPE_INDEX_BEGINS = 1 << 0,  /* the first line begins a segment */
	TAPE_INDEX_ENDS = 1 << 1,    /* the last line ends one */
	TAPE_INDEX_PARTIAL = 1 << 7, /* entries are lacking: decode the group */
};

/* One record. */
struct tape_index_entry {
	uint8_t kind; /* at most TAPE_INDEX_KIND_MAX */
	bool has_id, has_x, has_times;
	uint32_t id_hash; /* of tape_index_hash */
	int64_t x;
	int64_t start_ns, end_ns;
};

/* What an index frame says of its group as a whole. */
struct tape_index {
	unsigned marks;        /* of enum tape_index_mark */
	uint64_t entries;      /* of lines, those that have an entry */
	uint64_t lines;        /* of the group */
	uint64_t stored_bytes; /* of the group's frames, which end where the
	                          index frame begins */
	uint64_t text_bytes;   /* the same decompressed */
	uint64_t first_line; /* its number, from 1, in what one writer wrote */
	uint64_t back_bytes; /* from the begin of this index frame back to
	                          that of the one before; 0: there is none */
	uint32_t check;      /* the group's last four bytes */
};

/* FNV-1a of the bytes, 64 bits folded into 32. */
uint32_t tape_index_hash(const void *p, size_t len);

/* Rows as they are gathered. */
struct tape_index_rows {
	struct tape_buf bytes;
	uint64_t count;
	struct tape_index_entry last; /* what the next row is relative to */
};

void tape_index_rows_init(struct tape_index_rows *r);
void tape_index_rows_release(struct tape_index_rows *r);
void tape_index_rows_clear(struct tape_index_rows *r);

/* Adds one; TAPE_E_LIMIT at TAPE_INDEX_MAX_ENTRIES, TAPE_E_NOMEM.  A row that
   could not be added is not there. */
enum tape_status tape_index_rows_add(
    struct tape_index_rows *r, const struct tape_index_entry *e);

/* Appends the index frame to out; entries are those of the rows. */
enum tape_status tape_index_build(const struct tape_index *head,
    const struct tape_index_rows *rows, struct tape_buf *out);

/*
 * The length of an index frame whose last four bytes these are; 0 when there is
 * none of that length.  So files can be walked from their end.
 */
size_t tape_index_tail(const char last[4]);

/* The rows of an index frame that was read. */
struct tape_index_scan {
	const char *p, *end;
	uint64_t left;
	struct tape_index_entry last;
};

/*
 * Takes the len bytes of one index frame, which stay the caller's.
 * TAPE_E_FORMAT: they are none, or damaged; TAPE_E_VERSION: of a version that
 * is not this build's.
 */
enum tape_status tape_index_parse(const char *p, size_t len,
    struct tape_index *head, struct tape_index_scan *scan,
    struct tape_err *err) TAPE_NODISCARD;

/* The next entry; TAPE_EOF behind the last.  TAPE_E_FORMAT: a row is none. */
enum tape_status tape_index_next(struct tape_index_scan *s,
    struct tape_index_entry *e, struct tape_err *err) TAPE_NODISCARD;

#endif
