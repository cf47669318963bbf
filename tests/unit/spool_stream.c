/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace that is played while it is still being read. */
#include "engine/spool_impl.h"

#include "base/mem.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

#define HEADER                                                                  \
 "{\"kind\":\"header\",\"format\":\"llmtape.trace\",\"version\":\"1.0\","       \
 "\"epoch\":\"2026-03-01T12:00:00.000000000Z\",\"epoch_mono\":\"1.000000000\"," \
 "\"run_id\":\"r\",\"prov\":[]}\n"
#define WAIT_NS (60 * TAPE_NS_PER_S) /* a test that waits longer has failed */

static struct tape_err err;
static struct tape_buf text;
static int records;
static int (*interrupts)(void);

static void
begin(void)
{
	tape_buf_clear(&text);
	(void)tape_buf_add_str(&text, HEADER);
	records = 0;
}

static void
add(const char *rest, int id)
{
	(void)tape_buf_add_fmt(
	    &text, "{\"kind\":\"request\",\"id\":\"r%d\",%s}\n", id, rest);
	records++;
}

static void
add_many(int from, int to)
{
	for (int i = from; i < to; i++)
		add("\"input\":{\"text\":\"x\"}", i);
}

static void
end(const char *status)
{
	(void)tape_buf_add_fmt(&text,
	    "{\"kind\":\"end\",\"records\":%d,\"status\":\"%s\"}\n", records,
	    status);
}

struct stream {
	struct tape_spool *spool;
	struct tape_reader *reader;
	int fd; /* the end that is written to, or -1 */
};

static enum tape_status
start(struct stream *s, uint64_t least)
{
	struct tape_spool_start how = { .least = least,
		.interrupts = interrupts };
	enum tape_status st = tape_spool_open(&s->spool, "/tmp", &err);

	if (st == TAPE_OK)
		st = tape_spool_start(s->spool, s->reader, &how, &err);
	return st;
}

/* Over the text in memory. */
static enum tape_status
open_text(struct stream *s, uint64_t least)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_TRACE };

	tape_err_clear(&err);
	*s = (struct stream){ .fd = -1 };
	if (tape_reader_open_mem(
		&s->reader, text.data, text.len, &opts, &err) != TAPE_OK)
		abort();
	return start(s, least);
}

/* Over a pipe that has the text so far. */
static enum tape_status
open_pipe(struct stream *s, uint64_t least)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_TRACE };
	struct tape_in *in;
	int fd[2];

	tape_err_clear(&err);
	*s = (struct stream){ .fd = -1 };
	if (pipe(fd) != 0 ||
	    write(fd[1], text.data, text.len) != (ssize_t)text.len ||
	    tape_in_open_fd(&in, fd[0], "pipe", NULL) != TAPE_OK ||
	    tape_reader_open_in(&s->reader, in, &opts, &err) != TAPE_OK)
		abort();
	s->fd = fd[1];
	return start(s, least);
}

static void
write_more(struct stream *s)
{
	ok(write(s->fd, text.data, text.len) == (ssize_t)text.len, "more");
}

static void
shut(struct stream *s)
{
	tape_spool_free(s->spool);
	tape_reader_free(s->reader);
	if (s->fd >= 0)
		(void)close(s->fd);
}

static void
note_trace(void *arg)
{
	(void)!write(*(int *)arg, "x", 1);
}

/* Until the request is there, or will not be, by being told of it. */
static enum tape_status
await(struct stream *s, uint64_t index)
{
	const int64_t until = tape_clock_now_ns(&tape_clock_system) + WAIT_NS;
	int fd[2];
	bool there = false;
	char c;
	enum tape_status st = TAPE_OK;

	if (pipe(fd) != 0)
		abort();
	tape_spool_notify(s->spool, note_trace, &fd[1]);
	while (st == TAPE_OK && !there) {
		st = tape_spool_look(s->spool, index, &there, &err);
		if (st == TAPE_OK && !there && read(fd[0], &c, 1) != 1)
			abort();
		if (tape_clock_now_ns(&tape_clock_system) > until)
			abort();
	}
	tape_spool_notify(s->spool, NULL, NULL);
	(void)close(fd[0]);
	(void)close(fd[1]);
	return st;
}

static bool
reads(struct stream *s, uint64_t index)
{
	struct tape_record rec;
	struct tape_spool_entry entry;
	char id[32];
	bool good;

	(void)snprintf(id, sizeof(id), "r%d", (int)index);
	tape_record_init(&rec);
	good =
	    tape_spool_read(s->spool, index, &rec, &entry, &err) == TAPE_OK &&
	    tape_str_is(rec.u.request.id, id);
	tape_record_release(&rec);
	return good;
}

