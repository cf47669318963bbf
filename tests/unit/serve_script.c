/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers by script: what a script may say, which rule is for which request,
   and what the server then does when, to the byte and the nanosecond. */
#include "engine/serve_script.h"

#include "unit/model_server.h"

#include <unistd.h>

static char dir[] = "/tmp/llmtape-script-XXXXXX";
static char script_path[64];

static void
write_file(const char *name, const char *text)
{
	char path[96];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		printf("Bail out! cannot write %s\n", path);
	if (fd >= 0)
		(void)close(fd);
}

static void
remove_file(const char *name)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	(void)unlink(path);
}

static enum tape_status
load(struct tape_script *s, const char *text, struct tape_err *err)
{
	write_file("s", text);
	*err = (struct tape_err){ 0 };
	return tape_script_load(s, script_path, err);
}

static void
test_bad(void)
{
	static const struct {
		const char *text;
		const char *why;
		uint64_t line;
	} bad[] = {
		{ "", "no rule in it", 0 },
		{ "# nothing\n\n", "no rule in it", 2 },
		{ "{}\n{\"path\":1}", "path: a string expected", 2 },
		{ "{\"nth\":0}", "nth: not a whole number that can be", 1 },
		{ "{\"every\":-1}", "every: not a whole number that can be",
		    1 },
		{ "{\"status\":100}", "status: not a whole number that can be",
		    1 },
		{ "{\"framing\":\"http3\"}",
		    "framing: chunked, length, close or raw expected", 1 },
		{ "{\"headers\":{\"a\":\"b\\nc\"}}",
		    "a: one line of text expected", 1 },
		{ "{\"headers\":{\"a\":1}}", "a: one line of text expected",
		    1 },
		{ "{\"body\":\"x\"}", "body: no such member of a rule", 1 },
		{ "{\"play\":[1]}", ": steps expected", 1 },
		{ "{\"play\":[{}]}", "a step that does nothing", 1 },
		{ "{\"play\":[{\"each\":3}]}", "a step that does nothing", 1 },
		{ "{\"play\":[{\"text\":\"\"}]}", "nothing to send", 1 },
		{ "{\"play\":[{\"text\":\"a\",\"close\":true}]}",
		    "close: a step does one thing", 1 },
		{ "{\"play\":[{\"text\":\"a\",\"base64\":\"YQ==\"}]}",
		    "base64: a step does one thing", 1 },
		{ "{\"play\":[{\"wait\":5}]}",
		    "wait: a time as \"50ms\" expected", 1 },
		{ "{\"play\":[{\"wait\":\"5ms\",\"gap\":\"1ms\"}]}",
		    "a step that sends nothing has no pieces", 1 },
		{ "{\"play\":[{\"close\":false}]}", "close: true expected", 1 },
		{ "{\"play\":[{\"text\":\"a\",\"often\":2}]}",
		    "often: no such member of a step", 1 },
		{ "{\"play\":[{\"file\":\"none\"}]}", NULL, 1 },
		{ "{\"play\":[{\"text\":\"ab\",\"reads\":\"r0\"}]}", NULL, 1 },
		{ "{\"play\":[{\"text\":\"ab\",\"reads\":\"r\",\"each\":1}]}",
		    "each and reads exclude each other", 1 },
		{ "{\"framing\":\"length\",\"play\":[{\"text\":\"a\","
		  "\"endless\":true}]}",
		    "framing: what has no end has no length", 1 },
		{ "{\"length\":1,\"play\":[{\"text\":\"ab\"}]}",
		    "length: less than is sent; use framing raw", 1 },
		{ "{\"play\":[{\"text\":\"abc\",\"repeat\":9223372036854775807"
		  "}]}",
		    "repeat: more bytes than can be", 1 },
		{ "{} {}", NULL, 1 },
	};
	struct tape_script s;
	struct tape_err err;
	size_t i;

	write_file("r", "1\n");
	write_file("r0", "1\n0\n");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ok(load(&s, bad[i].text, &err) != TAPE_OK, "refused: case %d",
		    (int)i);
		if (bad[i].why != NULL)
			is_str(err.text, bad[i].why, "  why");
		is_int(err.line, bad[i].line, "  where");
		tape_script_release(&s);
	}
	remove_file("r0");
	remove_file("r");
}

