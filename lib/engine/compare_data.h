/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_data: what the runs' own data make doubtful.
 */
#ifndef TAPE_ENGINE_COMPARE_DATA_H
#define TAPE_ENGINE_COMPARE_DATA_H

#include "engine/compare_pair.h"

/*
 * Refused: an arm in which no request succeeded; times that are not positive.
 * Warned of: few matched prompts; shares of failed requests that differ;
 * runs that were aborted; tokens that came several at a time, or were counted
 * from events; a client that was itself the limit, or not ours; checks of
 * metrics-reduce that failed; percentiles of few requests; and whatever
 * compare_work.h finds in the answers, which sets the fields of the design that
 * it names.
 */
void tape_compare_check_data(
    struct tape_compare_design *design, struct tape_compare_notes *notes);

#endif
