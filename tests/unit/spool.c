/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/spool.h"

#include "base/mem.h"
#include "engine/idmap.h"
#include "unit/tap.h"

#define HEADER                                                                  \
 "{\"kind\":\"header\",\"format\":\"llmtape.trace\",\"version\":\"1.0\","       \
 "\"epoch\":\"2026-03-01T12:00:00.000000000Z\",\"epoch_mono\":\"1.000000000\"," \
 "\"run_id\":\"r\",\"prov\":[]}\n"
#define VOCAB                                                                  \
 "{\"kind\":\"vocab\",\"name\":\"v\",\"words\":[\"a\",\"b\"],\"first\":[1]}\n"
#define REQ(id, rest) "{\"kind\":\"request\",\"id\":\"" id "\"," rest "}\n"
#define TEXT          "\"input\":{\"text\":\"x\"}"

static struct tape_err err;
static struct tape_buf text; /* a whole trace */
static int records;

static void
trace(const char *lines)
{
	char end[64];

	tape_buf_clear(&text);
	(void)tape_buf_add_str(&text, HEADER);
	(void)tape_buf_add_str(&text, lines);
	records = 0;
	for (const char *p = lines; (p = strchr(p, '\n')) != NULL; p++)
		records++;
	(void)snprintf(end, sizeof(end),
	    "{\"kind\":\"end\",\"records\":%d,\"status\":\"complete\"}\n",
	    records);
	(void)tape_buf_add_str(&text, end);
}

static enum tape_status
fill(struct tape_spool **s)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_TRACE };
	struct tape_reader *r = NULL;
	enum tape_status st;

	tape_err_clear(&err);
	*s = NULL;
	st = tape_spool_open(s, "/tmp", &err);
	if (st == TAPE_OK)
		st = tape_reader_open_mem(&r, text.data, text.len, &opts, &err);
	if (st == TAPE_OK)
		st = tape_spool_fill(*s, r, NULL, &err);
	tape_reader_free(r);
	return st;
}

static void
bad(const char *lines, int line, const char *say)
{
	struct tape_spool *s;

	trace(lines);
	is_int(fill(&s), TAPE_E_FORMAT, "refused: %s", say);
	ok(strstr(err.text, say) != NULL, "says so: %s", err.text);
	is_int((int64_t)err.line, line, "and where");
	tape_spool_free(s);
}

static void
good(const char *lines, const char *what)
{
	struct tape_spool *s;

	trace(lines);
	is_int(fill(&s), TAPE_OK, "taken: %s (%s)", what, err.text);
	tape_spool_free(s);
}

static void
test_refusals(void)
{
	bad("", 0, "no request");
	bad(VOCAB, 0, "no request");
	bad(REQ("a", TEXT) REQ("b", TEXT) REQ("a", TEXT), 4, "twice");
	bad(REQ("", TEXT), 2, "empty id");
	bad(REQ("a", "\"input\":{\"path\":\"/x\"}"), 2, "without an input");
	bad(REQ("a", "\"input\":{\"text\":\"x\",\"body\":\"{}\"}"), 2,
	    "several inputs");
	bad(REQ("a", "\"input\":{\"blocks\":{\"vocab\":\"v\",\"seed\":1,"
		     "\"size\":4,\"ids\":[1],\"tokens\":4}}"),
	    2, "v");
	bad(REQ("a", TEXT ",\"params\":[]"), 2, "not of type json object");
	bad(REQ("a", TEXT ",\"output_tokens\":0"), 2, "output_tokens");
	bad(REQ("a", TEXT ",\"delay_ns\":-1"), 2, "delay_ns");
	bad(REQ("a", "\"t_ns\":5," TEXT) REQ("b", "\"t_ns\":4," TEXT), 3,
	    "goes back");
	bad(REQ("a", "\"t_ns\":5," TEXT) REQ("b", TEXT), 3, "without t_ns");
	bad(REQ("a", TEXT) REQ("b", "\"t_ns\":4," TEXT), 3, "with t_ns");
	bad(REQ("a", "\"session\":\"s\",\"after\":[\"b\"]," TEXT), 2,
	    "no earlier request");
	bad(REQ("a", "\"session\":\"s\"," TEXT)
		REQ("b", "\"session\":\"t\",\"after\":[\"a\"]," TEXT),
	    3, "another session");
	bad(REQ("a", TEXT) REQ("b", "\"after\":[\"a\"]," TEXT), 3,
	    "another session");
	good(REQ("a", "\"session\":\"s\",\"t_ns\":1," TEXT)
		 REQ("b", "\"session\":\"s\",\"after\":[\"a\"]," TEXT),
	    "a waiting request needs no time");
}

