/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/definitions_out.h"

#include "engine/definitions_stat.h"
#include "engine/reduce_cell.h"

#include <stdio.h>

#define CELL  9
#define TITLE 33
#define NAME  15 /* of a row of all, unit included */

#define P99_MIN 100 /* as summarize.h says */

/* Beside each other: which statistic of what, and ours. */
static const struct beside {
	const char *name;
	enum tape_definitions_what what;
	enum tape_definitions_stat stat; /* 0: the value, or else the mean */
	enum tape_metric_id ours;        /* TAPE_METRIC_COUNT: none */
	double scale;                    /* ours is divided by */
} besides[] = {
	{ "ttft      avg", TAPE_WHAT_TTFT, TAPE_STAT_MEAN, TAPE_METRIC_TTFT,
	    TAPE_DEFINITIONS_MS },
	{ "  ms      p50", TAPE_WHAT_TTFT, TAPE_STAT_P50, TAPE_METRIC_TTFT,
	    TAPE_DEFINITIONS_MS },
	{ "          p99", TAPE_WHAT_TTFT, TAPE_STAT_P99, TAPE_METRIC_TTFT,
	    TAPE_DEFINITIONS_MS },
	{ "ttfo  ms  avg", TAPE_WHAT_TTFO, TAPE_STAT_MEAN, TAPE_METRIC_TTFO,
	    TAPE_DEFINITIONS_MS },
	{ "latency   avg", TAPE_WHAT_LATENCY, TAPE_STAT_MEAN,
	    TAPE_METRIC_LATENCY, TAPE_DEFINITIONS_MS },
	{ "  ms      p50", TAPE_WHAT_LATENCY, TAPE_STAT_P50,
	    TAPE_METRIC_LATENCY, TAPE_DEFINITIONS_MS },
	{ "          p99", TAPE_WHAT_LATENCY, TAPE_STAT_P99,
	    TAPE_METRIC_LATENCY, TAPE_DEFINITIONS_MS },
	{ "tpot      avg", TAPE_WHAT_TPOT, TAPE_STAT_MEAN, TAPE_METRIC_TPOT,
	    TAPE_DEFINITIONS_MS },
	{ "  ms      p50", TAPE_WHAT_TPOT, TAPE_STAT_P50, TAPE_METRIC_TPOT,
	    TAPE_DEFINITIONS_MS },
	{ "          p99", TAPE_WHAT_TPOT, TAPE_STAT_P99, TAPE_METRIC_TPOT,
	    TAPE_DEFINITIONS_MS },
	{ "gap       avg", TAPE_WHAT_GAP, TAPE_STAT_MEAN, TAPE_METRIC_GAP,
	    TAPE_DEFINITIONS_MS },
	{ "  ms      p50", TAPE_WHAT_GAP, TAPE_STAT_P50, TAPE_METRIC_GAP,
	    TAPE_DEFINITIONS_MS },
	{ "          p99", TAPE_WHAT_GAP, TAPE_STAT_P99, TAPE_METRIC_GAP,
	    TAPE_DEFINITIONS_MS },
	{ "input     avg", TAPE_WHAT_INPUT, TAPE_STAT_MEAN,
	    TAPE_METRIC_INPUT_TOKENS, 1 },
	{ "output    avg", TAPE_WHAT_OUTPUT, TAPE_STAT_MEAN,
	    TAPE_METRIC_OUTPUT_TOKENS, 1 },
	{ "requests  ok", TAPE_WHAT_REQUESTS, 0, TAPE_METRIC_COUNT, 1 },
	{ "          fail", TAPE_WHAT_FAILED, 0, TAPE_METRIC_COUNT, 1 },
	{ "duration  s", TAPE_WHAT_DURATION, 0, TAPE_METRIC_COUNT, 1 },
	{ "requests  /s", TAPE_WHAT_REQUEST_RATE, 0, TAPE_METRIC_REQUESTS_PER_S,
	    1 },
	{ "output    /s", TAPE_WHAT_OUTPUT_RATE, 0,
	    TAPE_METRIC_OUTPUT_TOKENS_PER_S, 1 },
	{ "total     /s", TAPE_WHAT_TOTAL_RATE, 0,
	    TAPE_METRIC_TOTAL_TOKENS_PER_S, 1 },
};

