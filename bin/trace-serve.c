/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace-serve: an OpenAI-compatible server that plays a model of one. */
#include "base/fdio.h"
#include "base/num.h"
#include "base/spin.h"
#include "cli/apikey.h"
#include "cli/diag.h"
#include "cli/files.h"
#include "cli/listen.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "engine/serve.h"
#include "engine/serve_script.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#define FAULTS_MAX  16
#define SPARE_FILES 32 /* descriptors that are no connections */

struct faults {
	struct tape_serve_fault v[FAULTS_MAX];
	size_t n;
};

struct options {
	struct tape_opt_common common;
	struct tape_listen listen;
	struct faults faults;
	struct tape_serve_conf serve;
	int draw_by;
	int role;
	int cadence;
	int style;
	uint64_t merge;
	const char *port_file;
	const char *log;
	const char *script_file;
	struct tape_script script;
	const char *key_env;
	const char *key_file;
};

static const char *const draws[] = { "content", "order", NULL };
static const char *const roles[] = { "first", "start", NULL };
static const char *const cadences[] = { "steady", "batch", NULL };
static const char *const styles[] = { "words", "prose", NULL };

static enum tape_status
parse_ns(const char *arg, void *field, struct tape_err *err)
{
	return tape_serve_dist_parse_ns(arg, field, err);
}

static enum tape_status
parse_tokens(const char *arg, void *field, struct tape_err *err)
{
	return tape_serve_dist_parse_tokens(arg, field, err);
}

static enum tape_status
parse_range(const char *arg, void *field, struct tape_err *err)
{
	return tape_serve_parse_range(arg, field, err);
}

static enum tape_status
parse_split(const char *arg, void *field, struct tape_err *err)
{
	return tape_serve_parse_split(arg, field, err);
}

static enum tape_status
parse_spin(const char *arg, void *field, struct tape_err *err)
{
	return tape_spin_parse(arg, TAPE_SERVE_SPIN_MAX_NS, field, err);
}

static enum tape_status
parse_share(const char *arg, void *field, struct tape_err *err)
{
	return tape_num_share_ratio(arg, field, err);
}

static enum tape_status
parse_cold(const char *arg, void *field, struct tape_err *err)
{
	return tape_serve_parse_cold(arg, field, err);
}

static enum tape_status
parse_fault(const char *arg, void *field, struct tape_err *err)
{
	struct faults *f = field;
	enum tape_status st;

	if (f->n == FAULTS_MAX)
		return tape_err_set(
		    err, TAPE_E_USAGE, "at most %d faults", FAULTS_MAX);
	st = tape_serve_fault_parse(arg, &f->v[f->n], err);
	if (st == TAPE_OK)
		f->n++;
	return st;
}

#define AT(f) offsetof(struct options, f)

/* An option by its field, or by the field of the server. */
#define OPT(n, a, t, f, h)                                                     \
 {                                                                             \
  .name = (n), .arg = (a), .type = TAPE_OPT_##t, .at = AT(f), .help = (h)      \
 }
#define COUNT(n, a, f, lo, hi, h)                                              \
 {                                                                             \
  .name = (n), .arg = (a), .type = TAPE_OPT_U64, .at = AT(f), .min = (lo),     \
  .max = (hi), .help = (h)                                                     \
 }
#define TIME(n, f, h) OPT(n, "DURATION", DURATION, serve.f, h)
#define ENUM(n, f, list, h)                                                    \
 {                                                                             \
  .name = (n), .arg = "NAME", .type = TAPE_OPT_ENUM, .at = AT(f),              \
  .names = (list), .help = (h)                                                 \
 }
