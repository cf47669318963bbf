/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Class and cause of a response, from its head and its body. */
#include "engine/stamp_judge.h"

#include "record/schema.h"
#include "unit/tap.h"

#define SSE  "[[\"content-type\",\"text/event-stream\"]]"
#define JSON "[[\"content-type\",\"application/json\"]]"
#define HTML "[[\"content-type\",\"text/html; charset=utf-8\"]]"

#define TEXT "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
#define FINISH(why)                                                            \
 "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"" why "\"}]}\n\n"
#define DONE "data: [DONE]\n\n"

/* What an exchange of class http says of itself. */
#define WIRE_HTTP "http"

static struct tape_flow flow;
static struct tape_response out;

static void
judge(int status, const char *headers, const char *body, const char *told,
    const char *message)
{
	static const struct tape_flow_about about;
	static int64_t t_ns = 5, bytes;
	struct tape_exchange x;
	struct tape_buf scratch;
	struct tape_err err = { 0 };

	tape_schema_init(TAPE_KIND_EXCHANGE, &x);
	x.t.x = x.t.run = 1;
	x.t.id = tape_str_of("q");
	x.t.start_ns = 0;
	x.t.status = status;
	x.t.headers = tape_str_of(headers);
	x.t.error.class = tape_str_of(told);
	x.t.error.message = tape_str_of(message);
	x.body = tape_str_of(body);
	bytes = (int64_t)strlen(body);
	x.reads.t_ns = (struct tape_i64s){ &t_ns, 1 };
	x.reads.bytes = (struct tape_i64s){ &bytes, 1 };
	tape_schema_init(TAPE_KIND_RESPONSE, &out);
	tape_buf_init(&scratch, 1 << 16);
	is_int(tape_flow_begin(&flow, &x.t, &about, &err), TAPE_OK, "begin");
	is_int(
	    tape_flow_feed(&flow, &x, &scratch, true, &err), TAPE_OK, "feed");
	out.t = x.t;
	is_int(tape_flow_finish(&flow, &out, &err), TAPE_OK, "finish");
	tape_buf_release(&scratch);
}

/* class/cause: message, "" where none is. */
static void
is_failure(const char *want)
{
	const struct tape_failure *e = &out.t.error;
	char got[512] = "";

	if (e->class.p != NULL)
		(void)snprintf(got, sizeof(got), "%.*s/%.*s: %.*s",
		    (int)e->class.len, e->class.p, (int)e->cause.len,
		    e->cause.p == NULL ? "" : e->cause.p, (int)e->message.len,
		    e->message.p == NULL ? "" : e->message.p);
	is_str(got, want, "%s", want[0] == '\0' ? "no failure" : want);
}

static void
status(int code, const char *message, const char *want)
{
	judge(code, JSON, "{}", WIRE_HTTP, message);
	is_failure(want);
}

static void
test_statuses(void)
{
	status(
	    400, "unknown field 'x'", "http/refused-field: unknown field 'x'");
	status(422, "m", "http/refused-field: m");
	status(400, "This model's maximum Context Length is 4096 tokens",
	    "http/too-long: This model's maximum Context Length is 4096 "
	    "tokens");
	status(422, "`inputs` tokens + `max_new_tokens` must be <= 4096",
	    "http/too-long: `inputs` tokens + `max_new_tokens` must be <= "
	    "4096");
	status(400, "the prompt is longer than the maximum model length",
	    "http/too-long: the prompt is longer than the maximum model "
	    "length");
	status(413, "m", "http/too-long: m");
	status(401, "m", "http/denied: m");
	status(403, "m", "http/denied: m");
	status(404, "m", "http/not-found: m");
	status(429, "m", "http/queue-full: m");
	status(503, "m", "http/engine-failed: m");
	status(502, "m", "http/gateway: m");
	status(504, "m", "http/gateway: m");
	status(500, "m", "http/server-error: m");
	status(307, "m", "http/redirect: m");
	status(418, "m", "http/status: m");
	judge(500, JSON, "{\"error\":{\"message\":\"boom\"}}", NULL, NULL);
	is_failure("http/server-error: boom");
	judge(200, SSE, TEXT, "reset", "m");
	is_failure("reset/: m");
}

