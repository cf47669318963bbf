/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * framing_show: all that a framing of any kind hands out, as one text: that of
 * sse_show.h, whose functions take it.
 */
#ifndef TAPE_UNIT_FRAMING_SHOW_H
#define TAPE_UNIT_FRAMING_SHOW_H

#include "codec/framing.h"
#include "unit/sse_show.h"

struct framing_show {
	struct sse_show s; /* its log and its error; not its parser */
	struct tape_framer f;
};

static inline void
framing_show_init(struct framing_show *s)
{
	static const struct tape_sse_calls calls = { sse_show_event,
		sse_show_comment, sse_show_field };

	sse_show_init(&s->s);
	tape_framer_init(&s->f, &calls, &s->s);
}

static inline void
framing_show_release(struct framing_show *s)
{
	tape_framer_release(&s->f);
	sse_show_release(&s->s);
}

static inline void
framing_show_clear(struct framing_show *s, enum tape_framing_kind kind)
{
	sse_show_clear(&s->s);
	tape_framer_clear(&s->f, kind);
}

static inline void
framing_show_feed(struct framing_show *s, const char *bytes, size_t len)
{
	if (s->s.status == TAPE_OK)
		s->s.status = tape_framer_feed(&s->f, bytes, len, &s->s.err);
}

static inline void
framing_show_end(struct framing_show *s)
{
	const struct tape_sse_counts *c = tape_framer_counts(&s->f);
	const uint64_t tail = tape_framer_tail(&s->f);

	if (s->s.status == TAPE_OK)
		s->s.status = tape_framer_end(&s->f, &s->s.err);
	if (s->s.status != TAPE_OK)
		(void)tape_buf_add_fmt(&s->s.log, "error: %s\n", s->s.err.text);
	else
		(void)tape_buf_add_fmt(&s->s.log,
		    "end: %" PRIu64 " events, %" PRIu64 " tail\n", c->events,
		    tail);
}

#endif
