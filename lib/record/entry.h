/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * entry: what index frames say of a record: those of exchanges have an entry,
 * by which they are found again.  Others have none: an index of a trace or of
 * metrics would cost a tenth of these small records, and nobody searches them.
 */
#ifndef TAPE_RECORD_ENTRY_H
#define TAPE_RECORD_ENTRY_H

#include "codec/stream_index.h"
#include "record/schema.h"

/* Kinds as index frames number them, for ever. */
enum tape_entry_kind {
	TAPE_ENTRY_PART = 1,
	TAPE_ENTRY_EXCHANGE = 2,
	TAPE_ENTRY_RESPONSE = 3
};

/* Whether records of that kind have an entry. */
bool tape_entry_has(int kind);

/*
 * Fills the entry of a record of that kind, which has one.  False when the
 * record lacks the id that it should have: it was not decoded.
 */
bool tape_entry_of(
    enum tape_kind kind, const void *record, struct tape_index_entry *e);

#endif
