/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/worst.h"

#include "base/mem.h"
#include "engine/tally.h"
#include "record/coding.h"

#include <string.h>

enum tape_status
tape_worst_init(struct tape_worst *w, size_t want, enum tape_metric_id metric,
    struct tape_err *err)
{
	memset(w, 0, sizeof(*w));
	w->metric = metric;
	if (want == 0)
		return TAPE_OK;
	w->rows = tape_mem_calloc(want, sizeof(*w->rows));
	if (w->rows == NULL)
		return tape_err_nomem(err);
	w->want = want;
	for (size_t i = 0; i < want; i++)
		tape_buf_init(&w->rows[i].line, TAPE_CAP_LINE);
	return TAPE_OK;
}

void
tape_worst_release(struct tape_worst *w)
{
	for (size_t i = 0; i < w->want; i++)
		tape_buf_release(&w->rows[i].line);
	tape_mem_free(w->rows);
	memset(w, 0, sizeof(*w));
}

static double
badness(enum tape_metric_id id, const struct tape_result *r)
{
	const struct tape_metric *row = &tape_metric_table[id];
	double v;

	if (id == TAPE_METRIC_GAP)
		return r->gap_max_ns == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64
							: (double)r->gap_max_ns;
	v = row->of(r);
	return strcmp(row->better, "higher") == 0 ? -v : v;
}

/* Whether a stands before b. */
static bool
is_worse(const struct tape_worst_row *a, const struct tape_worst_row *b)
{
	if (a->value > b->value || a->value < b->value)
		return a->value > b->value;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	return a->key < b->key;
}

enum tape_status
tape_worst_offer(
    struct tape_worst *w, const struct tape_result *r, struct tape_err *err)
{
	struct tape_worst_row row = { .start_ns = r->start_ns };
	size_t at;
	enum tape_status st;

	if (w->want == 0)
		return TAPE_OK;
	row.value = badness(w->metric, r);
	row.key = tape_tally_key(r);
	if (isnan(row.value) ||
	    (w->n == w->want && !is_worse(&row, &w->rows[w->n - 1])))
		return TAPE_OK;
	if (w->n < w->want)
		w->n++;
	/* The row that falls out lends its memory. */
	row.line = w->rows[w->n - 1].line;
	tape_buf_clear(&row.line);
	st = tape_record_encode(TAPE_KIND_RESULT, r, &row.line, err);
	for (at = w->n - 1; at > 0 && is_worse(&row, &w->rows[at - 1]); at--)
		w->rows[at] = w->rows[at - 1];
	w->rows[at] = row;
	return st;
}
