/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which tool's file it is, and its text. */
#include "engine/import_result.h"

#include <stdio.h>

#define LOOK ((size_t)64 << 10) /* of a file, to see what it is */

const struct tape_import_tool tape_import_tools[] = {
	{ "aiperf", "profile_export.jsonl, profile_export_aiperf.json" },
	{ "vllm", "the result of vllm bench serve" },
	{ "guidellm", "guidellm's JSON" },
	{ NULL, NULL },
};

/* What a document has of which its tool can be told. */
struct signs {
	struct tape_str aiperf, guidellm, model, tokenizer, kind;
	int64_t completed;
};

static const struct tape_dig signs_table[] = {
	{ "aiperf_version", TAPE_DIG_RAW, offsetof(struct signs, aiperf) },
	{ "metadata.guidellm_version", TAPE_DIG_RAW,
	    offsetof(struct signs, guidellm) },
	{ "model_id", TAPE_DIG_RAW, offsetof(struct signs, model) },
	{ "tokenizer_id", TAPE_DIG_RAW, offsetof(struct signs, tokenizer) },
	{ "kind", TAPE_DIG_RAW, offsetof(struct signs, kind) },
	{ "completed", TAPE_DIG_INTEGER, offsetof(struct signs, completed) },
};

static enum tape_status
check_tool(const char *is, const char *tool, struct tape_err *err)
{
	if (tool == NULL || strcmp(is, tool) == 0)
		return TAPE_OK;
	return tape_err_set(
	    err, TAPE_E_FORMAT, "this is a result of %s, not of %s", is, tool);
}

/* A line of AIPerf's requests begins with metadata, a phase in it. */
static enum tape_status
looks_like_lines(struct tape_in *in, bool *lines, struct tape_err *err)
{
	const char *p, *end;
	size_t len;
	enum tape_status st = tape_in_peek(in, LOOK, &p, &len, err);

	*lines = false;
	if (st == TAPE_EOF)
		return tape_err_set(err, TAPE_E_FORMAT, "it is empty");
	if (st != TAPE_OK)
		return st;
	end = memchr(p, '\n', len);
	if (end != NULL)
		len = (size_t)(end - p);
	*lines = memmem(p, len, "\"benchmark_phase\"", 17) != NULL;
	return TAPE_OK;
}

static enum tape_status
read_all(struct tape_in *in, struct tape_buf *text, struct tape_err *err)
{
	char chunk[16384];
	size_t got;
	enum tape_status st = TAPE_OK;

	while (st == TAPE_OK) {
		st = tape_in_read(in, chunk, sizeof(chunk), &got, err);
		if (st == TAPE_OK)
			st = tape_buf_add(text, chunk, got);
	}
	if (text->status == TAPE_E_LIMIT)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "it has more than %zu MiB", TAPE_IMPORT_RESULT_CAP >> 20);
	if (text->status != TAPE_OK)
		return tape_buf_status(text, err);
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* The length of one of Python's numbers that JSON does not have, or 0. */
static size_t
odd_number(const char *p, size_t len)
{
	static const char *const words[] = { "NaN", "Infinity", "-Infinity" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const size_t n = strlen(words[i]);

		if (len >= n && memcmp(p, words[i], n) == 0)
			return n;
	}
	return 0;
}

/* Python writes NaN and Infinity, which stand for no number: null is written in
   their place. */
static enum tape_status
copy_clean(
    const struct tape_buf *from, struct tape_buf *to, struct tape_err *err)
{
	bool text = false;

	for (size_t i = 0; i < from->len; i++) {
		const char c = from->data[i];
		const size_t odd =
		    text || (c != 'N' && c != 'I' && c != '-')
			? 0
			: odd_number(from->data + i, from->len - i);

		if (odd > 0) {
			(void)tape_buf_add_str(to, "null");
			i += odd - 1;
			continue;
		}
		(void)tape_buf_add_char(to, c);
		if (text && c == '\\' && i + 1 < from->len)
			(void)tape_buf_add_char(to, from->data[++i]);
		else if (c == '"')
			text = !text;
	}
	return tape_buf_status(to, err);
}

