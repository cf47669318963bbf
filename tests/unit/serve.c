/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model server: answers, times, slots, refusals, faults, its log. */
#include "unit/model_server.h"

#include <fcntl.h>

static void
test_stream(void)
{
	static const char common[] =
	    "data: {\"id\":\"chatcmpl-ID\",\"object\":\"chat.completion.chunk\","
	    "\"created\":1000,\"model\":\"m\",\"choices\":[";
	static const char head[] =
	    "HTTP/1.1 200 OK\r\n"
	    "content-type: text/event-stream; charset=utf-8\r\n"
	    "cache-control: no-cache\r\n"
	    "x-request-id: r 1\r\n"
	    "transfer-encoding: chunked\r\n\r\n";
	struct tape_buf want;
	const char *got, *words, *end;
	int64_t t0 = 1000 * TAPE_NS_PER_S;

	start(conf_default());
	got = ask(post(CHAT, "x-request-id: r 1\r\n", WITH_USAGE), LAST_CHUNK);
	ok(strncmp(got, head, sizeof(head) - 1) == 0, "head of a stream");
	got = events(got);
	is_int(
	    count(got, "data: "), 7, "role, three tokens, finish, usage, end");
	/* the words are the server's choice: take them from its answer */
	tape_buf_init(&want, 1 << 16);
	(void)tape_buf_add_fmt(&want,
	    "%s{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
	    "\"logprobs\":null,\"finish_reason\":null}]}\n\n",
	    common);
	words = got;
	for (int i = 0; i < 3; i++) {
		words = strstr(words, "\"delta\":{\"content\":\"");
		words = words != NULL ? words + 20 : "";
		end = strchr(words, '"');
		ok((words[0] == ' ') == (i > 0),
		    "a space before each word but the first");
		(void)tape_buf_add_fmt(&want,
		    "%s{\"index\":0,\"delta\":{\"content\":\"%.*s\"},"
		    "\"logprobs\":null,\"finish_reason\":null}]}\n\n",
		    common, end != NULL ? (int)(end - words) : 0, words);
	}
	(void)tape_buf_add_fmt(&want,
	    "%s{\"index\":0,\"delta\":{},\"logprobs\":null,"
	    "\"finish_reason\":\"length\"}]}\n\n"
	    "%s],\"usage\":{\"prompt_tokens\":2,\"total_tokens\":5,"
	    "\"completion_tokens\":3,\"prompt_tokens_details\":"
	    "{\"cached_tokens\":0}}}\n\ndata: [DONE]\n\n",
	    common, common);
	is_str(got, want.data, "each event as it should be");
	ok(strstr(log_line(1), "{\"id\":\"r 1\",\"n\":1,\"conn\":1,"
			       "\"path\":\"/v1/chat/completions\","
			       "\"status\":200,\"outcome\":\"complete\","
			       "\"stream\":true,\"prompt_tokens\":2,"
			       "\"cached_tokens\":0,\"output_tokens\":3,"
			       "\"events\":7,\"t_in_ns\":1000") != NULL,
	    "its line in the log: %s", log_line(1));
	t0 = num(1, "t_in_ns");
	is_int(num(1, "due_first_ns") - t0, 40 * MS, "the first token's time");
	is_int(num(1, "t_first_ns") - t0, 40 * MS, "it was met");
	is_int(num(1, "due_last_ns") - t0, 50 * MS, "two gaps to the last one");
	is_int(num(1, "t_last_ns") - t0, 50 * MS, "met");
	is_int(num(1, "t_end_ns") - t0, 50 * MS, "and the end");
	is_int(num(1, "late_max_ns"), 0, "never late");
	got = ask(post(CHAT, "", STREAM "}"), LAST_CHUNK);
	ok(strstr(got, "x-request-id: 2\r\n") != NULL &&
		strncmp(log_line(2), "{\"id\":\"2\",", 9) == 0,
	    "a request without an id is known by its number");
	is_int(count(got, "data: "), 6, "no usage that nobody asked for");
	is_int(count(got, "usage"), 0, "none at all");
	got = ask(post("/v1/completions", "",
		      "{\"prompt\":\"a b c\",\"stream\":true,"
		      "\"max_tokens\":2}"),
	    LAST_CHUNK);
	is_int(count(got, "data: "), 4, "a completion has no role event");
	ok(strstr(got, "\"id\":\"cmpl-") != NULL &&
		strstr(got, "\"object\":\"text_completion\"") != NULL &&
		strstr(got, "\"model\":\"llmtape\",\"choices\":[{\"index\":0,"
			    "\"text\":\"") != NULL,
	    "and text, and the server's model");
	ok(strstr(got, "{\"index\":0,\"text\":\"\",\"logprobs\":null,"
		       "\"finish_reason\":\"length\"}]}") != NULL,
	    "and its own finish");
	tape_buf_release(&want);
	stop();
}

