/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/gen.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

#define LABELS_CAP ((size_t)1 << 20)

void
tape_gen_init(struct tape_gen *g, const struct tape_gen_opts *opts,
    struct tape_writer *out)
{
	memset(g, 0, sizeof(*g));
	g->opts = *opts;
	g->out = out;
	g->sums.first_t_ns = TAPE_ABSENT_I64;
	g->sums.last_t_ns = TAPE_ABSENT_I64;
	g->block_seed = opts->seed;
	tape_rng_init(&g->arrivals, opts->seed, TAPE_RNG_GEN_ARRIVAL, 0, 0);
	tape_buf_init(&g->labels, LABELS_CAP);
}

void
tape_gen_release(struct tape_gen *g)
{
	tape_buf_release(&g->labels);
}

void
tape_gen_file(struct tape_gen *g, uint32_t k)
{
	struct tape_rng rng;

	g->block_seed = g->opts.seed;
	if (k == 0)
		return;
	tape_rng_init(&rng, g->opts.seed, TAPE_RNG_GEN_TEXT, k, 0);
	g->block_seed = tape_rng_u64(&rng) >> 11; /* 53 bits */
}

/* The gap before the next request of a law with the given mean rate. */
static double
draw_gap_s(struct tape_gen *g)
{
	double mean_s = 1 / g->opts.rate_per_s, shape = g->opts.burstiness;

	if (g->opts.arrivals == TAPE_ARRIVALS_GAMMA)
		return tape_rng_gamma(&g->arrivals, shape, mean_s / shape);
	return tape_rng_exponential(&g->arrivals, mean_s);
}

/* The first request of a law is at 0.  Constant gaps do not add up errors. */
static int64_t
next_time_ns(struct tape_gen *g)
{
	if (g->opts.arrivals == TAPE_ARRIVALS_CONSTANT)
		g->t_s = (double)g->sums.requests / g->opts.rate_per_s;
	else if (g->sums.requests > 0)
		g->t_s += draw_gap_s(g);
	return llround(g->t_s * (double)TAPE_NS_PER_S);
}

static int64_t
scale_ns(int64_t t_ns, double speedup)
{
	if (t_ns == TAPE_ABSENT_I64 || speedup == 1)
		return t_ns;
	return llround((double)t_ns / speedup);
}

/* Either all requests have times, or none; a turn is also timed by the one
   before it. */
static enum tape_status
check_time(const struct tape_gen *g, const struct tape_request *r,
    struct tape_err *err)
{
	int64_t last = g->sums.last_t_ns;
	bool timed = r->t_ns != TAPE_ABSENT_I64;
	bool others = g->first_turns > 0 || last != TAPE_ABSENT_I64;

	if (timed && last != TAPE_ABSENT_I64 && r->t_ns < last)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "time goes back by %" PRId64 " ns", last - r->t_ns);
	if (timed && others && last == TAPE_ABSENT_I64)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a time, where the requests before have none");
	if (timed || r->after.n > 0)
		return TAPE_OK;
	if (others && last != TAPE_ABSENT_I64)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "no time, where the requests before have one");
	if (g->opts.need_times)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "no time, which --arrivals trace and --speedup need");
	return TAPE_OK;
}

static enum tape_status
set_time(struct tape_gen *g, struct tape_request *r, struct tape_err *err)
{
	r->delay_ns = scale_ns(r->delay_ns, g->opts.speedup);
	switch (g->opts.arrivals) {
	case TAPE_ARRIVALS_NONE:
		r->t_ns = TAPE_ABSENT_I64;
		break;
	case TAPE_ARRIVALS_TRACE:
		r->t_ns = scale_ns(r->t_ns, g->opts.speedup);
		break;
	case TAPE_ARRIVALS_CONSTANT:
	case TAPE_ARRIVALS_POISSON:
	case TAPE_ARRIVALS_GAMMA:
		r->t_ns = next_time_ns(g);
		break;
	}
	return check_time(g, r, err);
}

static int64_t
known(int64_t tokens)
{
	return tokens == TAPE_ABSENT_I64 ? 0 : tokens;
}

static enum tape_status
check_limits(const struct tape_gen *g, const struct tape_request *r,
    struct tape_err *err)
{
	int64_t input = known(r->input_tokens);
	int64_t total = input + known(r->output_tokens);
	bool limited =
	    g->opts.max_input_tokens > 0 || g->opts.max_total_tokens > 0;

	if (limited && r->input_tokens == TAPE_ABSENT_I64)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "input of unknown length, which no limit can be held to");
	if (g->opts.max_input_tokens > 0 && input > g->opts.max_input_tokens)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "input of %" PRId64 " tokens is over --max-input-tokens "
		    "%" PRId64,
		    input, g->opts.max_input_tokens);
	if (g->opts.max_total_tokens > 0 && total > g->opts.max_total_tokens)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "input and output of %" PRId64 " tokens are over "
		    "--max-total-tokens %" PRId64,
		    total, g->opts.max_total_tokens);
	return TAPE_OK;
}

