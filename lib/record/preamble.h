/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preamble: the fixed begin of a header line, which says what a stream is
 * before anything of it is decoded:
 *
 *	{"kind":"header","format":"llmtape.trace","version":"1.0",
 *
 * So a stream of another format or of another major version is named as such,
 * whatever the rest of its header may look like.
 */
#ifndef TAPE_RECORD_PREAMBLE_H
#define TAPE_RECORD_PREAMBLE_H

#include "record/schema.h"

#include "base/err.h"

struct tape_preamble {
	enum tape_format format;
	uint64_t minor; /* of the version; the major one is ours */
};

/*
 * Reads the first line of a segment.  accepted is an or of enum tape_format.
 * TAPE_E_FORMAT: not a header, with the line's first bytes; an unknown format;
 * one that is not accepted, with what makes an accepted one of it.
 * TAPE_E_VERSION: another major version.
 */
enum tape_status tape_preamble_read(struct tape_preamble *p,
    struct tape_str line, unsigned accepted,
    struct tape_err *err) TAPE_NODISCARD;

/* The epochs of a header, on which all times of the segment hang, are times.
   TAPE_E_FORMAT when one is not. */
enum tape_status tape_preamble_check_epochs(
    const struct tape_header *h, struct tape_err *err) TAPE_NODISCARD;

#endif