static void
test_stamps(void)
{
	struct tape_serve_conf conf = conf_default();
	const char *got;
	char want[100];
	int64_t t0;
	int i;

	conf.stamp = true;
	conf.role = TAPE_SERVE_ROLE_START;
	conf.tail_ns = MS;
	start(conf);
	got = ask(post(CHAT, "", WITH_USAGE), LAST_CHUNK);
	t0 = num(1, "t_in_ns");
	is_int(
	    count(got, "\"llmtape\":{"), 6, "each event but the end has one");
	for (i = 0; i < 6; i++) {
		int64_t t = t0 + (i == 0 ? 0 : 40 * MS + (i - 1) * (5 * MS));

		if (i >= 4)
			t = t0 + 51 * MS;
		(void)snprintf(want, sizeof(want),
		    ",\"llmtape\":{\"t\":\"%lld.%09lld\",\"late_ns\":0,"
		    "\"seq\":%d}}\n\n",
		    (long long)(t / TAPE_NS_PER_S),
		    (long long)(t % TAPE_NS_PER_S), i);
		ok(strstr(got, want) != NULL, "stamp %d", i);
	}
	got = ask(post(CHAT, "", HELLO "}"), "\n");
	ok(strstr(got, "\"llmtape\":{\"t\":\"1") != NULL,
	    "a whole answer has one, too");
	stop();
}

static void
test_whole(void)
{
	const char *got;
	int64_t t0;

	start(conf_default());
	got = ask(post(CHAT, "", HELLO "}"), "}}}\n");
	ok(strstr(got, "content-type: application/json\r\n") != NULL, "JSON");
	ok(strstr(got, "\"object\":\"chat.completion\",\"created\":1000,"
		       "\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":"
		       "{\"role\":\"assistant\",\"content\":\"") != NULL,
	    "a message");
	ok(strstr(got, "\"},\"logprobs\":null,\"finish_reason\":\"length\"}],"
		       "\"usage\":{\"prompt_tokens\":2,\"total_tokens\":5,"
		       "\"completion_tokens\":3,\"prompt_tokens_details\":"
		       "{\"cached_tokens\":0}}}\n") != NULL,
	    "with usage");
	is_int(num(1, "t_end_ns") - num(1, "t_in_ns"), 50 * MS,
	    "as late as the stream's end");
	got = ask(post("/v1/completions", "",
		      "{\"prompt\":\"x\",\"max_tokens\":300}"),
	    "}}}\n");
	t0 = num(2, "t_in_ns");
	is_int(num(2, "t_end_ns") - t0, 40 * MS + 299 * (5 * MS),
	    "300 tokens take their time");
	is_int(count(strstr(got, "\"text\""), " "), 299, "and are all there");
	(void)ask(
	    post("/v1/completions", "", "{\"prompt\":\"x\",\"max_tokens\":1}"),
	    "}}}\n");
	is_int(num(3, "t_end_ns") - num(3, "t_in_ns"), 40 * MS, "one token");
	stop();
}

static void
test_slots(void)
{
	struct tape_serve_conf conf = conf_default();
	int fd[3], i;
	const char *got;

	conf.slots = 1;
	conf.queue = 1;
	start(conf);
	for (i = 0; i < 3; i++) {
		fd[i] = dial();
		SAY(fd[i], post(CHAT, "", STREAM "}"));
		pump();
		pump();
	}
	got = hear(fd[2], "}}");
	ok(strncmp(got, "HTTP/1.1 429 Too Many Requests\r\n", 32) == 0 &&
		strstr(got, "retry-after: 1\r\n") != NULL &&
		strstr(got, "{\"error\":{\"message\":\"the queue is full\","
			    "\"type\":\"rate_limit_error\",\"param\":null,"
			    "\"code\":\"rate_limit_exceeded\"}}") != NULL,
	    "slot and queue are full");
	is_int(count(hear(fd[1], LAST_CHUNK), "data: "), 6,
	    "the one that waited is answered");
	is_str(outcome(1), "refused", "429 in the log");
	is_int(num(1, "status"), 429, "with its status");
	is_int(num(3, "due_first_ns"), num(2, "due_last_ns") + 40 * MS,
	    "the second begins at the deadline of the first one's end");
	is_int(tape_serve_get_stats(srv)->refused, 1, "counted");
	/* a client that goes frees slot and place */
	(void)close(fd[0]);
	fd[0] = dial();
	SAY(fd[0], post(CHAT, "", STREAM "}"));
	pump();
	pump();
	SAY(fd[1], post(CHAT, "", STREAM "}"));
	pump();
	pump();
	(void)close(fd[1]);
	pump();
	SAY(fd[2], post(CHAT, "", STREAM "}"));
	pump();
	pump();
	(void)close(fd[0]);
	is_int(
	    count(hear(fd[2], LAST_CHUNK), "data: "), 6, "the next one runs");
	is_str(outcome(4), "client-closed", "who waited and went");
	is_str(outcome(5), "client-closed", "who ran and went");
	is_str(outcome(6), "complete", "who stayed");
	(void)close(fd[2]);
	stop();
}

