/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of foreign JSON by their paths. */
#include "engine/import_dig.h"

#include "base/mem.h"
#include "unit/tap.h"

struct found {
	double number;
	int64_t integer, other;
	struct tape_str text, raw;
	int8_t flag;
	struct tape_f64s numbers;
};

#define AT(f) offsetof(struct found, f)

static const struct tape_dig table[] = {
	{ "a.b.number", TAPE_DIG_NUMBER, AT(number) },
	{ "a.integer", TAPE_DIG_INTEGER, AT(integer) },
	{ "a.b.integer", TAPE_DIG_INTEGER, AT(other) },
	{ "text", TAPE_DIG_TEXT, AT(text) },
	{ "p99.9_ms", TAPE_DIG_RAW, AT(raw) },
	{ "flag", TAPE_DIG_BOOL, AT(flag) },
	{ "list", TAPE_DIG_NUMBERS, AT(numbers) },
};

static enum tape_status
dig(struct tape_digger *d, const char *text, struct found *f,
    struct tape_err *err)
{
	tape_err_clear(err);
	return tape_dig_read(d, tape_str_of(text), table,
	    sizeof(table) / sizeof(*table), f, err);
}

static void
test_fields(struct tape_digger *d)
{
	struct tape_err err = { 0 };
	struct found f;

	is_int(dig(d,
		   "{\"x\":{\"b\":{\"number\":9}},\"a\":{\"skip\":[{\"a\":1}],"
		   "\"b\":{\"number\":1.5,\"more\":{\"number\":3},\"integer\":"
		   "7},\"integer\":8.0,\"number\":4},\"text\":\"t\\u0000x\","
		   "\"p99.9_ms\":{\"k\":[1,2]},\"flag\":true,"
		   "\"list\":[1,2.5,null]}",
		   &f, &err),
	    TAPE_OK, "an object %s", err.text);
	ok(f.number == 1.5 && f.integer == 8 && f.other == 7,
	    "numbers by their whole path");
	ok(tape_str_is(f.text, "t?x"), "a text, without NUL");
	ok(tape_str_is(f.raw, "{\"k\":[1,2]}"), "a value left unread");
	is_int(f.flag, 1, "a flag");
	ok(f.numbers.n == 3 && f.numbers.v[1] == 2.5 && isnan(f.numbers.v[2]),
	    "a list");
	is_int(dig(d,
		   "{\"a\":{\"b\":null,\"integer\":null},\"text\":null,"
		   "\"list\":null,\"flag\":null,\"a.b\":{}}",
		   &f, &err),
	    TAPE_OK, "nothing but null %s", err.text);
	ok(isnan(f.number) && f.integer == TAPE_ABSENT_I64 &&
		f.text.p == NULL && f.raw.p == NULL &&
		f.flag == TAPE_ABSENT_BOOL && f.numbers.v == NULL,
	    "is as if it were not there");
	is_int(dig(d, "{\"flag\":true,\"flag\":false}", &f, &err), TAPE_OK,
	    "a key twice");
	is_int(f.flag, 0, "has its last value");
}

static void
test_refused(struct tape_digger *d)
{
	static const char *const texts[][2] = {
		{ "[]", "" },
		{ "{\"a\":{\"integer\":1.5}}",
		    "\"a.integer\" is not an integer" },
		{ "{\"a\":{\"integer\":1e300}}",
		    "\"a.integer\" is not an integer" },
		{ "{\"a\":{\"b\":{\"number\":\"1\"}}}",
		    "\"a.b.number\" is not a number" },
		{ "{\"text\":1}", "\"text\" is not a string" },
		{ "{\"flag\":0}", "\"flag\" is not true or false" },
		{ "{\"list\":7}", "\"list\" is not an array of numbers" },
		{ "{\"list\":[1,[2]]}", "\"list\" is not an array of numbers" },
		{ "{\"list\":[1,\"2\"]}",
		    "\"list\" is not an array of numbers" },
		{ "{\"text\":\"a\"", "" },
		{ "{\"text\":\"a\"}{}", "" },
	};
	struct tape_err err = { 0 };
	struct found f;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		is_int(dig(d, texts[i][0], &f, &err), TAPE_E_FORMAT,
		    "refused: %s", texts[i][0]);
		ok(strstr(err.text, texts[i][1]) != NULL, "as %s", err.text);
	}
}

static void
test_items(struct tape_digger *d)
{
	struct tape_err err = { 0 };
	struct tape_dig_items items;
	struct tape_str item;
	struct tape_strs texts;
	struct tape_f64s numbers;

	tape_dig_items_init(&items, tape_str_of("[ {\"a\":1}, 2,[3 ]]"));
	ok(tape_dig_items_next(&items, &item, &err) == TAPE_OK &&
		tape_str_is(item, "{\"a\":1}"),
	    "the first of an array");
	ok(tape_dig_items_next(&items, &item, &err) == TAPE_OK &&
		tape_str_is(item, "2"),
	    "the second");
	ok(tape_dig_items_next(&items, &item, &err) == TAPE_OK &&
		tape_str_is(item, "[3 ]"),
	    "the third");
	is_int(tape_dig_numbers(d, item, &numbers, &err), TAPE_OK,
	    "which is one of numbers");
	ok(numbers.n == 1 && numbers.v[0] == 3, "and has one");
	is_int(tape_dig_items_next(&items, &item, &err), TAPE_EOF, "the end");
	tape_dig_items_release(&items);

	tape_dig_items_init(&items, tape_str_make(NULL, 0));
	is_int(tape_dig_items_next(&items, &item, &err), TAPE_EOF,
	    "one that is not there has none");
	tape_dig_items_release(&items);

	is_int(
	    tape_dig_texts(d, tape_str_of("[\"a\",null,\"\"]"), &texts, &err),
	    TAPE_OK, "texts %s", err.text);
	ok(texts.n == 3 && tape_str_is(texts.v[0], "a") &&
		texts.v[1].p == NULL && texts.v[2].p != NULL,
	    "null is none");
	is_int(tape_dig_texts(d, tape_str_of("[1]"), &texts, &err),
	    TAPE_E_FORMAT, "a number is no text");
}

int
main(void)
{
	struct tape_digger d;

	tape_digger_init(&d);
	test_fields(&d);
	test_refused(&d);
	test_items(&d);
	tape_digger_release(&d);
	return done_testing();
}
