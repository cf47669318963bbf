/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the own dialects of inference servers answer, decoded. */
#include "unit/api_show.h"

/* Streams as they were recorded, against a key made by other means. */
static const struct recorded {
	const char *api, *path;
	int64_t events, text_events;
	size_t text_bytes;
	const char *sha; /* begin of the text's SHA-256 */
	int64_t in, out;
	const char *finish;
	bool done;
} recorded[] = {
	{ "ollama", "tests/fixtures/sse/ollama-native-chat.ndjson", 50, 49, 212,
	    "f5641fb359366309", 17, 50, "stop", true },
	{ "ollama_generate", "tests/fixtures/sse/ollama-native-generate.ndjson",
	    22, 21, 33, "8e2d2e5155b0164a", 16, 22, "stop", true },
	{ "huggingface_generate",
	    "tests/fixtures/sse/tgi-generate-stream-no-space.sse", 20, 20, 85,
	    "75adcee1d61560e3", TAPE_ABSENT_I64, TAPE_ABSENT_I64, NULL, true },
	{ "triton_generate",
	    "tests/fixtures/sse/triton-trtllm-generate-stream.sse", 19, 18, 78,
	    "ab8f980566a323ca", TAPE_ABSENT_I64, TAPE_ABSENT_I64, NULL, false },
};

static int64_t events;

static enum tape_status
on_event(void *user, const struct tape_sse_event *sse, struct tape_err *e)
{
	(void)user;
	events++;
	return tape_api_decode(&d, tape_str_make(sse->type, sse->type_len),
	    tape_str_make(sse->data, sse->len), &ev, e);
}

static void
decode_recorded(const struct recorded *r)
{
	static const struct tape_sse_calls calls = { on_event, NULL, NULL };
	struct tape_framer f;
	char *body = NULL;
	size_t len = 0;

	start(r->api, r->path);
	events = 0;
	is_int(tape_fdio_slurp(r->path, TAPE_CAP_LINE, &body, &len, &err),
	    TAPE_OK, "it is there");
	tape_framer_init(&f, &calls, NULL);
	tape_framer_clear(&f, d.api->framing);
	is_int(tape_framer_feed(&f, body, len, &err), TAPE_OK, "it is read");
	is_int(tape_framer_end(&f, &err), TAPE_OK, "to its end");
	tape_framer_release(&f);
	tape_mem_free(body);
}

static void
test_recorded(void)
{
	char sha[TAPE_API_SHA256_TEXT];

	for (size_t i = 0; i < sizeof(recorded) / sizeof(*recorded); i++) {
		const struct recorded *r = &recorded[i];

		decode_recorded(r);
		is_int(events, r->events, "events");
		is_int(d.token_events, r->text_events, "of which with text");
		is_int(d.malformed, 0, "none is malformed");
		is_int(d.text.len, r->text_bytes, "bytes of text");
		tape_api_text_sha256(&d, sha)[16] = '\0';
		is_str(sha, r->sha, "digest of the text");
		is_int(d.tokens.input, r->in, "input tokens");
		is_int(d.tokens.output, r->out, "output tokens");
		ok(same(tape_api_finish(&d, 0), r->finish), "finish reason");
		is_int(d.done, r->done, "end mark");
	}
	start("ollama", "the times of a recorded answer");
	decode_recorded(&recorded[1]);
	keeps(tape_api_timing,
	    "{\"durations\":{\"total_duration\":190084083,\"load_duration\":"
	    "40691625,\"prompt_eval_duration\":40168500,\"eval_duration\":"
	    "108922125},\"created_at\":{\"first\":"
	    "\"2025-08-20T13:48:22.164615Z\",\"last\":"
	    "\"2025-08-20T13:48:22.268139Z\"}}",
	    "its times");
	keeps(tape_api_usage, "{\"prompt_eval_count\":16,\"eval_count\":22}",
	    "its counts");
}

