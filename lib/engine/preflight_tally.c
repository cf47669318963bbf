/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/preflight_tally.h"

#include "api/api.h"
#include "base/num.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define SUSPECT_NS    ((double)TAPE_NS_PER_MS)
#define LIMITED_NS    (10.0 * (double)TAPE_NS_PER_MS)
#define SD_SUSPECT_NS (0.5 * (double)TAPE_NS_PER_MS)
#define SD_LIMITED_NS (5.0 * (double)TAPE_NS_PER_MS)

static void
add(struct tape_preflight_moments *m, double x)
{
	double off = x - m->mean;

	m->n++;
	m->mean += off / (double)m->n;
	m->squares += off * (x - m->mean);
}

double
tape_preflight_sd(const struct tape_preflight_moments *m)
{
	if (m->n < 2)
		return (double)NAN;
	return sqrt(m->squares / (double)(m->n - 1));
}

double
tape_preflight_itl_error(const struct tape_preflight_tally *t)
{
	return fabs(tape_preflight_sd(&t->seen) - tape_preflight_sd(&t->sent));
}

static void
count_clock(struct tape_preflight_tally *t, char clk)
{
	t->kernel += clk == 'k';
	t->merged += clk == 'm';
	t->user += clk == 'u';
}

/* All arrays are there, and of one length. */
static bool
is_stamped(const struct tape_events *e)
{
	const size_t n = e->t_ns.n;

	return n > 0 && e->server_ns.n == n && e->class.len == n &&
	       e->clk.len == n;
}

void
tape_preflight_response(
    struct tape_preflight_tally *t, const struct tape_response *r)
{
	const struct tape_events *e = &r->events;
	const int64_t *at = e->t_ns.v, *sent = e->server_ns.v;
	size_t last = SIZE_MAX;

	if (!is_stamped(e))
		return;
	for (size_t i = 0; i < e->t_ns.n; i++) {
		if (!tape_api_is_token(e->class.p[i]) || sent[i] < 0)
			continue;
		t->events++;
		count_clock(t, e->clk.p[i]);
		tape_hist_add(&t->error, at[i] - sent[i]);
		if (e->server_late_ns.n == e->t_ns.n &&
		    e->server_late_ns.v[i] >= 0)
			tape_hist_add(&t->late, e->server_late_ns.v[i]);
		if (last == SIZE_MAX) {
			tape_hist_add(&t->ttft, at[i] - sent[i]);
		} else if (e->choice.n == 0) {
			add(&t->seen, (double)(at[i] - at[last]));
			add(&t->sent, (double)(sent[i] - sent[last]));
		}
		last = i;
	}
}

/* How sound something that is so large is. */
static enum tape_fidelity_verdict
level(double ns, double suspect, double limited)
{
	if (ns > limited)
		return TAPE_FIDELITY_LIMITED;
	return ns > suspect ? TAPE_FIDELITY_SUSPECT : TAPE_FIDELITY_SOUND;
}

static void say(struct tape_preflight_tally *t,
    enum tape_fidelity_verdict verdict, const char *fmt, ...) TAPE_PRINTF(3, 4);

/* A sound thing is no reason. */
static void
say(struct tape_preflight_tally *t, enum tape_fidelity_verdict verdict,
    const char *fmt, ...)
{
	va_list ap;

	if (verdict > t->verdict)
		t->verdict = verdict;
	if (verdict == TAPE_FIDELITY_SOUND ||
	    t->reasons_n == TAPE_PREFLIGHT_REASONS)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(
	    t->reasons[t->reasons_n++], sizeof(t->reasons[0]), fmt, ap);
	va_end(ap);
}

static enum tape_fidelity_verdict
verdict_of(struct tape_str name)
{
	for (enum tape_fidelity_verdict v = TAPE_FIDELITY_SOUND;
	     v < TAPE_FIDELITY_LIMITED; v++)
		if (tape_str_is(name, tape_fidelity_name(v)))
			return v;
	return TAPE_FIDELITY_LIMITED;
}

void
tape_preflight_fidelity(
    struct tape_preflight_tally *t, const struct tape_fidelity *f)
{
	enum tape_fidelity_verdict verdict = verdict_of(f->verdict);

	t->has_fidelity = true;
	if (verdict > t->verdict)
		t->verdict = verdict;
	for (size_t i = 0; i < f->reasons.n; i++)
		say(t, verdict, "%.*s", (int)f->reasons.v[i].len,
		    f->reasons.v[i].p);
	t->fidelity = *f;
	t->fidelity.verdict = tape_str_of(tape_fidelity_name(verdict));
	t->fidelity.reasons = (struct tape_strs){ NULL, 0 };
	t->fidelity.limits = (struct tape_strs){ NULL, 0 };
}

static void
judge_errors(struct tape_preflight_tally *t)
{
	const double event = (double)tape_hist_quantile(&t->error, 0.99);
	const double ttft = (double)tape_hist_quantile(&t->ttft, 0.99);
	const double itl = tape_preflight_itl_error(t);
	char text[TAPE_NUM_TEXT];

	say(t, level(event, SUSPECT_NS, LIMITED_NS),
	    "p99 of the error of event times is %s",
	    tape_num_print_duration(event, text));
	say(t, level(ttft, SUSPECT_NS, LIMITED_NS),
	    "p99 of the error of the time to the first token is %s",
	    tape_num_print_duration(ttft, text));
	say(t, level(itl, SD_SUSPECT_NS, SD_LIMITED_NS),
	    "the standard deviation of the time between tokens is off by %s",
	    tape_num_print_duration(itl, text));
}

/* The server was late: there was no CPU for both, and whose fault the rest is
   cannot be told. */
static void
judge_server(struct tape_preflight_tally *t, int64_t itl_ns)
{
	const int64_t late = tape_hist_quantile(&t->late, 0.99);
	char text[TAPE_NUM_TEXT];

	if (late <= TAPE_NS_PER_MS || late <= itl_ns / 4)
		return;
	t->blind = t->verdict != TAPE_FIDELITY_SOUND;
	say(t, TAPE_FIDELITY_SUSPECT,
	    "the mock was late itself, p99 %s: the machine has no CPU for both",
	    tape_num_print_duration((double)late, text));
}

void
tape_preflight_judge(
    struct tape_preflight_tally *t, const struct tape_preflight_outcome *o)
{
	if (o->failed > 0)
		say(t, TAPE_FIDELITY_LIMITED,
		    "%lld of %lld requests failed against the mock: %s",
		    (long long)o->failed, (long long)o->sent, o->failure);
	if (t->events > 0) {
		judge_errors(t);
		judge_server(t, o->itl_ns);
		return;
	}
	t->blind = o->failed == 0;
	say(t, TAPE_FIDELITY_SUSPECT, "no event came back");
}
