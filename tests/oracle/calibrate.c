/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often ab-compare's own engine finds what is not there, and what is.
 *
 * usage: calibrate [EXPERIMENTS [SCENARIO [TABLE [SEED [PAIRS [EFFECTS]]]]]]
 *
 * PAIRS and EFFECTS (in percent) are lists with commas, for chosen cells of a
 * table; 0: those of the table.
 *
 * Sessions are simulated in memory (calibrate_session.h) and go the whole way:
 * arrange, pair, rows, judge.  Tables:
 *
 *	null	both arms equal, for every number of pairs from 3 to 20: the
 *		share of rows with p <= .05 (and, below 6 pairs, equal signs),
 *		on average and in the worst row; the share of sessions with any
 *		loss or win after adjustment; the same of every two sessions
 *		judged together, as points of a sweep, over 12 rows; the share
 *		of intervals of itl which hold the truth
 *	power	a decode that is slower: how often itl is found, by the rule and
 *		by the paired t test alone, and whether its interval holds the
 *		truth
 *	loop	pairs are added up to 20, by each sequential plan: the share of
 *		loops that ever find something, and the pairs they take
 *	family	12 rows of normal d that are correlated: any false row
 *	all	these four
 *
 * A rate near .05 of n sessions has a standard error of sqrt(.0475/n).
 */
#include "base/num.h"
#include "calibrate_session.h"
#include "codec/stat_maxt.h"
#include "engine/compare_data.h"
#include "engine/compare_design.h"
#include "engine/compare_judge.h"
#include "engine/compare_seq.h"

#include <inttypes.h>
#include <stdlib.h>

#define ITL         2 /* row */
#define FAMILY_ROWS 12
#define PURPOSE_FAM 96
#define CELLS_MAX   20
#define NAME_ROOM   48
#define POINTS      2 /* sessions that are judged together */

/* Of each of two points: ttft, ttft p99, itl, gap p99, latency and latency
   p99, which makes 12 rows. */
#define POINT_ROWS 0x5fU

/* One session on its way through the engine. */
struct passage {
	struct tape_compare_set set;
	struct tape_compare_design design;
	struct tape_compare_row rows[TAPE_COMPARE_ROWS];
	struct tape_compare_notes notes;
	struct tape_compare_verdict verdict;
};

static struct tape_compare_opts
options(void)
{
	return (struct tape_compare_opts){ .alpha = ALPHA,
		.margin_ratio = TAPE_ABSENT_F64,
		.seed = 1,
		.brief = true };
}

static void
release(struct passage *p)
{
	tape_compare_notes_release(&p->notes);
	tape_compare_rows_release(p->rows);
	tape_compare_design_release(&p->design);
	tape_compare_set_release(&p->set);
}

/* Simulates a session and brings it to its rows. */
static bool
begin(struct passage *p, struct session *w, uint64_t order)
{
	memset(p, 0, sizeof(*p));
	if (!make_session(w, order, &p->set) ||
	    tape_compare_arrange(&p->set, NULL) != TAPE_OK ||
	    tape_compare_pair_runs(
		&p->set, false, &p->design, &p->notes, NULL) != TAPE_OK)
		return false;
	tape_compare_check_design(&p->set, 0, &p->design, &p->notes);
	tape_compare_check_data(&p->design, &p->notes);
	return tape_compare_rows(&p->design, p->rows, NULL) == TAPE_OK;
}

/* Cells of a table: numbers of pairs, and effects as ratios. */
struct cells {
	uint64_t pairs[CELLS_MAX];
	size_t pair_count;
	double effects[CELLS_MAX];
	size_t effect_count;
};

struct counts {
	uint64_t sessions, refused;
	uint64_t families, any_of_family;
	uint64_t itl_t; /* itl with p <= .05 by the paired t test alone */
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
		if (i == ITL) {
			c->itl_p += may && f->p <= ALPHA;
			c->itl_t += f->p_t <= ALPHA;
		}
	}
}

/* Two sessions as the points of a sweep: one family over the rows of both. */
static bool
judge_points(struct passage p[POINTS], struct counts *c)
{
	struct tape_compare_opts opts = options();
	struct tape_compare_verdict v[POINTS];
	struct tape_compare_notes notes[POINTS] = { { .v = NULL } };
	struct tape_compare_case cases[POINTS];
	size_t any = 0;
	bool fine;

	opts.primary = POINT_ROWS;
	opts.cases = POINTS;
	for (size_t i = 0; i < POINTS; i++)
		cases[i] = (struct tape_compare_case){ &p[i].design, p[i].rows,
			&v[i], &notes[i] };
	fine = tape_compare_judge_all(cases, POINTS, &opts, NULL) == TAPE_OK &&
	       v[0].family == FAMILY_ROWS;
	for (size_t i = 0; i < POINTS; i++) {
		if (fine)
			any += v[i].counts[TAPE_COMPARE_LOSS] +
			       v[i].counts[TAPE_COMPARE_WIN];
		tape_compare_notes_release(&notes[i]);
	}
	c->families++;
	c->any_of_family += any > 0;
	return fine;
}

