/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibrate_session: whole A/B sessions, simulated request by request.
 *
 * A request's log time is
 *
 *	prompt + linear drift + slow drift (AR(1) 0.9) + run + AR(1) within
 *	the run + noise + now and then a stall
 *
 * with 50 prompts a run, the same in all: sd 0.4, a third of them 3 times as
 * long.  Prefill and decode share half of the variance of a run.  The order is
 * trace-replay's: balanced, begun by lot.
 */
#ifndef TAPE_ORACLE_CALIBRATE_SESSION_H
#define TAPE_ORACLE_CALIBRATE_SESSION_H

#include "base/mem.h"
#include "codec/stat_rng.h"
#include "engine/compare_arrange.h"
#include "engine/plan.h"

#include <stdio.h>

#define PROMPTS     50
#define PAIRS_MOST  20
#define ALPHA       0.05
#define RUN_NS      INT64_C(15000000000)
#define TURN_NS     INT64_C(20000000000) /* from run to run */
#define PURPOSE     95                   /* of the random numbers here */
#define FAILED_RATE 0.005

struct scenario {
	const char *name;
	double run_sd, slow_sd, linear, within_phi, within_sd;
	double odd_runs; /* share of runs that are 16 % slower */
	double stalls;   /* share of requests */
};

static const struct scenario scenarios[] = {
	{ "iid", 0, 0, 0, 0, 0, 0, .03 },
	{ "mild", .005, .005, .01, .7, .04, 0, .03 },
	{ "real", .02, .015, .03, .7, .04, 0, .03 },
	{ "harsh", .03, .03, .10, .9, .08, .10, .05 },
	{ "drift", .003, .002, .06, .7, .02, 0, .03 },
};

/* What a run shares with its requests. */
struct run_noise {
	double prefill, decode;
};

struct session {
	const struct scenario *s;
	struct tape_rng rng;
	int k;
	double slower; /* log factor of B's decode */
	double prompt[PROMPTS];
	double slow; /* state of the slow drift */
};

static char ids[PROMPTS][8];

static inline double
draw(struct session *w, double sd)
{
	return tape_rng_normal(&w->rng, 0, sd);
}

/* AR(1) with that stationary sd. */
static inline double
step(struct session *w, double state, double phi, double sd)
{
	return phi * state + draw(w, sd * sqrt(1 - phi * phi));
}

static inline struct run_noise
draw_run(struct session *w, int at)
{
	const struct scenario *s = w->s;
	double half = sqrt(0.5), shared = draw(w, s->run_sd * half);
	double both;
	struct run_noise n;

	w->slow = step(w, w->slow, 0.9, s->slow_sd);
	both = w->slow + s->linear * at / (2.0 * w->k) + shared;
	if (tape_rng_double(&w->rng) < s->odd_runs)
		both += log(1.16);
	n.prefill = both + draw(w, s->run_sd * half);
	n.decode = both + draw(w, s->run_sd * half);
	return n;
}

static inline double
stall(struct session *w)
{
	if (tape_rng_double(&w->rng) >= w->s->stalls)
		return 0;
	return tape_rng_exponential(&w->rng, 0.5);
}

static inline void
fill_run(struct session *w, struct tape_compare_run *run, bool b, int at)
{
	const struct scenario *s = w->s;
	struct run_noise n = draw_run(w, at);
	double ar[2] = { draw(w, s->within_sd), draw(w, s->within_sd) };
	double total = 0;

	if (b)
		n.decode += w->slower;
	for (int j = 0; j < PROMPTS; j++) {
		struct tape_compare_request *q =
		    &run->requests[run->request_count];
		double ttft, tpot;

		ar[0] = step(w, ar[0], s->within_phi, s->within_sd);
		ar[1] = step(w, ar[1], s->within_phi, s->within_sd);
		ttft = log(1e8) + w->prompt[j] + n.prefill + ar[0] +
		       draw(w, 0.05) + stall(w);
		tpot = log(1e7) + n.decode + ar[1] + draw(w, 0.05) + stall(w);
		if (tape_rng_double(&w->rng) < FAILED_RATE) {
			run->failed++;
			continue;
		}
		q->id = tape_str_of(ids[j]);
		q->log_value[TAPE_COMPARE_TTFT] = ttft;
		q->log_value[TAPE_COMPARE_TPOT] = tpot;
		q->log_value[TAPE_COMPARE_LATENCY] =
		    log(exp(ttft) + 60 * exp(tpot));
		q->output_tokens = 61;
		total += exp(q->log_value[TAPE_COMPARE_LATENCY]);
		run->request_count++;
	}
	run->n = (int64_t)run->request_count;
	run->good_ratio = TAPE_ABSENT_F64;
	run->gap_p99_ns = 2e7 * exp(n.decode + draw(w, 0.03));
	run->output_tokens_per_s = 61e9 * 4 * (double)run->n / total;
}

static inline bool
make_session(struct session *w, uint64_t order, struct tape_compare_set *set)
{
	struct tape_plan plan = { TAPE_PLAN_BALANCED, order, 2, (size_t)w->k };

	memset(set, 0, sizeof(*set));
	set->named = true;
	set->arm_name[TAPE_COMPARE_A] = tape_str_of("A");
	set->arm_name[TAPE_COMPARE_B] = tape_str_of("B");
	set->runs = tape_mem_calloc(2 * (size_t)w->k, sizeof(*set->runs));
	if (set->runs == NULL)
		return false;
	set->run_count = 2 * (size_t)w->k;
	w->slow = draw(w, w->s->slow_sd);
	for (int j = 0; j < PROMPTS; j++)
		w->prompt[j] = draw(w, 0.4) +
			       (tape_rng_double(&w->rng) < 0.3 ? log(3) : 0);
	for (int i = 0; i < 2 * w->k; i++) {
		struct tape_compare_run *r = &set->runs[i];
		size_t arm[TAPE_PLAN_ARMS];

		tape_plan_round(&plan, (size_t)i / 2, arm);
		r->arm = arm[i % 2];
		r->round = i / 2 + 1;
		r->position = i % 2 + 1;
		r->start_ns = i * TURN_NS;
		r->end_ns = r->start_ns + RUN_NS;
		r->ending = TAPE_COMPARE_ENDED;
		r->requests = tape_mem_calloc(PROMPTS, sizeof(*r->requests));
		if (r->requests == NULL)
			return false;
		fill_run(w, r, r->arm == TAPE_COMPARE_B, i);
	}
	return true;
}

#endif
