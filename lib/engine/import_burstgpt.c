/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * BurstGPT: CSV with a head line, by whose names the columns are found, as
 * version 2 put two of them in between: Timestamp (seconds, whole or not, from
 * an origin that is not the first row), Request tokens, Response tokens, and
 * maybe Session ID (empty for requests by API).
 *
 * Times count from the first row of all.  A row without prompt or response
 * tokens is a request that failed where it was recorded; it is left out and
 * counted.
 */
#include "base/clock.h"
#include "base/num.h"
#include "engine/import_csv.h"

#define NONE SIZE_MAX

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
put_row(const struct tape_csv_columns *c, const struct tape_csv_cell *cells,
    size_t session, struct tape_gen *g, int64_t *origin_ns,
    struct tape_err *err)
{
	int64_t input = 0;
	struct tape_request r;
	enum tape_status st;

	tape_schema_init(TAPE_KIND_REQUEST, &r);
	if (!read_time(&cells[c->time], &r.t_ns))
		return tape_csv_no_time(
		    &cells[c->time], "time in seconds", err);
	st = tape_csv_lengths(c, cells, &input, &r.output_tokens, err);
	if (st != TAPE_OK)
		return st;
	if (*origin_ns == TAPE_ABSENT_I64)
		*origin_ns = r.t_ns;
	r.t_ns -= *origin_ns;
	if (input == 0 || r.output_tokens == 0) {
		g->sums.skipped++;
		return TAPE_OK;
	}
	if (session != NONE && cells[session].len > 0)
		r.session = tape_str_make(cells[session].p, cells[session].len);
	return tape_csv_put(g, &r, input, err);
}

enum tape_status
tape_import_burstgpt(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err)
{
	struct tape_csv_cell cells[TAPE_CSV_COLUMNS];
	struct tape_csv_columns c = { .names = { "Timestamp", "Request tokens",
					  "Response tokens" } };
	size_t session = NONE;
	enum tape_status st = tape_csv_head(in, &c, cells, err);

	(void)opts;
	if (st == TAPE_OK && tape_csv_find(cells, c.count, "Session ID",
				 &session, NULL) != TAPE_OK)
		session = NONE;
	while (st == TAPE_OK) {
		st = tape_csv_row(in, c.count, cells, err);
		if (st == TAPE_OK)
			st = put_row(
			    &c, cells, session, g, &state->origin_ns, err);
	}
	return st;
}
