/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/import_csv.h"

#include "base/num.h"

static size_t
split(const char *row, size_t len, struct tape_csv_cell cells[TAPE_CSV_COLUMNS])
{
	size_t n = 0;
	const char *p = row, *end = row + len, *comma;

	while (n < TAPE_CSV_COLUMNS) {
		comma = memchr(p, ',', (size_t)(end - p));
		cells[n].p = p;
		cells[n].len = (size_t)((comma ? comma : end) - p);
		n++;
		if (comma == NULL)
			break;
		p = comma + 1;
	}
	return n;
}

enum tape_status
tape_csv_find(const struct tape_csv_cell *cells, size_t count, const char *name,
    size_t *at, struct tape_err *err)
{
	for (size_t i = 0; i < count; i++)
		if (cells[i].len == strlen(name) &&
		    memcmp(cells[i].p, name, cells[i].len) == 0) {
			*at = i;
			return TAPE_OK;
		}
	return tape_err_set(err, TAPE_E_FORMAT, "head line lacks \"%s\"", name);
}

enum tape_status
tape_csv_head(struct tape_in *in, struct tape_csv_columns *c,
    struct tape_csv_cell cells[TAPE_CSV_COLUMNS], struct tape_err *err)
{
	size_t *const at[] = { &c->time, &c->input, &c->output };
	const char *row;
	size_t len;
	enum tape_status st = tape_import_row(in, &row, &len, err);

	if (st == TAPE_EOF)
		return tape_err_set(err, TAPE_E_FORMAT, "empty input");
	if (st == TAPE_OK)
		c->count = split(row, len, cells);
	for (size_t i = 0; i < 3 && st == TAPE_OK; i++)
		st = tape_csv_find(cells, c->count, c->names[i], at[i], err);
	return st;
}

enum tape_status
tape_csv_row(struct tape_in *in, size_t count,
    struct tape_csv_cell cells[TAPE_CSV_COLUMNS], struct tape_err *err)
{
	const char *row;
	size_t len;
	enum tape_status st = tape_import_row(in, &row, &len, err);

	if (st == TAPE_OK && split(row, len, cells) != count)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "row has not the %zu columns of the head line", count);
	return st;
}

static enum tape_status
read_tokens(const struct tape_csv_cell *cell, const char *what, int64_t *out,
    struct tape_err *err)
{
	char text[24];

	if (cell->len < sizeof(text)) {
		memcpy(text, cell->p, cell->len);
		text[cell->len] = '\0';
		if (tape_num_i64(text, 0, INT32_MAX, out, NULL) == TAPE_OK)
			return TAPE_OK;
	}
	return tape_err_set(
	    err, TAPE_E_FORMAT, "%s is not a number of tokens", what);
}

enum tape_status
tape_csv_lengths(const struct tape_csv_columns *c,
    const struct tape_csv_cell *cells, int64_t *input, int64_t *output,
    struct tape_err *err)
{
	enum tape_status st =
	    read_tokens(&cells[c->input], c->names[1], input, err);

	return st == TAPE_OK
		   ? read_tokens(&cells[c->output], c->names[2], output, err)
		   : st;
}

enum tape_status
tape_csv_no_time(
    const struct tape_csv_cell *cell, const char *what, struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_FORMAT, "'%.*s' is not a %s",
	    tape_str_shown(tape_str_make(cell->p, cell->len), 64), cell->p,
	    what);
}

enum tape_status
tape_csv_put(struct tape_gen *g, struct tape_request *r, int64_t input,
    struct tape_err *err)
{
	int64_t id = (int64_t)g->sums.requests;
	struct tape_i64s ids = { &id, 1 };
	enum tape_status st = tape_gen_blocks(g, r, input, ids, input, err);

	return st == TAPE_OK ? tape_gen_put(g, r, err) : st;
}
