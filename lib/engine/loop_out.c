/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a loop has for others: notes for the feeder, pieces for the sink.  It is
 * kept until the sends that are due are out, for handing it on may wake a thread,
 * and that takes longer than all the rest of a send.
 */
#include "engine/loop_impl.h"

static void
push_pieces(struct tape_loop *l)
{
	for (size_t i = 0; i < l->out.pieces_n; i++) {
		int64_t stalled = 0;

		tape_sink_piece(l->opts.sink, l->out.pieces[i], &stalled);
		if (stalled == 0)
			continue;
		l->stats.queue_stalls++;
		l->stats.queue_stalled_ns += stalled;
	}
	l->out.pieces_n = 0;
}

void
tape_loop_flush(struct tape_loop *l)
{
	struct tape_err err = { 0 };
	size_t n = l->out.notes_n;
	bool urgent = l->out.urgent;

	l->out.notes_n = 0;
	l->out.urgent = false;
	if (n > 0 && tape_post_put(l->opts.post, l->out.notes, n, urgent,
			 &err) != TAPE_OK)
		tape_loop_break(l, &err);
	push_pieces(l);
}

void
tape_loop_flush_if(struct tape_loop *l, bool near)
{
	if (!near || l->out.urgent || l->out.notes_n >= TAPE_POST_BATCH)
		tape_loop_flush(l);
}

void
tape_loop_tell(struct tape_loop *l, const struct tape_note *note, bool urgent)
{
	if (l->out.notes_n == TAPE_LOOP_OUT)
		tape_loop_flush(l);
	l->out.notes[l->out.notes_n++] = *note;
	l->out.urgent = l->out.urgent || urgent;
}

void
tape_loop_hand_on(struct tape_loop *l, struct tape_piece *p)
{
	if (l->out.pieces_n == TAPE_LOOP_OUT)
		tape_loop_flush(l);
	l->out.pieces[l->out.pieces_n++] = p;
}

void
tape_loop_drop_out(struct tape_loop *l)
{
	for (size_t i = 0; i < l->out.pieces_n; i++)
		tape_piece_free(l->out.pieces[i]);
	l->out.pieces_n = 0;
}
