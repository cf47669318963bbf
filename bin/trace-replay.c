/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace-replay: play a trace against servers, and keep what comes back. */
#include "cli/diag.h"
#include "cli/files.h"
#include "cli/labels.h"
#include "cli/meta.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "engine/headers.h"
#include "engine/replay_text.h"
#include "tape_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED_MAX ((INT64_C(1) << 53) - 1)

struct options {
	struct tape_opt_common common;
	const char *url, *api, *model, *max_tokens_field, *extra;
	struct tape_opt_list arms, headers, labels, meta;
	const char *header_file, *key_env, *key_file, *cacert, *proxy;
	const char *session, *server_cmd, *wait_ready;
	bool no_usage, no_stream, keep_requests, cycle, dry_run;
	bool allow_truncated, has_wait_ready, has_seed;
	int order;
	uint64_t rounds, round, seed, concurrency, requests, warmup,
	    abort_after;
	int64_t duration_ns, grace_ns, cooldown_ns, wait_timeout_ns;
	struct tape_http_timeouts timeouts;
	struct tape_replay_tolerance max_failed;
	struct tape_replay_salting salt;
};

static const char *const orders[] = { "balanced", "random", "fixed", NULL };

/* clang-format off */
#define AT(f) offsetof(struct options, f)
#define OPT(n, a, t, f, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_##t, .at = AT(f), .help = h }
#define COUNT(n, a, f, lo, hi, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_U64, .at = AT(f), .min = lo, \
	    .max = hi, .help = h }
#define HIDE(n, a, t, f, s, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_##t, .at = AT(f), \
	    .secrecy = TAPE_OPT_##s, .help = h }
/* clang-format on */

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Target"),
	HIDE("url", "URL", STRING, url, URL, "server to play against"),
	HIDE("arm", "NAME=URL", LIST, arms, URL, "one of several, repeated"),
	OPT("api", "NAME", STRING, api, "dialect: chat (default), completions"),
	OPT("model", "NAME", STRING, model, "default: the first one served"),
	HIDE("header", "NAME: VALUE", LIST, headers, HEADER,
	    "add to each request; no credentials"),
	OPT("header-file", "FILE", PATH, header_file, "header lines of a file"),
	OPT("api-key-env", "NAME", STRING, key_env,
	    "send the key in this variable"),
	OPT("api-key-file", "FILE", PATH, key_file, "send the key in a file"),
	OPT("cacert", "FILE", PATH, cacert, "certificates to trust, PEM"),
	HIDE("proxy", "URL", STRING, proxy, URL, "proxy to use"),
	{ .name = "wait-ready",
	    .arg = "PATH",
	    .type = TAPE_OPT_MAYBE,
	    .at = AT(wait_ready),
	    .seen_at = AT(has_wait_ready),
	    .help = "wait until a token, or PATH, is answered" },
	OPT("wait-timeout", "TIME", DURATION, wait_timeout_ns,
	    "at most so long (300s)"),
	TAPE_OPT_HEADING("Requests"),
	HIDE("extra", "JSON|@FILE", STRING, extra, TEXT,
	    "fields merged into each body"),
	OPT("max-tokens-field", "NAME", STRING, max_tokens_field,
	    "which field the length goes in"),
	OPT("no-usage", NULL, FLAG, no_usage, "do not ask for usage"),
	OPT("no-stream", NULL, FLAG, no_stream, "ask for whole answers"),
	TAPE_OPT_HEADING("Load"),
	COUNT("concurrency", "N", concurrency, 1, 1000000,
	    "at most N open at once"),
	COUNT("warmup", "N", warmup, 0, 1000000000,
	    "play the last N first, unmeasured (2)"),
	COUNT("requests", "N", requests, 1, 0, "only the first N"),
	OPT("loop", NULL, FLAG, cycle, "begin the trace again at its end"),
	OPT("duration", "TIME", DURATION, duration_ns, "stop sending then"),
	OPT("grace", "TIME", DURATION, grace_ns,
	    "then cancel what is open (30s)"),
	OPT("connect-timeout", "TIME", DURATION, timeouts.connect_ns, "10s"),
	OPT("first-byte-timeout", "TIME", DURATION, timeouts.first_byte_ns,
	    "600s"),
	OPT("idle-timeout", "TIME", DURATION, timeouts.idle_ns, "120s"),
	OPT("timeout", "TIME", DURATION, timeouts.total_ns,
	    "of a whole exchange, 3600s"),
	COUNT("abort-after", "N", abort_after, 0, 1000000000,
	    "failures in a row (20; 0 never)"),
	{ .name = "max-failed",
	    .arg = "N|P%",
	    .type = TAPE_OPT_CALL,
	    .at = AT(max_failed),
	    .parse = tape_replay_parse_tolerance,
	    .help = "more than that is exit code 1 (0)" },
	TAPE_OPT_HEADING("Runs"),
	COUNT("rounds", "K", rounds, 1, 100000, "a run per arm and round (1)"),
	{ .name = "order",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(order),
	    .names = orders,
	    .help = "of arms: balanced, random, fixed" },
	OPT("cooldown", "TIME", DURATION, cooldown_ns, "between runs"),
	{ .name = "seed",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = AT(seed),
	    .min = 0,
	    .max = SEED_MAX,
	    .help = "of the order (0)" },
	{ .name = "salt",
	    .arg = "round|none|N",
	    .type = TAPE_OPT_CALL,
	    .at = AT(salt),
	    .parse = tape_replay_parse_salt,
	    .help = "other block text in each round" },
	COUNT("round", "N", round, 1, 1000000, "label a single run"),
	OPT("session", "TEXT", STRING, session, "likewise, its session"),
	HIDE("label", "K=V", LIST, labels, TEXT, "label the runs"),
	TAPE_OPT_HEADING("Archive"),
	OPT("keep-requests", NULL, FLAG, keep_requests, "keep request bodies"),
	HIDE("meta", "K=V", LIST, meta, TEXT, "what only you know"),
	HIDE("server-cmd", "TEXT", STRING, server_cmd, TEXT,
	    "how the server was started"),
	OPT("allow-truncated", NULL, FLAG, allow_truncated,
	    "play a trace that is not whole"),
	OPT("dry-run", NULL, FLAG, dry_run,
	    "print the first request, send none"),
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_ONE_OF, "url arm" },
	{ TAPE_OPT_EXCLUDES, "api-key-env api-key-file" },
	{ TAPE_OPT_EXCLUDES, "round rounds" },
	{ TAPE_OPT_REQUIRES, "wait-timeout wait-ready" },
};

