/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace-replay: play a trace against servers, and keep what comes back. */
#include "cli/child.h"
#include "cli/diag.h"
#include "cli/files.h"
#include "cli/libs.h"
#include "cli/opt_attempts.h"
#include "cli/opt_describe.h"
#include "cli/opt_http.h"
#include "cli/opt_shape.h"
#include "cli/progress.h"
#include "cli/request_opts.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "engine/preflight.h"
#include "engine/replay_args.h"
#include "engine/replay_text.h"
#include "tape_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED_MAX ((INT64_C(1) << 53) - 1)

struct options {
	struct tape_opt_common common;
	struct tape_replay_opts replay;
	struct tape_replay_args args;
	struct tape_opt_describe about;
	const char *key_env;
	struct tape_opt_list urls, arms, headers;
	struct tape_opt_http http;
	struct tape_replay_standard standard;
	struct tape_request_opts request;
	struct tape_opt_shape shape;
	bool no_stream, dry_run, allow_truncated, preflight;
	const char *preflight_itl;
	int keep;
	int64_t pipe_ns;
};

static const char *const orders[] = { "balanced", "random", "fixed", NULL };
static const char *const keeps[] = { "raw", "events", "times", NULL };

/* clang-format off */
#define AT(f) offsetof(struct options, f)
#define OPT(n, a, t, f, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_##t, .at = AT(f), .help = h }
#define RUN(n, a, t, f, h) OPT(n, a, t, replay.f, h)
#define TIME(n, f, h) RUN(n, "TIME", DURATION, f, h)
#define COUNT(n, a, f, lo, hi, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_U64, .at = AT(replay.f), .min = lo, \
	    .max = hi, .help = h }
#define CALL(n, a, f, p, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_CALL, .at = AT(f), .parse = p, \
	    .help = h }
#define MAYBE(n, a, f, s, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_MAYBE, .at = AT(f), \
	    .seen_at = AT(s), .help = h }
#define HIDE(n, a, t, f, s, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_##t, .at = AT(f), \
	    .secrecy = TAPE_OPT_##s, .help = h }
#define ENUM(n, a, f, v, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_ENUM, .at = AT(f), .names = v, \
	    .help = h }