/* The source's labels of a request, and the user's, in one object. */
static enum tape_status
set_labels(struct tape_gen *g, struct tape_request *r, struct tape_err *err)
{
	struct tape_str own = r->labels, user = g->opts.labels;

	if (user.p == NULL || user.len <= 2)
		return TAPE_OK;
	if (own.p == NULL || own.len <= 2) {
		r->labels = user;
		return TAPE_OK;
	}
	tape_buf_clear(&g->labels);
	(void)tape_buf_add(&g->labels, own.p, own.len - 1);
	(void)tape_buf_add_char(&g->labels, ',');
	(void)tape_buf_add(&g->labels, user.p + 1, user.len - 1);
	r->labels = tape_str_make(g->labels.data, g->labels.len);
	return tape_buf_status(&g->labels, err);
}

static void
count(struct tape_gen_sums *s, const struct tape_request *r)
{
	int64_t input = known(r->input_tokens);
	int64_t output = known(r->output_tokens);

	if (s->first_t_ns == TAPE_ABSENT_I64)
		s->first_t_ns = r->t_ns;
	if (r->t_ns != TAPE_ABSENT_I64)
		s->last_t_ns = r->t_ns;
	s->requests++;
	s->unsized += r->input_tokens == TAPE_ABSENT_I64;
	s->unasked += r->output_tokens == TAPE_ABSENT_I64;
	s->input_tokens += input;
	s->output_tokens += output;
	if (input > s->largest_input)
		s->largest_input = input;
	if (input + output > s->largest_total)
		s->largest_total = input + output;
}

bool
tape_gen_full(const struct tape_gen *g)
{
	return g->opts.limit > 0 && g->sums.requests >= g->opts.limit;
}

enum tape_status
tape_gen_put(struct tape_gen *g, struct tape_request *r, struct tape_err *err)
{
	char id[24];
	enum tape_status st;

	if (tape_gen_full(g))
		return TAPE_EOF;
	if (r->id.p == NULL) {
		(void)snprintf(
		    id, sizeof(id), "%" PRIu64, g->sums.requests + 1);
		r->id = tape_str_of(id);
	}
	if (r->output_tokens == 0) {
		r->output_tokens = 1;
		g->sums.raised++;
	}
	st = set_time(g, r, err);
	if (st == TAPE_OK)
		st = check_limits(g, r, err);
	if (st == TAPE_OK)
		st = set_labels(g, r, err);
	if (st != TAPE_OK)
		return st;
	count(&g->sums, r);
	g->first_turns += r->after.n == 0;
	return tape_writer_put(g->out, TAPE_KIND_REQUEST, r, err);
}

enum tape_status
tape_gen_blocks(struct tape_gen *g, struct tape_request *r, int64_t size,
    struct tape_i64s ids, int64_t tokens, struct tape_err *err)
{
	struct tape_vocab v;
	enum tape_status st = TAPE_OK;

	tape_gen_vocab(&v);
	if (!g->vocab_written) {
		st = tape_writer_put(g->out, TAPE_KIND_VOCAB, &v, err);
		g->vocab_written = true;
	}
	r->input.blocks.vocab = v.name;
	r->input.blocks.seed = (int64_t)g->block_seed;
	r->input.blocks.size = size;
	r->input.blocks.ids = ids;
	r->input.blocks.tokens = tokens;
	r->input_tokens = tokens;
	return st;
}

/* "input 60 tokens", and of how many it is not known. */
static void
print_tokens(struct tape_buf *out, const char *what, int64_t tokens,
    uint64_t unknown, uint64_t of)
{
	if (unknown == of)
		(void)tape_buf_add_fmt(out, "%s not known", what);
	else
		(void)tape_buf_add_fmt(
		    out, "%s %" PRId64 " tokens", what, tokens);
	if (unknown > 0 && unknown < of)
		(void)tape_buf_add_fmt(
		    out, " (not known of %" PRIu64 ")", unknown);
}

void
tape_gen_print_sums(const struct tape_gen_sums *s, struct tape_buf *out)
{
	const uint64_t n = s->requests;

	(void)tape_buf_add_fmt(
	    out, "%" PRIu64 " request%s", n, n == 1 ? "" : "s");
	if (s->first_t_ns != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(out, " from %.1f s to %.1f s",
		    (double)s->first_t_ns / (double)TAPE_NS_PER_S,
		    (double)s->last_t_ns / (double)TAPE_NS_PER_S);
	(void)tape_buf_add_str(out, ": ");
	print_tokens(out, "input", s->input_tokens, s->unsized, n);
	(void)tape_buf_add_str(out, "; ");
	print_tokens(out, "output", s->output_tokens, s->unasked, n);
	if (s->unsized < n)
		(void)tape_buf_add_fmt(out,
		    "; largest input %" PRId64
		    ", largest input and output %" PRId64,
		    s->largest_input, s->largest_total);
}
