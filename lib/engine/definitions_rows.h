/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definitions_rows: rows of a peer's table of metrics, for definitions_*.c: name,
 * title, unit, what they are beside in the table of all, statistics printed,
 * and the function that makes the value.
 */
#ifndef TAPE_ENGINE_DEFINITIONS_ROWS_H
#define TAPE_ENGINE_DEFINITIONS_ROWS_H

#include "engine/definitions_stat.h"

/* A time of each request, in milliseconds. */
#define TAPE_PEER_MS(n, t, w, s, f)                                            \
 {                                                                             \
  .name = n, .title = t " (ms)", .unit = "ms", .what = w, .stats = s,          \
  .unit_size = TAPE_DEFINITIONS_MS, .of = f                                    \
 }

/* Another value of each request. */
#define TAPE_PEER_PLAIN(n, t, u, w, s, f)                                      \
 {                                                                             \
  .name = n, .title = t, .unit = u, .what = w, .stats = s, .unit_size = 1,     \
  .of = f                                                                      \
 }

/* One value of the run. */
#define TAPE_PEER_RUN(n, t, u, w, f)                                           \
 {                                                                             \
  .name = n, .title = t, .unit = u, .what = w, .kind = TAPE_KIND_OF_RUN,       \
  .unit_size = 1, .over = f                                                    \
 }

#endif
