/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * framing: how the events of a streamed answer are told apart.
 */
#ifndef TAPE_CODEC_FRAMING_H
#define TAPE_CODEC_FRAMING_H

enum tape_framing_kind {
	TAPE_FRAMING_SSE,    /* text/event-stream */
	TAPE_FRAMING_NDJSON, /* a JSON value a line */
	TAPE_FRAMING_ARRAY,  /* the elements of one JSON array */
	TAPE_FRAMING_BINARY  /* application/vnd.amazon.eventstream */
};

#endif
