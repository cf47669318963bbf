/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json.h"

#include "base/mem.h"
#include "unit/json_show.h"
#include "unit/json_texts.h"
#include "unit/tap.h"

#include <stdlib.h>

static void
check(struct tape_json *r, struct tape_buf *got, const struct json_text *t,
    const char *in, size_t len)
{
	tape_json_open(r, in, len, TAPE_JSON_OURS);
	(void)json_show(r, got);
	is_str(got->data, t->ours, "ours, text %zu", (size_t)(t - json_texts));
	(void)json_show(r, got);
	if (strchr(t->ours, '!') != NULL)
		is_str(got->data, strchr(t->ours, '!'), "and sticks");
	else
		is_str(got->data, "", "and then only the end");
	tape_json_open(r, in, len, TAPE_JSON_FOREIGN);
	(void)json_show(r, got);
	is_str(got->data, t->foreign != NULL ? t->foreign : t->ours,
	    "foreign, text %zu", (size_t)(t - json_texts));
}

/* Each text lies in a block of its own, so that a sanitizer sees a byte read
   too many. */
static void
test_texts(void)
{
	struct tape_json r;
	struct tape_buf got;
	size_t i, len;
	char *in;

	tape_json_init(&r);
	tape_buf_init(&got, 1 << 20);
	for (i = 0; i < JSON_TEXTS; i++) {
		len = json_texts[i].len > 0 ? json_texts[i].len
					    : strlen(json_texts[i].in);
		in = malloc(len > 0 ? len : 1);
		if (in == NULL)
			return;
		memcpy(in, json_texts[i].in, len);
		check(&r, &got, &json_texts[i], in, len);
		free(in);
	}
	tape_buf_release(&got);
	tape_json_release(&r);
	tape_json_release(&r);
}

/* Each byte at each place of a string long enough for eight at a time: what may
   stand there alone, and what may not. */
static void
test_all_bytes(void)
{
	struct tape_json r;
	struct tape_json_token tok;
	char in[26];
	unsigned c, at, bad = 0;
	bool good;

	tape_json_init(&r);
	for (c = 0; c < 256; c++)
		for (at = 1; at < 25; at++) {
			memset(in, 'x', sizeof(in));
			in[0] = in[25] = '"';
			in[at] = (char)c;
			good = c >= 0x20 && c != '"' && c != '\\' && c < 0x80;
			tape_json_open(&r, in, sizeof(in), TAPE_JSON_FOREIGN);
			bad += (tape_json_next(&r, &tok, NULL) == TAPE_OK &&
				   tape_json_end(&r, NULL) == TAPE_OK) != good;
		}
	is_int((int)bad, 0, "every byte at every place of a string");
	tape_json_release(&r);
}

static void
test_depth(void)
{
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err = { 0 };
	char in[2 * TAPE_CAP_JSON_DEPTH + 2];
	size_t n = TAPE_CAP_JSON_DEPTH, i;
	unsigned deepest = 0;

	memset(in, '[', n + 1);
	memset(in + n, ']', n);
	tape_json_init(&r);
	tape_json_open(&r, in, 2 * n, TAPE_JSON_FOREIGN);
	for (i = 0; i < n; i++) {
		if (tape_json_next(&r, &tok, &err) != TAPE_OK)
			break;
		deepest = tok.depth;
	}
	is_int(deepest, TAPE_CAP_JSON_DEPTH - 1, "nests up to the limit");
	is_int(tape_json_skip(&r, NULL, NULL, &err), TAPE_OK, "and back");
	memset(in, '[', n + 1);
	tape_json_open(&r, in, n + 1, TAPE_JSON_FOREIGN);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "one level more");
	is_int(
	    tape_json_skip(&r, NULL, NULL, &err), TAPE_E_LIMIT, "is too deep");
	is_str(err.text, "bad JSON at byte 64: nested too deep", "in words");
	tape_json_release(&r);
}

