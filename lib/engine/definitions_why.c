/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/definitions_why.h"

#include "base/mem.h"
#include "engine/definitions_stat.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A relative difference below this is none. */
#define NOTABLE 0.0005

struct why {
	struct tape_definitions_report *r;
	enum tape_definitions_id peer;
	const struct tape_definitions_peer *p;
	const struct tape_definitions_seen *s;
	enum tape_status st;
	struct tape_err *err;
};

__attribute__((format(printf, 2, 3))) static void
say(struct why *w, const char *fmt, ...)
{
	struct tape_definitions_report *r = w->r;
	struct tape_definitions_reason *reason;
	va_list ap;

	if (w->st != TAPE_OK)
		return;
	if (tape_mem_grow((void **)&r->reasons, &r->reason_cap, r->reason_n + 1,
		sizeof(*r->reasons)) != 0) {
		w->st = tape_err_nomem(w->err);
		return;
	}
	reason = &r->reasons[r->reason_n++];
	reason->peer = w->peer;
	va_start(ap, fmt);
	(void)vsnprintf(reason->text, sizeof(reason->text), fmt, ap);
	va_end(ap);
}

static double
mean_ms(double sum, uint64_t n)
{
	return fabs(sum) / (double)n / TAPE_DEFINITIONS_MS;
}

static void
say_first(struct why *w)
{
	const struct tape_definitions_seen *s = w->s;
	const char *rule = "";

	if (s->first_n > 0) {
		if (w->p->rules.empty && s->first_ns < 0)
			rule = "an empty delta behind the first event counts";
		else if (strchr(w->p->rules.tokens, 'g') == NULL)
			rule = "only content counts, no reasoning or tool call";
		else if (strchr(w->p->rules.tokens, 't') == NULL)
			rule = "tool calls do not count";
		else
			rule = "refusals and audio do not count";
		say(w,
		    "first token: in %" PRIu64 " of %" PRIu64
		    " answers another event, on average %.3f ms %s: %s",
		    s->first_n, s->both, mean_ms(s->first_ns, s->first_n),
		    s->first_ns < 0 ? "earlier" : "later", rule);
	}
	if (s->zero > 0)
		say(w,
		    "first token: %" PRIu64
		    " answers without one have ttft 0, not none",
		    s->zero);
}

static const char *const froms[] = {
	[TAPE_FROM_START] = "request was handed to the client's library",
	[TAPE_FROM_CONN] = "connection was there",
	[TAPE_FROM_DUE] = "request was due",
};

static void
say_ends(struct why *w)
{
	const struct tape_definitions_seen *s = w->s;
	const char *rule = "the last token";

	if (w->p->rules.end == TAPE_END_EVENT)
		rule = "the last event, usage and [DONE] included";
	else if (w->p->rules.end == TAPE_END_MARK)
		rule = "[DONE], else the end of the stream";
	if (s->end_n > 0)
		say(w,
		    "end: in %" PRIu64 " of %" PRIu64
		    " answers on average %.3f ms %s: it is %s",
		    s->end_n, s->both, mean_ms(s->end_ns, s->end_n),
		    s->end_ns < 0 ? "earlier" : "later", rule);
	if (s->from_n > 0)
		say(w, "t0: on average %.3f ms %s: it is when the %s",
		    mean_ms(s->from_ns, s->from_n),
		    s->from_ns < 0 ? "earlier" : "later",
		    froms[w->p->rules.from]);
}

static void
say_failed(struct why *w)
{
	const struct tape_definitions_seen *s = w->s;

	if (s->forgiven > 0)
		say(w,
		    "failed: %" PRIu64 " that failed here are good to it "
		    "(an error in the stream, or its end, passes)",
		    s->forgiven);
	if (s->broken > 0)
		say(w,
		    "failed: %" PRIu64 " that are good here failed to it "
		    "(%s)",
		    s->broken,
		    w->p->rules.streams_only ? "not streamed, or no token to it"
		    : w->p->rules.no_comments ? "a comment, or what is no JSON"
					      : "no token to it");
	if (s->cancelled > 0)
		say(w,
		    "failed: %" PRIu64 " cancelled on purpose are failures "
		    "to it",
		    s->cancelled);
	if (s->retried > 0)
		say(w,
		    "requests: %" PRIu64 " were sent again; each attempt is "
		    "one to it, with times of its own",
		    s->retried);
}