static bool
experiment(struct passage *p, struct session *w, uint64_t i, uint64_t seed,
    struct counts *c)
{
	struct tape_compare_opts opts = options();

	tape_rng_init(&w->rng, seed, PURPOSE, (uint32_t)i, (uint32_t)w->k);
	if (!begin(p, w, seed + i) ||
	    tape_compare_judge(&p->design, p->rows, &opts, &p->verdict,
		&p->notes, NULL) != TAPE_OK)
		return false;
	c->refused += p->notes.refused;
	count(c, w, &p->verdict);
	return true;
}

/* n, made even. */
static bool
experiments(const struct scenario *s, int k, double effect, uint64_t n,
    uint64_t seed, struct counts *c)
{
	struct session w = { .s = s, .k = k, .slower = log1p(effect) };
	bool fine = true;

	memset(c, 0, sizeof(*c));
	for (uint64_t i = 0; i < n && fine; i += POINTS) {
		struct passage p[POINTS];

		memset(p, 0, sizeof(p));
		for (uint64_t j = 0; j < POINTS && fine; j++)
			fine = experiment(&p[j], &w, i + j, seed, c);
		if (fine && effect <= 0)
			fine = judge_points(p, c);
		for (size_t j = 0; j < POINTS; j++)
			release(&p[j]);
	}
	return fine;
}

static double
rate(uint64_t part, uint64_t of)
{
	return of == 0 ? 0 : (double)part / (double)of;
}

static bool
print_null(
    const struct scenario *s, const struct cells *of, uint64_t n, uint64_t seed)
{
	struct counts c;

	printf(
	    "\n%s, A/A, %" PRIu64 " sessions each\n\n"
	    "| pairs | itl p<=.05 | rows p<=.05, mean | worst row | any loss "
	    "or win | of 12 rows | itl coverage | refused |\n"
	    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
	    s->name, n);
	for (size_t i = 0; i < of->pair_count; i++) {
		int k = (int)of->pairs[i];
		char name[NAME_ROOM] = "none";
		double worst = 0, sum = 0;
		int rows = 0;

		if (!experiments(s, k, 0, n, seed, &c))
			return false;
		for (int r = 0; r < TAPE_COMPARE_ROWS; r++) {
			double x = rate(c.found[r], c.tested[r]);

			rows += c.tested[r] > 0;
			sum += x;
			if (x <= worst)
				continue;
			worst = x;
			(void)tape_compare_row_name(
			    &tape_compare_row_table[r], name, sizeof(name));
		}
		printf("| %d | %.4f | %.4f | %.4f (%s) | %.4f | %.4f | %.4f "
		       "| %" PRIu64 " |\n",
		    k, rate(c.itl_p, c.sessions), sum / rows, worst, name,
		    rate(c.any, c.sessions), rate(c.any_of_family, c.families),
		    rate(c.covered, c.sessions), c.refused);
		(void)fflush(stdout);
	}
	return true;
}

static bool
print_power(
    const struct scenario *s, const struct cells *of, uint64_t n, uint64_t seed)
{
	struct counts c;

	printf("\n%s, decode slower, %" PRIu64 " sessions each\n\n"
	       "| pairs | effect | itl p<=.05 | by t alone | itl LOSS | itl "
	       "coverage |\n"
	       "| ---: | ---: | ---: | ---: | ---: | ---: |\n",
	    s->name, n);
	for (size_t i = 0; i < of->pair_count; i++)
		for (size_t e = 0; e < of->effect_count; e++) {
			int k = (int)of->pairs[i];

			if (!experiments(s, k, of->effects[e], n, seed, &c))
				return false;
			printf("| %d | %g %% | %.4f | %.4f | %.4f | %.4f |\n",
			    k, 100 * of->effects[e], rate(c.itl_p, c.sessions),
			    rate(c.itl_t, c.sessions),
			    rate(c.itl_won, c.sessions),
			    rate(c.covered, c.sessions));
			(void)fflush(stdout);
		}
	return true;
}

/* A sequential plan, and which rows stop it. */
struct loop {
	const char *name;
	struct tape_compare_seq seq;
	uint64_t primary;
};

