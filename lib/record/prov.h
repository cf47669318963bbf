/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prov: the chain of programs that made a stream, oldest first, as the JSON
 * array of a header.
 *
 * Each tool copies the chains of its inputs and appends itself.  No secret can
 * stand in it: argv comes from the option table, which redacts.
 *
 * Every entry has an id and, but for those that read nothing, from: the ids of
 * the entries that made its inputs.  Ids are p1, p2, ... in the order of the
 * array, whatever they were in the chains that are copied.
 */
#ifndef TAPE_RECORD_PROV_H
#define TAPE_RECORD_PROV_H

#include "base/buf.h"
#include "base/span.h"

#define TAPE_PROV_MAX 65536 /* entries of a chain */

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
 * Appends to out one array of all chains, in their order, and this entry,
 * which follows the last entry of each.  An entry that several chains have in
 * common, being the same to the byte and having the same origins, is written
 * once.  Absent and empty chains add nothing.
 *
 * TAPE_E_FORMAT: a chain is not an array of objects with distinct ids and
 * origins that stand before them; TAPE_E_LIMIT: more than TAPE_PROV_MAX
 * entries; TAPE_E_NOMEM.
 */
enum tape_status tape_prov_join(struct tape_buf *out, struct tape_strs chains,
    const struct tape_prov *entry, struct tape_err *err) TAPE_NODISCARD;

#endif