static void
test_hf(void)
{
	start("huggingface_generate", "TGI");
	gives("{\"index\":1,\"token\":{\"id\":5,\"text\":\"a\",\"logprob\":-1,"
	      "\"special\":false},\"generated_text\":null,\"details\":null}",
	    'c', 1);
	ok(!d.done, "not at its end");
	gives("{\"index\":2,\"token\":{\"id\":2,\"text\":\"</s>\",\"special\":"
	      "true},\"generated_text\":\"a\",\"details\":{\"finish_reason\":"
	      "\"eos_token\",\"generated_tokens\":2,\"seed\":null,"
	      "\"input_length\":7}}",
	    'd', 0);
	text_is("a");
	is_int(d.tokens.output, 2, "the end is a token");
	is_int(d.tokens.input, 7, "of so many");
	ok(same(tape_api_finish(&d, 0), "eos_token"), "why it ended");
	start("huggingface_generate", "with text in the last event");
	gives("{\"token\":{\"id\":5,\"text\":\"b\"},\"generated_text\":\"b\","
	      "\"details\":{\"finish_reason\":\"length\","
	      "\"generated_tokens\":1}}",
	    'c', 1);
	ok(d.done, "is at its end");
	text_is("b");
	gives("{\"error\":\"Request failed during generation\",\"error_type\":"
	      "\"generation\"}",
	    'e', 0);
	is_str(d.error.data, "Request failed during generation", "an error");
	malformed("[1]");
	malformed("\"text\"");
	malformed("{\"token\":{\"text\":\"x\"");
	gives("{\"token\":{\"text\":7}}", 'r', 0);
	gives("{\"token\":null,\"x\":1}", 'o', 0);
	start("huggingface_generate", "bodies");
	gives_body("{\"generated_text\":\"ab\",\"details\":{\"finish_reason\":"
		   "\"length\",\"generated_tokens\":2,\"tokens\":[{\"id\":1,"
		   "\"text\":\"a\"}]}}",
	    'c', 2);
	is_int(d.tokens.output, 2, "its tokens");
	gives_body(" [{\"generated_text\":\"cd\"}] ", 'c', 2);
	text_is("abcd");
	ok(d.done, "complete");
	gives_body("{\"error\":\"no\"}", 'e', 0);
	gives_body("[{\"generated_text\":1}] x", 'o', 0);
	ok(ev.malformed, "which is malformed");
}

static void
test_ollama(void)
{
	start("ollama", "Ollama's chat");
	gives(
	    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":"
	    "\"\",\"thinking\":\"hm\"},\"done\":false}",
	    'g', 2);
	gives("{\"message\":{\"role\":\"assistant\",\"content\":\"a\"},"
	      "\"done\":false}",
	    'c', 1);
	gives("{\"message\":{\"content\":\"\",\"tool_calls\":[{\"id\":\"c1\","
	      "\"function\":{\"name\":\"f\",\"arguments\":{\"x\":1}}},"
	      "{\"function\":{\"name\":\"gh\"}}]},\"done\":false}",
	    't', 10);
	is_int(d.tool_calls, 1, "one had an id");
	gives("{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":"
	      "\"length\",\"total_duration\":5,\"eval_count\":3}",
	    'd', 0);
	ok(same(tape_api_finish(&d, 0), "length"), "why it ended");
	is_int(d.tokens.output, 3, "with so many tokens");
	is_int(d.tokens.input, TAPE_ABSENT_I64, "a count is not there");
	keeps(tape_api_timing, "{\"durations\":{\"total_duration\":5}}",
	    "its time");
	gives("{\"error\":\"an error was encountered\"}", 'e', 0);
	is_str(d.error.data, "an error was encountered", "an error");
	malformed("{\"message\":{\"content\":\"a\"}} {}");
	malformed("x");
	gives("{\"message\":7,\"done\":false}", 'r', 0);
	gives("{\"status\":\"pulling\"}", 'o', 0);
	start("ollama_generate", "Ollama's generate");
	gives("{\"response\":\"a\",\"done\":false}", 'c', 1);
	gives("{\"response\":\"bc\",\"done\":false}", 'c', 2);
	gives("{\"response\":\"\",\"thinking\":\"x\",\"done\":false}", 'g', 1);
	gives("{\"response\":\"\",\"done\":true,\"context\":[1,2],"
	      "\"prompt_eval_count\":4,\"eval_count\":2}",
	    'd', 0);
	text_is("abc");
	is_int(d.tokens.input, 4, "of four");
	ok(d.done, "an end without a reason");
	gives_body(
	    "{\"response\":\"whole\",\"done\":true,\"eval_count\":1}", 'c', 5);
}