/* clang-format on */

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Target"),
	HIDE("url", "URL", LIST, urls, URL,
	    "server to play against; several in turn"),
	HIDE("arm", "NAME=URL", LIST, arms, URL, "one of several, repeated"),
	OPT("api", "NAME", STRING, args.api, "dialect, see llmtape(7) (chat)"),
	RUN("model", "NAME", STRING, model, "default: the first one served"),
	HIDE("header", "LINE", LIST, headers, HEADER,
	    "'Name: value' to add; no credentials"),
	OPT("api-key-env", "NAME", STRING, key_env,
	    "variable with the key to send"),
	MAYBE("wait-ready", "PATH", args.ready_path, replay.wait_ready,
	    "wait until a token, or PATH, is answered"),
	TAPE_OPT_HEADING("Load"),
	COUNT("concurrency", "N", concurrency, 1, 1000000,
	    "at most N open at once"),
	COUNT("warmup", "N", warmup, 0, 1000000000,
	    "play the last N first, unmeasured (2)"),
	COUNT("requests", "N", requests, 1, 0, "only the first N"),
	RUN("loop", NULL, FLAG, cycle, "play the trace again and again"),
	TIME("duration", duration_ns, "stop sending then"),
	OPT("no-stream", NULL, FLAG, no_stream, "ask for whole answers"),
	CALL("max-failed", "N|P%", standard.max_failed,
	    tape_replay_parse_tolerance, "more than that is exit code 1 (0)"),
	MAYBE("preflight", "ITL", preflight_itl, preflight,
	    "try this client against a mock (20ms)"),
	OPT("dry-run", NULL, FLAG, dry_run, "print the first request only"),
	TAPE_OPT_HEADING("Runs"),
	COUNT("rounds", "K", rounds, 1, 100000, "a run per arm and round (1)"),
	ENUM("order", "NAME", replay.order, orders,
	    "of arms: balanced (default), random, fixed"),
	TIME("cooldown", cooldown_ns, "between runs"),
	TAPE_OPT_RARE("Limits of time"),
	TIME("grace", grace_ns, "then cancel what is open (30s)"),
	TIME("connect-timeout", http.timeouts.connect_ns,
	    "until the request is out (10s)"),
	TIME("first-byte-timeout", http.timeouts.first_byte_ns,
	    "of the answer (600s)"),
	TIME("idle-timeout", http.timeouts.idle_ns, "between its bytes (120s)"),
	TIME("timeout", http.timeouts.total_ns, "of a whole exchange (3600s)"),
	TIME("wait-timeout", ready_timeout_ns, "of --wait-ready (300s)"),
	OPT("pipe-timeout", "TIME", DURATION, pipe_ns,
	    "of a reader of the output (60s)"),
	COUNT("abort-after", "N", abort_after, 0, 1000000000,
	    "failures in a row (20; 0 never)"),
	TAPE_OPT_RARE("Sending"),
	TIME("concurrency-ramp", ramp_ns, "open the N slots over that time"),
	COUNT(
	    "threads", "N", threads, 1, TAPE_LOOPS_MAX, "network threads (1)"),
	CALL("spin", "auto|off|TIME", replay.spin_ns, tape_replay_parse_spin,
	    "stay awake before a send (auto)"),
	TAPE_OPT_RARE("Requests and runs in detail"),
	ENUM("keep", "WHAT", keep, keeps, "kept: raw (default), events, times"),
	RUN("keep-requests", NULL, FLAG, keep_bodies, "keep request bodies"),
	COUNT("seed", "N", seed, 0, SEED_MAX, "of the order (0)"),
	CALL("salt", "round|none|N", replay.salt, tape_replay_parse_salt,
	    "other block text in each round"),
	COUNT("round", "N", round, 1, 1000000, "label a single run"),
	RUN("session", "TEXT", STRING, session, "likewise, its session"),
	OPT("strict", NULL, FLAG, standard.strict,
	    "exit 1 if the client was the limit"),
	OPT("allow-truncated", NULL, FLAG, allow_truncated,
	    "play a trace that is not whole"),
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_EXCLUDES, "url arm" },
	{ TAPE_OPT_ANY_OF, "url arm preflight" },
	{ TAPE_OPT_EXCLUDES, "preflight dry-run" },
	{ TAPE_OPT_EXCLUDES, "api-key-env api-key-file" },
	{ TAPE_OPT_EXCLUDES, "round rounds" },
	{ TAPE_OPT_REQUIRES, "wait-timeout wait-ready" },
	{ TAPE_OPT_REQUIRES, "concurrency-ramp concurrency" },
};

static const struct tape_opt_join joins[] = {
	{ &tape_opt_describe_part, AT(about) },
	{ &tape_opt_http_part, AT(http) },
	{ &tape_request_opts, AT(request) },
	{ &tape_opt_shape_part, AT(shape) },
	{ &tape_opt_attempts_part, AT(replay.attempts) },
};

static const struct tape_opt_spec spec = {
	.tool = "trace-replay",
	.summary = "play a trace against a server and keep what comes",
	.usage = "--url URL ... | --arm NAME=URL ... | --preflight[=ITL]\n"
		 "                    [option ...] [trace ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.joins = joins,
	.join_count = sizeof(joins) / sizeof(joins[0]),
	.max_operands = SIZE_MAX,
	.libs = tape_libs_http,
	.examples =
	    "trace-replay --url localhost:8000 -o run.tape chat.trace\n"
	    "trace-replay --arm A=h1:8000 --arm B=h2:8000 --rounds 8 -o ab.tape t\n",
};

static void
release(struct options *o)
{
	tape_replay_args_release(&o->args);
	tape_opt_http_release(&o->http);
	tape_opt_describe_release(&o->about);
}

