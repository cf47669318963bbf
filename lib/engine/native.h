/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * native: what the engine says of its own work, set beside what a run's client
 * saw: an engine record (record_device.h).
 *
 * Acceptance of drafted tokens is taken from the profile; without one from the
 * counters in answers; without these from the server's metrics; and else it was
 * not measured.  It is never made from gaps.
 *
 * decode_tokens_per_s counts no first tokens, which the prefill makes: where the
 * profile's tokens include them, one for each request is taken off.
 */
#ifndef TAPE_ENGINE_NATIVE_H
#define TAPE_ENGINE_NATIVE_H

#include "engine/observe.h"
#include "engine/offline.h"
#include "engine/summarize.h"

/* The client's speeds beside the engine's are made at concurrency 1 only. */
struct tape_native_run {
	const struct tape_summarize_run *run;
	const struct tape_summarize_set *all;    /* of all its requests */
	const struct tape_run *start;            /* NULL: it was not recorded */
	const struct tape_offline *offline;      /* NULL: none was given */
	const struct tape_observe_set *observed; /* may be empty */
};

/* False: there is nothing to say, no profile and no counter.  out borrows from
   run. */
bool tape_native_make(
    struct tape_engine *out, const struct tape_native_run *run);

/* How the profile's tokens agree with the run's. */
struct tape_native_agree {
	bool known;         /* the server counted the tokens of every request */
	bool prompt;        /* they are as many */
	bool output;        /* likewise, first tokens included or not */
	bool without_first; /* they leave out the first token of each answer */
	bool runs;          /* there are no more batches than requests */
};
struct tape_native_agree tape_native_agree(const struct tape_engine *e);

/* Sum of a metric over all successful requests, as the server counted; NaN unless
   it did for each. */
double tape_native_counted(const struct tape_summarize_set *all, int metric);

#endif