/* watsonx says in each event when it was made; the first one has no text. */
static void
test_created(void)
{
	start("chat", "times of events");
	gives("{\"created_at\":\"2025-03-01T12:00:00.100Z\",\"choices\":[{"
	      "\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":"
	      "\"\"}}]}",
	    'r', 0);
	keeps(tape_api_timing, "", "not of an event without tokens");
	gives("{\"created_at\":\"2025-03-01T12:00:00.2Z\",\"choices\":[{"
	      "\"index\":0,\"delta\":{\"content\":\"a\"}}]}",
	    'c', 1);
	gives("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"}}],"
	      "\"created_at\":\"2025-03-01T12:00:00.345678Z\"}",
	    'c', 1);
	gives("{\"created_at\":\"2025-03-01T12:00:00.400Z\",\"choices\":[{"
	      "\"index\":0,\"delta\":{\"content\":\"c\"}}]}",
	    'c', 1);
	gives("{\"created_at\":\"2025-03-01T12:00:09Z\",\"choices\":[],"
	      "\"usage\":{\"completion_tokens\":3}}",
	    'u', 0);
	keeps(tape_api_timing,
	    "{\"created_at\":{\"first\":\"2025-03-01T12:00:00.2Z\",\"last\":"
	    "\"2025-03-01T12:00:00.400Z\"}}",
	    "of the first and the last with tokens");
	gives("{\"created_at\":\"2025-03-01T12:00:00.400000000000000000000000"
	      "000000Z\",\"choices\":[{\"delta\":{\"content\":\"d\"}}]}",
	    'c', 1);
	gives("{\"created_at\":1762103517,\"choices\":[{\"delta\":{"
	      "\"content\":\"e\"}}]}",
	    'c', 1);
	keeps(tape_api_timing,
	    "{\"created_at\":{\"first\":\"2025-03-01T12:00:00.2Z\",\"last\":"
	    "\"2025-03-01T12:00:00.400Z\"}}",
	    "no time is too long, and none a number");
}

