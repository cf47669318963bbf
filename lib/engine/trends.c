/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/trends.h"

#include "codec/json_write.h"
#include "codec/stat_rng.h"

#include <math.h>
#include <string.h>

static bool
is_found(double p, double by, double of)
{
	return p <= TAPE_TRENDS_P && fabs(by) >= TAPE_TRENDS_RATIO * fabs(of);
}

enum tape_status
tape_trend_find(const double *x, size_t n, const char *name,
    struct tape_trend *out, struct tape_err *err)
{
	const uint32_t row = tape_rng_fnv32(name, strlen(name));
	struct tape_stat_change *c = &out->c;
	enum tape_status st;

	memset(out, 0, sizeof(*out));
	if (n < TAPE_STAT_CHANGE_MIN)
		return TAPE_OK;
	st = tape_stat_change(x, n, row, c, err);
	if (st != TAPE_OK)
		return st;
	out->known = true;
	if (is_found(c->trend_p, c->rise, c->median)) {
		out->rises = c->rise > 0;
		out->falls = c->rise < 0;
	}
	out->halves = is_found(c->halves_p, c->second - c->first, c->first);
	out->steps = c->step_fits &&
		     is_found(c->step_p, c->after - c->before, c->before);
	return TAPE_OK;
}

static enum tape_status
write_trend(const struct tape_stat_change *c, struct tape_summary *s,
    char text[TAPE_TREND_TEXT], struct tape_err *err)
{
	struct tape_json_writer w;
	struct tape_buf b;
	enum tape_status st;

	tape_buf_init(&b, TAPE_TREND_TEXT);
	tape_json_write_init(&w, &b);
	tape_json_write_object(&w, NULL);
	tape_json_write_double(&w, "rise", c->rise);
	tape_json_write_double(&w, "n_eff", c->n_eff);
	tape_json_write_double(&w, "p", c->trend_p);
	tape_json_write_double(&w, "first", c->first);
	tape_json_write_double(&w, "second", c->second);
	tape_json_write_double(&w, "halves_p", c->halves_p);
	tape_json_write_u64(&w, "step_at", c->step_at);
	tape_json_write_double(&w, "before", c->before);
	tape_json_write_double(&w, "after", c->after);
	tape_json_write_double(&w, "step_p", c->step_p);
	tape_json_write_object_end(&w);
	st = tape_json_write_finish(&w, err);
	if (st == TAPE_OK) {
		memcpy(text, b.data, b.len);
		s->trend = tape_str_make(text, b.len);
	}
	tape_buf_release(&b);
	return st;
}

enum tape_status
tape_trend_mark(const struct tape_trend *t, struct tape_summary *s,
    char text[TAPE_TREND_TEXT], struct tape_str *v, size_t *n,
    struct tape_err *err)
{
	const struct {
		bool found;
		const char *flag;
	} flags[] = { { t->rises, "rising" }, { t->falls, "falling" },
		{ t->halves, "halves-differ" }, { t->steps, "step" } };

	if (!t->known)
		return TAPE_OK;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (flags[i].found)
			v[(*n)++] = tape_str_of(flags[i].flag);
	return write_trend(&t->c, s, text, err);
}
