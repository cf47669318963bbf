/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several peers ask of a request, and of a run. */
#include "base/clock.h"
#include "base/mem.h"
#include "engine/definitions_stat.h"

static double
between(int64_t from, int64_t to)
{
	if (from == TAPE_ABSENT_I64 || to == TAPE_ABSENT_I64)
		return TAPE_ABSENT_F64;
	return (double)(to - from);
}

static double
count_of(int64_t n)
{
	return n == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64 : (double)n;
}

double
tape_definitions_ttft(const struct tape_definitions_view *v)
{
	return between(v->start_ns, v->first_ns);
}

double
tape_definitions_second(const struct tape_definitions_view *v)
{
	return v->streamed ? between(v->first_ns, v->second_ns)
			   : TAPE_ABSENT_F64;
}

double
tape_definitions_ttfo(const struct tape_definitions_view *v)
{
	return between(v->start_ns, v->answer_ns);
}

double
tape_definitions_latency(const struct tape_definitions_view *v)
{
	return between(v->start_ns, v->end_ns);
}

double
tape_definitions_input(const struct tape_definitions_view *v)
{
	return count_of(v->input);
}

double
tape_definitions_output(const struct tape_definitions_view *v)
{
	return count_of(v->output);
}

double
tape_definitions_tpot(const struct tape_definitions_view *v)
{
	if (v->output < 2)
		return TAPE_ABSENT_F64;
	return between(v->first_ns, v->end_ns) / (double)(v->output - 1);
}

double
tape_definitions_whole(const struct tape_definitions_seen *s)
{
	const double ns = between(s->first_start_ns, s->last_end_ns);

	return ns > 0 ? ns / TAPE_DEFINITIONS_S : TAPE_ABSENT_F64;
}

double
tape_definitions_ok(const struct tape_definitions_totals *t)
{
	return (double)t->ok;
}

double
tape_definitions_failed(const struct tape_definitions_totals *t)
{
	return (double)t->failed;
}

double
tape_definitions_duration(const struct tape_definitions_totals *t)
{
	return t->duration_s;
}

double
tape_definitions_inputs(const struct tape_definitions_totals *t)
{
	return t->input;
}

double
tape_definitions_outputs(const struct tape_definitions_totals *t)
{
	return t->output;
}

double
tape_definitions_ok_per_s(const struct tape_definitions_totals *t)
{
	return (double)t->ok / t->duration_s;
}

double
tape_definitions_input_per_s(const struct tape_definitions_totals *t)
{
	return t->input / t->duration_s;
}

double
tape_definitions_output_per_s(const struct tape_definitions_totals *t)
{
	return t->output / t->duration_s;
}

double
tape_definitions_total_per_s(const struct tape_definitions_totals *t)
{
	return (t->input + t->output) / t->duration_s;
}

/* Seconds from the first start of a successful request to the last end. */
struct seconds {
	int64_t start_ns;
	size_t n;
	uint64_t *count;
};

/* Runs of more seconds than these, over a year, have no peak. */
#define SECONDS_MAX ((int64_t)1 << 25)

static bool
open_seconds(const struct tape_definitions_seen *s, struct seconds *out)
{
	int64_t start = TAPE_ABSENT_I64, end = TAPE_ABSENT_I64, n;

	for (size_t i = 0; i < s->n; i++) {
		if (start == TAPE_ABSENT_I64 || s->v[i].start_ns < start)
			start = s->v[i].start_ns;
		if (s->v[i].end_ns > end)
			end = s->v[i].end_ns;
	}
	n = s->n == 0 ? 0 : (end - start) / TAPE_NS_PER_S + 2;
	if (n < 1 || n > SECONDS_MAX)
		return false;
	out->start_ns = start;
	out->n = (size_t)n;
	out->count = tape_mem_calloc(out->n, sizeof(*out->count));
	return out->count != NULL;
}

static void
count(struct seconds *s, int64_t t)
{
	const int64_t i = (t - s->start_ns) / TAPE_NS_PER_S;

	if (t >= s->start_ns && (size_t)i < s->n)
		s->count[i]++;
}

static double
close_seconds(struct seconds *s)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = s->count[i] > most ? s->count[i] : most;
	tape_mem_free(s->count);
	return (double)most;
}

double
tape_definitions_peak_tokens(const struct tape_definitions_totals *t)
{
	struct seconds s;

	if (!open_seconds(t->seen, &s))
		return TAPE_ABSENT_F64;
	for (size_t i = 0; i < t->seen->n; i++) {
		const struct tape_definitions_view *v = &t->seen->v[i];
		int64_t at = v->first_ns;

		if (at == TAPE_ABSENT_I64)
			continue;
		count(&s, at);
		for (size_t k = 0; k < v->gap_n; k++) {
			at += (int64_t)t->seen->gaps[v->gap_at + k];
			count(&s, at);
		}
	}
	return close_seconds(&s);
}

double
tape_definitions_peak_open(const struct tape_definitions_totals *t)
{
	struct seconds s;

	if (!open_seconds(t->seen, &s))
		return TAPE_ABSENT_F64;
	for (size_t i = 0; i < t->seen->n; i++) {
		const struct tape_definitions_view *v = &t->seen->v[i];
		int64_t at =
		    v->start_ns - (v->start_ns - s.start_ns) % TAPE_NS_PER_S;

		for (; at <= v->end_ns; at += TAPE_NS_PER_S)
			count(&s, at);
	}
	return close_seconds(&s);
}