static void
test_llamacpp(void)
{
	start("llamacpp", "llama.cpp");
	gives("{\"index\":0,\"content\":\"a\",\"tokens\":[1],\"stop\":false,"
	      "\"tokens_predicted\":1,\"tokens_evaluated\":9}",
	    'c', 1);
	is_int(ev.out_tokens, 1, "one so far");
	gives("{\"index\":0,\"content\":\"\",\"stop\":false,"
	      "\"tokens_predicted\":3,\"tokens_evaluated\":9}",
	    'u', 0);
	is_int(ev.out_tokens, 3, "two that are no text yet");
	gives("{\"index\":0,\"content\":\"\",\"stop\":true,\"stop_type\":"
	      "\"limit\",\"tokens_predicted\":4,\"tokens_evaluated\":9,"
	      "\"tokens_cached\":12,\"timings\":{\"cache_n\":5,\"prompt_ms\":"
	      "1.5}}",
	    'd', 0);
	is_int(d.tokens.output, 4, "four in all");
	is_int(d.tokens.input, 9, "of nine");
	is_int(d.tokens.cached, 5, "of which five were known");
	ok(same(tape_api_finish(&d, 0), "limit"), "why it ended");
	keeps(tape_api_timing,
	    "{\"timings\":{\"cache_n\":5,\"prompt_ms\":1.5}}", "its times");
	start("llamacpp", "an older one");
	gives("{\"content\":\"b\",\"stop\":true,\"stopped_eos\":true,"
	      "\"stopped_limit\":false,\"stopped_word\":false}",
	    'c', 1);
	ok(same(tape_api_finish(&d, 0), "eos"), "why it ended");
	gives("{\"error\":{\"code\":500,\"message\":\"boom\"}}", 'e', 0);
	malformed("{\"content\":\"a\",\"index\":-1}");
	malformed("{\"content\":\"a\",\"index\":\"0\"}");
	malformed("[]");
	gives("{\"content\":null}", 'o', 0);
	start("llamacpp", "several at once");
	gives_body("[{\"index\":0,\"content\":\"a\",\"stop\":true,"
		   "\"tokens_predicted\":2,\"tokens_evaluated\":9},"
		   "{\"index\":1,\"content\":\"bc\",\"stop\":true,"
		   "\"tokens_predicted\":3,\"tokens_evaluated\":9}]",
	    'c', 3);
	is_int(d.choices, 2, "two choices");
	is_int(d.tokens.output, 5, "whose tokens add up");
	is_int(d.tokens.input, 9, "of one prompt");
	text_is("a");
	keeps(tape_api_usage, "{\"tokens_evaluated\":9,\"tokens_predicted\":5}",
	    "counts");
}

static void
test_triton(void)
{
	start("triton_generate", "Triton");
	gives("{\"model_name\":\"m\",\"text_output\":\"a\"}", 'c', 1);
	gives("{\"model_name\":\"m\",\"text_output\":\" b\"}", 'c', 2);
	gives("{\"model_name\":\"m\",\"text_output\":\"\"}", 'r', 0);
	text_is("a b");
	ok(!d.done && d.api->open_ended, "which ends where it ends");
	gives("{\"error\":\"boom\"}", 'e', 0);
	malformed("{\"text_output\":\"\xff\"}");
	gives("{\"text_output\":5}", 'r', 0);
	start("triton_generate", "a text that grows");
	gives("{\"text_output\":\"Hi\"}", 'c', 2);
	gives("{\"text_output\":\"Hi you\"}", 'c', 4);
	gives("{\"text_output\":\"Hi you\"}", 'r', 0);
	gives("{\"text_output\":\"Hi you.\"}", 'c', 1);
	text_is("Hi you.");
	start("triton_generate", "pieces that look like it");
	gives("{\"text_output\":\"\\n\"}", 'c', 1);
	gives("{\"text_output\":\"\\n\\n\"}", 'c', 2);
	gives("{\"text_output\":\"x\"}", 'c', 1);
	gives("{\"text_output\":\"xy\"}", 'c', 2);
	text_is("\n\n\nxxy");
	start("triton_generate", "several texts, whole");
	gives_body("{\"text_output\":[\"ab\",\"c\"]}", 'c', 3);
	is_int(d.choices, 2, "are choices");
	text_is("ab");
}

#define SGLANG(text, n, finish)                                                \
 "{\"text\":\"" text                                                           \
 "\",\"meta_info\":{\"id\":\"i\",\"finish_reason\":" finish                    \
 ",\"prompt_tokens\":8,\"completion_tokens\":" n                               \
 ",\"cached_tokens\":3,\"e2e_latency\":0.5}}"