static void
gather(struct options *o)
{
	struct tape_replay_args *a = &o->args;

	a->named = o->urls.count == 0;
	a->urls = a->named ? o->arms.items : o->urls.items;
	a->urls_n = o->preflight ? 0 : a->named ? o->arms.count : o->urls.count;
	a->extra = o->request.extra;
	a->body_template = o->shape.body_template;
	a->usage = !o->request.no_usage;
	o->replay.form.max_tokens_field = o->request.max_tokens_field;
	o->replay.form.rules = tape_request_rules(&o->request);
	a->headers.lines = o->headers.items;
	a->headers.lines_n = o->headers.count;
	a->headers.key = o->key_env == NULL ? NULL : getenv(o->key_env);
	a->headers.key_origin = o->key_env;
	a->headers.file = o->http.header_file;
	a->headers.key_file = o->http.key_file;
	a->headers.encoding = o->http.encoding;
	a->headers.session_name = o->http.session_header;
	a->headers.id_name = o->http.id_header;
	a->headers.stream = !o->no_stream;
}

static void
show_progress(void *arg, const struct tape_replay_progress *p)
{
	char text[TAPE_REPLAY_TEXT];

	(void)arg;
	tape_progress_show(tape_replay_progress_text(p, text));
}

static enum tape_status
set_up(struct options *o, struct tape_err *err)
{
	struct tape_replay_opts *r = &o->replay;
	enum tape_status st;

	r->max_open =
	    tape_files_raise(TAPE_REPLAY_SPARE_FILES +
			     (r->threads - 1) * TAPE_REPLAY_LOOP_FILES);
	r->http.user_agent = "llmtape/" TAPE_VERSION;
	r->calls = (struct tape_replay_calls){ show_progress,
		tape_progress_error, tape_progress_warn, tape_progress_error,
		tape_signals_wake, tape_signals_seen, NULL };
	r->keep = (enum tape_keep)o->keep;
	r->connections = (enum tape_http_conn_mode)o->http.connections;
	gather(o);
	st = tape_opt_http_apply(&o->http, &r->http, err);
	if (st == TAPE_OK)
		st = tape_opt_shape_pointers(&o->shape, &o->args.pointers, err);
	if (st == TAPE_OK)
		st = tape_replay_args_apply(&o->args, r, err);
	if (st == TAPE_OK)
		st = tape_opt_describe_join(&o->about, err);
	if (o->about.labels_json.len > 0)
		r->labels = tape_str_make(
		    o->about.labels_json.data, o->about.labels_json.len);
	return st;
}

/* The head start of the trace, checked: mostly all of it. */
static enum tape_status
read_trace(struct tape_tool *t, const struct options *o,
    struct tape_spool **spool, struct tape_err *err)
{
	const struct tape_spool_start how = { o->replay.warmup,
		o->allow_truncated, o->preflight, tape_signals_seen };
	enum tape_status st =
	    tape_tool_input(t, TAPE_FORMAT_TRACE, o->allow_truncated, err);

	if (st == TAPE_OK)
		st = tape_spool_take(
		    spool, getenv("TMPDIR"), t->reader, &how, err);
	return st;
}

static enum tape_status
dry_run(struct tape_tool *t, const struct options *o, struct tape_spool *spool,
    struct tape_err *err)
{
	struct tape_buf text;
	enum tape_status st;

	tape_buf_init(&text, 2 * TAPE_CAP_REQUEST);
	st = tape_replay_dry_run(&o->replay, spool, &text, err);
	if (st == TAPE_OK)
		st = tape_tool_text(t, err);
	if (st == TAPE_OK)
		st = tape_out_write(t->text, text.data, text.len, err);
	tape_buf_release(&text);
	return st;
}

