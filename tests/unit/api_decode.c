/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api.h"
#include "base/mem.h"
#include "unit/tap.h"

#define CHOICE(rest) "{\"choices\":[{\"index\":0," rest "}]}"
#define DELTA(rest)  CHOICE("\"delta\":{" rest "}")

static struct tape_err err;
static struct tape_api_decoder d;
static struct tape_api_event ev;

static void
start(const char *api, const char *name)
{
	printf("# %s\n", name);
	tape_err_clear(&err);
	tape_api_decoder_clear(&d, tape_api_find(tape_str_of(api)));
}

static void
feed_type(const char *type, const char *data)
{
	is_int(tape_api_decode(
		   &d, tape_str_of(type), tape_str_of(data), &ev, &err),
	    TAPE_OK, "decoded: %.60s", data);
}

static void
feed(const char *data)
{
	feed_type("", data);
}

/* Decodes an event and looks at its class and bytes. */
static void
gives(const char *data, char class, int64_t bytes)
{
	char got[2] = { 0 }, want[2] = { class, '\0' };

	feed(data);
	got[0] = ev.class;
	is_str(got, want, "its class");
	is_int(ev.text_bytes, bytes, "its bytes of text");
}

static bool
same(struct tape_str got, const char *want)
{
	if (want == NULL || got.p == NULL)
		return got.p == NULL && want == NULL;
	if (tape_str_is(got, want))
		return true;
	printf("#  got '%.*s'\n# want '%s'\n", (int)got.len, got.p, want);
	return false;
}

static void
text_is(const char *want)
{
	ok(same(tape_str_make(d.text.data, d.text.len), want),
	    "the text is right");
}

/* What tape_api_usage and tape_api_timing give. */
static void
keeps(void (*what)(const struct tape_api_decoder *, struct tape_buf *),
    const char *want, const char *name)
{
	struct tape_buf out;

	tape_buf_init(&out, TAPE_CAP_LINE);
	what(&d, &out);
	is_str(out.data, want, "%s", name);
	tape_buf_release(&out);
}

static void
test_classes(void)
{
	start("chat", "one class an event, in the order of precedence");
	gives(DELTA("\"role\":\"assistant\",\"content\":\"\""), 'r', 0);
	gives(DELTA("\"role\":\"assistant\",\"content\":null"), 'r', 0);
	gives(DELTA(""), 'r', 0);
	gives(DELTA("\"content\":\"Hi\""), 'c', 2);
	ok(same(ev.text, "Hi"), "and its text can be shown");
	gives(DELTA("\"reasoning_content\":\"abc\""), 'g', 3);
	gives(DELTA("\"reasoning\":\"abcd\""), 'g', 4);
	gives(DELTA("\"reasoning\":\"abcd\",\"reasoning_content\":\"abcd\""),
	    'g', 4);
	gives(DELTA("\"reasoning\":\"ab\",\"content\":\"c\""), 'c', 1);
	is_int(ev.bytes[TAPE_API_REASONING], 2, "the other kind is known too");
	gives(DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
		    "{\"name\":\"get\",\"arguments\":\"\"}}]"),
	    't', 3);
	gives(DELTA("\"tool_calls\":[{\"index\":0,\"function\":"
		    "{\"arguments\":\"{\\\"x\\\"\"}}]"),
	    't', 4);
	gives(DELTA("\"function_call\":{\"name\":\"f\"}"), 't', 1);
	gives(
	    DELTA("\"tool_calls\":[{\"function\":{\"arguments\":{\"a\":1}}}]"),
	    't', 7);
	gives(DELTA("\"tool_calls\":null"), 'r', 0);
	gives(DELTA("\"refusal\":\"No.\""), 'x', 3);
	gives(DELTA("\"audio\":{\"id\":\"1\",\"data\":\"AAAA\"}"), 'a', 4);
	gives(DELTA("\"audio\":{\"transcript\":\"hm\"}"), 'a', 2);
	ok(same(ev.text, "hm"), "and its text can be shown");
	gives(DELTA("\"content\":[{\"type\":\"thinking\",\"thinking\":"
		    "[{\"type\":\"text\",\"text\":\"hm\"}]}]"),
	    'g', 2);
	gives(DELTA("\"content\":[{\"type\":\"thinking\",\"thinking\":"
		    "\"hmm\"},{\"type\":\"text\",\"text\":\"so\"}]"),
	    'c', 2);
	gives("{\"choices\":[],\"usage\":{\"prompt_tokens\":1}}", 'u', 0);
	gives(CHOICE("\"delta\":{},\"finish_reason\":\"stop\""), 'f', 0);
	ok(same(ev.finish, "stop"), "and says how it finished");
	gives("[DONE]", 'd', 0);
	gives(" [DONE] ", 'o', 0);
	gives("{\"id\":\"x\"}", 'o', 0);
	gives("", 'o', 0);
	ok(!ev.malformed, "an empty event is none that is malformed (C09)");
	is_int(d.malformed, 1, "a mark after a space is");
	is_int(d.tool_calls, 1, "one tool call had an id");
	is_int(d.token_events, 14, "all that bear tokens were counted");
}

