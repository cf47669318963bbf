/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json.h"

#include "base/mem.h"
#include "unit/json_show.h"
#include "unit/json_texts.h"
#include "unit/tap.h"

/* What the scanner takes the tree takes as the same tokens, unless cJSON
   cannot hold it; what the scanner refuses the tree refuses. */
static void
test_texts(enum tape_json_mode mode, int want_limits)
{
	struct tape_json scan, tree;
	struct tape_buf a, b;
	struct tape_err err;
	enum tape_status st, sta;
	size_t i, len;
	int limits = 0;

	tape_json_init(&scan);
	tape_json_init(&tree);
	tape_buf_init(&a, 1 << 20);
	tape_buf_init(&b, 1 << 20);
	for (i = 0; i < JSON_TEXTS; i++) {
		const struct json_text *t = &json_texts[i];

		len = t->len > 0 ? t->len : strlen(t->in);
		tape_err_clear(&err);
		tape_json_open(&scan, t->in, len, mode);
		sta = json_show(&scan, &a);
		st = tape_json_open_tree(&tree, t->in, len, mode, &err);
		if (st == TAPE_E_LIMIT) {
			limits++;
			continue;
		}
		if (st == TAPE_OK)
			st = json_show(&tree, &b);
		is_int(st, sta, "mode %d, text %zu", mode, i);
		if (sta == TAPE_OK)
			is_str(b.data, a.data, "and the same tokens");
	}
	is_int(limits, want_limits, "texts cJSON cannot hold");
	tape_buf_release(&a);
	tape_buf_release(&b);
	tape_json_release(&scan);
	tape_json_release(&tree);
}

static void
test_limits(void)
{
	static const struct {
		const char *in;
		enum tape_json_mode mode;
		enum tape_status want;
	} t[] = {
		{ "\"a\\u0000\"", TAPE_JSON_FOREIGN, TAPE_E_LIMIT },
		{ "\"a\\u0000\"", TAPE_JSON_OURS, TAPE_E_FORMAT },
		{ "\"\\ud800\"", TAPE_JSON_FOREIGN, TAPE_E_LIMIT },
		{ "\"\\udc00\\ud800\"", TAPE_JSON_OURS, TAPE_E_FORMAT },
		{ "[1234567890123456789012345678901234567890"
		  "12345678901234567890123]",
		    TAPE_JSON_OURS, TAPE_OK },
		{ "[1234567890123456789012345678901234567890"
		  "123456789012345678901234]",
		    TAPE_JSON_OURS, TAPE_E_LIMIT },
		{ "\"\\u00zz\"", TAPE_JSON_FOREIGN, TAPE_E_FORMAT },
		{ "\x01[]", TAPE_JSON_FOREIGN, TAPE_E_FORMAT },
		{ "[1.e5]", TAPE_JSON_FOREIGN, TAPE_E_FORMAT },
		{ "[-.5]", TAPE_JSON_FOREIGN, TAPE_E_FORMAT },
		{ "{\"a\":1}x", TAPE_JSON_FOREIGN, TAPE_E_FORMAT },
		{ "{\"a\":1} \n", TAPE_JSON_OURS, TAPE_OK },
	};
	struct tape_json r;
	struct tape_err err = { 0 };
	size_t i;

	tape_json_init(&r);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		is_int(tape_json_open_tree(
			   &r, t[i].in, strlen(t[i].in), t[i].mode, &err),
		    t[i].want, "text %zu", i);
	tape_json_release(&r);
}

static void
test_walk(void)
{
	static const char in[] = "{\"a\":{\"b\":[1,2]},\"c\":3}";
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err = { 0 };
	const char *raw = in;
	size_t len = 1;

	tape_json_init(&r);
	is_int(tape_json_open_tree(&r, in, strlen(in), TAPE_JSON_OURS, &err),
	    TAPE_OK, "a tree");
	is_int(tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, &err), TAPE_OK,
	    "begins");
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "a member");
	ok(tape_json_key_is(&tok, "a") && tok.depth == 1, "named a");
	ok(tok.raw == NULL, "has no source");
	is_int(tape_json_skip(&r, &raw, &len, &err), TAPE_OK, "skip");
	ok(raw == NULL && len == 0, "neither has what is skipped");
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "the next member");
	ok(tape_json_key_is(&tok, "c") && tok.i64 == 3, "is c");
	is_int(tape_json_expect(&r, TAPE_JSON_OBJECT_END, &tok, &err), TAPE_OK,
	    "the end");
	is_int(tape_json_end(&r, &err), TAPE_OK, "of all");
	is_int(tape_json_end(&r, &err), TAPE_OK, "repeats");
	tape_json_open(&r, "[7]", 3, TAPE_JSON_OURS);
	is_int(tape_json_next(&r, &tok, &err), TAPE_OK, "the scanner again");
	ok(tok.raw != NULL, "with its sources");
	tape_json_release(&r);
}

static void
test_no_memory(void)
{
	static const char in[] = "{\"a\":[1,2,3],\"b\":\"text\"}";
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err;
	enum tape_status st = TAPE_E_NOMEM;
	unsigned n;

	for (n = 1; st != TAPE_OK && n < 40; n++) {
		tape_json_init(&r);
		tape_err_clear(&err);
		(void)tape_mem_fail_at(n);
		st = tape_json_open_tree(
		    &r, in, strlen(in), TAPE_JSON_OURS, &err);
		if (st == TAPE_OK)
			st = tape_json_next(&r, &tok, &err);
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK)
			is_int(err.status, TAPE_E_NOMEM, "allocation %u", n);
		tape_json_release(&r);
	}
	is_int(st, TAPE_OK, "and then it succeeds");
	ok(n > 10, "after many failures");
}

int
main(void)
{
	test_texts(TAPE_JSON_OURS, 0);
	test_texts(TAPE_JSON_FOREIGN, 5);
	test_limits();
	test_walk();
	test_no_memory();
	return done_testing();
}
