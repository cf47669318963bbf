/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "codec/json_write.h"
#include "codec/stream_out.h"
#include "record/reader.h"
#include "unit/tap.h"

#include <inttypes.h>

#define SSE "[[\"Content-Type\",\"text/event-stream; charset=utf-8\"]]"
#define JSON                                                                   \
 "[[\"x\",\"content-type\"],[\"content-type\",\"application/json\"]]"
#define HTML "[[\"content-type\",\"text/html\"]]"

#define TEXT(t)                                                                \
 "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" t "\"}}]}\n\n"
#define FINISH                                                                 \
 "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":"            \
 "\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"

static struct tape_err err;
static struct tape_buf wire; /* the input under construction */
static int records;

static void
begin(void)
{
	tape_buf_clear(&wire);
	records = 0;
	(void)tape_buf_add_str(&wire,
	    "{\"kind\":\"header\",\"format\":\"llmtape.wire\",\"version\":"
	    "\"1.0\",\"epoch\":\"2026-03-01T12:00:00.000000000Z\","
	    "\"epoch_mono\":\"100.000000000\",\"run_id\":\"r\","
	    "\"prov\":[]}\n");
}

/* A read of the body under construction. */
struct read {
	int64_t t_ns, lag_ns, bytes;
};

struct part {
	const char *kind; /* part or exchange */
	int64_t x;
	const char *rest; /* more members, each with a comma before it */
	const char *headers;
	const char *body;
	struct read reads[24];
	int n; /* reads; 0: one of the whole body, at 1000, lag unknown */
};

static void
add(const struct part *p)
{
	struct tape_json_writer w;
	struct read all = { 1000, -1, 0 };
	const struct read *r = p->n > 0 ? p->reads : &all;
	int n = p->n > 0 ? p->n : 1;
	bool lag = false;

	all.bytes = (int64_t)strlen(p->body);
	for (int i = 0; i < n; i++)
		lag |= r[i].lag_ns >= 0;
	(void)tape_buf_add_fmt(&wire,
	    "{\"kind\":\"%s\",\"x\":%" PRId64
	    ",\"run\":1,\"id\":\"q\",\"attempt\":1,\"api\":\"chat\","
	    "\"start_ns\":5000,\"status\":200,\"headers\":%s%s,"
	    "\"reads\":{\"t_ns\":[",
	    p->kind, p->x, p->headers, p->rest == NULL ? "" : p->rest);
	for (int i = 0; i < n; i++)
		(void)tape_buf_add_fmt(
		    &wire, "%s%" PRId64, i > 0 ? "," : "", r[i].t_ns);
	(void)tape_buf_add_str(&wire, "]");
	for (int i = 0; i < n && lag; i++)
		(void)tape_buf_add_fmt(&wire, "%s%" PRId64,
		    i > 0 ? "," : ",\"lag_ns\":[", r[i].lag_ns);
	(void)tape_buf_add_str(&wire, lag ? "],\"bytes\":[" : ",\"bytes\":[");
	for (int i = 0; i < n; i++)
		(void)tape_buf_add_fmt(
		    &wire, "%s%" PRId64, i > 0 ? "," : "", r[i].bytes);
	(void)tape_buf_add_str(&wire, "]},\"body\":");
	tape_json_write_init(&w, &wire);
	tape_json_write_str(&w, NULL, p->body, strlen(p->body));
	is_int(tape_json_write_finish(&w, &err), TAPE_OK, "a record is made");
	(void)tape_buf_add_str(&wire, "}\n");
	records++;
}

static void
add_exchange(const char *headers, const char *body)
{
	struct part p = {
		.kind = "exchange", .x = 1, .headers = headers, .body = body
	};

	add(&p);
}

static void
end(void)
{
	(void)tape_buf_add_fmt(&wire,
	    "{\"kind\":\"end\",\"records\":%d,\"status\":\"complete\"}\n",
	    records);
}

static enum tape_status
pump(struct tape_stamp *s, struct tape_reader *r, struct tape_writer *w,
    struct tape_record *rec)
{
	enum tape_status st;

