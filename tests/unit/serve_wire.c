/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How events of the model server lie on the wire: all streams ticking
 * together, several tokens an event, events merged into a write and split into
 * several; what was said and counted stays the same in all of them.
 */
#include "engine/serve_play.h"
#include "unit/model_server.h"

#define EVENTS_MAX 20000

/* A stream taken apart. */
struct heard {
	struct tape_buf body; /* without HTTP's framing */
	struct tape_buf text;
	size_t n; /* token events, and of each: */
	int64_t t_ns[EVENTS_MAX];
	int64_t late_ns[EVENTS_MAX];
	int words[EVENTS_MAX];
	int64_t usage;
	int64_t end_ns; /* of the finish event */
	bool done;
	int wrong;
};
static struct heard h;

/* Chunks put together; false when the framing is broken. */
static bool
unchunk(const char *p, struct tape_buf *body)
{
	unsigned long n;
	char *end;

	p = strstr(p, "\r\n\r\n");
	if (p == NULL)
		return false;
	p += 4;
	while ((n = strtoul(p, &end, 16)) > 0) {
		if (end == p || strncmp(end, "\r\n", 2) != 0 ||
		    strlen(end + 2) < n + 2)
			return false;
		(void)tape_buf_add(body, end + 2, n);
		p = end + 2 + n;
		if (strncmp(p, "\r\n", 2) != 0)
			return false;
		p += 2;
	}
	return end != p && strcmp(end, "\r\n\r\n") == 0;
}

static int
count_words(const char *p, size_t len)
{
	int n = 0;
	bool in = false;

	for (; len > 0; p++, len--) {
		n += !in && (unsigned char)*p > 0x20;
		in = (unsigned char)*p > 0x20;
	}
	return n;
}

/* One event's JSON. */
static void
take_event(const char *p, size_t len)
{
	struct tape_json r;
	struct tape_json_token tok = { 0 };
	int64_t t_ns = 0, late_ns = 0;
	int words = 0;
	bool finish = false;

	tape_json_init(&r);
	tape_json_open(&r, p, len, TAPE_JSON_OURS);
	while (tape_json_next(&r, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_END) {
		if (tape_json_key_is(&tok, "content") && tok.len > 0) {
			words = count_words(tok.str, tok.len);
			(void)tape_buf_add(&h.text, tok.str, tok.len);
		} else if (tape_json_key_is(&tok, "t")) {
			char text[40] = "";

			(void)snprintf(
			    text, sizeof(text), "%.*s", (int)tok.len, tok.str);
			if (tape_clock_parse_mono(text, &t_ns, NULL) != TAPE_OK)
				h.wrong++;
		} else if (tape_json_key_is(&tok, "late_ns"))
			late_ns = tok.i64;
		else if (tape_json_key_is(&tok, "completion_tokens"))
			h.usage = tok.i64;
		else if (tape_json_key_is(&tok, "finish_reason"))
			finish = tok.type == TAPE_JSON_STRING;
	}
	h.wrong += tok.type != TAPE_JSON_END;
	tape_json_release(&r);
	if (finish)
		h.end_ns = t_ns;
	if (words == 0 || h.n == EVENTS_MAX)
		return;
	h.t_ns[h.n] = t_ns;
	h.late_ns[h.n] = late_ns;
	h.words[h.n++] = words;
}

static void
release_heard(void)
{
	tape_buf_release(&h.body);
	tape_buf_release(&h.text);
}

/* Takes a whole answer apart, into h. */
static void
take_apart(const char *answer)
{
	const char *p, *end;

	release_heard();
	h = (struct heard){ .usage = -1 };
	tape_buf_init(&h.body, 1 << 24);
	tape_buf_init(&h.text, 1 << 24);
	h.wrong += !unchunk(answer, &h.body);
	for (p = h.body.data; (end = strstr(p, "\n\n")) != NULL; p = end + 2)
		if (strncmp(p, "data: [DONE]", 12) == 0)
			h.done = true;
		else if (strncmp(p, "data: {", 7) == 0)
			take_event(p + 6, (size_t)(end - p) - 6);
		else
			h.wrong++;
	h.wrong += *p != '\0';
}

/* A request for so many tokens, with usage. */
static const char *
want_tokens(int tokens, const char *word)
{
	char body[512];

	(void)snprintf(body, sizeof(body),
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}],"
	    "\"max_tokens\":%d,\"stream\":true,\"stream_options\":"
	    "{\"include_usage\":true}}",
	    word, tokens);
	return post(CHAT, "", body);
}

