/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers that are no SSE: which framing they have, and their events' times. */
#include "engine/stamp_flow.h"
#include "record/coding.h"
#include "unit/tap.h"

#define CHOICE(text) "{\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}"
#define FINISH       "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"
#define ERROR        "{\"error\":{\"message\":\"no\"}}"

#define NDJSON "application/x-ndjson; charset=utf-8"
#define BINARY "application/vnd.amazon.eventstream"
#define JSON   "application/json; charset=UTF-8"

static struct tape_err err;

struct answer {
	const char *name;
	enum tape_framing_kind own; /* the dialect's */
	const char *type;           /* NULL: none */
	int stream;
	int status;
	const char *body;
	const char *class;
	const char *t_ns;  /* with a read a byte: its last byte's place */
	const char *error; /* class and cause */
};

/* The dialect of chat, streamed in another way. */
static struct tape_api api;

static const struct answer answers[] = {
	{ "lines", TAPE_FRAMING_SSE, NDJSON, 1, 200,
	    CHOICE("a") "\n" CHOICE("b") "\n" FINISH "\n", "ccf", "40 80 130",
	    "" },
	{ "a last line without its end", TAPE_FRAMING_NDJSON, NDJSON, 1, 200,
	    CHOICE("a") "\n" FINISH, "cf", "40 89", "" },
	{ "lines under the name of JSON", TAPE_FRAMING_NDJSON, JSON, 1, 200,
	    CHOICE("a") "\n" FINISH "\n", "cf", "40 90", "" },
	{ "lines under no name", TAPE_FRAMING_NDJSON, NULL, 1, 200,
	    CHOICE("a") "\n" FINISH "\n", "cf", "40 90", "" },
	{ "an error in a line", TAPE_FRAMING_NDJSON, NDJSON, 1, 200,
	    CHOICE("a") "\n" ERROR "\n", "ce", "40 67", "stream mid-answer" },
	{ "an error as a body", TAPE_FRAMING_NDJSON, JSON, 1, 404,
	    "{\"error\":\n{\"message\":\"no\"}}\n", "e", "28",
	    "http not-found" },
	{ "what was not streamed is a body", TAPE_FRAMING_NDJSON, JSON, 0, 200,
	    "{\"choices\":[\n{\"message\":{\"content\":\"a\"},"
	    "\"finish_reason\":\"stop\"}]}\n",
	    "c", "66", "" },
	{ "an array", TAPE_FRAMING_ARRAY, JSON, 1, 200,
	    "[" CHOICE("a") "\n,\r\n" CHOICE("b") "," FINISH "]", "ccf",
	    "40 83 133", "" },
	{ "an array under no name", TAPE_FRAMING_ARRAY, NULL, 1, 200,
	    "[" CHOICE("a") "," FINISH "]", "cf", "40 90", "" },
	{ "SSE of a dialect of arrays", TAPE_FRAMING_ARRAY, "text/event-stream",
	    1, 200, "data: " CHOICE("a") "\n\n", "c", "47", "unfinished cut" },
	{ "an array that holds an error", TAPE_FRAMING_ARRAY, JSON, 1, 400,
	    "[" ERROR "]", "e", "27", "http refused-field" },
	{ "an error in the array's place", TAPE_FRAMING_ARRAY, JSON, 1, 429,
	    ERROR "\n", "e", "26", "http queue-full" },
	{ "an array that is none", TAPE_FRAMING_ARRAY, JSON, 1, 200,
	    "[" CHOICE("a") " " FINISH "]", "c", "40", "malformed framing" },
	{ "a message that is none", TAPE_FRAMING_SSE, BINARY, 1, 200,
	    "xxxxxxxxxxxx", "", "", "malformed framing" },
	{ "JSON of a dialect of SSE", TAPE_FRAMING_SSE, JSON, 1, 200,
	    "{\"choices\":[{\"message\":{\"content\":\"a\"},"
	    "\"finish_reason\":\"stop\"}]}",
	    "c", "64", "" },
};

#define READS 512

/* Feeds the body, a read a byte, in parts of so many. */
static enum tape_status
feed(struct tape_flow *f, struct tape_exchange *x, const char *body, size_t n)
{
	static int64_t t_ns[READS], bytes[READS];
	struct tape_buf scratch;
	const size_t len = strlen(body);
	enum tape_status st = TAPE_OK;
	size_t m;

	tape_buf_init(&scratch, TAPE_CAP_LINE);
	for (size_t i = 0; i < len; i++) {
		t_ns[i] = (int64_t)i + 1;
		bytes[i] = 1;
	}
	/* The exchange comes last, and may have no reads. */
	for (size_t at = 0; st == TAPE_OK; at += m) {
		m = len - at < n ? len - at : n;
		x->body = tape_str_make(body + at, m);
		x->reads.t_ns = (struct tape_i64s){ t_ns + at, m };
		x->reads.bytes = (struct tape_i64s){ bytes + at, m };
		st = tape_flow_feed(f, x, &scratch, m < n, &err);
		if (m < n)
			break;
	}
	tape_buf_release(&scratch);
	return st;
}

