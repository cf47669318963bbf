/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to a server that is played: its clock stands still, and a script
   says what each question gets. */
#include "engine/prober.h"

#include "base/mem.h"
#include "unit/tap.h"

#include <stdlib.h>

/* What a question gets, so long after it was asked. */
struct answer {
	int status; /* 0: none, it fails */
	const char *body;
	int64_t after_ns;
};

struct net {
	struct tape_prober *p;
	struct tape_clock_fake time;
	struct tape_clock clock;
	struct tape_transport ops;
	const struct answer *script;
	size_t script_n, asked;
	const struct answer *now; /* of the question in hand; NULL none */
	int64_t start_ns, limit_ns;
	bool cancelled;
	char url[200], body[600], headers[200];
};

static struct net n;
static struct tape_target target;
static struct tape_err err;
static int interrupts_n;

static enum tape_status
start(void *self, const struct tape_http_request *req,
    struct tape_http_xfer **x, int64_t *start_ns, struct tape_err *e)
{
	struct net *k = self;

	(void)x;
	(void)start_ns;
	if (k->asked == k->script_n)
		return tape_err_set(e, TAPE_E_BUG, "asked too often");
	k->now = &k->script[k->asked++];
	k->start_ns = k->time.now_ns;
	k->limit_ns = req->timeouts.total_ns;
	k->cancelled = false;
	(void)snprintf(k->url, sizeof(k->url), "%s", req->url);
	k->headers[0] = '\0';
	for (size_t i = 0, at = 0; i < req->headers_n; i++)
		at += (size_t)snprintf(k->headers + at, sizeof(k->headers) - at,
		    "%s;", req->headers[i]);
	(void)snprintf(k->body, sizeof(k->body), "%.*s", (int)req->body_bytes,
	    req->body == NULL ? "" : (const char *)req->body);
	return TAPE_OK;
}

static void
cancel(void *self, struct tape_http_xfer *x)
{
	(void)x;
	((struct net *)self)->cancelled = true;
}

static void
finish(struct net *k, enum tape_http_class class)
{
	struct tape_http_result r = { .class = class,
		.cause = "cause",
		.message = "nobody there",
		.status = class == TAPE_HTTP_NONE ? k->now->status : 0 };

	k->now = NULL;
	tape_prober_calls.finish(k->p, NULL, &r);
}

static enum tape_status
net_poll(void *self, int64_t deadline_ns, struct tape_err *e)
{
	struct net *k = self;
	int64_t at = k->start_ns + k->now->after_ns;
	int64_t limit = k->start_ns + k->limit_ns;

	(void)e;
	if (deadline_ns < at && deadline_ns < limit && !k->cancelled) {
		k->time.now_ns = deadline_ns;
		return TAPE_OK;
	}
	if (k->cancelled || limit < at) {
		if (!k->cancelled)
			k->time.now_ns = limit;
		finish(
		    k, k->cancelled ? TAPE_HTTP_CANCELLED : TAPE_HTTP_TIMEOUT);
		return TAPE_OK;
	}
	k->time.now_ns = at;
	if (k->now->status > 0) {
		/* in two reads */
		size_t len = strlen(k->now->body);
		struct tape_http_read a = { k->time.now_ns, -1, k->now->body,
			len / 2, true };
		struct tape_http_read b = { k->time.now_ns, -1,
			k->now->body + len / 2, len - len / 2, false };

		tape_prober_calls.read(k->p, NULL, &a);
		tape_prober_calls.read(k->p, NULL, &b);
	}
	finish(k, k->now->status > 0 ? TAPE_HTTP_NONE : TAPE_HTTP_CONNECT);
	return TAPE_OK;
}

static void
wake(void *self)
{
	(void)self;
}

static int
interrupts(void)
{
	return interrupts_n;
}

