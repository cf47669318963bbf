/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/gen.h"

#include "base/clock.h"
#include "base/mem.h"
#include "engine/gen_synthetic.h"
#include "engine/import.h"
#include "unit/tap.h"

#include <stdlib.h>

/* Requests read back from a trace made in memory. */
struct made {
	size_t n;
	int64_t t_ns[64];
	int64_t in[64];
	int64_t out[64];
	char id[64][24];
	char after[64][24];
	size_t ids[64];
	int64_t seed[64];
	int64_t delay[64];
	char labels[64][64];
	size_t vocabs;
};

static void
take(struct made *m, const struct tape_request *r)
{
	size_t i = m->n++;

	if (i >= 64)
		return;
	m->t_ns[i] = r->t_ns;
	m->in[i] = r->input_tokens;
	m->out[i] = r->output_tokens;
	m->ids[i] = r->input.blocks.ids.n;
	m->seed[i] = r->input.blocks.seed;
	m->delay[i] = r->delay_ns;
	(void)snprintf(
	    m->id[i], sizeof(m->id[i]), "%.*s", (int)r->id.len, r->id.p);
	if (r->after.n > 0)
		(void)snprintf(m->after[i], sizeof(m->after[i]), "%.*s",
		    (int)r->after.v[0].len, r->after.v[0].p);
	if (r->labels.p != NULL)
		(void)snprintf(m->labels[i], sizeof(m->labels[i]), "%.*s",
		    (int)r->labels.len, r->labels.p);
}

static void
read_back(struct tape_buf *buf, struct made *m)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_TRACE };
	struct tape_err err = { 0 };
	struct tape_reader *r;
	struct tape_record rec;

	memset(m, 0, sizeof(*m));
	tape_record_init(&rec);
	if (tape_reader_open_mem(&r, buf->data, buf->len, &opts, &err) !=
	    TAPE_OK)
		return;
	while (tape_reader_next(r, &rec, &err) == TAPE_OK) {
		if (rec.kind == TAPE_KIND_VOCAB)
			m->vocabs++;
		if (rec.kind == TAPE_KIND_REQUEST)
			take(m, &rec.u.request);
	}
	ok(err.status == TAPE_OK, "the trace reads back %s", err.text);
	tape_reader_free(r);
	tape_record_release(&rec);
}

struct bench {
	struct tape_buf buf;
	struct tape_writer *w;
	struct tape_gen g;
	struct tape_gen_opts opts;
};

static void
begin(struct bench *b)
{
	struct tape_out_opts plain = { .level = 0 };
	struct tape_header h;
	struct tape_out *out;
	struct tape_err err = { 0 };

	tape_buf_init(&b->buf, 1 << 24);
	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of("2026-03-01T12:00:00.000000000Z");
	h.epoch_mono = tape_str_of("0.000000000");
	h.run_id = tape_str_of("r");
	h.prov = tape_str_of("[]");
	if (tape_out_open_buf(&out, &b->buf, &plain, &err) != TAPE_OK ||
	    tape_writer_open(&b->w, out, TAPE_FORMAT_TRACE, &err) != TAPE_OK ||
	    tape_writer_header(b->w, &h, &err) != TAPE_OK)
		exit(1);
	tape_gen_init(&b->g, &b->opts, b->w);
}

static void
end(struct bench *b, struct made *m)
{
	struct tape_err err = { 0 };

	if (tape_writer_end(b->w, TAPE_ENDING_COMPLETE, &err) != TAPE_OK ||
	    tape_writer_close(b->w, &err) != TAPE_OK)
		exit(1);
	read_back(&b->buf, m);
	tape_gen_release(&b->g);
	tape_buf_release(&b->buf);
}

static const struct tape_gen_opts plain_opts = { .speedup = 1,
	.burstiness = 1 };

/* The rows of n files as one trace. */
static enum tape_status
import_files(const char *format, const char *const *texts, size_t n,
    const struct tape_gen_opts *opts, struct made *m,
    struct tape_gen_sums *sums, struct tape_err *err)
{
	const struct tape_import *f = tape_import_table;
	struct tape_import_opts io = { 0 };
	struct bench b = { .opts = *opts };
	struct tape_in *in[4] = { NULL };
	enum tape_status st;