static void
test_retry_after(void)
{
	judge(429,
	    "[[\"content-type\",\"application/json\"],[\"Retry-After\","
	    "\"7\"]]",
	    "{}", WIRE_HTTP, "busy");
	is_failure("http/queue-full: busy; Retry-After: 7");
	judge(503, "[[\"retry-after\",\"120\"]]", "{}", WIRE_HTTP, NULL);
	is_failure("http/engine-failed: Retry-After: 120");
	judge(400, "[[\"retry-after\",\"120\"]]", "{}", WIRE_HTTP, "m");
	is_failure("http/refused-field: m");
}

static void
test_pages(void)
{
	judge(502, HTML,
	    "<html><head><TITLE>502 Bad Gateway</TITLE></head></html>",
	    WIRE_HTTP, "The server answered 502");
	is_failure("http/proxy-page: a page in HTML: 502 Bad Gateway");
	judge(200, HTML, "<title>Sign in</title>", NULL, NULL);
	is_failure("content-type/proxy-page: a page in HTML: Sign in");
	judge(200, HTML, "<p>", NULL, NULL);
	is_failure("content-type/proxy-page: a page in HTML");
	judge(200, "[[\"content-type\",\"text/plain\"]]", "hi", NULL, NULL);
	is_failure("content-type/foreign: text/plain");
	judge(504, HTML, "<title>504 without an end", WIRE_HTTP, "m");
	is_failure("http/proxy-page: a page in HTML: 504 without an end");
}

/* A body that no message was found in is one itself. */
static void
test_bodies(void)
{
	static const char text[] = "[[\"content-type\",\"text/plain\"]]";
	static const char own[] = "The server answered 503";

	judge(503, text, "upstream connect error\r\n  or reset \n", WIRE_HTTP,
	    own);
	is_failure("http/engine-failed: upstream connect error or reset");
	judge(503, "[[\"retry-after\",\"3\"]]", "no engine", WIRE_HTTP, own);
	is_failure("http/engine-failed: no engine; Retry-After: 3");
	judge(422, JSON, "{\"detail\":[{\"msg\":\"Field required\"}]}",
	    WIRE_HTTP, "The server answered 422");
	is_failure("http/refused-field: {\"detail\":[{\"msg\":\"Field "
		   "required\"}]}");
	judge(503, text, "a long story", WIRE_HTTP, "in short");
	is_failure("http/engine-failed: in short");
	judge(503, text, "\x01\x02\x03\x04", WIRE_HTTP, own);
	is_failure("http/engine-failed: The server answered 503");
	judge(502, "[]", "<html><title>No</title></html>", WIRE_HTTP, own);
	is_failure("http/proxy-page: a page in HTML: No");
	judge(200, "[]", "<!DOCTYPE html><title>Log in</title>", NULL, NULL);
	is_failure("content-type/proxy-page: a page in HTML: Log in");
	judge(200, text, "hello there", NULL, NULL);
	is_failure("content-type/foreign: text/plain: hello there");
	judge(200, JSON, "{\"detail\":\"Not Found\"}", NULL, NULL);
	is_failure("malformed/json: no answer of the API: {\"detail\":\"Not "
		   "Found\"}");
}

/* An answer of another dialect is none that was cut off. */
static void
test_strangers(void)
{
	judge(200, SSE,
	    "event: message_start\ndata: {\"type\":\"message_start\"}\n\n",
	    NULL, NULL);
	is_failure("malformed/json: the answer looks like one of --api "
		   "messages, not chat");
	judge(200, SSE,
	    "data: {\"object\":\"text_completion\",\"choices\":[{\"text\":"
	    "\"a\",\"finish_reason\":\"stop\"}]}\n\n" DONE,
	    NULL, NULL);
	is_failure("malformed/json: the answer looks like one of --api "
		   "completions, not chat");
	judge(200, SSE,
	    "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{"
	    "\"delta\":{\"role\":\"assistant\"}}]}\n\n",
	    NULL, NULL);
	is_failure("unfinished/cut: the answer has neither a finish reason nor "
		   "an end mark");
}

