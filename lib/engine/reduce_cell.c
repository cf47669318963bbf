/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_cell.h"

#include "base/utf8.h"

#define WIDTH 80

/* Decimals that show four digits of v. */
static int
decimals_for(double v)
{
	if (v < 10)
		return 3;
	if (v < 100)
		return 2;
	return v < 1000 ? 1 : 0;
}

static int
digits_before_point(double v)
{
	int n = 1;

	for (; v >= 10 && n < 20; v /= 10)
		n++;
	return n;
}

struct tape_reduce_scale
tape_reduce_scale_for(const char *unit, double middle, double largest)
{
	static const struct {
		const char *unit;
		double by;
	} times[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	struct tape_reduce_scale s = { unit, 1, 1 };
	const int room = TAPE_REDUCE_CELL - 3; /* gap, sign, point */
	int digits;

	middle = fabs(middle);
	largest = fabs(largest);
	if (strcmp(unit, "ns") == 0) {
		size_t i = 0;

		if (!(middle > 0))
			middle = largest;
		while (i < 2 && (middle >= times[i + 1].by ||
				    largest >= 1e5 * times[i].by))
			i++;
		s.unit = times[i].unit;
		s.by = times[i].by;
		s.decimals = decimals_for(middle / s.by);
	} else if (strcmp(unit, "per_s") == 0) {
		s.unit = "/s";
		s.decimals = decimals_for(middle);
	} else if (strcmp(unit, "ratio") == 0) {
		s.decimals = decimals_for(middle);
	}
	digits = digits_before_point(largest / s.by);
	if (digits + s.decimals > room)
		s.decimals = digits >= room ? 0 : room - digits;
	return s;
}

void
tape_reduce_cell(struct tape_buf *b, const struct tape_reduce_scale *s,
    double v, const char *absent)
{
	if (isnan(v))
		(void)tape_buf_add_fmt(b, "%*s", TAPE_REDUCE_CELL, absent);
	else if (isinf(v))
		(void)tape_buf_add_fmt(b, "%*s", TAPE_REDUCE_CELL, "inf");
	else
		(void)tape_buf_add_fmt(
		    b, " %*.*f", TAPE_REDUCE_CELL - 1, s->decimals, v / s->by);
}

void
tape_reduce_text_safe(struct tape_buf *b, struct tape_str s, size_t max)
{
	size_t len = s.len;

	if (s.p == NULL)
		return;
	if (len > max)
		len = tape_utf8_cut(s.p, max);
	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)s.p[i];

		(void)tape_buf_add_char(
		    b, c < 0x20 || c == 0x7f ? '?' : s.p[i]);
	}
}

void
tape_reduce_text_part(
    struct tape_buf *b, const char *before, struct tape_str name)
{
	if (name.p == NULL)
		return;
	(void)tape_buf_add_str(b, before);
	tape_reduce_text_safe(b, name, TAPE_REDUCE_NAME_BYTES);
}

void
tape_reduce_text_wrap(
    struct tape_buf *b, struct tape_str s, size_t column, size_t indent)
{
	size_t at = 0;

	while (at < s.len) {
		const char *p = s.p + at;
		const char *space = memchr(p, ' ', s.len - at);
		const size_t word =
		    space == NULL ? s.len - at : (size_t)(space - p);

		if (at > 0 && column + 1 + word > WIDTH) {
			(void)tape_buf_add_fmt(b, "\n%*s", (int)indent, "");
			column = indent;
		} else if (at > 0) {
			(void)tape_buf_add_char(b, ' ');
			column++;
		}
		tape_reduce_text_safe(b, tape_str_make(p, word), word);
		column += word;
		at += word + 1;
	}
}