/* C14: an error inside a successful answer. */
static void
test_error(void)
{
	start("chat", "C14 a: an error comes first");
	gives("{\"error\":{\"message\":\"boom\",\"type\":"
	      "\"InternalServerError\",\"code\":500}}",
	    'e', 0);
	ok(same(ev.error, "boom"), "with its message");
	gives("[DONE]", 'd', 0);
	ok(d.failed, "the response failed");
	is_str(d.error.data, "boom", "and the message is kept");
	is_int(d.token_events, 0, "no token");
	is_int(d.tokens.output, TAPE_ABSENT_I64, "nor a count");

	start("chat", "C14 b: an error after text");
	gives(CHOICE("\"delta\":{\"content\":\"Hi\"},\"finish_reason\":null"),
	    'c', 2);
	gives("{\"error\":{\"message\":\"boom\",\"code\":500}}", 'e', 0);
	gives("{\"error\":{\"message\":\"later\"}}", 'e', 0);
	ok(d.failed, "the response failed");
	is_str(d.error.data, "boom", "and the first message is kept");
}

static void
test_error_shapes(void)
{
	start("chat", "errors of other shapes");
	gives("{\"error\":\"boom\"}", 'e', 0);
	ok(same(ev.error, "boom"), "a text");
	gives("{\"error\":{\"code\": 5}}", 'e', 0);
	ok(same(ev.error, "{\"code\": 5}"), "an object without message");
	gives("{\"object\":\"error\",\"message\":\"too long\",\"code\":400}",
	    'e', 0);
	ok(same(ev.error, "too long"), "an object that is one");
	gives("{\"choices\":[],\"error\":null}", 'o', 0);
	gives("{\"choices\":[],\"error\":\"\"}", 'o', 0);
	gives("{\"choices\":[],\"error\":false}", 'o', 0);
	gives("{\"choices\":[],\"error\":true}", 'e', 0);
	gives("{\"choices\":[{\"delta\":{\"content\":\"x\"},"
	      "\"finish_reason\":\"stop\"}],\"error\":{\"message\":\"e\"}}",
	    'c', 1);
	ok(same(ev.error, "e"), "text wins, the error is known");
	feed_type("error", "{\"message\":\"Over\"}");
	ok(ev.class == 'e' && same(ev.error, "Over"), "an event of that type");
	feed_type("error", "{\"error\":{\"message\":\"Over 2\"}}");
	ok(ev.class == 'e' && same(ev.error, "Over 2"), "with an error in it");
	feed_type("error", "busy");
	ok(ev.class == 'e' && same(ev.error, "busy"), "or only a word");
}

/* C08: the failure stands in a field that SSE does not know. */
static void
test_field(void)
{
	start("chat", "C08: a field named error");
	gives(DELTA("\"content\":\"x\""), 'c', 1);
	is_int(tape_api_decode_field(
		   &d, tape_str_of("foo"), tape_str_of("1"), &ev, &err),
	    TAPE_OK, "another field");
	ok(ev.class == 'o' && !d.failed, "is none");
	is_int(tape_api_decode_field(&d, tape_str_of("error"),
		   tape_str_of("{\"code\":400,\"message\":\"context size\"}"),
		   &ev, &err),
	    TAPE_OK, "the field");
	ok(ev.class == 'e' && same(ev.error, "context size"), "is an error");
	is_str(d.error.data, "context size", "whose message is kept");
	is_int(d.token_events, 1, "and which is no token");
}