static void
show(const struct tape_response *r, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(
	    out, "%.*s|", (int)r->events.class.len, r->events.class.p);
	for (size_t i = 0; i < r->events.t_ns.n; i++)
		(void)tape_buf_add_fmt(out, "%s%lld", i > 0 ? " " : "",
		    (long long)r->events.t_ns.v[i]);
	(void)tape_buf_add_str(out, "|");
	if (r->t.error.class.p != NULL)
		(void)tape_buf_add_fmt(
		    out, "%.*s", (int)r->t.error.class.len, r->t.error.class.p);
	if (r->t.error.cause.p != NULL)
		(void)tape_buf_add_fmt(out, " %.*s", (int)r->t.error.cause.len,
		    r->t.error.cause.p);
}

static void
respond(const struct answer *a, size_t per_part, const char *failed,
    struct tape_buf *out, struct tape_response *r)
{
	const struct tape_flow_about about = { .api = &api };
	struct tape_exchange x;
	struct tape_flow f;
	char headers[128] = "[]";

	api = *tape_api_at(0);
	api.framing = a->own;
	if (a->type != NULL)
		(void)snprintf(headers, sizeof(headers),
		    "[[\"Content-Type\",\"%s\"]]", a->type);
	tape_schema_init(TAPE_KIND_EXCHANGE, &x);
	x.t.x = x.t.run = x.t.attempt = 1;
	x.t.id = tape_str_of("q");
	x.t.start_ns = 0;
	x.t.status = a->status;
	x.t.stream = (int8_t)a->stream;
	x.t.headers = tape_str_of(headers);
	if (failed != NULL)
		x.t.error.class = tape_str_of(failed);
	tape_flow_init(&f, false);
	tape_schema_init(TAPE_KIND_RESPONSE, r);
	r->t = x.t;
	tape_buf_clear(out);
	if (tape_flow_begin(&f, &x.t, &about, &err) == TAPE_OK &&
	    feed(&f, &x, a->body, per_part) == TAPE_OK &&
	    tape_flow_finish(&f, r, &err) == TAPE_OK)
		show(r, out);
	tape_flow_release(&f);
}

static void
test_answer(const struct answer *a)
{
	struct tape_buf out;
	struct tape_response r;
	char want[256];
	const size_t len = strlen(a->body);
	size_t bad = 0;

	tape_buf_init(&out, 4096);
	(void)snprintf(
	    want, sizeof(want), "%s|%s|%s", a->class, a->t_ns, a->error);
	respond(a, len + 1, NULL, &out, &r);
	is_str(out.data, want, "%s", a->name);
	/* Among them, that the last record has nothing: len itself. */
	for (size_t n = 1; n <= len; n++) {
		respond(a, n, NULL, &out, &r);
		bad += strcmp(out.data, want) != 0;
	}
	is_int((int)bad, 0, "in parts of any size");
	tape_buf_release(&out);
}

/* Of a transfer that failed what is left in hand is no event. */
static void
test_cut_off(void)
{
	const struct answer a = { .own = TAPE_FRAMING_NDJSON,
		.type = NDJSON,
		.stream = 1,
		.status = 200,
		.body = CHOICE("a") "\n{\"choi" };
	struct tape_buf out;
	struct tape_response r;

	tape_buf_init(&out, 4096);
	respond(&a, 500, "truncated", &out, &r);
	is_str(out.data, "c|40|truncated", "no event of half a line");
	is_int((int)r.sse.tail_bytes, 6, "but a tail");
	is_int((int)r.sse.malformed, 0, "and nothing malformed");
	respond(&a, 500, NULL, &out, &r);
	is_str(
	    out.data, "co|40 46|unfinished cut", "where the end was the end");
	is_int((int)r.sse.tail_bytes, 0, "it is one");
	is_int((int)r.sse.malformed, 1, "that is malformed");
	is_int((int)r.sse.events, 2, "events are counted");
	is_int((int)r.sse.data_lines, 2, "a line each");
	tape_buf_release(&out);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		test_answer(&answers[i]);
	test_cut_off();
	return done_testing();
}
