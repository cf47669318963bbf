/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_meta: what only the user knows of a run, as the meta object of its
 * header: trace-replay's --meta and --server-cmd.
 */
#ifndef TAPE_ENGINE_COMPARE_META_H
#define TAPE_ENGINE_COMPARE_META_H

#include "engine/compare_conditions.h"

/* Whether the object has such a member; meta may be absent. */
bool tape_compare_meta_has(struct tape_str meta, struct tape_str name);

/*
 * Refused: members that differ between the runs of a pair, or between the
 * rounds of an arm, and are not in vary.  One that is absent differs from any
 * that is there.
 */
void tape_compare_check_meta(const struct tape_compare_design *design,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes);

#endif
