/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_steady.h"

#include "base/num.h"
#include "codec/stat_steady.h"
#include "engine/reduce_cell.h"

#include <inttypes.h>

#define TEXT_CAP 1024

static void
say_cut(struct tape_buf *b, const struct tape_steady_cut *c)
{
	(void)tape_buf_add_fmt(b,
	    "%" PRIu64 " of %" PRIu64 " requests count; cut were the first "
	    "%" PRIu64,
	    c->all - c->warmup - c->drain, c->all, c->warmup);
	if (c->closed)
		(void)tape_buf_add_fmt(b,
		    " (%" PRIu64 " before the loop was full), and the last "
		    "%" PRIu64 ", as it drained",
		    c->ramp, c->drain);
}

static void
say_why(struct tape_buf *b, const struct tape_steady_cut *c)
{
	(void)tape_buf_add_str(b, "nothing was cut: ");
	if (c->why == TAPE_STEADY_FEW)
		(void)tape_buf_add_fmt(b,
		    "where a warm-up ends shows from %d requests on",
		    TAPE_STAT_MSER_MIN);
	else if (c->why == TAPE_STEADY_NEVER)
		(void)tape_buf_add_fmt(b,
		    "not in steady state, %s still changes half-way",
		    tape_metric_table[c->metric].name);
	else
		(void)tape_buf_add_str(b,
		    "not in steady state, the concurrency was never reached");
}

static void
add_wrapped(struct tape_buf *b, const struct tape_buf *text, const char *title,
    size_t indent)
{
	(void)tape_buf_add_fmt(b, "  %-*s", (int)indent - 2, title);
	tape_reduce_text_wrap(
	    b, tape_str_make(text->data, text->len), indent, indent);
	(void)tape_buf_add_str(b, "\n");
}

/* "mean ttft 12.3 ms of 80, 24.1 ms of all 100" */
static void
add_mean(struct tape_buf *text, const struct tape_steady_cut *c, int k)
{
	char kept[TAPE_NUM_TEXT], whole[TAPE_NUM_TEXT];

	(void)tape_buf_add_fmt(text,
	    "mean %s %s of %" PRIu64 ", %s of all %" PRIu64,
	    tape_metric_table[tape_steady_metrics[k]].name,
	    tape_num_print_duration(c->kept[k].mean, kept), c->kept[k].n,
	    tape_num_print_duration(c->whole[k].mean, whole), c->whole[k].n);
}

/* "in flight 3.98 of 4 on average" */
static void
add_full(struct tape_buf *text, const struct tape_steady_cut *c)
{
	(void)tape_buf_add_fmt(text, "in flight %.4g of %" PRId64 " on average",
	    c->open_mean, c->slots);
	if (c->open_mean < TAPE_STEADY_FULL * (double)c->slots)
		(void)tape_buf_add_fmt(text,
		    ", under %.0f %%: the load is less than was asked for",
		    100 * TAPE_STEADY_FULL);
}

static double
percent(double to, double from)
{
	return 100 * (to / from - 1);
}

static void
add_p(struct tape_buf *b, double p)
{
	if (p < 0.0001)
		(void)tape_buf_add_str(b, " (p < 0.0001)");
	else
		(void)tape_buf_add_fmt(b, " (p %.2g)", p);
}

static void
add_joint(struct tape_buf *b, bool *begun)
{
	(void)tape_buf_add_str(b, *begun ? ", " : " ");
	*begun = true;
}

/* "ttft rises by 34 % from first to last (p 0.0004), second half +17 % ..." */
static void
add_trend(struct tape_buf *b, const char *name, const struct tape_trend *t)
{
	const struct tape_stat_change *c = &t->c;
	bool begun = false;

	(void)tape_buf_add_str(b, name);
	if (t->rises || t->falls) {
		add_joint(b, &begun);
		(void)tape_buf_add_fmt(b,
		    "%s by %.0f %% of the median from first to last",
		    t->rises ? "rises" : "falls",
		    100 * fabs(c->rise / c->median));
		add_p(b, c->trend_p);
	}
	if (t->halves) {
		add_joint(b, &begun);
		(void)tape_buf_add_fmt(
		    b, "second half %+.0f %%", percent(c->second, c->first));
		add_p(b, c->halves_p);
	}
	if (t->steps) {
		add_joint(b, &begun);
		(void)tape_buf_add_fmt(b, "a step of %+.0f %% after %zu",
		    percent(c->after, c->before), c->step_at);
		add_p(b, c->step_p);
	}
	if (t->lengths)
		(void)tape_buf_add_str(
		    b, " changes as the lengths asked for do");
}

/* More come than are served. */
static void
add_flight(struct tape_buf *b, const struct tape_trend *t)
{
	(void)tape_buf_add_fmt(b,
	    "requests in flight rise, from %.1f in the first half to %.1f in "
	    "the second",
	    t->c.first, t->c.second);
	add_p(b, t->c.trend_p);
	(void)tape_buf_add_str(b, ": the load is more than is served");
}

static bool
is_worth(const struct tape_trend *t)
{
	return t->rises || t->falls || t->halves || t->steps || t->lengths;
}

/* What was looked at, and stays as it is. */
static void
add_level(struct tape_buf *b, const struct tape_steady_cut *c)
{
	const char *before = "";

	for (int k = 0; k < TAPE_STEADY_METRICS; k++) {
		if (!c->trend[k].known || is_worth(&c->trend[k]))
			continue;
		(void)tape_buf_add_fmt(b, "%s%s", before,
		    tape_metric_table[tape_steady_metrics[k]].name);
		before = ", ";
	}
	if (c->flight.known && !c->flight.rises) {
		(void)tape_buf_add_fmt(b, "%sin flight", before);
		before = ", ";
	}
	if (*before != '\0')
		(void)tape_buf_add_str(b, ": no trend, no step is seen");
}

static void
add_trends(struct tape_buf *b, struct tape_buf *text,
    const struct tape_steady_cut *c, size_t indent)
{
	const char *title = "trend";

	for (int k = 0; k <= TAPE_STEADY_METRICS + 1; k++) {
		tape_buf_clear(text);
		if (k == TAPE_STEADY_METRICS + 1)
			add_level(text, c);
		else if (k == TAPE_STEADY_METRICS && c->flight.rises)
			add_flight(text, &c->flight);
		else if (k < TAPE_STEADY_METRICS && is_worth(&c->trend[k]))
			add_trend(text,
			    tape_metric_table[tape_steady_metrics[k]].name,
			    &c->trend[k]);
		if (text->len == 0)
			continue;
		add_wrapped(b, text, title, indent);
		title = "";
	}
}

void
tape_reduce_steady(
    struct tape_buf *b, const struct tape_steady_cut *cut, size_t indent)
{
	struct tape_buf text;

	if (cut == NULL)
		return;
	tape_buf_init(&text, TEXT_CAP);
	if (cut->why == TAPE_STEADY_FOUND)
		say_cut(&text, cut);
	else
		say_why(&text, cut);
	add_wrapped(b, &text, "steady", indent);
	for (int k = 0; k < TAPE_STEADY_METRICS; k++) {
		if (cut->why != TAPE_STEADY_FOUND || isnan(cut->kept[k].mean))
			continue;
		tape_buf_clear(&text);
		add_mean(&text, cut, k);
		add_wrapped(b, &text, "", indent);
	}
	if (cut->closed && !isnan(cut->open_mean)) {
		tape_buf_clear(&text);
		add_full(&text, cut);
		add_wrapped(b, &text, "", indent);
	}
	add_trends(b, &text, cut, indent);
	tape_buf_release(&text);
}