/* 10 ms to the first token, 5 ms gaps, stamps. */
static struct tape_serve_conf
conf_wire(void)
{
	struct tape_serve_conf conf = conf_default();

	conf.stamp = true;
	conf.ttft.mean = 10e6;
	return conf;
}

static void
hear_tokens(struct tape_serve_conf conf, int tokens)
{
	start(conf);
	take_apart(ask(want_tokens(tokens, "hello"), LAST_CHUNK));
}

/* All words are there and counted. */
static void
is_whole(int tokens, const char *name)
{
	int words = 0;
	size_t i;

	for (i = 0; i < h.n; i++)
		words += h.words[i];
	is_int(h.wrong, 0, "%s: every event is whole", name);
	is_int(words, tokens, "%s: words", name);
	is_int(h.usage, tokens, "%s: usage", name);
	is_int(count_words(h.text.data, h.text.len), tokens,
	    "%s: words when put together", name);
	ok(h.done, "%s: and the end", name);
}

static void
test_event_tokens(void)
{
	struct tape_serve_conf conf = conf_wire();
	char text[4096];
	int64_t t0;
	size_t i, odd = 0, seen[5] = { 0 };

	hear_tokens(conf, 200);
	(void)snprintf(text, sizeof(text), "%s", h.text.data);
	is_int(h.n, 200, "an event a token");
	stop();

	conf.event_tokens = (struct tape_serve_range){ 3, 3 };
	hear_tokens(conf, 8);
	is_whole(8, "threes");
	is_int(h.n, 3, "three events");
	is_int(h.words[0] * 100 + h.words[1] * 10 + h.words[2], 332,
	    "the last one has the rest");
	t0 = num(1, "t_in_ns");
	is_int(h.t_ns[0] - t0, 10 * MS, "the first when a token is due");
	is_int(h.t_ns[2] - t0, 20 * MS, "one gap an event");
	is_int(num(1, "output_tokens"), 8, "the log counts tokens");
	is_int(num(1, "events"), 7, "and events");
	stop();

	conf.event_tokens = (struct tape_serve_range){ 1, 4 };
	hear_tokens(conf, 200);
	is_whole(200, "one to four");
	for (i = 0; i < h.n; i++) {
		odd += h.words[i] < 1 || h.words[i] > 4;
		seen[h.words[i] & 3]++;
	}
	is_int(odd, 0, "no other number");
	ok(seen[0] > 5 && seen[1] > 5 && seen[2] > 5 && seen[3] > 5,
	    "and each of them");
	is_str(h.text.data, text, "the same is said");
	stop();
}

static void
test_merge(void)
{
	struct tape_serve_conf conf = conf_wire();
	const char *got;
	int64_t t0;
	int fd;

	conf.merge = 4;
	hear_tokens(conf, 10);
	is_whole(10, "merged");
	is_int(h.n, 10, "as many events");
	t0 = num(1, "t_in_ns");
	is_int(h.t_ns[0] - t0, 25 * MS, "the first waits for the fourth");
	is_int(h.t_ns[3] - t0, 25 * MS, "which it goes with");
	is_int(h.t_ns[4] - t0, 45 * MS, "the next four");
	is_int(h.t_ns[8] - t0, 55 * MS, "and the rest");
	is_int(h.t_ns[9] - t0, 55 * MS, "at the time of the last one");
	is_int(h.end_ns - t0, 55 * MS, "and the end with it");
	is_int(h.late_ns[0] + h.late_ns[5] + h.late_ns[9], 0, "none is late");
	is_int(num(1, "due_first_ns") - t0, 25 * MS, "as the log says");
	stop();

	/* one write: all of it is there as soon as a part is */
	start(conf);
	fd = dial();
	SAY(fd, want_tokens(4, "hello"));
	got = hear(fd, "data: ");
	is_int(count(got, "data: "), 8,
	    "role, four tokens, finish, usage and end at a time");
	(void)close(fd);
	stop();

	conf.event_tokens = (struct tape_serve_range){ 1, 3 };
	conf.merge = 7;
	hear_tokens(conf, 100);
	is_whole(100, "merged, of several tokens");
	is_int(num(1, "events"), h.n + 4, "and no event without any");
	stop();
}

