/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks_fixture: a run is put together from requests, and its checks are asked
 * for.
 */
#ifndef TAPE_UNIT_CHECKS_FIXTURE_H
#define TAPE_UNIT_CHECKS_FIXTURE_H

#include "engine/checks.h"
#include "record/schema.h"
#include "unit/tap.h"

#define MS INT64_C(1000000)

struct fixture {
	struct tape_checks checks;
	struct tape_checks_set set;
	struct tape_checks_history history;
	struct tape_run start, end;
	struct tape_fidelity fidelity;
	uint64_t warmup;
	double output_per_s;
	struct tape_measured m; /* the next request */
	struct tape_str finish[2];
	struct tape_err err;
};

__attribute__((unused)) static void
open_fixture(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	tape_checks_init(&f->checks);
	tape_schema_init(TAPE_KIND_RUN, &f->start);
	tape_schema_init(TAPE_KIND_RUN, &f->end);
	f->start.requests = 4;
	f->end.stop = tape_str_of("complete");
	f->warmup = 2;
	f->output_per_s = TAPE_ABSENT_F64;
	tape_schema_init(TAPE_KIND_RESULT, &f->m.result);
	f->m.result.ok = 1;
	f->m.result.start_ns = 0;
	f->m.result.end_ns = 100 * MS;
	f->m.result.tokens.output = 8;
	f->m.result.tokens.input = 109;
	f->m.result.asked_output_tokens = 8;
	f->m.result.asked_input_tokens = 100;
	f->finish[0] = tape_str_of("length");
	f->finish[1] = tape_str_of("length");
	f->m.result.finish.v = f->finish;
	f->m.result.finish.n = 1;
	f->m.kernel = 9;
	f->m.token_reads = 9;
}

/* n requests as the next one is. */
__attribute__((unused)) static void
add(struct fixture *f, int n)
{
	for (int i = 0; i < n; i++) {
		is_int(tape_checks_attempt(&f->checks, &f->m, &f->err), TAPE_OK,
		    "attempt");
		is_int(tape_checks_add(&f->checks, &f->m, &f->err), TAPE_OK,
		    "add");
	}
}

/* A stream that starts at start ms; its first and last of eight tokens come
   ttft and latency ms later. */
__attribute__((unused)) static void
add_stream(struct fixture *f, double start, double ttft, double latency)
{
	struct tape_result *r = &f->m.result;

	f->m.streamed = true;
	r->start_ns = (int64_t)(start * (double)MS);
	r->ttft_ns = (int64_t)(ttft * (double)MS);
	r->latency_ns = (int64_t)(latency * (double)MS);
	r->first_ns = r->start_ns + r->ttft_ns;
	r->last_ns = r->start_ns + r->latency_ns;
	r->end_ns = r->last_ns;
	r->token_events = 8;
	r->tpot_ns = (double)(r->last_ns - r->first_ns) / 7;
	f->checks.ok++;
	if (tape_checks_attempt(&f->checks, &f->m, &f->err) != TAPE_OK)
		ok(false, "attempt: %s", f->err.text);
}

__attribute__((unused)) static void
make(struct fixture *f, const struct tape_run *end)
{
	const struct tape_checks_run run = {
		.run = 1,
		.start = &f->start,
		.end = end,
		.fidelity = f->fidelity.verdict.p == NULL ? NULL : &f->fidelity,
		.shared_ratio = 0,
		.warmup = f->warmup,
		.output_per_s = f->output_per_s,
		.requests_per_s = TAPE_ABSENT_F64,
		.history = &f->history,
	};

	tape_checks_set_release(&f->set);
	is_int(tape_checks_make(&f->checks, &run, &f->set, &f->err), TAPE_OK,
	    "make %s", f->err.text);
}

/* The next run begins; what was before is remembered. */
__attribute__((unused)) static void
next_run(struct fixture *f)
{
	tape_checks_release(&f->checks);
}

__attribute__((unused)) static void
close_fixture(struct fixture *f)
{
	tape_checks_set_release(&f->set);
	tape_checks_release(&f->checks);
	tape_checks_history_release(&f->history);
}

__attribute__((unused)) static const struct tape_check *
find(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->set.n; i++)
		if (tape_str_is(f->set.check[i].name, name))
			return &f->set.check[i];
	return NULL;
}

/* A check that is not ok says what to do; one that is ok has nothing to say. */
__attribute__((unused)) static void
is_status(const struct fixture *f, const char *name, const char *status)
{
	const struct tape_check *k = find(f, name);
	char got[512];

	ok(k != NULL, "check %s is made", name);
	if (k == NULL)
		return;
	(void)snprintf(got, sizeof(got), "%.*s: %.*s", (int)k->status.len,
	    k->status.p == NULL ? "" : k->status.p, (int)k->text.len,
	    k->text.p == NULL ? "" : k->text.p);
	ok(tape_str_is(k->status, status), "%s: %s (%s)", name, status, got);
	ok((k->advice.p == NULL) == (strcmp(status, "ok") == 0),
	    "%s: advice where it is not ok", name);
}

__attribute__((unused)) static void
is_check(const struct fixture *f, const char *name, const char *status,
    const char *text)
{
	const struct tape_check *k = find(f, name);
	char got[512];

	is_status(f, name, status);
	if (k == NULL)
		return;
	(void)snprintf(got, sizeof(got), "%.*s", (int)k->text.len,
	    k->text.p == NULL ? "" : k->text.p);
	is_str(got, text, "%s: its text", name);
}

#endif
