/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_slots: reading an event by the names of its members.
 *
 * For dialects whose events say what they are in a member that may come behind
 * the others: an object is read once, which also checks it, and the members
 * that were asked for are left as source texts; what they mean is looked at
 * then, in any order.  Objects within are read the same way.
 *
 * Member names count as JSON has them, without escapes; of several the last.
 */
#ifndef TAPE_API_API_SLOTS_H
#define TAPE_API_API_SLOTS_H

#include "api/api_decode.h"
#include "api/api_items.h"

#define TAPE_API_WORD 64 /* bytes of a short string, as types are */

struct tape_api_slot {
	const char *name; /* set by the caller, as are no others */
	enum tape_json_type type;
	struct tape_str raw; /* JSON text in the data; absent: no member */
	char word[TAPE_API_WORD];
	size_t word_len; /* of a string that fits, else 0 */
};

/*
 * Reads an object into the slots.  A member llmtape and server timings, which
 * may stand in an event of any dialect, are taken on the way.  Fails as
 * codec/json does, and when the text is no object.
 */
enum tape_status tape_api_slots_read(struct tape_api_state *s,
    struct tape_str json, struct tape_api_slot *slots, size_t n,
    struct tape_err *err) TAPE_NODISCARD;

/* The same of a member that was read before; no object: all are absent. */
enum tape_status tape_api_slots_within(struct tape_api_state *s,
    const struct tape_api_slot *of, struct tape_api_slot *slots, size_t n,
    struct tape_err *err) TAPE_NODISCARD;

/* A string of that text, of TAPE_API_WORD bytes at most. */
bool tape_api_slot_is(const struct tape_api_slot *slot, const char *word);

/* No string, or one of nothing. */
bool tape_api_slot_is_empty(const struct tape_api_slot *slot);

/* Its short string, which lives as long as the slot; else absent. */
struct tape_str tape_api_slot_word(const struct tape_api_slot *slot);

/* The elements of a member that is an array, for tape_api_items_next; none when
   it is no array. */
struct tape_str tape_api_slot_items(const struct tape_api_slot *slot);

/*
 * Add what a member says, absent or of other types than expected: nothing.
 * text: a string.  json: a string, or else the source text of an object or an
 * array (arguments of tools).  finish, id: a string.  usage, error: as the
 * readers in api_decode.h.
 */
enum tape_status tape_api_slot_text(struct tape_api_state *s,
    enum tape_api_kind kind, const struct tape_api_slot *slot,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_slot_json(struct tape_api_state *s,
    enum tape_api_kind kind, const struct tape_api_slot *slot,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_slot_finish(struct tape_api_state *s,
    const struct tape_api_slot *slot, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_slot_id(struct tape_api_state *s,
    const struct tape_api_slot *slot, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_slot_usage(struct tape_api_state *s,
    const struct tape_api_slot *slot, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_slot_error(struct tape_api_state *s,
    const struct tape_api_slot *slot, struct tape_err *err) TAPE_NODISCARD;

/*
 * An event of a stream: [DONE], nothing, one like the last by the short way, an
 * error by its type even where it is no object, or what read of that dialect
 * makes of it.  decode is of the decoder's own.
 */
enum tape_status tape_api_slots_event(struct tape_api_decoder *d,
    const struct tape_api *api, struct tape_str type, struct tape_str data,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_slots_decode(struct tape_api_decoder *d,
    struct tape_str type, struct tape_str data,
    struct tape_err *err) TAPE_NODISCARD;

#endif
