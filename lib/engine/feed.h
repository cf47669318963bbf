/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * feed: the other side of the network loops: reads the spooled trace in order,
 * renders bodies ahead of their time, and hands them over; keeps back what has
 * to wait for others.
 *
 * Of a trace that is still being read it takes what is there, and goes on when
 * more has come.  Where the trace turns out to be bad it ends for the feed:
 * everything before is sent, and tape_feed_cut says why.
 *
 * It goes ahead by at most TAPE_FEED_AHEAD requests a loop and TAPE_FEED_BYTES
 * of bodies (or one larger body); what a predecessor lets go may go beyond that
 * by as much again, so that waiting for the future never delays the present.
 *
 * One thread, that of the loops' owner.
 */
#ifndef TAPE_ENGINE_FEED_H
#define TAPE_ENGINE_FEED_H

#include "api/server_rules.h"
#include "engine/loops.h"
#include "engine/spool.h"
#include "engine/target.h"

#define TAPE_FEED_AHEAD    64
#define TAPE_FEED_BYTES    ((size_t)8 << 20)
#define TAPE_FEED_EARLY_NS TAPE_NS_PER_S /* of what is let go in the future */
/* The same where loops have little room ahead. */
#define TAPE_FEED_TIGHT_NS (5 * TAPE_NS_PER_MS)
#define TAPE_FEED_PARKED   65536 /* waiting for predecessors */
/* Of those waiting, bodies that are rendered already. */
#define TAPE_FEED_HELD       32
#define TAPE_FEED_HELD_BYTES ((size_t)4 << 20)

/* How requests are rendered. */
struct tape_feed_form {
	const struct tape_api *api;
	const char *model; /* NULL: no field */
	bool modelless;    /* which the dialect can do without */
	bool stream;
	bool usage;
	const char *max_tokens_field;   /* NULL: the dialect's */
	struct tape_str extra;          /* JSON object, or absent */
	struct tape_str body_template;  /* or absent */
	struct tape_str pointers;       /* JSON object, or absent */
	bool model_given;               /* by the user */
	struct tape_server_rules rules; /* of what is sent */
	uint32_t salt;
	const struct tape_vocab_set *vocabs; /* NULL: the spool's */
};

struct tape_feed_plan {
	const struct tape_course *course;
	const struct tape_target *target;
	struct tape_feed_form form;
	struct tape_stage stage;
	uint64_t first; /* index of the first request */
	uint64_t count; /* how many; UINT64_MAX without end */
	bool once;      /* the trace's end is an end; else it begins again */
	bool follow;    /* predecessors and delays count */
};

struct tape_feed;

enum tape_status tape_feed_open(struct tape_feed **out,
    struct tape_spool *spool, struct tape_loops *loops, struct tape_post *post,
    const struct tape_clock *clock, struct tape_err *err) TAPE_NODISCARD;
void tape_feed_free(struct tape_feed *f);

/* Begins a stage; what plan points to lives until it is drained. */
enum tape_status tape_feed_begin(struct tape_feed *f,
    const struct tape_feed_plan *plan, struct tape_err *err) TAPE_NODISCARD;

/*
 * Does what there is to do, or waits at most so long for something.  TAPE_OK:
 * go on; TAPE_EOF: the stage is drained; a failure, also once it is drained.
 */
enum tape_status tape_feed_step(struct tape_feed *f, int64_t timeout_ns,
    struct tape_err *err) TAPE_NODISCARD;

/* Why the trace could not be played as far as it was to be: it is bad from there
   on, or shorter than count with once.  Status TAPE_OK: nothing of that. */
const struct tape_err *tape_feed_cut(const struct tape_feed *f);

/* Sets that failure, of status st: a trace has fewer requests than --requests
   wanted.  Returns st. */
enum tape_status tape_feed_too_few(
    enum tape_status st, uint64_t wanted, uint64_t has, struct tape_err *err);

/* Waiting requests filled TAPE_FEED_PARKED in this stage. */
bool tape_feed_hit_parked(const struct tape_feed *f);

/* What is asked by that request; borrows from both. */
struct tape_api_ask tape_feed_ask(
    const struct tape_feed_form *form, const struct tape_request *request);

/*
 * Renders a request as the plan says: the body appended to out, *url for
 * tape_mem_free.  TAPE_E_USAGE for a field that the server does not take.  For
 * --dry-run and checks.
 */
enum tape_status tape_feed_render(const struct tape_feed_form *form,
    const struct tape_target *target, const struct tape_request *request,
    struct tape_buf *out, char **url, struct tape_err *err) TAPE_NODISCARD;

#endif
