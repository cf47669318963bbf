/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fidelity: what the client says about itself after a run, and how far its
 * numbers can be trusted.
 *
 *				suspect		client-limited
 *	p99 of late sends	over 1 ms	over 10 ms
 *	loop's CPU share	over 50 %	over 90 %
 *	writer's queue full	at all		over 1 % of the time
 *	loop stalls over 1 ms	over 1 a second	-
 *	arrivals (open loop)	under 98 %	under 90 % of the plan
 *	a limit was hit		any		-
 *	clock steps		any		-
 *
 * A cap on concurrency holds arrivals back by the user's will: arrivals are not
 * judged then.  trace-replay(1) says the same.
 */
#ifndef TAPE_ENGINE_FIDELITY_H
#define TAPE_ENGINE_FIDELITY_H

#include "engine/footprint.h"
#include "engine/replay_loop.h"

#define TAPE_FIDELITY_REASONS 12
#define TAPE_FIDELITY_LIMITS  4

struct tape_fidelity_input {
	int64_t run;
	const struct tape_loop_stats *stats; /* of the measured stage */
	struct tape_sink_clock clock;
	struct tape_footprint memory;
	int64_t wall_ns; /* of the stage */
	int64_t loop_cpu_ns, writer_cpu_ns, process_cpu_ns;
	bool open;   /* arrivals were planned */
	bool capped; /* by a concurrency */
	bool hit_parked;
};

/* A filled record and what it points into: do not copy. */
struct tape_fidelity_text {
	struct tape_fidelity rec;
	char reasons[TAPE_FIDELITY_REASONS][120];
	struct tape_str reason_spans[TAPE_FIDELITY_REASONS];
	size_t reasons_n;
	struct tape_str limits[TAPE_FIDELITY_LIMITS];
	size_t limits_n;
	int verdict; /* 0 sound, 1 suspect, 2 client-limited */
};

void tape_fidelity_judge(
    struct tape_fidelity_text *t, const struct tape_fidelity_input *in);

#endif
