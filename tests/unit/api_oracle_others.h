/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_oracle_others: the oracle of the dialects that are not of OpenAI's
 * older shape.
 */
#ifndef TAPE_UNIT_API_ORACLE_OTHERS_H
#define TAPE_UNIT_API_ORACLE_OTHERS_H

#include "unit/api_oracle_base.h"

/* ---- messages ---- */

static void
oracle_block(struct oracle *r, const cJSON *b, bool whole)
{
	oracle_text(r, TAPE_API_CONTENT, oracle_get(b, "text"));
	oracle_text(r, TAPE_API_REASONING, oracle_get(b, "thinking"));
	oracle_text(r, TAPE_API_TOOL, oracle_get(b, "partial_json"));
	oracle_text(r, TAPE_API_TOOL, oracle_get(b, "name"));
	if (oracle_get(b, "name") != NULL)
		oracle_id(r, oracle_str(b, "id"));
	if (whole)
		oracle_json(r, TAPE_API_TOOL, oracle_get(b, "input"));
}

static void
oracle_message(struct oracle *r, const cJSON *m)
{
	const cJSON *content = oracle_get(m, "content"), *b;

	r->choices = 1;
	if (cJSON_IsArray(content))
		cJSON_ArrayForEach(b, content) oracle_block(r, b, true);
	oracle_finish(r, oracle_str(m, "stop_reason"));
	oracle_usage(r, oracle_get(m, "usage"));
}

static void
oracle_messages(struct oracle *r, const cJSON *root, bool body)
{
	const cJSON *delta = oracle_get(root, "delta"),
		    *message = oracle_get(root, "message"),
		    *block = oracle_get(root, "content_block");

	oracle_error(r, oracle_get(root, "error"));
	if (body) {
		if (!r->failed)
			oracle_message(r, root);
		return;
	}
	r->done = oracle_is(root, "type", "message_stop");
	oracle_usage(r, oracle_get(root, "usage"));
	if (cJSON_IsObject(delta)) {
		r->choices = 1;
		if (oracle_is(root, "type", "message_delta"))
			oracle_finish(r, oracle_str(delta, "stop_reason"));
		else
			oracle_block(r, delta, false);
	} else if (cJSON_IsObject(message)) {
		oracle_message(r, message);
	} else if (cJSON_IsObject(block)) {
		r->choices = 1;
		oracle_block(r, block, false);
	}
}

/* ---- responses ---- */

static enum tape_api_kind
oracle_delta_kind(const char *type)
{
	static const struct {
		const char *part;
		enum tape_api_kind kind;
	} of[] = {
		{ "output_text", TAPE_API_CONTENT },
		{ "reasoning_text", TAPE_API_REASONING },
		{ "reasoning_summary_text", TAPE_API_REASONING },
		{ "function_call_arguments", TAPE_API_TOOL },
		{ "custom_tool_call_input", TAPE_API_TOOL },
		{ "mcp_call_arguments", TAPE_API_TOOL },
		{ "code_interpreter_call_code", TAPE_API_TOOL },
		{ "refusal", TAPE_API_REFUSAL },
		{ "audio", TAPE_API_AUDIO },
		{ "audio.transcript", TAPE_API_AUDIO },
		{ "reasoning", TAPE_API_REASONING },
		{ "reasoning_summary", TAPE_API_REASONING },
		{ "output_audio", TAPE_API_AUDIO },
		{ "output_audio_transcript", TAPE_API_AUDIO },
	};
	char text[80];

	for (size_t i = 0; type != NULL && i < sizeof(of) / sizeof(of[0]);
	     i++) {
		(void)snprintf(
		    text, sizeof(text), "response.%s.delta", of[i].part);
		if (strcmp(type, text) == 0)
			return of[i].kind;
	}
	return TAPE_API_KINDS;
}

static void
oracle_output_parts(
    struct oracle *r, enum tape_api_kind kind, const cJSON *parts)
{
	const cJSON *p;