/* The server itself is late: that must not move any deadline. */
static void
test_no_drift(void)
{
	struct tape_serve_conf conf = conf_default();
	int fd[2], i;

	conf.slots = 1;
	start(conf);
	for (i = 0; i < 2; i++) {
		fd[i] = dial();
		SAY(fd[i], post(CHAT, "", STREAM "}"));
		pump();
		pump();
	}
	fake.now_ns += 70 * MS;
	is_int(count(hear(fd[0], LAST_CHUNK), "data: "), 6, "the first");
	fake.now_ns += 100 * MS;
	is_int(count(hear(fd[1], LAST_CHUNK), "data: "), 6, "the second");
	is_int(num(1, "due_last_ns") - num(1, "due_first_ns"), 10 * MS,
	    "a late token delays no other one");
	ok(num(1, "late_max_ns") > 5 * MS && num(2, "late_max_ns") > 50 * MS,
	    "they were late, and said so");
	is_int(num(2, "due_first_ns"), num(1, "due_last_ns") + 40 * MS,
	    "nor does a late end delay who waits for the slot");
	for (i = 0; i < 2; i++)
		(void)close(fd[i]);
	stop();
}

static void
test_refusals(void)
{
	struct tape_serve_conf conf = conf_default();
	const char *got;

	conf.api_key = "sesame";
	start(conf);
	got = ask("GET /health HTTP/1.1\r\nhost: h\r\n\r\n", "}\n");
	ok(strstr(got, "\r\n\r\n{\"status\":\"ok\"}\n") != NULL, "health");
	got = ask("GET /health/ready HTTP/1.1\r\nhost: h\r\n\r\n", "}\n");
	ok(strstr(got, "200 OK") != NULL, "ready");
	got = ask("HEAD /health HTTP/1.1\r\nhost: h\r\n\r\n", "\r\n\r\n");
	ok(strstr(got, "content-length: 16\r\n\r\n") != NULL, "HEAD");
	got = ask("GET /v1/models HTTP/1.1\r\nhost: h\r\n"
		  "authorization: Bearer sesame\r\n\r\n",
	    "}\n");
	ok(strstr(got, "{\"object\":\"list\",\"data\":[{\"id\":\"llmtape\","
		       "\"object\":\"model\",\"created\":1000,"
		       "\"owned_by\":\"llmtape\"}]}\n") != NULL,
	    "models");
	got = ask(post(CHAT, "", HELLO "}"), "}}");
	ok(strncmp(got, "HTTP/1.1 401 ", 13) == 0 &&
		strstr(got, "www-authenticate: Bearer\r\n") != NULL &&
		strstr(got, "\"invalid_api_key\"") != NULL,
	    "no key");
	got =
	    ask(post(CHAT, "authorization: Bearer sesam\r\n", HELLO "}"), "}}");
	ok(strncmp(got, "HTTP/1.1 401 ", 13) == 0, "a wrong key");
	got = ask(post(CHAT, "authorization: Bearer sesame\r\n", HELLO), "}}");
	ok(strncmp(got, "HTTP/1.1 400 ", 13) == 0 &&
		strstr(got, "invalid_request_error") != NULL,
	    "half a body");
	got = ask(
	    post(CHAT, "authorization: Bearer sesame\r\n", "{\"messages\":[]}"),
	    "}}");
	ok(strstr(got, "\"message\":\"messages: at least one expected\"") !=
		NULL,
	    "no messages");
	got = ask(post("/v1/embeddings", "", "{}"), "}}");
	ok(strncmp(got, "HTTP/1.1 404 ", 13) == 0, "another path");
	got = ask("GET " CHAT " HTTP/1.1\r\nhost: h\r\n\r\n", "}}");
	ok(strncmp(got, "HTTP/1.1 405 ", 13) == 0 &&
		strstr(got, "allow: POST\r\n") != NULL,
	    "another method");
	got = ask("GET /\xff HTTP/1.1\r\nhost: h\r\n\r\n", "}}");
	ok(strncmp(got, "HTTP/1.1 404 ", 13) == 0, "a path that is no text");
	ok(strstr(log_line(11), "\"path\":\"/\xef\xbf\xbd\"") != NULL,
	    "is repaired in the log");
	got = ask("nonsense\r\n\r\n", "<eof>");
	ok(strncmp(got, "HTTP/1.1 400 ", 13) == 0 &&
		strstr(got, "{\"error\":{\"message\":\"bad request line\"") !=
		    NULL,
	    "no HTTP");
	is_str(outcome(12), "refused", "each has its line");
	is_int(tape_serve_get_stats(srv)->requests, 12, "and is counted");
	stop();
}

