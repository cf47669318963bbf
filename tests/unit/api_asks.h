/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_asks: inputs of each kind, what is asked with them, and the body that
 * should come of it; for the tests of dialects.
 */
#ifndef TAPE_UNIT_API_ASKS_H
#define TAPE_UNIT_API_ASKS_H

#include "api/api.h"
#include "base/mem.h"
#include "unit/tap.h"

#ifndef TAPE_UNIT_API_SHOW_H
static struct tape_err err;
#endif
static struct tape_vocab_set zoo;

static void
open_zoo(void)
{
	static const struct tape_str w[] = { { "ant", 3 }, { "bee", 3 },
		{ "cow", 3 }, { "dog", 3 }, { "eel", 3 }, { "fox", 3 },
		{ "gnu", 3 } };
	static const int64_t f[] = { 1, 4, 6 };
	struct tape_strs words = { w, 7 };
	struct tape_i64s first = { f, 3 };

	tape_vocab_set_init(&zoo);
	is_int(tape_vocab_set_add(&zoo, tape_str_of("zoo"), words, first, &err),
	    TAPE_OK, "a vocabulary is there");
}

__attribute__((unused)) static struct tape_input
no_input(void)
{
	struct tape_input in = { 0 };

	return in;
}

static struct tape_input
text(const char *s)
{
	struct tape_input in = { .text = tape_str_of(s) };

	return in;
}

static struct tape_input
messages(const char *s)
{
	struct tape_input in = { .messages = tape_str_of(s) };

	return in;
}

__attribute__((unused)) static struct tape_input
tokens(void)
{
	static const int64_t ids[] = { 1, 22, 333 };
	struct tape_input in = { .tokens = { ids, 3 } };

	return in;
}

__attribute__((unused)) static struct tape_input
blocks(void)
{
	static const int64_t ids[] = { 0, 1, 2 };
	struct tape_input in = { .blocks = { tape_str_of("zoo"), 7, 4,
				     { ids, 3 }, 10 } };

	return in;
}

static struct tape_api_ask
plain(const struct tape_input *in)
{
	struct tape_api_ask ask = {
		.input = in, .vocabs = &zoo, .output_tokens = TAPE_ABSENT_I64
	};

	return ask;
}

static struct tape_api_ask
full(const struct tape_input *in)
{
	struct tape_api_ask ask = plain(in);

	ask.model = tape_str_of("m\"1");
	ask.stream = ask.usage = true;
	ask.output_tokens = 64;
	return ask;
}

static void
renders(const char *api, struct tape_api_ask ask, const char *want,
    const char *name)
{
	struct tape_buf out;

	tape_err_clear(&err);
	tape_buf_init(&out, TAPE_CAP_REQUEST);
	is_int(
	    tape_api_render(tape_api_find(tape_str_of(api)), &ask, &out, &err),
	    TAPE_OK, "%s: %s", api, name);
	is_str(out.data, want, "and the body is right");
	tape_buf_release(&out);
}

static void
refuses(const char *api, struct tape_api_ask ask, enum tape_status st,
    const char *why)
{
	struct tape_buf out;

	tape_err_clear(&err);
	tape_buf_init(&out, TAPE_CAP_REQUEST);
	(void)tape_buf_add_str(&out, "kept");
	is_int(
	    tape_api_render(tape_api_find(tape_str_of(api)), &ask, &out, &err),
	    st, "%s refuses: %s", api, why);
	is_str(err.text, why, "and says why");
	is_str(out.data, "kept", "and appends nothing");
	tape_buf_release(&out);
}

__attribute__((unused)) static void
path_is(const char *api, const struct tape_input *in, const char *path)
{
	struct tape_api_ask about = { .input = in,
		.model = tape_str_of("o/a") };
	struct tape_buf b;
	bool own = false;

	tape_err_clear(&err);
	tape_buf_init(&b, 256);
	is_int(tape_api_path(
		   tape_api_find(tape_str_of(api)), &about, &b, &own, &err),
	    TAPE_OK, "%s has a path", api);
	is_str(b.data, path, "its path");
	tape_buf_release(&b);
}

/* Each allocation fails once, and nothing is left then. */
__attribute__((unused)) static void
fails_each(const char *api, struct tape_api_ask ask)
{
	struct tape_buf out;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 100) {
		tape_err_clear(&err);
		tape_buf_init(&out, TAPE_CAP_REQUEST);
		(void)tape_mem_fail_at(++n);
		st = tape_api_render(
		    tape_api_find(tape_str_of(api)), &ask, &out, &err);
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK)
			is_int(out.len, 0, "nothing is left");
		tape_buf_release(&out);
	}
	is_int(st, TAPE_OK, "%s is rendered when memory is there", api);
	ok(n > 5, "and failed before in each of %d allocations", (int)n - 1);
}

#endif
