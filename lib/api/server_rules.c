/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/server_rules.h"

#include "api/api_fields.h"
#include "api/server_fields.h"
#include "base/num.h"

#include <stdio.h>

const char *const tape_server_names[TAPE_SERVERS + 1] = {
	[TAPE_SERVER_UNSAID] = "unsaid",
	[TAPE_SERVER_ANY] = "any",
	[TAPE_SERVER_EDGE_LLM] = "edge-llm",
	[TAPE_SERVER_VLLM] = "vllm",
	[TAPE_SERVER_SGLANG] = "sglang",
	[TAPE_SERVER_TRTLLM] = "trtllm",
	[TAPE_SERVER_LLAMACPP] = "llamacpp",
	[TAPE_SERVER_TGI] = "tgi",
	[TAPE_SERVER_OPENAI] = "openai",
};

#define ORIGIN_BYTES 160
#define EXTRA        "--extra"

/* A walk over what is to be sent. */
struct check {
	/* Told of each field; not TAPE_OK ends the walk. */
	enum tape_status (*visit)(const struct check *c, struct tape_str field,
	    const char *origin, struct tape_err *err);
	void (*tell)(void *arg, struct tape_str field, const char *origin);
	void *arg;
	const struct tape_server_rules *rules;
	const struct tape_server_fields *known;
	const struct tape_api_ask *ask;
	struct tape_api_fields extra;
};

static bool
is_one_of(struct tape_str name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tape_str_is(name, list[i]))
			return true;
	return false;
}

/* What can be done about it; --extra wins over --drop-field. */
static void
add_ways_out(const struct check *c, struct tape_str field, bool from_extra,
    struct tape_buf *out)
{
	const char *hint = tape_server_fields_hint(c->known, field);
	const int n = tape_str_shown(field, 64);

	if (hint != NULL)
		(void)tape_buf_add_fmt(out, "%s; ", hint);
	if (!from_extra)
		(void)tape_buf_add_fmt(
		    out, "--drop-field %.*s leaves it out, ", n, field.p);
	(void)tape_buf_add_fmt(
	    out, "--allow-field %.*s sends it all the same", n, field.p);
}

static enum tape_status
refuse(const struct check *c, struct tape_str field, const char *origin,
    struct tape_err *err)
{
	static const char *const manners[] = {
		[TAPE_SERVER_ANSWERS_4XX] = "would answer 400",
		[TAPE_SERVER_IGNORES] = "would ignore it",
	};
	struct tape_buf ways;
	enum tape_status st;

	tape_buf_init(&ways, 1024);
	add_ways_out(c, field, strcmp(origin, EXTRA) == 0, &ways);
	st = tape_err_set(err, TAPE_E_USAGE,
	    "--server %s: its %s endpoint does not take the field %.*s (from "
	    "%s) and %s; %s",
	    tape_server_names[c->rules->server], c->known->api,
	    tape_str_shown(field, 64), field.p, origin,
	    manners[c->known->manner], ways.len == 0 ? "" : ways.data);
	tape_buf_release(&ways);
	return st;
}

static enum tape_status
check_field(const struct check *c, struct tape_str field, const char *origin,
    struct tape_err *err)
{
	if (tape_server_fields_has(c->known, field) ||
	    is_one_of(field, c->rules->allow, c->rules->allow_n))
		return TAPE_OK;
	return refuse(c, field, origin, err);
}

/* Fields of the request itself; those that extra replaces are extra's, and
   those that are dropped are not sent. */
static enum tape_status
check_own(const struct check *c, struct tape_str json, const char *what,
    struct tape_str id, struct tape_err *err)
{
	struct tape_api_fields f = { 0 };
	struct tape_err why = { 0 };
	char origin[ORIGIN_BYTES];
	enum tape_status st;

	st = tape_api_fields_read(&f, json, TAPE_JSON_FOREIGN, &why);
	if (st == TAPE_E_NOMEM)
		(void)tape_err_nomem(err);
	else if (st != TAPE_OK)
		f.n = 0, st = TAPE_OK; /* others say what is wrong with it */
	(void)snprintf(origin, sizeof(origin), "%s of request %.*s", what,
	    tape_str_shown(id, 64), id.p);
	for (size_t i = 0; i < f.n && st == TAPE_OK; i++)
		if (!is_one_of(f.v[i].key, c->ask->drop, c->ask->drop_n) &&
		    tape_api_fields_find(&c->extra, f.v[i].key) == NULL)
			st = c->visit(c, f.v[i].key, origin, err);
	tape_api_fields_release(&f);
	return st;
}

static enum tape_status
read_extra(struct check *c, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	if (c->ask->extra.p == NULL)
		return TAPE_OK;
	st = tape_api_fields_read(
	    &c->extra, c->ask->extra, TAPE_JSON_OURS, &why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK)
		c->extra.n = 0;
	return TAPE_OK;
}