	if (!cJSON_IsArray(parts))
		return;
	cJSON_ArrayForEach(p, parts)
	{
		oracle_text(r, kind, oracle_get(p, "text"));
		oracle_text(r, TAPE_API_REFUSAL, oracle_get(p, "refusal"));
	}
}

static void
oracle_item(struct oracle *r, const cJSON *i, bool whole)
{
	oracle_id(r, oracle_str(i, "call_id"));
	oracle_text(r, TAPE_API_TOOL, oracle_get(i, "name"));
	if (!whole)
		return;
	oracle_json(r, TAPE_API_TOOL, oracle_get(i, "arguments"));
	oracle_text(r, TAPE_API_TOOL, oracle_get(i, "input"));
	oracle_output_parts(r,
	    oracle_is(i, "type", "reasoning") ? TAPE_API_REASONING
					      : TAPE_API_CONTENT,
	    oracle_get(i, "content"));
	oracle_output_parts(r, TAPE_API_REASONING, oracle_get(i, "summary"));
}

static void
oracle_response(struct oracle *r, const cJSON *o, bool whole)
{
	const cJSON *output = oracle_get(o, "output"), *i;
	const char *why =
	    oracle_str(oracle_get(o, "incomplete_details"), "reason");

	r->choices = 1;
	if (whole && cJSON_IsArray(output))
		cJSON_ArrayForEach(i, output) oracle_item(r, i, true);
	oracle_finish(r, why);
	oracle_finish(r, oracle_str(o, "status"));
	oracle_usage(r, oracle_get(o, "usage"));
	if (oracle_is(o, "status", "failed") ||
	    oracle_is(o, "status", "cancelled")) {
		r->failed = true;
		r->error = oracle_str(o, "status");
	}
	oracle_error(r, oracle_get(o, "error"));
}

static void
oracle_responses(struct oracle *r, const cJSON *root)
{
	const char *type = oracle_str(root, "type");
	const enum tape_api_kind kind = oracle_delta_kind(type);

	r->done =
	    type != NULL && (strcmp(type, "response.completed") == 0 ||
				strcmp(type, "response.incomplete") == 0 ||
				strcmp(type, "response.failed") == 0 ||
				strcmp(type, "response.cancelled") == 0);
	if (cJSON_IsString(oracle_get(root, "delta"))) {
		r->done = false;
		r->choices = kind < TAPE_API_KINDS;
		if (kind < TAPE_API_KINDS)
			oracle_text(r, kind, oracle_get(root, "delta"));
	} else if (r->done) {
		oracle_response(r, oracle_get(root, "response"), false);
	} else if (oracle_is(root, "type", "response.output_item.added")) {
		r->choices = 1;
		oracle_item(r, oracle_get(root, "item"), false);
	} else if (oracle_is(root, "type", "error")) {
		oracle_error(r, oracle_get(root, "message"));
	}
	oracle_error(r, oracle_get(root, "error"));
}

/* ---- gemini ---- */

static void
oracle_gemini_part(struct oracle *r, const cJSON *p)
{
	const cJSON *call = oracle_get(p, "functionCall"),
		    *data = oracle_get(p, "inlineData");
	const char *type = oracle_str(data, "mimeType");
	const char *id = oracle_str(call, "id");

	oracle_text(r,
	    cJSON_IsTrue(oracle_get(p, "thought")) ? TAPE_API_REASONING
						   : TAPE_API_CONTENT,
	    oracle_get(p, "text"));
	if (id != NULL && *id != '\0')
		oracle_id(r, id);
	else if (oracle_str(call, "name") != NULL)
		r->calls++;
	oracle_text(r, TAPE_API_TOOL, oracle_get(call, "name"));
	oracle_json(r, TAPE_API_TOOL, oracle_get(call, "args"));
	oracle_text(r, TAPE_API_TOOL,
	    oracle_get(oracle_get(p, "executableCode"), "code"));
	if (type != NULL && strlen(type) <= 64 &&
	    strncmp(type, "audio/", 6) == 0)
		oracle_text(r, TAPE_API_AUDIO, oracle_get(data, "data"));
}

