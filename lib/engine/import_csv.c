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
tape_csv_head(struct tape_in *in, struct tape_csv_cell cells[TAPE_CSV_COLUMNS],
    size_t *count, struct tape_err *err)
{
	const char *row;
	size_t len;
	enum tape_status st = tape_import_row(in, &row, &len, err);

	if (st == TAPE_EOF)
		return tape_err_set(err, TAPE_E_FORMAT, "empty input");
	if (st == TAPE_OK)
		*count = split(row, len, cells);
	return st;
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

enum tape_status
tape_csv_tokens(const struct tape_csv_cell *cell, const char *what,
    int64_t *out, struct tape_err *err)
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