static void
test_skip(void)
{
	static const char in[] =
	    "{\"a\": {\"x\":[1,{\"y\":\"}\"}]} ,\"b\":\"s\\n\""
	    ",\"c\":-12 ,\"d\":[ ]}";
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err = { 0 };
	char got[64];
	const char *raw;
	size_t len;
	static const char *const want[] = { "{\"x\":[1,{\"y\":\"}\"}]}",
		"\"s\\n\"", "-12", "[ ]" };
	int i;

	tape_json_init(&r);
	tape_json_open(&r, in, strlen(in), TAPE_JSON_OURS);
	is_int(tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, &err), TAPE_OK,
	    "begin");
	for (i = 0; i < 4; i++) {
		is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "a member");
		is_int(tape_json_skip(&r, &raw, &len, &err), TAPE_OK,
		    "is skipped");
		(void)snprintf(got, sizeof(got), "%.*s", (int)len, raw);
		is_str(got, want[i], "with its source");
		is_int(tape_json_skip(&r, &raw, &len, &err), TAPE_OK,
		    "a second skip");
		is_int((int)len, (int)strlen(want[i]), "changes nothing");
	}
	is_int(tape_json_expect(&r, TAPE_JSON_OBJECT_END, &tok, &err), TAPE_OK,
	    "end");
	is_int(tape_json_end(&r, &err), TAPE_OK, "of all");

	tape_json_open(&r, "{}", 2, TAPE_JSON_OURS);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "an empty object");
	is_int(tape_json_skip(&r, &raw, &len, &err), TAPE_OK, "is skipped");
	is_int((int)len, 2, "whole");
	is_int(tape_json_end(&r, &err), TAPE_OK, "to the end");

	tape_json_open(&r, "[[1,[2}]]", 9, TAPE_JSON_OURS);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "a broken inside");
	is_int(tape_json_skip(&r, &raw, &len, &err), TAPE_E_FORMAT,
	    "is not skipped over");
	tape_json_release(&r);
}

static void
test_tokens(void)
{
	static const char in[] = "{\"name\":\"v\",\"n\":5}";
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err = { 0 };

	tape_json_init(&r);
	tape_json_open(&r, in, strlen(in), TAPE_JSON_OURS);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "object");
	ok(tok.raw == in && tok.raw_len == 1, "raw of a begin is its bracket");
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "member");
	ok(tape_json_key_is(&tok, "name"), "key");
	ok(!tape_json_key_is(&tok, "nam"), "and no other");
	ok(tape_json_str_is(&tok, "v"), "value");
	ok(tok.str == in + 9, "a string without escapes is in the text");
	ok(tok.raw == in + 8 && tok.raw_len == 3, "raw has the quotes");
	is_int((int)tok.depth, 1, "depth");
	is_int((int)tape_json_offset(&r), 8, "offset");
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "number");
	is_near(tok.num, 5, 0, "an integer is a double too");
	is_int(tape_json_expect(&r, TAPE_JSON_ARRAY, &tok, &err), TAPE_E_FORMAT,
	    "not what was expected");
	is_str(err.text,
	    "bad JSON at byte 17: the end of an object where an array "
	    "should be",
	    "in words");
	tape_json_release(&r);
}

/* Text of an object of n keys, the one numbered twice being key 0 again. */
static void
many_keys(struct tape_buf *b, unsigned n, unsigned twice)
{
	unsigned i;

	tape_buf_clear(b);
	(void)tape_buf_add_char(b, '{');
	for (i = 0; i < n; i++)
		(void)tape_buf_add_fmt(b, "%s\"k\\u0030%08u\":1",
		    i > 0 ? "," : "", i == twice ? 0 : i);
	(void)tape_buf_add_char(b, '}');
}

