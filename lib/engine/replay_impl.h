/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay_impl: what the files of replay share. */
#ifndef TAPE_ENGINE_REPLAY_IMPL_H
#define TAPE_ENGINE_REPLAY_IMPL_H

#include "engine/fidelity.h"
#include "engine/replay.h"

/* One run, while it lasts. */
struct tape_replay_run_state {
	int64_t number;
	const struct tape_target *target;
	int64_t round, position; /* absent: neither */
	uint32_t salt;
	const struct tape_course *course;
	uint64_t planned;
	int64_t base_ns;  /* of the stage in hand */
	int64_t start_ns; /* of the measured stage; 0 not reached */
	enum tape_loop_stop stop;
	const struct tape_loop_stats *stats; /* measured; all 0 when not */
	struct tape_footprint memory;
	int64_t sample_ns; /* the next sample of it */
	struct tape_run rec;
	struct tape_str shown[TAPE_TARGET_MAX]; /* its servers */
	struct tape_buf health, served;
};

struct tape_replay {
	const struct tape_replay_opts *o;
	struct tape_spool *spool;
	const struct tape_spool_info *info;
	const struct tape_clock *clock;
	int64_t epoch_ns;
	struct tape_sink *sink;
	struct tape_post *post;
	struct tape_loops *loops;
	struct tape_http **http; /* of each loop */
	struct tape_feed *feed;
	struct tape_prober *prober;
	struct tape_replay_result *result;
	struct tape_buf *models;     /* a name per target, found once */
	struct tape_str *arms;       /* their labels */
	struct tape_str *sources;    /* local addresses */
	struct tape_course *courses; /* of all runs, as pieces refer to them */
	struct tape_replay_progress progress;
	int64_t progress_ns; /* the next one */
	bool stop;           /* no more runs */
	uint64_t id_salt;    /* of the requests' ids */
};

/* UINT64_MAX: without end, or not known yet. */
uint64_t tape_replay_count(
    const struct tape_replay_opts *o, const struct tape_spool_info *info);

/* Of a round; absent: the only one. */
uint32_t tape_replay_salt_of(const struct tape_replay_opts *o, int64_t round);

/* Descriptors, ports, and connections of sessions.  TAPE_E_USAGE. */
enum tape_status tape_replay_check_conns(const struct tape_replay_opts *o,
    const struct tape_spool_info *info, struct tape_err *err) TAPE_NODISCARD;

/* Each request of the head start against what the server is known to take, and
   the load against its limits; warns of sampling that is left to it where that
   spoils a comparison.  TAPE_E_USAGE. */
enum tape_status tape_replay_check_server(const struct tape_replay_opts *o,
    struct tape_spool *spool, struct tape_err *err) TAPE_NODISCARD;

#define TAPE_REPLAY_UNKNOWN 8 /* fields that are warned of */

/* Asks a target that is ready for its own description, and warns of fields that
   are not in it; only with --server. */
enum tape_status tape_replay_ask_server(
    struct tape_replay *r, size_t target, struct tape_err *err) TAPE_NODISCARD;

bool tape_replay_interrupted(const struct tape_replay *r);

/* One run of an arm. */
enum tape_status tape_replay_one(struct tape_replay *r, size_t arm,
    int64_t round, int64_t position, struct tape_err *err) TAPE_NODISCARD;

/* The records around a run. */
enum tape_status tape_replay_record_start(struct tape_replay *r,
    struct tape_replay_run_state *s, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_replay_record_end(struct tape_replay *r,
    struct tape_replay_run_state *s, struct tape_err *err) TAPE_NODISCARD;

/* Model of an arm, for bodies; NULL when no request needs one. */
const char *tape_replay_model(const struct tape_replay *r, size_t arm);

#endif
