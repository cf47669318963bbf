/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/fidelity.h"

#include "base/num.h"

#include <stdarg.h>
#include <stdio.h>

#define SUSPECT TAPE_FIDELITY_SUSPECT
#define LIMITED TAPE_FIDELITY_LIMITED

#define SHARE_SUSPECT 0.01 /* of events merged, of reads without kernel time */
#define SHARE_LIMITED 0.1

static void add(struct tape_fidelity_text *t,
    enum tape_fidelity_verdict verdict, const char *fmt, ...) TAPE_PRINTF(3, 4);

static void
add(struct tape_fidelity_text *t, enum tape_fidelity_verdict verdict,
    const char *fmt, ...)
{
	char *text;
	va_list ap;

	if (verdict > t->verdict)
		t->verdict = verdict;
	if (t->reasons_n == TAPE_FIDELITY_REASONS)
		return;
	text = t->reasons[t->reasons_n];
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(t->reasons[0]), fmt, ap);
	va_end(ap);
	t->reason_spans[t->reasons_n++] = tape_str_of(text);
}

static void
judge_sends(struct tape_fidelity_text *t, const struct tape_loop_stats *s)
{
	struct tape_fidelity_sends *r = &t->rec.sends;
	char p99[TAPE_NUM_TEXT];

	r->n = s->sent;
	r->spin_ns = s->spin_ns;
	if (s->sent == 0)
		return;
	r->late_p50_ns = tape_hist_quantile(&s->late, 0.5);
	r->late_p99_ns = tape_hist_quantile(&s->late, 0.99);
	r->late_max_ns = s->late.max;
	if (r->late_p99_ns > TAPE_NS_PER_MS)
		add(t, r->late_p99_ns > 10 * TAPE_NS_PER_MS ? LIMITED : SUSPECT,
		    "p99 of late sends is %s",
		    tape_num_print_duration((double)r->late_p99_ns, p99));
}

static void
fill_reads(struct tape_fidelity_text *t, const struct tape_fidelity_input *in)
{
	const struct tape_loop_stats *s = in->stats;
	struct tape_fidelity_reads *r = &t->rec.reads;

	r->n = s->reads;
	r->kernel = s->lag.n;
	r->user = s->reads - s->lag.n;
	r->events = in->merged.events;
	r->merged = in->merged.reads;
	r->merged_events = in->merged.behind;
	r->merged_late_events = in->merged.late;
	if (s->reads > 0)
		t->rec.kernel_ratio = (double)s->lag.n / (double)s->reads;
	if (s->lag.n == 0)
		return;
	r->lag_p50_ns = tape_hist_quantile(&s->lag, 0.5);
	r->lag_p99_ns = tape_hist_quantile(&s->lag, 0.99);
	r->lag_max_ns = s->lag.max;
}

static void
judge_merged(struct tape_fidelity_text *t, const struct tape_merged *m)
{
	double share = m->events > 0 ? (double)m->late / (double)m->events : 0;

	if (share > SHARE_SUSPECT)
		add(t, share > SHARE_LIMITED ? LIMITED : SUSPECT,
		    "%.1f %% of the events have the time of a later one, as "
		    "this client came to them late",
		    share * 100);
}

/* Reads whose time is this program's: it is as late as the loop. */
static void
judge_user_clock(
    struct tape_fidelity_text *t, const struct tape_fidelity_input *in)
{
	const struct tape_fidelity_reads *r = &t->rec.reads;
	const struct tape_loop_stats *s = in->stats;
	char p99[TAPE_NUM_TEXT];

	if (r->n == 0 || (double)r->user <= SHARE_SUSPECT * (double)r->n)
		return;
	if (in->unstamped != NULL)
		add(t, TAPE_FIDELITY_SOUND,
		    "the kernel has no times of reads over %s: they are this "
		    "client's, as late as it was",
		    in->unstamped);
	if ((double)s->stalls * 1e9 > (double)in->wall_ns)
		add(t, SUSPECT,
		    "the network loop stalled over 1 ms %lld times, and %.1f "
		    "%% of the reads have no kernel time",
		    (long long)s->stalls, 100 * (double)r->user / (double)r->n);
	if (r->kernel > 0 && r->lag_p99_ns > TAPE_NS_PER_MS)
		add(t, r->lag_p99_ns > 10 * TAPE_NS_PER_MS ? LIMITED : SUSPECT,
		    "%.1f %% of the reads have no kernel time; p99 of user "
		    "minus kernel time of the others is %s",
		    100 * (double)r->user / (double)r->n,
		    tape_num_print_duration((double)r->lag_p99_ns, p99));
}

