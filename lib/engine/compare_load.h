/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_load: metrics streams into runs.
 */
#ifndef TAPE_ENGINE_COMPARE_LOAD_H
#define TAPE_ENGINE_COMPARE_LOAD_H

#include "engine/compare.h"
#include "record/reader.h"

#define TAPE_COMPARE_ANY_ARM SIZE_MAX

/*
 * Reads in to its end, adding its runs to set; a zeroed set is a new one.
 * Failures carry the place.
 *
 * arm: the arm of all its runs, which then need no label, but must not have
 * different ones (TAPE_E_DATA); or TAPE_COMPARE_ANY_ARM: then the labels
 * decide, which tape_compare_arrange looks at, and a run without is
 * TAPE_E_DATA.  With set->named, runs of other arms are counted and left out.
 *
 * TAPE_E_FORMAT: a result or an end of a run that did not begin, a time that
 * is none; TAPE_E_LIMIT: more than TAPE_COMPARE_RUNS_MAX runs; TAPE_E_NOMEM;
 * and what the reader refuses.
 */
enum tape_status tape_compare_load(struct tape_compare_set *set,
    struct tape_reader *in, size_t arm, struct tape_err *err) TAPE_NODISCARD;

#endif
