/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the server is known to take, against what it is to be sent. */
#include "api/api_fields.h"
#include "base/mem.h"
#include "engine/openapi.h"
#include "engine/replay_impl.h"

#include <inttypes.h>
#include <stdio.h>

#define SEEN_BYTES 65536 /* of names; what is beyond is not looked at */

static void
warn(const struct tape_replay_opts *o, const char *text)
{
	if (o->calls.warn != NULL)
		o->calls.warn(o->calls.arg, text);
}

/* Whoever names the server, or compares two, asks for the same work. */
static bool
wants_pinned(const struct tape_replay_opts *o)
{
	return o->form.rules.server != TAPE_SERVER_UNSAID || o->targets_n > 1;
}

static void
warn_unpinned(const struct tape_replay_opts *o, uint64_t unpinned, uint64_t of)
{
	char text[256];

	(void)snprintf(text, sizeof(text),
	    "%" PRIu64 " of %" PRIu64 " requests have neither temperature, "
	    "top_k nor seed: a server's defaults are seldom greedy, so answers "
	    "and their lengths differ from run to run (--extra "
	    "'{\"temperature\":0}' pins them)",
	    unpinned, of);
	warn(o, text);
}

static enum tape_status
check_requests(const struct tape_replay_opts *o, struct tape_spool *spool,
    struct tape_err *err)
{
	const uint64_t n = tape_spool_info(spool)->head;
	struct tape_record rec;
	struct tape_spool_entry entry;
	uint64_t unpinned = 0;
	enum tape_status st = TAPE_OK;

	tape_record_init(&rec);
	for (uint64_t i = 0; i < n && st == TAPE_OK; i++) {
		struct tape_api_ask ask;

		st = tape_spool_read(spool, i, &rec, &entry, err);
		if (st != TAPE_OK)
			break;
		ask = tape_feed_ask(&o->form, &rec.u.request);
		unpinned += !tape_server_rules_pinned(o->form.api, &ask);
		st = tape_server_rules_check(
		    &o->form.rules, o->form.api, &ask, rec.u.request.id, err);
	}
	tape_record_release(&rec);
	if (st == TAPE_OK && unpinned > 0)
		warn_unpinned(o, unpinned, n);
	return st;
}

static enum tape_status
check_limits(const struct tape_replay_opts *o,
    const struct tape_spool_info *info, struct tape_err *err)
{
	const struct tape_server_limits *l = &o->form.rules.limits;
	const uint64_t room = l->batch + l->queue;
	const uint64_t slots = tape_replay_slots(o, info); /* 0 any number */
	char text[256];

	if (l->batch == 0 || (slots > 0 && slots <= room))
		return TAPE_OK;
	if (slots > 0)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--concurrency %" PRIu64 " is more than this server takes: "
		    "batch %" PRIu64 " and queue %" PRIu64 " of "
		    "--server-limits, so it would turn away all but %" PRIu64,
		    slots, l->batch, l->queue, room);
	(void)snprintf(text, sizeof(text),
	    "nothing bounds how many requests are open at once: beyond %" PRIu64
	    " (--server-limits) the server turns them away; --concurrency "
	    "%" PRIu64 " holds them back",
	    room, room);
	warn(o, text);
	return TAPE_OK;
}

enum tape_status
tape_replay_check_server(const struct tape_replay_opts *o,
    struct tape_spool *spool, struct tape_err *err)
{
	enum tape_status st = check_limits(o, tape_spool_info(spool), err);

	if (st == TAPE_OK && wants_pinned(o))
		st = check_requests(o, spool, err);
	return st;
}

/* Fields that the server's own schema does not have. */
struct unknown {
	const struct tape_replay_opts *o;
	const struct tape_target *target;
	struct tape_str properties;
	/* Names that were looked up, each between two commas: a document may
	   be long, and requests are many. */
	struct tape_buf seen;
	size_t n; /* told */
};

