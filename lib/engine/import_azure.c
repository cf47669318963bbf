/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Azure's LLM inference traces of 2023 to 2025: CSV with a head line, by whose
 * names the columns are found: TIMESTAMP, ContextTokens, GeneratedTokens.
 *
 * Times are wall clock, in several ways within one file: with a blank or a T,
 * with 0 to 9 fractional digits, with Z, +00:00 or no zone.  They count from
 * the first row of all.
 */
#include "base/clock.h"
#include "engine/import_csv.h"

/* The three ways become one, that of our own epochs. */
static bool
read_time(const struct tape_csv_cell *c, int64_t *ns)
{
	static const char utc[] = "+00:00";
	char text[48];
	size_t n = c->len, zone = sizeof(utc) - 1;

	if (n < 19 || n >= sizeof(text) - 1)
		return false;
	memcpy(text, c->p, n);
	if (text[10] == ' ')
		text[10] = 'T';
	if (text[n - 1] == 'Z')
		n--;
	else if (memcmp(text + n - zone, utc, zone) == 0)
		n -= zone;
	text[n] = 'Z';
	text[n + 1] = '\0';
	return tape_clock_parse_iso(text, ns, NULL) == TAPE_OK;
}

static enum tape_status
put_row(const struct tape_csv_columns *c, const struct tape_csv_cell *cells,
    struct tape_gen *g, int64_t *origin_ns, struct tape_err *err)
{
	int64_t input = 0;
	struct tape_request r;
	enum tape_status st;

	tape_schema_init(TAPE_KIND_REQUEST, &r);
	if (!read_time(&cells[c->time], &r.t_ns))
		return tape_csv_no_time(&cells[c->time], "time", err);
	st = tape_csv_lengths(c, cells, &input, &r.output_tokens, err);
	if (st != TAPE_OK)
		return st;
	if (input == 0)
		return tape_err_set(err, TAPE_E_FORMAT, "prompt of no tokens");
	if (*origin_ns == TAPE_ABSENT_I64)
		*origin_ns = r.t_ns;
	r.t_ns -= *origin_ns;
	return tape_csv_put(g, &r, input, err);
}

enum tape_status
tape_import_azure(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err)
{
	struct tape_csv_cell cells[TAPE_CSV_COLUMNS];
	struct tape_csv_columns c = { .names = { "TIMESTAMP", "ContextTokens",
					  "GeneratedTokens" } };
	enum tape_status st = tape_csv_head(in, &c, cells, err);

	(void)opts;
	while (st == TAPE_OK) {
		st = tape_csv_row(in, c.count, cells, err);
		if (st == TAPE_OK)
			st = put_row(&c, cells, g, &state->origin_ns, err);
	}
	return st;
}