/* Many requests, long and short, read forwards and back. */
static void
test_many(void)
{
	enum { N = 3000 };
	struct tape_spool *s;
	struct tape_record rec;
	struct tape_spool_entry entry;
	struct tape_buf b;
	char id[32];
	int wrong = 0;

	tape_buf_init(&b, (size_t)64 << 20);
	(void)tape_buf_add_str(&b, VOCAB);
	for (int i = 0; i < N; i++) {
		(void)tape_buf_add_fmt(&b,
		    "{\"kind\":\"request\",\"id\":\"r%d\",\"t_ns\":%d,"
		    "\"session\":\"s%d\",",
		    i, i * 10, i % 7);
		if (i >= 7)
			(void)tape_buf_add_fmt(
			    &b, "\"after\":[\"r%d\"],", i % 7);
		(void)tape_buf_add_str(&b, "\"input\":{\"text\":\"");
		for (int k = 0; k < (i % 500 == 3 ? 100000 : i % 50); k++)
			(void)tape_buf_add_char(&b, 'x');
		(void)tape_buf_add_str(&b, "\"}}\n");
	}
	trace(b.data);
	is_int(fill(&s), TAPE_OK, "filled: %s", err.text);
	is_int((int64_t)tape_spool_info(s)->requests, N, "all are there");
	is_int((int64_t)tape_spool_info(s)->waiting, N - 7, "those waiting");
	is_int((int64_t)tape_spool_info(s)->verbatim, N, "verbatim");
	is_int(
	    tape_spool_info(s)->last_t_ns, INT64_C(10) * (N - 1), "last time");
	ok(tape_vocab_set_find(tape_spool_vocabs(s), tape_str_of("v")) != NULL,
	    "the vocabulary");
	tape_record_init(&rec);
	for (int k = 0; k < 2 * N; k++) {
		int i = k < N ? k : 2 * N - 1 - k;

		(void)snprintf(id, sizeof(id), "r%d", i);
		if (tape_spool_read(s, (uint64_t)i, &rec, &entry, &err) !=
		    TAPE_OK) {
			ok(false, "read %d: %s", i, err.text);
			break;
		}
		wrong += !tape_str_is(rec.u.request.id, id) ||
			 rec.u.request.t_ns != INT64_C(10) * i ||
			 entry.after_n != (size_t)(i >= 7) ||
			 (i >= 7 && entry.after[0] != (uint64_t)i % 7);
	}
	is_int(wrong, 0, "each as it was, in either direction");
	tape_record_release(&rec);
	tape_spool_free(s);
	tape_buf_release(&b);
}

static void
test_hash(void)
{
	struct tape_spool *s;
	char hash[TAPE_HASH_TEXT];
	const char *line = REQ("a", TEXT);

	trace(REQ("a", TEXT));
	is_int(fill(&s), TAPE_OK, "filled");
	(void)tape_hash_print(
	    tape_hash_add(TAPE_HASH_START, line, strlen(line)), hash);
	is_str(tape_spool_info(s)->hash, hash, "FNV-1a of the lines");
	tape_spool_free(s);
}

static int asked;

static int
stop_at_third(void)
{
	return ++asked > 3;
}

static void
test_stop(void)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_TRACE };
	struct tape_spool *s = NULL;
	struct tape_reader *r = NULL;

	trace(REQ("a", TEXT) REQ("b", TEXT) REQ("c", TEXT) REQ("d", TEXT));
	is_int(tape_spool_open(&s, "/tmp", NULL), TAPE_OK, "open");
	is_int(tape_reader_open_mem(&r, text.data, text.len, &opts, NULL),
	    TAPE_OK, "trace");
	is_int(tape_spool_fill(s, r, stop_at_third, NULL), TAPE_OK, "stopped");
	is_int((int64_t)tape_spool_info(s)->requests, 2, "header, a, b");
	tape_reader_free(r);
	tape_spool_free(s);
	tape_err_clear(&err);
	is_int(tape_spool_open(&s, "/no/such/place", &err), TAPE_E_IO,
	    "no such folder");
	ok(strstr(err.text, "/no/such/place") != NULL, "is named");
}

#define BLOCKS(id, ids, tokens)                                                   \
 REQ(id,                                                                          \
     "\"input\":{\"blocks\":{\"vocab\":\"v\",\"seed\":1,\"size\":4,\"ids\":[" ids \
     "],\"tokens\":" tokens "}}")

static void
reuses(const char *lines, int want, const char *what)
{
	struct tape_spool *s;

	trace(lines);
	is_int(fill(&s), TAPE_OK, "taken (%s)", err.text);
	is_int((int64_t)tape_spool_info(s)->reusing, want, "%s", what);
	tape_spool_free(s);
}

/* Blocks that come again are reuse, also within one prompt's others. */
static void
test_reuse(void)
{
	reuses(VOCAB BLOCKS("a", "0", "4") BLOCKS("b", "1", "4")
		   BLOCKS("c", "2,3", "8"),
	    0, "all are new");
	reuses(VOCAB BLOCKS("a", "0,1", "8") BLOCKS("b", "0,2", "8")
		   BLOCKS("c", "3", "4"),
	    1, "one begins as another");
	reuses(VOCAB BLOCKS("a", "7", "4") BLOCKS("b", "7", "4"), 1,
	    "the same again");
	reuses(
	    REQ("a", TEXT) REQ("b", TEXT), 0, "verbatim prompts say nothing");
}

static void
test_memory(void)
{
	struct tape_spool *s;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t nth = 0;

	trace(VOCAB REQ("a", "\"session\":\"s\"," TEXT)
		REQ("b", "\"session\":\"s\",\"after\":[\"a\"]," TEXT));
	while (st == TAPE_E_NOMEM && nth < 200) {
		tape_mem_fail_at(++nth);
		st = fill(&s);
		tape_mem_fail_at(0);
		tape_spool_free(s);
	}
	is_int(st, TAPE_OK, "after %d failing allocations", (int)nth);
}

int
main(void)
{
	tape_buf_init(&text, (size_t)64 << 20);
	test_refusals();
	test_many();
	test_hash();
	test_stop();
	test_reuse();
	test_memory();
	tape_buf_release(&text);
	return done_testing();
}