#define CALL(n, a, f, fn, h)                                                   \
 {                                                                             \
  .name = (n), .arg = (a), .type = TAPE_OPT_CALL, .at = AT(f), .parse = (fn),  \
  .help = (h)                                                                  \
 }

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Server"),
	CALL("listen", "ADDRESS", listen, tape_listen_parse,
	    "PORT or ADDRESS:PORT (127.0.0.1:8000)"),
	OPT("port-file", "FILE", PATH, port_file,
	    "gets the port when it listens"),
	OPT("api-key-env", "NAME", STRING, key_env,
	    "variable with the key that clients need"),
	OPT("api-key-file", "FILE", PATH, key_file, "file with that key"),
	OPT("log", "FILE", PATH, log,
	    "one JSON line a request; - is standard output"),
	TIME("for", duration_ns, "end after that time"),
	COUNT("requests", "N", serve.max_requests, 0, 0,
	    "end after so many requests"),
	TAPE_OPT_HEADING("Model"),
	CALL("ttft", "MEAN[,SD]", serve.ttft, parse_ns,
	    "time to the first token (40ms)"),
	TIME("prefill-per-token", prefill_ns,
	    "more of it for each prompt token (0)"),
	CALL("itl", "MEAN[,SD]", serve.itl, parse_ns,
	    "time from an event to the next (5ms)"),
	ENUM("cadence", cadence, cadences,
	    "steady, or batch: all streams tick together"),
	CALL("tokens-per-event", "N[-M]", serve.event_tokens, parse_range,
	    "tokens that come in one event (1)"),
	CALL("osl", "MEAN[,SD]", serve.osl, parse_tokens,
	    "tokens until it stops by itself"),
	COUNT("default-tokens", "N", serve.default_tokens, 1, 1000000,
	    "length when a request has no limit (128)"),
	COUNT("max-tokens", "N", serve.max_tokens, 1, 1000000,
	    "a request for more is refused (131072)"),
	COUNT("slots", "N", serve.slots, 0, 0,
	    "requests served at a time (0: no limit)"),
	COUNT("queue", "N", serve.queue, 0, 0,
	    "requests that may wait (no limit)"),
	COUNT("prefix-cache", "BLOCKS", serve.prefix_blocks, 0,
	    INT64_C(1) << 30, "remembered beginnings of prompts (0)"),
	COUNT("prefix-block", "N", serve.prefix_tokens, 1, 1000000,
	    "tokens of a block (64)"),
	OPT("model", "NAME", STRING, serve.model, "its name (llmtape)"),
	CALL("cold", "N[,TIMES]", serve.cold, parse_cold,
	    "the first N take TIMES (5) as long"),
	CALL("drift", "SHARE", serve.drift_ratio, parse_share,
	    "each takes so much longer than the last (0)"),
	COUNT("seed", "N", serve.seed, 0, 0, "of all draws (1)"),
	ENUM("draw-by", draw_by, draws, "content or order (content)"),
	TAPE_OPT_HEADING("Stream"),
	OPT("stamp", NULL, FLAG, serve.stamp,
	    "each event says when it was sent"),
	ENUM("role", role, roles, "role event at first token or start (first)"),
	TIME("tail", tail_ns, "from the last token to the end (0)"),
	TAPE_OPT_RARE("On the wire"),
	ENUM("text", style, styles, "words, each a token, or prose (words)"),
	COUNT("merge", "N", merge, 1, TAPE_SERVE_MERGE_MAX,
	    "so many events share a write (1)"),
	CALL("split", "N[,GAP]", serve.split, parse_split,
	    "an event takes N writes, GAP apart (1,1ms)"),
	CALL("spin", "auto|off|TIME", serve.spin_ns, parse_spin,
	    "stay awake so long before a token (off)"),
	TAPE_OPT_HEADING("Faults"),
	CALL("fault", "SPEC", faults, parse_fault,
	    "KIND:SHARE[:N], as reset:5% or stall:1/20:7"),
	TIME("stall-for", stall_ns,
	    "how long a stalled stream stays open (60s)"),
	OPT("script", "FILE", PATH, script_file,
	    "answers byte for byte, by rules in FILE"),
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_EXCLUDES, "api-key-env api-key-file" },
	{ TAPE_OPT_EXCLUDES, "merge split" },
};

static const struct tape_opt_spec spec = {
	.tool = "trace-serve",
	.summary = "play a model of an LLM server",
	.usage = "[option ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.examples =
	    "trace-serve --ttft 200ms,20ms --itl 10ms,1ms\n"
	    "trace-serve --cadence batch --tokens-per-event 2-4 --stamp\n"
	    "trace-serve --slots 32 --queue 64 --fault reset:1%\n",
};

static void
wake(void *arg)
{
	tape_serve_stop(arg);
}