static enum tape_status
clean(struct tape_buf *text, struct tape_err *err)
{
	struct tape_buf copy;
	enum tape_status st;

	if (memmem(text->data, text->len, "NaN", 3) == NULL &&
	    memmem(text->data, text->len, "Infinity", 8) == NULL)
		return TAPE_OK;
	tape_buf_init(&copy, TAPE_IMPORT_RESULT_CAP);
	st = copy_clean(text, &copy, err);
	if (st != TAPE_OK) {
		tape_buf_release(&copy);
		return st;
	}
	tape_buf_release(text);
	*text = copy;
	return TAPE_OK;
}

static enum tape_status
read_one(struct tape_str document, const char *tool, struct tape_import_to *to,
    struct tape_err *err)
{
	struct tape_digger d;
	struct signs s;
	enum tape_status st;

	tape_digger_init(&d);
	st = tape_dig_read(&d, document, signs_table,
	    sizeof(signs_table) / sizeof(*signs_table), &s, err);
	tape_digger_release(&d);
	if (st != TAPE_OK)
		return st;
	if (s.aiperf.p != NULL) {
		st = check_tool("aiperf", tool, err);
		return st == TAPE_OK
			   ? tape_import_aiperf_summary(document, to, err)
			   : st;
	}
	if (s.guidellm.p != NULL) {
		st = check_tool("guidellm", tool, err);
		return st == TAPE_OK ? tape_import_guidellm(document, to, err)
				     : st;
	}
	if (s.model.p != NULL && s.tokenizer.p != NULL &&
	    s.completed != TAPE_ABSENT_I64) {
		st = check_tool("vllm", tool, err);
		return st == TAPE_OK ? tape_import_vllm(document, to, err) : st;
	}
	if (s.kind.p != NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "this is a stream of llmtape: leave --import out");
	return tape_err_set(err, TAPE_E_FORMAT,
	    "this is no result of aiperf, vllm or guidellm");
}

/* One document after the other: vllm appends to a file. */
static enum tape_status
read_documents(struct tape_str text, const char *tool,
    struct tape_import_to *to, struct tape_err *err)
{
	struct tape_json json;
	struct tape_json_token tok;
	struct tape_str document;
	enum tape_status st = TAPE_OK;

	tape_json_init(&json);
	while (st == TAPE_OK) {
		while (
		    text.len > 0 && memchr(" \t\r\n", text.p[0], 4) != NULL) {
			text.p++;
			text.len--;
		}
		if (text.len == 0)
			break;
		tape_json_open(&json, text.p, text.len, TAPE_JSON_FOREIGN);
		st = tape_json_expect(&json, TAPE_JSON_OBJECT, &tok, err);
		if (st == TAPE_OK)
			st = tape_json_skip(
			    &json, &document.p, &document.len, err);
		if (st != TAPE_OK)
			break;
		st = read_one(document, tool, to, err);
		text.len -= (size_t)(document.p - text.p) + document.len;
		text.p = document.p + document.len;
	}
	tape_json_release(&json);
	return st;
}

static enum tape_status
read_text(struct tape_in *in, const char *tool, struct tape_import_to *to,
    struct tape_err *err)
{
	struct tape_buf text;
	enum tape_status st;

	tape_buf_init(&text, TAPE_IMPORT_RESULT_CAP);
	st = read_all(in, &text, err);
	if (st == TAPE_OK)
		st = clean(&text, err);
	if (st == TAPE_OK)
		st = read_documents(
		    tape_str_make(text.data, text.len), tool, to, err);
	tape_buf_release(&text);
	return st;
}

enum tape_status
tape_import_result(struct tape_in *in, const char *tool,
    struct tape_import_to *to, struct tape_err *err)
{
	const uint64_t before = to->runs;
	bool lines;
	enum tape_status st = looks_like_lines(in, &lines, err);

	if (st == TAPE_OK && lines)
		st = check_tool("aiperf", tool, err);
	if (st == TAPE_OK)
		st = lines ? tape_import_aiperf_lines(in, to, err)
			   : read_text(in, tool, to, err);
	if (st == TAPE_OK && to->runs == before)
		st = tape_err_set(err, TAPE_E_FORMAT, "there is no run in it");
	if (st != TAPE_OK)
		(void)tape_err_at(err, tape_in_name(in), 0);
	return st;
}

enum tape_status
tape_import_results(struct tape_in *const *in, size_t n, const char *tool,
    struct tape_import_to *to, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = tape_import_result(in[i], tool, to, err);
	return st;
}