/* Every shape in which servers report an error inside a 200. */
static void
test_inside(void)
{
	judge(200, SSE, "data: {\"error\":{\"message\":\"boom\"}}\n\n" DONE,
	    NULL, NULL);
	is_failure("stream/at-start: boom");
	judge(200, SSE, TEXT "event: error\ndata: {\"detail\":\"d\"}\n\n", NULL,
	    NULL);
	is_failure("stream/mid-answer: {\"detail\":\"d\"}");
	judge(200, SSE, TEXT "error: {\"message\":\"boom\"}\n\n" DONE, NULL,
	    NULL);
	is_failure("stream/mid-answer: boom");
	judge(200, SSE,
	    TEXT "data: {\"choices\":[{\"delta\":{},\"finish_reason\":"
		 "\"stop\"}],\"error\":{\"message\":\"boom\",\"code\":502}}"
		 "\n\n",
	    NULL, NULL);
	is_failure("stream/mid-answer: boom");
	judge(200, SSE,
	    TEXT "data: {\"choices\":[{\"error\":{\"message\":\"boom\"},"
		 "\"finish_reason\":\"stop\"}]}\n\n" DONE,
	    NULL, NULL);
	is_failure("stream/mid-answer: boom");
	judge(200, SSE, TEXT "data: {\"choices\":[{\"error\":null}]}\n\n" DONE,
	    NULL, NULL);
	is_failure("");
	judge(200, SSE,
	    "data: {\"object\":\"error\",\"message\":\"boom\"}\n\n" DONE, NULL,
	    NULL);
	is_failure("stream/at-start: boom");
	judge(200, JSON, "{\"object\":\"error\",\"message\":\"boom\"}", NULL,
	    NULL);
	is_failure("stream/in-body: boom");
	judge(200, SSE, TEXT FINISH("error") DONE, NULL, NULL);
	is_failure("stream/finish-error: a choice ended with an error as its "
		   "finish reason");
	judge(200, SSE, TEXT FINISH("abort") DONE, NULL, NULL);
	is_failure("stream/finish-error: a choice ended with an error as its "
		   "finish reason");
}

static void
test_ends(void)
{
	judge(200, SSE, TEXT FINISH("stop") DONE, NULL, NULL);
	is_failure("");
	judge(200, SSE, TEXT FINISH("stop"), NULL, NULL);
	is_failure("");
	judge(200, SSE, TEXT, NULL, NULL);
	is_failure("unfinished/cut: the answer has neither a finish reason "
		   "nor an end mark");
	judge(200, SSE, FINISH("stop") DONE, NULL, NULL);
	is_failure("unfinished/empty: ended without a token");
}

static void
test_malformed(void)
{
	judge(200, SSE, "data: {\"a\"\n\n", NULL, NULL);
	is_failure("malformed/json: no event is what the API says it should "
		   "be");
	is_int(out.sse.malformed, 1, "it is counted");
	is_int(out.sse.spliced, 0, "and not spliced");
	judge(200, SSE, TEXT "data: {\"a\":1}\ndata: {\"b\":2}\n\n" DONE, NULL,
	    NULL);
	is_failure("");
	is_int(out.sse.spliced, 1, "two payloads among good events (C13)");
	judge(
	    200, SSE, "data: {\"a\":\"x\"datadata: {\"b\":2}\n\n", NULL, NULL);
	is_failure("malformed/spliced: no event is what the API says it "
		   "should be");
	judge(200, SSE, TEXT DONE, NULL, NULL);
	ok(out.sse.spliced == TAPE_ABSENT_I64, "absent when none is malformed");
}

static void
test_spliced(void)
{
	static const struct {
		const char *data;
		bool is;
	} cases[] = {
		{ "{\"a\":1}\n{\"b\":2}", true },
		{ "{\"a\":1} {\"b\"", true },
		{ "{\"a\":1", false },
		{ "{\"a\":1}]", false },
		{ "", false },
		{ "{\"a\":\"logprodata: {\"b\":1}", true },
		{ "<p>data: x", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is_int(tape_flow_is_spliced(tape_str_of(cases[i].data)),
		    cases[i].is, "spliced: %s", cases[i].data);
}

int
main(void)
{
	tape_flow_init(&flow, false);
	test_statuses();
	test_retry_after();
	test_pages();
	test_bodies();
	test_strangers();
	test_inside();
	test_ends();
	test_malformed();
	test_spliced();
	tape_flow_release(&flow);
	return done_testing();
}
