/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_grown: servers that repeat in each event what a choice has so far (SGLang,
 * and Triton with some settings), and those of them that do not.
 *
 * Which it is, the texts say: one that grows begins with the one before it.
 * What was taken for new text before that was known stays so.  A replacement
 * character at the end of a text that grows stands for a character that is not
 * whole yet, and is left for a later event.
 *
 * What these functions are told stays for the response: they are to be called
 * last, when an event is known to be understood.
 */
#ifndef TAPE_API_API_GROWN_H
#define TAPE_API_API_GROWN_H

#include "api/api_slots.h"

/*
 * Adds what is new of the content of a choice, which has been begun with this
 * index.  usual: what to take a text for until it is known.  final: the choice
 * ends with it.
 */
enum tape_status tape_api_add_grown(struct tape_api_state *s,
    struct tape_str text, enum tape_api_growth usual, bool final,
    struct tape_err *err) TAPE_NODISCARD;

/* The same of a member that is a string; others add nothing. */
enum tape_status tape_api_slot_grown(struct tape_api_state *s,
    const struct tape_api_slot *slot, enum tape_api_growth usual, bool final,
    struct tape_err *err) TAPE_NODISCARD;

/* tape_api_slots_event of such a dialect. */
enum tape_status tape_api_grown_decode(struct tape_api_decoder *d,
    struct tape_str type, struct tape_str data,
    struct tape_err *err) TAPE_NODISCARD;

/* Takes the count of tokens that a choice has so far; *sum is that of all. */
enum tape_status tape_api_add_count(struct tape_api_state *s, int64_t choice,
    int64_t count, int64_t *sum, struct tape_err *err) TAPE_NODISCARD;

#endif
