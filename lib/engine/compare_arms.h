/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_arms: which labels of arms the runs have.
 */
#ifndef TAPE_ENGINE_COMPARE_ARMS_H
#define TAPE_ENGINE_COMPARE_ARMS_H

#include "engine/compare.h"

#define TAPE_COMPARE_ARMS_MAX 32

/*
 * The labels, each once, in the set's arena: in the order of the list that a
 * run names, when that has them all, or else by name (*by_name; not for A and
 * B, which say it themselves).  TAPE_E_USAGE: more than TAPE_COMPARE_ARMS_MAX;
 * TAPE_E_NOMEM.
 */
enum tape_status tape_compare_find_arms(struct tape_compare_set *set,
    struct tape_strs *out, bool *by_name, struct tape_err *err) TAPE_NODISCARD;

/*
 * Makes two arms of the runs of one deployment: of every two runs in order of
 * time one is A and one is B, in the order AB BA BA AB; a last one without a
 * partner is of neither.  TAPE_E_NOMEM.
 */
enum tape_status tape_compare_halve(
    struct tape_compare_set *set, struct tape_err *err) TAPE_NODISCARD;

#endif
