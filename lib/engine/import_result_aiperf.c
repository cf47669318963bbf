/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AIPerf's profile_export.jsonl: a line a request. */
#include "base/clock.h"
#include "base/hash.h"
#include "engine/import.h"
#include "engine/import_result.h"

#include <inttypes.h>
#include <stdio.h>

#define ID_MAX 64

/* A metric that is a time, with its unit. */
struct timed {
	double value;
	struct tape_str unit;
};

struct line {
	int64_t session_num, turn, issued_ns, start_ns, end_ns;
	struct tape_str conversation, phase;
	int8_t cancelled;
	struct timed ttft, ttst, ttfo, latency;
	struct tape_f64s gaps;
	struct tape_str gaps_unit;
	int64_t input, output, asked_input, usage_input, usage_output;
	int64_t cached, reasoning, usage_reasoning;
	struct tape_str error_type, error_message;
	int64_t error_code;
};

#define AT(f) offsetof(struct line, f)
#define TIMED(name, f)                                                         \
 { "metrics." name ".value", TAPE_DIG_NUMBER, AT(f.value) },                   \
 {                                                                             \
  "metrics." name ".unit", TAPE_DIG_TEXT, AT(f.unit)                           \
 }
#define COUNT(name, f)                                                         \
 {                                                                             \
  "metrics." name ".value", TAPE_DIG_INTEGER, AT(f)                            \
 }

static const struct tape_dig table[] = {
	{ "metadata.session_num", TAPE_DIG_INTEGER, AT(session_num) },
	{ "metadata.conversation_id", TAPE_DIG_TEXT, AT(conversation) },
	{ "metadata.turn_index", TAPE_DIG_INTEGER, AT(turn) },
	{ "metadata.credit_issued_ns", TAPE_DIG_INTEGER, AT(issued_ns) },
	{ "metadata.request_start_ns", TAPE_DIG_INTEGER, AT(start_ns) },
	{ "metadata.request_end_ns", TAPE_DIG_INTEGER, AT(end_ns) },
	{ "metadata.benchmark_phase", TAPE_DIG_TEXT, AT(phase) },
	{ "metadata.was_cancelled", TAPE_DIG_BOOL, AT(cancelled) },
	TIMED("time_to_first_token", ttft),
	TIMED("time_to_second_token", ttst),
	TIMED("time_to_first_output_token", ttfo),
	TIMED("request_latency", latency),
	{ "metrics.inter_chunk_latency.value", TAPE_DIG_NUMBERS, AT(gaps) },
	{ "metrics.inter_chunk_latency.unit", TAPE_DIG_TEXT, AT(gaps_unit) },
	COUNT("input_sequence_length", input),
	COUNT("output_sequence_length", output),
	COUNT("usage_prompt_tokens", usage_input),
	COUNT("usage_completion_tokens", usage_output),
	COUNT("usage_prompt_cache_read_tokens", cached),
	COUNT("reasoning_token_count", reasoning),
	COUNT("usage_reasoning_tokens", usage_reasoning),
	{ "error.type", TAPE_DIG_TEXT, AT(error_type) },
	{ "error.message", TAPE_DIG_TEXT, AT(error_message) },
	{ "error.code", TAPE_DIG_INTEGER, AT(error_code) },
};

static enum tape_status
to_ns(const struct timed *t, double *ns, struct tape_err *err)
{
	double by;

	*ns = TAPE_ABSENT_F64;
	if (isnan(t->value))
		return TAPE_OK;
	by = tape_import_unit(t->unit, "ns");
	if (isnan(by))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a time has the unit \"%.*s\"", tape_str_shown(t->unit, 20),
		    t->unit.p == NULL ? "" : t->unit.p);
	*ns = t->value * by;
	if (!(fabs(*ns) < (double)TAPE_FIELD_I64_MAX))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "a time is out of range");
	return TAPE_OK;
}

static int64_t
whole(double ns)
{
	return isnan(ns) ? TAPE_ABSENT_I64 : llround(ns);
}

static void
set_tokens(const struct line *l, struct tape_tokens *t)
{
	const bool usage = l->usage_output != TAPE_ABSENT_I64;

	t->output = usage ? l->usage_output : l->output;
	t->input =
	    l->usage_input != TAPE_ABSENT_I64 ? l->usage_input : l->input;
	t->cached = l->cached;
	t->reasoning = l->usage_reasoning != TAPE_ABSENT_I64
			   ? l->usage_reasoning
			   : l->reasoning;
	if (t->output != TAPE_ABSENT_I64)
		t->source = tape_str_of(usage ? "usage" : "client");
}

/* Our definitions, from its times: a second token counts from the start here,
   from the first there. */
static enum tape_status
set_times(
    const struct line *l, struct tape_import_request *q, struct tape_err *err)
{
	struct tape_result *r = &q->result;
	double ttft, ttst, ttfo, latency;
	enum tape_status st = to_ns(&l->ttft, &ttft, err);

	if (st == TAPE_OK)
		st = to_ns(&l->ttst, &ttst, err);
	if (st == TAPE_OK)
		st = to_ns(&l->ttfo, &ttfo, err);
	if (st == TAPE_OK)
		st = to_ns(&l->latency, &latency, err);
	if (st != TAPE_OK)
		return st;
	q->streamed = !isnan(ttft);
	q->reasoned = !isnan(ttft) && !isnan(ttfo) && ttfo > ttft;
	r->ttft_ns = whole(ttft);
	r->ttst_ns = whole(ttft + ttst);
	r->ttfo_ns = whole(ttfo);
	r->latency_ns = whole(latency);
	if (r->ttft_ns != TAPE_ABSENT_I64)
		r->first_ns = l->start_ns + r->ttft_ns;
	if (r->latency_ns != TAPE_ABSENT_I64)
		r->last_ns = l->start_ns + r->latency_ns;
	if (r->tokens.output > 1)
		r->tpot_ns = (latency - ttft) / (double)(r->tokens.output - 1);
	if (l->issued_ns == TAPE_ABSENT_I64)
		return TAPE_OK;
	r->due_ns = l->issued_ns;
	r->late_ns = l->start_ns - l->issued_ns;
	if (r->ttft_ns != TAPE_ABSENT_I64)
		r->ttft_due_ns = r->ttft_ns + r->late_ns;
	if (r->latency_ns != TAPE_ABSENT_I64)
		r->latency_due_ns = r->latency_ns + r->late_ns;
	return TAPE_OK;
}