static void
open_net(const struct answer *script, size_t script_n)
{
	static const char *const headers[] = { "X-A: 1",
		"accept-encoding: gzip" };
	struct tape_prober_opts o = {
		.interrupts = interrupts, .headers = headers, .headers_n = 2
	};

	memset(&n, 0, sizeof(n));
	tape_err_clear(&err);
	interrupts_n = 0;
	n.clock = tape_clock_from_fake(&n.time);
	n.ops = (struct tape_transport){ start, cancel, net_poll, wake, &n };
	n.script = script;
	n.script_n = script_n;
	o.clock = &n.clock;
	o.net = &n.ops;
	is_int(tape_prober_open(&n.p, &o, &err), TAPE_OK, "open");
}

static void
model_is(const char *body, const char *want, const char *name)
{
	struct answer a = { 200, body, 5 };
	struct tape_buf out;

	tape_buf_init(&out, 1000);
	open_net(&a, 1);
	if (want == NULL) {
		is_int(tape_prober_model(n.p, &target, &out, &err), TAPE_E_IO,
		    "%s", name);
		ok(strstr(err.text, "--model gives it") != NULL, "advice: %s",
		    err.text);
	} else {
		is_int(tape_prober_model(n.p, &target, &out, &err), TAPE_OK,
		    "%s", name);
		is_str(out.data, want, "its name");
	}
	is_str(n.url, "http://h/v1/models", "asked there");
	is_str(n.headers, "X-A: 1;Accept-Encoding: identity;",
	    "by the headers of requests, but for nothing compressed");
	tape_buf_release(&out);
	tape_prober_free(n.p);
}

static void
test_model(void)
{
	model_is("{\"object\":\"list\",\"data\":[{\"id\":\"a/b\",\"x\":[1,{}]},"
		 "{\"id\":\"c\"}]}",
	    "a/b", "the first");
	model_is("{\"data\":[{\"meta\":{\"id\":\"no\"},\"id\":\"yes\"}]}",
	    "yes", "not one further down");
	model_is("{\"id\":\"no\",\"more\":[{\"id\":\"no\"}],"
		 "\"data\":[{\"id\":\"yes\"}]}",
	    "yes", "not one beside it");
	model_is("{\"data\":[]}", NULL, "none");
	model_is("{\"data\":[{\"id\":7}]}", NULL, "a number");
	model_is("<html>", NULL, "no JSON");
	model_is("{\"data\":[{\"id\":", NULL, "cut");
	model_is("", NULL, "nothing");
}

static void
test_snapshot(void)
{
	static char large[TAPE_PROBER_SNAPSHOT_BYTES + 100];
	struct answer a[3] = { { 503, large, 5 },
		{ 200, "never", INT64_MAX / 2 }, { 0, "", 5 } };
	struct tape_buf text[3];
	struct tape_probe probe = { .status = TAPE_ABSENT_I64 };

	memset(large, 'x', sizeof(large) - 1);
	/* an umlaut across the cut */
	memcpy(large + TAPE_PROBER_SNAPSHOT_BYTES - 1, "\xc3\xa4", 2);
	open_net(a, 3);
	for (int i = 0; i < 3; i++)
		tape_buf_init(&text[i], 65536);
	is_int(tape_prober_snapshot(
		   n.p, &target, "/health", &text[0], &probe, &err),
	    TAPE_OK, "a snapshot");
	is_int(probe.status, 503, "whatever the status");
	is_int((int64_t)probe.body.len, TAPE_PROBER_SNAPSHOT_BYTES - 1,
	    "cut between characters");
	is_str(n.url, "http://h/health", "asked there");
	probe.status = TAPE_ABSENT_I64;
	n.start_ns = n.time.now_ns;
	is_int(tape_prober_snapshot(
		   n.p, &target, "/health", &text[1], &probe, &err),
	    TAPE_OK, "of a silent server");
	is_int(probe.status, TAPE_ABSENT_I64, "says nothing");
	is_int(n.time.now_ns, 5 + TAPE_PROBER_SNAPSHOT_NS, "after 2 s");
	is_int(tape_prober_snapshot(
		   n.p, &target, "/health", &text[2], &probe, &err),
	    TAPE_OK, "of none");
	is_int(probe.status, TAPE_ABSENT_I64, "says nothing");
	for (int i = 0; i < 3; i++)
		tape_buf_release(&text[i]);
	tape_prober_free(n.p);
}

