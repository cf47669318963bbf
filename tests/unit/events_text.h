/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * events_text: events of a response, written as "5r 214c 234c": a time in ms and
 * a class, each.
 */
#ifndef TAPE_UNIT_EVENTS_TEXT_H
#define TAPE_UNIT_EVENTS_TEXT_H

#include "base/buf.h"

#include <inttypes.h>

#define MS INT64_C(1000000)

/* Appends the record's member: "events":{...}, all by the kernel's clock. */
static void
events_member(struct tape_buf *out, const char *events)
{
	struct tape_buf class;
	const char *p = events;

	tape_buf_init(&class, 1 << 16);
	(void)tape_buf_add_str(out, "\"events\":{\"t_ns\":[");
	while (*p != '\0') {
		int64_t ms = 0;

		for (; *p >= '0' && *p <= '9'; p++)
			ms = ms * 10 + (*p - '0');
		(void)tape_buf_add_fmt(
		    out, "%s%" PRId64, class.len > 0 ? "," : "", ms * MS);
		(void)tape_buf_add_char(&class, *p++);
		p += *p == ' ';
	}
	(void)tape_buf_add_fmt(out, "],\"class\":\"%s\",\"clk\":\"",
	    class.len > 0 ? class.data : "");
	for (size_t i = 0; i < class.len; i++)
		(void)tape_buf_add_char(out, 'k');
	(void)tape_buf_add_str(out, "\"}");
	tape_buf_release(&class);
}

#endif
