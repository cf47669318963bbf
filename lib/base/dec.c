/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/dec.h"

#include <stdlib.h>
#include <string.h>

static const char pairs[201] = "00010203040506070809"
			       "10111213141516171819"
			       "20212223242526272829"
			       "30313233343536373839"
			       "40414243444546474849"
			       "50515253545556575859"
			       "60616263646566676869"
			       "70717273747576777879"
			       "80818283848586878889"
			       "90919293949596979899";

static size_t
count_digits(uint64_t v)
{
	size_t n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

size_t
tape_dec_put_u64(uint64_t v, char *dst)
{
	size_t n = count_digits(v);
	char *p = dst + n;

	while (v >= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(dst, pairs + v * 2, 2);
	else
		dst[0] = (char)('0' + v);
	return n;
}

size_t
tape_dec_put_i64(int64_t v, char *dst)
{
	if (v >= 0)
		return tape_dec_put_u64((uint64_t)v, dst);
	dst[0] = '-';
	return 1 + tape_dec_put_u64(-(uint64_t)v, dst + 1);
}

bool
tape_dec_scale(uint64_t digits, int64_t exp10, double *out)
{
	static const double power[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19, 1e20, 1e21, 1e22 };

	if (digits > UINT64_C(1) << 53 || exp10 < -22 || exp10 > 22)
		return false;
	if (exp10 < 0)
		*out = (double)digits / power[-exp10];
	else
		*out = (double)digits * power[exp10];
	return true;
}

double
tape_dec_read(const char *p)
{
	return strtod(p, NULL);
}
