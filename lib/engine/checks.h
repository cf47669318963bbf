/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks: whether a run did the work that was intended, and whether anything
 * speaks against its numbers.
 *
 *	requests	a result for each planned request
 *	run_end		the run ended, and why
 *	errors		none failed
 *	attempts	none was sent more than once, where that was allowed
 *	cancelled	how many were, on purpose
 *	enough		requests for what is printed of them
 *	usage		the server counted the tokens of every answer
 *	length		the output length asked for was reached, or why not
 *	finish		every answer says why it ended
 *	end_mark	all streams have an end mark, or none has
 *	malformed	every event could be understood
 *	prompt_tokens	the server counts as many as the trace, but for a
 *			constant of the chat template
 *	cached_tokens	no prompt came from a cache, or it was declared
 *	one_token	tokens that share an event
 *	kept		only times were: what cannot be known
 *	encoding	answers came compressed
 *	model		the server has the model that was asked for
 *	server		it is the same before and after
 *	buffered	nothing on the way collects the events of a stream
 *	serialized	several requests are answered at the same time
 *	flat		more concurrency brings more throughput (several runs)
 *	sampling	the same parameters in all runs (several runs)
 *	alike		model, other fields and versions are those of the arm's
 *			first run (several runs; made where they are not)
 *	warmup		it was there, and long enough
 *	trend		nothing becomes slower or faster in the run
 *	concurrency	it was reached
 *	littles_law	requests/s x latency is no more than was asked for
 *	clocks		by which clock token events were stamped
 *	client		the client was not the limit
 *	telemetry	samples of devices cover the run (where some are given)
 *	throttled	no device held its clocks back
 *	engine_tokens	the engine's profile is of the same work
 *	engine_decode	the client saw what the engine makes
 *
 * A check whose question does not arise (no length was asked for, ...) is not
 * made.  metrics-reduce(1) says when each warns and fails; the rules stand in
 * the files that checks_impl.h names.
 *
 * Memory: 88 bytes a measured request, for twice TAPE_CHECKS_POINTS at most; what
 * rests on their times is not checked in longer runs, but for warmup and trend,
 * which see the requests kept: those that were sent first.
 *
 * In whichever order requests come, the records are the same.
 */
#ifndef TAPE_ENGINE_CHECKS_H
#define TAPE_ENGINE_CHECKS_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/measure.h"
#include "engine/observe.h"

#define TAPE_CHECKS_MAX    40
#define TAPE_CHECKS_NAMES  32 /* distinct error classes, finish reasons */
#define TAPE_CHECKS_NAME   24 /* bytes of one that are kept */
#define TAPE_CHECKS_POINTS ((size_t)1 << 20)
#define TAPE_CHECKS_RUNS   256 /* that are set against each other */
#define TAPE_CHECKS_ARMS   32  /* whose first runs are remembered */
#define TAPE_CHECKS_WHO    80  /* bytes that name a run and its session */

/* How often each name occurred, in their order.  When there are too many, those
   beyond the last are "other", behind all. */
struct tape_checks_names {
	size_t n;
	uint64_t other;
	struct tape_checks_name {
		char name[TAPE_CHECKS_NAME];
		uint64_t count;
	} v[TAPE_CHECKS_NAMES];
};

/* One attempt at a measured request; times that it does not have are NaN. */
struct tape_checks_point {
	int64_t start_ns;
	int64_t end_ns;   /* TAPE_ABSENT_I64 unknown */
	int64_t first_ns; /* first and last token event of a stream */
	int64_t last_ns;
	double ttft_ns;
	double latency_ns;
	double tpot_ns;
	double input;
	double output;
	int64_t token_events;
	uint64_t hash; /* of the body that was sent; 0 unknown */
};

/* What is counted of a run's measured requests. */
struct tape_checks {
	uint64_t ok;
	uint64_t failed;
	uint64_t cancelled; /* on purpose */
	uint64_t retried;   /* of all these, sent more than once */
	uint64_t retries;   /* attempts beyond their first */
	uint64_t tokenless; /* ok, of an API that has no tokens */
	struct tape_checks_names errors;
	struct tape_checks_names finish;
	uint64_t finished; /* ok, every choice with a reason */
	uint64_t usage;    /* ok, with usage */
	uint64_t asked;    /* of these, with an output length asked for */
	uint64_t early;
	uint64_t early_stop; /* of these, ended by themselves */
	uint64_t
	    early_length; /* ended by the length: it is counted otherwise */
	uint64_t beyond;
	uint64_t streamed;     /* ok */
	uint64_t whole_bodies; /* ok: streams that came as one body */
	uint64_t marked;       /* of these, with an end mark */
	/* Of all attempts. */
	uint64_t malformed;
	uint64_t spliced;
	uint64_t malformed_in; /* answers */
	/* Prompt tokens: the server's less the trace's, and the trace's. */
	double *overhead;
	double *expected;
	size_t prompts;
	size_t overhead_cap;
	size_t expected_cap;
	uint64_t cached_n;
	double cached;
	double cached_of;
	double reused;   /* of cached, what no template explains */
	bool turns;      /* some belong to a later turn of a session */
	uint64_t kernel; /* token events by clock */
	uint64_t merged;
	uint64_t blurred; /* of these: with a later token in the read */
	uint64_t user;
	struct tape_checks_names
	    encodings; /* of answers that came compressed */
	/* Streams of enough token events, and those that came in one read, or
	   in few. */
	uint64_t whole_of, whole;
	uint64_t lumps_of, lumps;
	double events, reads; /* of the streams in lumps_of */
	struct tape_checks_point *points;
	size_t points_n; /* all are kept while seen is no more */
	size_t points_cap;
	uint64_t seen;
	bool trimmed; /* later ones than latest_ns were dropped */
	int64_t latest_ns;
};