	tape_err_clear(err);
	while (strcmp(f->name, format) != 0)
		f++;
	begin(&b);
	for (size_t i = 0; i < n; i++)
		if (tape_in_open_mem(&in[i], texts[i], strlen(texts[i]),
			i == 0 ? "t" : "u", err) != TAPE_OK)
			exit(1);
	st = tape_import_all(f, in, n, &b.g, &io, err);
	for (size_t i = 0; i < n; i++)
		tape_in_free(in[i]);
	*sums = b.g.sums;
	end(&b, m);
	return st;
}

static enum tape_status
import(const char *format, const char *text, const struct tape_gen_opts *opts,
    struct made *m, struct tape_err *err)
{
	struct tape_gen_sums sums;

	return import_files(format, &text, 1, opts, m, &sums, err);
}

/* One row is refused, in these words. */
static void
refused(const char *format, const char *text, const struct tape_gen_opts *opts,
    enum tape_status want, const char *words)
{
	struct made m;
	struct tape_err err;
	char said[512];

	is_int(import(format, text, opts, &m, &err), want, "refused");
	is_str(tape_err_format(&err, said, sizeof(said)), words, "%s", words);
}

/* Case C24: times are not cut, and 100 ns keep their order. */
static void
test_azure(void)
{
	static const char rows[] = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
				   "2023-11-16 18:15:46.0010000,1,1\r\n"
				   "2023-11-16 18:15:46.0020000,1,1\r\n"
				   "2023-11-16 18:15:46.0090000,1,1\r\n"
				   "2023-11-16 18:15:46.0110000,1,1";
	static const char mixed[] =
	    "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
	    "2024-05-11 23:59:59.999999+00:00,0,5,6\n"
	    "2024-05-12 00:00:00+00:00,0,7,8\n"
	    "2024-05-12T00:00:00.269Z,0,7,8\n"
	    "2024-05-12 00:00:00.2690001,0,7,8\n";
	struct made m;
	struct tape_err err;

	is_int(import("azure", rows, &plain_opts, &m, &err), TAPE_OK,
	    "azure 2023 with CRLF and no last newline %s", err.text);
	is_int((int64_t)m.n, 4, "four rows");
	is_int(m.t_ns[0], 0, "first at 0");
	is_int(m.t_ns[1], 1 * TAPE_NS_PER_MS, "then 1 ms");
	is_int(m.t_ns[2], 8 * TAPE_NS_PER_MS, "8 ms");
	is_int(m.t_ns[3], 10 * TAPE_NS_PER_MS, "10 ms");
	is_int((int64_t)m.vocabs, 1, "one vocabulary, before the requests");
	is_int(import("azure", mixed, &plain_opts, &m, &err), TAPE_OK,
	    "azure 2024 and 2025, in one file %s", err.text);
	is_int(m.t_ns[1], 1000, "a second without fraction");
	is_int(m.t_ns[2], 269001000, "T and Z");
	is_int(m.t_ns[3] - m.t_ns[2], 100, "100 ns are kept");
	is_int(m.in[1], 7, "columns are found by name");
	is_int(import("azure", "a,b\n1,2\n", &plain_opts, &m, &err),
	    TAPE_E_FORMAT, "a head line without the columns");
	is_str(err.text, "head line lacks \"TIMESTAMP\"", "is named");
	is_int(import("azure",
		   "TIMESTAMP,ContextTokens,GeneratedTokens\n"
		   "2023-11-16 18:15:46,1,1\n2023-11-16 18:15:45,1,1\n",
		   &plain_opts, &m, &err),
	    TAPE_E_FORMAT, "time that goes back is refused");
}