	while ((st = tape_reader_next(r, rec, &err)) == TAPE_OK) {
		if (rec->kind == TAPE_KIND_HEADER) {
			st = tape_writer_header(w, &rec->u.header, &err);
			if (st == TAPE_OK)
				st = tape_stamp_begin(s, &rec->u.header, &err);
		} else if (rec->kind == TAPE_KIND_END) {
			st = tape_stamp_end(s, &err);
			if (st == TAPE_OK)
				st = tape_writer_end(
				    w, TAPE_ENDING_COMPLETE, &err);
		} else {
			st = tape_stamp_record(s, rec, &err);
		}
		if (st != TAPE_OK)
			return st;
	}
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* Runs the engine over the input; out gets the events stream as text. */
static enum tape_status
stamp(const struct tape_stamp_opts *opts, struct tape_buf *out,
    struct tape_stamp_counts *counts)
{
	const struct tape_reader_opts in = { .formats = TAPE_FORMAT_WIRE };
	struct tape_stamp *s = NULL;
	struct tape_reader *r = NULL;
	struct tape_writer *w = NULL;
	struct tape_out *o;
	struct tape_record rec;
	enum tape_status st;

	tape_err_clear(&err);
	tape_buf_clear(out);
	tape_record_init(&rec);
	st = tape_reader_open_mem(&r, wire.data, wire.len, &in, &err);
	if (st == TAPE_OK)
		st = tape_out_open_buf(&o, out, NULL, &err);
	if (st == TAPE_OK)
		st = tape_writer_open(&w, o, TAPE_FORMAT_EVENTS, &err);
	if (st == TAPE_OK)
		st = tape_stamp_open(&s, opts, w, &err);
	if (st == TAPE_OK)
		st = pump(s, r, w, &rec);
	if (st == TAPE_OK && counts != NULL)
		*counts = tape_stamp_counts(s);
	tape_stamp_free(s);
	tape_record_release(&rec);
	tape_reader_free(r);
	if (st == TAPE_OK)
		return tape_writer_close(w, &err);
	tape_writer_abort(w);
	return st;
}

/*
 * Runs the engine: the nth record (from 1) has this between the transfer and
 * the closing brace.
 */
static void
gives(const struct tape_stamp_opts *opts, int nth, const char *want,
    const char *name)
{
	struct tape_buf out;
	char *line, *stop, *at;

	tape_buf_init(&out, TAPE_CAP_LINE);
	if (!is_int(stamp(opts, &out, NULL), TAPE_OK, "%s", name))
		printf("# %s\n", err.text);
	line = out.data;
	for (int i = 0; i < nth && line != NULL; i++) {
		line = strchr(line, '\n');
		line = line == NULL ? NULL : line + 1;
	}
	stop = line == NULL ? NULL : strchr(line, '\n');
	if (stop != NULL)
		*stop = '\0';
	at = line == NULL ? NULL : strstr(line, ",\"error\":");
	if (at == NULL && line != NULL)
		at = strstr(line, ",\"reads\":");
	is_str(at, want, "gives the right record");
	tape_buf_release(&out);
}

static const struct tape_stamp_opts plain;

/* Which read completes an event, and which events share one. */
static void
test_times(void)
{
	struct part p = { .kind = "exchange", .x = 1, .headers = SSE };
	const int64_t one = (int64_t)strlen(TEXT("a"));

	p.body = TEXT("a") TEXT("b") TEXT("c") ": hi\n\n" FINISH DONE;
	p.n = 5;
	p.reads[0] = (struct read){ 100, 7, one - 1 };
	p.reads[1] = (struct read){ 200, -1, 1 };
	p.reads[2] = (struct read){ 300, 30, 2 * one };
	p.reads[3] = (struct read){ 400, 0, 5 };
	p.reads[4] =
	    (struct read){ 500, 50, (int64_t)strlen(p.body) - 3 * one - 5 };
	begin();
	add(&p);
	end();
	gives(&plain, 1,
	    ",\"reads\":5,\"body_bytes\":258,\"events\":{\"t_ns\":[200,270,"
	    "270,400,450,450],\"class\":\"ccckfd\",\"clk\":\"umkkmk\","
	    "\"lag_ns\":[-1,30,30,0,50,50],\"text_bytes\":[1,1,1,0,0,0]},"
	    "\"finish_at\":4,\"tokens\":{\"output\":3,\"source\":\"events\"},"
	    "\"finish\":[\"stop\"],\"sse\":{\"events\":5,\"data_lines\":5,"
	    "\"comments\":1,\"id_lines\":0,\"unknown_fields\":0,"
	    "\"tail_bytes\":0,\"malformed\":0},\"text_sha256\":"
	    "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	    "\"}",
	    "kernel, merged and user times");
}

static void
put_clock(int64_t t_ns, bool step)
{
	(void)tape_buf_add_fmt(&wire,
	    "{\"kind\":\"clock\",\"t_ns\":%" PRId64 ",\"offset_ns\":0%s}\n",
	    t_ns, step ? ",\"step\":true" : "");
	records++;
}

/* The wall clock steps between 5200 and 5400 of the segment: 200 to 400 of
   exchanges that begin at 5000.  What is open then, and what comes later, has
   no kernel time there. */
static void
test_step(void)
{
	struct part p = {
		.kind = "part", .x = 1, .headers = SSE, .rest = ",\"seq\":0"
	};
	const int64_t one = (int64_t)strlen(TEXT("a"));

	begin();
	put_clock(5200, false);
	p.body = TEXT("a") TEXT("b") TEXT("c");
	p.n = 2;
	p.reads[0] = (struct read){ 200, 7, one };
	p.reads[1] = (struct read){ 201, 30, 2 * one };
	add(&p);
	put_clock(5400, true);
	p.kind = "exchange";
	p.rest = ",\"parts\":1";
	p.body = TEXT("d") TEXT("e") FINISH DONE;
	p.n = 3;
	p.reads[0] = (struct read){ 400, 9, one };
	p.reads[1] = (struct read){ 401, 9, one };
	p.reads[2] =
	    (struct read){ 900, 50, (int64_t)strlen(p.body) - 2 * one };
	add(&p);
	end();
	gives(&plain, 3,
	    ",\"reads\":5,\"body_bytes\":366,\"events\":{\"t_ns\":[193,201,"
	    "201,400,392,850,850],\"class\":\"cccccfd\",\"clk\":\"kmuukmk\","
	    "\"lag_ns\":[7,-1,-1,-1,9,50,50],\"text_bytes\":[1,1,1,1,1,0,0]},"
	    "\"finish_at\":5,\"tokens\":{\"output\":5,\"source\":\"events\"},"
	    "\"finish\":[\"stop\"],\"sse\":{\"events\":7,\"data_lines\":7,"
	    "\"comments\":0,\"id_lines\":0,\"unknown_fields\":0,"
	    "\"tail_bytes\":0,\"malformed\":0},\"text_sha256\":"
	    "\"36bbe50ed96841d10443bcb670d6554f0a34b761be67ec9c4a8ad2c0c44ca42c"
	    "\"}",
	    "user times where the clock stepped");
}

/* The same exchange in parts, cut anywhere, gives the same response. */
static void
test_parts(void)
{
	static const char body[] = TEXT("a\xc3\xbc") TEXT("b") FINISH DONE;
	struct tape_buf whole, cut;
	struct part p;
	char piece[sizeof(body)];
	const size_t n = sizeof(body) - 1;

	tape_buf_init(&whole, TAPE_CAP_LINE);
	tape_buf_init(&cut, TAPE_CAP_LINE);
	for (size_t i = 0; i < n; i++) {
		if ((body[i] & 0xc0) == 0x80)
			continue;
		begin();
		p = (struct part){ .kind = "part",
			.x = 9,
			.headers = SSE,
			.rest = ",\"seq\":0",
			.body = piece,
			.n = 1 };
		(void)snprintf(piece, sizeof(piece), "%.*s", (int)i, body);
		p.reads[0] = (struct read){ 10, -1, (int64_t)i };
		add(&p);
		p.kind = "exchange";
		p.rest = ",\"parts\":1";
		(void)snprintf(piece, sizeof(piece), "%s", body + i);
		p.reads[0] = (struct read){ 10, -1, (int64_t)(n - i) };
		add(&p);
		end();
		if (stamp(&plain, i == 0 ? &whole : &cut, NULL) != TAPE_OK)
			ok(false, "cut at %zu: %s", i, err.text);
		if (i > 0 && strcmp(whole.data, cut.data) != 0)
			is_str(cut.data, whole.data, "cut at %zu", i);
	}
	ok(strstr(whole.data, "\"clk\":\"mmmu\"") != NULL,
	    "parts of one read are still one read");
	ok(strstr(whole.data, "\"reads\":2,") != NULL, "reads are counted");
	tape_buf_release(&whole);
	tape_buf_release(&cut);
}

static void
fails(const char *headers, const char *body, const char *error)
{
	char want[256];
	struct tape_buf out;

	begin();
	add_exchange(headers, body);
	end();
	tape_buf_init(&out, TAPE_CAP_LINE);
	is_int(stamp(&plain, &out, NULL), TAPE_OK, "body: %.50s", body);
	(void)snprintf(want, sizeof(want), ",\"error\":{%s},", error);
	if (error[0] == '\0')
		ok(strstr(out.data, ",\"error\":") == NULL, "has not failed");
	else if (!ok(strstr(out.data, want) != NULL, "fails: %s", error))
		printf("# %s\n", out.data);
	tape_buf_release(&out);
}

/* C08, C13, C14, C20, and what else can go wrong inside a 200. */
static void
test_errors(void)
{
	fails(SSE, TEXT("a") FINISH DONE, "");
	fails(SSE, TEXT("a") FINISH, "");
	fails(SSE, TEXT("a") DONE, "");
	fails(SSE, TEXT("a"),
	    "\"class\":\"unfinished\",\"cause\":\"cut\",\"message\":\"the "
	    "answer has neither a "
	    "finish reason nor an end mark\"");
	fails(SSE, "",
	    "\"class\":\"unfinished\",\"cause\":\"cut\",\"message\":\"the "
	    "answer has neither a "
	    "finish reason nor an end mark\"");
	fails(SSE, TEXT("") FINISH DONE,
	    "\"class\":\"unfinished\",\"cause\":\"empty\",\"message\":"
	    "\"ended without a token\"");
	fails(SSE,
	    "data: {\"error\":{\"message\":\"boom\",\"type\":"
	    "\"InternalServerError\",\"code\":500}}\n\n" DONE,
	    "\"class\":\"stream\",\"cause\":\"at-start\",\"message\":\"boom\"");
	fails(SSE,
	    TEXT("Hi") "data: {\"error\":{\"message\":\"boom\",\"code\":500}}"
		       "\n\n" DONE,
	    "\"class\":\"stream\",\"cause\":\"mid-answer\",\"message\":"
	    "\"boom\"");
	fails(SSE,
	    TEXT(
		"x") "error: {\"code\":400,\"message\":\"context size\"}\n\n" DONE,
	    "\"class\":\"stream\",\"cause\":\"mid-answer\",\"message\":"
	    "\"context size\"");
	fails(SSE, "data: {\"a\":1}\ndata: {\"b\":2}\n\n" TEXT("a") DONE, "");
	fails(SSE, "data: {\"a\":1}\ndata: {\"b\":2}\n\n",
	    "\"class\":\"malformed\",\"cause\":\"spliced\",\"message\":\"no event is what the API "
	    "says it should be\"");
	fails(SSE, TEXT("a") "data:\n\n" DONE, "");
	fails(HTML, "<p>",
	    "\"class\":\"content-type\",\"cause\":\"proxy-page\",\"message\":"
	    "\"a page in HTML\"");
	fails("[]", TEXT("a") DONE, "");
	fails(JSON, "{\"error\":{\"message\":\"boom\"}}",
	    "\"class\":\"stream\",\"cause\":\"in-body\",\"message\":\"boom\"");
	fails(JSON, "<p>",
	    "\"class\":\"malformed\",\"cause\":\"json\",\"message\":\"no event is what the API "
	    "says it should be\"");
}

static void
test_tokens(void)
{
	begin();
	add_exchange(SSE,
	    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}],"
	    "\"usage\":{\"completion_tokens\":1}}\n\n"
	    "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"y\"},"
	    "\"finish_reason\":\"stop\"}],\"llmtape\":{\"t\":"
	    "\"100.000006000\",\"late_ns\":3},\"usage\":{\"prompt_tokens\":4,"
	    "\"completion_tokens\":10}}\n\n" DONE);
	end();
	gives(&plain, 1,
	    ",\"reads\":1,\"body_bytes\":278,\"events\":{\"t_ns\":[1000,1000,"
	    "1000],\"class\":\"ccd\",\"clk\":\"mmu\",\"text_bytes\":[1,1,0],"
	    "\"choice\":[0,1,0],\"out_tokens\":[1,10,-1],\"server_ns\":[-1,"
	    "1000,-1],\"server_late_ns\":[-1,3,-1]},\"usage_at\":1,\"usage\":"
	    "{\"completion_tokens\":10,\"prompt_tokens\":4},\"tokens\":"
	    "{\"input\":4,\"output\":10,\"source\":\"usage\"},\"finish\":[\"\","
	    "\"stop\"],\"sse\":{\"events\":3,\"data_lines\":3,\"comments\":0,"
	    "\"id_lines\":0,\"unknown_fields\":0,\"tail_bytes\":0,"
	    "\"malformed\":0},\"text_sha256\":"
	    "\"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	    "\"}",
	    "columns that are not the usual ones are there");
	begin();
	add_exchange(SSE, TEXT("a") "data: {\"error\":\"e\"}\n\n");
	end();
	gives(&plain, 1,
	    ",\"error\":{\"class\":\"stream\",\"cause\":\"mid-answer\","
	    "\"message\":\"e\"},\"reads\":1,"
	    "\"body_bytes\":78,\"events\":{\"t_ns\":[1000,1000],\"class\":"
	    "\"ce\",\"clk\":\"mu\",\"text_bytes\":[1,0]},"
	    "\"finish\":[\"\"],\"sse\":{\"events\":2,\"data_lines\":2,"
	    "\"comments\":0,\"id_lines\":0,\"unknown_fields\":0,"
	    "\"tail_bytes\":0,\"malformed\":0},\"text_sha256\":"
	    "\"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	    "\"}",
	    "a failed response is credited no tokens (C14)");
}

