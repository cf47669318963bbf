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

/* Which columns a row of lengths has: a time, and tokens of prompt and answer. */
struct tape_csv_columns {
	const char *names[3]; /* as the head line has them */
	size_t time, input, output;
	size_t count; /* of all */
};

/* Reads the head line, whose cells stay for other columns; fills c by its
   names.  TAPE_E_FORMAT also for an empty input. */
enum tape_status tape_csv_head(struct tape_in *in, struct tape_csv_columns *c,
    struct tape_csv_cell cells[TAPE_CSV_COLUMNS],
    struct tape_err *err) TAPE_NODISCARD;

/* The column of that name, or TAPE_E_FORMAT. */
enum tape_status tape_csv_find(const struct tape_csv_cell *cells, size_t count,
    const char *name, size_t *at, struct tape_err *err) TAPE_NODISCARD;

/* The next row, which has to have so many cells; TAPE_EOF at the end. */
enum tape_status tape_csv_row(struct tape_in *in, size_t count,
    struct tape_csv_cell cells[TAPE_CSV_COLUMNS],
    struct tape_err *err) TAPE_NODISCARD;

/* The tokens of a row: prompt and answer. */
enum tape_status tape_csv_lengths(const struct tape_csv_columns *c,
    const struct tape_csv_cell *cells, int64_t *input, int64_t *output,
    struct tape_err *err) TAPE_NODISCARD;

/* The failure of a cell that is no time; what is what it should be. */
enum tape_status tape_csv_no_time(const struct tape_csv_cell *cell,
    const char *what, struct tape_err *err) TAPE_NODISCARD;

/*
 * Puts a request of which no more is known: the prompt shares nothing with
 * others, a block whose id is the number of its request from 0.
 */
enum tape_status tape_csv_put(struct tape_gen *g, struct tape_request *r,
    int64_t input, struct tape_err *err) TAPE_NODISCARD;

#endif