static void
libs(struct tape_buf *out)
{
	char text[TAPE_HTTP_VERSION_TEXT];

	(void)tape_buf_add_str(out, tape_http_version_text(text));
}

static const struct tape_opt_spec spec = {
	.tool = "trace-replay",
	.summary = "play a trace against a server and keep every byte",
	.usage = "--url URL | --arm NAME=URL ... [option ...] [trace ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.max_operands = SIZE_MAX,
	.libs = libs,
	.examples =
	    "trace-replay --url localhost:8000 -o run.tape chat.trace\n"
	    "trace-replay --arm A=host1:8000 --arm B=host2:8000 --rounds 8 "
	    "-o ab.tape chat.trace\n",
};

/* What the options become; all of it lives until the end. */
struct setup {
	struct tape_replay_opts replay;
	struct tape_target targets[TAPE_PLAN_ARMS];
	struct tape_headers headers;
	struct tape_buf extra, labels, meta;
	char user_agent[64];
	bool quiet;
};

static void
release(struct setup *s)
{
	for (size_t i = 0; i < TAPE_PLAN_ARMS; i++)
		tape_target_release(&s->targets[i]);
	tape_headers_release(&s->headers);
	tape_buf_release(&s->extra);
	tape_buf_release(&s->labels);
	tape_buf_release(&s->meta);
}

static enum tape_status
set_targets(struct setup *s, const struct options *o, struct tape_err *err)
{
	const char *path = s->replay.form.api->path;
	enum tape_status st = TAPE_OK;

	if (o->arms.count > TAPE_PLAN_ARMS)
		return tape_err_set(
		    err, TAPE_E_USAGE, "more than %d arms", TAPE_PLAN_ARMS);
	if (o->url != NULL)
		st = tape_target_open(&s->targets[0], NULL, o->url, path, err);
	for (size_t i = 0; i < o->arms.count && st == TAPE_OK; i++)
		st = tape_target_open_arm(
		    s->targets, i, o->arms.items[i], path, err);
	s->replay.targets = s->targets;
	s->replay.targets_n = o->url != NULL ? 1 : o->arms.count;
	for (size_t i = 0; i < s->replay.targets_n && st == TAPE_OK; i++)
		if (s->targets[i].password != NULL)
			st = tape_secrets_add(&s->headers.secrets,
			    s->targets[i].password,
			    strlen(s->targets[i].password), err);
	return st;
}

static enum tape_status
set_headers(struct setup *s, const struct options *o, struct tape_err *err)
{
	const struct tape_headers_source source = {
		.lines = o->headers.items,
		.lines_n = o->headers.count,
		.file = o->header_file,
		.key = o->key_env == NULL ? NULL : getenv(o->key_env),
		.key_origin = o->key_env,
		.key_file = o->key_file,
		.stream = !o->no_stream,
	};
	enum tape_status st = tape_headers_fill(&s->headers, &source, err);

	s->replay.headers = s->headers.lines;
	s->replay.headers_n = s->headers.n;
	s->replay.secrets = &s->headers.secrets;
	return st;
}

