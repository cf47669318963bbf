/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures: the failed requests of a run by class and cause, with one example
 * of each.
 *
 * A request is noted when it fails, and counted when it is known that no later
 * attempt replaced it.  The example is the first that was noted.  Beyond
 * TAPE_FAILURES_MAX groups all that is new goes into one of class "other".
 */
#ifndef TAPE_ENGINE_FAILURES_H
#define TAPE_ENGINE_FAILURES_H

#include "base/err.h"
#include "record/record.h"

#define TAPE_FAILURES_MAX     64
#define TAPE_FAILURES_NAME    32  /* bytes of a class or cause, NUL included */
#define TAPE_FAILURES_MESSAGE 240 /* bytes of the example */
#define TAPE_FAILURES_ID      64

struct tape_failures_row {
	char class[TAPE_FAILURES_NAME];
	char cause[TAPE_FAILURES_NAME]; /* "": none */
	char message[TAPE_FAILURES_MESSAGE];
	char id[TAPE_FAILURES_ID];
	int64_t status;
	uint64_t count;
};

/* A zeroed struct has none. */
struct tape_failures {
	size_t n;
	struct tape_failures_row *v; /* room for all of them, or NULL */
};

void tape_failures_release(struct tape_failures *f);

/* The group of a failed result, for tape_failures_count.  Its message is
   redacted. */
enum tape_status tape_failures_note(struct tape_failures *f,
    const struct tape_result *r, size_t *group,
    struct tape_err *err) TAPE_NODISCARD;

static inline void
tape_failures_count(struct tape_failures *f, size_t group)
{
	f->v[group].count++;
}

/* What stands in each record. */
struct tape_failures_run {
	int64_t run;
	struct tape_str arm;
	uint64_t requests; /* measured, failed or not */
};

struct tape_failures_set {
	struct tape_failure_group *v;
	size_t n;
};

/* The records, the most frequent first, those never counted left out; they
   borrow from f and run.  Release out in every case. */
enum tape_status tape_failures_make(const struct tape_failures *f,
    const struct tape_failures_run *run, struct tape_failures_set *out,
    struct tape_err *err) TAPE_NODISCARD;
void tape_failures_set_release(struct tape_failures_set *set);

#endif