static void
say_tokens(struct why *w)
{
	const struct tape_definitions_seen *s = w->s;

	if (s->input_n > 0)
		say(w,
		    "prompt: in %" PRIu64 " of %" PRIu64
		    " requests on average %.1f tokens %s than the server's "
		    "usage: the trace's count, without the template",
		    s->input_n, s->both, fabs(s->input) / (double)s->input_n,
		    s->input < 0 ? "fewer" : "more");
	if (s->asked > 0)
		say(w,
		    "output: %" PRIu64 " answers have no usage: the length "
		    "asked for counts",
		    s->asked);
	if (w->p->counting != NULL && s->n > 0)
		say(w, "tokens: it %s", w->p->counting);
}

static double
mean_of(const struct why *w, enum tape_definitions_what what)
{
	const struct tape_definitions_row *row =
	    tape_definitions_row(w->r, w->peer, what);

	return row == NULL ? TAPE_ABSENT_F64
			   : row->summary.mean * row->metric->unit_size;
}

static bool
differs(double theirs, double ours)
{
	return fabs(theirs - ours) > NOTABLE * fabs(ours);
}

static void
say_means(struct why *w)
{
	const struct tape_summary *ours = w->r->ours->summary;
	const double tpot = mean_of(w, TAPE_WHAT_TPOT);
	const struct tape_definitions_row *row;

	if (w->peer == TAPE_DEFINITIONS_GUIDELLM &&
	    differs(tpot, ours[TAPE_METRIC_TPOT].mean))
		say(w, "tpot, its ITL: weighted by the tokens of each answer");
	if ((w->peer == TAPE_DEFINITIONS_SGLANG) &&
	    differs(tpot, ours[TAPE_METRIC_TPOT].mean) && w->s->end_n > 0)
		say(w, "tpot: what comes behind the last token is in it");
	row = tape_definitions_row(w->r, w->peer, TAPE_WHAT_TTFT);
	if (row == NULL || row->summary.n < 2)
		return;
	if (w->p->quantile == TAPE_QUANTILE_STEP)
		say(w, "percentiles: the first value whose share of the "
		       "weight reaches q, none between two values");
	if (w->p->quantile == TAPE_QUANTILE_RANK)
		say(w, "percentiles: the value of rank floor(n q) + 1, none "
		       "between two values");
}

static void
say_window(struct why *w)
{
	const struct tape_metric_totals *ours = &w->r->ours->totals;
	const struct tape_definitions_row *row =
	    tape_definitions_row(w->r, w->peer, TAPE_WHAT_DURATION);
	const char *rule = "first start to last end of successful requests";

	if (w->p->rules.window == TAPE_WINDOW_WHOLE)
		rule = "first start to the end of the last answer, failed ones "
		       "included";
	else if (w->p->rules.window == TAPE_WINDOW_LAST)
		rule = "first sample to the end of the one planned last";
	if (row != NULL && differs(row->summary.value, ours->window_s))
		say(w, "duration: %.3f s, not %.3f s: %s", row->summary.value,
		    ours->window_s, rule);
	if (w->peer == TAPE_DEFINITIONS_AIPERF &&
	    differs(tape_definitions_whole(w->s), ours->window_s))
		say(w, "rates: over the whole phase, %.3f s, not over that",
		    tape_definitions_whole(w->s));
	if (w->peer == TAPE_DEFINITIONS_GUIDELLM && w->s->n > 0)
		say(w, "rates: a distribution over time, of which this is the "
		       "mean");
	if (w->peer == TAPE_DEFINITIONS_MLPERF && w->s->n > 0)
		say(w, "rates: requests less one, as the last one ends the "
		       "time");
	if (w->peer == TAPE_DEFINITIONS_GENAI && w->s->failed > 0)
		say(w,
		    "rates: %" PRIu64 " failed requests are in the requests "
		    "per second",
		    w->s->failed);
}

enum tape_status
tape_definitions_why(struct tape_definitions_report *r,
    enum tape_definitions_id peer, const struct tape_definitions_seen *seen,
    struct tape_err *err)
{
	struct why w = {
		.r = r,
		.peer = peer,
		.p = tape_definitions_table[peer],
		.s = seen,
		.st = TAPE_OK,
		.err = err,
	};

	say_first(&w);
	say_ends(&w);
	say_failed(&w);
	say_means(&w);
	say_window(&w);
	say_tokens(&w);
	return w.st;
}
