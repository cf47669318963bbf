/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

#include "unit/tap.h"

/* A decoder of another make: by value ranges, not by byte ranges.  Length of
   the character or 0. */
static size_t
slow_char(const unsigned char *s, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80             ? 1
		   : (s[0] & 0xe0) == 0xc0 ? 2
		   : (s[0] & 0xf0) == 0xe0 ? 3
		   : (s[0] & 0xf8) == 0xf0 ? 4
					   : 0;
	uint32_t c;
	size_t k;

	if (n == 0 || n > len)
		return 0;
	c = n == 1 ? s[0] : s[0] & (0x7fU >> n);
	for (k = 1; k < n; k++) {
		if ((s[k] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[k] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

static bool
slow_valid(const unsigned char *s, size_t len)
{
	size_t n;

	for (; len > 0; s += n, len -= n) {
		n = slow_char(s, len);
		if (n == 0)
			return false;
	}
	return true;
}

/* All texts of up to three bytes, and of four with a lead of four. */
static void
test_valid(void)
{
	unsigned char s[4];
	uint32_t i;
	unsigned bad = 0;

	for (i = 0; i < 1U << 24; i++) {
		s[0] = (unsigned char)i;
		s[1] = (unsigned char)(i >> 8);
		s[2] = (unsigned char)(i >> 16);
		s[3] = 0x80;
		bad += tape_utf8_valid((char *)s, 3) != slow_valid(s, 3);
		if (i < 1U << 16)
			bad +=
			    tape_utf8_valid((char *)s, 2) != slow_valid(s, 2);
		if (s[0] >= 0xef)
			bad +=
			    tape_utf8_valid((char *)s, 4) != slow_valid(s, 4);
	}
	is_int(bad, 0, "every text of three bytes is judged as it should");
	ok(tape_utf8_valid("", 0), "so is none");
	is_int((int)tape_utf8_span("0123456789\xc3\xa9"
				   "abcdefgh\xff",
		   21),
	    20, "a span ends at the first bad byte");
	is_int((int)tape_utf8_span("a\0b", 3), 3, "NUL is a character");
}

static void
test_put(void)
{
	char s[4];
	uint32_t c;
	size_t n;
	unsigned bad = 0, total = 0;

	for (c = 0; c < 0x110000; c++) {
		if (c >= 0xd800 && c < 0xe000)
			continue;
		n = tape_utf8_put(c, s);
		total += (unsigned)n;
		bad += tape_utf8_char(s, n) != n;
	}
	is_int(bad, 0, "every scalar value is written as one character");
	is_int(total, 128 + 2 * 1920 + 3 * 61440 + 4 * 1048576,
	    "of the right length");
	(void)tape_utf8_put(0x1f980, s);
	ok(memcmp(s, "\xf0\x9f\xa6\x80", 4) == 0, "U+1F980");
}

static void
test_cut(void)
{
	static const struct {
		const char *text;
		size_t cut;
	} t[] = {
		{ "", 0 },
		{ "abc", 3 },
		{ "abc\xc3", 3 },
		{ "abc\xc3\xa9", 5 },
		{ "\xe2", 0 },
		{ "a\xe2\x82", 1 },
		{ "a\xe2\x82\xac", 4 },
		{ "a\xf0\x9f\xa6", 1 },
		{ "a\xf0\x9f", 1 },
		{ "a\xf0", 1 },
		{ "a\xf0\x9f\xa6\x80", 5 },
		{ "a\x80", 2 },     /* no beginning */
		{ "a\xff", 2 },     /* never one */
		{ "a\xc0", 2 },     /* overlong */
		{ "a\xe0\x80", 3 }, /* overlong */
		{ "a\xed\xa0", 3 }, /* surrogate */
		{ "a\xf4\x90", 3 }, /* above U+10FFFF */
		{ "\x80\x80\x80\x80", 4 },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		is_int((int)tape_utf8_cut(t[i].text, strlen(t[i].text)),
		    (int)t[i].cut, "cut %zu", i);
}

#define R "\xef\xbf\xbd"

/* The first four are the examples of Unicode 3.9, tables 3-8 to 3-11. */
static void
test_repair(void)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{ "\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", R R R R R R R R "A" },
		{ "\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", R R R R R R R R "A" },
		{ "\xf4\x91\x92\x93\xff\x41\x80\xbf\x42",
		    R R R R R "A" R R "B" },
		{ "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", R R R R "A" },
		{ "fine \xe2\x82\xac", "fine \xe2\x82\xac" },
		{ "end \xe2\x82", "end " R },
		{ "", "" },
	};
	struct tape_buf b;
	size_t i;

	tape_buf_init(&b, 100);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		tape_buf_clear(&b);
		is_int(tape_utf8_repair(&b, t[i].in, strlen(t[i].in)), TAPE_OK,
		    "repair %zu", i);
		is_str(b.data, t[i].out, "gives");
	}
	tape_buf_release(&b);
	tape_buf_init(&b, 2);
	is_int(tape_utf8_repair(&b, "\xff", 1), TAPE_E_LIMIT, "a cap holds");
	tape_buf_release(&b);
}

int
main(void)
{
	test_valid();
	test_put();
	test_cut();
	test_repair();
	return done_testing();
}