static enum tape_status
set_texts(struct setup *s, const struct options *o, struct tape_err *err)
{
	enum tape_status st = tape_labels_join(&o->labels, &s->labels, err);

	if (st == TAPE_OK)
		st = tape_meta_join(&o->meta, o->server_cmd, &s->meta, err);
	if (st == TAPE_OK && o->extra != NULL)
		st = tape_replay_read_extra(o->extra, &s->extra, err);
	if (s->labels.len > 0)
		s->replay.labels = tape_str_make(s->labels.data, s->labels.len);
	if (s->extra.len > 0)
		s->replay.form.extra =
		    tape_str_make(s->extra.data, s->extra.len);
	return st;
}

static void
set_numbers(struct setup *s, const struct options *o)
{
	struct tape_replay_opts *r = &s->replay;

	r->form.stream = !o->no_stream;
	r->form.usage = !o->no_usage;
	r->form.max_tokens_field = o->max_tokens_field;
	r->model = o->model;
	r->order = (enum tape_plan_order)o->order;
	r->rounds = o->rounds;
	r->round = (int64_t)o->round;
	r->session = o->session;
	r->seed = o->seed;
	r->salt = o->salt.how;
	r->salt_value = o->salt.value;
	if (!o->salt.given && (o->rounds > 1 || o->round > 0))
		r->salt = TAPE_REPLAY_SALT_ROUND;
	r->concurrency = o->concurrency;
	r->warmup = o->warmup;
	r->requests = o->requests;
	r->cycle = o->cycle;
	r->duration_ns = o->duration_ns;
	r->grace_ns = o->grace_ns;
	r->cooldown_ns = o->cooldown_ns;
	r->abort_after = o->abort_after;
	r->keep_bodies = o->keep_requests;
	r->max_open = tape_files_raise(TAPE_REPLAY_SPARE_FILES);
	r->http.timeouts = o->timeouts;
	r->http.cacert = o->cacert;
	r->http.proxy = o->proxy;
	(void)snprintf(
	    s->user_agent, sizeof(s->user_agent), "llmtape/%s", TAPE_VERSION);
	r->http.user_agent = s->user_agent;
	r->wait_ready = o->has_wait_ready;
	if (o->has_wait_ready && o->wait_ready[0] != '\0')
		r->ready_path = o->wait_ready;
	r->ready_timeout_ns = o->wait_timeout_ns;
}

static void
show_progress(void *arg, const struct tape_replay_progress *p)
{
	char text[TAPE_REPLAY_TEXT];

	(void)arg;
	tape_progress_show(tape_replay_progress_text(p, text));
}

static void
say_failure(void *arg, const char *text)
{
	(void)arg;
	tape_progress_error(text);
}

static void
say_warning(void *arg, const char *text)
{
	(void)arg;
	tape_progress_warn(text);
}

static enum tape_status
set_up(struct setup *s, const struct options *o, struct tape_err *err)
{
	enum tape_status st;

	s->replay.form.api = tape_api_find(tape_str_of(o->api));
	if (s->replay.form.api == NULL)
		return tape_err_set(
		    err, TAPE_E_USAGE, "--api %s is not known", o->api);
	set_numbers(s, o);
	st = set_targets(s, o, err);
	if (st == TAPE_OK)
		st = set_headers(s, o, err);
	if (st == TAPE_OK)
		st = set_texts(s, o, err);
	if (st == TAPE_OK && o->round > 0 && s->replay.targets_n > 1)
		st = tape_err_set(err, TAPE_E_USAGE,
		    "--round labels a single run, of one arm");
	s->replay.calls =
	    (struct tape_replay_calls){ show_progress, say_failure, say_warning,
		    tape_signals_wake, tape_signals_seen, NULL };
	return st;
}

static bool
interrupted(void *arg)
{
	(void)arg;
	return tape_signals_seen() > 0;
}

/* The whole trace, checked. */
static enum tape_status
read_trace(struct tape_tool *t, const struct options *o,
    struct tape_spool **spool, struct tape_err *err)
{
	const char *dir = getenv("TMPDIR");
	enum tape_status st =
	    tape_tool_input(t, TAPE_FORMAT_TRACE, o->allow_truncated, err);

