/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fidelity: what the client says about itself after a run, and how far its
 * numbers can be trusted.
 *
 *				suspect		client-limited
 *	p99 of late sends	over 1 ms	over 10 ms
 *	rate (open loop)	under 98 %	under 90 % of the plan
 *	law (open loop)		-		planned, not achieved
 *	busiest loop's CPU	over 50 %	over 90 %
 *	writer's queue full	at all		over 1 % of the time
 *	events merged late	over 1 %	over 10 %
 *	with over 1 % of the reads on the user's clock:
 *	    loop stalls over 1 ms	over 1 a second	-
 *	    p99 of user - kernel	over 1 ms	over 10 ms
 *	a limit was hit		any		-
 *	clock steps		any		-
 *
 * A cap on concurrency holds arrivals back by the user's will: rate and law are
 * not judged then.  The law is judged when the planned gaps pass the test of an
 * exponential one (p >= 0.01); achieved gaps fail it when their p is below that
 * and below half of the plan's, so that a plan on the edge fails by more than
 * its own luck.
 *
 * Where reads have the kernel's time, a loop that comes late loses no time of
 * an event, unless a second event arrives meanwhile: then the first one has the
 * time of the second.  So stalls and lag are judged by the events they merged.
 * A server that sends several events at once merges them too, but those are
 * read at once: only merged events of reads that began over TAPE_MERGED_LATE_NS
 * after the kernel had their last byte are held against the client.
 *
 * CPU is that of the busiest loop without what it spent awake on purpose.
 * trace-replay(1) says the same.
 */
#ifndef TAPE_ENGINE_FIDELITY_H
#define TAPE_ENGINE_FIDELITY_H

#include "engine/arrivals.h"
#include "engine/footprint.h"
#include "engine/merged.h"
#include "engine/replay_loop.h"

#define TAPE_FIDELITY_REASONS 16
#define TAPE_FIDELITY_LIMITS  4
#define TAPE_FIDELITY_LAW_P   0.01

enum tape_fidelity_verdict {
	TAPE_FIDELITY_SOUND,
	TAPE_FIDELITY_SUSPECT,
	TAPE_FIDELITY_LIMITED
};

struct tape_fidelity_input {
	int64_t run;
	const struct tape_loop_stats *stats; /* of the measured stage */
	struct tape_sink_clock clock;
	struct tape_footprint memory;
	int64_t wall_ns;     /* of the stage */
	int64_t loop_cpu_ns; /* of all loops */
	int64_t loop_max_ns; /* of the busiest */
	int64_t spin_max_ns; /* of it, awake on purpose */
	int64_t writer_cpu_ns, process_cpu_ns;
	struct tape_merged merged;
	struct tape_arrivals_test law;
	bool open;   /* arrivals were planned */
	bool capped; /* by a concurrency */
	bool hit_parked;
	/* What has no kernel times, "HTTP/2"; NULL: they were to be had. */
	const char *unstamped;
};

/* A filled record and what it points into: do not copy. */
struct tape_fidelity_text {
	struct tape_fidelity rec;
	char reasons[TAPE_FIDELITY_REASONS][200];
	struct tape_str reason_spans[TAPE_FIDELITY_REASONS];
	size_t reasons_n;
	struct tape_str limits[TAPE_FIDELITY_LIMITS];
	size_t limits_n;
	enum tape_fidelity_verdict verdict;
};

const char *tape_fidelity_name(enum tape_fidelity_verdict verdict);

void tape_fidelity_judge(
    struct tape_fidelity_text *t, const struct tape_fidelity_input *in);

#endif