/* Of an answer that is not content alone. */
static void
test_kinds(void)
{
	begin();
	add_exchange(SSE,
	    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":"
	    "\"abc\",\"content\":\"d\"}},{\"index\":1,\"delta\":{"
	    "\"tool_calls\":[{\"id\":\"i\",\"function\":{\"name\":\"fn\""
	    "}}]},\"finish_reason\":\"tool_calls\"}]}\n\n" DONE);
	end();
	gives(&plain, 1,
	    ",\"reads\":1,\"body_bytes\":191,\"events\":{\"t_ns\":[1000,1000],"
	    "\"class\":\"cd\",\"clk\":\"mu\",\"text_bytes\":[1,0]},"
	    "\"tokens\":{\"output\":2,\"source\":\"events\"},\"kinds\":{"
	    "\"content_events\":1,\"content_bytes\":1,\"reasoning_events\":1,"
	    "\"reasoning_bytes\":3,\"tool_events\":1,\"tool_bytes\":2,"
	    "\"tool_calls\":1},\"finish\":[\"\",\"tool_calls\"],\"sse\":{"
	    "\"events\":2,\"data_lines\":2,\"comments\":0,\"id_lines\":0,"
	    "\"unknown_fields\":0,\"tail_bytes\":0,\"malformed\":0},"
	    "\"text_sha256\":"
	    "\"18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4"
	    "\"}",
	    "kinds are kept apart, and each choice's tokens count");
}