static const struct loop loops[] = {
	{ "any time, itl", { .plan = TAPE_COMPARE_ANYTIME }, 1 << ITL },
	{ "any time, all rows", { .plan = TAPE_COMPARE_ANYTIME }, 0 },
	{ "obf 5,10,20, itl",
	    { TAPE_COMPARE_PLANNED, { 5, 10, 20 }, 3, TAPE_STAT_OBRIEN_FLEMING,
		0 },
	    1 << ITL },
	{ "pocock 5,10,20, itl",
	    { TAPE_COMPARE_PLANNED, { 5, 10, 20 }, 3, TAPE_STAT_POCOCK, 0 },
	    1 << ITL },
	{ "pocock 8,12,20, itl",
	    { TAPE_COMPARE_PLANNED, { 8, 12, 20 }, 3, TAPE_STAT_POCOCK, 0 },
	    1 << ITL },
};

#define LOOPS (sizeof(loops) / sizeof(loops[0]))

/* The looks of one session until something is found. */
static bool
walk(const struct passage *p, const struct loop *l, uint64_t *found,
    uint64_t *pairs)
{
	struct tape_compare_opts opts = options();
	struct tape_compare_walk w;
	struct tape_compare_look look = { .pairs = 0 };
	enum tape_status st;
	bool stop = false;

	opts.seq = l->seq;
	opts.primary = l->primary;
	st = tape_compare_walk_open(&w, p->rows, p->design.k, &opts, NULL);
	while (st == TAPE_OK && !stop) {
		st = tape_compare_walk_next(&w, &look, NULL);
		for (int i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++)
			stop |= w.found[i];
	}
	*found += stop;
	*pairs += look.pairs;
	return st == TAPE_OK || st == TAPE_EOF;
}

static bool
print_loops(
    const struct scenario *s, const struct cells *of, uint64_t n, uint64_t seed)
{
	printf("\n%s, pairs added up to %d, %" PRIu64 " loops each\n\n"
	       "| plan | effect | found | mean pairs |\n"
	       "| :--- | ---: | ---: | ---: |\n",
	    s->name, PAIRS_MOST, n);
	for (size_t e = 0; e < of->effect_count; e++) {
		struct session w = {
			.s = s, .k = PAIRS_MOST, .slower = log1p(of->effects[e])
		};
		uint64_t found[LOOPS] = { 0 }, pairs[LOOPS] = { 0 };
		bool fine = true;

		for (uint64_t i = 0; i < n && fine; i++) {
			struct passage p;

			tape_rng_init(
			    &w.rng, seed + 1, PURPOSE, (uint32_t)i, PAIRS_MOST);
			fine = begin(&p, &w, seed + i);
			for (size_t l = 0; l < LOOPS && fine; l++)
				fine =
				    walk(&p, &loops[l], &found[l], &pairs[l]);
			release(&p);
		}
		for (size_t l = 0; l < LOOPS && fine; l++)
			printf("| %s | %g %% | %.4f | %.1f |\n", loops[l].name,
			    100 * of->effects[e], rate(found[l], n),
			    rate(pairs[l], n));
		(void)fflush(stdout);
		if (!fine)
			return false;
	}
	return true;
}

/* Any of 12 null rows found by max-T, their d having that correlation. */
static bool
family_rate(int k, double rho, uint64_t n, uint64_t seed, double *out)
{
	double d[FAMILY_ROWS * PAIRS_MOST], p[FAMILY_ROWS];
	uint64_t any = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct tape_rng rng;
		bool found = false;

		tape_rng_init(
		    &rng, seed, PURPOSE_FAM, (uint32_t)i, (uint32_t)k);
		for (int b = 0; b < k; b++) {
			double shared = tape_rng_normal(&rng, 0, sqrt(rho));

			for (int r = 0; r < FAMILY_ROWS; r++)
				d[r * k + b] = shared + tape_rng_normal(&rng, 0,
							    sqrt(1 - rho));
		}
		if (tape_stat_maxt(d, FAMILY_ROWS, (size_t)k, NULL, p, NULL) !=
		    TAPE_OK)
			return false;
		for (int r = 0; r < FAMILY_ROWS; r++)
			found |= p[r] <= ALPHA;
		any += found;
	}
	*out = rate(any, n);
	return true;
}

static bool
print_family(const struct cells *of, uint64_t n, uint64_t seed)
{
	static const double rho[] = { 0, .5, .9 };

	printf("\n%d null rows, any found, %" PRIu64 " families each\n\n"
	       "| pairs | correlation 0 | .5 | .9 |\n"
	       "| ---: | ---: | ---: | ---: |\n",
	    FAMILY_ROWS, n);
	for (size_t i = 0; i < of->pair_count; i++) {
		int k = (int)of->pairs[i];
		double x[3];

		for (size_t r = 0; r < 3; r++)
			if (!family_rate(k, rho[r], n, seed, &x[r]))
				return false;
		printf("| %d | %.4f | %.4f | %.4f |\n", k, x[0], x[1], x[2]);
		(void)fflush(stdout);
	}
	return true;
}

