/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_made: a usage or timing object whose members a server sends apart from
 * each other, in the event itself or beside other things.
 *
 * Members are added under the names that the server gives them; then the object
 * is taken like one that was sent.  Each event begins with empty ones.
 */
#ifndef TAPE_API_API_MADE_H
#define TAPE_API_API_MADE_H

#include "api/api_slots.h"

/* Adds the members that are numbers; others are none. */
void tape_api_made_add(struct tape_api_state *s, enum tape_api_made which,
    const struct tape_api_slot *slots, size_t n);

void tape_api_made_i64(struct tape_api_state *s, enum tape_api_made which,
    const char *name, int64_t value);

/*
 * Take the object, unless it is empty: as usage, or as the server timing of
 * that name, which is one of api_read.c.  usage leaves s->json at another text.
 */
enum tape_status tape_api_made_usage(
    struct tape_api_state *s, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_made_timing(struct tape_api_state *s,
    const char *name, struct tape_err *err) TAPE_NODISCARD;

/* Takes an object that was sent as the server timing of that name. */
void tape_api_take_timing(
    struct tape_api_state *s, const char *name, struct tape_str json);

/* A member that is an integer; false for others. */
bool tape_api_slot_i64(const struct tape_api_slot *slot, int64_t *out);

/* The index of a choice, *out as it was when there is none; false when it is
   none that can be. */
bool tape_api_slot_index(const struct tape_api_slot *slot, int64_t *out);

/*
 * Reads a body that is an object, or a list of objects of which each is a
 * choice.  Of usages and timings those of the last stand.
 */
enum tape_status tape_api_slots_each(struct tape_api_decoder *d,
    enum tape_status (*read)(
	struct tape_api_decoder *d, struct tape_str data, struct tape_err *err),
    struct tape_str body, struct tape_err *err) TAPE_NODISCARD;

#endif
