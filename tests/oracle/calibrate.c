/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often ab-compare's own engine finds what is not there, and what is.
 *
 * usage: calibrate [EXPERIMENTS [SCENARIO [SEED]]]
 *
 * Sessions are simulated request by request, in memory, and go the whole way:
 * arrange, pair, rows, judge.  A request's log time is
 *
 *	prompt + linear drift + slow drift (AR(1) 0.9) + run + AR(1) within
 *	the run + noise + now and then a stall
 *
 * with 50 prompts a run, the same in all: sd 0.4, a third of them 3 times as
 * long.  Prefill and decode share half of the variance of a run.  The order is
 * trace-replay's: balanced, begun by lot.
 *
 * For every number of pairs: the share of rows with p <= .05 (and, below 6
 * pairs, equal signs), on average and in the worst row; the share of sessions
 * with any loss or win after adjustment; that of intervals of itl which hold
 * the truth.  Then the same with a decode that is slower: how often itl is
 * found.  A rate near .05 of n sessions has a standard error of sqrt(.0475/n).
 */
#include "base/mem.h"
#include "base/num.h"
#include "codec/stat_rng.h"
#include "engine/compare_arrange.h"
#include "engine/compare_data.h"
#include "engine/compare_design.h"
#include "engine/compare_judge.h"
#include "engine/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PROMPTS     50
#define PAIRS_MOST  20
#define ALPHA       0.05
#define ITL         2 /* row */
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

static double
draw(struct session *w, double sd)
{
	return tape_rng_normal(&w->rng, 0, sd);
}

/* AR(1) with that stationary sd. */
static double
step(struct session *w, double state, double phi, double sd)
{
	return phi * state + draw(w, sd * sqrt(1 - phi * phi));
}

static struct run_noise
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

static double
stall(struct session *w)
{
	if (tape_rng_double(&w->rng) >= w->s->stalls)
		return 0;
	return tape_rng_exponential(&w->rng, 0.5);
}

static void
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
	run->gap_p99_ns = 2e7 * exp(n.decode + draw(w, 0.03));
	run->output_tokens_per_s = 61e9 * 4 * (double)run->n / total;
}

static bool
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

struct counts {
	uint64_t sessions, refused;
	uint64_t tested[TAPE_COMPARE_ROWS], found[TAPE_COMPARE_ROWS];
	uint64_t any;     /* a loss or a win after adjustment */
	uint64_t itl_won; /* itl a loss */
	uint64_t itl_p;   /* itl with p <= .05 */
	uint64_t covered; /* the truth of itl */
};

static void
count(struct counts *c, const struct session *w,
    const struct tape_compare_verdict *v)
{
	const struct tape_compare_figures *itl = &v->rows[ITL].f;
	double truth = exp(w->slower);

	c->sessions++;
	c->any +=
	    v->counts[TAPE_COMPARE_LOSS] + v->counts[TAPE_COMPARE_WIN] > 0;
	c->itl_won += v->rows[ITL].status == TAPE_COMPARE_LOSS;
	c->covered += itl->ci.lo <= truth && itl->ci.hi >= truth;
	for (int i = 0; i < TAPE_COMPARE_ROWS; i++) {
		const struct tape_compare_figures *f = &v->rows[i].f;
		bool may = w->k >= TAPE_COMPARE_PAIRS_FLIP || f->signs_agree;

		if (isnan(f->p))
			continue;
		c->tested[i]++;
		c->found[i] += may && f->p <= ALPHA;
		if (i == ITL)
			c->itl_p += may && f->p <= ALPHA;
	}
}

static bool
experiment(struct session *w, uint64_t order, struct counts *c)
{
	struct tape_compare_opts opts = { ALPHA, TAPE_ABSENT_F64, 1 };
	struct tape_compare_row rows[TAPE_COMPARE_ROWS] = { { .def = NULL } };
	struct tape_compare_design design = { .pairs = NULL };
	struct tape_compare_notes notes = { .v = NULL };
	struct tape_compare_verdict v;
	struct tape_compare_set set;
	bool fine = make_session(w, order, &set);

	fine = fine && tape_compare_arrange(&set, NULL) == TAPE_OK &&
	       tape_compare_pair_runs(&set, false, &design, &notes, NULL) ==
		   TAPE_OK;
	if (fine) {
		tape_compare_check_design(&set, 0, &design, &notes);
		tape_compare_check_data(&design, &notes);
	}
	fine = fine && tape_compare_rows(&design, rows, NULL) == TAPE_OK &&
	       tape_compare_judge(&design, rows, &opts, &v, &notes, NULL) ==
		   TAPE_OK;
	if (fine) {
		c->refused += notes.refused;
		count(c, w, &v);
	}
	tape_compare_notes_release(&notes);
	tape_compare_rows_release(rows);
	tape_compare_design_release(&design);
	tape_compare_set_release(&set);
	return fine;
}