/* C15: the first chunk of Azure has no choices. */
static void
test_azure(void)
{
	start("chat", "C15: first chunk without choices");
	gives("{\"choices\":[],\"id\":\"\",\"object\":\"\",\"created\":0,"
	      "\"model\":\"\",\"prompt_filter_results\":[{\"prompt_index\":0}]"
	      "}",
	    'o', 0);
	gives(DELTA("\"role\":\"assistant\",\"content\":\"\""), 'r', 0);
	gives(DELTA("\"content\":\"Hi\""), 'c', 2);
	gives(CHOICE("\"delta\":{},\"finish_reason\":\"stop\""), 'f', 0);
	gives("[DONE]", 'd', 0);
	text_is("Hi");
	ok(!d.failed && d.done, "a success");
}

/* C16: text in the chunk that finishes. */
static void
test_text_with_finish(void)
{
	start("chat", "C16: text with finish_reason");
	gives(CHOICE("\"delta\":{\"content\":\"1, 2,\"},"
		     "\"finish_reason\":null"),
	    'c', 5);
	gives("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\" 3\"},"
	      "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":22,"
	      "\"completion_tokens\":8,\"total_tokens\":30}}",
	    'c', 2);
	text_is("1, 2, 3");
	ok(same(tape_api_finish(&d, 0), "stop"), "finished by stop");
	is_int(d.token_events, 2, "two token events");
	is_int(d.tokens.output, 8, "eight tokens");
	is_int(d.tokens.input, 22, "of 22");
}

/* C17, C18: what is the first token. */
static void
test_first_token(void)
{
	start("chat", "C17: the role is no token");
	gives(DELTA("\"role\":\"assistant\",\"content\":null"), 'r', 0);
	gives(DELTA("\"content\":\"A\""), 'c', 1);
	start("chat", "C18: reasoning is one");
	gives(DELTA("\"reasoning\":\"Okay\""), 'g', 4);
	gives(DELTA("\"reasoning\":\".\""), 'g', 1);
	gives(DELTA("\"content\":\"4\""), 'c', 1);
	is_int(d.token_events, 3, "three token events");
	text_is("4");
}

/* C21, C22: usage in more than one chunk. */
static void
test_usage(void)
{
	static const int seen[] = { 1, 4, 5, 99 };
	char data[256];

	start("chat", "C21, C22: usage is cumulative");
	for (size_t i = 0; i < 4; i++) {
		(void)snprintf(data, sizeof(data),
		    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}"
		    "}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":"
		    "%d}}",
		    seen[i]);
		gives(data, 'c', 1);
		is_int(ev.out_tokens, seen[i], "so many so far");
	}
	gives(DELTA("\"content\":\"x\""), 'c', 1);
	is_int(ev.out_tokens, -1, "unknown without usage");
	is_int(d.tokens.input, 10, "the input is not summed");
	is_int(d.tokens.output, 99, "nor the output");
	keeps(tape_api_usage, "{\"prompt_tokens\":10,\"completion_tokens\":99}",
	    "the last one");

	start("chat", "C22: null never overwrites");
	feed("{\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":5}}");
	feed("{\"usage\":{\"prompt_tokens\":null,\"completion_tokens\":null}}");
	is_int(d.tokens.output, 5, "5 then null is 5");
	keeps(tape_api_usage, "{\"prompt_tokens\":3,\"completion_tokens\":5}",
	    "as text, too");
	feed("{\"usage\":{\"completion_tokens\":9,\"x\":null}}");
	is_int(d.tokens.output, 9, "and a later number counts");
	keeps(tape_api_usage,
	    "{\"prompt_tokens\":3,\"completion_tokens\":9,\"x\":null}",
	    "member by member");
	feed("{\"usage\":null}");
	is_int(d.tokens.output, 9, "no usage changes nothing");
}

