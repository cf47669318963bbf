/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/gen_synthetic.h"

#include "base/num.h"

#include <stdio.h>

#define TOKENS_MAX 1e7
#define REDRAWS    1000

enum tape_status
tape_lengths_parse(
    const char *s, struct tape_lengths *out, struct tape_err *err)
{
	char mean[64];
	const char *comma = strchr(s, ',');
	struct tape_lengths v = { 0, 0 };
	size_t n = comma == NULL ? strlen(s) : (size_t)(comma - s);
	enum tape_status st;

	if (n >= sizeof(mean))
		return tape_err_set(
		    err, TAPE_E_USAGE, "'%.40s' is too long", s);
	memcpy(mean, s, n);
	mean[n] = '\0';
	st = tape_num_double(mean, 1, TOKENS_MAX, &v.mean, err);
	if (st == TAPE_OK && comma != NULL)
		st = tape_num_double(comma + 1, 0, TOKENS_MAX, &v.sd, err);
	if (st == TAPE_OK)
		*out = v;
	return st;
}

static int64_t
draw(const struct tape_lengths *law, struct tape_rng *rng)
{
	double v = law->mean;

	if (law->sd == 0)
		return llround(v);
	for (int i = 0; i < REDRAWS; i++) {
		v = round(tape_rng_normal(rng, law->mean, law->sd));
		if (v >= 1 && v <= TOKENS_MAX)
			return (int64_t)v;
	}
	return 1;
}

static void
print_labels(char *dst, size_t size, double isl, double osl)
{
	char a[TAPE_NUM_TEXT], b[TAPE_NUM_TEXT];

	(void)snprintf(dst, size, "{\"isl\":%s,\"osl\":%s}",
	    tape_num_print_double(isl, a), tape_num_print_double(osl, b));
}

enum tape_status
tape_gen_synthetic(struct tape_gen *g, const struct tape_lengths *isl,
    const struct tape_lengths *osl, uint64_t count, struct tape_err *err)
{
	char labels[128];
	struct tape_rng in, out;
	struct tape_request r;
	enum tape_status st = TAPE_OK;

	print_labels(labels, sizeof(labels), isl->mean, osl->mean);
	tape_rng_init(&in, g->opts.seed, TAPE_RNG_GEN_INPUT, 0, 0);
	tape_rng_init(&out, g->opts.seed, TAPE_RNG_GEN_OUTPUT, 0, 0);
	for (uint64_t i = 0; i < count && st == TAPE_OK; i++) {
		int64_t id = (int64_t)i, tokens = draw(isl, &in);
		struct tape_i64s ids = { &id, 1 };

		tape_schema_init(TAPE_KIND_REQUEST, &r);
		r.output_tokens = draw(osl, &out);
		r.labels = tape_str_of(labels);
		st = tape_gen_blocks(g, &r, tokens, ids, tokens, err);
		if (st == TAPE_OK)
			st = tape_gen_put(g, &r, err);
		if (st < TAPE_OK)
			(void)tape_err_at(err, "request", i + 1);
	}
	return st == TAPE_EOF ? TAPE_OK : st;
}
