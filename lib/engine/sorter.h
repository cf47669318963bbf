/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sorter: lines, put in order of their keys.
 *
 * Lines are held in memory up to a bound; beyond it they go, as sorted runs,
 * to a temporary file, and are merged from there.  In which order they were
 * added does not show: lines of equal keys are in the order of their bytes.
 */
#ifndef TAPE_ENGINE_SORTER_H
#define TAPE_ENGINE_SORTER_H

#include "base/span.h"
#include "engine/runfile.h"

/* By time, then by key, then by what. */
struct tape_sorter_key {
	int64_t time_ns;
	uint64_t key;
	int64_t what;
};

struct tape_sorter_item {
	struct tape_sorter_key key;
	size_t at; /* in lines */
	size_t len;
};

struct tape_sorter {
	size_t most; /* bytes in memory */
	struct tape_buf lines;
	struct tape_sorter_item *items;
	size_t n, cap;
	size_t next; /* of items, when reading */
	struct tape_runfile file;
	uint64_t *ends; /* of the runs in the file */
	size_t run_n, run_cap;
	struct tape_sorter_run *runs; /* when reading; a heap */
	size_t open_n;
	bool reading;
};

/* most: bytes in memory, about; dir: of the temporary file, borrowed. */
void tape_sorter_init(struct tape_sorter *s, size_t most, const char *dir);
void tape_sorter_release(struct tape_sorter *s);

/* Copies the line.  None is added once one was read. */
enum tape_status tape_sorter_add(struct tape_sorter *s,
    const struct tape_sorter_key *key, const char *line, size_t len,
    struct tape_err *err) TAPE_NODISCARD;

/* The next in order, until the next call; TAPE_EOF behind the last. */
enum tape_status tape_sorter_next(struct tape_sorter *s,
    struct tape_sorter_key *key, struct tape_str *line,
    struct tape_err *err) TAPE_NODISCARD;

#endif