static void
test_usage_names(void)
{
	start("chat", "counts under other names");
	feed("{\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":7.0,"
	     "\"prompt_tokens_details\":{\"cached_tokens\":4},"
	     "\"completion_tokens_details\":{\"reasoning_tokens\":3,"
	     "\"audio_tokens\":0}}}");
	is_int(d.tokens.cached, 4, "cached");
	is_int(d.tokens.reasoning, 3, "reasoning");
	is_int(d.tokens.output, 7, "a count with a point");
	start("chat", "of SGLang and DeepSeek");
	feed("{\"usage\":{\"reasoning_tokens\":2,"
	     "\"prompt_cache_hit_tokens\":8,\"completion_tokens\":-1}}");
	is_int(d.tokens.cached, 8, "cached");
	is_int(d.tokens.reasoning, 2, "reasoning");
	is_int(d.tokens.output, TAPE_ABSENT_I64, "a negative count is none");
	start("chat", "of Groq");
	feed("{\"choices\":[],\"x_groq\":{\"id\":\"a\",\"usage\":"
	     "{\"prompt_tokens\":1,\"total_time\":0.5}}}");
	is_int(d.tokens.input, 1, "in its own member");
	keeps(tape_api_timing,
	    "{\"x_groq\":{\"id\":\"a\",\"usage\":{\"prompt_tokens\":1,"
	    "\"total_time\":0.5}}}",
	    "which is a timing");
}

static void
test_timing(void)
{
	start("chat", "the server's own times");
	keeps(tape_api_timing, "", "none");
	feed("{\"choices\":[],\"timings\":{\"prompt_ms\":8.996}}");
	feed("{\"choices\":[],\"timings\":{\"prompt_ms\":\n9},\"time_info\":"
	     "{\"queue_time\":1},\"latency_checkpoint\":null,"
	     "\"x_groq\":{\"id\":\"q\"}}");
	keeps(tape_api_timing,
	    "{\"timings\":{\"prompt_ms\": 9},\"time_info\":{\"queue_time\":1}}",
	    "the last ones, on one line");
	feed("{\"timings\":{\"a\":1,\"a\":2},\"time_info\":{\"t\":1e999}}");
	keeps(tape_api_timing, "", "nothing that our readers refuse");
}

static void
test_stamp(void)
{
	start("chat", "the server's stamp");
	gives("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],"
	      "\"llmtape\":{\"t\":\"12345.123456789\",\"late_ns\":77}}",
	    'c', 1);
	is_int(ev.server_ns, INT64_C(12345123456789), "its time");
	is_int(ev.server_late_ns, 77, "and its lateness");
	gives("{\"llmtape\":{\"t\":\"soon\",\"late_ns\":\"x\"}}", 'o', 0);
	is_int(ev.server_ns, TAPE_ABSENT_I64, "a time that is none");
	is_int(ev.server_late_ns, TAPE_ABSENT_I64, "and no lateness");
}

/* What no record holds (record/schema.h) is as if it were not there. */
static void
test_range(void)
{
	start("chat", "numbers out of range");
	gives("{\"choices\":[{\"index\":9223372036854775807,\"delta\":"
	      "{\"content\":\"a\"}}]}",
	    'o', 0);
	is_int((int64_t)d.malformed, 1, "an index is malformed");
	feed("{\"usage\":{\"prompt_tokens\":9007199254740992,"
	     "\"completion_tokens\":9007199254740993},\"llmtape\":"
	     "{\"t\":\"1.0\",\"late_ns\":9223372036854775807}}");
	is_int(d.tokens.input, INT64_C(1) << 53, "the largest count");
	is_int(d.tokens.output, TAPE_ABSENT_I64, "one beyond it");
	is_int(ev.server_late_ns, TAPE_ABSENT_I64, "a lateness");
	feed("{\"llmtape\":{\"t\":\"1.0\",\"late_ns\":-1}}");
	is_int(ev.server_late_ns, TAPE_ABSENT_I64, "a lateness below 0");
}

