/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/preflight.h"

#include "base/mem.h"
#include "base/num.h"
#include "codec/server.h"
#include "engine/preflight_impl.h"
#include "engine/serve.h"

#include <stdio.h>
#include <unistd.h>

#define HOST  "127.0.0.1"
#define MODEL "preflight"
#define EXIT  4

#define TEXT_CAP ((size_t)1 << 20)

static enum tape_status
set_target(struct tape_preflight *p, struct tape_err *err)
{
	const struct tape_headers_source none = {
		.stream = p->o.replay->form.stream
	};
	char url[64];
	enum tape_status st;

	(void)snprintf(
	    url, sizeof(url), "http://" HOST ":%u", (unsigned)p->port);
	st = tape_target_open(&p->target, NULL, url,
	    tape_api_endpoint(p->o.replay->form.api, p->o.replay->form.stream),
	    err);
	if (st == TAPE_OK)
		st = tape_headers_fill(&p->headers, &none, err);
	return st;
}

static enum tape_status
open_all(struct tape_preflight *p, struct tape_err *err)
{
	const char *dir = p->o.dir;
	enum tape_status st = TAPE_OK;

	p->itl_ns = TAPE_PREFLIGHT_ITL_NS;
	if (p->o.itl[0] != '\0')
		st = tape_num_duration_ns(p->o.itl, &p->itl_ns, err);
	if (st == TAPE_OK && p->itl_ns < TAPE_NS_PER_US)
		st = tape_err_set(err, TAPE_E_USAGE,
		    "the time between tokens is at least 1us");
	if (st != TAPE_OK)
		return st;
	p->answer_tokens = (uint64_t)(TAPE_PREFLIGHT_ANSWER_NS / p->itl_ns) + 1;
	st = tape_server_socket(HOST, 0, &p->listen_fd, &p->port, err);
	if (st == TAPE_OK)
		st = set_target(p, err);
	if (st == TAPE_OK)
		st = tape_spool_file_open(&p->wire, dir, err);
	if (st == TAPE_OK)
		st = tape_spool_file_open(&p->events, dir, err);
	return st;
}

/* The child has its own: once that has ended, nobody listens. */
static void
close_socket(struct tape_preflight *p)
{
	if (p->listen_fd >= 0)
		(void)close(p->listen_fd);
	p->listen_fd = -1;
}

static void
release(struct tape_preflight *p)
{
	close_socket(p);
	tape_spool_file_release(&p->wire);
	tape_spool_file_release(&p->events);
	tape_target_release(&p->target);
	tape_headers_release(&p->headers);
	tape_mem_free(p);
}

/* The mock, in the child. */
static int
serve(void *arg)
{
	struct tape_preflight *p = arg;
	struct tape_serve_conf conf;
	struct tape_serve *s = NULL;
	struct tape_err err = { 0 };
	enum tape_status st;

	tape_serve_conf_default(&conf);
	conf.host = HOST;
	conf.listen_fd = p->listen_fd;
	conf.model = MODEL;
	conf.ttft.mean = conf.itl.mean = (double)p->itl_ns;
	conf.ttft.sd = conf.itl.sd = 0;
	conf.cut_tokens = p->answer_tokens;
	conf.max_tokens = UINT64_MAX;
	conf.stamp = true;
	st = tape_serve_open(&s, &conf, &err);
	if (st == TAPE_OK)
		st = tape_serve_run(s, &err);
	tape_serve_free(s);
	return st == TAPE_OK || st == TAPE_EOF ? 0 : EXIT;
}

static uint64_t
most_requests(const struct tape_replay_opts *o, const struct tape_spool_info *i)
{
	uint64_t most = TAPE_PREFLIGHT_REQUESTS;
	double planned = tape_replay_rate_per_s(i) * TAPE_PREFLIGHT_PLAN_S;

	if (o->concurrency * TAPE_PREFLIGHT_SLOTS > most)
		most = o->concurrency * TAPE_PREFLIGHT_SLOTS;
	/* Absent is not more than anything. */
	if (planned > (double)most)
		most = planned < 1e9 ? (uint64_t)planned : (uint64_t)1e9;
	if (o->requests > 0 && o->requests < most)
		most = o->requests;
	return !o->cycle && i->requests < most ? i->requests : most;
}

static void
keep_failure(void *arg, const char *text)
{
	struct tape_preflight *p = arg;

	(void)snprintf(p->failure, sizeof(p->failure), "%s", text);
}

/* The user's replay, but short, against the mock, and without what is only of
   use to the real one. */