/* The number of the rule, from 1, as its status tells it; 0: none. */
static int
match(struct tape_script *s, const char *method, const char *path)
{
	const struct tape_script_rule *rule =
	    tape_script_match(s, method, path);

	return rule != NULL ? rule->status - 200 : 0;
}

static void
test_match(void)
{
	struct tape_script s;
	struct tape_err err;

	is_int(load(&s,
		   "# rules\n"
		   "{\"path\":\"/a\",\"nth\":2,\"status\":201}\n"
		   "{\"path\":\"/a\",\"every\":3,\"status\":202}\n"
		   "{\"nth\":4,\"status\":203}\n",
		   &err),
	    TAPE_OK, "a script");
	is_int(match(&s, "POST", "/a"), 0, "the first of /a: the model's");
	is_int(match(&s, "GET", "/a"), 1, "the second, by any method");
	is_int(match(&s, "POST", "/a"), 2, "every third");
	is_int(match(&s, "GET", "/b"), 0, "another path is no POST");
	is_int(match(&s, "POST", "/b"), 0, "the third POST");
	is_int(match(&s, "POST", "/b"), 3, "the fourth, with those of /a");
	is_int(match(&s, "POST", "/a"), 0, "nth comes once");
	tape_script_release(&s);
}

static struct tape_script script;

static void
serve_by(const char *text)
{
	struct tape_serve_conf conf = conf_default();
	struct tape_err err;

	if (load(&script, text, &err) != TAPE_OK)
		printf("# %s\n", err.text);
	conf.script = &script;
	start(conf);
}

static void
done(void)
{
	stop();
	tape_script_release(&script);
}

static void
test_framings(void)
{
	serve_by(
	    "{\"nth\":1,\"status\":418,\"headers\":{\"x-a\":\"b\"},"
	    "\"play\":[{\"text\":\"one\"},{\"base64\":\"AAE=\"}]}\n"
	    "{\"nth\":2,\"framing\":\"length\",\"play\":[{\"text\":\"ab\","
	    "\"repeat\":3}]}\n"
	    "{\"nth\":3,\"framing\":\"close\",\"play\":[{\"text\":\"ab\"}]}\n"
	    "{\"nth\":4,\"framing\":\"raw\",\"status\":500,"
	    "\"play\":[{\"text\":\"anything\"}]}\n");
	is_str(ask(post(CHAT, "", ""), "2\r\n"),
	    "HTTP/1.1 418 Status\r\nx-a: b\r\ntransfer-encoding: chunked\r\n"
	    "\r\n3\r\none\r\n2\r\n",
	    "a chunk a write, up to the NUL");
	is_str(ask(post(CHAT, "", ""), "ababab"),
	    "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nababab",
	    "with its length");
	is_str(ask(post(CHAT, "", ""), "\r\n\r\nab"),
	    "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nab",
	    "until the connection ends");
	is_str(ask(post(CHAT, "", ""), "anything"), "anything",
	    "nothing but the steps");
	done();
}

/* How long the answer of a line of the log took. */
static int64_t
took_ns(int line)
{
	return num(line, "t_end_ns") - num(line, "t_in_ns");
}