static void
judge_loop(struct tape_fidelity_text *t, const struct tape_fidelity_input *in)
{
	const struct tape_loop_stats *s = in->stats;
	double wall = (double)in->wall_ns;
	double busy = (double)(in->loop_max_ns - in->spin_max_ns);
	double share = wall > 0 ? busy / wall : 0;

	t->rec.loop = (struct tape_fidelity_loop){ s->passes, s->stalls,
		s->stall_max_ns };
	t->rec.queue = (struct tape_fidelity_queue){ s->queue_stalls,
		s->queue_stalled_ns };
	t->rec.cpu = (struct tape_fidelity_cpu){ .loop_ns = in->loop_cpu_ns,
		.loop_max_ns = in->loop_max_ns,
		.spin_ns = s->spun_ns,
		.writer_ns = in->writer_cpu_ns,
		.process_ns = in->process_cpu_ns };
	if (share > 0.5)
		add(t, share > 0.9 ? LIMITED : SUSPECT,
		    "the busiest network loop used %.0f %% of a CPU: more "
		    "--threads help where there are more cores",
		    share * 100);
	if (s->queue_stalls > 0)
		add(t,
		    (double)s->queue_stalled_ns > wall / 100 ? LIMITED
							     : SUSPECT,
		    "the writer held the network loop up %lld times",
		    (long long)s->queue_stalls);
}

static void
judge_law(struct tape_fidelity_text *t, const struct tape_arrivals_test *law)
{
	struct tape_fidelity_arrivals *a = &t->rec.arrivals;

	if (law->n == 0)
		return;
	a->gaps = law->n;
	a->gap_stride = (int64_t)law->stride;
	a->planned_ad_p = law->planned_p;
	a->ad_p = law->achieved_p;
	if (law->planned_p >= TAPE_FIDELITY_LAW_P &&
	    law->achieved_p < TAPE_FIDELITY_LAW_P &&
	    law->achieved_p < law->planned_p / 2)
		add(t, LIMITED,
		    "gaps between sends do not follow the planned exponential "
		    "law: Anderson-Darling p %.2g, of the plan %.2g (%lld "
		    "gaps)",
		    law->achieved_p, law->planned_p, (long long)law->n);
}

static void
judge_arrivals(
    struct tape_fidelity_text *t, const struct tape_fidelity_input *in)
{
	const struct tape_loop_stats *s = in->stats;
	struct tape_fidelity_arrivals *a = &t->rec.arrivals;
	double plan = (double)(s->last_due_ns - s->first_due_ns);
	double real = (double)(s->last_start_ns - s->first_start_ns);

	if (!in->open || s->sent < 2 || plan <= 0 || real <= 0)
		return;
	a->n = s->sent;
	a->planned_per_s = (double)(s->sent - 1) * 1e9 / plan;
	a->achieved_per_s = (double)(s->sent - 1) * 1e9 / real;
	if (in->capped)
		return;
	if (plan / real < 0.98)
		add(t, plan / real < 0.9 ? LIMITED : SUSPECT,
		    "%.1f %% of the planned rate was reached",
		    plan / real * 100);
	judge_law(t, &in->law);
}

static void
add_limit(struct tape_fidelity_text *t, bool hit, const char *name)
{
	if (!hit)
		return;
	t->limits[t->limits_n++] = tape_str_of(name);
	add(t, SUSPECT, "the limit of %s held sends back", name);
}

static void
judge_clock(struct tape_fidelity_text *t, const struct tape_sink_clock *c)
{
	t->rec.clock = (struct tape_fidelity_clock){ c->steps, c->step_max_ns,
		c->width_max_ns };
	if (c->steps > 0)
		add(t, SUSPECT, "the wall clock stepped %lld times",
		    (long long)c->steps);
}

static void
fill_memory(struct tape_fidelity_text *t, const struct tape_footprint *f)
{
	int64_t stream = tape_footprint_per_stream(f);

	if (f->samples == 0)
		return;
	t->rec.memory = (struct tape_fidelity_memory){ f->start_bytes,
		f->max_bytes, f->open_at_max, f->open_max,
		stream < 0 ? TAPE_ABSENT_I64 : stream };
}

const char *
tape_fidelity_name(enum tape_fidelity_verdict verdict)
{
	static const char *const names[] = { "sound", "suspect",
		"client-limited" };

	return names[verdict];
}

void
tape_fidelity_judge(
    struct tape_fidelity_text *t, const struct tape_fidelity_input *in)
{
	memset(t, 0, sizeof(*t));
	tape_schema_init(TAPE_KIND_FIDELITY, &t->rec);
	t->rec.run = in->run;
	judge_sends(t, in->stats);
	judge_arrivals(t, in);
	fill_reads(t, in);
	judge_merged(t, &in->merged);
	judge_user_clock(t, in);
	judge_loop(t, in);
	add_limit(t, in->stats->hit_bodies, "unsent bodies");
	add_limit(t, in->stats->hit_descriptors, "descriptors");
	add_limit(t, in->hit_parked, "waiting requests");
	judge_clock(t, &in->clock);
	fill_memory(t, &in->memory);
	t->rec.verdict = tape_str_of(tape_fidelity_name(t->verdict));
	t->rec.reasons = (struct tape_strs){ t->reason_spans, t->reasons_n };
	t->rec.limits = (struct tape_strs){ t->limits, t->limits_n };
}
