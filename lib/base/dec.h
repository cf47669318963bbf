/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dec: decimal numbers at speed, for text that is written or read by the
 * million.  What people type goes through base/num.
 */
#ifndef TAPE_BASE_DEC_H
#define TAPE_BASE_DEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAPE_DEC_TEXT 20 /* longest text of a 64-bit integer */

/* Write the digits (and sign), no NUL, to where TAPE_DEC_TEXT bytes fit; return
   how many they are. */
size_t tape_dec_put_u64(uint64_t v, char *dst);
size_t tape_dec_put_i64(int64_t v, char *dst);

/*
 * *out = digits * 10^exp10 when one rounding gives it: digits up to 2^53 and
 * |exp10| up to 22 (Clinger, "How to read floating point numbers accurately",
 * 1990).  False, and *out unchanged, otherwise.
 */
bool tape_dec_scale(uint64_t digits, int64_t exp10, double *out);

/*
 * The double nearest to the number at p: JSON's syntax, checked by the caller,
 * followed by a readable byte that does not go on with it.  Infinite when too
 * large, zero or subnormal when too small.
 */
double tape_dec_read(const char *p);

#endif