/* Case C25: columns by name in both layouts; what failed is left out. */
static void
test_burstgpt(void)
{
	static const char second[] =
	    "Timestamp,Session ID,Elapsed time,Model,Request tokens,"
	    "Response tokens,Total tokens,Log Type\n"
	    "19440110.0,,43,GPT-4,906,446,1352,API log\n"
	    "19440161.0,x,2,ChatGPT,0,0,0,Conversation log\n"
	    "19440161.25,x,2,ChatGPT,5,0,5,Conversation log\n"
	    "19440162.5,x,2,ChatGPT,7,8,15,Conversation log\n";
	static const char first[] =
	    "Timestamp,Model,Request tokens,Response tokens,Total tokens,"
	    "Log Type\r\n5,ChatGPT,472,18,490,Conversation log\r\n"
	    "45,ChatGPT,1087,230,1317,Conversation log";
	struct made m;
	struct tape_err err;

	is_int(import("burstgpt", second, &plain_opts, &m, &err), TAPE_OK,
	    "burstgpt of version 2 %s", err.text);
	is_int((int64_t)m.n, 2, "two of four rows");
	is_int(m.t_ns[0], 0, "the first at 0");
	is_int(m.in[0], 906, "its input");
	is_int(m.out[0], 446, "its output");
	is_int(m.t_ns[1], 52500000000, "the last");
	is_int(m.in[1], 7, "its input");
	is_int(import("burstgpt", first, &plain_opts, &m, &err), TAPE_OK,
	    "burstgpt of version 1 %s", err.text);
	is_int(m.t_ns[1], 40 * TAPE_NS_PER_S, "whole seconds");
	is_int(m.in[1], 1087, "input");
	is_int(m.out[1], 230, "output");
	refused("burstgpt", "Timestamp,Request tokens,Response tokens\nx,1,1\n",
	    &plain_opts, TAPE_E_FORMAT, "t:2: 'x' is not a time in seconds");
	refused("burstgpt", "Timestamp,Request tokens,Response tokens\n1,0,0\n",
	    &plain_opts, TAPE_E_FORMAT, "t:2: no request in it");
	refused("burstgpt", "Timestamp,Model\n", &plain_opts, TAPE_E_FORMAT,
	    "t:1: head line lacks \"Request tokens\"");
}

static void
test_mooncake(void)
{
	static const char good[] =
	    "{\"timestamp\": 3000, \"input_length\": 1025, "
	    "\"output_length\": 5, \"hash_ids\": [0, 1, 2]}\n"
	    "{\"timestamp\": 6000.5, \"input_length\": 512, "
	    "\"output_length\": 6, \"hash_ids\": [0]}\n";
	struct tape_gen_opts fast = plain_opts;
	struct made m;
	struct tape_err err;

	fast.speedup = 10;
	is_int(import("mooncake", good, &plain_opts, &m, &err), TAPE_OK,
	    "mooncake %s", err.text);
	is_int((int64_t)m.n, 2, "two rows");
	is_int(m.t_ns[0], 3000 * TAPE_NS_PER_MS, "times are kept as they are");
	is_int((int64_t)m.ids[0], 3, "with the last, partial block");
	is_int(m.in[0], 1025, "and the exact length");
	is_str(m.id[1], "2", "ids count from 1");
	is_int(import("mooncake", good, &fast, &m, &err), TAPE_OK, "sped up");
	is_int(m.t_ns[1], 600050000, "times are divided");
	fast.speedup = 9;
	is_int(import("mooncake", good, &fast, &m, &err), TAPE_OK, "by nine");
	is_int(m.t_ns[1], 666722222, "down to the next nanosecond");
	fast.speedup = 7;
	is_int(import("mooncake", good, &fast, &m, &err), TAPE_OK, "by seven");
	is_int(m.t_ns[0], 428571429, "or up to it");
	/* Case C26, the rounding of Mooncake's files. */
	for (int len = 1536; len <= 2049; len += len == 1537 ? 511 : 1) {
		char row[128];
		bool fits = len > 1536 && len <= 2048;

		(void)snprintf(row, sizeof(row),
		    "{\"timestamp\":0,\"input_length\":%d,\"output_length\":1,"
		    "\"hash_ids\":[0,1,2,3]}\n",
		    len);
		is_int(import("mooncake", row, &plain_opts, &m, &err),
		    fits ? TAPE_OK : TAPE_E_FORMAT, "four blocks for %d tokens",
		    len);
	}
	is_int(import("mooncake", "<!DOCTYPE html>\n", &plain_opts, &m, &err),
	    TAPE_E_FORMAT, "a web page is refused");
	ok(strstr(err.text, "web page") != NULL, "as one");
	is_int(import("mooncake", "{\"timestamp\":1}\n", &plain_opts, &m, &err),
	    TAPE_E_FORMAT, "a row without lengths is refused");
}