static void
test_body(void)
{
	static const struct tape_stamp_opts text = { .text = true };
	struct part p = { .kind = "exchange",
		.x = 1,
		.headers = JSON,
		.rest = ",\"stream\":false",
		.body =
		    "{\"choices\":[{\"index\":0,\"message\":{\"content\":"
		    "\"Hi\\u0000\"},\"finish_reason\":\"stop\"}],\"timings\":"
		    "{\"a\":1}}",
		.n = 2 };

	p.reads[0] = (struct read){ 10, -1, 20 };
	p.reads[1] = (struct read){ 30, 5, (int64_t)strlen(p.body) - 20 };
	begin();
	add(&p);
	end();
	gives(&text, 1,
	    ",\"reads\":2,\"body_bytes\":99,\"events\":{\"t_ns\":[25],"
	    "\"class\":\"c\",\"clk\":\"k\",\"lag_ns\":[5],\"text_bytes\":[3]},"
	    "\"finish_at\":0,\"tokens\":{\"output\":1,\"source\":\"events\"},"
	    "\"finish\":[\"stop\"],\"server_timing\":{\"timings\":{\"a\":1}},"
	    "\"sse\":{\"malformed\":0},\"text_sha256\":"
	    "\"56ebfdeba985b005cba44fc2853f1080b4be09fefe37c1f3041dd87c9f1f3b8a"
	    "\",\"text\":\"Hi\xef\xbf\xbd\"}",
	    "a body that was not streamed is one event, of the last read");
}

