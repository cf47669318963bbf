/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_event: one event of one dialect, named in the first line: "NAME" or
 * "NAME body".  It must not crash a decoder, whatever it is; and where it is
 * JSON without what readers may differ in, the decoder says what the oracle
 * does.  With FUZZ_API in the environment every event is of that dialect, so
 * that a fuzzer can spend its time on one.
 */
#include "unit/api_oracle.h"

#include "codec/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool cond)
{
	if (!cond)
		abort();
}

/* Strict JSON, which has no keys twice, no NUL and no lone surrogates. */
static bool
is_strict(struct tape_str text)
{
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err = { 0 };
	enum tape_status st;

	tape_json_init(&r);
	tape_json_open(&r, text.p, text.len, TAPE_JSON_OURS);
	do
		st = tape_json_next(&r, &tok, &err);
	while (st == TAPE_OK && tok.type != TAPE_JSON_END);
	tape_json_release(&r);
	return st == TAPE_OK;
}

/* Numbers that are no plain integers, which a tree does not tell from them. */
static bool
has_odd_number(struct tape_str text)
{
	for (size_t i = 1; i < text.len; i++) {
		const bool digit = text.p[i - 1] >= '0' && text.p[i - 1] <= '9';

		if (digit && strchr(".eE", text.p[i]) != NULL)
			return true;
		if (text.p[i - 1] == '-' && text.p[i] == '0')
			return true;
	}
	return false;
}

/* Digits beyond what a double holds. */
static bool
has_long_number(struct tape_str text)
{
	size_t digits = 0;

	for (size_t i = 0; i < text.len; i++) {
		digits = text.p[i] >= '0' && text.p[i] <= '9' ? digits + 1 : 0;
		if (digits > 15)
			return true;
	}
	return false;
}

static void
check(const struct tape_api *api, bool body, struct tape_str text)
{
	struct tape_api_decoder d;
	struct tape_api_event ev;
	struct tape_err err = { 0 };
	struct oracle r;
	cJSON *root = NULL;

	tape_api_decoder_init(&d, api, true);
	must((body ? tape_api_decode_body(&d, text, &ev, &err)
		   : tape_api_decode(&d, tape_str_of(""), text, &ev, &err)) ==
	     TAPE_OK);
	if (is_strict(text) && !has_odd_number(text) && !has_long_number(text))
		root = cJSON_ParseWithLength(text.p, text.len);
	if (root != NULL && oracle_read(&r, api->name, root, body) &&
	    r.ids < ORACLE_IDS && r.calls < ORACLE_IDS)
		must(oracle_differs(&r, &d, &ev) == NULL);
	cJSON_Delete(root);
	tape_api_decoder_release(&d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char body[] = " body";
	const char *only = getenv("FUZZ_API");
	const char *text = (const char *)data;
	const char *nl = memchr(text, '\n', size);
	struct tape_str name = { text, nl != NULL ? (size_t)(nl - text) : 0 };
	const struct tape_api *api;
	bool whole = false;

	if (nl == NULL)
		return 0;
	if (name.len > sizeof(body) - 1 &&
	    memcmp(nl - (sizeof(body) - 1), body, sizeof(body) - 1) == 0) {
		whole = true;
		name.len -= sizeof(body) - 1;
	}
	api = tape_api_find(only != NULL ? tape_str_of(only) : name);
	if (api != NULL)
		check(api, whole,
		    tape_str_make(nl + 1,
			size - name.len - 1 - (whole ? sizeof(body) - 1 : 0)));
	return 0;
}