static int told_n;
static char told[300];

static void
tell(void *arg, const char *text)
{
	(void)arg;
	told_n++;
	(void)snprintf(told, sizeof(told), "%s", text);
}

static struct tape_prober_ready
ready(const char *path, const char *model, int64_t timeout_ns)
{
	struct tape_prober_ready r = { .path = path,
		.api = tape_api_find(tape_str_of("chat")),
		.model = model,
		.timeout_ns = timeout_ns,
		.waiting = tell };

	told_n = 0;
	return r;
}

#define MODELS "{\"data\":[{\"id\":\"m1\"}]}"
#define S      TAPE_NS_PER_S

static void
test_wait(void)
{
	struct answer a[] = { { 0, "", 1 }, { 503, "loading", 1 },
		{ 200, MODELS, 1 }, { 500, "not yet", 1 }, { 200, "{}", 3 } };
	struct tape_prober_ready r = ready(NULL, NULL, 300 * S);

	open_net(a, 5);
	is_int(tape_prober_wait(n.p, &target, &r, &err), TAPE_OK, "ready");
	is_int((int64_t)n.asked, 5, "the model's name is asked for once");
	is_str(n.url, "http://h/v1/chat/completions", "then a token");
	ok(strstr(n.body, "\"model\":\"m1\"") != NULL &&
		strstr(n.body, "\"max_tokens\":1") != NULL,
	    "of that model: %s", n.body);
	is_int(n.time.now_ns, 7 * TAPE_PROBER_PAUSE_LEAST_NS + 7,
	    "with pauses that grow");
	is_int(told_n, 1, "told once");
	ok(strstr(told, "waiting for http://h: ") == told, "why: %s", told);
	tape_prober_free(n.p);
}

static void
test_wait_path(void)
{
	struct answer a[] = { { 404, "", 1 }, { 204, "", 1 } };
	struct tape_prober_ready r = ready("/health", NULL, 300 * S);

	open_net(a, 2);
	is_int(tape_prober_wait(n.p, &target, &r, &err), TAPE_OK, "a path");
	is_str(n.url, "http://h/health", "is asked for");
	tape_prober_free(n.p);
}

/* Whether the dialect makes a request of a text alone: a body that is given, a
   ranking or a recording is none. */
static bool
takes_text(const struct tape_api *api)
{
	const struct tape_input input = { .text = tape_str_of("Hello") };
	const struct tape_api_ask what = {
		.input = &input, .model = tape_str_of("m1"), .output_tokens = 1
	};
	struct tape_buf b;
	bool takes;

	tape_buf_init(&b, TAPE_CAP_REQUEST);
	takes = tape_api_render(api, &what, &b, NULL) == TAPE_OK;
	tape_buf_release(&b);
	return takes;
}

/* In every dialect, without a model being given. */
static void
test_wait_dialects(void)
{
	struct answer with[] = { { 200, MODELS, 1 }, { 200, "{}", 1 } };
	struct answer without[] = { { 200, "{}", 1 } };
	const struct tape_str none = { NULL, 0 };
	const struct tape_api *api;
	int asked = 0;

	for (size_t i = 0; (api = tape_api_at(i)) != NULL; i++) {
		bool has = tape_api_has_model(api, none);
		struct tape_prober_ready r = ready(NULL, NULL, 300 * S);
		enum tape_status st;

		r.api = api;
		open_net(has ? with : without, has ? 2 : 1);
		st = tape_prober_wait(n.p, &target, &r, &err);
		asked += takes_text(api);
		if (!takes_text(api)) {
			is_int(st, TAPE_E_USAGE, "%s has no text", api->name);
			ok(strstr(err.text, "--wait-ready=PATH") != NULL,
			    "%s says what to do", api->name);
			tape_err_clear(&err);
		} else {
			is_int(st, TAPE_OK, "%s is waited for", api->name);
			ok(strstr(n.body, "Hello") != NULL,
			    "with a request: %s", n.body);
		}
		tape_prober_free(n.p);
		r.path = "/health/ready";
		open_net(without, 1);
		is_int(tape_prober_wait(n.p, &target, &r, &err), TAPE_OK,
		    "or with a path");
		tape_prober_free(n.p);
	}
	ok(asked >= 18, "most dialects can be asked for a token");
	api = tape_api_find(tape_str_of("template"));
	ok(!tape_api_has_model(tape_api_find(tape_str_of("sglang")), none) &&
		tape_api_has_model(tape_api_find(tape_str_of("chat")), none) &&
		tape_api_has_model(tape_api_find(tape_str_of("gemini")), none),
	    "not all have a model");
	ok(tape_api_has_model(api, tape_str_of("{\"m\":{{model}}}")) &&
		!tape_api_has_model(api, tape_str_of("{\"p\":{{prompt}}}")),
	    "a template has one if it says so");
}

