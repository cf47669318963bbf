/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json_write.h"

#include "base/mem.h"
#include "unit/tap.h"

#include <math.h>

static void
test_all_kinds(void)
{
	static const int64_t v[] = { 0, -1, 10, INT64_MIN, INT64_MAX };
	struct tape_buf b;
	struct tape_json_writer w;
	struct tape_err err = { 0 };

	tape_buf_init(&b, 4096);
	(void)tape_buf_add_str(&b, "before ");
	tape_json_write_init(&w, &b);
	tape_json_write_object(&w, NULL);
	tape_json_write_cstr(&w, "kind", "x");
	tape_json_write_i64(&w, "i", -7);
	tape_json_write_u64(&w, "u", UINT64_MAX);
	tape_json_write_double(&w, "d", 0.1);
	tape_json_write_double(&w, "big", 1e300);
	tape_json_write_bool(&w, "t", true);
	tape_json_write_bool(&w, "f", false);
	tape_json_write_null(&w, "n");
	tape_json_write_raw(&w, "raw", "{\"a\": 1}", 8);
	tape_json_write_i64s(&w, "v", v, 5);
	tape_json_write_i64s(&w, "none", NULL, 0);
	tape_json_write_array(&w, "a");
	tape_json_write_array(&w, NULL);
	tape_json_write_array_end(&w);
	tape_json_write_object(&w, NULL);
	tape_json_write_object_end(&w);
	tape_json_write_str(&w, NULL, NULL, 0);
	tape_json_write_array_end(&w);
	tape_json_write_object(&w, "");
	tape_json_write_i64(&w, "q\"", 1);
	tape_json_write_object_end(&w);
	tape_json_write_object_end(&w);
	is_int(tape_json_write_finish(&w, &err), TAPE_OK, "finish");
	is_str(b.data,
	    "before {\"kind\":\"x\",\"i\":-7,\"u\":18446744073709551615,"
	    "\"d\":0.1,\"big\":1e+300,\"t\":true,\"f\":false,\"n\":null,"
	    "\"raw\":{\"a\": 1},\"v\":[0,-1,10,-9223372036854775808,"
	    "9223372036854775807],\"none\":[],\"a\":[[],{},\"\"],"
	    "\"\":{\"q\\\"\":1}}",
	    "what was written");
	tape_buf_release(&b);
}

static void
test_strings(void)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{ "", "\"\"" },
		{ "plain text of more than eight bytes",
		    "\"plain text of more than eight bytes\"" },
		{ "\"\\/", "\"\\\"\\\\/\"" },
		{ "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
		{ "\x01\x1f\x7f", "\"\\u0001\\u001f\x7f\"" },
		{ "1234567\n1234567\"", "\"1234567\\n1234567\\\"\"" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x80\n",
		    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x80\\n\"" },
		{ "\xff", NULL },
		{ "12345678\xe2\x82", NULL },
		{ "\xed\xa0\x80", NULL },
	};
	struct tape_buf b;
	struct tape_json_writer w;
	struct tape_err err = { 0 };
	size_t i;

	tape_buf_init(&b, 4096);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		tape_buf_clear(&b);
		tape_json_write_init(&w, &b);
		tape_json_write_cstr(&w, NULL, t[i].in);
		is_int(tape_json_write_finish(&w, &err),
		    t[i].out != NULL ? TAPE_OK : TAPE_E_BUG, "string %zu", i);
		is_str(b.data, t[i].out != NULL ? t[i].out : "", "written");
	}
	is_str(err.text, "cannot write JSON: text is not UTF-8", "in words");
	tape_err_clear(&err);
	tape_json_write_init(&w, &b);
	tape_json_write_str(&w, NULL, "a\0b", 3);
	is_int(tape_json_write_finish(&w, &err), TAPE_E_BUG, "NUL is refused");
	is_str(err.text, "cannot write JSON: text with a NUL", "in words");
	tape_buf_release(&b);
}

/* Characters and escapes around every boundary of the pieces a long text is
   written in. */
