/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve.h"

#include "base/mem.h"
#include "codec/json_write.h"
#include "engine/serve_play.h"

void
tape_serve_conf_default(struct tape_serve_conf *conf)
{
	*conf = (struct tape_serve_conf){
		.host = "127.0.0.1",
		.port = 8000,
		.listen_fd = -1,
		.model = "llmtape",
		.seed = 1,
		.ttft = { .mean = 40e6 },
		.itl = { .mean = 5e6 },
		.default_tokens = 128,
		.max_tokens = 131072,
		.queue = UINT64_MAX,
		.prefix_tokens = 64,
		.event_tokens = { 1, 1 },
		.merge = 1,
		.split = { .writes = 1 },
		.stall_ns = 60 * TAPE_NS_PER_S,
		.drain_ns = 2 * TAPE_NS_PER_S,
		.log_fd = -1,
	};
}

void
tape_serve_record(
    struct tape_serve *s, struct tape_serve_entry *e, const char *outcome)
{
	e->outcome = outcome;
	e->t_end_ns = tape_server_now_ns(s->http);
	s->stats.requests++;
	if (e->model && strcmp(outcome, "complete") == 0)
		s->stats.complete++;
	if (s->conf.log_fd >= 0 && !s->failed &&
	    tape_serve_log_write(s->conf.log_fd, e, &s->line, &s->err) !=
		TAPE_OK) {
		s->failed = true;
		(void)tape_err_at(&s->err, "log", 0);
		tape_server_stop(s->http);
	}
	if (s->stats.requests == s->conf.max_requests)
		tape_server_stop(s->http);
}

static enum tape_status
check(const struct tape_serve_conf *conf, struct tape_err *err)
{
	if (conf->prefix_blocks > (uint64_t)1 << 30 ||
	    (conf->prefix_blocks > 0 &&
		(conf->prefix_tokens < 1 || conf->prefix_tokens > INT32_MAX)))
		return tape_err_set(
		    err, TAPE_E_USAGE, "a prefix cache of no possible size");
	if (conf->event_tokens.min < 1 ||
	    conf->event_tokens.max < conf->event_tokens.min ||
	    conf->merge < 1 || conf->split.writes < 1)
		return tape_err_set(
		    err, TAPE_E_USAGE, "events of no possible size");
	if (conf->merge > 1 && conf->split.writes > 1)
		return tape_err_set(err, TAPE_E_USAGE,
		    "events cannot be both merged and split");
	if (conf->default_tokens < 1 || conf->default_tokens > conf->max_tokens)
		return tape_err_set(err, TAPE_E_USAGE,
		    "default length outside 1 to the largest one");
	return TAPE_OK;
}

static enum tape_status
write_name(struct tape_serve *s, struct tape_err *err)
{
	struct tape_json_writer w;

	tape_json_write_init(&w, &s->name);
	tape_json_write_cstr(&w, NULL, s->conf.model);
	return tape_json_write_finish(&w, err);
}

static enum tape_status
open_http(struct tape_serve *s, struct tape_err *err)
{
	struct tape_server_conf http = {
		.handler = { .on_request = tape_serve_on_request,
		    .on_bad = tape_serve_on_bad,
		    .on_close = tape_serve_on_close,
		    .arg = s },
		.clock = s->conf.clock,
		.out_cap_bytes = TAPE_SERVE_OUT_BYTES,
		.drain_ns = s->conf.drain_ns,
		.max_conns = s->conf.max_conns,
		.spin_ns = s->conf.spin_ns,
		.eof_cancels = true,
	};
	enum tape_status st = tape_server_open(&s->http, &http, err);

	if (st != TAPE_OK)
		return st;
	if (s->conf.listen_fd >= 0)
		return tape_server_adopt(
		    s->http, s->conf.listen_fd, &s->port, err);
	return tape_server_listen(
	    s->http, s->conf.host, s->conf.port, &s->port, err);
}

enum tape_status
tape_serve_open(struct tape_serve **s_out, const struct tape_serve_conf *conf,
    struct tape_err *err)
{
	struct tape_serve *s;
	enum tape_status st = check(conf, err);

	if (st != TAPE_OK)
		return st;
	s = tape_mem_calloc(1, sizeof(*s));
	if (s == NULL)
		return tape_err_nomem(err);
	s->conf = *conf;
	if (s->conf.clock == NULL)
		s->conf.clock = &tape_clock_system;
	tape_json_init(&s->json);
	tape_buf_init(&s->name, TAPE_CAP_HEADERS);
	tape_buf_init(&s->out, TAPE_SERVE_OUT_BYTES);
	tape_buf_init(&s->line, TAPE_CAP_HEADERS);
	s->created_s = tape_clock_wall_ns(s->conf.clock) / TAPE_NS_PER_S;
	st = write_name(s, err);
	if (st == TAPE_OK)
		st = tape_serve_words_open(&s->words, s->conf.style, err);
	if (st == TAPE_OK)
		st = tape_serve_model_open(&s->model, &s->conf, err);
	if (st == TAPE_OK)
		st = open_http(s, err);
	if (st == TAPE_OK)
		*s_out = s;
	else
		tape_serve_free(s);
	return st;
}

void
tape_serve_free(struct tape_serve *s)
{
	if (s == NULL)
		return;
	/* ends the requests in hand, which write their lines */
	tape_server_free(s->http);
	tape_serve_model_release(&s->model);
	tape_serve_words_release(&s->words);
	tape_json_release(&s->json);
	tape_buf_release(&s->name);
	tape_buf_release(&s->out);
	tape_buf_release(&s->line);
	tape_mem_free(s);
}

uint16_t
tape_serve_port(const struct tape_serve *s)
{
	return s->port;
}

const struct tape_serve_stats *
tape_serve_get_stats(const struct tape_serve *s)
{
	return &s->stats;
}

void
tape_serve_stop(struct tape_serve *s)
{
	tape_server_stop(s->http);
}

enum tape_status
tape_serve_run_until(
    struct tape_serve *s, int64_t until_ns, struct tape_err *err)
{
	enum tape_status st = tape_server_run(s->http, until_ns, err);

	s->stats.turned_away = tape_server_stats(s->http).refused;
	if (st == TAPE_EOF && s->failed) {
		if (err != NULL)
			*err = s->err;
		return s->err.status;
	}
	return st;
}

enum tape_status
tape_serve_run(struct tape_serve *s, struct tape_err *err)
{
	int64_t until_ns = INT64_MAX;
	enum tape_status st;

	if (s->conf.duration_ns > 0) {
		until_ns = tape_server_now_ns(s->http);
		tape_serve_add_ns(&until_ns, s->conf.duration_ns);
	}
	st = tape_serve_run_until(s, until_ns, err);
	if (st == TAPE_OK) {
		tape_serve_stop(s);
		st = tape_serve_run_until(s, INT64_MAX, err);
	}
	return st == TAPE_EOF ? TAPE_OK : st;
}
