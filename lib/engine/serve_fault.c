/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_fault.h"

#include "base/num.h"
#include "codec/stat_rng.h"

#include <string.h>

#define AFTER 3 /* token events, unless said */

static const char *const names[TAPE_SERVE_FAULTS] = {
	[TAPE_SERVE_NO_FAULT] = "none",
	[TAPE_SERVE_429] = "429",
	[TAPE_SERVE_500] = "500",
	[TAPE_SERVE_503] = "503",
	[TAPE_SERVE_CLOSE] = "close",
	[TAPE_SERVE_RESET] = "reset",
	[TAPE_SERVE_STALL] = "stall",
	[TAPE_SERVE_TRUNCATE] = "truncate",
	[TAPE_SERVE_MALFORMED] = "malformed",
	[TAPE_SERVE_ERROR_EVENT] = "error-event",
	[TAPE_SERVE_BAD_CHUNK] = "bad-chunk",
	[TAPE_SERVE_STALE] = "stale",
};

const char *
tape_serve_fault_name(enum tape_serve_fault_kind kind)
{
	return names[kind];
}

/* Copies the text up to the next colon, and goes behind that. */
static bool
next_field(const char **at, char *dst, size_t size)
{
	size_t len = strcspn(*at, ":");

	if (len == 0 || len >= size)
		return false;
	memcpy(dst, *at, len);
	dst[len] = '\0';
	*at += len + ((*at)[len] == ':');
	return true;
}

static enum tape_status
parse_share(const char *text, struct tape_serve_fault *f, struct tape_err *err)
{
	if (strncmp(text, "1/", 2) == 0)
		return tape_num_u64(text + 2, 1, INT64_MAX, &f->every, err);
	return tape_num_share_ratio(text, &f->share, err);
}

enum tape_status
tape_serve_fault_parse(
    const char *text, struct tape_serve_fault *f, struct tape_err *err)
{
	struct tape_serve_fault got = { .after = AFTER };
	const char *at = text;
	char kind[16], share[32];
	enum tape_status st;
	int k;

	if (!next_field(&at, kind, sizeof(kind)) ||
	    !next_field(&at, share, sizeof(share)))
		return tape_err_set(
		    err, TAPE_E_USAGE, "'%s' is not KIND:SHARE[:N]", text);
	for (k = TAPE_SERVE_429; k < TAPE_SERVE_FAULTS; k++)
		if (strcmp(kind, names[k]) == 0)
			break;
	if (k == TAPE_SERVE_FAULTS)
		return tape_err_set(
		    err, TAPE_E_USAGE, "'%s' is not a kind of fault", kind);
	got.kind = (enum tape_serve_fault_kind)k;
	st = parse_share(share, &got, err);
	if (st == TAPE_OK && *at != '\0')
		st = tape_num_u64(at, 0, INT64_MAX, &got.after, err);
	if (st == TAPE_OK)
		*f = got;
	return st;
}

struct tape_serve_fault
tape_serve_fault_choose(const struct tape_serve_fault *f, size_t n,
    uint64_t seed, uint64_t key, uint64_t number)
{
	struct tape_serve_fault none = { .kind = TAPE_SERVE_NO_FAULT };
	struct tape_rng rng;
	size_t i;
	double u;

	tape_rng_init(&rng, seed, TAPE_RNG_SERVE_FAULT, (uint32_t)key,
	    (uint32_t)(key >> 32));
	for (i = 0; i < n; i++) {
		/* drawn in any case, so that faults do not shift each other */
		u = tape_rng_double(&rng);
		if (f[i].every > 0 ? number % f[i].every == 0 : u < f[i].share)
			return f[i];
	}
	return none;
}
