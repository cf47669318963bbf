/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spin: for how long before a time a thread stays awake instead of sleeping: it
 * is then on time to the microsecond, at the price of its core.
 */
#ifndef TAPE_BASE_SPIN_H
#define TAPE_BASE_SPIN_H

#include "base/err.h"

/* As long as this machine takes to wake a thread, measured. */
#define TAPE_SPIN_AUTO INT64_C(-1)

/* "off" (0), "auto" or a duration up to most_ns; else TAPE_E_USAGE. */
enum tape_status tape_spin_parse(const char *text, int64_t most_ns,
    int64_t *spin_ns, struct tape_err *err) TAPE_NODISCARD;

#endif