struct tape_checks_set {
	struct tape_check check[TAPE_CHECKS_MAX];
	size_t n;
	size_t failed; /* with status fail */
	struct tape_arena arena;
};

void tape_checks_init(struct tape_checks *c);
void tape_checks_release(struct tape_checks *c);

/* Any attempt, successful or not: its times, the clocks of its token events,
   what could not be
   understood, and how it came. */
enum tape_status tape_checks_attempt(struct tape_checks *c,
    const struct tape_measured *m, struct tape_err *err) TAPE_NODISCARD;

/* A successful request, a failed one by its last attempt, and one that was
   cancelled on purpose. */
enum tape_status tape_checks_add(struct tape_checks *c,
    const struct tape_measured *m, struct tape_err *err) TAPE_NODISCARD;
void tape_checks_fail(
    struct tape_checks *c, struct tape_str class, int64_t attempt);
void tape_checks_cancel(struct tape_checks *c, const struct tape_measured *m);

/* Puts the points in the order of their starts, and leaves those that are kept. */
void tape_checks_trim(struct tape_checks *c);

/* What all runs of an arm are to have in common. */
enum tape_checks_like {
	TAPE_CHECKS_LIKE_MODEL,
	TAPE_CHECKS_LIKE_EXTRA,  /* but for what sampling speaks of */
	TAPE_CHECKS_LIKE_SERVER, /* its version, as it says itself */
	TAPE_CHECKS_LIKE_TOOL,   /* versions of the tools */
	TAPE_CHECKS_LIKE
};

/* Each of the first run of an arm that tells it. */
struct tape_checks_first {
	char arm[TAPE_CHECKS_NAME];
	struct tape_checks_first_of {
		bool known;
		char who[TAPE_CHECKS_WHO];
		struct tape_buf text;
	} of[TAPE_CHECKS_LIKE];
};

/* The runs before, of all that was read.  A zeroed struct has none. */
struct tape_checks_history {
	size_t n;
	struct tape_checks_past {
		char arm[TAPE_CHECKS_NAME];
		int64_t run;
		int64_t concurrency;
		double per_s; /* output tokens, else requests; NaN unknown */
		bool tokens;
	} v[TAPE_CHECKS_RUNS];
	bool has_sampling;
	struct tape_buf sampling; /* of the first run, canonical */
	struct tape_checks_first firsts[TAPE_CHECKS_ARMS];
	size_t firsts_n;
};

void tape_checks_history_release(struct tape_checks_history *h);

/* The run whose records are made. */
struct tape_checks_run {
	int64_t run;
	const struct tape_run *start; /* NULL: there is none */
	const struct tape_run *end;
	const struct tape_fidelity *fidelity;
	double shared_ratio;                 /* as in tape_summarize_set */
	struct tape_str session;             /* run_id of its segment */
	struct tape_str tools;               /* that made it, as "a 1, b 2" */
	uint64_t warmup;                     /* results of the warm-up */
	double output_per_s;                 /* NaN unknown */
	double requests_per_s;               /* likewise */
	struct tape_checks_history *history; /* NULL: no other runs */
	const struct tape_observe_set *observed; /* NULL: no telemetry */
	const struct tape_engine *engine;        /* NULL: it says nothing */
};

/* Makes the records, which borrow from run, and adds the run to the history.
   Release out in every case; a zeroed one is empty. */
enum tape_status tape_checks_make(struct tape_checks *c,
    const struct tape_checks_run *run, struct tape_checks_set *out,
    struct tape_err *err) TAPE_NODISCARD;
void tape_checks_set_release(struct tape_checks_set *set);

/* A check of that name has a line of its own in a table even when it is ok:
   its text is a finding. */
bool tape_checks_tells(struct tape_str name);

#endif
