/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_oracle: the oracle of every dialect that it knows, and how a decoder's
 * event is held against it.
 */
#ifndef TAPE_UNIT_API_ORACLE_H
#define TAPE_UNIT_API_ORACLE_H

#include "unit/api_oracle_chat.h"
#include "unit/api_oracle_others.h"

/* False for a dialect that it does not know. */
static bool
oracle_read(struct oracle *r, const char *api, const cJSON *root, bool body)
{
	memset(r, 0, sizeof(*r));
	r->malformed = !cJSON_IsObject(root);
	/* Groq's usage counts wherever it stands, and in which order with the
	   dialect's own only the text knows. */
	if (strcmp(api, "chat") != 0 && strcmp(api, "completions") != 0 &&
	    oracle_get(root, "x_groq") != NULL)
		return false;
	if (strcmp(api, "chat") == 0)
		oracle_chunk(r, root, body ? "message" : "delta");
	else if (strcmp(api, "completions") == 0)
		oracle_chunk(r, root, "text");
	else if (strcmp(api, "messages") == 0)
		oracle_messages(r, root, body);
	else if (strcmp(api, "responses") == 0 && body)
		oracle_response(r, root, true);
	else if (strcmp(api, "responses") == 0)
		oracle_responses(r, root);
	else if (strcmp(api, "gemini") == 0)
		oracle_gemini(r, root);
	else if (strcmp(api, "cohere") == 0)
		oracle_cohere(r, root, body);
	else
		return false;
	return true;
}

static char
oracle_class(const struct oracle *r)
{
	for (int k = 0; k < TAPE_API_KINDS; k++)
		if (r->bytes[k] > 0)
			return "cgtxa"[k];
	if (r->failed)
		return 'e';
	if (r->done)
		return 'd';
	if (r->finish != NULL)
		return 'f';
	if (r->usage)
		return 'u';
	return r->choices > 0 ? 'r' : 'o';
}

/*
 * What is different, or NULL: the event that a fresh decoder gave, against the
 * oracle's.
 */
static const char *
oracle_differs(const struct oracle *r, const struct tape_api_decoder *d,
    const struct tape_api_event *ev)
{
	if (ev->malformed != r->malformed)
		return "malformed";
	if (r->malformed)
		return NULL;
	for (int k = 0; k < TAPE_API_KINDS; k++)
		if (r->inexact[k] ? ev->bytes[k] < r->bytes[k]
				  : ev->bytes[k] != r->bytes[k])
			return "bytes";
	if (ev->class != oracle_class(r))
		return "class";
	if (ev->has_usage != r->usage)
		return "usage";
	if ((ev->finish.p != NULL) != (r->finish != NULL) ||
	    (r->finish != NULL && strlen(r->finish) < TAPE_API_MAX_FINISH &&
		!tape_str_is(ev->finish, r->finish)))
		return "finish";
	if ((ev->error.p != NULL) != r->failed)
		return "error";
	if (r->error != NULL && strlen(r->error) < 500 &&
	    !tape_str_is(ev->error, r->error))
		return "message of the error";
	if (d->done != r->done)
		return "end mark";
	return d->tool_calls != r->calls ? "tool calls" : NULL;
}

#endif
