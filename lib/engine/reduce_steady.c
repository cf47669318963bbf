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
	tape_buf_release(&text);
}
