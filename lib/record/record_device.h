/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record_device: the kinds that say of a run what its client cannot see: what
 * devices and servers did meanwhile, and what the engine counts itself.  Part
 * of record.h, which says how all kinds are to be read.
 */
#ifndef TAPE_RECORD_RECORD_DEVICE_H
#define TAPE_RECORD_RECORD_DEVICE_H

#include "base/span.h"

/*
 * One quantity of one device (or server) in the window of a run.
 *
 * role says what it is whatever its source calls it, so that runs and devices
 * can be set against each other; absent, only its name does.  In the unit that
 * stands behind it:
 *
 *	clock mhz, clock_limit mhz, memory_clock mhz, power w, power_limit w,
 *	energy_per_token j, temperature c, memory_temperature c,
 *	utilization percent, memory_utilization percent, memory_used mib,
 *	memory_total mib, throttle bits; of servers: queue requests,
 *	running requests, cache_used ratio, preemptions, cache_hits tokens,
 *	cache_queries tokens, drafts, drafted tokens, accepted tokens
 *
 * type is gauge (mean, min, max), counter (increase, per_s) or bits (bits: all
 * that were ever set; n_set: samples with one).  first and last are its values
 * at both ends of the window.  first_ns and last_ns are the samples' times.
 */
struct tape_observed {
	int64_t run;
	struct tape_str arm;
	int64_t round;
	int64_t position;
	struct tape_str source; /* as of samples */
	struct tape_str device;
	struct tape_str name;
	struct tape_str role;
	struct tape_str unit;
	struct tape_str type;
	int64_t n; /* samples in the window */
	int64_t n_set;
	double mean;
	double min;
	double max;
	double first;
	double last;
	double increase;
	double per_s;
	int64_t bits;
	int64_t first_ns;
	int64_t last_ns;
	int64_t window_start_ns;
	int64_t window_end_ns;
};

/*
 * What the engine says of its work, beside what the client counted.  The
 * numbers without client_ are the engine's.
 */
struct tape_engine {
	int64_t run;
	struct tape_str arm;
	int64_t round;
	int64_t position;
	struct tape_str source; /* of the profile; absent: there is none */
	int64_t prefill_runs;
	int64_t prefill_tokens; /* reused, computed and pruned */
	int64_t reused_tokens;
	int64_t computed_tokens;
	int64_t pruned_tokens;
	struct tape_str generation; /* how it generated: the phase's name */
	int64_t generation_runs;
	int64_t generated_tokens;
	int64_t iterations;
	int64_t client_requests;
	int64_t client_input_tokens; /* as the server counted them */
	int64_t client_output_tokens;
	double prefill_tokens_per_s;
	double client_prefill_tokens_per_s;
	double decode_tokens_per_s;
	double client_decode_tokens_per_s;
	/* profile, response, server (its counters) or not-measured. */
	struct tape_str acceptance;
	double acceptance_ratio;         /* of drafted tokens */
	double acceptance_length_tokens; /* of an iteration, its own token
	                                    included */
	int64_t accepted_tokens;
	int64_t drafted_tokens;
	int64_t peak_gpu_memory_bytes;
	int64_t peak_cpu_memory_bytes;
};

#endif
