/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the engine's own profile says against what the client saw. */
#include "engine/checks_impl.h"
#include "engine/native.h"

#define APART 0.05 /* between the engine's speed and the client's */

static const struct tape_engine *
profile(const struct tape_checks_maker *m)
{
	const struct tape_engine *e = m->run->engine;

	return e == NULL || e->source.p == NULL ? NULL : e;
}

static void
add_count(struct tape_buf *b, const char *what, int64_t n)
{
	if (n == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%s none", what);
	else
		(void)tape_buf_add_fmt(b, "%s %" PRId64, what, n);
}

static void
add_tokens(struct tape_buf *b, const struct tape_engine *e,
    const struct tape_native_agree *a)
{
	add_count(b,
	    a->prompt ? "prompt tokens" : "prompt tokens differ: profile",
	    e->prefill_tokens);
	if (!a->prompt)
		add_count(b, ", server", e->client_input_tokens);
	add_count(b, a->output ? ", output" : ", output tokens differ: profile",
	    e->generated_tokens);
	if (!a->output)
		add_count(b, ", server", e->client_output_tokens);
	else if (a->without_first)
		add_count(b, " without the first of", e->client_requests);
}

enum tape_status
tape_checks_engine_tokens(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_engine *e = profile(m);
	struct tape_native_agree a;
	struct tape_check *k;

	if (e == NULL)
		return TAPE_OK;
	a = tape_native_agree(e);
	k = tape_checks_begin(m, "engine_tokens");
	if (a.known) {
		k->n = a.prompt + a.output;
		k->of = 2;
		add_tokens(&m->text, e, &a);
	} else {
		(void)tape_buf_add_str(&m->text,
		    "the server did not count the tokens of every request");
	}
	if (!a.runs)
		(void)tape_buf_add_fmt(&m->text,
		    ", %" PRId64 " batches for %" PRId64 " requests",
		    e->prefill_runs, e->client_requests);
	if (m->c->failed > 0)
		(void)tape_buf_add_fmt(
		    &m->text, ", %" PRIu64 " requests failed", m->c->failed);
	tape_checks_warn(
	    k, !a.known, "without usage a profile cannot be held against it");
	tape_checks_bad(k, a.known && !(a.prompt && a.output && a.runs),
	    "the profile is of other work: make its input with trace-gen --to "
	    "edge-llm of the same trace, with temperature 0");
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_engine_decode(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_engine *e = profile(m);
	struct tape_check *k;

	if (e == NULL || isnan(e->decode_tokens_per_s) ||
	    isnan(e->client_decode_tokens_per_s))
		return TAPE_OK;
	k = tape_checks_begin(m, "engine_decode");
	k->value = e->client_decode_tokens_per_s;
	k->expected = e->decode_tokens_per_s;
	(void)tape_buf_add_fmt(&m->text,
	    "%.2f tok/s by the engine, %.2f by 1000/ITL (%+.1f %%)",
	    k->expected, k->value, 100 * (k->value / k->expected - 1));
	tape_checks_warn(k, k->value < (1 - APART) * k->expected,
	    "the way from engine to client takes time: server, text, HTTP, "
	    "proxy");
	tape_checks_warn(k, k->value > (1 + APART) * k->expected,
	    "tokens come faster than the engine makes them: the profile is of "
	    "another run, or events hold several tokens");
	return tape_checks_end(m, k, err);
}
