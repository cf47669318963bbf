/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/merged.h"

#include <string.h>

/* Empty lines that end in p[from .. to): LF LF, or LF CR LF. */
static int64_t
count_ends(const char *p, size_t from, size_t to)
{
	int64_t n = 0;

	for (size_t at = from; at < to; at++) {
		const char *lf = memchr(p + at, '\n', to - at);

		if (lf == NULL)
			break;
		at = (size_t)(lf - p);
		n += (at >= 1 && lf[-1] == '\n') ||
		     (at >= 2 && lf[-1] == '\r' && lf[-2] == '\n');
	}
	return n;
}

void
tape_merged_count(struct tape_merged *m, const struct tape_piece *p)
{
	size_t at = 0;

	for (size_t i = 0; i < p->reads_n; i++) {
		size_t end = at + (size_t)p->reads[i].bytes;
		int64_t n;

		if (end > p->body.len)
			return;
		n = count_ends(p->body.data, at, end);
		at = end;
		m->events += n;
		if (n < 2)
			continue;
		m->reads++;
		m->behind += n - 1;
		if (p->reads[i].lag_ns > TAPE_MERGED_LATE_NS)
			m->late += n - 1;
	}
}