#define CUT_TOKENS 15000

/* What the client has read of an answer when each write had come. */
struct cuts {
	size_t size, field, letter, other; /* where writes ended */
};

/* Whether the last character is not all there. */
static bool
in_letter(const char *got, size_t len)
{
	size_t back = 1;
	unsigned char lead;

	while (back < 4 && back < len && (got[len - back] & 0xc0) == 0x80)
		back++;
	lead = (unsigned char)got[len - back];
	return back < (lead >= 0xf0      ? 4U
			  : lead >= 0xe0 ? 3U
			  : lead >= 0xc0 ? 2U
					 : 0U);
}

/* Where in the event the bytes so far end. */
static void
classify(const char *got, size_t len, struct cuts *c)
{
	const char *line = got + len, *nl;

	while (line > got && line[-1] != '\n')
		line--;
	nl = got + len;
	if (nl > line &&
	    strspn(line, "0123456789abcdef\r") == (size_t)(nl - line))
		c->size++;
	else if (nl > line && nl - line < 5 && strncmp(line, "data:", 5) != 0)
		c->field++;
	else if (in_letter(got, len))
		c->letter++;
	else
		c->other++;
}

static void
test_cuts(void)
{
	struct tape_serve_conf conf = conf_wire();
	static char got[8 << 20];
	struct cuts c = { 0 };
	size_t len = 0, writes = 0;
	ssize_t n;
	int fd, i;

	conf.style = TAPE_SERVE_PROSE;
	conf.split = (struct tape_serve_split){ 3, MS };
	start(conf);
	fd = dial();
	SAY(fd, want_tokens(CUT_TOKENS, "cut"));
	for (i = 0; i < 100000 &&
		    strcmp(got + len - (len < 5 ? len : 5), LAST_CHUNK) != 0;
	     i++) {
		pump();
		n = recv(fd, got + len, sizeof(got) - len - 1, MSG_DONTWAIT);
		if (n <= 0)
			continue;
		len += (size_t)n;
		got[len] = '\0';
		writes++;
		classify(got, len, &c);
	}
	(void)close(fd);
	stop();
	take_apart(got);
	is_whole(CUT_TOKENS, "split prose");
	/* the head is one, too */
	ok(writes > CUT_TOKENS * 29 / 10 && writes <= CUT_TOKENS * 3 + 1,
	    "three writes an event: %d", (int)writes);
	ok(c.size > 0, "cuts within a chunk's size: %d", (int)c.size);
	ok(c.field > 0, "within \"data:\": %d", (int)c.field);
	ok(c.letter > 0, "within a character: %d", (int)c.letter);
	ok(c.other > 500, "and anywhere: %d", (int)c.other);
}