/* A trace of so many requests: whole or streamed, and its head start. */
static void
head_is(int requests, uint64_t least, bool streamed, int head)
{
	const struct tape_spool_info *i;
	struct stream s;

	begin();
	add_many(0, requests);
	end("complete");
	is_int(open_text(&s, least), TAPE_OK, "%d: %s", requests, err.text);
	i = tape_spool_info(s.spool);
	is_int(i->streamed, streamed, "streamed or not");
	is_int((int64_t)i->head, head, "the head start");
	if (!streamed)
		ok(i->ended && i->hash[0] != '\0', "all is known");
	shut(&s);
}

static void
test_head(void)
{
	head_is(1, 0, false, 1);
	head_is(TAPE_SPOOL_HEAD, 2, false, TAPE_SPOOL_HEAD);
	head_is(TAPE_SPOOL_HEAD + 1, 2, true, TAPE_SPOOL_HEAD);
	head_is(9000, 6000, true, 6000);
	head_is(9000, 9000, false, 9000);
	head_is(9000, 20000, false, 9000);
}

/* Many bytes are a head start, too: 20 lines of a mebibyte. */
static void
test_head_bytes(void)
{
	const size_t mib = (size_t)1 << 20;
	struct stream s;
	static const char before[] = "\"input\":{\"text\":\"";
	size_t n = sizeof(before) - 1;
	char *line = tape_mem_calloc(mib + 64, 1);

	memcpy(line, before, n);
	memset(line + n, 'x', mib);
	memcpy(line + n + mib, "\"}", 2);
	begin();
	for (int i = 0; i < 20; i++)
		add(line, i);
	end("complete");
	is_int(open_text(&s, 2), TAPE_OK, "twenty: %s", err.text);
	ok(tape_spool_info(s.spool)->streamed, "are streamed");
	is_int((int64_t)tape_spool_info(s.spool)->head, 16, "behind 16 MiB");
	is_int(await(&s, 19), TAPE_OK, "the last comes");
	ok(reads(&s, 19) && reads(&s, 3), "and can be read");
	shut(&s);
	tape_mem_free(line);
}

/* It reads only so far ahead, and all of it when that is wanted. */
static void
test_distance(void)
{
	enum { N = 50000 };
	const struct tape_spool_info *info;
	struct stream s;
	bool there;
	int wrong = 0;

	begin();
	add_many(0, N);
	end("complete");
	is_int(open_text(&s, 2), TAPE_OK, "long: %s", err.text);
	info = tape_spool_info(s.spool);
	for (int i = 0; i < N; i++) {
		wrong += await(&s, (uint64_t)i) != TAPE_OK;
		wrong += i % 97 == 0 && !reads(&s, (uint64_t)i);
		wrong += info->requests > (uint64_t)i + 1 + TAPE_SPOOL_HEAD;
		wrong += info->head != TAPE_SPOOL_HEAD || !info->streamed;
	}
	is_int(wrong, 0, "never further ahead than it should");
	is_int(await(&s, N), TAPE_EOF, "the end");
	ok(info->ended && (int)info->requests == N, "which is known");
	ok(info->hash[0] != '\0', "and its hash");
	is_int(tape_spool_look(s.spool, 0, &there, &err), TAPE_OK, "again");
	ok(there && reads(&s, 0) && reads(&s, N - 1), "any of it is there");
	shut(&s);
}

static void
test_late_errors(void)
{
	struct stream s;

	begin();
	add_many(0, 6000);
	add("\"input\":{\"text\":\"x\"}", 5999);
	add_many(6001, 7000);
	end("complete");
	is_int(open_text(&s, 2), TAPE_OK, "a duplicate far behind");
	is_int(await(&s, 5999), TAPE_OK, "what came before is there");
	is_int(await(&s, 6000), TAPE_E_FORMAT, "then it fails");
	ok(strstr(err.text, "twice") != NULL, "because: %s", err.text);
	is_int((int64_t)err.line, 6002, "with its line");
	is_str(err.name, "memory", "and the trace");
	ok(!tape_spool_info(s.spool)->ended, "there is no end");
	shut(&s);

	begin();
	add_many(0, 6000);
	end("failed");
	is_int(open_text(&s, 2), TAPE_OK, "one that was not made whole");
	is_int(await(&s, 6000), TAPE_E_TRUNC, "is told at its end");
	shut(&s);

	begin();
	add_many(0, 6000);
	is_int(open_text(&s, 2), TAPE_OK, "one that is cut");
	is_int(await(&s, 6000), TAPE_E_TRUNC, "likewise: %s", err.text);
	shut(&s);

	begin();
	add_many(0, 10);
	add("\"input\":{}", 10);
	end("complete");
	is_int(
	    open_text(&s, 2), TAPE_E_FORMAT, "one in the head start at once");
	is_int((int64_t)err.line, 12, "with its line");
	shut(&s);
}