static void
test_long_strings(void)
{
	static const char *const mark[] = { "\xe2\x82\xac", "\xf0\x9f\xa6\x80",
		"\"", "\xc3\xa9\x01" };
	static const char *const shown[] = { "\xe2\x82\xac", "\xf0\x9f\xa6\x80",
		"\\\"", "\xc3\xa9\\u0001" };
	struct tape_buf in, want, got;
	struct tape_json_writer w;
	struct tape_err err = { 0 };
	size_t n, i, bad = 0;

	tape_buf_init(&in, 1 << 20);
	tape_buf_init(&want, 1 << 20);
	tape_buf_init(&got, 1 << 20);
	for (i = 0; i < 4; i++)
		for (n = 0; n < 1100; n++) {
			tape_buf_clear(&in);
			tape_buf_clear(&want);
			tape_buf_clear(&got);
			(void)tape_buf_add_fmt(
			    &in, "%0*d%s%s", (int)n, 0, mark[i], mark[i]);
			(void)tape_buf_add_fmt(&want, "\"%0*d%s%s\"", (int)n, 0,
			    shown[i], shown[i]);
			tape_json_write_init(&w, &got);
			tape_json_write_str(&w, NULL, in.data, in.len);
			bad += tape_json_write_finish(&w, &err) != TAPE_OK ||
			       strcmp(got.data, want.data) != 0;
		}
	is_int((int)bad, 0, "long texts of every length");
	tape_buf_clear(&in);
	tape_buf_clear(&got);
	for (n = 0; n < 5000; n++)
		(void)tape_buf_add_char(&in, '\x01');
	tape_json_write_init(&w, &got);
	tape_json_write_str(&w, NULL, in.data, in.len);
	is_int(tape_json_write_finish(&w, &err), TAPE_OK, "control characters");
	is_int((int)got.len, 30002, "grow sixfold");
	tape_buf_release(&in);
	tape_buf_release(&want);
	tape_buf_release(&got);
}

/* Each misuse is an error that stays, and leaves the buffer as it was. */
static void
misuse(int which, struct tape_json_writer *w)
{
	int i;

	switch (which) {
	case 0:
		return; /* nothing written */
	case 1:
		tape_json_write_object(w, NULL);
		return; /* left open */
	case 2:
		tape_json_write_i64(w, NULL, 1);
		tape_json_write_i64(w, NULL, 2);
		return;
	case 3:
		tape_json_write_i64(w, "key", 1);
		return;
	case 4:
		tape_json_write_object(w, NULL);
		tape_json_write_i64(w, NULL, 1);
		tape_json_write_object_end(w);
		return;
	case 5:
		tape_json_write_array(w, NULL);
		tape_json_write_i64(w, "key", 1);
		tape_json_write_array_end(w);
		return;
	case 6:
		tape_json_write_array(w, NULL);
		tape_json_write_object_end(w);
		return;
	case 7:
		tape_json_write_array_end(w);
		return;
	case 8:
		tape_json_write_double(w, NULL, (double)NAN);
		tape_json_write_i64(w, NULL, 1);
		return;
	case 9:
		tape_json_write_double(w, NULL, -HUGE_VAL);
		return;
	case 10:
		tape_json_write_raw(w, NULL, "", 0);
		return;
	case 11:
		for (i = 0; i <= TAPE_CAP_JSON_DEPTH; i++)
			tape_json_write_array(w, NULL);
		for (i = 0; i <= TAPE_CAP_JSON_DEPTH; i++)
			tape_json_write_array_end(w);
		return;
	default:
		tape_json_write_array(w, NULL);
		tape_json_write_object(w, NULL);
		tape_json_write_i64(w, "bad\xff", 1);
		tape_json_write_object_end(w);
		tape_json_write_array_end(w);
		return;
	}
}

/* One character after the other, as JSON has it. */
static void
escape_slowly(const char *p, struct tape_buf *out)
{
	(void)tape_buf_add_char(out, '"');
	for (; *p != '\0'; p++) {
		const char *at = strchr("\"\\\b\t\n\f\r", *p);

		if (at != NULL)
			(void)tape_buf_add_fmt(
			    out, "\\%c", "\"\\btnfr"[at - "\"\\\b\t\n\f\r"]);
		else if ((unsigned char)*p < 0x20)
			(void)tape_buf_add_fmt(
			    out, "\\u%04x", (unsigned)(unsigned char)*p);
		else
			(void)tape_buf_add_char(out, *p);
	}
	(void)tape_buf_add_char(out, '"');
}

