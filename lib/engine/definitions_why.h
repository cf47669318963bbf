/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definitions_why: why a peer's numbers are not ours, worked out from the run:
 * only what has made a difference in it is said.
 */
#ifndef TAPE_ENGINE_DEFINITIONS_WHY_H
#define TAPE_ENGINE_DEFINITIONS_WHY_H

#include "engine/definitions.h"

/* Adds the reasons of a peer whose rows are in the report. */
enum tape_status tape_definitions_why(struct tape_definitions_report *r,
    enum tape_definitions_id peer, const struct tape_definitions_seen *seen,
    struct tape_err *err) TAPE_NODISCARD;

#endif
