/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_boot: the hierarchical bootstrap of a row (codec/stat_boot.h).
 *
 * Pairs are drawn, then the requests of each pair: those that both runs have
 * once for both, where there are at least 5; else each run's own.  Rows whose
 * runs have one number each (output, gap p99, shares), and runs of which
 * another tool states a summary only, have no requests to draw: of these the
 * pairs are drawn alone.
 */
#ifndef TAPE_ENGINE_COMPARE_BOOT_H
#define TAPE_ENGINE_COMPARE_BOOT_H

#include "codec/stat_boot.h"
#include "engine/compare_rows.h"

/*
 * The interval of a usable row at level, on the scale of d.  TAPE_E_NOMEM, and
 * what tape_stat_boot_t refuses.
 */
enum tape_status tape_compare_boot(const struct tape_compare_design *design,
    const struct tape_compare_row *row, double level,
    const struct tape_stat_boot_opt *opt, struct tape_stat_boot *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
