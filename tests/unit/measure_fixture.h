/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure_fixture: response records from text, measured.  Times are in ms, and
 * requests start at 1000 s, so that no difference is right by accident.
 */
#ifndef TAPE_UNIT_MEASURE_FIXTURE_H
#define TAPE_UNIT_MEASURE_FIXTURE_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/measure.h"
#include "record/coding.h"
#include "unit/events_text.h"
#include "unit/tap.h"

struct fixture {
	struct tape_record rec;
	struct tape_buf line;
	struct tape_measure measure;
	struct tape_measured out;
	enum tape_status status;
	struct tape_err err;
};

__attribute__((unused)) static void
fixture_open(struct fixture *f, const struct tape_measure_opts *opts)
{
	static const struct tape_measure_opts usual = {
		.from = TAPE_MEASURE_FROM_START,
		.gap_stats = { .quantiles = true }
	};

	memset(f, 0, sizeof(*f));
	tape_record_init(&f->rec);
	tape_buf_init(&f->line, 1 << 20);
	tape_measure_init(&f->measure, opts == NULL ? &usual : opts);
}

__attribute__((unused)) static void
fixture_close(struct fixture *f)
{
	tape_record_release(&f->rec);
	tape_buf_release(&f->line);
	tape_measure_release(&f->measure);
}

/*
 * A response with these events (events_text.h); more is appended to the record's
 * members.
 */
__attribute__((unused)) static const struct tape_result *
fixture_measure(struct fixture *f, const char *events, const char *more)
{
	tape_buf_clear(&f->line);
	(void)tape_buf_add_str(&f->line,
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
	    "\"attempt\":1,\"start_ns\":1000000000000,");
	events_member(&f->line, events);
	(void)tape_buf_add_fmt(
	    &f->line, "%s%s}", more[0] == '\0' ? "" : ",", more);
	tape_err_clear(&f->err);
	f->status =
	    tape_record_decode(&f->rec, f->line.data, f->line.len, &f->err);
	if (f->status == TAPE_OK)
		f->status = tape_measure_response(
		    &f->measure, &f->rec.u.response, &f->out, &f->err);
	if (f->status != TAPE_OK)
		printf("# %s\n", f->err.text);
	return &f->out.result;
}

#endif
