/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * coding: records to JSON text and back, driven by the table of schema.h.
 *
 * Decoding is strict (mode ours of codec/json): a missing required field, a
 * wrong type, an integer out of range, a duplicate key are TAPE_E_FORMAT.
 * Unknown fields are ignored.  Absent fields are not written.
 *
 * Besides the line, a decoded record takes at most 6 times the line's bytes,
 * whatever stands there.
 */
#ifndef TAPE_RECORD_CODING_H
#define TAPE_RECORD_CODING_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "codec/json.h"
#include "record/schema.h"

/* Value of tape_record.kind when the text names a kind this build lacks. */
#define TAPE_KIND_UNKNOWN (-1)

/*
 * One decoded record.  Spans point into the line that was decoded, or into the
 * arena: they live until the next decode, or until the line goes.
 */
struct tape_record {
	int kind;             /* enum tape_kind or TAPE_KIND_UNKNOWN */
	struct tape_str line; /* the record as it was read, without LF */
	union {
		struct tape_header header;
		struct tape_end end;
		struct tape_vocab vocab;
		struct tape_request request;
		struct tape_run run;
		struct tape_exchange exchange; /* part and exchange */
		struct tape_tick clock;
		struct tape_sample sample;
		struct tape_fidelity fidelity;
		struct tape_response response;
		struct tape_live_event event;
		struct tape_result result;
		struct tape_summary summary;
		struct tape_check check;
		struct tape_failure_group failure;
		struct tape_observed telemetry;
		struct tape_engine engine;
		struct tape_comparison comparison;
		struct tape_verdict verdict;
	} u;
	struct tape_arena arena;
	struct tape_json json; /* the decoder's */
};

void tape_record_init(struct tape_record *rec);
void tape_record_release(struct tape_record *rec);

/*
 * Decodes one line (borrowed).  An unknown kind is not an error here: kind is
 * then TAPE_KIND_UNKNOWN, and the reader decides.
 */
enum tape_status tape_record_decode(struct tape_record *rec, const char *line,
    size_t len, struct tape_err *err) TAPE_NODISCARD;

/*
 * Appends {"kind":...} for the struct of that kind, without LF.  On failure out
 * is as it was.  TAPE_E_BUG: a required field is absent, or a value is none
 * that a reader would take (an integer out of range, a number that is not
 * finite, a string with NUL or not of UTF-8).  That JSON fields hold well-formed
 * JSON is the caller's word; only their first byte is looked at.
 */
enum tape_status tape_record_encode(enum tape_kind kind, const void *record,
    struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

#endif