/* One request of the body that meets a fault. */
static const char *
faulty(const char *fault, const char *body, const char *until)
{
	static struct tape_serve_fault f;
	struct tape_serve_conf conf = conf_default();
	struct tape_err err = { 0 };

	if (tape_serve_fault_parse(fault, &f, &err) != TAPE_OK)
		printf("# %s\n", err.text);
	conf.faults = &f;
	conf.n_faults = 1;
	conf.stall_ns = 100 * MS;
	start(conf);
	return ask(post(CHAT, "", body), until);
}

static bool
ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && strcmp(text + a - b, end) == 0;
}

static void
test_faults_streaming(void)
{
	static const struct {
		const char *fault;
		int events;
		const char *begin, *end;
	} cases[] = {
		{ "429:1", 0, "HTTP/1.1 429 ", "}}" },
		{ "500:1", 0, "HTTP/1.1 500 ", "}}" },
		{ "503:1/1", 0, "HTTP/1.1 503 ", "}}" },
		{ "close:1", 0, "<eof>", "<eof>" },
		{ "reset:1:2", 3, "HTTP/1.1 200 ", "\r\n<rst>" },
		{ "reset:1:99", 4, "HTTP/1.1 200 ", "\r\n<rst>" },
		{ "reset:1:0", 0, "HTTP/1.1 200 ", "\r\n\r\n<rst>" },
		{ "stall:1:2", 3, "HTTP/1.1 200 ", "\n\n\r\n<eof>" },
		{ "truncate:1:1", 2, "HTTP/1.1 200 ", "\n\n\r\n<eof>" },
		{ "bad-chunk:1:1", 2, "HTTP/1.1 200 ", "no number\r\n<eof>" },
		{ "error-event:1:1", 4, "HTTP/1.1 200 ",
		    "data: [DONE]\n\n\r\n0\r\n\r\n" },
		{ "malformed:1:1", 7, "HTTP/1.1 200 ",
		    "data: [DONE]\n\n\r\n0\r\n\r\n" },
		{ "stale:1", 6, "HTTP/1.1 200 ", "0\r\n\r\n<eof>" },
	};
	const char *got;
	char name[16];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		got = faulty(cases[i].fault, STREAM "}",
		    cases[i].end[0] == '}'                 ? "}}"
		    : ends_with(cases[i].end, "0\r\n\r\n") ? LAST_CHUNK
							   : "<eof>");
		(void)snprintf(name, sizeof(name), "%.*s",
		    (int)strcspn(cases[i].fault, ":"), cases[i].fault);
		is_int(count(got, "data: "), cases[i].events,
		    "%s: so many events", cases[i].fault);
		ok(strncmp(got, cases[i].begin, strlen(cases[i].begin)) == 0 &&
			ends_with(got, cases[i].end),
		    "%s: begins and ends so", cases[i].fault);
		is_str(outcome(1), name, "%s: in the log", cases[i].fault);
		is_str(log_line(2), "", "%s: once", cases[i].fault);
		stop();
	}
	got = faulty("malformed:1:1", STREAM "}", LAST_CHUNK);
	ok(strstr(got, "\"delta\":{\"content\":\"\n\n") != NULL,
	    "malformed JSON");
	stop();
	got = faulty("error-event:1:1", STREAM "}", LAST_CHUNK);
	ok(strstr(got, "data: {\"error\":{\"message\":") != NULL,
	    "an error event");
	stop();
	got = faulty("stale:1", STREAM "}", "<eof>");
	ok(strstr(got, "connection:") == NULL, "stale: nobody was told");
	stop();
	(void)faulty("stall:1:2", STREAM "}", "<eof>");
	ok(num(1, "t_end_ns") - num(1, "t_last_ns") == 105 * MS,
	    "a stall is as long as it should be, from the next deadline on");
	stop();
}

