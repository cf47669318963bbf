/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json_impl.h"

#include "base/mem.h"
#include "base/num.h"

#include <string.h>

#define NUMBER_MAX 63 /* what cJSON takes as one number */

struct check {
	const char *p, *end;
	const char *what; /* of a violation; the place is p */
	enum tape_status status;
	enum tape_json_mode mode;
	struct tape_json_integers *n;
};

static void
bad(struct check *c, enum tape_status st, const char *what)
{
	c->status = st;
	c->what = what;
}

/* One of the set at p, and goes behind it. */
static bool
accept(struct check *c, const char *set)
{
	if (c->p == c->end || *c->p == '\0' || strchr(set, *c->p) == NULL)
		return false;
	c->p++;
	return true;
}

static bool
accept_digits(struct check *c)
{
	bool any = false;

	while (accept(c, "0123456789"))
		any = true;
	return any;
}

/* RFC 8259 section 6, read aloud. */
static bool
accept_number(struct check *c, bool *integer)
{
	*integer = true;
	(void)accept(c, "-");
	if (!accept(c, "0") && !accept_digits(c))
		return false;
	if (accept(c, ".")) {
		*integer = false;
		if (!accept_digits(c))
			return false;
	}
	if (accept(c, "eE")) {
		*integer = false;
		(void)accept(c, "+-");
		if (!accept_digits(c))
			return false;
	}
	return !accept(c, "0123456789+-.eE");
}

static void
take_number(struct check *c)
{
	struct tape_json_integer v = { 0 };
	void *list = c->n->v;
	char text[NUMBER_MAX + 1];
	const char *start = c->p;
	bool integer;
	size_t len;

	if (!accept_number(c, &integer)) {
		c->p = start;
		bad(c, TAPE_E_FORMAT, "bad number");
		return;
	}
	len = (size_t)(c->p - start);
	if (len > NUMBER_MAX) {
		bad(c, TAPE_E_LIMIT, "number too long for a tree");
		return;
	}
	memcpy(text, start, len);
	text[len] = '\0';
	if (integer && strcmp(text, "-0") != 0) {
		v.is_i64 = tape_num_i64(text, INT64_MIN, INT64_MAX, &v.i64,
			       NULL) == TAPE_OK;
		if (!v.is_i64 &&
		    tape_num_u64(text, 0, UINT64_MAX, &v.u64, NULL) != TAPE_OK)
			v.u64 = 0;
	}
	if (tape_mem_grow(&list, &c->n->size, c->n->len + 1, sizeof(v)) != 0) {
		bad(c, TAPE_E_NOMEM, "out of memory");
		return;
	}
	c->n->v = list;
	c->n->v[c->n->len++] = v;
}

/* The unit of a \uXXXX at s, or -1. */
static long
unit(const char *s, const char *end)
{
	long v = 0;
	int i, d;

	if (end - s < 6 || s[0] != '\\' || s[1] != 'u')
		return -1;
	for (i = 2; i < 6; i++) {
		d = tape_num_hex_digit(s[i]);
		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

/* An escape at p; goes behind it, or behind a whole pair. */
static void
take_escape(struct check *c)
{
	enum tape_status hard =
	    c->mode == TAPE_JSON_OURS ? TAPE_E_FORMAT : TAPE_E_LIMIT;
	long high, low;

	if (c->end - c->p >= 2 && c->p[1] != '\0' &&
	    strchr("\"\\/bfnrt", c->p[1]) != NULL) {
		c->p += 2;
		return;
	}
	high = unit(c->p, c->end);
	low = high >= 0 ? unit(c->p + 6, c->end) : -1;
	if (high < 0) {
		bad(c, TAPE_E_FORMAT, "bad escape");
	} else if (high == 0) {
		bad(c, hard, "NUL in a string");
	} else if (high < 0xd800 || high > 0xdfff) {
		c->p += 6;
	} else if (high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
		c->p += 12;
	} else {
		bad(c, hard, "lone surrogate");
	}
}

static void
take_string(struct check *c)
{
	const char *start = ++c->p;

	while (c->status == TAPE_OK) {
		if (c->p == c->end) {
			bad(c, TAPE_E_FORMAT, "string without an end");
		} else if (*c->p == '"') {
			break;
		} else if (*c->p == '\\') {
			take_escape(c);
		} else if ((unsigned char)*c->p < 0x20) {
			bad(c, TAPE_E_FORMAT, "control character in a string");
		} else {
			c->p++;
		}
	}
	if (c->status != TAPE_OK)
		return;
	if (!tape_utf8_valid(start, (size_t)(c->p - start))) {
		c->p = start + tape_utf8_span(start, (size_t)(c->p - start));
		bad(c, TAPE_E_FORMAT, "bad UTF-8");
		return;
	}
	c->p++;
}

enum tape_status
tape_json_check(struct tape_json *r, const char *text, size_t len,
    struct tape_json_integers *n, struct tape_err *err)
{
	struct check c = {
		.p = text, .end = text + len, .mode = r->mode, .n = n
	};
	size_t depth = 0;

	while (c.status == TAPE_OK && c.p < c.end) {
		if (*c.p == '"') {
			take_string(&c);
		} else if (*c.p == '-' || (*c.p >= '0' && *c.p <= '9')) {
			take_number(&c);
		} else if (accept(&c, "[{")) {
			if (++depth > TAPE_CAP_JSON_DEPTH)
				bad(&c, TAPE_E_LIMIT, "nested too deep");
		} else if (accept(&c, "]}")) {
			depth -= depth > 0;
		} else if (!accept(&c, " \t\r\n,:truefalsn")) {
			bad(&c, TAPE_E_FORMAT, "not a value");
		}
	}
	if (c.status == TAPE_OK)
		return TAPE_OK;
	r->text = text;
	return tape_json_fail(r, c.status, c.p, c.what, err);
}