static void
test_prompts(void)
{
	static const char rows[] =
	    "{\"text_input\":\"a\\nb\",\"output_length\":3,\"timestamp\":0}\n"
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],"
	    "\"session_id\":\"s\",\"timestamp\":5,\"delay\":9,"
	    "\"output_tokens\":4}\n"
	    "\n"
	    "{\"prompt\":\"y\",\"session_id\":7,\"delay\":2,\"timestamp\":5,"
	    "\"max_tokens\":5,\"input_length\":null}\n"
	    "{\"text\":\"z\",\"session_id\":\"s\",\"delay\":1.5}\n"
	    "{\"text\":\"z\",\"session_id\":\"7\",\"other\":[{}]}\n"
	    "{\"text\":\"z\",\"session_id\":\"s2\",\"timestamp\":6}\n";
	struct made m;
	struct tape_err err;

	is_int(import("prompts", rows, &plain_opts, &m, &err), TAPE_OK,
	    "prompts %s", err.text);
	is_int((int64_t)m.n, 6, "six, a blank line left out");
	is_int(m.out[0], 3, "output length");
	is_int(m.out[1], 4, "by another name");
	is_int(m.out[2], 5, "and another");
	is_str(m.after[1], "", "a first turn waits for nothing");
	is_int(m.delay[1], TAPE_ABSENT_I64, "so its delay is none");
	is_str(m.after[2], "", "nor does one of another session");
	is_str(m.after[3], "2", "a second turn waits for the first");
	is_int(m.delay[3], 1500000, "and then a delay");
	is_int(m.t_ns[3], TAPE_ABSENT_I64, "it needs no time");
	is_str(m.after[4], "3", "a session's number is its name");
	is_str(m.after[5], "", "of which no part is another's");
	is_int((int64_t)m.vocabs, 0, "no vocabulary where none is needed");
}

/* What is refused, and how: rows that would make a trace that is wrong. */
static void
test_bad_rows(void)
{
	static const char first[] = "{\"text\":\"a\",\"timestamp\":1}\n";
	struct tape_gen_opts o = plain_opts;
	char text[512];

	refused("prompts", "{\"output_length\":3}\n", &o, TAPE_E_FORMAT,
	    "t:1: row needs one of \"text_input\" and \"messages\"");
	refused("prompts", "{\"text\":\"a\",\"messages\":[]}\n", &o,
	    TAPE_E_FORMAT,
	    "t:1: row needs one of \"text_input\" and \"messages\"");
	refused("prompts", "{\"text\":\"a\\u0000\"}\n", &o, TAPE_E_FORMAT,
	    "t:1: bad JSON at byte 10: NUL in a string");
	refused("prompts", "{\"messages\":[{\"a\":1,\"a\":2}]}\n", &o,
	    TAPE_E_FORMAT, "t:1: bad JSON at byte 20: key twice in one object");
	refused("prompts", "{\"messages\":{}}\n", &o, TAPE_E_FORMAT,
	    "t:1: \"messages\" is not an array of messages");
	refused("prompts", "{\"text\":\"a\",\"output_length\":\"3\"}\n", &o,
	    TAPE_E_FORMAT, "t:1: \"output_length\" is not a number of tokens");
	refused("prompts", "{\"text\":\"a\",\"output_length\":-1}\n", &o,
	    TAPE_E_FORMAT, "t:1: \"output_length\" is not a number of tokens");
	refused("prompts", "{\"text\":\"a\",\"timestamp\":-1}\n", &o,
	    TAPE_E_FORMAT, "t:1: \"timestamp\" is not a time in milliseconds");
	refused("prompts", "{\"text\":\"a\",\"timestamp\":1e30}\n", &o,
	    TAPE_E_FORMAT, "t:1: \"timestamp\" is not a time in milliseconds");
	refused("prompts", "{\"text\":\"a\",\"delay\":5}\n", &o, TAPE_E_FORMAT,
	    "t:1: a delay, but no \"session_id\"");
	refused("prompts", "[]\n", &o, TAPE_E_FORMAT,
	    "t:1: bad JSON at byte 0: an array where an object should be");
	refused("prompts", "\n\n", &o, TAPE_E_FORMAT, "t:2: no request in it");
	(void)snprintf(text, sizeof(text), "%s{\"text\":\"b\"}\n", first);
	refused("prompts", text, &o, TAPE_E_FORMAT,
	    "t:2: no time, where the requests before have one");
	(void)snprintf(text, sizeof(text), "{\"text\":\"b\"}\n%s", first);
	refused("prompts", text, &o, TAPE_E_FORMAT,
	    "t:2: a time, where the requests before have none");
	(void)snprintf(
	    text, sizeof(text), "%s{\"text\":\"b\",\"timestamp\":0}\n", first);
	refused("prompts", text, &o, TAPE_E_FORMAT,
	    "t:2: time goes back by 1000000 ns");
	o.need_times = true;
	refused("prompts", "{\"text\":\"b\"}\n", &o, TAPE_E_FORMAT,
	    "t:1: no time, which --arrivals trace and --speedup need");
}