static void
oracle_reason(struct oracle *r, const cJSON *v)
{
	static const char *const names[] = { "FINISH_REASON_UNSPECIFIED",
		"STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER" };

	if (!cJSON_IsNumber(v)) {
		oracle_finish(r, oracle_str(v, NULL));
	} else if (v->valuedouble >= 0 && v->valuedouble < 6) {
		oracle_finish(r, names[v->valueint]);
	} else if (r->finish == NULL) {
		(void)snprintf(r->finish_text, sizeof(r->finish_text), "%.0f",
		    v->valuedouble);
		r->finish = r->finish_text;
	}
}

static void
oracle_gemini(struct oracle *r, const cJSON *root)
{
	const cJSON *candidates = oracle_get(root, "candidates"), *c, *p;
	const cJSON *block =
	    oracle_get(oracle_get(root, "promptFeedback"), "blockReason");

	if (cJSON_IsArray(candidates)) {
		cJSON_ArrayForEach(c, candidates)
		{
			const cJSON *parts =
			    oracle_get(oracle_get(c, "content"), "parts");

			r->malformed = r->malformed || !cJSON_IsObject(c);
			r->choices += cJSON_IsObject(c);
			oracle_index(r, oracle_get(c, "index"));
			oracle_reason(r, oracle_get(c, "finishReason"));
			if (cJSON_IsArray(parts))
				cJSON_ArrayForEach(p, parts)
				    oracle_gemini_part(r, p);
		}
	}
	oracle_usage(r, oracle_get(root, "usageMetadata"));
	if (cJSON_IsString(block) && *block->valuestring != '\0')
		r->failed = true;
	oracle_error(r, oracle_get(root, "error"));
}

/* ---- cohere ---- */

static void
oracle_cohere_part(struct oracle *r, const cJSON *p)
{
	oracle_text(r, TAPE_API_CONTENT, oracle_get(p, "text"));
	oracle_text(r, TAPE_API_REASONING, oracle_get(p, "thinking"));
}

static void
oracle_cohere_call(struct oracle *r, const cJSON *c)
{
	const cJSON *f = oracle_get(c, "function");

	oracle_id(r, oracle_str(c, "id"));
	oracle_text(r, TAPE_API_TOOL, oracle_get(f, "name"));
	oracle_json(r, TAPE_API_TOOL, oracle_get(f, "arguments"));
}

static void
oracle_each(struct oracle *r, const cJSON *v,
    void (*one)(struct oracle *, const cJSON *))
{
	const cJSON *e;

	if (cJSON_IsArray(v))
		cJSON_ArrayForEach(e, v) one(r, e);
	else
		one(r, v);
}

static void
oracle_cohere(struct oracle *r, const cJSON *root, bool body)
{
	const cJSON *delta = body ? root : oracle_get(root, "delta");
	const cJSON *m = oracle_get(delta, "message");

	if (!body)
		r->done = oracle_is(root, "type", "message-end");
	if (cJSON_IsObject(delta)) {
		r->choices = 1;
		oracle_each(r, oracle_get(m, "content"), oracle_cohere_part);
		oracle_text(r, TAPE_API_REASONING, oracle_get(m, "tool_plan"));
		oracle_each(r, oracle_get(m, "tool_calls"), oracle_cohere_call);
		oracle_finish(r, oracle_str(delta, "finish_reason"));
		oracle_usage(r, oracle_get(delta, "usage"));
		if (oracle_is(delta, "finish_reason", "ERROR")) {
			r->failed = true;
			r->error = "finish reason ERROR";
		}
		oracle_error(r, oracle_get(delta, "error"));
	}
	if (!body)
		oracle_error(r, oracle_get(root, "error"));
}

#endif
