/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_dist.h"

#include "base/num.h"

#include <string.h>

#define TOKENS_MAX 1e9

static enum tape_status
one_ns(const char *text, double *out, struct tape_err *err)
{
	int64_t ns = 0;
	enum tape_status st = tape_num_duration_ns(text, &ns, err);

	if (st == TAPE_OK)
		*out = (double)ns;
	return st;
}

static enum tape_status
one_tokens(const char *text, double *out, struct tape_err *err)
{
	return tape_num_double(text, 0, TOKENS_MAX, out, err);
}

/* MEAN[,SD], each by one(). */
static enum tape_status
parse(const char *text, struct tape_serve_dist *d,
    enum tape_status (*one)(const char *, double *, struct tape_err *),
    struct tape_err *err)
{
	struct tape_serve_dist got = { 0 };
	const char *comma = strchr(text, ',');
	size_t len = comma != NULL ? (size_t)(comma - text) : strlen(text);
	char mean[64];
	enum tape_status st;

	if (len >= sizeof(mean))
		return tape_err_set(
		    err, TAPE_E_USAGE, "'%s' is not MEAN[,SD]", text);
	memcpy(mean, text, len);
	mean[len] = '\0';
	st = one(mean, &got.mean, err);
	if (st == TAPE_OK && comma != NULL)
		st = one(comma + 1, &got.sd, err);
	if (st == TAPE_OK && got.sd > 0 && got.mean <= 0)
		st = tape_err_set(
		    err, TAPE_E_USAGE, "a deviation needs a mean above 0");
	if (st == TAPE_OK)
		*d = got;
	return st;
}

enum tape_status
tape_serve_dist_parse_ns(
    const char *text, struct tape_serve_dist *d, struct tape_err *err)
{
	return parse(text, d, one_ns, err);
}

enum tape_status
tape_serve_dist_parse_tokens(
    const char *text, struct tape_serve_dist *d, struct tape_err *err)
{
	struct tape_serve_dist got = { 0 };
	enum tape_status st = parse(text, &got, one_tokens, err);

	if (st == TAPE_OK && got.mean < 1)
		st = tape_err_set(
		    err, TAPE_E_USAGE, "'%s' is less than one token", text);
	if (st == TAPE_OK)
		*d = got;
	return st;
}

double
tape_serve_dist_draw(const struct tape_serve_dist *d, struct tape_rng *rng)
{
	double r;

	if (!(d->sd > 0) || !(d->mean > 0))
		return d->mean;
	r = d->mean / d->sd;
	return tape_rng_gamma(rng, r * r, d->mean / (r * r));
}