	if (st == TAPE_OK)
		st = tape_spool_open(
		    spool, dir == NULL || dir[0] == '\0' ? "/tmp" : dir, err);
	if (st == TAPE_OK)
		st = tape_spool_fill(*spool, t->reader, interrupted, NULL, err);
	if (st != TAPE_OK && interrupted(NULL)) {
		tape_err_clear(err);
		st = TAPE_OK;
	}
	if (st == TAPE_OK && !o->allow_truncated && !interrupted(NULL) &&
	    tape_spool_info(*spool)->ending == TAPE_ENDING_FAILED)
		st = tape_err_set(err, TAPE_E_TRUNC,
		    "making the trace failed: it is not whole");
	return st;
}

static enum tape_status
dry_run(struct tape_tool *t, const struct setup *s, struct tape_spool *spool,
    struct tape_err *err)
{
	struct tape_buf text;
	enum tape_status st;

	tape_buf_init(&text, 2 * TAPE_CAP_REQUEST);
	st = tape_replay_dry_run(&s->replay, spool, &text, err);
	if (st == TAPE_OK)
		st = tape_tool_text(t, err);
	if (st == TAPE_OK)
		st = tape_out_write(t->text, text.data, text.len, err);
	tape_buf_release(&text);
	return st;
}

/* The findings: how it went, and what that means for the exit code. */
static void
conclude(struct tape_tool *t, const struct options *o,
    const struct tape_replay_result *r)
{
	char text[TAPE_REPLAY_TEXT];

	tape_diag_warn("%s", tape_replay_summary_text(r, text));
	if (r->aborted)
		tape_diag_error("stopped after %" PRIu64 " failures in a row",
		    o->abort_after);
	if (r->answered == 0 && r->failed > 0) {
		tape_diag_error("no server ever answered");
		t->exit_code = TAPE_EXIT_SYSTEM;
	} else if (!tape_replay_tolerates(&o->max_failed, r) || r->aborted) {
		tape_diag_error("%" PRId64 " of %" PRId64 " requests failed",
		    r->failed, r->done + r->failed);
		t->exit_code = TAPE_EXIT_NO;
	}
}

static enum tape_status
play(struct tape_tool *t, const struct options *o, const struct setup *s,
    struct tape_spool *spool, struct tape_err *err)
{
	struct tape_replay_result result = { 0 };
	int64_t epoch_ns = 0;
	enum tape_ending ending = tape_reader_ending(t->reader);
	enum tape_status st = tape_tool_output(t, TAPE_FORMAT_WIRE, err);

	if (st == TAPE_OK)
		st = tape_tool_begin(t, s->meta.len > 0 ? s->meta.data : NULL,
		    true, &epoch_ns, err);
	if (st != TAPE_OK)
		return st;
	if (!interrupted(NULL))
		st = tape_replay_run(
		    &s->replay, spool, t->writer, epoch_ns, &result, err);
	else
		result.interrupted = true;
	tape_progress_clear();
	if (st != TAPE_OK)
		return st;
	conclude(t, o, &result);
	if (result.interrupted && ending == TAPE_ENDING_COMPLETE)
		ending = TAPE_ENDING_INTERRUPTED;
	return tape_writer_end(t->writer, ending, err);
}

static enum tape_status
run(struct tape_tool *t, const struct options *o, struct tape_err *err)
{
	struct setup s = { 0 };
	struct tape_spool *spool = NULL;
	enum tape_status st;

	tape_buf_init(&s.extra, 1 << 20);
	tape_buf_init(&s.labels, 1 << 20);
	tape_buf_init(&s.meta, 1 << 20);
	tape_progress_start(o->common.quiet);
	st = set_up(&s, o, err);
	if (st == TAPE_OK)
		st = read_trace(t, o, &spool, err);
	if (st == TAPE_OK && !interrupted(NULL))
		st = tape_replay_check(&s.replay, spool, err);
	if (st == TAPE_OK)
		st = o->dry_run ? dry_run(t, &s, spool, err)
				: play(t, o, &s, spool, err);
	tape_spool_free(spool);
	release(&s);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .api = "chat",
		.warmup = 2,
		.rounds = 1,
		.abort_after = 20,
		.grace_ns = 30 * TAPE_NS_PER_S,
		.wait_timeout_ns = 300 * TAPE_NS_PER_S,
		.timeouts = { 10 * TAPE_NS_PER_S, 600 * TAPE_NS_PER_S,
		    120 * TAPE_NS_PER_S, 3600 * TAPE_NS_PER_S } };
	struct tape_tool t;
	struct tape_err err = { 0 };
	enum tape_status st;

	if (!tape_tool_start(&t, &spec, TAPE_TOOL_SOCKETS | TAPE_TOOL_PARTIAL,
		argc, argv, &o))
		return t.exit_code;
	st = run(&t, &o, &err);
	/* The next tool left: no need for words. */
	if (err.sys == EPIPE && o.common.output == NULL)
		tape_signals_die_of_pipe();
	return tape_tool_finish(&t, st, &err);
}