static void
test_split(void)
{
	struct tape_serve_conf conf = conf_wire();
	const char *got;
	int64_t t0;
	int fd;

	conf.split = (struct tape_serve_split){ 3, MS };
	hear_tokens(conf, 4);
	is_whole(4, "split");
	t0 = num(1, "t_in_ns");
	is_int(h.t_ns[0] - t0, 12 * MS, "the time of the last piece");
	is_int(h.late_ns[0], 0, "which was when it was due");
	is_int(h.t_ns[1] - t0, 17 * MS, "the next event keeps its time");
	is_int(h.t_ns[3] - t0, 27 * MS, "and all others");
	is_int(h.end_ns - t0, 27 * MS, "the end comes with the last piece");
	stop();

	/* the pieces take longer than the time to the next event */
	conf.split = (struct tape_serve_split){ 4, 2 * MS };
	hear_tokens(conf, 3);
	is_whole(3, "slow pieces");
	t0 = num(1, "t_in_ns");
	is_int(h.t_ns[0] - t0, 16 * MS, "10 and three gaps");
	is_int(
	    h.t_ns[1] - t0, 22 * MS, "no event begins before the last ended");
	stop();

	/* a client that goes in mid-event */
	start(conf);
	fd = dial();
	SAY(fd, want_tokens(3, "hello"));
	got = hear(fd, "data: {");
	ok(strstr(got, "llmtape") == NULL || strstr(got, "assistant") != NULL,
	    "a part of the event came");
	(void)close(fd);
	for (int i = 0; i < 20; i++)
		pump();
	is_str(outcome(1), "client-closed", "its request is over");
	stop();

	conf.merge = 2;
	struct tape_err err = { 0 };
	is_int(tape_serve_open(&srv, &conf, &err), TAPE_E_USAGE,
	    "merged and split is refused");
}

/* Sends a request, and lets the time go on by ms. */
static int
begin(int tokens, const char *word, int ms)
{
	int fd = dial();

	SAY(fd, want_tokens(tokens, word));
	while (ms-- > 0)
		pump();
	return fd;
}

static void
test_batch(void)
{
	struct tape_serve_conf conf = conf_wire();
	int a, b, c;
	int64_t t0, t1;

	conf.cadence = TAPE_SERVE_BATCH;
	start(conf);
	a = begin(8, "a", 12);
	b = begin(5, "b", 1);
	c = begin(5, "b", 1);
	take_apart(hear(b, LAST_CHUNK));
	is_whole(5, "batch");
	/* ends: b and c at one step, after a's eighth */
	t0 = num(1, "t_in_ns");
	t1 = num(2, "t_in_ns");
	is_int(h.t_ns[0] - t0, 25 * MS,
	    "one that comes later joins a step of the first");
	ok(t1 - t0 > 10 * MS && t1 - t0 < 15 * MS,
	    "(it came 10 ms before that, and a bit)");
	is_int(h.t_ns[1] - t0, 30 * MS, "and ticks with it");
	is_int(h.t_ns[4] - t0, 45 * MS, "to the end");
	take_apart(hear(c, LAST_CHUNK));
	is_whole(5, "batch, third");
	is_int(h.t_ns[0] - t0, 25 * MS, "another one, too");
	take_apart(hear(a, LAST_CHUNK));
	is_whole(8, "batch, first");
	is_int(h.t_ns[0] - t0, 10 * MS, "the first step: the first token");
	is_int(h.t_ns[3] - t0, 25 * MS, "at which the others join");
	is_int(h.t_ns[7] - t0, 45 * MS, "an ITL a step");
	(void)close(a);
	(void)close(b);
	(void)close(c);

	/* the batch was empty: the clock starts anew */
	a = begin(2, "late", 3);
	take_apart(hear(a, LAST_CHUNK));
	is_int(h.t_ns[0] - num(4, "t_in_ns"), 10 * MS,
	    "an idle server waits for its first token");
	is_int(h.t_ns[1] - h.t_ns[0], 5 * MS, "and ticks again");
	(void)close(a);
	stop();
}

