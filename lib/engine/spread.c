/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/spread.h"

void
tape_spread_release(struct tape_spread *s)
{
	tape_idmap_release(&s->now);
	tape_idmap_release(&s->before);
	*s = (struct tape_spread){ 0 };
}

void
tape_spread_begin(struct tape_spread *s, size_t servers)
{
	tape_spread_release(s);
	s->servers = servers;
}

static size_t
in_turn(struct tape_spread *s)
{
	return (size_t)(s->next++ % s->servers);
}

/* What was asked for lately goes over when the older half is forgotten. */
static void
forget(struct tape_spread *s)
{
	if (s->now.n < TAPE_SPREAD_KNOWN)
		return;
	tape_idmap_release(&s->before);
	s->before = s->now;
	s->now = (struct tape_idmap){ 0 };
}

enum tape_status
tape_spread_pick(struct tape_spread *s, struct tape_str session, uint64_t pass,
    size_t *server, struct tape_err *err)
{
	uint64_t key, known;

	*server = 0;
	if (s->servers <= 1)
		return TAPE_OK;
	if (session.p == NULL) {
		*server = in_turn(s);
		return TAPE_OK;
	}
	key = tape_idmap_mix(tape_idmap_key(session.p, session.len), pass);
	if (tape_idmap_get(&s->now, key, &known)) {
		*server = (size_t)known;
		return TAPE_OK;
	}
	*server = tape_idmap_get(&s->before, key, &known) ? (size_t)known
							  : in_turn(s);
	forget(s);
	return tape_idmap_add(&s->now, key, *server, err);
}