static void
test_ends(void)
{
	serve_by("{\"nth\":1,\"play\":[{\"wait\":\"10ms\"},{\"text\":\"ab\"},"
		 "{\"wait\":\"5ms\"},{\"text\":\"c\"}]}\n"
		 "{\"nth\":2,\"play\":[{\"text\":\"ab\"},{\"close\":true}]}\n"
		 "{\"nth\":3,\"play\":[{\"text\":\"ab\"},{\"wait\":\"1ms\"},"
		 "{\"reset\":true}]}\n"
		 "{\"nth\":4,\"play\":[{\"stall\":\"3ms\"}]}\n"
		 "{\"nth\":5,\"length\":9,\"play\":[{\"text\":\"ab\"}]}\n"
		 "{\"nth\":6,\"play\":[{\"close\":true}]}\n"
		 "{\"nth\":7,\"play\":[{\"reset\":true}]}\n");
	ok(strstr(ask(post(CHAT, "", ""), LAST_CHUNK),
	       "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n") != NULL,
	    "both writes and the end");
	is_int(took_ns(1), 15 * MS, "after both waits");
	is_str(outcome(1), "complete", "  as the log has it");
	ok(strstr(ask(post(CHAT, "", ""), "<eof>"), "2\r\nab\r\n<eof>") != NULL,
	    "closed without an end");
	is_str(outcome(2), "close", "  as the log has it");
	ok(strstr(ask(post(CHAT, "", ""), "<rst>"), "2\r\nab\r\n<rst>") != NULL,
	    "reset behind what was sent");
	is_str(outcome(3), "reset", "  as the log has it");
	ok(strstr(ask(post(CHAT, "", ""), "<eof>"), "chunked\r\n\r\n<eof>") !=
		NULL,
	    "a head, and nothing more");
	is_str(outcome(4), "stall", "  as the log has it");
	is_int(took_ns(4), 3 * MS, "  so long");
	ok(strstr(ask(post(CHAT, "", ""), "<eof>"), "\r\n\r\nab<eof>") != NULL,
	    "less than was announced, then closed");
	ok(strstr(ask(post(CHAT, "", ""), "<eof>"), "chunked\r\n\r\n<eof>") !=
		NULL,
	    "a head only");
	is_str(ask(post(CHAT, "", ""), "<rst>"), "<rst>", "no head either");
	ok(strstr(log_line(7), "\"path\":\"" CHAT "\"") != NULL,
	    "the log has the path of the request");
	done();
}

static void
test_pieces(void)
{
	const char *got;

	write_file("body", "abcdefgh");
	write_file("reads", "3\n1\n");
	serve_by("{\"nth\":1,\"play\":[{\"file\":\"body\",\"reads\":\"reads\","
		 "\"gap\":\"2ms\"}]}\n"
		 "{\"nth\":2,\"play\":[{\"file\":\"body\",\"each\":3}]}\n"
		 "{\"nth\":3,\"play\":[{\"text\":\"0123456789\","
		 "\"repeat\":10000}]}\n");
	ok(strstr(ask(post(CHAT, "", ""), LAST_CHUNK),
	       "\r\n\r\n3\r\nabc\r\n1\r\nd\r\n4\r\nefgh\r\n0\r\n") != NULL,
	    "the reads that were recorded, and the rest");
	is_int(took_ns(1), 4 * MS, "  a gap between two");
	ok(strstr(ask(post(CHAT, "", ""), LAST_CHUNK),
	       "\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n2\r\ngh\r\n0\r\n") != NULL,
	    "equal pieces");
	got = ask(post(CHAT, "", ""), LAST_CHUNK);
	is_int(count(got, "0123456789"), 10000, "repeated so many times");
	ok(strstr(got, "\r\n\r\nfffa\r\n0123456789") != NULL,
	    "  in large writes");
	done();
	remove_file("body");
	remove_file("reads");
}

/* A client that reads nothing costs no memory, and one that leaves is seen. */
static void
test_endless(void)
{
	int i, fd;

	serve_by("{\"play\":[{\"text\":\": comment\\n\\n\","
		 "\"endless\":true}]}\n");
	fd = dial();
	SAY(fd, post(CHAT, "", ""));
	for (i = 0; i < 200; i++)
		client_pump();
	is_str(log_line(1), "", "it goes on");
	(void)close(fd);
	for (i = 0; i < 2000 && log_line(1)[0] == '\0'; i++)
		client_pump();
	is_str(outcome(1), "client-closed", "until the client is gone");
	done();
}

int
main(void)
{
	client_pump = pump;
	if (mkdtemp(dir) == NULL) {
		printf("Bail out! no scratch folder\n");
		return 1;
	}
	(void)snprintf(script_path, sizeof(script_path), "%s/s", dir);
	test_bad();
	test_match();
	test_framings();
	test_ends();
	test_pieces();
	test_endless();
	remove_file("s");
	(void)rmdir(dir);
	return done_testing();
}
