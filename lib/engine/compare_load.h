/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_load: metrics streams into runs of two arms.
 */
#ifndef TAPE_ENGINE_COMPARE_LOAD_H
#define TAPE_ENGINE_COMPARE_LOAD_H

#include "engine/compare.h"
#include "record/reader.h"

#define TAPE_COMPARE_ANY_ARM SIZE_MAX

/*
 * Reads in to its end, adding its runs to set.  arm: the arm of all of them;
 * or TAPE_COMPARE_ANY_ARM, then it is that of the run's label, the first two
 * labels met being A and B unless arm_name was set before.  Runs of other arms
 * are counted.  An unlabelled run is TAPE_E_DATA.
 */
enum tape_status tape_compare_load(struct tape_compare_set *set,
    struct tape_reader *in, size_t arm, struct tape_err *err) TAPE_NODISCARD;

/* Sorts the requests of every run, after the last load. */
void tape_compare_load_done(struct tape_compare_set *set);

void tape_compare_set_release(struct tape_compare_set *set);

#endif