/* Many at a time: more than one slice of a step. */
static void
test_large_batch(void)
{
	struct tape_serve_conf conf = conf_wire();
	int fd[100], wrong = 0;
	int64_t first_ns = 0, last_ns = 0;
	size_t i;

	conf.cadence = TAPE_SERVE_BATCH;
	conf.itl.sd = 1e6;
	conf.slots = 80;
	start(conf);
	for (i = 0; i < 100; i++)
		fd[i] = begin(20, "x", 0);
	for (i = 0; i < 100; i++) {
		take_apart(hear(fd[i], LAST_CHUNK));
		wrong += h.wrong != 0 || h.n != 20 || h.usage != 20;
		if (i == 0) {
			first_ns = h.t_ns[0];
			last_ns = h.t_ns[19];
		} else if (i < 80)
			wrong += h.t_ns[0] != first_ns || h.t_ns[19] != last_ns;
		else
			wrong += h.t_ns[0] <= last_ns;
		(void)close(fd[i]);
	}
	is_int(wrong, 0, "80 tick together, 20 wait for their slots");
	ok(last_ns - first_ns > 19 * (4 * MS) &&
		last_ns - first_ns < 19 * (6 * MS),
	    "steps that vary");
	stop();
}

static void
test_batch_faults(void)
{
	struct tape_serve_conf conf = conf_wire();
	struct tape_serve_fault f = { .after = 2, .share = 1 };
	const enum tape_serve_fault_kind kinds[] = { TAPE_SERVE_RESET,
		TAPE_SERVE_STALL, TAPE_SERVE_TRUNCATE, TAPE_SERVE_MALFORMED,
		TAPE_SERVE_ERROR_EVENT, TAPE_SERVE_BAD_CHUNK };
	size_t i;
	int fd, other;

	conf.cadence = TAPE_SERVE_BATCH;
	conf.faults = &f;
	conf.n_faults = 1;
	conf.stall_ns = 50 * MS;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		f.kind = kinds[i];
		start(conf);
		fd = begin(5, "x", 1);
		other = begin(5, "x", 1);
		(void)hear(fd, "<");
		(void)hear(other, "<");
		is_str(outcome(1), tape_serve_fault_name(kinds[i]),
		    "a fault in a batch: %s", tape_serve_fault_name(kinds[i]));
		is_str(outcome(2), tape_serve_fault_name(kinds[i]),
		    "and to its neighbour");
		(void)close(fd);
		(void)close(other);
		stop();
	}
}

static void
test_batch_others(void)
{
	struct tape_serve_conf conf = conf_wire();
	const char *got;
	int64_t t0;
	int a, b;

	conf.cadence = TAPE_SERVE_BATCH;
	conf.tail_ns = 3 * MS;
	conf.event_tokens = (struct tape_serve_range){ 2, 2 };
	start(conf);
	got = ask(post(CHAT, "",
		      "{\"messages\":[{\"role\":\"user\",\"content\":\"w\"}],"
		      "\"max_tokens\":7}"),
	    "}\n");
	ok(strstr(got, "\"completion_tokens\":7") != NULL, "a whole answer");
	is_int(num(1, "t_last_ns") - num(1, "t_in_ns"), 25 * MS,
	    "at its fourth step");
	take_apart(ask(want_tokens(4, "tail"), LAST_CHUNK));
	is_whole(4, "batch with a tail");
	t0 = num(2, "t_in_ns");
	is_int(h.t_ns[1] - t0, 15 * MS, "its last step");
	is_int(h.end_ns - t0, 18 * MS, "and the end apart");
	/* one goes away, the other one's steps go on */
	a = begin(50, "gone", 16);
	b = begin(4, "stays", 1);
	(void)close(a);
	take_apart(hear(b, LAST_CHUNK));
	is_whole(4, "a neighbour that leaves");
	is_str(outcome(3), "client-closed", "it left");
	(void)close(b);
	stop();

	conf = conf_wire();
	conf.cadence = TAPE_SERVE_BATCH;
	conf.merge = 3;
	start(conf);
	take_apart(ask(want_tokens(7, "m"), LAST_CHUNK));
	is_whole(7, "batch, merged");
	t0 = num(1, "t_in_ns");
	is_int(h.t_ns[2] - t0, 20 * MS, "three steps a write");
	is_int(h.t_ns[6] - t0, 40 * MS, "and the rest");
	stop();

	conf.merge = 1;
	conf.split = (struct tape_serve_split){ 2, 4 * MS };
	conf.itl.mean = 3e6;
	start(conf);
	take_apart(ask(want_tokens(5, "s"), LAST_CHUNK));
	is_whole(5, "batch, split longer than a step");
	stop();
}

