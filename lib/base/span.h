/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * span: borrowed views of bytes and of arrays, and how a record says that a
 * field is absent.
 *
 * A span owns nothing; whoever hands it out says how long it lives.  Absent
 * means unknown: a NULL pointer in a span, and the constants below in scalars.
 * An empty span has a pointer that is not NULL.
 */
#ifndef TAPE_BASE_SPAN_H
#define TAPE_BASE_SPAN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TAPE_ABSENT_I64  INT64_MIN
#define TAPE_ABSENT_F64  ((double)NAN)
#define TAPE_ABSENT_BOOL ((int8_t)-1)

struct tape_str {
	const char *p; /* not terminated */
	size_t len;
};

struct tape_i64s {
	const int64_t *v;
	size_t n;
};

struct tape_f64s {
	const double *v;
	size_t n;
};

struct tape_strs {
	const struct tape_str *v;
	size_t n;
};

/* The bytes of a C string; absent for NULL. */
static inline struct tape_str
tape_str_of(const char *s)
{
	struct tape_str v = { s, s == NULL ? 0 : strlen(s) };

	return v;
}

static inline struct tape_str
tape_str_make(const char *p, size_t len)
{
	struct tape_str v = { p, len };

	return v;
}

static inline bool
tape_str_equal(struct tape_str a, struct tape_str b)
{
	return a.p != NULL && b.p != NULL && a.len == b.len &&
	       memcmp(a.p, b.p, a.len) == 0;
}

/* The length that "%.*s" takes, for a message that shows at most so many bytes
   of it. */
static inline int
tape_str_shown(struct tape_str s, int most)
{
	return s.len < (size_t)most ? (int)s.len : most;
}

/* Equal to a C string; an absent span equals nothing. */
static inline bool
tape_str_is(struct tape_str a, const char *s)
{
	return tape_str_equal(a, tape_str_of(s));
}

#endif
