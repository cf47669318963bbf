/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_maxt: step-down max-T over sign flips, several rows at once.
 *
 * Westfall and Young (1993): each sign vector flips the pairs of all rows
 * alike, so the joint law of the rows, however correlated, is kept.  With
 * T_j = |mean_j| / (sd_j / sqrt k) and the rows sorted by their observed T,
 * the adjusted p of the i-th is the share of vectors in which the largest T
 * of the rows i, i + 1, ... reaches T_i, made monotone.  Bounds the chance of
 * any false row; far less strict than Holm on flip p, which has no power at
 * all below k = 9 with 12 rows.
 *
 * A flip leaves sum d^2 alone, and T^2 = (k - 1) u^2 / (1 - u^2) grows with
 * u = |sum d| / sqrt(k sum d^2), which is what is compared: no variance is
 * computed, and a row without any spread is no special case.  A row of equal
 * differences has u = 1, reached by two of the 2^k vectors; a row of zeros
 * has u = 0 and p = 1.  u within 1e-12 counts as reached.
 */
#ifndef TAPE_CODEC_STAT_MAXT_H
#define TAPE_CODEC_STAT_MAXT_H

#include "base/err.h"
#include "codec/stat_signs.h"

#define TAPE_STAT_MAXT_EXACT 20 /* pairs up to which all vectors are listed */
#define TAPE_STAT_MAXT_ROWS  4096

/*
 * Adjusted p of the rows of d, rows x k, row after row, into p[0 .. rows).
 * Up to TAPE_STAT_MAXT_EXACT pairs over all 2^(k-1) vectors (the last sign
 * held, by symmetry); beyond over the identity and opt's replicates, purpose
 * TAPE_RNG_MAXT.  The order of the rows, and of rows added to it, changes
 * nothing but the family.  TAPE_E_DATA: no row, no pair, or a value not
 * finite; TAPE_E_LIMIT: more than TAPE_STAT_MAXT_ROWS rows or too many pairs
 * or replicates; TAPE_E_NOMEM.  p is then unchanged.
 */
enum tape_status tape_stat_maxt(const double *d, size_t rows, size_t k,
    const struct tape_stat_flip_opt *opt, double *p,
    struct tape_err *err) TAPE_NODISCARD;

#endif