static void
test_bad_mooncake(void)
{
	const struct tape_gen_opts *o = &plain_opts;

	refused("mooncake", "{\"text_input\":\"a\",\"output_length\":1}\n", o,
	    TAPE_E_FORMAT,
	    "t:1: row has a prompt of its own: see --from prompts");
	refused("mooncake",
	    "{\"input_length\":5,\"output_length\":1,\"hash_ids\":[-1]}\n", o,
	    TAPE_E_FORMAT, "t:1: a block id is not an integer of 0 to 2^53");
	refused("mooncake",
	    "{\"input_length\":5,\"output_length\":1,"
	    "\"hash_ids\":[9007199254740993]}\n",
	    o, TAPE_E_FORMAT, "t:1: a block id is not an integer of 0 to 2^53");
	refused("mooncake",
	    "{\"input_length\":5,\"output_length\":1,\"hash_ids\":[\"a\"]}\n",
	    o, TAPE_E_FORMAT, "t:1: a block id is not an integer of 0 to 2^53");
	refused("mooncake",
	    "{\"input_length\":5,\"output_length\":1,\"hash_ids\":7}\n", o,
	    TAPE_E_FORMAT, "t:1: \"hash_ids\" is not an array of block ids");
	refused("mooncake",
	    "{\"input_length\":0,\"output_length\":1,\"hash_ids\":[]}\n", o,
	    TAPE_E_FORMAT, "t:1: prompt of no tokens");
	refused("mooncake", "{\"input_length\":5,\"output_length\":1}\n", o,
	    TAPE_E_FORMAT, "t:1: row lacks \"hash_ids\"");
	refused("mooncake", "{\"input_length\":5,\"hash_ids\":[1]}\n", o,
	    TAPE_E_FORMAT, "t:1: row lacks \"output_length\"");
	refused("mooncake",
	    "{\"input_length\":2147483648,\"output_length\":1}\n", o,
	    TAPE_E_FORMAT, "t:1: \"input_length\" is not a number of tokens");
}

#define AZURE "TIMESTAMP,ContextTokens,GeneratedTokens\n"

static void
test_bad_azure(void)
{
	const struct tape_gen_opts *o = &plain_opts;

	refused("azure", AZURE "2023-11-16 18:15:46,1\n", o, TAPE_E_FORMAT,
	    "t:2: row has not the 3 columns of the head line");
	refused("azure", AZURE "2023-11-16 18:15:46,1,1,1\n", o, TAPE_E_FORMAT,
	    "t:2: row has not the 3 columns of the head line");
	refused("azure", AZURE "2023-11-16 18:15:46,x,1\n", o, TAPE_E_FORMAT,
	    "t:2: ContextTokens is not a number of tokens");
	refused("azure", AZURE "2023-11-16 18:15:46,1,1.5\n", o, TAPE_E_FORMAT,
	    "t:2: GeneratedTokens is not a number of tokens");
	refused("azure", AZURE "2023-11-16 18:15:46,0,1\n", o, TAPE_E_FORMAT,
	    "t:2: prompt of no tokens");
	refused("azure", AZURE "16.11.2023,1,1\n", o, TAPE_E_FORMAT,
	    "t:2: '16.11.2023' is not a time");
	refused("azure", AZURE "2023-11-16 18:15:46+02:00,1,1\n", o,
	    TAPE_E_FORMAT, "t:2: '2023-11-16 18:15:46+02:00' is not a time");
	refused("azure", AZURE "2023-02-30 18:15:46,1,1\n", o, TAPE_E_FORMAT,
	    "t:2: '2023-02-30 18:15:46' is not a time");
	refused("azure", AZURE "9999-01-01 00:00:00,1,1\n", o, TAPE_E_FORMAT,
	    "t:2: '9999-01-01 00:00:00' is not a time");
	refused("azure", AZURE "2023-11-16 18:15:46.0123456789,1,1\n", o,
	    TAPE_E_FORMAT,
	    "t:2: '2023-11-16 18:15:46.0123456789' is not a time");
	refused("azure", AZURE "2023-11-16 18:15:46.,1,1\n", o, TAPE_E_FORMAT,
	    "t:2: '2023-11-16 18:15:46.' is not a time");
	refused("azure", AZURE, o, TAPE_E_FORMAT, "t:1: no request in it");
	refused("azure", "", o, TAPE_E_FORMAT, "t: empty input");
	refused("azure", "TIMESTAMP,ContextTokens\n", o, TAPE_E_FORMAT,
	    "t:1: head line lacks \"GeneratedTokens\"");
}

