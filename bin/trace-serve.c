/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace-serve: an OpenAI-compatible server that plays a model of one. */
#include "base/fdio.h"
#include "base/num.h"
#include "cli/apikey.h"
#include "cli/diag.h"
#include "cli/listen.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "engine/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#define FAULTS_MAX 16

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
	const char *port_file;
	const char *log;
	const char *key_env;
	const char *key_file;
};

static const char *const draws[] = { "content", "order", NULL };
static const char *const roles[] = { "first", "start", NULL };

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

#define AT(f)    offsetof(struct options, f)
#define SERVE(f) offsetof(struct options, serve.f)

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Server"),
	{ .name = "listen",
	    .arg = "ADDRESS",
	    .type = TAPE_OPT_CALL,
	    .at = AT(listen),
	    .parse = tape_listen_parse,
	    .help = "PORT or ADDRESS:PORT (127.0.0.1:8000)" },
	{ .name = "port-file",
	    .arg = "FILE",
	    .type = TAPE_OPT_PATH,
	    .at = AT(port_file),
	    .help = "gets the port when it listens" },
	{ .name = "api-key-env",
	    .arg = "NAME",
	    .type = TAPE_OPT_STRING,
	    .at = AT(key_env),
	    .help = "variable with the key that clients need" },
	{ .name = "api-key-file",
	    .arg = "FILE",
	    .type = TAPE_OPT_PATH,
	    .at = AT(key_file),
	    .help = "file with that key" },
	{ .name = "log",
	    .arg = "FILE",
	    .type = TAPE_OPT_PATH,
	    .at = AT(log),
	    .help = "one JSON line a request; - is standard output" },
	{ .name = "for",
	    .arg = "DURATION",
	    .type = TAPE_OPT_DURATION,
	    .at = SERVE(duration_ns),
	    .help = "end after that time" },
	{ .name = "requests",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = SERVE(max_requests),
	    .help = "end after so many requests" },
	TAPE_OPT_HEADING("Model"),
	{ .name = "ttft",
	    .arg = "MEAN[,SD]",
	    .type = TAPE_OPT_CALL,
	    .at = SERVE(ttft),
	    .parse = parse_ns,
	    .help = "time to the first token (40ms)" },
	{ .name = "prefill-per-token",
	    .arg = "DURATION",
	    .type = TAPE_OPT_DURATION,
	    .at = SERVE(prefill_ns),
	    .help = "more of it for each prompt token (0)" },
	{ .name = "itl",
	    .arg = "MEAN[,SD]",
	    .type = TAPE_OPT_CALL,
	    .at = SERVE(itl),
	    .parse = parse_ns,
	    .help = "time between tokens (5ms)" },
	{ .name = "osl",
	    .arg = "MEAN[,SD]",
	    .type = TAPE_OPT_CALL,
	    .at = SERVE(osl),
	    .parse = parse_tokens,
	    .help = "tokens until it stops by itself" },
	{ .name = "default-tokens",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = SERVE(default_tokens),
	    .min = 1,
	    .max = 1000000,
	    .help = "length when a request has no limit (128)" },
	{ .name = "max-tokens",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = SERVE(max_tokens),
	    .min = 1,
	    .max = 1000000,
	    .help = "a request for more is refused (131072)" },
	{ .name = "slots",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = SERVE(slots),
	    .help = "requests served at a time (0: no limit)" },
	{ .name = "queue",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = SERVE(queue),
	    .help = "requests that may wait (no limit)" },
	{ .name = "prefix-cache",
	    .arg = "BLOCKS",
	    .type = TAPE_OPT_U64,
	    .at = SERVE(prefix_blocks),
	    .max = INT64_C(1) << 30,
	    .help = "remembered beginnings of prompts (0)" },
	{ .name = "prefix-block",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = SERVE(prefix_tokens),
	    .min = 1,
	    .max = 1000000,
	    .help = "tokens of a block (64)" },
	{ .name = "model",
	    .arg = "NAME",
	    .type = TAPE_OPT_STRING,
	    .at = SERVE(model),
	    .help = "its name (llmtape)" },
	{ .name = "seed",
	    .arg = "N",
	    .type = TAPE_OPT_U64,
	    .at = SERVE(seed),
	    .help = "of all draws (1)" },
	{ .name = "draw-by",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(draw_by),
	    .names = draws,
	    .help = "content or order (content)" },
	TAPE_OPT_HEADING("Stream"),
	{ .name = "stamp",
	    .type = TAPE_OPT_FLAG,
	    .at = SERVE(stamp),
	    .help = "each event says when it was sent" },
	{ .name = "role",
	    .arg = "NAME",
	    .type = TAPE_OPT_ENUM,
	    .at = AT(role),
	    .names = roles,
	    .help = "role event at first token or start (first)" },
	{ .name = "tail",
	    .arg = "DURATION",
	    .type = TAPE_OPT_DURATION,
	    .at = SERVE(tail_ns),
	    .help = "from the last token to the end (0)" },
	TAPE_OPT_HEADING("Faults"),
	{ .name = "fault",
	    .arg = "SPEC",
	    .type = TAPE_OPT_CALL,
	    .at = AT(faults),
	    .parse = parse_fault,
	    .help = "KIND:SHARE[:N], as reset:5% or stall:1/20:7" },
	{ .name = "stall-for",
	    .arg = "DURATION",
	    .type = TAPE_OPT_DURATION,
	    .at = SERVE(stall_ns),
	    .help = "how long a stalled stream stays open (60s)" },
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_EXCLUDES, "api-key-env api-key-file" },
};

static const struct tape_opt_spec spec = {
	.tool = "trace-serve",
	.summary = "play a model of an LLM server",
	.usage = "[option ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.rules = rules,
	.rule_count = sizeof(rules) / sizeof(rules[0]),
	.examples = "trace-serve --ttft 200ms,20ms --itl 10ms,1ms\n"
		    "trace-serve --listen 0 --port-file port --stamp\n"
		    "trace-serve --slots 32 --queue 64 --fault reset:1%\n",
};

static void
wake(void *arg)
{
	tape_serve_stop(arg);
}

/* Says what it did, for -v. */
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

/* As many connections as the system lets us have. */
static void
raise_descriptors(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0 &&
	    lim.rlim_cur < lim.rlim_max) {
		lim.rlim_cur = lim.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &lim);
	}
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
	o->serve.faults = o->faults.v;
	o->serve.n_faults = o->faults.n;
	if (to_stdout)
		o->serve.log_fd = STDOUT_FILENO;
	else if (st == TAPE_OK && o->log != NULL)
		st = tape_fdio_open_write(o->log, &o->serve.log_fd, err);
	raise_descriptors();
	if (st == TAPE_OK)
		st = serve(o, err);
	if (!to_stdout && o->serve.log_fd >= 0 && close(o->serve.log_fd) != 0 &&
	    st == TAPE_OK)
		st = tape_err_sys(err, errno, "cannot write %s", o->log);
	tape_apikey_free(key);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .listen = { "127.0.0.1", 8000 } };
	struct tape_tool t;
	struct tape_err err = { 0 };

	tape_serve_conf_default(&o.serve);
	if (!tape_tool_start(&t, &spec, TAPE_TOOL_SOCKETS, argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&o, &err), &err);
}