static void
tell_unknown(void *arg, struct tape_str field, const char *origin)
{
	struct unknown *u = arg;
	const int n = tape_str_shown(field, 64);
	char name[80], text[512];

	(void)snprintf(name, sizeof(name), ",%.*s,", n, field.p);
	if (u->n == TAPE_REPLAY_UNKNOWN ||
	    (u->seen.len > 0 && strstr(u->seen.data, name) != NULL) ||
	    tape_buf_add_str(&u->seen, name) != TAPE_OK ||
	    tape_openapi_has(u->properties, field))
		return;
	u->n++;
	(void)snprintf(text, sizeof(text),
	    "%.200s: its " TAPE_OPENAPI_PATH " has no field %.*s (from %s): "
	    "the server will refuse or ignore it",
	    u->target->shown, n, field.p, origin);
	warn(u->o, text);
}

/* The fields of each request of the head start. */
static enum tape_status
walk_requests(struct unknown *u, struct tape_spool *spool, struct tape_err *err)
{
	const uint64_t n = tape_spool_info(spool)->head;
	struct tape_record rec;
	struct tape_spool_entry entry;
	enum tape_status st = TAPE_OK;

	tape_record_init(&rec);
	for (uint64_t i = 0; i < n && st == TAPE_OK; i++) {
		struct tape_api_ask ask;

		st = tape_spool_read(spool, i, &rec, &entry, err);
		if (st != TAPE_OK)
			break;
		ask = tape_feed_ask(&u->o->form, &rec.u.request);
		st = tape_server_rules_walk(&u->o->form.rules, &ask,
		    rec.u.request.id, tell_unknown, u, err);
	}
	tape_record_release(&rec);
	return st;
}

static bool
is_allowed(const struct tape_server_rules *rules, struct tape_str field)
{
	for (size_t i = 0; i < rules->allow_n; i++)
		if (tape_str_is(field, rules->allow[i]))
			return true;
	return false;
}

/* The fields of the first request's body, which has those of the dialect. */
static enum tape_status
walk_generated(
    struct unknown *u, struct tape_spool *spool, struct tape_err *err)
{
	struct tape_feed_form form = u->o->form;
	struct tape_api_fields fields = { 0 };
	struct tape_record rec;
	struct tape_spool_entry entry;
	struct tape_buf body;
	char *url = NULL;
	enum tape_status st;

	form.vocabs = tape_spool_vocabs(spool);
	form.model = "model";
	tape_record_init(&rec);
	tape_buf_init(&body, TAPE_CAP_REQUEST);
	st = tape_spool_read(spool, 0, &rec, &entry, err);
	if (st == TAPE_OK && rec.u.request.input.body.p == NULL)
		st = tape_feed_render(
		    &form, u->target, &rec.u.request, &body, &url, err);
	if (st == TAPE_OK && body.len > 0 &&
	    tape_api_fields_read(&fields, tape_str_make(body.data, body.len),
		TAPE_JSON_FOREIGN, NULL) == TAPE_OK)
		for (size_t i = 0; i < fields.n; i++)
			if (!is_allowed(&form.rules, fields.v[i].key))
				tell_unknown(u, fields.v[i].key, "the dialect");
	tape_mem_free(url);
	tape_api_fields_release(&fields);
	tape_record_release(&rec);
	tape_buf_release(&body);
	return st;
}

enum tape_status
tape_replay_ask_server(
    struct tape_replay *r, size_t target, struct tape_err *err)
{
	const struct tape_replay_opts *o = r->o;
	struct unknown u = { .o = o, .target = &o->targets[target] };
	struct tape_str doc;
	enum tape_status st;

	if (o->form.rules.server == TAPE_SERVER_UNSAID)
		return TAPE_OK;
	st = tape_prober_get(r->prober, u.target, TAPE_OPENAPI_PATH, &doc, err);
	if (st != TAPE_OK)
		return st;
	u.properties = tape_openapi_properties(
	    doc, tape_api_endpoint(o->form.api, o->form.stream));
	if (u.properties.p == NULL)
		return TAPE_OK;
	tape_buf_init(&u.seen, SEEN_BYTES);
	st = walk_requests(&u, r->spool, err);
	if (st == TAPE_OK)
		st = walk_generated(&u, r->spool, err);
	tape_buf_release(&u.seen);
	return st;
}
