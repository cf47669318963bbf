/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_csv: what the formats that are CSV share: a head line by whose names
 * columns are found, and rows of as many cells.  There are no quotes in them.
 */
#ifndef TAPE_ENGINE_IMPORT_CSV_H
#define TAPE_ENGINE_IMPORT_CSV_H

#include "engine/import.h"

#define TAPE_CSV_COLUMNS 32

/* Borrowed from the input until its next row. */
struct tape_csv_cell {
	const char *p;
	size_t len;
};

/* The head line.  TAPE_E_FORMAT also for an empty input. */
enum tape_status tape_csv_head(struct tape_in *in,
    struct tape_csv_cell cells[TAPE_CSV_COLUMNS], size_t *count,
    struct tape_err *err) TAPE_NODISCARD;

/* The column of that name. */
enum tape_status tape_csv_find(const struct tape_csv_cell *cells, size_t count,
    const char *name, size_t *at, struct tape_err *err) TAPE_NODISCARD;

/* The next row, which has to have so many cells; TAPE_EOF at the end. */
enum tape_status tape_csv_row(struct tape_in *in, size_t count,
    struct tape_csv_cell cells[TAPE_CSV_COLUMNS],
    struct tape_err *err) TAPE_NODISCARD;

/* A number of tokens, from 0 on; what is the column's name, for the message. */
enum tape_status tape_csv_tokens(const struct tape_csv_cell *cell,
    const char *what, int64_t *out, struct tape_err *err) TAPE_NODISCARD;

#endif
