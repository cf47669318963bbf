/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_texts: JSON texts, good and bad, with what the scanner makes of them in
 * the notation of json_show.
 */
#ifndef TAPE_UNIT_JSON_TEXTS_H
#define TAPE_UNIT_JSON_TEXTS_H

#include <stddef.h>

struct json_text {
	const char *in; /* as a C string unless it has a length */
	const char *ours;
	const char *foreign; /* NULL: the same */
	size_t len;
};

#define BAD(at, what) "!bad JSON at byte " #at ": " what

static const struct json_text json_texts[] = {
	{ "{\"a\":[1,-2.5,\"x\",null,true,false,{}],\"b\":{\"c\":[]}}",
	    "{ a:[ i1 d-2.5 'x' null true false { } ] b:{ c:[ ] } }", NULL, 0 },
	{ " \t\r\n[ 1 , 2 ] \n", "[ i1 i2 ]", NULL, 0 },
	{ "{ \"a\" : 1 , \"b\" : 2 }", "{ a:i1 b:i2 }", NULL, 0 },
	{ "\"only\"", "'only'", NULL, 0 },
	{ "null", "null", NULL, 0 },
	{ "{\"\":0}", "{ :i0 }", NULL, 0 },
	/* numbers */
	{ "[0,-1,9223372036854775807,-9223372036854775808]",
	    "[ i0 i-1 i9223372036854775807 i-9223372036854775808 ]", NULL, 0 },
	{ "[9223372036854775808,18446744073709551615]",
	    "[ d9.2233720368547758e+18=9223372036854775808 "
	    "d1.8446744073709552e+19=18446744073709551615 ]",
	    NULL, 0 },
	{ "[18446744073709551616,-9223372036854775809]",
	    "[ d1.8446744073709552e+19 d-9.2233720368547758e+18 ]", NULL, 0 },
	{ "[-0,0.0,1e3,1E+3,1e-3,0e9]", "[ d-0 d0 d1000 d1000 d0.001 d0 ]",
	    NULL, 0 },
	{ "[0.1,123456789.125,-3.25e-5]",
	    "[ d0.10000000000000001 d123456789.125 d-3.2499999999999997e-05 ]",
	    NULL, 0 },
	{ "[9007199254740993.0,2.2250738585072014e-308,1e-400]",
	    "[ d9007199254740992 d2.2250738585072014e-308 d0 ]", NULL, 0 },
	{ "1.7976931348623157e308", "d1.7976931348623157e+308", NULL, 0 },
	{ "[1e999]", "[ " BAD(1, "number too large"),
	    "[ d1.7976931348623157e+308(clamped) ]", 0 },
	{ "-1e999", BAD(0, "number too large"),
	    "d-1.7976931348623157e+308(clamped)", 0 },
	{ "[01]", "[ " BAD(1, "bad number"), NULL, 0 },
	{ "[-]", "[ " BAD(1, "bad number"), NULL, 0 },
	{ "[1.]", "[ " BAD(1, "bad number"), NULL, 0 },
	{ "[1e]", "[ " BAD(1, "bad number"), NULL, 0 },
	{ "[1e+]", "[ " BAD(1, "bad number"), NULL, 0 },
	{ "[.5]", "[ " BAD(1, "not a value"), NULL, 0 },
	{ "[+1]", "[ " BAD(1, "not a value"), NULL, 0 },
	{ "[1x]", "[ i1 " BAD(2, "neither , nor ] after an element"), NULL, 0 },
	{ "[NaN]", "[ " BAD(1, "not a value"), NULL, 0 },
	{ "[nul]", "[ " BAD(1, "not a value"), NULL, 0 },
	{ "[truex]", "[ true " BAD(5, "neither , nor ] after an element"), NULL,
	    0 },
	/* strings */
	{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t'", NULL, 0 },
	{ "\"long enough for eight bytes\\nat a time, twice over\"",
	    "'long enough for eight bytes\nat a time, twice over'", NULL, 0 },
	{ "\"\\u0041\\u00e9\\u20AC\\uD83E\\udd80\"",
	    "'A\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x80'", NULL, 0 },
	{ "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x80 \xf4\x8f\xbf\xbf\"",
	    "'\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x80 \xf4\x8f\xbf\xbf'", NULL,
	    0 },
	{ "{\"k\\u0065y\":1}", "{ key:i1 }", NULL, 0 },
	{ "{\"k\\n\":\"v\\n\"}", "{ k\n:'v\n' }", NULL, 0 },
	{ "\"a\\u0000b\"", BAD(2, "NUL in a string"), "'a<0>b'", 0 },
	{ "\"a\\ud800b\"", BAD(2, "lone surrogate"),
	    "'a\xef\xbf\xbd"
	    "b'",
	    0 },
	{ "\"\\udc00\"", BAD(1, "lone surrogate"), "'\xef\xbf\xbd'", 0 },
	{ "\"\\ud800\\u0041\"", BAD(1, "lone surrogate"),
	    "'\xef\xbf\xbd"
	    "A'",
	    0 },
	{ "\"\\ud800\\ud800\\udc00\"", BAD(1, "lone surrogate"),
	    "'\xef\xbf\xbd\xf0\x90\x80\x80'", 0 },
	{ "\"\\u12\"", BAD(1, "bad \\u escape"), NULL, 0 },
	{ "\"\\u12g4\"", BAD(1, "bad \\u escape"), NULL, 0 },
	{ "\"\\x\"", BAD(1, "bad escape"), NULL, 0 },
	{ "\"\\\xc3\xa9\"", BAD(1, "bad escape"), NULL, 0 },
	{ "\"a\nb\"", BAD(2, "control character in a string"), NULL, 0 },
	{ "\"\\n\x1f\"", BAD(3, "control character in a string"), NULL, 0 },
	{ "\"a\0b\"", BAD(2, "control character in a string"), NULL, 5 },
	{ "\"\xff\"", BAD(1, "bad UTF-8"), NULL, 0 },
	{ "\"\\n\xc0\x80\"", BAD(3, "bad UTF-8"), NULL, 0 },
	{ "\"\xed\xa0\x80\"", BAD(1, "bad UTF-8"), NULL, 0 },
	{ "\"12345678\xe2\x82\"", BAD(9, "bad UTF-8"), NULL, 0 },
	{ "\"abc", BAD(4, "string without an end"), NULL, 0 },
	{ "\"abc\\", BAD(4, "string without an end"), NULL, 0 },
	{ "\"abc\\\"", BAD(6, "string without an end"), NULL, 0 },
	/* structure */
	{ "", BAD(0, "text ends too early"), NULL, 0 },
	{ "  ", BAD(2, "text ends too early"), NULL, 0 },
	{ "[", "[ " BAD(1, "text ends too early"), NULL, 0 },
	{ "[1", "[ i1 " BAD(2, "text ends too early"), NULL, 0 },
	{ "[1,", "[ i1 " BAD(3, "text ends too early"), NULL, 0 },
	{ "[1,]", "[ i1 " BAD(3, "not a value"), NULL, 0 },
	{ "[,1]", "[ " BAD(1, "not a value"), NULL, 0 },
	{ "[1 2]", "[ i1 " BAD(3, "neither , nor ] after an element"), NULL,
	    0 },
	{ "[}", "[ " BAD(1, "not a value"), NULL, 0 },
	{ "{", "{ " BAD(1, "text ends too early"), NULL, 0 },
	{ "{]", "{ " BAD(1, "not a key"), NULL, 0 },
	{ "{1:2}", "{ " BAD(1, "not a key"), NULL, 0 },
	{ "{\"a\"}", "{ " BAD(4, "no colon after a key"), NULL, 0 },
	{ "{\"a\":}", "{ " BAD(5, "not a value"), NULL, 0 },
	{ "{\"a\":1,}", "{ a:i1 " BAD(7, "not a key"), NULL, 0 },
	{ "{\"a\":1]", "{ a:i1 " BAD(6, "neither , nor } after a member"), NULL,
	    0 },
	{ "1 2", "i1 " BAD(2, "more after the value"), NULL, 0 },
	{ "{}{}", "{ } " BAD(2, "more after the value"), NULL, 0 },
	{ "{}\0", "{ } " BAD(2, "more after the value"), NULL, 3 },
	{ "\x0b{}", BAD(0, "not a value"), NULL, 0 },
	{ "\xef\xbb\xbf{}", BAD(0, "not a value"), NULL, 0 },
	/* the same key twice */
	{ "{\"a\":1,\"a\":2}", "{ a:i1 " BAD(7, "key twice in one object"),
	    "{ a:i1 a:i2 }", 0 },
	{ "{\"a\":1,\"\\u0061\":2}",
	    "{ a:i1 " BAD(7, "key twice in one object"), "{ a:i1 a:i2 }", 0 },
	{ "{\"\\u0061\":1,\"a\":2}",
	    "{ a:i1 " BAD(12, "key twice in one object"), "{ a:i1 a:i2 }", 0 },
	{ "{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":2}],\"A\":3}",
	    "{ a:{ a:i1 } b:[ { a:i1 } { a:i2 } ] A:i3 }", NULL, 0 },
	{ "{\"b\":{\"x\":1},\"c\":1,\"b\":1}",
	    "{ b:{ x:i1 } c:i1 " BAD(19, "key twice in one object"),
	    "{ b:{ x:i1 } c:i1 b:i1 }", 0 },
};

#define JSON_TEXTS (sizeof(json_texts) / sizeof(json_texts[0]))

#endif