static void
test_faults_whole(void)
{
	static const struct {
		const char *fault, *begin, *end;
	} cases[] = {
		{ "reset:1", "<rst>", "<rst>" },
		{ "stall:1", "<eof>", "<eof>" },
		{ "truncate:1", "HTTP/1.1 200 ", "<eof>" },
		{ "bad-chunk:1", "no number\r\n<eof>", "<eof>" },
		{ "error-event:1", "HTTP/1.1 200 ", "\"internal_error\"}}" },
		{ "malformed:1", "HTTP/1.1 200 ", "" },
		{ "stale:1", "HTTP/1.1 200 ", "}}}\n<eof>" },
	};
	const char *got;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		got = faulty(cases[i].fault, HELLO "}",
		    cases[i].end[0] == '"'    ? "}}"
		    : cases[i].end[0] == '\0' ? "\"content\":\""
					      : "<eof>");
		ok(strncmp(got, cases[i].begin, strlen(cases[i].begin)) == 0 &&
			ends_with(got, cases[i].end),
		    "%s: begins and ends so", cases[i].fault);
		ok(strncmp(outcome(1), cases[i].fault, strlen(outcome(1))) == 0,
		    "%s: in the log", cases[i].fault);
		stop();
	}
}

static void
test_prefix(void)
{
	struct tape_serve_conf conf = conf_default();
	const char *got;

	conf.prefix_blocks = 100;
	conf.prefix_tokens = 2;
	conf.prefill_ns = MS;
	start(conf);
	(void)ask(post("/v1/completions", "",
		      "{\"prompt\":\"a b c d e\",\"max_tokens\":1}"),
	    "}}}\n");
	got = ask(post("/v1/completions", "",
		      "{\"prompt\":\"a b c d x y\",\"max_tokens\":1}"),
	    "}}}\n");
	ok(strstr(got, "\"prompt_tokens_details\":{\"cached_tokens\":4}") !=
		NULL,
	    "usage has the cached tokens");
	is_int(num(2, "cached_tokens"), 4, "the log, too");
	is_int(num(1, "t_first_ns") - num(1, "t_in_ns"), 45 * MS,
	    "prefill takes its time");
	is_int(num(2, "t_first_ns") - num(2, "t_in_ns"), 42 * MS,
	    "less for what is cached");
	stop();
}

static void
test_end(void)
{
	struct tape_serve_conf conf = conf_default();
	struct tape_err err = { 0 };
	int fd, null_fd;

	conf.max_requests = 2;
	start(conf);
	(void)ask(post(CHAT, "", HELLO "}"), "}}}\n");
	(void)ask(post(CHAT, "", HELLO "}"), "}}}\n");
	is_int(tape_serve_run(srv, &err), TAPE_OK, "ends after two requests");
	stop();
	conf = conf_default();
	conf.duration_ns = 20 * MS;
	start(conf);
	fd = dial();
	SAY(fd, post(CHAT, "", STREAM "}"));
	is_int(tape_serve_run(srv, &err), TAPE_OK, "ends after 20 ms");
	is_str(outcome(1), "complete", "and answers what is in hand");
	stop();
	(void)close(fd);
	conf.drain_ns = 20 * MS;
	start(conf);
	fd = dial();
	SAY(fd, post(CHAT, "", STREAM "}"));
	is_int(tape_serve_run(srv, &err), TAPE_OK, "if that can be in time");
	is_str(outcome(1), "stopped", "else it is cut off");
	stop();
	(void)close(fd);
	/* a log that cannot be written ends it */
	start(conf_default());
	null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	(void)dup2(null_fd, log_fd);
	fd = dial();
	SAY(fd, "GET /health HTTP/1.1\r\nhost: h\r\n\r\n");
	is_int(tape_serve_run(srv, &err), TAPE_E_IO, "no log, no service");
	(void)close(fd);
	(void)close(null_fd);
	stop();
}

static void
test_no_memory(void)
{
	struct tape_serve_conf conf = conf_default();

	conf.prefix_blocks = 10;
	conf.prefix_tokens = 1;
	survives_no_memory(conf, STREAM "}");
}

int
main(void)
{
	client_pump = pump;
	test_stream();
	test_stamps();
	test_whole();
	test_slots();
	test_no_drift();
	test_refusals();
	test_faults_streaming();
	test_faults_whole();
	test_prefix();
	test_end();
	test_no_memory();
	return done_testing();
}