static void
test_many_keys(void)
{
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err = { 0 };
	struct tape_buf b;
	unsigned n, i, bad = 0;

	tape_json_init(&r);
	tape_buf_init(&b, 64 << 20);
	for (n = 1; n < 40; n++)
		for (i = 1; i <= n; i++) {
			many_keys(&b, n, i);
			tape_json_open(&r, b.data, b.len, TAPE_JSON_OURS);
			if (tape_json_next(&r, &tok, &err) != TAPE_OK)
				bad++;
			if (tape_json_skip(&r, NULL, NULL, &err) !=
			    (i < n ? TAPE_E_FORMAT : TAPE_OK))
				bad++;
			tape_err_clear(&err);
		}
	is_int(bad, 0, "a key twice is found in objects of 1 to 39 keys");
	many_keys(&b, TAPE_CAP_JSON_KEYS, TAPE_CAP_JSON_KEYS);
	tape_json_open(&r, b.data, b.len, TAPE_JSON_OURS);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "a huge object");
	is_int(tape_json_skip(&r, NULL, NULL, &err), TAPE_OK, "is read");
	many_keys(&b, TAPE_CAP_JSON_KEYS, TAPE_CAP_JSON_KEYS - 1);
	tape_json_open(&r, b.data, b.len, TAPE_JSON_OURS);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "its last key");
	is_int(tape_json_skip(&r, NULL, NULL, &err), TAPE_E_FORMAT, "twice");
	tape_err_clear(&err);
	many_keys(&b, TAPE_CAP_JSON_KEYS + 1, TAPE_CAP_JSON_KEYS + 1);
	tape_json_open(&r, b.data, b.len, TAPE_JSON_OURS);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "one more");
	is_int(
	    tape_json_skip(&r, NULL, NULL, &err), TAPE_E_LIMIT, "is too many");
	tape_json_open(&r, b.data, b.len, TAPE_JSON_FOREIGN);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "in foreign text");
	is_int(tape_json_skip(&r, NULL, NULL, &err), TAPE_OK, "it is not");
	tape_buf_release(&b);
	tape_json_release(&r);
}

/* A number of a million digits, with and without something behind it. */
static void
test_long_number(void)
{
	size_t n = 1000000;
	struct tape_json r;
	struct tape_buf got;
	char *in = malloc(n + 2);

	if (in == NULL)
		return;
	memset(in, '1', n + 2);
	in[0] = '[';
	in[n + 1] = ']';
	tape_json_init(&r);
	tape_buf_init(&got, 1 << 20);
	tape_json_open(&r, in, n + 2, TAPE_JSON_FOREIGN);
	(void)json_show(&r, &got);
	is_str(got.data, "[ d1.7976931348623157e+308(clamped) ]", "huge");
	in[2] = '.';
	tape_json_open(&r, in + 1, n, TAPE_JSON_OURS);
	(void)json_show(&r, &got);
	is_str(got.data, "d1.1111111111111112", "long");
	free(in);
	tape_buf_release(&got);
	tape_json_release(&r);
}

static void
test_no_memory(void)
{
	static const char in[] =
	    "{\"a\\n\":\"b\\n\",\"c\":{\"d\\t\":1},\"e\":12345678901234567890.5}";
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err;
	enum tape_status st = TAPE_E_NOMEM;
	unsigned n;

	for (n = 1; st != TAPE_OK && n < 20; n++) {
		tape_json_init(&r);
		tape_err_clear(&err);
		tape_json_open(&r, in, strlen(in), TAPE_JSON_OURS);
		(void)tape_mem_fail_at(n);
		st = tape_json_next(&r, &tok, &err);
		if (st == TAPE_OK)
			st = tape_json_skip(&r, NULL, NULL, &err);
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK)
			is_int(err.status, TAPE_E_NOMEM, "allocation %u", n);
		tape_json_release(&r);
	}
	is_int(st, TAPE_OK, "and then it succeeds");
	ok(n > 4, "after several failures");
}

static void
test_steady_state(void)
{
	static const char in[] = "{\"a\\n\":\"b\\n\",\"c\":[1.5,{\"d\\t\":1}]}";
	struct tape_json r;
	struct tape_buf got;
	int i;

	tape_json_init(&r);
	tape_buf_init(&got, 1 << 20);
	for (i = 0; i < 3; i++) {
		if (i == 1)
			(void)tape_mem_fail_at(0);
		tape_json_open(&r, in, strlen(in), TAPE_JSON_OURS);
		(void)json_show(&r, &got);
	}
	is_int((int)tape_mem_fail_at(0), 0, "a used reader needs no memory");
	tape_buf_release(&got);
	tape_json_release(&r);
}

int
main(void)
{
	test_texts();
	test_all_bytes();
	test_depth();
	test_skip();
	test_tokens();
	test_many_keys();
	test_long_number();
	test_no_memory();
	test_steady_state();
	return done_testing();
}