static void
test_choices(void)
{
	start("chat", "several choices");
	gives("{\"choices\":[{\"delta\":{\"content\":\"one\"},\"index\":1},"
	      "{\"delta\":{\"content\":\"zero\"},\"index\":0}]}",
	    'c', 7);
	is_int(ev.choice, 1, "the first text's choice");
	text_is("zero");
	gives("{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"delta\":"
	      "{}},{\"index\":2,\"delta\":{},\"finish_reason\":\"length\"}]}",
	    'f', 0);
	is_int(ev.choice, 0, "the first choice");
	is_int(d.choices, 3, "three are known");
	ok(same(tape_api_finish(&d, 0), "stop"), "0 stopped");
	ok(same(tape_api_finish(&d, 1), NULL), "1 has not finished");
	ok(same(tape_api_finish(&d, 2), "length"), "2 was cut");
	ok(same(tape_api_finish(&d, 3), NULL), "3 is unknown");
	gives("{\"choices\":[{\"index\":1048576,\"delta\":{\"content\":\"x\"},"
	      "\"finish_reason\":\"stop\"}]}",
	    'c', 1);
	is_int(d.choices, 3, "a choice beyond the cap is not kept");
}

static void
malformed(const char *data)
{
	const int64_t before = d.malformed, tokens = d.token_events;

	feed(data);
	ok(ev.malformed && ev.class == 'o', "is malformed");
	is_int(d.malformed, before + 1, "and counted");
	is_int(d.token_events, tokens, "and is no token");
}

static void
test_malformed(void)
{
	start("chat", "what no chunk is");
	malformed("{\"a\":1}\n{\"b\":2}");
	malformed("{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}");
	malformed("{\"choices\":[{\"delta\":{\"content\":\"H\xff\"}}]}");
	malformed("7");
	malformed("null");
	malformed("[{\"choices\":[]}]");
	malformed("{\"choices\":{}}");
	malformed("{\"choices\":[1]}");
	malformed("{\"choices\":[{\"delta\":\"x\"}]}");
	malformed("{\"choices\":[{\"index\":-1}]}");
	malformed("{\"choices\":[{\"index\":\"0\"}]}");
	gives("{\"choices\":[{\"index\":null,\"delta\":null}]}", 'r', 0);
	gives("{\"choices\":null}", 'o', 0);
	gives(DELTA("\"content\":7"), 'r', 0);
	gives(DELTA("\"content\":\"\\ud800\\u0000\""), 'c', 4);
	is_int(d.text.len, 4, "nothing else is in the text");
}

/* Events that begin and end like the one before. */
static void
test_alike(void)
{
	start("chat", "events that are alike");
	gives(DELTA("\"content\":\"a\""), 'c', 1);
	gives(DELTA("\"content\":\"bc\""), 'c', 2);
	ok(same(ev.text, "bc"), "another text");
	gives(DELTA("\"content\":\"\""), 'r', 0);
	gives(DELTA("\"content\":\"b\",\"refusal\":\"de\""), 'c', 1);
	is_int(ev.bytes[TAPE_API_REFUSAL], 2, "with more in between");
	gives(DELTA("\"content\":\"a\""), 'c', 1);
	gives(DELTA("\"content\":\"\\u00e9\\n\""), 'c', 3);
	gives(DELTA("\"content\":\"\xc3\xa9\""), 'c', 2);
	malformed(DELTA("\"content\":\"\xc3\""));
	malformed(DELTA("\"content\":\"\n\""));
	malformed(DELTA("\"content\":\"a\" \""));
	gives(CHOICE("\"delta\":{\"content\":\"x\"},\"finish_reason\":"
		     "\"stop\""),
	    'c', 1);
	gives(CHOICE("\"delta\":{\"content\":\"y\"},\"finish_reason\":"
		     "\"length\""),
	    'c', 1);
	ok(same(tape_api_finish(&d, 0), "length"), "a finish is not lost");
	gives(DELTA("\"reasoning\":\"a\",\"reasoning_content\":\"a\""), 'g', 1);
	gives(DELTA("\"reasoning\":\"b\",\"reasoning_content\":\"a\""), 'g', 1);
	text_is("abcba\xc3\xa9\n\xc3\xa9xy");
	start("completions", "of another dialect");
	gives(DELTA("\"reasoning\":\"c\",\"reasoning_content\":\"a\""), 'r', 0);
}