static void
set_up(struct tape_preflight *p)
{
	struct tape_replay_opts *o = &p->play;

	*o = *p->o.replay;
	o->targets = &p->target;
	o->targets_n = 1;
	o->rounds = 1;
	o->headers = p->headers.lines;
	o->headers_n = p->headers.n;
	o->secrets = NULL;
	o->http.proxy = o->http.no_proxy = o->http.unix_socket = NULL;
	o->http.http2 = o->http.follow = o->http.insecure = false;
	o->wait_ready = false;
	if (o->keep == TAPE_KEEP_TIMES)
		o->keep = TAPE_KEEP_RAW;
	if (o->model == NULL)
		o->model = MODEL;
	if (o->warmup > 1)
		o->warmup = 1;
	if (o->duration_ns == 0 || o->duration_ns > TAPE_PREFLIGHT_NS)
		o->duration_ns = TAPE_PREFLIGHT_NS;
	if (o->grace_ns > 2 * TAPE_PREFLIGHT_ANSWER_NS)
		o->grace_ns = 2 * TAPE_PREFLIGHT_ANSWER_NS;
	o->attempts.retries = 0;
	o->attempts.cancel_ratio = 0;
	o->requests = most_requests(o, p->info);
	o->calls.warn = NULL;
	o->calls.first_failure = keep_failure;
	o->calls.arg = p;
}

static enum tape_status
play(struct tape_preflight *p, struct tape_spool *spool, struct tape_err *err)
{
	char epoch[TAPE_CLOCK_ISO], mono[TAPE_CLOCK_MONO];
	int64_t epoch_ns = tape_clock_now_ns(&tape_clock_system);
	struct tape_writer *w = NULL;
	struct tape_header h;
	enum tape_status st = tape_preflight_writer(
	    &w, &p->wire, tape_keep_format(p->play.keep), p->o.level, err);

	if (st != TAPE_OK)
		return st;
	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of(tape_clock_print_iso(
	    tape_clock_wall_ns(&tape_clock_system), epoch));
	h.epoch_mono = tape_str_of(tape_clock_print_mono(epoch_ns, mono));
	h.run_id = tape_str_of(MODEL);
	h.prov = tape_str_of("[]");
	st = tape_writer_header(w, &h, err);
	if (st == TAPE_OK)
		st = tape_replay_run(
		    &p->play, spool, w, epoch_ns, &p->result, err);
	if (st == TAPE_OK)
		st = tape_writer_end(w, TAPE_ENDING_COMPLETE, err);
	p->wall_ns = tape_clock_now_ns(&tape_clock_system) - epoch_ns;
	if (st == TAPE_OK)
		return tape_writer_close(w, err);
	tape_writer_abort(w);
	return st;
}

static void
judge(struct tape_preflight *p)
{
	const struct tape_preflight_outcome outcome = { .sent = p->result.sent,
		.failed = p->result.failed,
		.failure = p->failure,
		.itl_ns = p->itl_ns };

	tape_preflight_judge(&p->tally, &outcome);
}

/* With the mock: until all is counted. */
static enum tape_status
fly(struct tape_preflight *p, struct tape_spool *spool, struct tape_err *err)
{
	enum tape_status st = p->o.child.start(p->o.child.self, serve, p, err);

	if (st != TAPE_OK)
		return st;
	close_socket(p);
	set_up(p);
	st = tape_replay_check(&p->play, spool, err);
	if (st == TAPE_OK)
		st = play(p, spool, err);
	if (!p->o.child.stop(p->o.child.self, &p->mock_cpu_ns) && st == TAPE_OK)
		st = tape_err_set(
		    err, TAPE_E_BUG, "the mock of the preflight failed");
	return st == TAPE_OK ? tape_preflight_read(p, err) : st;
}

enum tape_status
tape_preflight_run(const struct tape_preflight_opts *opts,
    struct tape_spool *spool, struct tape_out *out,
    enum tape_preflight_finding *found, struct tape_err *err)
{
	struct tape_preflight *p;
	struct tape_buf text;
	enum tape_status st;

	/* Of an interrupted trace it is not known what there is. */
	if (opts->replay->calls.interrupts != NULL &&
	    opts->replay->calls.interrupts() > 0)
		return TAPE_OK;
	p = tape_mem_calloc(1, sizeof(*p));
	if (p == NULL)
		return tape_err_nomem(err);
	p->o = *opts;
	p->listen_fd = -1;
	p->mock_cpu_ns = -1;
	p->info = tape_spool_info(spool);
	tape_spool_file_init(&p->wire);
	tape_spool_file_init(&p->events);
	tape_buf_init(&text, TEXT_CAP);
	st = open_all(p, err);
	if (st == TAPE_OK)
		st = fly(p, spool, err);
	if (st == TAPE_OK) {
		judge(p);
		st = tape_preflight_text(p, &text, err);
	}
	if (st == TAPE_OK)
		st = tape_out_write(out, text.data, text.len, err);
	if (p->tally.blind)
		*found = TAPE_PREFLIGHT_BLIND;
	else if (p->tally.verdict == TAPE_FIDELITY_LIMITED)
		*found = TAPE_PREFLIGHT_LIMITED;
	tape_buf_release(&text);
	release(p);
	return st;
}