/* Who is next in a step that is in hand may leave before its turn: looked at
   from within, since from outside its time cannot be met. */
static void
test_batch_cursor(void)
{
	struct tape_serve s = { .batch = { .stepping = true, .steps = 3 } };
	struct tape_serve_request r[3] = { { .s = &s }, { .s = &s },
		{ .s = &s } };

	for (int i = 0; i < 3; i++)
		tape_serve_batch_join(&r[i]);
	s.batch.at = &r[1];
	tape_serve_batch_leave(&r[0]);
	ok(s.batch.at == &r[1], "one behind the cursor leaves");
	tape_serve_batch_leave(&r[1]);
	ok(s.batch.at == &r[2], "the one at the cursor leaves");
	tape_serve_batch_leave(&r[2]);
	ok(s.batch.at == NULL && s.batch.first == NULL && s.batch.last == NULL,
	    "the last one leaves");
	tape_serve_batch_leave(&r[2]);
	ok(!r[2].in_batch, "which can be said twice");
}

/* While nobody decodes, the step waits for whoever is ready first. */
static void
test_batch_first(void)
{
	struct tape_serve_conf conf = conf_wire();
	int slow, quick;
	int64_t step_ns;

	conf.cadence = TAPE_SERVE_BATCH;
	conf.prefill_ns = 2 * MS;
	start(conf);
	slow = begin(
	    2, "a prompt of eleven words takes longer to prefill than one", 2);
	quick = begin(10, "one", 0);
	take_apart(hear(quick, LAST_CHUNK));
	is_whole(10, "a short prompt");
	step_ns = h.t_ns[0];
	is_int(step_ns - num(1, "t_in_ns"), 12 * MS + 2 * MS,
	    "its first token comes before that of the long one");
	take_apart(hear(slow, LAST_CHUNK));
	is_whole(2, "the long prompt");
	is_int(
	    (h.t_ns[0] - step_ns) % (5 * MS), 0, "joins a step of the other");
	(void)close(slow);
	(void)close(quick);
	stop();
}

/* A slot that becomes free in the middle of a step. */
static void
test_batch_slot(void)
{
	struct tape_serve_conf conf = conf_wire();
	int fd[3];
	int64_t last_ns;

	conf.cadence = TAPE_SERVE_BATCH;
	conf.ttft.mean = 0;
	conf.slots = 2;
	start(conf);
	fd[0] = begin(3, "short", 0);
	fd[1] = begin(10, "long", 0);
	fd[2] = begin(2, "waits", 0);
	take_apart(hear(fd[0], LAST_CHUNK));
	is_whole(3, "the first of a full batch");
	last_ns = h.t_ns[2];
	take_apart(hear(fd[2], LAST_CHUNK));
	is_whole(2, "the one that waited");
	is_int(h.t_ns[0] - last_ns, 5 * MS, "its first step is the next one");
	take_apart(hear(fd[1], LAST_CHUNK));
	is_whole(10, "the one that stayed");
	for (int i = 0; i < 3; i++)
		(void)close(fd[i]);
	stop();
}

static void
test_no_memory(void)
{
	struct tape_serve_conf conf = conf_wire();

	conf.cadence = TAPE_SERVE_BATCH;
	conf.style = TAPE_SERVE_PROSE;
	conf.split = (struct tape_serve_split){ 2, MS };
	survives_no_memory(conf,
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],"
	    "\"max_tokens\":3,\"stream\":true}");
}

int
main(void)
{
	client_pump = pump;
	test_event_tokens();
	test_merge();
	test_split();
	test_cuts();
	test_batch();
	test_large_batch();
	test_batch_faults();
	test_batch_others();
	test_batch_first();
	test_batch_cursor();
	test_batch_slot();
	test_no_memory();
	release_heard();
	return done_testing();
}