static void
test_lost(void)
{
	struct part p = { .kind = "part",
		.x = 7,
		.headers = SSE,
		.rest = ",\"model\":\"m\",\"seq\":0",
		.body = TEXT("a") };
	struct tape_stamp_counts counts = { 0 };
	struct tape_buf out;

	begin();
	add(&p);
	p.x = 8;
	add(&p);
	p.rest = ",\"seq\":1";
	add(&p);
	p.x = 7;
	p.kind = "exchange";
	p.rest = ",\"parts\":1";
	p.body = DONE;
	add(&p);
	end();
	gives(&plain, 2,
	    ",\"error\":{\"class\":\"lost\",\"message\":\"the stream ends "
	    "before the exchange does\"},\"reads\":2,\"body_bytes\":114,"
	    "\"events\":{\"t_ns\":[1000,1000],\"class\":\"cc\",\"clk\":\"mu\","
	    "\"text_bytes\":[1,1]},\"finish\":[\"\"],\"sse\":"
	    "{\"events\":2,\"data_lines\":2,\"comments\":0,\"id_lines\":0,"
	    "\"unknown_fields\":0,\"tail_bytes\":0,\"malformed\":0},"
	    "\"text_sha256\":"
	    "\"961b6dd3ede3cb8ecbaacbd68de040cd78eb2ed5889130cceb4c49268ea4d506"
	    "\"}",
	    "parts without an exchange are lost");
	tape_buf_init(&out, TAPE_CAP_LINE);
	is_int(stamp(&plain, &out, &counts), TAPE_OK, "counts");
	ok(strstr(out.data, "\"x\":8,") > strstr(out.data, "\"x\":7,"),
	    "the exchange first, then what was lost");
	ok(strstr(out.data, "\"model\":\"m\"") != NULL,
	    "with what its first part knew");
	is_int(counts.responses, 2, "responses");
	is_int(counts.failed, 1, "failed");
	is_int(counts.lost, 1, "lost");
	is_int(counts.events, 4, "events");
	is_int(counts.token_events, 3, "token events");
	tape_buf_release(&out);
}

