/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Azure's LLM inference traces of 2023 to 2025: CSV with a head line, by whose
 * names the columns are found: TIMESTAMP, ContextTokens, GeneratedTokens.
 *
 * Times are wall clock, in several ways within one file: with a blank or a T,
 * with 0 to 9 fractional digits, with Z, +00:00 or no zone.  They count from
 * the first row of all.  Nothing is known of the prompts, so none is shared: a
 * block's id is the number of its request from 0.
 */
#include "base/clock.h"
#include "engine/import_csv.h"

struct columns {
	size_t time;
	size_t input;
	size_t output;
	size_t count;
};

static enum tape_status
read_head(struct tape_in *in, struct columns *c, struct tape_err *err)
{
	struct tape_csv_cell cells[TAPE_CSV_COLUMNS];
	enum tape_status st = tape_csv_head(in, cells, &c->count, err);

	if (st == TAPE_OK)
		st = tape_csv_find(cells, c->count, "TIMESTAMP", &c->time, err);
	if (st == TAPE_OK)
		st = tape_csv_find(
		    cells, c->count, "ContextTokens", &c->input, err);
	if (st == TAPE_OK)
		st = tape_csv_find(
		    cells, c->count, "GeneratedTokens", &c->output, err);
	return st;
}

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
put_row(const struct columns *c, const struct tape_csv_cell *cells,
    struct tape_gen *g, int64_t *origin_ns, struct tape_err *err)
{
	int64_t id = (int64_t)g->sums.requests, tokens;
	struct tape_i64s ids = { &id, 1 };
	struct tape_request r;
	enum tape_status st;

	tape_schema_init(TAPE_KIND_REQUEST, &r);
	if (!read_time(&cells[c->time], &r.t_ns))
		return tape_err_set(err, TAPE_E_FORMAT, "'%.*s' is not a time",
		    (int)(cells[c->time].len < 64 ? cells[c->time].len : 64),
		    cells[c->time].p);
	st = tape_csv_tokens(&cells[c->input], "ContextTokens", &tokens, err);
	if (st == TAPE_OK)
		st = tape_csv_tokens(&cells[c->output], "GeneratedTokens",
		    &r.output_tokens, err);
	if (st != TAPE_OK)
		return st;
	if (tokens == 0)
		return tape_err_set(err, TAPE_E_FORMAT, "prompt of no tokens");
	if (*origin_ns == TAPE_ABSENT_I64)
		*origin_ns = r.t_ns;
	r.t_ns -= *origin_ns;
	st = tape_gen_blocks(g, &r, tokens, ids, tokens, err);
	return st == TAPE_OK ? tape_gen_put(g, &r, err) : st;
}

enum tape_status
tape_import_azure(struct tape_in *in, struct tape_gen *g,
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
		if (st != TAPE_OK)
			break;
		st = put_row(&c, cells, g, &state->origin_ns, err);
	}
	return st;
}