/* Several files are one trace: times go on, ids mean other blocks. */
static void
test_files(void)
{
	static const char *const days[] = { AZURE "2024-05-10 00:00:00,1,1\n",
		"\xef\xbb\xbf" AZURE "2024-05-10 00:00:01+00:00,2,0\n" };
	static const char *const moon[] = {
		"{\"input_length\":5,\"output_length\":1,\"hash_ids\":[0]}\n",
		"{\"input_length\":5,\"output_length\":1,\"hash_ids\":[0]}\n",
		"{\"input_length\":5,\"output_length\":1,\"hash_ids\":[0]}\n"
	};
	static const char *const talk[] = {
		"{\"text\":\"a\",\"session_id\":\"s\"}\n",
		"{\"text\":\"b\",\"session_id\":\"s\"}\n"
	};
	struct tape_gen_opts o = plain_opts;
	struct tape_gen_sums s;
	struct made m;
	struct tape_err err;

	is_int(import_files("azure", days, 2, &o, &m, &s, &err), TAPE_OK,
	    "two days %s", err.text);
	is_int(m.t_ns[1], TAPE_NS_PER_S, "times count from the first of all");
	is_int(m.out[1], 1, "no output becomes one token");
	is_int((int64_t)s.raised, 1, "which is counted");
	is_int(import_files("mooncake", moon, 3, &o, &m, &s, &err), TAPE_OK,
	    "three traces %s", err.text);
	is_int(m.seed[0], 0, "the first has the seed");
	ok(m.seed[1] != m.seed[0] && m.seed[2] != m.seed[1] &&
		m.seed[2] != m.seed[0],
	    "the others have their own");
	ok(m.seed[1] >= 0 && m.seed[1] < INT64_C(1) << 53 && m.seed[2] >= 0 &&
		m.seed[2] < INT64_C(1) << 53,
	    "of 53 bits");
	is_int((int64_t)m.vocabs, 1, "over one vocabulary");
	is_int(import_files("prompts", talk, 2, &o, &m, &s, &err), TAPE_OK,
	    "a session over two files %s", err.text);
	is_str(m.after[1], "1", "goes on");
	is_int((int64_t)s.unsized, 2, "sizes are not known");
	o.limit = 1;
	is_int(import_files("mooncake", moon, 3, &o, &m, &s, &err), TAPE_OK,
	    "a limit within the first %s", err.text);
	is_int((int64_t)m.n, 1, "ends it");
}

/* Mooncake's relatives with sessions. */
static void
test_mooncake_turns(void)
{
	static const char rows[] =
	    "{\"timestamp\":0,\"input_length\":5,\"output_length\":1,"
	    "\"hash_ids\":[0],\"session_id\":\"s\"}\n"
	    "{\"input_length\":9,\"output_length\":1,\"hash_ids\":[0],"
	    "\"session_id\":\"s\",\"delay\":100}\n";
	struct tape_gen_opts o = plain_opts;
	struct made m;
	struct tape_err err;

	o.speedup = 2;
	o.need_times = true;
	is_int(import("mooncake", rows, &o, &m, &err), TAPE_OK, "turns %s",
	    err.text);
	is_str(m.after[1], "1", "wait");
	is_int(m.delay[1], 50 * TAPE_NS_PER_MS, "sped up, too");
	o.arrivals = TAPE_ARRIVALS_NONE;
	o.need_times = false;
	is_int(
	    import("mooncake", rows, &o, &m, &err), TAPE_OK, "without times");
	is_int(m.t_ns[0], TAPE_ABSENT_I64, "none");
	is_int(m.delay[1], 50 * TAPE_NS_PER_MS, "but the delay");
}

