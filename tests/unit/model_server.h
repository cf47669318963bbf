/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model_server: a model server with a fake clock, its log in memory, and raw
 * clients in its thread; deadlines are met to the nanosecond, so that what was
 * sent when can be compared exactly.
 */
#ifndef TAPE_UNIT_MODEL_SERVER_H
#define TAPE_UNIT_MODEL_SERVER_H

#include "engine/serve.h"

#include "base/buf.h"
#include "base/mem.h"
#include "codec/json.h"
#include "unit/ports.h"
#include "unit/raw_client.h"
#include "unit/tap.h"

#include <fcntl.h>
#include <sys/mman.h>

#define MS TAPE_NS_PER_MS

static struct tape_serve *srv;
static struct tape_clock_fake fake;
static struct tape_clock fake_clock;
static int log_fd = -1;

static inline void
pump(void)
{
	struct tape_err err = { 0 };

	if (tape_serve_run_until(srv, fake.now_ns + MS, &err) < 0)
		printf("# %s\n", err.text);
}

static inline struct tape_serve_conf
conf_default(void)
{
	struct tape_serve_conf conf;

	tape_serve_conf_default(&conf);
	conf.port = ports_next();
	return conf;
}

static inline void
start(struct tape_serve_conf conf)
{
	struct tape_err err = { 0 };

	fake.now_ns = 1000 * TAPE_NS_PER_S;
	fake_clock = tape_clock_from_fake(&fake);
	conf.clock = &fake_clock;
	log_fd = memfd_create("log", MFD_CLOEXEC);
	conf.log_fd = log_fd;
	for (int i = 0; i < PORTS_TRIES; i++) {
		tape_err_clear(&err);
		if (tape_serve_open(&srv, &conf, &err) != TAPE_E_IO)
			break;
		conf.port = ports_next();
	}
	if (err.status != TAPE_OK) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	port = tape_serve_port(srv);
}

static inline void
stop(void)
{
	tape_serve_free(srv);
	srv = NULL;
	(void)close(log_fd);
}

/* The log so far, and its line number n (from 1). */
static inline const char *
log_line(int n)
{
	static char text[1 << 16];
	ssize_t len = pread(log_fd, text, sizeof(text) - 1, 0);
	char *p = text, *end;

	text[len > 0 ? len : 0] = '\0';
	while (--n > 0 && p != NULL) {
		p = strchr(p, '\n');
		p = p != NULL ? p + 1 : NULL;
	}
	if (p == NULL)
		return "";
	end = strchr(p, '\n');
	if (end != NULL)
		*end = '\0';
	return p;
}

/* A member of a line of the log; -1 when it is not there. */
static inline int64_t
num(int line, const char *key)
{
	const char *text = log_line(line);
	struct tape_json r;
	struct tape_json_token tok;
	int64_t v = -1;

	tape_json_init(&r);
	tape_json_open(&r, text, strlen(text), TAPE_JSON_OURS);
	while (tape_json_next(&r, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_END)
		if (tape_json_key_is(&tok, key) && tok.type == TAPE_JSON_INT)
			v = tok.i64;
	tape_json_release(&r);
	return v;
}

static inline const char *
outcome(int line)
{
	static char text[32];
	const char *p = strstr(log_line(line), "\"outcome\":\"");

	if (p == NULL)
		return "";
	p += 11;
	(void)snprintf(text, sizeof(text), "%.*s", (int)strcspn(p, "\""), p);
	return text;
}

/* A POST, in memory that the next call uses again. */
static inline const char *
post(const char *path, const char *headers, const char *body)
{
	static char text[4096];

	(void)snprintf(text, sizeof(text),
	    "POST %s HTTP/1.1\r\nhost: h\r\n%scontent-length: %zu\r\n\r\n%s",
	    path, headers, strlen(body), body);
	return text;
}

#define CHAT "/v1/chat/completions"
#define HELLO                                                                  \
 "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello "      \
 "you\"}],\"max_tokens\":3"
#define STREAM     HELLO ",\"stream\":true"
#define WITH_USAGE STREAM ",\"stream_options\":{\"include_usage\":true}}"
#define LAST_CHUNK "0\r\n\r\n"

/* The answer's events, one after the other, without framing and with what is
   different each time taken out. */
static inline const char *
events(const char *answer)
{
	static struct tape_buf b;
	const char *p = strstr(answer, "\r\n\r\n"), *id, *end;

	tape_buf_release(&b);
	tape_buf_init(&b, 1 << 20);
	while (p != NULL && (p = strstr(p, "data: ")) != NULL) {
		end = strstr(p, "\r\n");
		if (end == NULL)
			end = p + strlen(p);
		id = strstr(p, "cmpl-");
		if (id != NULL && id < end) {
			(void)tape_buf_add(&b, p, (size_t)(id - p));
			(void)tape_buf_add_str(&b, "cmpl-ID");
			p = id + 5 + 16;
		}
		(void)tape_buf_add(&b, p, (size_t)(end - p));
		p = end;
	}
	return b.data;
}

static inline int
count(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

/* One life of a server, from its opening to the end of an answer, with the nth
   allocation failing; true when the answer was complete. */
static inline bool
lives_without(
    uint64_t nth, const struct tape_serve_conf *conf, const char *body)
{
	struct tape_err err = { 0 };
	bool complete;
	int fd;

	srv = NULL;
	(void)tape_mem_fail_at(nth);
	if (tape_serve_open(&srv, conf, &err) != TAPE_OK) {
		(void)tape_mem_fail_at(0);
		return false;
	}
	port = tape_serve_port(srv);
	fd = dial();
	SAY(fd, post(CHAT, "connection: close\r\n", body));
	complete = strstr(hear(fd, "<eof>"), "[DONE]") != NULL;
	(void)tape_mem_fail_at(0);
	(void)close(fd);
	tape_serve_free(srv);
	srv = NULL;
	return complete;
}

/* Asks body of servers whose first, second, ... allocation fails, until none
   does. */
static inline void
survives_no_memory(struct tape_serve_conf conf, const char *body)
{
	uint64_t nth = 1;

	conf.clock = &fake_clock;
	fake.now_ns = 0;
	while (nth < 200 && !lives_without(nth, &conf, body)) {
		conf.port = ports_next();
		nth++;
	}
	ok(nth > 10 && nth < 200, "each of %d failing allocations is survived",
	    (int)nth - 1);
}

#endif
