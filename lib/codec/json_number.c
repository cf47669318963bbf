/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json_impl.h"

#include "base/dec.h"

#include <float.h>
#include <math.h>

#define EXP_MAX 100000 /* more says nothing more */

/* A number taken apart: digits * 10^exp10, unless digits were dropped. */
struct parts {
	uint64_t digits;
	int64_t exp10;
	bool negative;
	bool integer;
	bool dropped;
};

static bool
is_digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

/* Digits from p on; step is what each adds to the exponent when it is kept. */
static const char *
take_digits(const char *p, const char *end, struct parts *n, int step)
{
	uint64_t v;

	for (; is_digit(p, end); p++) {
		if (!n->dropped && !__builtin_mul_overflow(n->digits, 10, &v) &&
		    !__builtin_add_overflow(
			v, (uint64_t)(*p - '0'), &n->digits)) {
			n->exp10 += step;
			continue;
		}
		n->dropped = true;
	}
	return p;
}

static const char *
take_exponent(const char *p, const char *end, struct parts *n)
{
	bool negative = p < end && *p == '-';
	int64_t e = 0;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (!is_digit(p, end))
		return NULL;
	for (; is_digit(p, end); p++)
		if (e < EXP_MAX)
			e = e * 10 + (*p - '0');
	n->exp10 += negative ? -e : e;
	return p;
}

/* The end of the number at p, or NULL when it is none. */
static const char *
take_apart(const char *p, const char *end, struct parts *n)
{
	n->negative = *p == '-';
	n->integer = true;
	if (n->negative)
		p++;
	if (!is_digit(p, end))
		return NULL;
	if (*p == '0')
		p++;
	else
		p = take_digits(p, end, n, 0);
	if (is_digit(p, end))
		return NULL;
	if (p < end && *p == '.') {
		n->integer = false;
		p++;
		if (!is_digit(p, end))
			return NULL;
		p = take_digits(p, end, n, -1);
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		n->integer = false;
		p = take_exponent(p + 1, end, n);
	}
	return p;
}

/* Puts the value into the token when it is an int64 or a double that is
   exact without more ado. */
static bool
take_quick(const struct parts *n, struct tape_json_token *tok)
{
	bool zero = n->digits == 0;

	if (n->dropped)
		return false;
	if (n->integer && !(n->negative && zero) &&
	    n->digits <= (uint64_t)INT64_MAX + n->negative) {
		tok->type = TAPE_JSON_INT;
		tok->i64 =
		    n->negative ? (int64_t)-n->digits : (int64_t)n->digits;
		tok->num = (double)tok->i64;
		return true;
	}
	if (n->integer && !n->negative)
		tok->u64 = n->digits;
	if (!tape_dec_scale(n->digits, zero ? 0 : n->exp10, &tok->num))
		return false;
	if (n->negative)
		tok->num = -tok->num;
	return true;
}

/* The general way to a double.  The last number of a text has nothing behind
   it and is copied to where it has. */
static enum tape_status
take_double(struct tape_json *r, const char *end, struct tape_json_token *tok,
    struct tape_err *err)
{
	const char *p = r->p;

	if (end == r->end) {
		tape_buf_clear(&r->str);
		if (tape_buf_add(&r->str, p, (size_t)(end - p)) != TAPE_OK)
			return tape_json_fail(
			    r, r->str.status, p, "out of memory", err);
		p = r->str.data;
	}
	tok->num = tape_dec_read(p);
	if (isfinite(tok->num))
		return TAPE_OK;
	if (r->mode == TAPE_JSON_OURS)
		return tape_json_fail(
		    r, TAPE_E_FORMAT, r->p, "number too large", err);
	tok->num = tok->num < 0 ? -DBL_MAX : DBL_MAX;
	tok->clamped = true;
	return TAPE_OK;
}

static enum tape_status
read_any(struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	struct parts n = { 0 };
	const char *end = take_apart(r->p, r->end, &n);
	enum tape_status st = TAPE_OK;

	if (end == NULL)
		return tape_json_fail(
		    r, TAPE_E_FORMAT, r->p, "bad number", err);
	tok->type = TAPE_JSON_DOUBLE;
	tok->u64 = 0;
	tok->clamped = false;
	if (!take_quick(&n, tok))
		st = take_double(r, end, tok, err);
	r->p = end;
	return st;
}

enum tape_status
tape_json_read_number(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	const char *end = tape_json_integer(r->p, r->end, &tok->i64);

	if (end == NULL)
		return read_any(r, tok, err);
	tok->type = TAPE_JSON_INT;
	tok->num = (double)tok->i64;
	r->p = end;
	return TAPE_OK;
}