#define BESIDES (sizeof(besides) / sizeof(*besides))

static void
add_number(struct tape_buf *b, int width, int decimals, double v)
{
	if (isnan(v))
		(void)tape_buf_add_fmt(b, "%*s", width, "-");
	else
		(void)tape_buf_add_fmt(b, " %*.*f", width - 1, decimals, v);
}

/* As many decimals as a cell has room for, at most three. */
static int
decimals_for(double v)
{
	const double size = fabs(v);

	if (size < 1e3)
		return 3;
	return size < 1e4 ? 2 : size < 1e5 ? 1 : 0;
}

static double
theirs(const struct tape_definitions_report *r, enum tape_definitions_id peer,
    const struct beside *row)
{
	const struct tape_definitions_row *x =
	    tape_definitions_row(r, peer, row->what);
	double v;

	if (x == NULL)
		return TAPE_ABSENT_F64;
	if (x->metric->kind == TAPE_KIND_OF_RUN)
		return x->summary.value;
	v = row->stat == 0 ? x->summary.mean
			   : tape_definitions_value(&x->summary, row->stat);
	return v * x->metric->unit_size / row->scale;
}

static double
our_value(const struct tape_summarize_set *ours, const struct beside *row)
{
	const struct tape_summary *s;

	if (row->what == TAPE_WHAT_REQUESTS)
		return (double)ours->totals.ok;
	if (row->what == TAPE_WHAT_FAILED)
		return (double)ours->totals.failed;
	if (row->what == TAPE_WHAT_DURATION)
		return ours->totals.window_s;
	s = &ours->summary[row->ours];
	return row->stat == 0
		   ? s->value
		   : tape_definitions_value(s, row->stat) / row->scale;
}

static void
add_beside(struct tape_buf *b, const struct tape_definitions_report *r,
    const struct beside *row)
{
	const double ours = our_value(r->ours, row);
	const bool count =
	    row->what == TAPE_WHAT_REQUESTS || row->what == TAPE_WHAT_FAILED;

	(void)tape_buf_add_fmt(b, "%-*s", NAME, row->name);
	add_number(b, CELL, count ? 0 : decimals_for(ours), ours);
	for (unsigned i = 0; i < TAPE_DEFINITIONS_PEERS; i++) {
		double v;

		if ((r->peers & 1U << i) == 0)
			continue;
		v = theirs(r, (enum tape_definitions_id)i, row);
		add_number(b, CELL, count ? 0 : decimals_for(v), v);
	}
	(void)tape_buf_add_char(b, '\n');
}

static bool
is_shown(const struct tape_definitions_report *r, const struct beside *row)
{
	if (row->what == TAPE_WHAT_TTFO)
		return r->ours->reasoned > 0;
	return true;
}

static void
add_all(struct tape_buf *b, const struct tape_definitions_report *r)
{
	const int64_t few = r->ours->summary[TAPE_METRIC_LATENCY].n;

	(void)tape_buf_add_fmt(b, "%-*s%*s", NAME, "", CELL, "ours");
	for (unsigned i = 0; i < TAPE_DEFINITIONS_PEERS; i++)
		if ((r->peers & 1U << i) != 0)
			(void)tape_buf_add_fmt(b, " %*.8s", CELL - 1,
			    i == TAPE_DEFINITIONS_GENAI
				? "genai"
				: tape_definitions_table[i]->name);
	(void)tape_buf_add_char(b, '\n');
	for (size_t i = 0; i < BESIDES; i++)
		if (is_shown(r, &besides[i]))
			add_beside(b, r, &besides[i]);
	(void)tape_buf_add_str(b,
	    "tpot is ITL to aiperf, guidellm and genai-perf; gap is ITL to "
	    "vllm and\n  sglang, and inter chunk latency to aiperf\n");
	if (few > 0 && few < P99_MIN)
		(void)tape_buf_add_fmt(b,
		    "ours has no p99 below %d values, the others do\n",
		    P99_MIN);
}