static void
add_vocab(const char *name)
{
	(void)tape_buf_add_fmt(&text,
	    "{\"kind\":\"vocab\",\"name\":\"%s\",\"words\":[\"a\",\"b\"],"
	    "\"first\":[1]}\n",
	    name);
	records++;
}

static void
add_blocks(const char *vocab, int id)
{
	char rest[128];

	(void)snprintf(rest, sizeof(rest),
	    "\"input\":{\"blocks\":{\"vocab\":\"%s\",\"seed\":1,\"size\":4,"
	    "\"ids\":[1],\"tokens\":4}}",
	    vocab);
	add(rest, id);
}

/* Vocabularies that come later are there with the requests that need them. */
static void
test_vocabs(void)
{
	const struct tape_vocab_set *set;
	struct stream s;

	begin();
	add_vocab("early");
	for (int i = 0; i < 6000; i++)
		add_blocks("early", i);
	add_vocab("late");
	add_blocks("late", 6000);
	add_blocks("never", 6001);
	end("complete");
	is_int(open_text(&s, 2), TAPE_OK, "blocks: %s", err.text);
	set = tape_spool_vocabs(s.spool);
	ok(tape_vocab_set_find(set, tape_str_of("early")) != NULL, "one");
	is_int(await(&s, 6000), TAPE_OK, "far behind");
	ok(reads(&s, 6000), "a request");
	ok(tape_vocab_set_find(set, tape_str_of("late")) != NULL,
	    "with a vocabulary that came late");
	ok(tape_vocab_set_find(set, tape_str_of("early")) != NULL,
	    "beside the other");
	is_int(await(&s, 6001), TAPE_E_FORMAT, "but one that never came");
	ok(strstr(err.text, "never") != NULL, "is missed: %s", err.text);
	shut(&s);
}

/* Whoever makes it takes his time. */
static void
test_slow(void)
{
	struct stream s;
	bool there = true;

	begin();
	add_many(0, 5);
	is_int(open_pipe(&s, 2), TAPE_OK, "five have come: %s", err.text);
	is_int((int64_t)tape_spool_info(s.spool)->head, 5, "the head start");
	ok(tape_spool_info(s.spool)->streamed, "streamed");
	is_int(tape_spool_look(s.spool, 5, &there, &err), TAPE_OK, "the next");
	ok(!there, "is not there");
	tape_buf_clear(&text);
	add_many(5, 8);
	write_more(&s);
	is_int(await(&s, 7), TAPE_OK, "until it is");
	ok(reads(&s, 7), "and can be read");
	tape_buf_clear(&text);
	end("complete");
	write_more(&s);
	(void)close(s.fd);
	s.fd = -1;
	is_int(await(&s, 8), TAPE_EOF, "then the end");
	is_int((int64_t)tape_spool_info(s.spool)->requests, 8, "of eight");
	shut(&s);
}

static int asked;

static int
give_up(void)
{
	return ++asked > 2;
}

/* It ends although nothing comes. */
static void
test_quit(void)
{
	struct stream s;

	begin();
	add_many(0, 3);
	is_int(open_pipe(&s, 1), TAPE_OK, "three");
	shut(&s);
	ok(true, "left in the middle of a pipe");

	begin();
	interrupts = give_up;
	is_int(open_pipe(&s, 2), TAPE_OK, "no request comes: %s", err.text);
	interrupts = NULL;
	is_int((int64_t)tape_spool_info(s.spool)->requests, 0, "none");
	ok(asked > 2, "and it was interrupted");
	shut(&s);

	begin();
	add_many(0, 20000);
	is_int(open_text(&s, 2), TAPE_OK, "many");
	shut(&s);
	ok(true, "left while it waits for room");
}

int
main(void)
{
	tape_buf_init(&text, (size_t)64 << 20);
	test_head();
	test_head_bytes();
	test_distance();
	test_late_errors();
	test_vocabs();
	test_slow();
	test_quit();
	tape_buf_release(&text);
	return done_testing();
}
