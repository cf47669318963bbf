/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_split.h"

#include <stdbool.h>
#include <string.h>

static bool
ends_event(const char *p, size_t at)
{
	if (at >= 1 && p[at - 1] == '\n')
		return true;
	return at >= 2 && p[at - 1] == '\r' && p[at - 2] == '\n';
}

/* Behind the next empty line; len when there is none. */
static size_t
next_cut(const char *p, size_t from, size_t len)
{
	const char *lf;

	for (size_t at = from; at < len; at++) {
		lf = memchr(p + at, '\n', len - at);
		if (lf == NULL)
			return len;
		at = (size_t)(lf - p);
		if (!ends_event(p, at))
			continue;
		at++;
		if (len - at >= 2 && p[at] == '\r' && p[at + 1] == '\n')
			at += 2;
		return at;
	}
	return len;
}

size_t
tape_http_split_find(
    const char *p, size_t len, size_t cut[TAPE_HTTP_SPLIT_CUTS])
{
	size_t n = 0, at = 0;

	while (at < len && n < TAPE_HTTP_SPLIT_CUTS) {
		at = next_cut(p, at, len);
		cut[n++] = at;
	}
	cut[n - 1] = len;
	return n;
}