static void
add_metric(struct tape_buf *b, const struct tape_definitions_peer *peer,
    const struct tape_definitions_row *row, bool wide)
{
	const int cell = peer->cell == 0 ? CELL : peer->cell;
	const struct tape_summary *s = &row->summary;
	const int decimals =
	    peer->whole && row->metric->unit_size == TAPE_DEFINITIONS_NS &&
		    row->metric->kind != TAPE_KIND_OF_RUN
		? 0
		: 2;

	(void)tape_buf_add_fmt(b, "%-*s", TITLE, row->metric->title);
	if (row->metric->kind == TAPE_KIND_OF_RUN) {
		add_number(b, cell, decimals, s->value);
		(void)tape_buf_add_char(b, '\n');
		return;
	}
	for (size_t i = 0; i < TAPE_DEFINITIONS_COLUMNS; i++) {
		const struct tape_definitions_column *c = &peer->columns[i];

		if (c->title == NULL || (c->wide && !wide))
			continue;
		add_number(b, cell, decimals,
		    (row->metric->stats & c->stat) == 0
			? TAPE_ABSENT_F64
			: tape_definitions_value(s, c->stat));
	}
	(void)tape_buf_add_char(b, '\n');
}

static void
add_one(struct tape_buf *b, const struct tape_definitions_report *r,
    enum tape_definitions_id id, bool wide)
{
	const struct tape_definitions_peer *peer = tape_definitions_table[id];
	const int cell = peer->cell == 0 ? CELL : peer->cell;
	char title[TITLE];

	(void)snprintf(
	    title, sizeof(title), "by %s (%s)", peer->name, peer->version);
	(void)tape_buf_add_fmt(b, "%-*s", TITLE, title);
	for (size_t i = 0; i < TAPE_DEFINITIONS_COLUMNS; i++) {
		const struct tape_definitions_column *c = &peer->columns[i];

		if (c->title != NULL && (wide || !c->wide))
			(void)tape_buf_add_fmt(b, "%*s", cell, c->title);
	}
	(void)tape_buf_add_char(b, '\n');
	for (size_t i = 0; i < r->row_n; i++)
		if (r->rows[i].peer == id)
			add_metric(b, peer, &r->rows[i], wide);
}

static void
add_reasons(struct tape_buf *b, const struct tape_definitions_report *r)
{
	const char *last = "";

	if (r->reason_n > 0)
		(void)tape_buf_add_str(b, "why they differ from ours\n");
	for (size_t i = 0; i < r->reason_n; i++) {
		const struct tape_definitions_reason *x = &r->reasons[i];
		const char *name = tape_definitions_table[x->peer]->name;

		(void)tape_buf_add_fmt(
		    b, "  %-11s", strcmp(name, last) == 0 ? "" : name);
		tape_reduce_text_wrap(b, tape_str_of(x->text), 13, 15);
		(void)tape_buf_add_char(b, '\n');
		last = name;
	}
}

void
tape_definitions_print(
    struct tape_buf *b, const struct tape_definitions_report *r, bool wide)
{
	const bool several = (r->peers & (r->peers - 1)) != 0;

	(void)tape_buf_add_char(b, '\n');
	if (several)
		add_all(b, r);
	else
		for (unsigned i = 0; i < TAPE_DEFINITIONS_PEERS; i++)
			if ((r->peers & 1U << i) != 0)
				add_one(
				    b, r, (enum tape_definitions_id)i, wide);
	add_reasons(b, r);
}
