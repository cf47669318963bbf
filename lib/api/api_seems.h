/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_seems: which dialect an answer is of, by its looks.  For a message about
 * one that could not be read in the dialect that was asked for; nothing is
 * decoded by it.
 */
#ifndef TAPE_API_API_SEEMS_H
#define TAPE_API_API_SEEMS_H

#include "base/span.h"

/* Of the first bytes of an answer; NULL: it looks like none. */
const char *tape_api_seems(struct tape_str begin);

#endif
