/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/live.h"

#include "base/mem.h"
#include "engine/live_read.h"
#include "unit/tap.h"

#define EVENT(t) "data: {\"choices\":[{\"delta\":{\"content\":\"" t "\"}}]}\n\n"

static struct tape_err err;
static struct tape_buf rows; /* one line a row */

/* A clock on which each look takes a millisecond. */
static int64_t
tick(void *arg)
{
	int64_t *now = arg;

	return *now += 1000000;
}

static enum tape_status
on_row(void *arg, const struct tape_live_row *row, struct tape_err *e)
{
	(void)arg;
	(void)tape_buf_add_fmt(&rows, "%lld %lld %c%c %lld '%.*s' '%.*s'\n",
	    (long long)row->seq, (long long)row->t_ns / 1000000, row->class,
	    row->merged ? 'm' : 'u', (long long)row->bytes, (int)row->type.len,
	    row->type.p, (int)row->show.len, row->show.p);
	return tape_buf_status(&rows, e);
}

static const struct tape_live_sink sink = { on_row, NULL };

/* Reads a text in pieces of at most read_max bytes. */
static enum tape_status
play_as(const struct tape_api *api, struct tape_live *l, const char *text,
    size_t read_max)
{
	struct tape_live_read r;
	struct tape_in *in = NULL;
	int64_t now_ns = 0;
	struct tape_clock clock = { .now_ns = tick, .arg = &now_ns };
	enum tape_status st;

	tape_err_clear(&err);
	tape_buf_clear(&rows);
	tape_live_init(l, api, sink);
	st = tape_in_open_mem(&in, text, strlen(text), "memory", &err);
	if (st != TAPE_OK)
		return st;
	tape_in_set_read_max(in, read_max);
	tape_live_read_init(&r, &clock, in);
	st = tape_live_read_all(&r, l, &err);
	tape_live_read_release(&r);
	tape_in_free(in);
	return st;
}

static enum tape_status
play(struct tape_live *l, const char *text, size_t read_max)
{
	return play_as(tape_api_at(0), l, text, read_max);
}

/* Another framing is seen by its first byte behind white space, which counts
   for the first row. */
static void
test_framing(void)
{
	const struct tape_api *api = tape_api_find(tape_str_of("ollama"));
	const char *text = "\r\n \n{\"message\":{\"content\":\"Hi\"},"
			   "\"done\":false}\n{\"done\":true}";
	struct tape_live l;

	for (size_t n = 1; n < 60; n += 58) {
		is_int(play_as(api, &l, text, n), TAPE_OK, "lines");
		is_str(rows.data,
		    n == 1 ? "0 46 cu 46 '' 'Hi'\n1 59 du 13 '' "
			     "'{\"done\":true}'\n"
			   : "0 1 cm 46 '' 'Hi'\n1 1 du 13 '' "
			     "'{\"done\":true}'\n",
		    "in reads of %zu", n);
		tape_live_release(&l);
	}
	is_int(play_as(api, &l, " [{\"done\":true}]", 3), TAPE_OK,
	    "an array all the same");
	is_int(l.events, 1, "of one element");
	tape_live_release(&l);
	is_int(play_as(api, &l, "data: {\"done\":true}\n\n", 3), TAPE_OK,
	    "or SSE");
	is_int(l.events, 1, "of one event");
	tape_live_release(&l);
	is_int(play_as(api, &l, "\n \n", 2), TAPE_E_FORMAT, "white space");
	is_str(err.text,
	    "neither an llmtape stream nor an event stream: \"? ?\"",
	    "is nothing");
	tape_live_release(&l);
	is_int(play_as(api, &l, "[1 2]", 9), TAPE_E_FORMAT, "no array");
	tape_live_release(&l);
}

static void
test_times(void)
{
	struct tape_live l;
	const char *text = EVENT("a")
	    EVENT("b") ": hm\n\n" EVENT("c") "event: end\ndata: [DONE]\n\n";

	is_int(play(&l, text, 4096), TAPE_OK, "all in one read");
	is_str(rows.data,
	    "0 1 cm 47 '' 'a'\n1 1 cm 47 '' 'b'\n2 1 km 5 '' ' hm'\n"
	    "3 1 cm 48 '' 'c'\n4 1 du 25 'end' '[DONE]'\n",
	    "all but the last are merged");
	is_int(l.gaps, 2, "two gaps");
	is_near(l.gaps_ns[1], 0, 0, "of no length");
	tape_live_release(&l);

	is_int(play(&l, text, 40), TAPE_OK, "in reads of 40 bytes");
	is_str(rows.data,
	    "0 2 cu 47 '' 'a'\n1 3 cm 47 '' 'b'\n2 3 ku 5 '' ' hm'\n"
	    "3 4 cu 48 '' 'c'\n4 5 du 25 'end' '[DONE]'\n",
	    "each has the time of the read that completed it");
	is_int(l.events, 5, "five events");
	is_int(l.token_events, 3, "three of them with tokens");
	is_near(l.gaps_ns[0], 1e6, 0, "a gap");
	is_near(l.gaps_ns[1], 1e6, 0, "and another");
	tape_live_release(&l);
}