static enum tape_status
set_gaps(struct tape_import_run *run, const struct line *l,
    struct tape_import_request *q, struct tape_err *err)
{
	double by = tape_import_unit(l->gaps_unit, "ns");
	double *v;

	if (l->gaps.v == NULL)
		return TAPE_OK;
	v = tape_arena_alloc(&run->arena, l->gaps.n + 1, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < l->gaps.n; i++) {
		v[i] = l->gaps.v[i] * by;
		if (!(fabs(v[i]) < (double)TAPE_FIELD_I64_MAX))
			return tape_err_set(err, TAPE_E_FORMAT,
			    "a gap is no time in a unit that is known");
	}
	q->gaps = (struct tape_f64s){ v, l->gaps.n };
	q->result.token_events = (int64_t)l->gaps.n + 1;
	return TAPE_OK;
}

static enum tape_status
set_error(struct tape_import_run *run, const struct line *l,
    struct tape_import_request *q, struct tape_err *err)
{
	struct tape_result *r = &q->result;
	const bool http = l->error_code >= 400 && l->error_code < 600;

	if (l->cancelled == 1) {
		q->cancelled = true;
		r->ok = 0;
		r->error.class = tape_str_of("cancelled");
		r->error.cause = tape_str_of("planned");
		return TAPE_OK;
	}
	if (l->error_type.p == NULL && l->error_message.p == NULL)
		return TAPE_OK;
	r->ok = 0;
	if (http)
		r->status = l->error_code;
	return tape_import_error(
	    run, q, http ? "http" : NULL, l->error_type, l->error_message, err);
}

/* Its prompts are numbered in the order in which they are sent, so that equal
   numbers are equal prompts in runs of one data set and seed. */
static enum tape_status
set_id(struct tape_import_run *run, const struct line *l,
    struct tape_import_request *q, struct tape_err *err)
{
	char id[ID_MAX];
	enum tape_status st;
	int n;

	n = snprintf(
	    id, sizeof(id), "%s%" PRId64, q->warmup ? "w" : "", l->session_num);
	if (l->turn > 0)
		(void)snprintf(
		    id + n, sizeof(id) - (size_t)n, ".%" PRId64, l->turn);
	q->result.turn = l->turn;
	st = tape_import_run_keep(run, tape_str_of(id), &q->result.id, err);
	if (st == TAPE_OK && l->turn > 0)
		st = tape_import_run_keep(
		    run, l->conversation, &q->result.session, err);
	return st;
}

static enum tape_status
add_line(
    struct tape_import_run *run, const struct line *l, struct tape_err *err)
{
	struct tape_import_request *q;
	enum tape_status st;

	if (l->session_num == TAPE_ABSENT_I64 || l->start_ns == TAPE_ABSENT_I64)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "no request: \"metadata\" has no session_num or "
		    "request_start_ns");
	q = tape_import_run_add(run);
	if (q == NULL)
		return tape_err_nomem(err);
	q->warmup = tape_str_is(l->phase, "warmup");
	q->result.start_ns = l->start_ns;
	q->result.end_ns = l->end_ns;
	set_tokens(l, &q->result.tokens);
	st = set_id(run, l, q, err);
	if (st == TAPE_OK)
		st = set_error(run, l, q, err);
	if (st != TAPE_OK || q->result.ok != 1)
		return st;
	st = set_times(l, q, err);
	return st == TAPE_OK ? set_gaps(run, l, q, err) : st;
}

static enum tape_status
read_lines(struct tape_in *in, struct tape_digger *d,
    struct tape_import_run *run, struct tape_err *err)
{
	struct tape_str text;
	struct line l;
	enum tape_status st = TAPE_OK;

	while (st == TAPE_OK) {
		tape_arena_reset(&d->arena);
		st = tape_import_row(in, &text.p, &text.len, err);
		if (st != TAPE_OK)
			break;
		run->digest = tape_hash_add(run->digest, text.p, text.len);
		st = tape_dig_read(
		    d, text, table, sizeof(table) / sizeof(*table), &l, err);
		if (st == TAPE_OK)
			st = add_line(run, &l, err);
	}
	return st == TAPE_EOF ? TAPE_OK : st;
}

enum tape_status
tape_import_aiperf_lines(
    struct tape_in *in, struct tape_import_to *to, struct tape_err *err)
{
	struct tape_digger d;
	struct tape_import_run run;
	enum tape_status st;

	tape_digger_init(&d);
	tape_import_run_init(&run);
	run.tool = "aiperf";
	run.digest = TAPE_HASH_START;
	st = read_lines(in, &d, &run, err);
	if (st != TAPE_OK)
		(void)tape_err_at(err, tape_in_name(in), tape_in_line_no(in));
	if (st == TAPE_OK)
		st = tape_import_result_put(to, &run, err);
	tape_import_run_release(&run);
	tape_digger_release(&d);
	return st;
}
