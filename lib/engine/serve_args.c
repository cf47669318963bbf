/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_args.h"

#include "base/clock.h"
#include "base/num.h"

#include <string.h>

/* Cuts a copy of text at the first sep; what is behind it, or NULL. */
static const char *
cut(const char *text, char sep, char *copy, size_t size)
{
	const char *at = strchr(text, sep);
	size_t len = at != NULL ? (size_t)(at - text) : strlen(text);

	/* what is too long is no number either */
	if (len >= size)
		len = size - 1;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return at != NULL ? at + 1 : NULL;
}

enum tape_status
tape_serve_parse_range(
    const char *text, struct tape_serve_range *r, struct tape_err *err)
{
	char copy[32];
	const char *rest = cut(text, '-', copy, sizeof(copy));
	uint64_t min = 0, max = 0;
	enum tape_status st =
	    tape_num_u64(copy, 1, TAPE_SERVE_EVENT_TOKENS_MAX, &min, err);

	max = min;
	if (st == TAPE_OK && rest != NULL)
		st = tape_num_u64(
		    rest, min, TAPE_SERVE_EVENT_TOKENS_MAX, &max, err);
	if (st != TAPE_OK)
		return st;
	r->min = (uint32_t)min;
	r->max = (uint32_t)max;
	return TAPE_OK;
}

enum tape_status
tape_serve_parse_split(
    const char *text, struct tape_serve_split *s, struct tape_err *err)
{
	char copy[32];
	const char *rest = cut(text, ',', copy, sizeof(copy));
	uint64_t writes = 0;
	int64_t gap_ns = TAPE_NS_PER_MS;
	enum tape_status st =
	    tape_num_u64(copy, 1, TAPE_SERVE_SPLIT_MAX, &writes, err);

	if (st == TAPE_OK && rest != NULL)
		st = tape_num_duration_ns(rest, &gap_ns, err);
	if (st != TAPE_OK)
		return st;
	s->writes = (uint32_t)writes;
	s->gap_ns = gap_ns;
	return TAPE_OK;
}

enum tape_status
tape_serve_parse_cold(
    const char *text, struct tape_serve_cold *c, struct tape_err *err)
{
	char copy[32];
	const char *rest = cut(text, ',', copy, sizeof(copy));
	uint64_t requests = 0;
	double times = 5;
	enum tape_status st =
	    tape_num_u64(copy, 1, UINT64_C(1) << 32, &requests, err);

	if (st == TAPE_OK && rest != NULL)
		st =
		    tape_num_double(rest, 1, TAPE_SERVE_TIMES_MAX, &times, err);
	if (st != TAPE_OK)
		return st;
	c->requests = requests;
	c->times = times;
	return TAPE_OK;
}
