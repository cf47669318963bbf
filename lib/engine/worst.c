/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/worst.h"

#include "base/mem.h"
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

void
tape_worst_clear(struct tape_worst *w)
{
	w->n = 0;
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

enum tape_status
tape_worst_offer(
    struct tape_worst *w, const struct tape_result *r, struct tape_err *err)
{
	struct tape_worst_row row;
	double v;
	size_t at;
	enum tape_status st;

	if (w->want == 0)
		return TAPE_OK;
	v = badness(w->metric, r);
	if (isnan(v) || (w->n == w->want && !(v > w->rows[w->n - 1].value)))
		return TAPE_OK;
	if (w->n < w->want)
		w->n++;
	/* The row that falls out lends its memory. */
	row = w->rows[w->n - 1];
	row.value = v;
	tape_buf_clear(&row.line);
	st = tape_record_encode(TAPE_KIND_RESULT, r, &row.line, err);
	for (at = w->n - 1; at > 0 && w->rows[at - 1].value < v; at--)
		w->rows[at] = w->rows[at - 1];
	w->rows[at] = row;
	return st;
}
