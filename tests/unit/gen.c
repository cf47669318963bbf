/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/gen.h"

#include "base/clock.h"
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

static enum tape_status
import(enum tape_status (*run)(struct tape_in *, struct tape_gen *,
	   const struct tape_import_opts *, struct tape_err *),
    const char *text, const struct tape_gen_opts *opts, struct made *m,
    struct tape_err *err)
{
	struct tape_import_opts io = { 0 };
	struct bench b = { .opts = *opts };
	struct tape_in *in;
	enum tape_status st;

	tape_err_clear(err);
	begin(&b);
	if (tape_in_open_mem(&in, text, strlen(text), "t", err) != TAPE_OK)
		exit(1);
	st = run(in, &b.g, &io, err);
	tape_in_free(in);
	end(&b, m);
	return st;
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

	is_int(import(tape_import_azure, rows, &plain_opts, &m, &err), TAPE_EOF,
	    "azure 2023 with CRLF and no last newline %s", err.text);
	is_int((int64_t)m.n, 4, "four rows");
	is_int(m.t_ns[0], 0, "first at 0");
	is_int(m.t_ns[1], 1 * TAPE_NS_PER_MS, "then 1 ms");
	is_int(m.t_ns[2], 8 * TAPE_NS_PER_MS, "8 ms");
	is_int(m.t_ns[3], 10 * TAPE_NS_PER_MS, "10 ms");
	is_int((int64_t)m.vocabs, 1, "one vocabulary, before the requests");
	is_int(import(tape_import_azure, mixed, &plain_opts, &m, &err),
	    TAPE_EOF, "azure 2024 and 2025, in one file %s", err.text);
	is_int(m.t_ns[1], 1000, "a second without fraction");
	is_int(m.t_ns[2], 269001000, "T and Z");
	is_int(m.t_ns[3] - m.t_ns[2], 100, "100 ns are kept");
	is_int(m.in[1], 7, "columns are found by name");
	is_int(import(tape_import_azure, "a,b\n1,2\n", &plain_opts, &m, &err),
	    TAPE_E_FORMAT, "a head line without the columns");
	is_str(err.text, "head line lacks \"TIMESTAMP\"", "is named");
	is_int(import(tape_import_azure,
		   "TIMESTAMP,ContextTokens,GeneratedTokens\n"
		   "2023-11-16 18:15:46,1,1\n2023-11-16 18:15:45,1,1\n",
		   &plain_opts, &m, &err),
	    TAPE_E_FORMAT, "time that goes back is refused");
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
	is_int(import(tape_import_mooncake, good, &plain_opts, &m, &err),
	    TAPE_EOF, "mooncake %s", err.text);
	is_int((int64_t)m.n, 2, "two rows");
	is_int(m.t_ns[0], 3000 * TAPE_NS_PER_MS, "times are kept as they are");
	is_int((int64_t)m.ids[0], 3, "with the last, partial block");
	is_int(m.in[0], 1025, "and the exact length");
	is_str(m.id[1], "2", "ids count from 1");
	is_int(import(tape_import_mooncake, good, &fast, &m, &err), TAPE_EOF,
	    "sped up");
	is_int(m.t_ns[1], 600050000, "times are divided");
	/* Case C26, the rounding of Mooncake's files. */
	for (int len = 1536; len <= 2049; len += len == 1537 ? 511 : 1) {
		char row[128];
		bool fits = len > 1536 && len <= 2048;

		(void)snprintf(row, sizeof(row),
		    "{\"timestamp\":0,\"input_length\":%d,\"output_length\":1,"
		    "\"hash_ids\":[0,1,2,3]}\n",
		    len);
		is_int(import(tape_import_mooncake, row, &plain_opts, &m, &err),
		    fits ? TAPE_EOF : TAPE_E_FORMAT,
		    "four blocks for %d tokens", len);
	}
	is_int(import(tape_import_mooncake, "<!DOCTYPE html>\n", &plain_opts,
		   &m, &err),
	    TAPE_E_FORMAT, "a web page is refused");
	ok(strstr(err.text, "web page") != NULL, "as one");
	is_int(import(tape_import_mooncake, "{\"timestamp\":1}\n", &plain_opts,
		   &m, &err),
	    TAPE_E_FORMAT, "a row without lengths is refused");
}

static void
test_prompts(void)
{
	static const char rows[] =
	    "{\"text_input\":\"a\\nb\",\"output_length\":3}\n"
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],"
	    "\"session_id\":\"s\",\"timestamp\":5}\n"
	    "\n"
	    "{\"prompt\":\"y\",\"session_id\":7,\"delay\":2}\n"
	    "{\"text\":\"z\",\"session_id\":\"s\",\"delay\":1.5}\n";
	struct made m;
	struct tape_err err;

	is_int(import(tape_import_prompts, rows, &plain_opts, &m, &err),
	    TAPE_EOF, "prompts %s", err.text);
	is_int((int64_t)m.n, 4, "four, a blank line left out");
	is_int(m.out[0], 3, "output length");
	is_str(m.after[1], "", "a first turn waits for nothing");
	is_str(m.after[2], "", "nor does one of another session");
	is_str(m.after[3], "2", "a second turn waits for the first");
	is_int((int64_t)m.vocabs, 0, "no vocabulary where none is needed");
	is_int(import(tape_import_prompts, "{\"output_length\":3}\n",
		   &plain_opts, &m, &err),
	    TAPE_E_FORMAT, "a row without prompt is refused");
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
	is_int(import(tape_import_mooncake, rows, &o, &m, &err), TAPE_E_LIMIT,
	    "an input that is too long is refused");
	o.max_input_tokens = 500;
	o.max_total_tokens = 504;
	is_int(import(tape_import_mooncake, rows, &o, &m, &err), TAPE_E_LIMIT,
	    "and one that is too long with its output");
	o.max_total_tokens = 505;
	is_int(import(tape_import_mooncake, rows, &o, &m, &err), TAPE_EOF,
	    "the limit itself is taken");
}

int
main(void)
{
	test_azure();
	test_mooncake();
	test_prompts();
	test_synthetic();
	test_arrivals();
	test_limits();
	return done_testing();
}
