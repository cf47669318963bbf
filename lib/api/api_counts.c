/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts of a usage object, under the names that servers give them.
 *
 * Servers differ in what a count includes.  Where the prompt's count leaves out
 * what a cache had (input_tokens of Anthropic and Bedrock, known by the cache's
 * counts beside it), they are added; where the answer's leaves out the thoughts
 * (Gemini), they are added.
 */
#include "api/api_decode.h"

#define AT(field) offsetof(struct tape_api_tokens, field)

static const struct {
	const char *name;
	size_t offset;
} counts[] = {
	{ "prompt_tokens", AT(input) },
	{ "completion_tokens", AT(output) },
	{ "input_tokens", AT(bare_input) },
	{ "output_tokens", AT(output) },
	{ "reasoning_tokens", AT(reasoning) },
	{ "cached_tokens", AT(cached) },
	{ "prompt_cache_hit_tokens", AT(cached) }, /* DeepSeek */
	{ "cache_read_input_tokens", AT(cache_read) },
	{ "cache_creation_input_tokens", AT(cache_write) },
	{ "cache_write_tokens", AT(cache_written) }, /* OpenRouter */
	{ "accepted_prediction_tokens", AT(accepted) },
	{ "rejected_prediction_tokens", AT(rejected) },
	/* Gemini */
	{ "promptTokenCount", AT(input) },
	{ "candidatesTokenCount", AT(candidates) },
	{ "thoughtsTokenCount", AT(thoughts) },
	{ "cachedContentTokenCount", AT(cached) },
	/* Bedrock */
	{ "inputTokens", AT(bare_input) },
	{ "outputTokens", AT(output) },
	{ "cacheReadInputTokens", AT(cache_read) },
	{ "cacheWriteInputTokens", AT(cache_write) },
	{ "inputTokenCount", AT(bare_input) },
	{ "outputTokenCount", AT(output) },
	{ "cacheReadInputTokenCount", AT(cache_read) },
	{ "cacheWriteInputTokenCount", AT(cache_write) },
	{ "prompt_token_count", AT(input) },
	{ "generation_token_count", AT(output) },
	{ "inputTextTokenCount", AT(input) },
	{ "totalOutputTextTokenCount", AT(output) },
	/* Ollama; TGI; llama.cpp; watsonx */
	{ "prompt_eval_count", AT(input) },
	{ "eval_count", AT(output) },
	{ "generated_tokens", AT(output) },
	{ "input_length", AT(input) },
	{ "tokens_evaluated", AT(input) },
	{ "tokens_predicted", AT(output) },
	{ "cache_n", AT(cached) },
	{ "input_token_count", AT(input) },
	{ "generated_token_count", AT(output) },
};

#define COUNTS (sizeof(counts) / sizeof(counts[0]))

/* Members that hold counts of a part of it, and what audio is there. */
static const struct {
	const char *name;
	size_t audio;
} details[] = {
	{ "prompt_tokens_details", AT(audio_input) },
	{ "completion_tokens_details", AT(audio_output) },
	{ "input_tokens_details", AT(audio_input) },
	{ "output_tokens_details", AT(audio_output) },
	{ "prompt_token_details", AT(audio_input) },
	{ "completion_token_details", AT(audio_output) },
	{ "input_token_details", AT(audio_input) },
	{ "output_token_details", AT(audio_output) },
	{ "tokens", 0 }, /* Cohere, beside billed_units */
};

#define DETAILS (sizeof(details) / sizeof(details[0]))