/* Says what it did, for -v, and whom it had no descriptor for. */
static void
report(const struct tape_serve_stats *s)
{
	char p50[TAPE_NUM_TEXT], p99[TAPE_NUM_TEXT], max[TAPE_NUM_TEXT];

	tape_diag_note("%" PRIu64 " requests, %" PRIu64 " complete, %" PRIu64
		       " tokens; events late by p50 %s, p99 %s, max %s",
	    s->requests, s->complete, s->tokens,
	    tape_num_print_duration(
		(double)tape_hist_quantile(&s->late, 0.5), p50),
	    tape_num_print_duration(
		(double)tape_hist_quantile(&s->late, 0.99), p99),
	    tape_num_print_duration((double)s->late.max, max));
	if (s->turned_away > 0)
		tape_diag_warn("%" PRIu64 " connections were closed at once: "
			       "the limit of descriptors is reached (ulimit "
			       "-Hn, or LimitNOFILE of its unit)",
		    s->turned_away);
}

static enum tape_status
serve(const struct options *o, struct tape_err *err)
{
	struct tape_serve *s = NULL;
	enum tape_status st = tape_serve_open(&s, &o->serve, err);

	if (st != TAPE_OK)
		return st;
	if (o->port_file != NULL)
		st = tape_listen_write_port(
		    o->port_file, tape_serve_port(s), err);
	if (st == TAPE_OK) {
		tape_listen_announce(o->serve.host, tape_serve_port(s));
		tape_signals_wake(wake, s);
		if (tape_signals_seen() > 0)
			tape_serve_stop(s);
		st = tape_serve_run(s, err);
		tape_signals_wake(NULL, NULL);
		report(tape_serve_get_stats(s));
	}
	tape_serve_free(s);
	return st;
}

/* As many connections as the system lets us have; says it if the slots cannot
   be filled. */
static void
raise_descriptors(struct tape_serve_conf *conf)
{
	size_t most = tape_files_raise(SPARE_FILES);

	if (most == 0 || most > UINT32_MAX)
		return;
	conf->max_conns = (uint32_t)most;
	if (conf->slots > most)
		tape_diag_warn("at most %zu connections can be open, fewer "
			       "than --slots: the hard limit of descriptors "
			       "(ulimit -Hn) must be %" PRIu64 " for that",
		    most, conf->slots + SPARE_FILES);
	else
		tape_diag_note("at most %zu connections can be open", most);
}

static enum tape_status
run(struct options *o, struct tape_err *err)
{
	bool to_stdout = o->log != NULL && strcmp(o->log, "-") == 0;
	char *key = NULL;
	enum tape_status st = TAPE_OK;

	if (o->common.output != NULL || o->common.level_given)
		return tape_err_set(
		    err, TAPE_E_USAGE, "there is no output stream; see --log");
	st = tape_apikey_read(o->key_env, o->key_file, &key, err);
	o->serve.api_key = key;
	o->serve.host = o->listen.host;
	o->serve.port = o->listen.port;
	o->serve.draw_by = (enum tape_serve_draw)o->draw_by;
	o->serve.role = (enum tape_serve_role)o->role;
	o->serve.cadence = (enum tape_serve_cadence)o->cadence;
	o->serve.style = (enum tape_serve_style)o->style;
	o->serve.merge = (uint32_t)o->merge;
	o->serve.faults = o->faults.v;
	o->serve.n_faults = o->faults.n;
	if (to_stdout)
		o->serve.log_fd = STDOUT_FILENO;
	else if (st == TAPE_OK && o->log != NULL)
		st = tape_fdio_open_write(o->log, &o->serve.log_fd, err);
	if (st == TAPE_OK && o->script_file != NULL) {
		st = tape_script_load(&o->script, o->script_file, err);
		o->serve.script = &o->script;
	}
	raise_descriptors(&o->serve);
	if (st == TAPE_OK)
		st = serve(o, err);
	if (!to_stdout && o->serve.log_fd >= 0 && close(o->serve.log_fd) != 0 &&
	    st == TAPE_OK)
		st = tape_err_sys(err, errno, "cannot write %s", o->log);
	tape_apikey_free(key);
	tape_script_release(&o->script);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .listen = { "127.0.0.1", 8000 }, .merge = 1 };
	struct tape_tool t;
	struct tape_err err = { 0 };

	tape_serve_conf_default(&o.serve);
	if (!tape_tool_start(&t, &spec, TAPE_TOOL_SOCKETS, argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&o, &err), &err);
}