/* The cells of each table, unless others are asked for. */
static const struct table {
	const char *name;
	struct cells cells;
} tables[] = {
	{ "null", { { 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
			19, 20 },
		      18, { 0 }, 0 } },
	{ "power", { { 5, 8, 10, 20 }, 4, { .01, .03, .05 }, 3 } },
	{ "loop", { { 0 }, 0, { 0, .01, .03, .05 }, 4 } },
	{ "family", { { 6, 8, 10, 14, 20 }, 5, { 0 }, 0 } },
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

static bool
print_table(const struct table *t, const struct cells *asked,
    const struct scenario *s, uint64_t n, uint64_t seed)
{
	struct cells of = t->cells;

	if (asked->pair_count > 0) {
		memcpy(of.pairs, asked->pairs, sizeof(of.pairs));
		of.pair_count = asked->pair_count;
	}
	if (asked->effect_count > 0) {
		memcpy(of.effects, asked->effects, sizeof(of.effects));
		of.effect_count = asked->effect_count;
	}
	if (strcmp(t->name, "null") == 0)
		return print_null(s, &of, n, seed);
	if (strcmp(t->name, "power") == 0)
		return print_power(s, &of, n, seed);
	if (strcmp(t->name, "loop") == 0)
		return print_loops(s, &of, n, seed);
	return print_family(&of, n, seed);
}

/* Numbers of a list, as 3,11, into v; their count, 0 when it is no list. */
static size_t
parse_list(const char *text, uint64_t least, uint64_t most, uint64_t *v)
{
	size_t n = 0;

	do {
		size_t len = strcspn(text, ",");
		char word[8] = "";

		if (len >= sizeof(word) || n == CELLS_MAX)
			return 0;
		memcpy(word, text, len);
		if (tape_num_u64(word, least, most, &v[n++], NULL) != TAPE_OK)
			return 0;
		text += len;
	} while (*text++ == ',');
	return n;
}

static bool
parse_pairs(const char *text, struct cells *to)
{
	if (strcmp(text, "0") == 0)
		return true;
	to->pair_count = parse_list(text, 3, PAIRS_MOST, to->pairs);
	return to->pair_count > 0;
}

static bool
parse_effects(const char *text, struct cells *to)
{
	uint64_t percent[CELLS_MAX];

	to->effect_count = parse_list(text, 0, 100, percent);
	for (size_t i = 0; i < to->effect_count; i++)
		to->effects[i] = (double)percent[i] / 100;
	return to->effect_count > 0;
}

/* What was asked for. */
struct asked {
	uint64_t n, seed;
	const struct scenario *scenario;
	const char *table; /* or all */
	struct cells cells;
};

static bool
parse(int argc, char **argv, struct asked *to)
{
	const char *name = argc > 2 ? argv[2] : "real";
	bool known;

	if (argc > 3)
		to->table = argv[3];
	known = strcmp(to->table, "all") == 0;
	for (size_t i = 0; i < TABLES; i++)
		known |= strcmp(tables[i].name, to->table) == 0;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (strcmp(scenarios[i].name, name) == 0)
			to->scenario = &scenarios[i];
	return known && to->scenario != NULL && argc <= 7 &&
	       (argc < 2 || tape_num_u64(argv[1], 1, 1000000, &to->n, NULL) ==
				TAPE_OK) &&
	       (argc < 5 || tape_num_u64(argv[4], 0, 1000000000, &to->seed,
				NULL) == TAPE_OK) &&
	       (argc < 6 || parse_pairs(argv[5], &to->cells)) &&
	       (argc < 7 || parse_effects(argv[6], &to->cells));
}

int
main(int argc, char **argv)
{
	struct asked a = { .n = 2000, .seed = 1, .table = "all" };

	if (!parse(argc, argv, &a)) {
		(void)fputs("usage: calibrate [EXPERIMENTS [iid|mild|real|"
			    "harsh|drift [null|power|loop|family|all "
			    "[SEED [PAIRS,... [PERCENT,...]]]]]]\n",
		    stderr);
		return 2;
	}
	for (int j = 0; j < PROMPTS; j++)
		(void)snprintf(ids[j], sizeof(ids[j]), "p%02d", j);
	for (size_t i = 0; i < TABLES; i++) {
		if (strcmp(a.table, "all") != 0 &&
		    strcmp(a.table, tables[i].name) != 0)
			continue;
		if (!print_table(
			&tables[i], &a.cells, a.scenario, a.n, a.seed)) {
			(void)fputs(
			    "calibrate: an experiment failed\n", stderr);
			return 4;
		}
	}
	return 0;
}