static enum tape_status
check_all(struct check *c, struct tape_str id, struct tape_err *err)
{
	const struct tape_api_ask *ask = c->ask;
	enum tape_status st = read_extra(c, err);

	for (size_t i = 0; i < c->extra.n && st == TAPE_OK; i++)
		st = c->visit(c, c->extra.v[i].key, EXTRA, err);
	if (st != TAPE_OK)
		return st;
	if (ask->input->body.p != NULL)
		return check_own(c, ask->input->body, "the body", id, err);
	if (ask->max_tokens_field != NULL)
		st = c->visit(c, tape_str_of(ask->max_tokens_field),
		    "--max-tokens-field", err);
	if (st == TAPE_OK && ask->params.p != NULL)
		st = check_own(c, ask->params, "params", id, err);
	return st;
}

enum tape_status
tape_server_rules_check(const struct tape_server_rules *rules,
    const struct tape_api *api, const struct tape_api_ask *ask,
    struct tape_str id, struct tape_err *err)
{
	struct check c = { .visit = check_field, .rules = rules, .ask = ask };
	enum tape_status st;

	if (rules->server <= TAPE_SERVER_ANY)
		return TAPE_OK;
	c.known = tape_server_fields_find(rules->server, api->name);
	if (c.known == NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--server %s: its fields are known for --api chat and "
		    "completions only; --server any checks none",
		    tape_server_names[rules->server]);
	st = check_all(&c, id, err);
	tape_api_fields_release(&c.extra);
	return st;
}

static enum tape_status
tell_field(const struct check *c, struct tape_str field, const char *origin,
    struct tape_err *err)
{
	(void)err;
	if (!is_one_of(field, c->rules->allow, c->rules->allow_n))
		c->tell(c->arg, field, origin);
	return TAPE_OK;
}

enum tape_status
tape_server_rules_walk(const struct tape_server_rules *rules,
    const struct tape_api_ask *ask, struct tape_str id,
    void (*tell)(void *arg, struct tape_str field, const char *origin),
    void *arg, struct tape_err *err)
{
	struct check c = { .visit = tell_field,
		.tell = tell,
		.arg = arg,
		.rules = rules,
		.ask = ask };
	enum tape_status st = check_all(&c, id, err);

	tape_api_fields_release(&c.extra);
	return st;
}

/* One of these in the object, and not null. */
static bool
has_sampling(struct tape_str json)
{
	static const char *const names[] = { "temperature", "top_k", "seed" };
	struct tape_api_fields f = { 0 };
	bool has = false;

	if (json.p != NULL &&
	    tape_api_fields_read(&f, json, TAPE_JSON_FOREIGN, NULL) == TAPE_OK)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			const struct tape_api_field *v =
			    tape_api_fields_find(&f, tape_str_of(names[i]));

			has = has || (v != NULL && !v->null);
		}
	tape_api_fields_release(&f);
	return has;
}

bool
tape_server_rules_pinned(
    const struct tape_api *api, const struct tape_api_ask *ask)
{
	if (tape_server_fields_find(TAPE_SERVER_OPENAI, api->name) == NULL)
		return true;
	return has_sampling(ask->extra) || has_sampling(ask->params) ||
	       has_sampling(ask->input->body);
}

static enum tape_status
parse_limit(struct tape_server_limits *l, const char *word, size_t len,
    struct tape_err *err)
{
	uint64_t *to = NULL;
	char digits[24];
	size_t name = 6; /* both names have five letters, and "=" */

	if (len > name && strncmp(word, "batch=", name) == 0)
		to = &l->batch;
	else if (len > name && strncmp(word, "queue=", name) == 0)
		to = &l->queue;
	if (to == NULL || len - name >= sizeof(digits))
		return tape_err_set(err, TAPE_E_USAGE,
		    "'%.*s' is neither batch=N nor queue=N",
		    len < 64 ? (int)len : 64, word);
	memcpy(digits, word + name, len - name);
	digits[len - name] = '\0';
	return tape_num_u64(digits, 0, INT64_C(1) << 40, to, err);
}

enum tape_status
tape_server_limits_parse(const char *arg, void *limits, struct tape_err *err)
{
	struct tape_server_limits l = { 0 };
	enum tape_status st = TAPE_OK;

	for (const char *p = arg; st == TAPE_OK;) {
		const size_t n = strcspn(p, ",");

		st = parse_limit(&l, p, n, err);
		if (p[n] == '\0')
			break;
		p += n + 1;
	}
	if (st == TAPE_OK && l.batch == 0)
		st = tape_err_set(
		    err, TAPE_E_USAGE, "batch=N is missing, N from 1");
	if (st == TAPE_OK)
		memcpy(limits, &l, sizeof(l));
	return st;
}
