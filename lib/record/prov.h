/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prov: the chain of programs that made a stream, oldest first, as the JSON
 * array of a header.
 *
 * Each tool copies the chain of its input and appends itself.  No secret can
 * stand in it: argv comes from the option table, which redacts.
 */
#ifndef TAPE_RECORD_PROV_H
#define TAPE_RECORD_PROV_H

#include "base/buf.h"
#include "base/span.h"

struct tape_prov {
	const char *tool;
	const char *version;
	const char *const *argv; /* redacted; argv[0] is the tool */
	size_t argc;
	const char *host;    /* NULL: leave out */
	const char *started; /* ISO time; NULL: leave out */
	const char *libs;    /* "libcurl 7.88.1, zstd 1.5.4"; NULL: leave out */
	/* Formats read, as llmtape.trace 1.0; NULL: none. */
	const char *input;
};

/*
 * Appends to out the array of chain (absent or empty: none yet) and this
 * entry, with an id that is new in the chain: p1, p2, ...
 */
enum tape_status tape_prov_append(struct tape_buf *out, struct tape_str chain,
    const struct tape_prov *entry, struct tape_err *err) TAPE_NODISCARD;

#endif
