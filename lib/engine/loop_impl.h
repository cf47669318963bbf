/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loop_impl: what the files of replay_loop share. */
#ifndef TAPE_ENGINE_LOOP_IMPL_H
#define TAPE_ENGINE_LOOP_IMPL_H

#include "engine/replay_loop.h"

#include <pthread.h>

enum cue_kind { CUE_BEGIN, CUE_FLIGHT };

struct tape_loop_cue {
	enum cue_kind kind;
	struct tape_flight *flight;
	struct tape_stage stage;
};

#define TAPE_LOOP_OUT 64

/* See loop_out.c. */
struct tape_loop_out {
	struct tape_note notes[TAPE_LOOP_OUT];
	size_t notes_n;
	bool urgent; /* one of the notes is */
	struct tape_piece *pieces[TAPE_LOOP_OUT];
	size_t pieces_n;
};

struct tape_loop {
	struct tape_loop_opts opts;
	const struct tape_clock *clock;
	struct tape_transport net;
	struct tape_queue *cues;
	struct tape_sched sched;
	struct tape_sched again; /* those to be sent again; no slots */
	/* To be cancelled on purpose, in the order of their times. */
	struct tape_flight *cut_first, *cut_last;
	struct tape_stage stage;
	struct tape_loop_stats stats;
	struct tape_loop_live live;
	struct tape_arrivals arrivals;
	struct tape_loop_out out;
	struct tape_loop_common *common, own; /* common may be own */
	int64_t spin_ns;                      /* the margin */
	atomic_bool ready;                    /* it is measured */
	bool active;                          /* between BEGIN and DRAINED */
	bool ending;                          /* no more flights come */
	atomic_bool end_wanted;               /* by the feeder */
	bool broken;
	bool quit;
	struct tape_err why; /* it is broken */
	struct tape_err err; /* the same, for the feeder, once it is drained */
	struct tape_flight *open; /* list of those running */
	size_t open_n;
	size_t sending; /* bytes of their bodies that are not out */
	uint32_t next_x;
	int64_t cancel_ns; /* then the rest is cancelled */
	bool cancelled;
	int64_t give_up_ns; /* what was cancelled has to have ended by then */
	bool dead;          /* the network failed, and is not asked again */
	bool over;          /* the stage's duration has passed */
	int64_t sweep_ns;
	int64_t busy_ns; /* since when this pass works; 0 not yet */
	int64_t pass_ns; /* when it began */
	/* How many cues were given, and taken, and one more given at the end:
	   whether to look, and with asleep_ns, whether a wait has to be ended
	   for one.  See tape_loop_add. */
	atomic_ulong given;
	unsigned long taken;
	int64_t base_ns; /* the feeder's: of an open stage, or INT64_MIN */
	atomic_llong asleep_ns; /* until then; INT64_MIN: awake */
	pthread_t thread;
	bool running;
};

static inline int64_t
tape_loop_now(const struct tape_loop *l)
{
	return tape_clock_now_ns(l->clock);
}

/* The flight has its result: counts it, tells the feeder, hands it on. */
void tape_loop_finished(struct tape_loop *l, struct tape_flight *f);

/* The stage's counts, for whoever watches. */
void tape_loop_publish(struct tape_loop *l);

/* A note for the feeder and a piece for the sink, to be handed on by the next
   flush; flush_if puts it off while a send is near, unless it is urgent. */
void tape_loop_tell(
    struct tape_loop *l, const struct tape_note *note, bool urgent);
void tape_loop_hand_on(struct tape_loop *l, struct tape_piece *p);
void tape_loop_flush(struct tape_loop *l);
void tape_loop_flush_if(struct tape_loop *l, bool near);
void tape_loop_drop_out(struct tape_loop *l);

/* This side failed: everything open fails, nothing is sent any more. */
void tape_loop_break(struct tape_loop *l, const struct tape_err *err);

/* Puts the flight on the network, or fails it. */
void tape_loop_launch(struct tape_loop *l, struct tape_flight *f);

/* A pass within the margin found nothing. */
void tape_loop_count_spin(struct tape_loop *l, int64_t took_ns);

/* See loop_attempts.c: a flight that has ended is sent again later (false: that
   was its last attempt); those that wait for that end now; the request is out,
   it has ended; those whose time has come are cancelled, and when the next one's
   has (INT64_MAX: there is none). */
bool tape_loop_retry(struct tape_loop *l, struct tape_flight *f);
void tape_loop_drop_retries(struct tape_loop *l);
void tape_loop_free_retries(struct tape_loop *l);
void tape_loop_cut_later(struct tape_loop *l, struct tape_flight *f);
void tape_loop_cut_never(struct tape_loop *l, struct tape_flight *f);
int64_t tape_loop_cut(struct tape_loop *l, int64_t now_ns);

/* A flight becomes one of those open. */
void tape_loop_link(struct tape_loop *l, struct tape_flight *f);

/* Cuts what is old enough. */
void tape_loop_sweep(struct tape_loop *l, int64_t now_ns);

/* Frees what was not sent. */
void tape_loop_drop_waiting(struct tape_loop *l);

/* Stops sending for that reason, or for a worse one that is there already. */
void tape_loop_stop(
    struct tape_loop *l, enum tape_loop_stop why, int64_t now_ns);

/* Looks for reasons to stop, and cancels what is open when its grace is over. */
void tape_loop_mind_stops(struct tape_loop *l, int64_t now_ns);

/* When the plan says that sending is over; INT64_MAX never. */
int64_t tape_loop_duration_end(const struct tape_loop *l);

#endif