static void
refuses(const char *why)
{
	struct tape_buf out;

	end();
	tape_buf_init(&out, TAPE_CAP_LINE);
	is_int(stamp(&plain, &out, NULL), TAPE_E_FORMAT, "refused");
	is_str(err.text, why, "and says why");
	tape_buf_release(&out);
}

static void
test_refusals(void)
{
	struct part p = { .kind = "exchange",
		.x = 1,
		.headers = SSE,
		.body = "ab",
		.n = 1,
		.reads = { { 1, -1, 3 } } };

	begin();
	add(&p);
	refuses("the reads have 3 bytes, but the body has 2");
	begin();
	p.reads[0].bytes = -2;
	add(&p);
	refuses("\"reads.bytes\" is out of range");
	begin();
	p.n = 0;
	p.rest = ",\"parts\":1";
	add(&p);
	refuses("exchange 1 should have 1 parts, but 0 were read");
	begin();
	p.kind = "part";
	p.rest = ",\"seq\":1";
	add(&p);
	refuses("part 1 of exchange 1 where part 0 should be");
	begin();
	p.rest = ",\"seq\":0";
	add(&p);
	add(&p);
	refuses("part 0 of exchange 1 where part 1 should be");
	begin();
	p.kind = "exchange";
	p.rest = ",\"body_b64\":\"AAAA\"";
	add(&p);
	refuses("both \"body\" and \"body_b64\"");
}

