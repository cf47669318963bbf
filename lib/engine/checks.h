/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks: whether a run did the work that was intended.
 *
 *	requests	a result for each planned request
 *	run_end		the run ended, and why
 *	errors		none failed
 *	attempts	none was sent more than once, where that was allowed
 *	cancelled	how many were, on purpose
 *	usage		the server counted the tokens of every answer
 *	length		the output length asked for was reached
 *	finish		every answer says why it ended
 *	prompt_tokens	the server counts as many as the trace, but for a
 *			constant of the chat template
 *	cached_tokens	prompt tokens that came from a cache
 *	one_token	one token an event
 *	clocks		by which clock token events were stamped
 *	kept		only times were: what cannot be known
 *	encoding	answers came compressed
 *
 * A check whose question does not arise (no length was asked for, ...) is not
 * made.  length warns, and fails when more than 5 % of the requests stopped
 * early; clocks warns when more than 5 % of the events were merged with
 * another token.
 */
#ifndef TAPE_ENGINE_CHECKS_H
#define TAPE_ENGINE_CHECKS_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/measure.h"

#define TAPE_CHECKS_MAX   14
#define TAPE_CHECKS_NAMES 32 /* distinct error classes, finish reasons */
#define TAPE_CHECKS_NAME  24 /* bytes of one that are kept */

/* How often each name occurred; those beyond the last are "other". */
struct tape_checks_names {
	size_t n;
	struct {
		char name[TAPE_CHECKS_NAME];
		uint64_t count;
	} v[TAPE_CHECKS_NAMES];
};

/* What is counted of a run's measured requests. */
struct tape_checks {
	uint64_t ok;
	uint64_t failed;
	uint64_t cancelled; /* on purpose */
	uint64_t retried;   /* of all these, sent more than once */
	uint64_t retries;   /* attempts beyond their first */
	struct tape_checks_names errors;
	struct tape_checks_names finish;
	uint64_t finished; /* ok, every choice with a reason */
	uint64_t usage;    /* ok, with usage */
	uint64_t asked;    /* of these, with an output length asked for */
	uint64_t early;
	uint64_t beyond;
	/* Prompt tokens: the server's less the trace's, and the trace's. */
	double *overhead;
	double *expected;
	size_t prompts;
	size_t overhead_cap;
	size_t expected_cap;
	uint64_t cached_n;
	double cached;
	double cached_of;
	uint64_t kernel; /* token events by clock */
	uint64_t merged;
	uint64_t blurred; /* of these: with a later token in the read */
	uint64_t user;
	struct tape_checks_names
	    encodings; /* of answers that came compressed */
};

struct tape_checks_set {
	struct tape_check check[TAPE_CHECKS_MAX];
	size_t n;
	size_t failed; /* with status fail */
	struct tape_arena arena;
};

void tape_checks_init(struct tape_checks *c);
void tape_checks_release(struct tape_checks *c);

/* The clocks of a request's token events, successful or not, and how it came. */
void tape_checks_events(struct tape_checks *c, const struct tape_measured *m);

/* A successful request, a failed one by its last attempt, and one that was
   cancelled on purpose. */
enum tape_status tape_checks_add(struct tape_checks *c,
    const struct tape_measured *m, struct tape_err *err) TAPE_NODISCARD;
void tape_checks_fail(
    struct tape_checks *c, struct tape_str class, int64_t attempt);
void tape_checks_cancel(struct tape_checks *c, const struct tape_measured *m);

/* The run whose records are made. */
struct tape_checks_run {
	int64_t run;
	const struct tape_run *start; /* NULL: there is none */
	const struct tape_run *end;
	double shared_ratio; /* as in tape_summarize_set */
};

/* Makes the records, which borrow from run.  Release out in every case; a
   zeroed one is empty. */
enum tape_status tape_checks_make(const struct tape_checks *c,
    const struct tape_checks_run *run, struct tape_checks_set *out,
    struct tape_err *err) TAPE_NODISCARD;
void tape_checks_set_release(struct tape_checks_set *set);

#endif
