/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay: runs of a spooled trace against one or several deployments.
 *
 * The caller's thread is the feeder, and is made a nicer one for good (see
 * base/urgency.h): it is not to replay again, as the threads of a second time
 * would be nice, too.  Network loops and a sink have threads of their own.
 *
 * Runs do not overlap: each is drained before the next, arms are interleaved as
 * plan.h says.  A run is: snapshot, run record at "start", warm-up, measured
 * stage, snapshot, run record at "end", fidelity record.
 *
 * Nothing is printed; what a user should see goes to the callbacks.
 */
#ifndef TAPE_ENGINE_REPLAY_H
#define TAPE_ENGINE_REPLAY_H

#include "base/spin.h"
#include "engine/feed.h"
#include "engine/fidelity.h"
#include "engine/plan.h"
#include "engine/prober.h"

/* Descriptors that are not connections of the measurement. */
#define TAPE_REPLAY_SPARE_FILES 64
#define TAPE_REPLAY_LOOP_FILES  4 /* more, of each network loop */

enum tape_replay_salt {
	TAPE_REPLAY_SALT_NONE,
	TAPE_REPLAY_SALT_ROUND, /* the round's number */
	TAPE_REPLAY_SALT_FIXED
};

struct tape_replay_salting {
	enum tape_replay_salt how;
	uint32_t value; /* fixed */
	bool given;     /* by the user; else rounds decide */
};

/* For a progress line. */
struct tape_replay_progress {
	size_t run, runs; /* from 1 */
	const char *arm;  /* or NULL */
	int64_t round;    /* or absent */
	bool warmup;
	uint64_t planned; /* requests of the stage; UINT64_MAX without end */
	int64_t elapsed_ns;
	int64_t sent, open, done, failed, reads, late_p99_ns;
};

struct tape_replay_calls {
	/* Feeder's thread, about five times a second. */
	void (*progress)(void *arg, const struct tape_replay_progress *p);
	/* The first failed request; the sink's thread. */
	void (*first_failure)(void *arg, const char *text);
	/* A remark; feeder's thread, or the sink's. */
	void (*warn)(void *arg, const char *text);
	/* What is missing in the output; feeder's thread. */
	void (*error)(void *arg, const char *text);
	/* wake is to be called at every interrupt, from a signal handler;
	   NULL: no more. */
	void (*on_interrupt)(void (*wake)(void *arg), void *arg);
	int (*interrupts)(void); /* how many there were */
	void *arg;
};

struct tape_replay_opts {
	const struct tape_target *targets;
	size_t targets_n; /* the arms */
	enum tape_plan_order order;
	uint64_t rounds;
	uint64_t seed;
	uint64_t round;      /* label of a single run; 0 none */
	const char *session; /* likewise; NULL none */
	struct tape_replay_salting salt;

	struct tape_feed_form form; /* salt and model are set by replay */
	const char *model;          /* NULL: the first that is served */
	uint64_t concurrency;       /* 0: open loop, or 1 */
	int64_t ramp_ns;            /* of the slots, in the measured stage */
	uint64_t threads;           /* network loops; from 1 */
	int64_t spin_ns;            /* or TAPE_SPIN_AUTO */
	uint64_t warmup;
	uint64_t requests; /* 0: the trace's */
	bool cycle;        /* over the trace, --loop */
	int64_t duration_ns, grace_ns, cooldown_ns;
	uint64_t abort_after;
	struct tape_attempts attempts; /* but the seed, which is that above */
	enum tape_http_conn_mode connections;
	size_t max_open;     /* descriptors for connections */
	bool keep_bodies;    /* of requests */
	enum tape_keep keep; /* of answers; the writer's format follows it */

	/* all but clock and max_connections */
	struct tape_http_opts http;
	const char *const *headers; /* "Name: value", sent with each request */
	size_t headers_n;
	struct tape_own_lines own; /* besides, of each request */
	const struct tape_secrets *secrets;
	struct tape_str labels; /* JSON object, or absent */

	bool wait_ready;
	const char *ready_path; /* NULL: a request for one token */
	int64_t ready_timeout_ns;

	struct tape_replay_calls calls;
};

/* What holds where a user says nothing; no targets, no dialect. */
#define TAPE_REPLAY_DEFAULTS                                                   \
 {                                                                             \
  .warmup = 2, .rounds = 1, .abort_after = 20, .threads = 1,                   \
  .spin_ns = TAPE_SPIN_AUTO, .grace_ns = 30 * TAPE_NS_PER_S,                   \
  .ready_timeout_ns = 300 * TAPE_NS_PER_S,                                     \
  .attempts = { .on = TAPE_ATTEMPTS_ON,                                        \
	  .delay_ns = TAPE_NS_PER_S,                                           \
	  .delay_max_ns = 60 * TAPE_NS_PER_S },                                \
  .http.timeouts = {                                                           \
	  10 * TAPE_NS_PER_S,                                                  \
	  600 * TAPE_NS_PER_S,                                                 \
	  120 * TAPE_NS_PER_S,                                                 \
	  3600 * TAPE_NS_PER_S                                                 \
  }                                                                            \
 }

struct tape_replay_result {
	size_t runs; /* begun */
	int64_t sent, done;
	int64_t failed; /* without those cancelled */
	int64_t cancelled;
	int64_t planned;       /* cancelled on purpose: in neither */
	int64_t retried;       /* sent more than once */
	int64_t answered;      /* a status came; warm-up counts */
	int64_t reads;         /* likewise */
	int64_t archive_bytes; /* set by the caller; 0 unknown */
	bool interrupted;
	enum tape_ending ending; /* of what was written */
	bool aborted;
	enum tape_fidelity_verdict verdict; /* the worst */
	size_t limited;                     /* runs that the client limited */
};

/*
 * Checks what can be known before anything is sent: options against the trace,
 * and that each kind of input can be said in this dialect.  TAPE_E_USAGE.
 */
enum tape_status tape_replay_check(const struct tape_replay_opts *o,
    struct tape_spool *spool, struct tape_err *err) TAPE_NODISCARD;

/* How many requests may be open at once; 0 any number. */
size_t tape_replay_slots(
    const struct tape_replay_opts *o, const struct tape_spool_info *info);

/* Requests a second of a trace with planned times, as far as it is read; absent
   where there is none. */
double tape_replay_rate_per_s(const struct tape_spool_info *i);

/* The first request as it would be sent, credentials redacted, as text. */
enum tape_status tape_replay_dry_run(const struct tape_replay_opts *o,
    struct tape_spool *spool, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Plays.  The writer's segment is begun, with epoch_ns as the zero of its
 * times, and is ended by the caller.  *result is filled in any case.
 */
enum tape_status tape_replay_run(const struct tape_replay_opts *o,
    struct tape_spool *spool, struct tape_writer *writer, int64_t epoch_ns,
    struct tape_replay_result *result, struct tape_err *err) TAPE_NODISCARD;

#endif