static void
synthetic(const struct tape_gen_opts *opts, uint64_t n, struct made *m,
    struct tape_gen_sums *sums)
{
	struct tape_lengths isl = { 100, 20 }, osl = { 10, 0 };
	struct bench b = { .opts = *opts };
	struct tape_err err = { 0 };

	begin(&b);
	is_int(tape_gen_synthetic(&b.g, &isl, &osl, n, &err), TAPE_OK,
	    "synthetic %s", err.text);
	*sums = b.g.sums;
	end(&b, m);
}

static void
test_synthetic(void)
{
	struct tape_gen_opts o = plain_opts;
	struct tape_gen_sums s;
	struct made m, again;

	o.labels = tape_str_of("{\"who\":\"me\"}");
	synthetic(&o, 50, &m, &s);
	is_int((int64_t)m.n, 50, "as many as asked");
	is_int(m.t_ns[0], TAPE_ABSENT_I64, "without times");
	is_str(m.labels[0], "{\"isl\":100,\"osl\":10,\"who\":\"me\"}",
	    "labels of source and user");
	is_int(s.output_tokens, 500, "sums are kept");
	ok(m.in[0] != m.in[1] || m.in[1] != m.in[2], "lengths vary");
	synthetic(&o, 50, &again, &s);
	ok(memcmp(m.in, again.in, sizeof(m.in)) == 0, "one seed, one trace");
	o.seed = 1;
	synthetic(&o, 50, &again, &s);
	ok(memcmp(m.in, again.in, sizeof(m.in)) != 0, "another, another");
	o.limit = 7;
	synthetic(&o, 50, &m, &s);
	is_int((int64_t)m.n, 7, "limited");
}

/* However wide the law, no length is below 1. */
static void
test_short(void)
{
	struct tape_lengths isl = { 1, 3 }, osl = { 2, 9 };
	struct bench b = { .opts = plain_opts };
	struct tape_err err = { 0 };
	struct made m;
	int low = 0;

	begin(&b);
	is_int(tape_gen_synthetic(&b.g, &isl, &osl, 64, &err), TAPE_OK,
	    "short prompts");
	end(&b, &m);
	for (size_t i = 0; i < 64; i++)
		low += m.in[i] < 1 || m.out[i] < 1;
	is_int(low, 0, "have a token at least");
}

/* Mean within 4 standard errors; coefficient of variation roughly right. */
static void
test_arrivals(void)
{
	enum { N = 20000 };
	static const struct {
		enum tape_arrivals law;
		double burstiness;
		double cv;
	} cases[] = { { TAPE_ARRIVALS_CONSTANT, 1, 0 },
		{ TAPE_ARRIVALS_POISSON, 1, 1 },
		{ TAPE_ARRIVALS_GAMMA, 0.25, 2 },
		{ TAPE_ARRIVALS_GAMMA, 4, 0.5 } };

	for (size_t c = 0; c < 4; c++) {
		struct tape_gen_opts o = plain_opts;
		struct bench b = { .opts = o };
		struct tape_request r;
		struct tape_err err = { 0 };
		struct made m;
		double sum = 0, sum2 = 0, last = 0, mean, cv;

		b.opts.arrivals = cases[c].law;
		b.opts.burstiness = cases[c].burstiness;
		b.opts.rate_per_s = 50;
		begin(&b);
		for (int i = 0; i < N; i++) {
			double gap;

			tape_schema_init(TAPE_KIND_REQUEST, &r);
			r.input.text = tape_str_of("x");
			if (tape_gen_put(&b.g, &r, &err) != TAPE_OK)
				exit(1);
			gap = (double)r.t_ns - last;
			last = (double)r.t_ns;
			if (i > 0) {
				sum += gap;
				sum2 += gap * gap;
			}
		}
		mean = sum / (N - 1);
		cv = sqrt(fmax(0, sum2 / (N - 1) - mean * mean)) / mean;
		is_near(mean, 2e7, 4 * (cases[c].cv + 1e-6) / sqrt(N),
		    "mean gap of law %d", (int)cases[c].law);
		is_near(cv, cases[c].cv, 0.05, "its variation");
		end(&b, &m);
	}
}