static void
test_completions(void)
{
	start("completions", "completions");
	gives("{\"choices\":[{\"text\":\"ab\",\"index\":0,"
	      "\"finish_reason\":null}]}",
	    'c', 2);
	gives("{\"choices\":[{\"text\":\"\",\"index\":0,"
	      "\"finish_reason\":\"length\"}],\"usage\":null}",
	    'f', 0);
	gives("{\"choices\":[],\"usage\":{\"prompt_tokens\":2,"
	      "\"completion_tokens\":1}}",
	    'u', 0);
	gives("[DONE]", 'd', 0);
	text_is("ab");
}

static void
body(const char *data, char class, int64_t bytes)
{
	is_int(tape_api_decode_body(&d, tape_str_of(data), &ev, &err), TAPE_OK,
	    "body: %.60s", data);
	ok(ev.class == class, "its class");
	is_int(ev.text_bytes, bytes, "its bytes of text");
}

static void
test_bodies(void)
{
	start("chat", "bodies that were not streamed");
	body("{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
	     "\"content\":\"Hi you\"},\"finish_reason\":\"stop\"}],\"usage\":"
	     "{\"prompt_tokens\":5,\"completion_tokens\":2}}\n",
	    'c', 6);
	text_is("Hi you");
	is_int(ev.out_tokens, 2, "tokens");
	ok(same(tape_api_finish(&d, 0), "stop"), "finish");
	body("{\"error\":{\"message\":\"no\"}}", 'e', 0);
	body("<html>", 'o', 0);
	ok(ev.malformed, "which is malformed");
	start("completions", "of completions");
	body("{\"choices\":[{\"index\":0,\"text\":\"abc\","
	     "\"finish_reason\":\"length\"}]}",
	    'c', 3);
}

static void
test_digest(void)
{
	char sha[TAPE_API_SHA256_TEXT];

	start("chat", "digests");
	is_str(tape_api_text_sha256(&d, sha),
	    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	    "of nothing");
	ok(!d.has_text, "there is no text");
	feed(DELTA("\"content\":\"a\""));
	feed(DELTA("\"content\":\"bc\""));
	is_str(tape_api_text_sha256(&d, sha),
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "of abc");
	feed(DELTA("\"content\":\"x\""));
	ok(d.has_text, "there is text");
}

/* Each allocation fails once; a decoder is good again after clear. */
static void
test_memory(void)
{
	static const char *const data[] = {
		DELTA("\"reasoning\":\"a\\n\""),
		DELTA("\"content\":\"a\\n\""),
		"{\"choices\":[{\"index\":40,\"finish_reason\":\"stop\",\"delta\":"
		"{\"tool_calls\":[{\"id\":\"a\"}]}}],\"usage\":{\"a\":1},"
		"\"timings\":{\"b\":2}}",
		"{\"usage\":{\"a\":null,\"c\":3},\"error\":\"x\"}",
	};
	struct tape_api_decoder e;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 200) {
		tape_err_clear(&err);
		tape_api_decoder_init(&e, tape_api_at(0), true);
		(void)tape_mem_fail_at(++n);
		st = TAPE_OK;
		for (size_t i = 0; i < 4 && st == TAPE_OK; i++)
			st = tape_api_decode(&e, tape_str_of(""),
			    tape_str_of(data[i]), &ev, &err);
		(void)tape_mem_fail_at(0);
		tape_api_decoder_release(&e);
	}
	is_int(st, TAPE_OK, "it decodes when memory is there");
	ok(n > 10, "and failed before in each of its %d allocations",
	    (int)n - 1);
}

static void
test_is_token(void)
{
	char got[8] = "";
	size_t n = 0;

	for (int c = 0; c < 128 && n < sizeof(got) - 1; c++)
		if (tape_api_is_token((char)c))
			got[n++] = (char)c;
	is_str(got, "acgtx", "the classes that add text");
}

int
main(void)
{
	test_is_token();
	tape_api_decoder_init(&d, tape_api_at(0), true);
	test_classes();
	test_error();
	test_error_shapes();
	test_field();
	test_azure();
	test_text_with_finish();
	test_first_token();
	test_usage();
	test_usage_names();
	test_timing();
	test_stamp();
	test_range();
	test_choices();
	test_malformed();
	test_alike();
	test_completions();
	test_bodies();
	test_digest();
	test_memory();
	tape_api_decoder_release(&d);
	return done_testing();
}
