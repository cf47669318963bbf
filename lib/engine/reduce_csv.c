/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_out.h"

#include "base/num.h"
#include "engine/reduce_openmetrics.h"
#include "engine/reduce_rows.h"

#include <inttypes.h>

#define TEXT_CAP ((size_t)16 << 20)

static const char heading[] =
    "run_id,run,arm,round,position,group,metric,unit,better,from,n,failed,"
    "value,mean,sd,min,p1,p5,p10,p25,p50,p75,p90,p95,p99,p999,max,"
    "window_start_ns,window_end_ns,flags,p9999,n_runs,n_eff,ci_lo,ci_hi,ci_basis,"
    "p50_lo,p50_hi,p90_lo,p90_hi,p99_lo,p99_hi";

void
tape_reduce_text_init(struct tape_reduce_text *t, struct tape_out *out)
{
	memset(t, 0, sizeof(*t));
	t->out = out;
	tape_buf_init(&t->buf, TEXT_CAP);
	tape_buf_init(&t->note, TEXT_CAP);
	tape_buf_init(&t->id, TEXT_CAP);
}

void
tape_reduce_text_release(struct tape_reduce_text *t)
{
	tape_buf_release(&t->buf);
	tape_buf_release(&t->note);
	tape_buf_release(&t->id);
	tape_points_release(&t->points);
	tape_openmetrics_free(t->openmetrics);
	t->openmetrics = NULL;
}

enum tape_status
tape_reduce_text_finish(struct tape_reduce_text *t, struct tape_err *err)
{
	return t->finish == NULL ? TAPE_OK : t->finish(t, err);
}

enum tape_status
tape_reduce_text_flush(struct tape_reduce_text *t, struct tape_err *err)
{
	enum tape_status st = tape_buf_status(&t->buf, err);

	if (st == TAPE_OK)
		st = tape_out_write(t->out, t->buf.data, t->buf.len, err);
	tape_buf_clear(&t->buf);
	return st;
}

/* A field, in quotes where it needs them. */
static void
add_text(struct tape_buf *b, struct tape_str s)
{
	bool quote = false;

	for (size_t i = 0; i < s.len; i++)
		quote |= memchr(",\"\r\n", s.p[i], 4) != NULL;
	if (quote)
		(void)tape_buf_add_char(b, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '"')
			(void)tape_buf_add_char(b, '"');
		(void)tape_buf_add_char(b, s.p[i]);
	}
	(void)tape_buf_add_str(b, quote ? "\"," : ",");
}

static void
add_i64(struct tape_buf *b, int64_t v)
{
	if (v != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%" PRId64, v);
	(void)tape_buf_add_char(b, ',');
}

static void
put_f64(struct tape_buf *b, double v)
{
	char text[TAPE_NUM_TEXT];

	if (isinf(v))
		(void)tape_buf_add_str(b, "inf");
	else if (!isnan(v))
		(void)tape_buf_add_str(b, tape_num_print_double(v, text));
}

static void
add_f64(struct tape_buf *b, double v)
{
	put_f64(b, v);
	(void)tape_buf_add_char(b, ',');
}

static void
add_intervals(struct tape_buf *b, const struct tape_summary *s)
{
	static const double q[] = { 0.5, 0.9, 0.99 };
	struct tape_intervals_ends ends;

	add_i64(b, s->n_runs);
	add_f64(b, s->n_eff);
	add_f64(b, s->ci.lo);
	add_f64(b, s->ci.hi);
	(void)tape_buf_add(b, s->ci.basis.p, s->ci.basis.len);
	for (size_t i = 0; i < sizeof(q) / sizeof(*q); i++) {
		const bool found = tape_intervals_find(s, q[i], &ends);

		(void)tape_buf_add_char(b, ',');
		put_f64(b, found ? ends.lo : TAPE_ABSENT_F64);
		(void)tape_buf_add_char(b, ',');
		put_f64(b, found ? ends.hi : TAPE_ABSENT_F64);
	}
}

static void
add_row(struct tape_reduce_text *t, const struct tape_summary *s)
{
	struct tape_buf *b = &t->buf;
	double max;
	const struct tape_quantiles q = tape_summarize_quantiles(s, &max);
	const double values[] = { s->value, s->mean, s->sd, s->min, q.p1, q.p5,
		q.p10, q.p25, q.p50, q.p75, q.p90, q.p95, q.p99, q.p999, max };

	add_text(b, t->run_id);
	add_i64(b, s->run);
	add_text(b, s->arm);
	add_i64(b, s->round);
	add_i64(b, s->position);
	add_text(b, s->group);
	add_text(b, s->metric);
	add_text(b, s->unit);
	add_text(b, s->better);
	add_text(b, s->from);
	add_i64(b, s->n);
	add_i64(b, s->failed);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		add_f64(b, values[i]);
	add_i64(b, s->window_start_ns);
	add_i64(b, s->window_end_ns);
	for (size_t i = 0; i < s->flags.n; i++) {
		if (i > 0)
			(void)tape_buf_add_char(b, ' ');
		(void)tape_buf_add(b, s->flags.v[i].p, s->flags.v[i].len);
	}
	(void)tape_buf_add_char(b, ',');
	add_f64(b, q.p9999);
	add_intervals(b, s);
	if (t->peers) {
		(void)tape_buf_add_char(b, ',');
		(void)tape_buf_add(b, s->definitions.p, s->definitions.len);
	}
	(void)tape_buf_add_char(b, '\n');
}

static enum tape_status
begin(void *arg, const struct tape_header *header, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	if (!t->begun)
		(void)tape_buf_add_fmt(
		    &t->buf, "%s%s\n", heading, t->peers ? ",definitions" : "");
	t->begun = true;
	tape_buf_clear(&t->id);
	(void)tape_buf_add(&t->id, header->run_id.p, header->run_id.len);
	t->run_id = tape_str_make(t->id.data, t->id.len);
	return tape_reduce_text_flush(t, err);
}

/* What is from elsewhere than the responses. */
static enum tape_status
run(void *arg, const struct tape_reduce_run *info, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	struct tape_summary row;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < tape_reduce_rows(info->outside) && st == TAPE_OK;
	     i++) {
		st = tape_reduce_row(info->outside, i, &row, &t->note, err);
		if (st == TAPE_OK)
			add_row(t, &row);
	}
	return st == TAPE_OK ? tape_reduce_text_flush(t, err) : st;
}

static enum tape_status
set(void *arg, struct tape_str group, const struct tape_summarize_set *s,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	(void)group;
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		if (tape_summarize_has(s, i))
			add_row(t, &s->summary[i]);
	return tape_reduce_text_flush(t, err);
}

static enum tape_status
peers(void *arg, const struct tape_definitions_report *report,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	for (size_t i = 0; i < report->row_n; i++)
		add_row(t, &report->rows[i].summary);
	return tape_reduce_text_flush(t, err);
}

/* Summaries have the number of the first run, which here would look like a row
   of it. */
static enum tape_status
between(void *arg, const struct tape_reduce_between *info, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		struct tape_summary row = info->set->summary[i];

		row.run = TAPE_ABSENT_I64;
		if (row.n_runs != TAPE_ABSENT_I64)
			add_row(t, &row);
	}
	return tape_reduce_text_flush(t, err);
}

struct tape_reduce_sink
tape_reduce_to_csv(struct tape_reduce_text *t)
{
	struct tape_reduce_sink s = {
		.arg = t,
		.begin = begin,
		.run = run,
		.set = set,
		.peers = peers,
		.between = between,
	};

	return s;
}