static void
test_limits(void)
{
	static const char rows[] =
	    "{\"timestamp\":0,\"input_length\":500,\"output_length\":5,"
	    "\"hash_ids\":[0]}\n";
	struct tape_gen_opts o = plain_opts;
	struct made m;
	struct tape_err err;

	o.max_input_tokens = 499;
	refused("mooncake", rows, &o, TAPE_E_LIMIT,
	    "t:1: input of 500 tokens is over --max-input-tokens 499");
	refused("prompts", "{\"text\":\"a\"}\n", &o, TAPE_E_LIMIT,
	    "t:1: input of unknown length, which no limit can be held to");
	o.max_input_tokens = 500;
	o.max_total_tokens = 504;
	refused("mooncake", rows, &o, TAPE_E_LIMIT,
	    "t:1: input and output of 505 tokens are over --max-total-tokens "
	    "504");
	o.max_total_tokens = 505;
	is_int(import("mooncake", rows, &o, &m, &err), TAPE_OK,
	    "the limit itself is taken");
}

static void
says(const struct tape_gen_sums *s, const char *want)
{
	struct tape_buf b;

	tape_buf_init(&b, 1024);
	tape_gen_print_sums(s, &b);
	is_str(b.data, want, "sums in words");
	tape_buf_release(&b);
}

static void
test_sums(void)
{
	struct tape_gen_sums s = { .requests = 3,
		.input_tokens = 60,
		.output_tokens = 9,
		.largest_input = 30,
		.largest_total = 33,
		.first_t_ns = TAPE_ABSENT_I64,
		.last_t_ns = TAPE_ABSENT_I64 };

	says(&s,
	    "3 requests: input 60 tokens; output 9 tokens; largest input 30, "
	    "largest input and output 33");
	s.first_t_ns = 1500 * TAPE_NS_PER_MS;
	s.last_t_ns = 61 * TAPE_NS_PER_S;
	s.unsized = 1;
	s.unasked = 2;
	says(&s,
	    "3 requests from 1.5 s to 61.0 s: input 60 tokens (not known of "
	    "1); output 9 tokens (not known of 2); largest input 30, largest "
	    "input and output 33");
	s.requests = s.unsized = s.unasked = 1;
	s.first_t_ns = TAPE_ABSENT_I64;
	says(&s, "1 request: input not known; output not known");
}

static const char *const memory_rows =
    "{\"text\":\"a\\n\",\"session_id\":\"s\"}\n"
    "{\"messages\":[],\"session_id\":\"t\"}\n"
    "{\"text\":\"c\",\"session_id\":\"s\"}\n";

/* Each allocation fails once; the error is always that. */
static void
test_memory(void)
{
	struct tape_import_opts io = { 0 };
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n;

	for (n = 1; st == TAPE_E_NOMEM && n < 200; n++) {
		struct bench b = { .opts = plain_opts };
		struct tape_err err = { 0 };
		struct tape_in *in;

		begin(&b);
		if (tape_in_open_mem(&in, memory_rows, strlen(memory_rows), "t",
			&err) != TAPE_OK)
			exit(1);
		(void)tape_mem_fail_at(n);
		st = tape_import_all(
		    &tape_import_table[0], &in, 1, &b.g, &io, &err);
		(void)tape_mem_fail_at(0);
		tape_in_free(in);
		tape_writer_abort(b.w);
		tape_gen_release(&b.g);
		tape_buf_release(&b.buf);
	}
	ok(st == TAPE_OK && n > 5, "imports after %d failures", (int)n - 2);
}

int
main(void)
{
	test_azure();
	test_burstgpt();
	test_mooncake();
	test_prompts();
	test_synthetic();
	test_short();
	test_arrivals();
	test_bad_rows();
	test_bad_mooncake();
	test_bad_azure();
	test_files();
	test_mooncake_turns();
	test_limits();
	test_sums();
	test_memory();
	return done_testing();
}
