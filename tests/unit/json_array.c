/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The short ways through arrays agree with going element by element. */
#include "base/mem.h"
#include "base/num.h"
#include "codec/json.h"
#include "codec/stat_rng.h"
#include "unit/tap.h"

#define MANY 64

static struct tape_json r;

/* Begins reading text; whether it begins with an array. */
static bool
begin(const char *text, size_t len)
{
	struct tape_json_token tok;

	tape_json_open(&r, text, len, TAPE_JSON_OURS);
	return tape_json_expect(&r, TAPE_JSON_ARRAY, &tok, NULL) == TAPE_OK;
}

/* How many are taken at most 64 at a time, and what next says then. */
static void
takes(const char *text, size_t want, enum tape_json_type then)
{
	struct tape_json_token tok = { 0 };
	struct tape_err err = { 0 };
	int64_t v[MANY];
	bool right = true;
	size_t n = strlen(text);
	/* With nothing behind it that could be read. */
	char *copy = tape_mem_realloc(NULL, n, 1);

	memcpy(copy, text, n);
	if (!ok(begin(copy, n), "array: %s", text))
		return;
	n = tape_json_take_i64s(&r, v, MANY);
	is_int((int64_t)n, (int64_t)want, "takes");
	for (size_t i = 0; i < n; i++)
		right = right && v[i] == (int64_t)i + 1;
	ok(right, "1, 2, ...");
	if (tape_json_next(&r, &tok, &err) != TAPE_OK)
		tok.type = TAPE_JSON_END;
	is_int(tok.type, then, "then next gives %s",
	    tape_json_type_name(tok.type));
	tape_mem_free(copy);
}

static void
test_take(void)
{
	takes("[]", 0, TAPE_JSON_ARRAY_END);
	takes("[1]", 1, TAPE_JSON_ARRAY_END);
	takes("[1,2,3]", 3, TAPE_JSON_ARRAY_END);
	takes("[1,2,3 ]", 2, TAPE_JSON_INT);
	takes("[1, 2,3]", 1, TAPE_JSON_INT);
	takes("[ 1,2]", 0, TAPE_JSON_INT);
	takes("[1,2,\"a\"]", 2, TAPE_JSON_STRING);
	takes("[1,2,[3]]", 2, TAPE_JSON_ARRAY);
	takes("[1,2.5]", 1, TAPE_JSON_DOUBLE);
	takes("[1,2e5]", 1, TAPE_JSON_DOUBLE);
	takes("[1,-0]", 1, TAPE_JSON_DOUBLE);
	takes("[1,9223372036854775807]", 1, TAPE_JSON_INT);
	takes("[1,9223372036854775808]", 1, TAPE_JSON_DOUBLE);
	takes("[1,null]", 1, TAPE_JSON_NULL);
	takes("[1,02]", 1, TAPE_JSON_END);
	takes("[1,]", 1, TAPE_JSON_END);
	takes("[1,2", 1, TAPE_JSON_INT);
	takes("[1,2,", 2, TAPE_JSON_END);
	takes("[1,2}", 1, TAPE_JSON_INT);
	takes("[1,2x]", 1, TAPE_JSON_INT);
	takes("[1,-]", 1, TAPE_JSON_END);
	takes("[", 0, TAPE_JSON_END);
}

/* It may be called anywhere; where it cannot help it does nothing. */
static void
test_places(void)
{
	static const char text[] = "{\"a\":1,\"b\":[1,2,3,4],\"c\":5}";
	struct tape_json_token tok;
	int64_t v[MANY];

	tape_json_open(&r, text, sizeof(text) - 1, TAPE_JSON_OURS);
	is_int((int64_t)tape_json_take_i64s(&r, v, MANY), 0, "at the start");
	ok(tape_json_next(&r, &tok, NULL) == TAPE_OK, "into the object");
	is_int((int64_t)tape_json_take_i64s(&r, v, MANY), 0, "in an object");
	ok(tape_json_next(&r, &tok, NULL) == TAPE_OK &&
		tape_json_next(&r, &tok, NULL) == TAPE_OK,
	    "to the array");
	is_int((int64_t)tape_json_count(&r), 4, "it has four");
	is_int((int64_t)tape_json_take_i64s(&r, v, 2), 2, "two of them");
	ok(tape_json_skip(&r, NULL, NULL, NULL) == TAPE_OK,
	    "skip has nothing to do behind an element");
	ok(tape_json_next(&r, &tok, NULL) == TAPE_OK && tok.i64 == 3,
	    "then next gives the third");
	is_int((int64_t)tape_json_take_i64s(&r, v, MANY), 1, "and one more");
	is_int(v[0], 4, "the fourth");
	is_int((int64_t)tape_json_take_i64s(&r, v, MANY), 0, "then none");
	ok(tape_json_next(&r, &tok, NULL) == TAPE_OK &&
		tok.type == TAPE_JSON_ARRAY_END,
	    "the end is next's");
	ok(tape_json_next(&r, &tok, NULL) == TAPE_OK &&
		tape_json_key_is(&tok, "c"),
	    "and what follows");
}