static void
test_choices(void)
{
	struct tape_live l;

	is_int(play(&l,
		   "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":"
		   "\"a\"}}]}\n\ndata: {\"choices\":[{\"index\":1,\"delta\":"
		   "{\"content\":\"b\"}}]}\n\n",
		   4096),
	    TAPE_OK, "two choices");
	is_int(l.gaps, 0, "have no gap between them");
	tape_live_release(&l);
}

static void
test_error(void)
{
	struct tape_live l;

	is_int(play(&l, "data: {\"error\":\"no\"}\n\nerror: gone\n\n", 4096),
	    TAPE_OK, "errors");
	is_str(rows.data, "0 1 em 22 '' 'no'\n1 1 eu 12 '' 'gone'\n",
	    "are rows, also from a field");
	ok(l.failed, "and known");
	tape_live_release(&l);
}

static void
refuses(const char *text, const char *why)
{
	struct tape_live l;

	is_int(play(&l, text, 7), TAPE_E_FORMAT, "refused: %s", why);
	is_str(err.text, why, "and says why");
	tape_live_release(&l);
}

static void
test_lines(void)
{
	struct tape_live_row row = { .t_ns = 2500000,
		.class = 'c',
		.show = { "a\tb\n\xc2\x9b\xff\xe4\xbd\xa0z", 11 } };
	struct tape_buf out;

	tape_buf_init(&out, 4096);
	(void)tape_live_line(&row, 1000000, INT64_MIN, 100, &out);
	row.merged = true;
	(void)tape_live_line(&row, 1000000, 2000000, 3, &out);
	row.show.len = 0;
	(void)tape_live_line(&row, 1000000, 2000000, 3, &out);
	is_str(out.data,
	    "       1.500          -  c  a?b\\n??\xe4\xbd\xa0z\n"
	    "       1.500      0.500m c  a?b...\n"
	    "       1.500      0.500m c\n",
	    "lines are cut, and obey no terminal");
	tape_buf_release(&out);
}

static void
test_record(void)
{
	struct tape_live_row row = { .seq = 3,
		.t_ns = 7,
		.class = 'o',
		.type = { "t\xff", 2 },
		.data = { "a\0b\xe4", 4 } };
	struct tape_live_event e;
	struct tape_buf scratch;

	tape_buf_init(&scratch, 4096);
	is_int(tape_live_record(&row, false, &scratch, &e, &err), TAPE_OK,
	    "a record");
	ok(tape_str_is(e.type, "t\xef\xbf\xbd"), "whose type is UTF-8");
	ok(e.data.p == NULL, "without data");
	is_int(tape_live_record(&row, true, &scratch, &e, &err), TAPE_OK,
	    "or with it");
	ok(tape_str_is(e.data, "a\xef\xbf\xbd"
			       "b\xef\xbf\xbd"),
	    "as text");
	ok(tape_str_is(e.clk, "u") && tape_str_is(e.class, "o"), "and letters");
	tape_buf_release(&scratch);
}

static void
test_memory(void)
{
	struct tape_live l;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 500) {
		(void)tape_mem_fail_at(++n);
		st = play(
		    &l, EVENT("a\\n") EVENT("b") "event: x\ndata: y\n\n", 9);
		(void)tape_mem_fail_at(0);
		tape_live_release(&l);
	}
	is_int(st, TAPE_OK, "it works when memory is there");
	ok(n > 10, "and failed before in each of its %d allocations",
	    (int)n - 1);
}

int
main(void)
{
	tape_buf_init(&rows, 1 << 20);
	test_framing();
	test_times();
	test_choices();
	test_error();
	refuses("", "empty input");
	refuses("<html>\n<p>\xff",
	    "neither an llmtape stream nor an event stream: \"<html>?<p>?\"");
	test_lines();
	test_record();
	test_memory();
	tape_buf_release(&rows);
	return done_testing();
}
