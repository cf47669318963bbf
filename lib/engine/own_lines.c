/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/own_lines.h"

#include "base/clock.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

uint64_t
tape_own_lines_salt(void)
{
	struct timespec wall = { 0 };
	const int64_t mono_ns = tape_clock_now_ns(&tape_clock_system);
	const pid_t pid = getpid();
	uint64_t h = TAPE_HASH_START;

	(void)clock_gettime(CLOCK_REALTIME, &wall);
	h = tape_hash_add(h, &wall.tv_sec, sizeof(wall.tv_sec));
	h = tape_hash_add(h, &wall.tv_nsec, sizeof(wall.tv_nsec));
	h = tape_hash_add(h, &mono_ns, sizeof(mono_ns));
	return tape_hash_add(h, &pid, sizeof(pid));
}

char *
tape_own_lines_id(uint64_t salt, int64_t x, char dst[TAPE_OWN_ID_TEXT])
{
	/* Version 8: whatever its maker likes (RFC 9562). */
	(void)snprintf(dst, TAPE_OWN_ID_TEXT,
	    "%08" PRIx64 "-%04" PRIx64 "-8%03" PRIx64 "-8000-%012" PRIx64,
	    salt >> 32, (salt >> 16) & 0xffff, salt & 0xfff,
	    (uint64_t)x & 0xffffffffffff);
	return dst;
}

static void
add_line(struct tape_own_lines_text *t, const char *name, struct tape_str value)
{
	static const char digits[] = "0123456789ABCDEF";
	char *at = t->text[t->n];
	const char *end = at + TAPE_OWN_LINE_BYTES - 4;

	at += snprintf(at, TAPE_OWN_LINE_BYTES / 2, "%.500s: ", name);
	for (size_t i = 0; i < value.len && at < end; i++) {
		unsigned char c = (unsigned char)value.p[i];

		if (c > 0x20 && c < 0x7f && c != '%') {
			*at++ = (char)c;
			continue;
		}
		*at++ = '%';
		*at++ = digits[c >> 4];
		*at++ = digits[c & 15];
	}
	*at = '\0';
	t->line[t->n] = t->text[t->n];
	t->n++;
}

void
tape_own_lines_fill(struct tape_own_lines_text *t,
    const struct tape_own_lines *names, struct tape_str session, const char *id)
{
	t->n = 0;
	if (names->session != NULL && session.p != NULL)
		add_line(t, names->session, session);
	if (names->id != NULL)
		add_line(t, names->id, tape_str_of(id));
}
