/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * num: strict parsing and exact printing of numbers, without locale.
 *
 * A parser takes the whole string or nothing: no white space, no sign where
 * none makes sense, no trailing text.  On failure *out is unchanged and err
 * says what was wrong with which text (TAPE_E_USAGE).
 */
#ifndef TAPE_BASE_NUM_H
#define TAPE_BASE_NUM_H

#include "base/err.h"

/* Decimal integers within [min, max]. */
enum tape_status tape_num_i64(const char *s, int64_t min, int64_t max,
    int64_t *out, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_num_u64(const char *s, uint64_t min, uint64_t max,
    uint64_t *out, struct tape_err *err) TAPE_NODISCARD;

/* Value of a hexadecimal digit, in either case; -1 if c is none. */
int tape_num_hex_digit(char c);

/* Finite decimal number within [min, max]; exponents are taken. */
enum tape_status tape_num_double(const char *s, double min, double max,
    double *out, struct tape_err *err) TAPE_NODISCARD;

/*
 * Duration with a unit, as 250ms, 1.5s, 10us, 2m, 1h, 7ns, not negative;
 * a bare 0 is taken.  Exact to the nanosecond.
 */
enum tape_status tape_num_duration_ns(
    const char *s, int64_t *out, struct tape_err *err) TAPE_NODISCARD;

/* Size in bytes: 65536, 64K, 64KiB, 4M, 4MiB, 1G, 1GiB (powers of 1024). */
enum tape_status tape_num_size_bytes(
    const char *s, uint64_t *out, struct tape_err *err) TAPE_NODISCARD;

/* Rate per second, positive: 10, 0.5, 10/s, 600/m, 3600/h. */
enum tape_status tape_num_rate_per_s(
    const char *s, double *out, struct tape_err *err) TAPE_NODISCARD;

/* Share: 0.05 or 5%, within [0, 1]; the percent sign costs no rounding. */
enum tape_status tape_num_share_ratio(
    const char *s, double *out, struct tape_err *err) TAPE_NODISCARD;

#define TAPE_NUM_TEXT 32 /* room that the printers below need */

/* Shortest decimal text that reads back as the same double; a value that is not
   finite gives inf or nan, which the caller keeps out.  Returns dst. */
char *tape_num_print_double(double v, char dst[TAPE_NUM_TEXT]);

/* A duration for people: 340 ns, 3.40 us, 12.1 ms, 181.2 s; two decimals below
   ten, one above, the unit such that at most four digits stand there. */
char *tape_num_print_duration(double ns, char dst[TAPE_NUM_TEXT]);

/*
 * Decimal digits of a fraction to nanoseconds, at most 9 (more are cut):
 * "25" is 250000000.  Used by readers of foreign time stamps.
 */
enum tape_status tape_num_fraction_ns(const char *digits, size_t len,
    int64_t *out, struct tape_err *err) TAPE_NODISCARD;

#endif
