/* SPDX-License-Identifier: GPL-3.0-or-later */
/* api_oracle_chat: the oracle of chat and completions. */
#ifndef TAPE_UNIT_API_ORACLE_CHAT_H
#define TAPE_UNIT_API_ORACLE_CHAT_H

#include "unit/api_oracle_base.h"

/* Strings of a list, and those named text, however deep. */
static void
oracle_texts(struct oracle *r, const cJSON *list)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, list)
	{
		if (cJSON_IsString(v) &&
		    (v->string == NULL || strcmp(v->string, "text") == 0))
			oracle_text(r, TAPE_API_REASONING, v);
		else if (cJSON_IsObject(v) || cJSON_IsArray(v))
			oracle_texts(r, v);
	}
}

static void
oracle_parts(struct oracle *r, const cJSON *content)
{
	const cJSON *p;

	cJSON_ArrayForEach(p, content)
	{
		const cJSON *thinking = oracle_get(p, "thinking");

		oracle_text(r, TAPE_API_CONTENT, p);
		oracle_text(r, TAPE_API_CONTENT, oracle_get(p, "text"));
		if (cJSON_IsArray(thinking))
			oracle_texts(r, thinking);
		oracle_text(r, TAPE_API_REASONING, thinking);
	}
}

static void
oracle_function(struct oracle *r, const cJSON *f)
{
	const cJSON *arguments = oracle_get(f, "arguments");

	oracle_text(r, TAPE_API_TOOL, oracle_get(f, "name"));
	if (!cJSON_IsArray(arguments))
		oracle_json(r, TAPE_API_TOOL, arguments);
}

static void
oracle_chat_calls(struct oracle *r, const cJSON *calls)
{
	const cJSON *c;

	if (!cJSON_IsArray(calls))
		return;
	cJSON_ArrayForEach(c, calls)
	{
		oracle_id(r, oracle_str(c, "id"));
		oracle_function(r, oracle_get(c, "function"));
	}
}

static void
oracle_delta(struct oracle *r, const cJSON *delta)
{
	const int64_t before = r->bytes[TAPE_API_REASONING];
	const cJSON *m, *audio = oracle_get(delta, "audio");

	if (delta != NULL && !cJSON_IsObject(delta) && !cJSON_IsNull(delta))
		r->malformed = true;
	if (!cJSON_IsObject(delta))
		return;
	cJSON_ArrayForEach(m, delta)
	{
		if (strcmp(m->string, "content") == 0 && cJSON_IsArray(m))
			oracle_parts(r, m);
		else if (strcmp(m->string, "content") == 0)
			oracle_text(r, TAPE_API_CONTENT, m);
		else if ((strcmp(m->string, "reasoning") == 0 ||
			     strcmp(m->string, "reasoning_content") == 0) &&
			 r->bytes[TAPE_API_REASONING] == before)
			oracle_text(r, TAPE_API_REASONING, m);
	}
	oracle_chat_calls(r, oracle_get(delta, "tool_calls"));
	oracle_function(r, oracle_get(delta, "function_call"));
	oracle_text(r, TAPE_API_REFUSAL, oracle_get(delta, "refusal"));
	oracle_text(r, TAPE_API_AUDIO, oracle_get(audio, "data"));
	oracle_text(r, TAPE_API_AUDIO, oracle_get(audio, "transcript"));
}

static void
oracle_chunk(struct oracle *r, const cJSON *root, const char *member)
{
	const cJSON *choices = oracle_get(root, "choices"), *c;
	bool either;

	if (choices != NULL && !cJSON_IsArray(choices) &&
	    !cJSON_IsNull(choices))
		r->malformed = true;
	if (cJSON_IsArray(choices)) {
		cJSON_ArrayForEach(c, choices)
		{
			r->malformed = r->malformed || !cJSON_IsObject(c);
			r->choices += cJSON_IsObject(c);
			oracle_index(r, oracle_get(c, "index"));
			oracle_error(r, oracle_get(c, "error"));
			oracle_finish(r, oracle_str(c, "finish_reason"));
			oracle_usage(r, oracle_get(c, "usage"));
			if (strcmp(member, "text") == 0)
				oracle_text(
				    r, TAPE_API_CONTENT, oracle_get(c, "text"));
			else
				oracle_delta(r, oracle_get(c, member));
		}
	}
	oracle_usage(r, oracle_get(root, "usage"));
	oracle_usage(r, oracle_get(oracle_get(root, "x_groq"), "usage"));
	either = r->failed;
	oracle_error(r, oracle_get(root, "error"));
	if (either)
		r->error = NULL; /* the one that comes last */
	if (oracle_is(root, "object", "error")) {
		r->failed = true;
		r->error = NULL;
	}
}

#endif
