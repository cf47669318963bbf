/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole comparisons against R, by way of metrics streams.
 *
 * ab_golden_*.csv has k pairs of runs with two phases, three metrics and n
 * prompts.  Each phase makes a session: its rows of means, and, where no
 * prompt matches, of medians, are R's to the digit; R trimmed 20 %, so the
 * rows of matched prompts are held to a plain trimmed mean made here.
 *
 * The d of R's six trimmed rows then make one session of their own, in which
 * each is the d of another row of ours: tests, intervals and adjusted p are
 * R's.
 */
#include "base/num.h"
#include "unit/compare_make.h"
#include "unit/stat_oracle.h"

enum { PAIRS = 8, PROMPTS = 12, PHASES = 2, METRICS = 3 };

static const char *const phases[PHASES] = { "prefill", "decode" };
static const char *const metrics[METRICS] = { "ttft_ms", "itl_ms", "e2e_ms" };

struct golden {
	size_t k, prompts;
	bool b_first[PAIRS];
	double ms[PHASES][PAIRS][2][PROMPTS][METRICS];
};

static int
find(const char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

/* pair,order,arm,phase,prompt,metric,value; false for anything else. */
static bool
add_line(struct golden *g, char *line)
{
	char *field[7];
	uint64_t pair, order, prompt;
	double value;
	int phase, metric;
	size_t n = 0;

	for (char *p = line; p != NULL && n < 7; n++) {
		field[n] = p;
		p = strchr(p, ',');
		if (p != NULL)
			*p++ = '\0';
	}
	if (n != 7 ||
	    tape_num_u64(field[0], 1, PAIRS, &pair, NULL) != TAPE_OK ||
	    tape_num_u64(field[1], 1, 2, &order, NULL) != TAPE_OK ||
	    tape_num_u64(field[4], 1, PROMPTS, &prompt, NULL) != TAPE_OK ||
	    tape_num_double(field[6], 0, 1e9, &value, NULL) != TAPE_OK)
		return false;
	phase = find(phases, PHASES, field[3]);
	metric = find(metrics, METRICS, field[5]);
	if (phase < 0 || metric < 0)
		return false;
	g->ms[phase][pair - 1][field[2][0] == 'B'][prompt - 1][metric] = value;
	g->b_first[pair - 1] = (field[2][0] == 'B') == (order == 1);
	g->k = pair > g->k ? pair : g->k;
	g->prompts = prompt > g->prompts ? prompt : g->prompts;
	return true;
}

static size_t
read_golden(struct golden *g, const char *name)
{
	char *text = oracle_read(name);
	size_t lines = 0;

	memset(g, 0, sizeof(*g));
	for (char *p = text, *next; p != NULL; p = next) {
		next = strchr(p, '\n');
		if (next != NULL)
			*next++ = '\0';
		lines += add_line(g, p);
	}
	free(text);
	return lines;
}

/* A session of the requests of one phase.  apart: no id occurs in both. */
static void
make_phase(const struct golden *g, int phase, bool apart, struct make *m)
{
	make_init(m);
	make_begin(m, "r", "[]");
	for (size_t i = 0; i < 2 * g->k; i++) {
		size_t pair = i / 2;
		bool b = (i % 2 == 1) != g->b_first[pair];
		struct tape_run r = make_run_of(
		    (int64_t)i + 1, b ? "B" : "A", (int64_t)pair + 1);

		make_run(m, &r, (int64_t)i * 2000, (int64_t)i * 2000 + 1000);
		for (size_t j = 0; j < g->prompts; j++) {
			const double *ms = g->ms[phase][pair][b][j];
			struct tape_result q;
			char id[24];

			(void)snprintf(
			    id, sizeof(id), "%s%zu", apart && b ? "b" : "p", j);
			q = make_result_of(r.run, id);
			q.ttft_ns = (int64_t)llround(ms[0] * 1e6);
			q.tpot_ns = ms[1] * 1e6;
			q.latency_ns = (int64_t)llround(ms[2] * 1e6);
			make_put(m, TAPE_KIND_RESULT, &q);
		}
	}
	make_end(m);
	make_done(m);
}

static double
number(const cJSON *j, const char *key)
{
	return oracle_number(oracle_get(j, key));
}

/* The figures that every row of R has; d absolutely, being logs of ratios. */
static void
check_row(struct oracle *o, const struct outcome *got, int row,
    const cJSON *want, const char *what)
{
	const struct tape_compare_figures *f = &got->verdict.rows[row].f;
	double d[PAIRS] = { 0 };

	is_int(oracle_array(oracle_get(want, "d"), d, PAIRS), got->design.k,
	    "%s has its pairs", what);
	for (size_t i = 0; i < got->design.k; i++)
		oracle_value(o, what, 1 + got->rows[row].d[i], 1 + d[i], 1e-12);
	oracle_value(o, what, f->ratio, number(want, "ratio"), 1e-10);
	oracle_value(o, what, f->ci.lo, number(want, "lo"), 1e-10);
	oracle_value(o, what, f->ci.hi, number(want, "hi"), 1e-10);
	oracle_value(o, what, f->p_t, number(want, "p"), 1e-10);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The mean without floor(0.1 n) at each end, done plainly. */
static double
trimmed(const struct golden *g, int phase, size_t pair, int metric)
{
	double v[PROMPTS], sum = 0;
	size_t cut = g->prompts / 10;

	for (size_t j = 0; j < g->prompts; j++)
		v[j] = log(g->ms[phase][pair][1][j][metric] /
			   g->ms[phase][pair][0][j][metric]);
	qsort(v, g->prompts, sizeof(*v), by_value);
	for (size_t j = cut; j < g->prompts - cut; j++)
		sum += v[j];
	return sum / (double)(g->prompts - 2 * cut);
}

static void
check_phase(struct oracle *o, const struct golden *g, int phase, bool apart)
{
	static const int matched[METRICS] = { TTFT, ITL, LATENCY };
	const cJSON *rows = oracle_get(oracle_get(o->root, "expected"), "rows");
	struct outcome got;
	struct make m;

	make_phase(g, phase, apart, &m);
	outcome_init(&got, 0.02);
	outcome_load(&got, &m.buf, TAPE_COMPARE_ANY_ARM);
	outcome_judge(&got, false, 0);
	tape_buf_release(&m.buf);
	is_int(got.st, TAPE_OK, "compared %s", got.err.text);
	for (int i = 0; i < METRICS; i++) {
		char name[32];
		const cJSON *row;

		(void)snprintf(
		    name, sizeof(name), "%s/%s", phases[phase], metrics[i]);
		row = oracle_get(rows, name);
		if (apart)
			check_row(o, &got, matched[i],
			    oracle_get(row, "ratio_of_medians"), name);
		for (size_t b = 0; b < g->k && !apart; b++)
			oracle_value(o, name, 1 + got.rows[matched[i]].d[b],
			    1 + trimmed(g, phase, b, i), 1e-12);
		if (i == METRICS - 1)
			check_row(o, &got, LATENCY_MEAN,
			    oracle_get(row, "ratio_of_means"), name);
	}
	outcome_release(&got);
}

/* Our rows that carry R's six, in R's order. */
static const int carriers[PHASES * METRICS] = { TTFT, ITL, GAP, LATENCY, OUTPUT,
	TTFT_P99 };

/*
 * A run in which each carrier has its value: 101 requests alike but for two
 * with a long ttft, which a trimmed mean leaves out, and which p99 is.
 */
static void
put_carriers(struct make *m, int64_t run, const double log_value[6])
{
	const double scale = 1e14; /* so that whole ns are fine enough */

	for (int j = 0; j < 101; j++) {
		double ttft = j < 2 ? 9 * exp(log_value[5]) : exp(log_value[0]);
		struct tape_result q;
		char id[16];

		(void)snprintf(id, sizeof(id), "%d", j);
		q = make_result_of(run, id);
		q.ttft_ns = (int64_t)llround(scale * ttft);
		q.tpot_ns = 1e6 * exp(log_value[1]);
		q.latency_ns = (int64_t)llround(10 * scale * exp(log_value[3]));
		make_put(m, TAPE_KIND_RESULT, &q);
	}
	make_summaries(m, run, 1e7 * exp(log_value[2]), exp(log_value[4]));
}

static void
make_family(double d[6][PAIRS], size_t k, struct make *m)
{
	make_init(m);
	make_begin(m, "r", "[]");
	for (size_t i = 0; i < 2 * k; i++) {
		size_t pair = i / 2;
		bool b = (i % 2 == 1) != (pair % 2 == 1);
		struct tape_run r = make_run_of(
		    (int64_t)i + 1, b ? "B" : "A", (int64_t)pair + 1);
		double v[6];

		for (int j = 0; j < 6; j++)
			v[j] = 0.1 * (double)pair + (b ? d[j][pair] : 0);
		make_run(m, &r, (int64_t)i * 2000, (int64_t)i * 2000 + 1000);
		put_carriers(m, r.run, v);
	}
	make_end(m);
	make_done(m);
}

/* Holm (1979), done plainly. */
static double
holm(const double *p, int m, int at)
{
	double most = 0;

	for (int j = 0; j < m; j++) {
		int less = 0;

		for (int i = 0; i < m; i++)
			less += p[i] < p[j];
		if (p[j] <= p[at])
			most = fmax(most, (m - less) * p[j]);
	}
	return fmin(most, 1);
}

static void
check_adjusted(struct oracle *o, const struct outcome *got, const cJSON *max_t)
{
	double p[GOOD];

	for (int i = 0; i < GOOD; i++)
		p[i] = got->verdict.rows[i].f.p;
	for (int i = 0; i < PHASES * METRICS; i++) {
		int row = carriers[i];
		char name[32];

		(void)snprintf(name, sizeof(name), "%s/%s", phases[i / METRICS],
		    metrics[i % METRICS]);
		if (got->design.k >= TAPE_COMPARE_PAIRS_FLIP)
			oracle_value(o, "max-T",
			    got->verdict.rows[row].p_adjusted,
			    number(max_t, name), 1e-10);
		else
			oracle_value(o, "Holm",
			    got->verdict.rows[row].p_adjusted,
			    holm(p, GOOD, row), 1e-12);
	}
}

/* All rows of ours but failed, which is 0 in both arms, carry one of R's; and
   a row twice, or one of zeros, changes nothing in max-T. */
static void
check_family(struct oracle *o, size_t k)
{
	const cJSON *want = oracle_get(o->root, "expected");
	double d[6][PAIRS] = { { 0 } };
	struct outcome got;
	struct make m;

	for (int i = 0; i < PHASES * METRICS; i++) {
		const cJSON *row =
		    cJSON_GetArrayItem(oracle_get(want, "rows"), i);

		(void)oracle_array(
		    oracle_get(oracle_get(row, "matched_trim20"), "d"), d[i],
		    PAIRS);
	}
	make_family(d, k, &m);
	outcome_init(&got, 0.02);
	outcome_load(&got, &m.buf, TAPE_COMPARE_ANY_ARM);
	outcome_judge(&got, false, 0);
	tape_buf_release(&m.buf);
	is_int(got.st, TAPE_OK, "compared %s", got.err.text);
	is_int(got.verdict.family, GOOD, "all rows but good are tested");
	for (int i = 0; i < PHASES * METRICS; i++) {
		const cJSON *row =
		    cJSON_GetArrayItem(oracle_get(want, "rows"), i);
		const cJSON *trim = oracle_get(row, "matched_trim20");
		const struct tape_compare_figures *f =
		    &got.verdict.rows[carriers[i]].f;

		check_row(o, &got, carriers[i], trim, row->string);
		oracle_value(o, "HL", f->hl_ratio, number(row, "hl"), 1e-10);
		if (k >= TAPE_COMPARE_PAIRS_FLIP)
			oracle_value(
			    o, "flip", f->p, number(trim, "p_flip"), 1e-10);
		else
			oracle_value(o, "t", f->p, number(trim, "p"), 1e-10);
	}
	check_adjusted(o, &got, oracle_get(want, "maxT_stepdown"));
	outcome_release(&got);
}

static void
test_golden(const char *csv, const char *json, size_t lines, size_t expected)
{
	static struct golden g;
	struct oracle o;

	is_int(read_golden(&g, csv), lines, "%s", csv);
	(void)oracle_open(&o, json);
	for (int phase = 0; phase < PHASES; phase++) {
		check_phase(&o, &g, phase, false);
		check_phase(&o, &g, phase, true);
	}
	check_family(&o, g.k);
	oracle_close(&o, expected);
}

int
main(void)
{
	test_golden("ab_golden_k8.csv", "ab_golden_k8.json", 1152, 258);
	test_golden("ab_golden_k3.csv", "ab_golden_k3.json", 360, 148);
	return done_testing();
}
