/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definitions_fixture: answers from text, seen by peers, and their report asked
 * for what it says.  Times are in ms from 1000 s on, so that no difference is
 * right by accident.
 */
#ifndef TAPE_UNIT_DEFINITIONS_FIXTURE_H
#define TAPE_UNIT_DEFINITIONS_FIXTURE_H

#include "base/buf.h"
#include "engine/definitions.h"
#include "record/coding.h"
#include "unit/events_text.h"
#include "unit/tap.h"

struct fixture {
	struct tape_record rec;
	struct tape_buf line;
	struct tape_measure measure;
	struct tape_tally tally;
	struct tape_summarize_set ours;
	struct tape_definitions *d;
	struct tape_definitions_report report;
	enum tape_status status;
	struct tape_err err;
};

static const struct tape_measure_opts fixture_usual = {
	.from = TAPE_MEASURE_FROM_START
};

__attribute__((unused)) static void
fixture_open(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	tape_record_init(&f->rec);
	tape_buf_init(&f->line, 1 << 20);
	tape_measure_init(&f->measure, &fixture_usual);
	tape_tally_init(&f->tally);
	f->status =
	    tape_definitions_open(&f->d, TAPE_DEFINITIONS_ALL, false, &f->err);
	ok(f->status == TAPE_OK, "peers are there");
}

__attribute__((unused)) static void
fixture_close(struct fixture *f)
{
	tape_record_release(&f->rec);
	tape_buf_release(&f->line);
	tape_measure_release(&f->measure);
	tape_tally_release(&f->tally);
	tape_definitions_report_release(&f->report);
	tape_definitions_free(f->d);
}

/*
 * An answer to a request that starts at start ms and ends end ms later, with
 * these events (events_text.h); more is appended to the record's members.
 */
static void
fixture_measure(struct fixture *f, int start, int end, const char *events,
    const char *more, struct tape_measured *m)
{
	tape_buf_clear(&f->line);
	(void)tape_buf_add_fmt(&f->line,
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
	    "\"attempt\":1,\"start_ns\":%" PRId64 ",\"end_ns\":%" PRId64 ",",
	    (1000000 + (int64_t)start) * MS,
	    (1000000 + (int64_t)start + end) * MS);
	events_member(&f->line, events);
	(void)tape_buf_add_fmt(
	    &f->line, "%s%s}", more[0] == '\0' ? "" : ",", more);
	f->status =
	    tape_record_decode(&f->rec, f->line.data, f->line.len, &f->err);
	if (f->status == TAPE_OK)
		f->status = tape_measure_response(
		    &f->measure, &f->rec.u.response, m, &f->err);
}

__attribute__((unused)) static void
fixture_see(
    struct fixture *f, int start, int end, const char *events, const char *more)
{
	struct tape_measured m;

	fixture_measure(f, start, end, events, more, &m);
	if (f->status == TAPE_OK)
		f->status =
		    tape_definitions_add(f->d, &f->rec.u.response, &m, &f->err);
	if (f->status == TAPE_OK && m.result.ok)
		f->status = tape_tally_add(
		    &f->tally, &m, f->measure.gaps, f->measure.gap_n, &f->err);
	if (f->status != TAPE_OK)
		printf("# %s\n", f->err.text);
}

/* Makes the report of all that was seen, and forgets that. */
__attribute__((unused)) static void
fixture_report(struct fixture *f)
{
	const struct tape_summarize_run run = { .run = 1,
		.first_ns = f->tally.first_ns,
		.last_ns = f->tally.last_ns };
	struct tape_tally *tally = &f->tally;
	static const struct tape_str none;

	tape_definitions_report_release(&f->report);
	f->status = tape_summarize(&run, none, &tally, 1, &f->ours, &f->err);
	if (f->status == TAPE_OK)
		f->status = tape_definitions_make(
		    f->d, &run, &f->ours, &f->report, &f->err);
	tape_definitions_clear(f->d);
	tape_tally_release(&f->tally);
	tape_tally_init(&f->tally);
	ok(f->status == TAPE_OK, "there is a report");
}

__attribute__((unused)) static const struct tape_summary *
fixture_row(const struct fixture *f, const char *peer, const char *metric)
{
	static struct tape_summary none;

	for (size_t i = 0; i < f->report.row_n; i++) {
		const struct tape_summary *s = &f->report.rows[i].summary;

		if (tape_str_is(s->definitions, peer) &&
		    tape_str_is(s->metric, metric))
			return s;
	}
	printf("# %s has no %s\n", peer, metric);
	none.mean = none.value = TAPE_ABSENT_F64;
	return &none;
}

__attribute__((unused)) static double
fixture_mean(const struct fixture *f, const char *peer, const char *metric)
{
	return fixture_row(f, peer, metric)->mean;
}

__attribute__((unused)) static double
fixture_value(const struct fixture *f, const char *peer, const char *metric)
{
	return fixture_row(f, peer, metric)->value;
}

/* Whether a reason of the peer has that text in it. */
__attribute__((unused)) static bool
fixture_says(const struct fixture *f, const char *peer, const char *text)
{
	for (size_t i = 0; i < f->report.reason_n; i++) {
		const struct tape_definitions_reason *r = &f->report.reasons[i];

		if (strcmp(tape_definitions_table[r->peer]->name, peer) == 0 &&
		    strstr(r->text, text) != NULL)
			return true;
	}
	return false;
}

#endif
