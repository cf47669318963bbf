/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definitions_out: what goes into a metrics stream, JSON, CSV and the tables of
 * a run by the definitions of peers.  Each is a member of a sink (reduce.h).
 */
#ifndef TAPE_ENGINE_DEFINITIONS_OUT_H
#define TAPE_ENGINE_DEFINITIONS_OUT_H

#include "base/buf.h"
#include "engine/definitions.h"

/*
 * Adds the tables: of one peer its metrics with its titles, units and
 * statistics; of several, one row a quantity and one column a peer beside ours,
 * in milliseconds, tokens and per second.  Below stand the reasons.
 */
void tape_definitions_print(
    struct tape_buf *b, const struct tape_definitions_report *r, bool wide);

#endif
