/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_oracle_base: what one event says, read from a cJSON tree by the paths of
 * its dialect's documentation.  It shares no code with the decoders, and knows
 * nothing but one event.  Here is what the oracles of all dialects need.
 */
#ifndef TAPE_UNIT_API_ORACLE_BASE_H
#define TAPE_UNIT_API_ORACLE_BASE_H

#include "api/api.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define ORACLE_IDS 64

struct oracle {
	int64_t bytes[TAPE_API_KINDS];
	bool inexact[TAPE_API_KINDS]; /* with JSON whose source is not known */
	const char *finish;
	char finish_text[32];
	const char *error; /* NULL: none, or a text that is not known */
	bool failed, done, usage, malformed;
	int choices, calls;
	const char *id[ORACLE_IDS];
	int ids;
};

static const cJSON *
oracle_get(const cJSON *o, const char *name)
{
	return cJSON_IsObject(o) ? cJSON_GetObjectItemCaseSensitive(o, name)
				 : NULL;
}

static const char *
oracle_str(const cJSON *o, const char *name)
{
	const cJSON *v = name != NULL ? oracle_get(o, name) : o;

	return cJSON_IsString(v) ? v->valuestring : NULL;
}

static bool
oracle_is(const cJSON *o, const char *name, const char *text)
{
	const char *s = oracle_str(o, name);

	return s != NULL && strcmp(s, text) == 0;
}

static void
oracle_text(struct oracle *r, enum tape_api_kind kind, const cJSON *v)
{
	if (cJSON_IsString(v))
		r->bytes[kind] += (int64_t)strlen(v->valuestring);
}

/* A string, or JSON that counts as it was sent. */
static void
oracle_json(struct oracle *r, enum tape_api_kind kind, const cJSON *v)
{
	if (cJSON_IsObject(v) || cJSON_IsArray(v)) {
		r->bytes[kind] += 2;
		r->inexact[kind] = true;
	} else {
		oracle_text(r, kind, v);
	}
}

static void
oracle_id(struct oracle *r, const char *id)
{
	if (id == NULL || *id == '\0')
		return;
	for (int i = 0; i < r->ids; i++)
		if (strcmp(r->id[i], id) == 0)
			return;
	if (r->ids < ORACLE_IDS)
		r->id[r->ids++] = id;
	r->calls++;
}

static void
oracle_finish(struct oracle *r, const char *reason)
{
	if (r->finish == NULL && reason != NULL && *reason != '\0')
		r->finish = reason;
}

static void
oracle_error(struct oracle *r, const cJSON *e)
{
	if (e == NULL || cJSON_IsNull(e) || cJSON_IsFalse(e) ||
	    (cJSON_IsString(e) && *e->valuestring == '\0'))
		return;
	r->failed = true;
	r->error =
	    cJSON_IsString(e) ? e->valuestring : oracle_str(e, "message");
}

static void
oracle_usage(struct oracle *r, const cJSON *u)
{
	r->usage = r->usage || cJSON_IsObject(u);
}

static void
oracle_index(struct oracle *r, const cJSON *i)
{
	if (i != NULL && !cJSON_IsNull(i) &&
	    (!cJSON_IsNumber(i) || i->valuedouble < 0 ||
		i->valuedouble > INT32_MAX ||
		i->valuedouble != (double)(int64_t)i->valuedouble))
		r->malformed = true;
}

#endif
