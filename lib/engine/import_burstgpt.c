/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * BurstGPT: CSV with a head line, by whose names the columns are found, as
 * version 2 put two of them in between: Timestamp (seconds, whole or not, from
 * an origin that is not the first row), Request tokens, Response tokens, and
 * maybe Session ID (empty for requests by API).
 *
 * Times count from the first row of all.  A row without prompt or response
 * tokens is a request that failed where it was recorded; it is left out and
 * counted.  Nothing is known of the prompts, so none is shared, not even within
 * a session: a block's id is the number of its request from 0.
 */
#include "base/clock.h"
#include "base/num.h"
#include "engine/import_csv.h"

#define NONE SIZE_MAX

struct columns {
	size_t time;
	size_t input;
	size_t output;
	size_t session; /* or NONE */
	size_t count;
};

static enum tape_status
read_head(struct tape_in *in, struct columns *c, struct tape_err *err)
{
	struct tape_csv_cell cells[TAPE_CSV_COLUMNS];
	enum tape_status st = tape_csv_head(in, cells, &c->count, err);

	if (st == TAPE_OK)
		st = tape_csv_find(cells, c->count, "Timestamp", &c->time, err);
	if (st == TAPE_OK)
		st = tape_csv_find(
		    cells, c->count, "Request tokens", &c->input, err);
	if (st == TAPE_OK)
		st = tape_csv_find(
		    cells, c->count, "Response tokens", &c->output, err);
	if (st == TAPE_OK && tape_csv_find(cells, c->count, "Session ID",
				 &c->session, NULL) != TAPE_OK)
		c->session = NONE;
	return st;
}

/* Seconds, with or without a fraction, to nanoseconds. */
static bool
read_time(const struct tape_csv_cell *cell, int64_t *ns)
{
	const char *dot = memchr(cell->p, '.', cell->len);
	const size_t whole = dot == NULL ? cell->len : (size_t)(dot - cell->p);
	char text[16];
	int64_t s = 0, fraction = 0;

	if (whole >= sizeof(text))
		return false;
	memcpy(text, cell->p, whole);
	text[whole] = '\0';
	if (tape_num_i64(text, 0, INT32_MAX, &s, NULL) != TAPE_OK ||
	    (dot != NULL && tape_num_fraction_ns(dot + 1, cell->len - whole - 1,
				&fraction, NULL) != TAPE_OK))
		return false;
	*ns = s * TAPE_NS_PER_S + fraction;
	return true;
}

static enum tape_status
put_row(const struct columns *c, const struct tape_csv_cell *cells,
    struct tape_gen *g, int64_t *origin_ns, struct tape_err *err)
{
	int64_t id = (int64_t)g->sums.requests, tokens = 0;
	struct tape_i64s ids = { &id, 1 };
	struct tape_request r;
	enum tape_status st;

	tape_schema_init(TAPE_KIND_REQUEST, &r);
	if (!read_time(&cells[c->time], &r.t_ns))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "'%.*s' is not a time in seconds",
		    (int)(cells[c->time].len < 64 ? cells[c->time].len : 64),
		    cells[c->time].p);
	st = tape_csv_tokens(&cells[c->input], "Request tokens", &tokens, err);
	if (st == TAPE_OK)
		st = tape_csv_tokens(&cells[c->output], "Response tokens",
		    &r.output_tokens, err);
	if (st != TAPE_OK)
		return st;
	if (*origin_ns == TAPE_ABSENT_I64)
		*origin_ns = r.t_ns;
	r.t_ns -= *origin_ns;
	if (tokens == 0 || r.output_tokens == 0) {
		g->sums.skipped++;
		return TAPE_OK;
	}
	if (c->session != NONE && cells[c->session].len > 0)
		r.session =
		    tape_str_make(cells[c->session].p, cells[c->session].len);
	st = tape_gen_blocks(g, &r, tokens, ids, tokens, err);
	return st == TAPE_OK ? tape_gen_put(g, &r, err) : st;
}

enum tape_status
tape_import_burstgpt(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err)
{
	struct tape_csv_cell cells[TAPE_CSV_COLUMNS];
	struct columns c = { 0 };
	enum tape_status st;

	(void)opts;
	st = read_head(in, &c, err);
	while (st == TAPE_OK) {
		st = tape_csv_row(in, c.count, cells, err);
		if (st == TAPE_OK)
			st = put_row(&c, cells, g, &state->origin_ns, err);
	}
	return st;
}
