/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/native.h"

#include "base/clock.h"
#include "record/schema.h"

static bool
has_flag(const struct tape_summary *s, const char *flag)
{
	for (size_t i = 0; i < s->flags.n; i++)
		if (tape_str_is(s->flags.v[i], flag))
			return true;
	return false;
}

double
tape_native_counted(const struct tape_summarize_set *all, int metric)
{
	const struct tape_summary *s = &all->summary[metric];

	if (s->n == 0 || (uint64_t)s->n != all->totals.ok ||
	    has_flag(s, "from-token-events"))
		return TAPE_ABSENT_F64;
	return s->mean * (double)s->n;
}

static int64_t
whole(double v)
{
	return isnan(v) ? TAPE_ABSENT_I64 : (int64_t)(v + 0.5);
}

static void
take_client(struct tape_engine *e, const struct tape_native_run *r)
{
	const struct tape_summary *s = r->all->summary;
	const struct tape_summary *ttft = &s[TAPE_METRIC_TTFT];
	const struct tape_summary *input = &s[TAPE_METRIC_INPUT_TOKENS];
	const struct tape_summary *itl = &s[TAPE_METRIC_TPOT];

	e->client_requests = (int64_t)r->all->totals.ok;
	e->client_input_tokens =
	    whole(tape_native_counted(r->all, TAPE_METRIC_INPUT_TOKENS));
	e->client_output_tokens =
	    whole(tape_native_counted(r->all, TAPE_METRIC_OUTPUT_TOKENS));
	if (r->start == NULL || r->start->concurrency != 1)
		return;
	if (ttft->n > 0 && ttft->n == input->n && ttft->mean > 0)
		e->client_prefill_tokens_per_s =
		    input->mean * (double)TAPE_NS_PER_S / ttft->mean;
	if (itl->n > 0 && itl->mean > 0)
		e->client_decode_tokens_per_s =
		    (double)TAPE_NS_PER_S / itl->mean;
}

/* Adds what is there; absent with absent is absent. */
static int64_t
plus(int64_t a, int64_t b)
{
	if (a == TAPE_ABSENT_I64 || b == TAPE_ABSENT_I64)
		return a == TAPE_ABSENT_I64 ? b : a;
	return a + b;
}

static void
take_decode(struct tape_engine *e, const struct tape_offline *o)
{
	const struct tape_offline_phase *both[] = { &o->plain, &o->draft };
	double seconds = 0, tokens = 0;

	e->generated_tokens =
	    plus(o->plain.generated_tokens, o->draft.generated_tokens);
	e->generation_runs = plus(o->plain.runs, o->draft.runs);
	e->iterations = o->draft.iterations;
	if (o->draft_name != NULL)
		e->generation = tape_str_of(o->draft_name);
	else if (o->plain.runs != TAPE_ABSENT_I64)
		e->generation = tape_str_of("generation");
	for (size_t i = 0; i < 2; i++) {
		const struct tape_offline_phase *p = both[i];

		if (p->generated_tokens == TAPE_ABSENT_I64 ||
		    !(p->tokens_per_s > 0))
			continue;
		tokens += (double)p->generated_tokens;
		seconds += (double)p->generated_tokens / p->tokens_per_s;
	}
	if (!(seconds > 0))
		return;
	if (e->generated_tokens == e->client_output_tokens)
		tokens -= (double)e->client_requests;
	if (tokens > 0)
		e->decode_tokens_per_s = tokens / seconds;
}

static void
take_profile(struct tape_engine *e, const struct tape_offline *o)
{
	const struct tape_offline_phase *p = &o->prefill;

	e->source = tape_str_of("edge-llm");
	e->prefill_runs = p->runs;
	e->reused_tokens = p->reused_tokens;
	e->computed_tokens = p->computed_tokens;
	e->pruned_tokens = p->pruned_tokens;
	e->prefill_tokens =
	    plus(plus(p->reused_tokens, p->computed_tokens), p->pruned_tokens);
	if (p->tokens_per_s > 0)
		e->prefill_tokens_per_s = p->tokens_per_s;
	e->peak_gpu_memory_bytes = o->peak_gpu_bytes;
	e->peak_cpu_memory_bytes = o->peak_cpu_bytes;
	take_decode(e, o);
}

static bool
from_profile(struct tape_engine *e, const struct tape_offline *o)
{
	if (o == NULL || o->draft_name == NULL ||
	    (isnan(o->draft.accept_ratio) && isnan(o->draft.accept_length)))
		return false;
	e->acceptance = tape_str_of("profile");
	e->acceptance_ratio = o->draft.accept_ratio;
	e->acceptance_length_tokens = o->draft.accept_length;
	return true;
}

static bool
from_counts(
    struct tape_engine *e, const char *where, double accepted, double drafted)
{
	if (!(drafted > 0) || !(accepted >= 0) || accepted > drafted)
		return false;
	e->acceptance = tape_str_of(where);
	e->accepted_tokens = whole(accepted);
	e->drafted_tokens = whole(drafted);
	e->acceptance_ratio = accepted / drafted;
	return true;
}

/* Counters of those answers that have them. */
static bool
from_answers(struct tape_engine *e, const struct tape_summarize_set *all)
{
	const struct tape_summary *yes =
	    &all->summary[TAPE_METRIC_ACCEPTED_TOKENS];
	const struct tape_summary *no =
	    &all->summary[TAPE_METRIC_REJECTED_TOKENS];
	const double accepted = yes->mean * (double)yes->n;

	if (yes->n == 0 || yes->n != no->n)
		return false;
	return from_counts(
	    e, "response", accepted, accepted + no->mean * (double)no->n);
}

static bool
from_server(struct tape_engine *e, const struct tape_observe_set *set)
{
	const double accepted = tape_observe_increase(set, "accepted");
	const double drafts = tape_observe_increase(set, "drafts");

	if (!from_counts(
		e, "server", accepted, tape_observe_increase(set, "drafted")))
		return false;
	/* Each draft that is verified gives one token of the model's own. */
	if (drafts > 0)
		e->acceptance_length_tokens = 1 + accepted / drafts;
	return true;
}

bool
tape_native_make(struct tape_engine *out, const struct tape_native_run *run)
{
	tape_schema_init(TAPE_KIND_ENGINE, out);
	out->run = run->run->run;
	out->arm = run->run->arm;
	out->round = run->run->round;
	out->position = run->run->position;
	out->acceptance = tape_str_of("not-measured");
	take_client(out, run);
	if (run->offline != NULL)
		take_profile(out, run->offline);
	return from_profile(out, run->offline) || from_answers(out, run->all) ||
	       from_server(out, run->observed) || run->offline != NULL;
}

struct tape_native_agree
tape_native_agree(const struct tape_engine *e)
{
	const int64_t out = e->client_output_tokens;
	struct tape_native_agree a = {
		.known = e->client_input_tokens != TAPE_ABSENT_I64 &&
			 out != TAPE_ABSENT_I64,
		.prompt = e->prefill_tokens == e->client_input_tokens,
		.runs = e->prefill_runs <= e->client_requests,
	};

	if (!a.known)
		return a;
	/* Without a phase of generation there was one token an answer. */
	a.without_first =
	    plus(e->generated_tokens, 0) == out - e->client_requests &&
	    e->client_requests > 0;
	a.output = a.without_first || e->generated_tokens == out;
	return a;
}
