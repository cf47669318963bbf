/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_out.h"

static enum tape_status
pass(void *arg, const struct tape_record *rec, struct tape_err *err)
{
	return tape_writer_pass(arg, rec, err);
}

static enum tape_status
run(void *arg, const struct tape_reduce_run *info, struct tape_err *err)
{
	const struct tape_reduce_outside *outside = info->outside;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < info->check_count && st == TAPE_OK; i++)
		st = tape_writer_put(
		    arg, TAPE_KIND_CHECK, &info->checks[i], err);
	for (size_t i = 0; i < info->failure_count && st == TAPE_OK; i++)
		st = tape_writer_put(
		    arg, TAPE_KIND_FAILURE, &info->failures[i], err);
	for (size_t i = 0; i < outside->set.n && st == TAPE_OK; i++)
		st = tape_writer_put(
		    arg, TAPE_KIND_TELEMETRY, &outside->set.v[i], err);
	if (outside->native && st == TAPE_OK)
		st = tape_writer_put(
		    arg, TAPE_KIND_ENGINE, &outside->engine, err);
	return st;
}

static enum tape_status
set(void *arg, struct tape_str group, const struct tape_summarize_set *s,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	(void)group;
	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++)
		if (tape_summarize_has(s, i))
			st = tape_writer_put(
			    arg, TAPE_KIND_SUMMARY, &s->summary[i], err);
	return st;
}

static enum tape_status
peers(void *arg, const struct tape_definitions_report *report,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < report->row_n && st == TAPE_OK; i++)
		st = tape_writer_put(
		    arg, TAPE_KIND_SUMMARY, &report->rows[i].summary, err);
	return st;
}

static enum tape_status
between(void *arg, const struct tape_reduce_between *info, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++)
		if (info->set->summary[i].n_runs != TAPE_ABSENT_I64)
			st = tape_writer_put(arg, TAPE_KIND_SUMMARY,
			    &info->set->summary[i], err);
	return st;
}

static enum tape_status
end(void *arg, enum tape_ending ending, struct tape_err *err)
{
	return tape_writer_end(arg, ending, err);
}

struct tape_reduce_sink
tape_reduce_to_stream(struct tape_writer *w)
{
	struct tape_reduce_sink s = {
		.arg = w,
		.pass = pass,
		.result = pass,
		.run = run,
		.set = set,
		.peers = peers,
		.between = between,
		.end = end,
	};

	return s;
}