/* Gemini's lists of {"modality":"AUDIO","tokenCount":N}. */
static const struct {
	const char *name;
	size_t audio;
} lists[] = {
	{ "promptTokensDetails", AT(audio_input) },
	{ "candidatesTokensDetails", AT(audio_output) },
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

void
tape_api_tokens_clear(struct tape_api_tokens *t)
{
	int64_t *const v = (int64_t *)t;

	for (size_t i = 0; i < sizeof(*t) / sizeof(*v); i++)
		v[i] = TAPE_ABSENT_I64;
}

void
tape_api_tokens_merge(
    struct tape_api_tokens *old, const struct tape_api_tokens *new)
{
	int64_t *const a = (int64_t *)old;
	const int64_t *const b = (const int64_t *)new;

	for (size_t i = 0; i < sizeof(*old) / sizeof(*a); i++)
		if (b[i] != TAPE_ABSENT_I64)
			a[i] = b[i];
}

/* Sum of the counts that are there; absent when none is. */
static int64_t
sum(int64_t a, int64_t b)
{
	if (a == TAPE_ABSENT_I64)
		return b;
	return b == TAPE_ABSENT_I64 ? a : a + b;
}

static int64_t
either(int64_t a, int64_t b)
{
	return a != TAPE_ABSENT_I64 ? a : b;
}

struct tape_api_tokens
tape_api_tokens_resolve(const struct tape_api_tokens *raw)
{
	struct tape_api_tokens t = *raw;

	if (t.input == TAPE_ABSENT_I64 && t.bare_input != TAPE_ABSENT_I64)
		t.input =
		    sum(t.bare_input, sum(raw->cache_read, raw->cache_write));
	if (t.timed_input != TAPE_ABSENT_I64)
		t.input =
		    either(t.input, sum(t.timed_input, raw->timed_cached));
	t.output = either(t.output, sum(t.candidates, t.thoughts));
	t.output = either(t.output, t.timed_output);
	t.reasoning = either(t.reasoning, t.thoughts);
	t.cached = either(either(t.cached, t.cache_read), t.timed_cached);
	t.cache_write = either(t.cache_write, t.cache_written);
	return t;
}

static bool
count_of(const struct tape_json_token *tok, int64_t *n)
{
	if (tok->type == TAPE_JSON_DOUBLE && tok->num >= 0 && tok->num < 0x1p53)
		*n = (int64_t)tok->num;
	else if (tok->type == TAPE_JSON_INT && tok->i64 >= 0 &&
		 tok->i64 <= INT64_C(1) << 53)
		*n = tok->i64;
	else
		return false;
	return true;
}

static void
set(struct tape_api_state *s, size_t offset, int64_t n)
{
	memcpy((char *)&s->tokens + offset, &n, sizeof(n));
	s->counted = true;
}

bool
tape_api_take_count(struct tape_api_state *s, const struct tape_json_token *tok)
{
	int64_t n;

	if (!count_of(tok, &n))
		return false;
	for (size_t i = 0; i < COUNTS; i++)
		if (tape_json_key_is(tok, counts[i].name)) {
			set(s, counts[i].offset, n);
			return true;
		}
	return false;
}

static enum tape_status
read_details(struct tape_api_state *s, size_t audio, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;
	int64_t n;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		if (audio != 0 && tape_json_key_is(&tok, "audio_tokens") &&
		    count_of(&tok, &n))
			set(s, audio, n);
		else
			(void)tape_api_take_count(s, &tok);
		st = tape_json_skip(&s->json, NULL, NULL, err);
		if (st != TAPE_OK)
			return st;
	}
}

/* One of a list; of another modality it is none of ours. */
static enum tape_status
read_modality(struct tape_api_state *s, size_t audio, struct tape_err *err)
{
	struct tape_json_token tok;
	bool is_audio = false;
	int64_t n = TAPE_ABSENT_I64;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tape_json_key_is(&tok, "modality"))
			is_audio = tape_json_str_is(&tok, "AUDIO");
		else if (tape_json_key_is(&tok, "tokenCount"))
			(void)count_of(&tok, &n);
		st = tape_json_skip(&s->json, NULL, NULL, err);
		if (st != TAPE_OK)
			return st;
	}
	if (is_audio && n != TAPE_ABSENT_I64)
		set(s, audio, n);
	return st;
}

static enum tape_status
read_list(struct tape_api_state *s, size_t audio, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			return st;
		st = tok.type == TAPE_JSON_OBJECT
			 ? read_modality(s, audio, err)
			 : tape_json_skip(&s->json, NULL, NULL, err);
		if (st != TAPE_OK)
			return st;
	}
}

enum tape_status
tape_api_read_count(struct tape_api_state *s, const struct tape_json_token *tok,
    struct tape_err *err)
{
	for (size_t i = 0; i < DETAILS && tok->type == TAPE_JSON_OBJECT; i++)
		if (tape_json_key_is(tok, details[i].name))
			return read_details(s, details[i].audio, err);
	for (size_t i = 0; i < LISTS && tok->type == TAPE_JSON_ARRAY; i++)
		if (tape_json_key_is(tok, lists[i].name))
			return read_list(s, lists[i].audio, err);
	(void)tape_api_take_count(s, tok);
	return tape_json_skip(&s->json, NULL, NULL, err);
}
