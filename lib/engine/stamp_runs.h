/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp_runs: what the records of a segment's runs say of how to read its
 * exchanges.  A zeroed struct knows none.
 */
#ifndef TAPE_ENGINE_STAMP_RUNS_H
#define TAPE_ENGINE_STAMP_RUNS_H

#include "api/api_pointers.h"
#include "engine/idmap.h"
#include "record/record.h"

struct tape_stamp_runs {
	struct tape_idmap bare;    /* runs of which times were kept */
	struct tape_idmap pointed; /* places in pointers */
	struct tape_api_pointers **pointers;
	size_t n;
	size_t cap;
};

void tape_stamp_runs_release(struct tape_stamp_runs *r);

/* Takes the first record of a run; the second says nothing new.  TAPE_E_FORMAT
   for pointers that are none. */
enum tape_status tape_stamp_runs_note(struct tape_stamp_runs *r,
    const struct tape_run *run, struct tape_err *err) TAPE_NODISCARD;

bool tape_stamp_runs_bare(const struct tape_stamp_runs *r, int64_t run);

/* NULL: none.  It lives until release. */
const struct tape_api_pointers *tape_stamp_runs_pointers(
    const struct tape_stamp_runs *r, int64_t run);

#endif