/* Texts of which every other character is special, of all short lengths. */
static void
test_dense(void)
{
	static const char *const bits[] = { "a", "b", "xyz", "\"", "\\", "\n",
		"\r", "\x01", "\x1f", "\x7f", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x98\x80", "!", "]" };
	struct tape_buf in, got, want;
	struct tape_json_writer w;
	uint32_t r = 1;
	int bad = 0, n = 0;

	tape_buf_init(&in, 4096);
	tape_buf_init(&got, 65536);
	tape_buf_init(&want, 65536);
	for (int len = 0; len < 60; len++)
		for (int i = 0; i < 300; i++, n++) {
			tape_buf_clear(&in);
			tape_buf_clear(&got);
			tape_buf_clear(&want);
			for (int k = 0; k < len; k++) {
				r = r * 1664525 + 1013904223;
				(void)tape_buf_add_str(
				    &in, bits[(r >> 16) %
					      (sizeof(bits) / sizeof(*bits))]);
			}
			escape_slowly(in.data, &want);
			tape_json_write_init(&w, &got);
			tape_json_write_str(&w, NULL, in.data, in.len);
			bad += tape_json_write_finish(&w, NULL) != TAPE_OK ||
			       strcmp(got.data, want.data) != 0;
		}
	is_int(bad, 0, "%d texts full of specials", n);
	tape_buf_release(&in);
	tape_buf_release(&got);
	tape_buf_release(&want);
}

static void
test_misuse(void)
{
	static const char *const want[] = { "no value", "container left open",
		"second value at top level", "key outside an object",
		"member without a key", "key outside an object",
		"end of a container that is not open",
		"end of a container that is not open",
		"number that is not finite", "number that is not finite",
		"empty fragment", "nesting too deep", "text is not UTF-8" };
	struct tape_buf b;
	struct tape_json_writer w;
	struct tape_err err;
	int i;

	tape_buf_init(&b, 4096);
	(void)tape_buf_add_str(&b, "kept");
	for (i = 0; i < 13; i++) {
		tape_err_clear(&err);
		tape_json_write_init(&w, &b);
		misuse(i, &w);
		is_int(tape_json_write_finish(&w, &err), TAPE_E_BUG,
		    "misuse %d", i);
		is_str(err.text + strlen("cannot write JSON: "), want[i],
		    "is named");
		is_str(b.data, "kept", "and leaves nothing behind");
	}
	tape_buf_release(&b);
}

static void
test_buffer_failures(void)
{
	static const int64_t v[100];
	struct tape_buf b;
	struct tape_json_writer w;
	struct tape_err err = { 0 };
	enum tape_status st;
	size_t cap;
	unsigned n;

	for (cap = 0, st = TAPE_E_LIMIT; st != TAPE_OK && cap < 300; cap++) {
		tape_buf_init(&b, cap);
		tape_json_write_init(&w, &b);
		tape_json_write_object(&w, NULL);
		tape_json_write_i64s(&w, "v", v, 100);
		tape_json_write_cstr(&w, "s", "\n\t\"");
		tape_json_write_object_end(&w);
		st = tape_json_write_finish(&w, &err);
		if (st != TAPE_OK && (st != TAPE_E_LIMIT || b.len != 0))
			is_int(st, TAPE_E_LIMIT, "at a cap of %zu", cap);
		tape_buf_release(&b);
	}
	is_int((int)cap - 1, 220, "takes not a byte more than it writes");
	for (n = 1, st = TAPE_E_NOMEM; st != TAPE_OK && n < 20; n++) {
		tape_buf_init(&b, 4096);
		tape_json_write_init(&w, &b);
		(void)tape_mem_fail_at(n);
		tape_json_write_i64s(&w, NULL, v, 100);
		(void)tape_mem_fail_at(0);
		tape_err_clear(&err);
		st = tape_json_write_finish(&w, &err);
		if (st != TAPE_OK)
			is_int(err.status, TAPE_E_NOMEM, "allocation %u", n);
		tape_buf_release(&b);
	}
	is_int(st, TAPE_OK, "and then it succeeds");
}

int
main(void)
{
	test_all_kinds();
	test_strings();
	test_long_strings();
	test_dense();
	test_misuse();
	test_buffer_failures();
	return done_testing();
}
