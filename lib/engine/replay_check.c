/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known before anything is sent. */
#include "base/mem.h"
#include "base/redact.h"
#include "base/url.h"
#include "engine/replay_impl.h"

#include <inttypes.h>

uint32_t
tape_replay_salt_of(const struct tape_replay_opts *o, int64_t round)
{
	enum tape_replay_salt how = o->salt.how;

	/* A prefix cache must not know a later round's prompts. */
	if (!o->salt.given && (o->rounds > 1 || o->round > 0))
		how = TAPE_REPLAY_SALT_ROUND;
	if (how == TAPE_REPLAY_SALT_FIXED)
		return o->salt.value;
	return how == TAPE_REPLAY_SALT_ROUND && round > 0 ? (uint32_t)round : 0;
}

/* One request of each kind of input is rendered, and thrown away. */
static enum tape_status
check_inputs(const struct tape_replay_opts *o, struct tape_spool *spool,
    struct tape_err *err)
{
	const struct tape_spool_info *info = tape_spool_info(spool);
	struct tape_feed_form form = o->form;
	struct tape_record rec;
	struct tape_spool_entry entry;
	struct tape_buf body;
	enum tape_status st = TAPE_OK;

	form.vocabs = tape_spool_vocabs(spool);
	form.model = o->model == NULL ? "model" : o->model;
	tape_record_init(&rec);
	tape_buf_init(&body, TAPE_CAP_REQUEST);
	for (size_t i = 0; i < TAPE_SPOOL_INPUTS && st == TAPE_OK; i++) {
		char *url = NULL;

		if (info->first_of[i] == 0)
			continue;
		tape_buf_clear(&body);
		st = tape_spool_read(
		    spool, info->first_of[i] - 1, &rec, &entry, err);
		if (st == TAPE_OK)
			st = tape_feed_render(&form, &o->targets[0],
			    &rec.u.request, &body, &url, err);
		tape_mem_free(url);
	}
	tape_record_release(&rec);
	tape_buf_release(&body);
	return st;
}

static enum tape_status
check_target(
    struct tape_http *h, const struct tape_target *t, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < tape_target_count(t) && st == TAPE_OK; i++)
		st = tape_http_check(h, tape_target_at(t, i)->base, err);
	return st;
}

/* A proxy or certificates that cannot be used, or a protocol for a URL. */
static enum tape_status
check_http(const struct tape_replay_opts *o, struct tape_err *err)
{
	static const struct tape_http_calls none;
	struct tape_http *h = NULL;
	enum tape_status st = tape_http_open(&h, &o->http, &none, NULL, err);

	for (size_t i = 0; i < o->targets_n && st == TAPE_OK; i++)
		st = check_target(h, &o->targets[i], err);
	tape_http_free(h);
	return st;
}

enum tape_status
tape_replay_check(const struct tape_replay_opts *o, struct tape_spool *spool,
    struct tape_err *err)
{
	const struct tape_spool_info *info = tape_spool_info(spool);
	enum tape_status st;

	/* The end of one that is streamed will tell. */
	if (info->ended && o->requests > info->requests && !o->cycle)
		return tape_feed_too_few(
		    TAPE_E_USAGE, o->requests, info->requests, err);
	st = tape_replay_check_conns(o, info, err);
	if (st == TAPE_OK)
		st = check_http(o, err);
	if (st == TAPE_OK)
		st = tape_replay_check_server(o, spool, err);
	return st == TAPE_OK ? check_inputs(o, spool, err) : st;
}

static void
add_headers(const struct tape_replay_opts *o, struct tape_buf *out)
{
	for (size_t i = 0; i < o->headers_n; i++) {
		(void)tape_redact_header(tape_str_of(o->headers[i]), out);
		(void)tape_buf_add_char(out, '\n');
	}
}

/* Without the user's secrets, but with the query that the dialect has. */
static void
add_url(const struct tape_replay_opts *o, const char *url, struct tape_buf *out)
{
	const char *query =
	    strchr(tape_api_endpoint(o->form.api, o->form.stream), '?');
	const size_t len = strlen(url), n = query != NULL ? strlen(query) : 0;

	(void)tape_url_redact(url, out);
	if (n > 0 && n < len && strcmp(url + len - n, query) == 0)
		(void)tape_buf_add(out, query, n);
}

enum tape_status
tape_replay_dry_run(const struct tape_replay_opts *o, struct tape_spool *spool,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_feed_form form = o->form;
	struct tape_record rec;
	struct tape_spool_entry entry;
	struct tape_buf body;
	char *url = NULL;
	enum tape_status st;

	form.vocabs = tape_spool_vocabs(spool);
	form.model = o->model == NULL ? "(the first model served)" : o->model;
	form.salt =
	    tape_replay_salt_of(o, o->round > 0 ? (int64_t)o->round : 1);
	tape_record_init(&rec);
	tape_buf_init(&body, TAPE_CAP_REQUEST);
	st = tape_spool_read(spool, 0, &rec, &entry, err);
	if (st == TAPE_OK)
		st = tape_feed_render(
		    &form, &o->targets[0], &rec.u.request, &body, &url, err);
	if (st == TAPE_OK) {
		(void)tape_buf_add_str(out, "POST ");
		add_url(o, url, out);
		(void)tape_buf_add_char(out, '\n');
		add_headers(o, out);
		(void)tape_buf_add_fmt(
		    out, "Content-Length: %zu\n\n", body.len);
		if (o->secrets != NULL)
			(void)tape_secrets_mask(
			    o->secrets, body.data, body.len);
		(void)tape_buf_add(out, body.data, body.len);
		(void)tape_buf_add_char(out, '\n');
		st = tape_buf_status(out, err);
	}
	tape_mem_free(url);
	tape_record_release(&rec);
	tape_buf_release(&body);
	return st;
}