/* The client against a mock in a process of its own. */
static enum tape_status
preflight(struct tape_tool *t, const struct options *o,
    struct tape_spool *spool, struct tape_err *err)
{
	static const int codes[] = { TAPE_EXIT_DONE, TAPE_EXIT_NO,
		TAPE_EXIT_DATA };
	enum tape_preflight_finding found = TAPE_PREFLIGHT_FINE;
	struct tape_child mock = { 0 };
	const struct tape_preflight_opts opts = { .replay = &o->replay,
		.itl = o->preflight_itl,
		.level = o->common.level_given ? (int)o->common.level : 1,
		.dir = getenv("TMPDIR"),
		.child = { tape_child_start, tape_child_stop, &mock } };
	enum tape_status st = tape_tool_text(t, err);

	if (st == TAPE_OK)
		st = tape_preflight_run(&opts, spool, t->text, &found, err);
	tape_progress_clear();
	t->exit_code = codes[found];
	return st;
}

/* Ends the stream, says how it went, and what that means for the exit code.  A
   trace that is bad further on was played up to there. */
static enum tape_status
conclude(struct tape_tool *t, const struct options *o,
    struct tape_replay_result *r, enum tape_status st, struct tape_err *err)
{
	static const int codes[] = { TAPE_EXIT_DONE, TAPE_EXIT_NO,
		TAPE_EXIT_SYSTEM };
	bool cut = tape_diag_exit_code(st) == TAPE_EXIT_INPUT;
	char text[TAPE_REPLAY_TEXT];

	if (st == TAPE_OK || cut)
		st = tape_writer_end(t->writer, r->ending, err);
	if (st != TAPE_OK)
		return st;
	/* Nobody asks what the rest of the trace would have been. */
	t->allow_truncated = t->allow_truncated || r->interrupted;
	r->archive_bytes = (int64_t)tape_writer_bytes(t->writer);
	tape_diag_warn("%s", tape_replay_summary_text(r, text));
	t->exit_code = codes[tape_replay_find(
	    &o->standard, &o->replay, r, tape_progress_error, NULL)];
	return cut ? err->status : TAPE_OK;
}

static enum tape_status
play(struct tape_tool *t, const struct options *o, struct tape_spool *spool,
    struct tape_err *err)
{
	struct tape_replay_result result = { 0 };
	int64_t epoch_ns = 0;
	enum tape_status st =
	    tape_tool_output(t, tape_keep_format(o->replay.keep), err);

	t->chains = tape_spool_chains(spool);
	(void)snprintf(t->input, sizeof(t->input), "%s %s",
	    tape_format_name(TAPE_FORMAT_TRACE), TAPE_STREAM_VERSION);
	if (st == TAPE_OK)
		st = tape_tool_begin(t,
		    o->about.meta_json.len > 0 ? o->about.meta_json.data : NULL,
		    true, &epoch_ns, err);
	if (st != TAPE_OK)
		return st;
	st = tape_replay_run(
	    &o->replay, spool, t->writer, epoch_ns, &result, err);
	tape_progress_clear();
	return conclude(t, o, &result, st, err);
}

static enum tape_status
run(struct tape_tool *t, struct options *o, struct tape_err *err)
{
	struct tape_spool *spool = NULL;
	enum tape_status st;

	tape_progress_start(o->common.quiet);
	t->patience =
	    (struct tape_fdio_patience){ o->pipe_ns, tape_signals_insist };
	st = set_up(o, err);
	if (st == TAPE_OK)
		st = read_trace(t, o, &spool, err);
	if (st == TAPE_OK && tape_signals_seen() == 0 && !o->preflight)
		st = tape_replay_check(&o->replay, spool, err);
	if (st == TAPE_OK)
		st = o->dry_run     ? dry_run(t, o, spool, err)
		     : o->preflight ? preflight(t, o, spool, err)
				    : play(t, o, spool, err);
	tape_spool_free(spool);
	release(o);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .args.api = "chat",
		.pipe_ns = TAPE_TOOL_STALL_NS,
		.replay = TAPE_REPLAY_DEFAULTS };
	struct tape_tool t;
	struct tape_err err = { 0 };

	if (!tape_tool_start(&t, &spec, TAPE_TOOL_SOCKETS | TAPE_TOOL_PARTIAL,
		argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&t, &o, &err), &err);
}