/* Integers of every length, against the decimal parser of base. */
static void
test_values(void)
{
	struct tape_rng rng;
	int wrong = 0, all = 0;

	tape_rng_init(&rng, 1, 0, 0, 0);
	for (int digits = 1; digits <= 19; digits++)
		for (int k = 0; k < 500; k++) {
			char text[40] = "[";
			int64_t got = 0, want = 0;
			size_t n;

			if (k % 2 == 1)
				text[1] = '-';
			n = strlen(text);
			text[n++] = (char)('1' + tape_rng_u32(&rng) % 9);
			for (int i = 1; i < digits; i++)
				text[n++] =
				    (char)('0' + tape_rng_u32(&rng) % 10);
			text[n] = '\0';
			if (tape_num_i64(text + 1, INT64_MIN, INT64_MAX, &want,
				NULL) != TAPE_OK)
				continue;
			text[n] = ']';
			all++;
			wrong += !begin(text, n + 1);
			n = tape_json_take_i64s(&r, &got, 1);
			wrong += n != (digits <= 18);
			wrong += n == 1 && got != want;
		}
	is_int(wrong, 0, "%d integers of 1 to 19 digits", all);
	/* A byte that is no digit, at each place of eight. */
	for (int i = 0; i < 8; i++)
		for (int c = 1; c < 256; c++) {
			char text[] = "[12345678]";
			int64_t got;

			text[1 + i] = (char)c;
			if ((c >= '0' && c <= '9') || (i == 0 && c == '-') ||
			    c == ',' || c == ']')
				continue;
			wrong += !begin(text, sizeof(text) - 1);
			wrong += tape_json_take_i64s(&r, &got, 1) != 0;
		}
	is_int(wrong, 0, "a digit replaced by any other byte");
}

static void
counts(const char *text, size_t want)
{
	if (ok(begin(text, strlen(text)), "array: %.40s", text))
		is_int((int64_t)tape_json_count(&r), (int64_t)want, "counted");
}

static void
test_count(void)
{
	char text[20000];
	size_t n;

	counts("[]", 0);
	counts("[ ]", 0);
	counts("[\n", 0);
	counts("[1]", 1);
	counts("[ 1 , 2 ]", 2);
	counts("[\"a\"]", 1);
	counts("[\"\",\",],\\\"],\",\"\\\\\"],1,2", 3);
	counts("[\"a\",\"", 2);
	counts("[\"a\\", 1);
	counts("[true,1,\"]\"]", 3);
	/* Long enough for the sums of single bytes to overflow. */
	for (size_t want = 1; want < 9000; want = want * 3 + 1) {
		n = 0;
		text[n++] = '[';
		for (size_t i = 0; i < want; i++) {
			text[n++] = '7';
			text[n++] = ',';
		}
		text[n - 1] = ']';
		text[n] = '\0';
		counts(text, want);
	}
}

static void
test_tree(void)
{
	struct tape_json_token tok;
	int64_t v[MANY];

	ok(tape_json_open_tree(&r, "[1,2]", 5, TAPE_JSON_OURS, NULL) ==
		    TAPE_OK &&
		tape_json_next(&r, &tok, NULL) == TAPE_OK,
	    "over a tree");
	is_int((int64_t)tape_json_count(&r), 0, "nothing is counted");
	is_int((int64_t)tape_json_take_i64s(&r, v, MANY), 0, "or taken");
	ok(tape_json_next(&r, &tok, NULL) == TAPE_OK && tok.i64 == 1,
	    "next goes on");
}

int
main(void)
{
	tape_json_init(&r);
	test_take();
	test_places();
	test_values();
	test_count();
	test_tree();
	tape_json_release(&r);
	return done_testing();
}