static void
test_pass(void)
{
	static const char line[] =
	    "{\"kind\":\"clock\",\"t_ns\":1,\"offset_ns\":-5,\"new\":{}}\n";
	struct tape_buf out;

	begin();
	(void)tape_buf_add_str(&wire, line);
	records++;
	add_exchange(SSE, TEXT("a") DONE);
	end();
	tape_buf_init(&out, TAPE_CAP_LINE);
	is_int(stamp(&plain, &out, NULL), TAPE_OK, "other records");
	ok(strstr(out.data, line) != NULL, "are passed on as they are");
	tape_buf_release(&out);
}

static void
test_api(void)
{
	struct tape_stamp_opts opts = { .api = tape_api_find(
					    tape_str_of("completions")) };
	struct tape_buf out;

	begin();
	add_exchange(
	    SSE, "data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\n" DONE);
	end();
	tape_buf_init(&out, TAPE_CAP_LINE);
	is_int(stamp(&opts, &out, NULL), TAPE_OK, "another dialect");
	ok(strstr(out.data, "\"class\":\"cd\"") != NULL, "can be asked for");
	tape_buf_release(&out);
}

/* Each allocation fails once. */
static void
test_memory(void)
{
	struct part p = { .kind = "part",
		.x = 7,
		.headers = SSE,
		.rest = ",\"seq\":0",
		.body = TEXT("a\\n") ": x\n\n" };
	struct tape_buf out;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	begin();
	add(&p);
	p.x = 8;
	add(&p);
	p.kind = "exchange";
	p.rest = ",\"parts\":1";
	p.body = "data: {\"usage\":{\"a\":1}}\n\n" DONE;
	add(&p);
	end();
	tape_buf_init(&out, TAPE_CAP_LINE);
	while (st == TAPE_E_NOMEM && n < 1000) {
		(void)tape_mem_fail_at(++n);
		st = stamp(&plain, &out, NULL);
		(void)tape_mem_fail_at(0);
	}
	if (!is_int(st, TAPE_OK, "it works when memory is there"))
		printf("# %s\n", err.text);
	ok(n > 30, "and failed before in each of its %d allocations",
	    (int)n - 1);
	tape_buf_release(&out);
}

/* The frozen stream. */
static void
test_frozen(void)
{
	char *p = NULL;
	size_t len = 0;
	struct tape_buf out;

	is_int(tape_fdio_slurp("tests/fixtures/v1/wire.jsonl", TAPE_CAP_LINE,
		   &p, &len, &err),
	    TAPE_OK, "a frozen wire stream");
	tape_buf_clear(&wire);
	(void)tape_buf_add(&wire, p, len);
	tape_buf_init(&out, TAPE_CAP_LINE);
	is_int(stamp(&plain, &out, NULL), TAPE_OK, "is read: %s", err.text);
	ok(strstr(out.data, "\"class\":\"cccd\"") != NULL, "all of it");
	tape_mem_free(p);
	tape_buf_release(&out);
}

int
main(void)
{
	tape_buf_init(&wire, TAPE_CAP_LINE);
	test_times();
	test_step();
	test_parts();
	test_errors();
	test_tokens();
	test_kinds();
	test_body();
	test_lost();
	test_refusals();
	test_pass();
	test_api();
	test_memory();
	test_frozen();
	tape_buf_release(&wire);
	return done_testing();
}
