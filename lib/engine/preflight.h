/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preflight: the client against a server of known cadence, before any time of
 * the real one is spent: the same trace, rate and concurrency, the same way of
 * sending and keeping, for a few seconds; then each event's time against the
 * stamp that the server put into it.
 *
 * The server (the mock) is serve.h, in a process of its own, so there must be no
 * threads yet.
 * Answers have as many tokens as the trace asks for, up to
 * TAPE_PREFLIGHT_ANSWER_NS worth of them.  The archive goes into unnamed files
 * and is read as sse-timestamp reads one; where only times were to be kept it
 * has the bytes, too, as the stamps are in them.  No target is contacted, and no
 * header of the user's is sent.
 */
#ifndef TAPE_ENGINE_PREFLIGHT_H
#define TAPE_ENGINE_PREFLIGHT_H

#include "engine/preflight_tally.h"
#include "engine/replay.h"

#define TAPE_PREFLIGHT_ITL_NS    (20 * TAPE_NS_PER_MS)
#define TAPE_PREFLIGHT_NS        (10 * TAPE_NS_PER_S) /* of sending, at most */
#define TAPE_PREFLIGHT_ANSWER_NS (5 * TAPE_NS_PER_S)
/* Requests at most: the largest of these, what is planned for 3 seconds, and
   4 a slot. */
#define TAPE_PREFLIGHT_REQUESTS 2000
#define TAPE_PREFLIGHT_PLAN_S   3
#define TAPE_PREFLIGHT_SLOTS    4

struct tape_preflight_opts {
	const struct tape_replay_opts *replay; /* as for the real run */
	const char
	    *itl;  /* of the mock, a duration; "": TAPE_PREFLIGHT_ITL_NS */
	int level; /* of compression, as of the archive */
	const char *dir; /* for unnamed files; NULL or "": /tmp */
	/* A child process, which takes its copy of the listening socket: see
	   cli/child.h.  stop is false when it had ended by itself. */
	struct {
		enum tape_status (*start)(void *self, int (*run)(void *arg),
		    void *arg, struct tape_err *err);
		bool (*stop)(void *self, int64_t *cpu_ns);
		void *self;
	} child;
};

enum tape_preflight_finding {
	TAPE_PREFLIGHT_FINE, /* sound or suspect */
	TAPE_PREFLIGHT_LIMITED,
	TAPE_PREFLIGHT_BLIND /* nothing can be told */
};

/* Plays, and writes a table to out; after an interrupt nothing is done.
   TAPE_E_USAGE for itl. */
enum tape_status tape_preflight_run(const struct tape_preflight_opts *opts,
    struct tape_spool *spool, struct tape_out *out,
    enum tape_preflight_finding *found, struct tape_err *err) TAPE_NODISCARD;

#endif