static void
test_wait_ends(void)
{
	struct answer silent[] = { { 200, "late", INT64_MAX / 2 } };
	struct answer refused[8] = { { 0, "", 1 } };
	struct tape_prober_ready r = ready("/health", NULL, 3 * S);

	open_net(silent, 1);
	is_int(tape_prober_wait(n.p, &target, &r, &err), TAPE_E_IO, "silent");
	ok(n.time.now_ns <= 3 * S + TAPE_PROBER_PAUSE_NS, "in time");
	tape_prober_free(n.p);

	r = ready(NULL, "m", 3 * S);
	open_net(silent, 1);
	is_int(tape_prober_wait(n.p, &target, &r, &err), TAPE_E_IO, "token");
	ok(n.time.now_ns <= 3 * S + TAPE_PROBER_PAUSE_NS, "in time");
	tape_prober_free(n.p);

	r = ready("/health", NULL, 2 * S);
	for (size_t i = 1; i < 8; i++)
		refused[i] = refused[0];
	open_net(refused, 8);
	is_int(tape_prober_wait(n.p, &target, &r, &err), TAPE_E_IO, "refused");
	ok(strstr(err.text, "nobody there") != NULL, "why: %s", err.text);
	is_int((int64_t)n.asked, 8, "eight times");
	tape_prober_free(n.p);

	r = ready("/health", NULL, 300 * S);
	open_net(silent, 1);
	interrupts_n = 1;
	is_int(tape_prober_wait(n.p, &target, &r, &err), TAPE_EOF, "Ctrl-C");
	is_int(err.status, TAPE_OK, "is no failure");
	tape_prober_free(n.p);
}

/* A server that sends more than anybody wants. */
static void
test_large(void)
{
	size_t len = (size_t)5 << 20;
	char *body = malloc(len + 1);
	struct answer a = { 200, body, 1 };
	struct tape_buf out;

	memset(body, ' ', len);
	body[len] = '\0';
	tape_buf_init(&out, 1000);
	open_net(&a, 1);
	is_int(tape_prober_model(n.p, &target, &out, &err), TAPE_E_IO,
	    "5 MiB of blanks");
	tape_buf_release(&out);
	tape_prober_free(n.p);
	free(body);
}

static void
test_no_memory(void)
{
	struct answer a[] = { { 200, MODELS, 1 }, { 200, "{}", 1 } };
	struct tape_prober_ready r = ready(NULL, NULL, 300 * S);
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t nth = 0;

	while (st == TAPE_E_NOMEM && nth < 200) {
		open_net(a, 2);
		tape_mem_fail_at(++nth);
		st = tape_prober_wait(n.p, &target, &r, &err);
		tape_mem_fail_at(0);
		tape_prober_free(n.p);
	}
	is_int(st, TAPE_OK, "done at last: %s", err.text);
	ok(nth > 3, "after %d failures", (int)nth - 1);
}

int
main(void)
{
	is_int(tape_target_open(
		   &target, NULL, "http://h", "/v1/chat/completions", NULL),
	    TAPE_OK, "a target");
	test_model();
	test_snapshot();
	test_wait();
	test_wait_path();
	test_wait_dialects();
	test_wait_ends();
	test_large();
	test_no_memory();
	tape_target_release(&target);
	return done_testing();
}
