/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/entry.h"

#include <string.h>

static uint8_t
number_of(int kind)
{
	switch (kind) {
	case TAPE_KIND_PART:
		return TAPE_ENTRY_PART;
	case TAPE_KIND_EXCHANGE:
		return TAPE_ENTRY_EXCHANGE;
	case TAPE_KIND_RESPONSE:
		return TAPE_ENTRY_RESPONSE;
	default:
		return 0;
	}
}

bool
tape_entry_has(int kind)
{
	return number_of(kind) != 0;
}

bool
tape_entry_of(
    enum tape_kind kind, const void *record, struct tape_index_entry *e)
{
	const struct tape_transfer *t =
	    kind == TAPE_KIND_RESPONSE
		? &((const struct tape_response *)record)->t
		: &((const struct tape_exchange *)record)->t;

	memset(e, 0, sizeof(*e));
	if (t->id.p == NULL)
		return false;
	e->kind = number_of((int)kind);
	e->has_id = true;
	e->id_hash = tape_index_hash(t->id.p, t->id.len);
	e->has_x = true;
	e->x = t->x;
	e->has_times = e->kind != TAPE_ENTRY_PART &&
		       t->start_ns != TAPE_ABSENT_I64 &&
		       t->end_ns != TAPE_ABSENT_I64;
	if (e->has_times) {
		e->start_ns = t->start_ns;
		e->end_ns = t->end_ns;
	}
	return true;
}