static bool
experiments(const struct scenario *s, int k, double effect, uint64_t n,
    uint64_t seed, struct counts *c)
{
	struct session w = { .s = s, .k = k, .slower = log1p(effect) };

	memset(c, 0, sizeof(*c));
	for (uint64_t i = 0; i < n; i++) {
		tape_rng_init(&w.rng, seed, PURPOSE, (uint32_t)i, (uint32_t)k);
		if (!experiment(&w, seed + i, c))
			return false;
	}
	return true;
}

static double
rate(uint64_t part, uint64_t of)
{
	return of == 0 ? 0 : (double)part / (double)of;
}

static bool
print_null(const struct scenario *s, uint64_t n, uint64_t seed)
{
	static const int pairs[] = { 3, 5, 6, 8, 10, PAIRS_MOST };
	struct counts c;

	printf(
	    "\n%s, A/A, %" PRIu64 " sessions each\n\n"
	    "| pairs | itl p<=.05 | rows p<=.05, mean | worst row | any loss "
	    "or win | itl coverage | refused |\n"
	    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
	    s->name, n);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		double worst = 0, sum = 0;

		if (!experiments(s, pairs[i], 0, n, seed, &c))
			return false;
		for (int r = 0; r < TAPE_COMPARE_ROWS; r++) {
			double x = rate(c.found[r], c.tested[r]);

			sum += x;
			worst = fmax(worst, x);
		}
		printf("| %d | %.4f | %.4f | %.4f | %.4f | %.4f | %" PRIu64
		       " |\n",
		    pairs[i], rate(c.itl_p, c.sessions),
		    sum / TAPE_COMPARE_ROWS, worst, rate(c.any, c.sessions),
		    rate(c.covered, c.sessions), c.refused);
		(void)fflush(stdout);
	}
	return true;
}

static bool
print_power(const struct scenario *s, uint64_t n, uint64_t seed)
{
	static const double effects[] = { .03, .05 };
	static const int pairs[] = { 8 };
	struct counts c;

	printf("\n%s, decode slower, %" PRIu64 " sessions each\n\n"
	       "| pairs | effect | itl p<=.05 | itl LOSS | itl coverage |\n"
	       "| ---: | ---: | ---: | ---: | ---: |\n",
	    s->name, n);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (size_t e = 0; e < sizeof(effects) / sizeof(effects[0]);
		     e++) {
			if (!experiments(s, pairs[i], effects[e], n, seed, &c))
				return false;
			printf("| %d | %g %% | %.4f | %.4f | %.4f |\n",
			    pairs[i], 100 * effects[e],
			    rate(c.itl_p, c.sessions),
			    rate(c.itl_won, c.sessions),
			    rate(c.covered, c.sessions));
			(void)fflush(stdout);
		}
	return true;
}

int
main(int argc, char **argv)
{
	const size_t count_of = sizeof(scenarios) / sizeof(scenarios[0]);
	const char *name = argc > 2 ? argv[2] : "real";
	uint64_t n = 2000, seed = 1;
	size_t at = 0;

	while (at < count_of && strcmp(scenarios[at].name, name) != 0)
		at++;
	if (at == count_of || argc > 4 ||
	    (argc > 1 &&
		tape_num_u64(argv[1], 1, 1000000, &n, NULL) != TAPE_OK) ||
	    (argc > 3 &&
		tape_num_u64(argv[3], 0, 1000000000, &seed, NULL) != TAPE_OK)) {
		(void)fputs("usage: calibrate [EXPERIMENTS [iid|mild|real|"
			    "harsh|drift [SEED]]]\n",
		    stderr);
		return 2;
	}
	for (int j = 0; j < PROMPTS; j++)
		(void)snprintf(ids[j], sizeof(ids[j]), "p%02d", j);
	if (!print_null(&scenarios[at], n, seed) ||
	    !print_power(&scenarios[at], n, seed)) {
		(void)fputs("calibrate: an experiment failed\n", stderr);
		return 4;
	}
	return 0;
}