static void
test_sglang(void)
{
	start("sglang", "SGLang repeats the text");
	gives(SGLANG("a", "1", "null"), 'c', 1);
	is_int(ev.out_tokens, 1, "one so far");
	gives(SGLANG("a", "2", "null"), 'u', 0);
	gives(SGLANG("a\\u00e9\xef\xbf\xbd", "3", "null"), 'c', 2);
	gives(SGLANG("a\\u00e9\xe4\xbd\xa0", "4", "null"), 'c', 3);
	gives(SGLANG("a\\u00e9\xe4\xbd\xa0", "4",
		  "{\"type\":\"length\",\"length\":4}"),
	    'f', 0);
	gives("[DONE]", 'd', 0);
	text_is("a\xc3\xa9\xe4\xbd\xa0");
	ok(same(tape_api_finish(&d, 0), "length"), "why it ended");
	is_int(d.tokens.output, 4, "tokens");
	is_int(d.tokens.input, 8, "of so many");
	is_int(d.tokens.cached, 3, "of which known");
	keeps(tape_api_timing, "{\"meta_info\":{\"e2e_latency\":0.5}}",
	    "its times");
	start("sglang", "or sends pieces");
	gives(SGLANG("ab", "1", "null"), 'c', 2);
	gives(SGLANG(" c", "2", "null"), 'c', 2);
	gives(SGLANG(" c", "3", "\"stop\""), 'c', 2);
	text_is("ab c c");
	ok(same(tape_api_finish(&d, 0), "stop"), "why it ended");
	start("sglang", "an end that is no character");
	gives(SGLANG("a\xef\xbf\xbd", "2", "{\"type\":\"length\"}"), 'c', 4);
	start("sglang", "failures");
	gives(SGLANG("", "0", "{\"type\":\"abort\",\"message\":\"too long\"}"),
	    'e', 0);
	is_str(d.error.data, "too long", "why it was given up");
	gives("{\"error\":{\"message\":\"boom\"}}", 'e', 0);
	malformed("{\"text\":\"a\",\"index\":1.5}");
	malformed("{\"text\":\"a\",\"meta_info\":{}");
	gives("{\"text\":7}", 'o', 0);
	start("sglang", "several at once");
	gives("{\"text\":\"a\",\"index\":0,\"meta_info\":{"
	      "\"completion_tokens\":1}}",
	    'c', 1);
	gives("{\"text\":\"bc\",\"index\":1,\"meta_info\":{"
	      "\"completion_tokens\":2}}",
	    'c', 2);
	is_int(ev.choice, 1, "the other choice");
	is_int(ev.out_tokens, 3, "tokens of both");
	gives_body("[{\"text\":\"x\",\"meta_info\":{\"completion_tokens\":1}}]",
	    'c', 1);
}

/* Each allocation fails once. */
static void
fail_each(const char *api, const char *const *data, size_t n)
{
	struct tape_api_decoder e;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t at = 0;

	while (st == TAPE_E_NOMEM && at < 200) {
		tape_err_clear(&err);
		tape_api_decoder_init(
		    &e, tape_api_find(tape_str_of(api)), true);
		(void)tape_mem_fail_at(++at);
		st = TAPE_OK;
		for (size_t i = 0; i < n && st == TAPE_OK; i++)
			st = tape_api_decode(&e, tape_str_of(""),
			    tape_str_of(data[i]), &ev, &err);
		(void)tape_mem_fail_at(0);
		tape_api_decoder_release(&e);
	}
	is_int(st, TAPE_OK, "%s decodes when memory is there", api);
	ok(at > 4, "and failed before in each of %d allocations", (int)at - 1);
}

static void
test_memory(void)
{
	static const char *const sglang[] = { SGLANG("a\\n", "1", "null"),
		SGLANG("a\\nb\\n", "2", "{\"type\":\"stop\"}") };
	static const char *const ollama[] = {
		"{\"message\":{\"content\":\"a\\n\",\"thinking\":\"b\\n\"}}",
		"{\"done\":true,\"done_reason\":\"stop\",\"eval_count\":1,"
		"\"eval_duration\":2}"
	};

	fail_each("sglang", sglang, 2);
	fail_each("ollama", ollama, 2);
}

int
main(void)
{
	tape_api_decoder_init(&d, tape_api_at(0), true);
	test_recorded();
	test_hf();
	test_ollama();
	test_created();
	test_llamacpp();
	test_triton();
	test_sglang();
	test_memory();
	tape_api_decoder_release(&d);
	return done_testing();
}
