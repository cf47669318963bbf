/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_steady.h"

#include "base/mem.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 256 };

static void
test_oracle(void)
{
	double x[ROOM], got[2];
	struct oracle o;
	const cJSON *c;
	struct tape_stat_mser m;
	struct tape_stat_batch b;

	for (c = oracle_open(&o, "mser5_batch_means.json"); c != NULL;
	     c = c->next) {
		const cJSON *e = oracle_get(c, "expected");
		const size_t n = oracle_inputs(c, "x", x, ROOM);
		size_t half;

		if (tape_stat_mser5(x, n, &m, NULL) != TAPE_OK ||
		    tape_stat_batch_means(
			x + m.cut, n - m.cut, 10, 0.95, &b, NULL) != TAPE_OK)
			continue;
		oracle_near(&o, c, "mser5_batches", (double)m.batches, 0);
		oracle_near(&o, c, "mser5_truncate_obs", (double)m.cut, 0);
		oracle_near(&o, c, "mser5_value", m.value, 1e-12);
		half = m.batches / 2;
		oracle_value(&o, "steady", m.steady,
		    oracle_number(oracle_get(e, "mser5_d_batches")) <
			(double)half,
		    0);
		oracle_near(&o, c, "batch_len", (double)b.length, 0);
		oracle_near(&o, c, "bm_mean", b.mean, 1e-12);
		oracle_near(&o, c, "bm_se", b.se, 1e-12);
		got[0] = b.ci.lo;
		got[1] = b.ci.hi;
		oracle_nears(&o, c, "bm_ci95", got, 2, 1e-12);
	}
	oracle_close(&o, 27);
}

static void
test_edges(void)
{
	double x[ROOM];
	struct tape_stat_mser m = { 0 };
	struct tape_stat_batch b = { 0 };

	for (int i = 0; i < ROOM; i++)
		x[i] = 3;
	is_int(tape_stat_mser5(x, ROOM, &m, NULL), TAPE_OK, "level series");
	ok(m.cut == 0 && m.steady && m.value == 0, "nothing to cut");
	for (int i = 0; i < ROOM; i++)
		x[i] = i;
	is_int(tape_stat_mser5(x, ROOM, &m, NULL), TAPE_OK, "a ramp");
	ok(!m.steady, "is never steady");
	is_int(tape_stat_mser5(x, 49, &m, NULL), TAPE_E_DATA, "too few");
	is_int(tape_stat_batch_means(x, 9, 10, 0.95, &b, NULL), TAPE_E_USAGE,
	    "more batches than values");
	is_int(tape_stat_batch_means(x, 9, 1, 0.95, &b, NULL), TAPE_E_USAGE,
	    "one batch");
	is_int(tape_stat_batch_means(x, 9, 3, 2, &b, NULL), TAPE_E_USAGE,
	    "level 2");
	(void)tape_mem_fail_at(1);
	is_int(tape_stat_batch_means(x, 9, 3, 0.9, &b, NULL), TAPE_E_NOMEM,
	    "no memory");
	(void)tape_mem_fail_at(0);
	x[50] = nan("");
	is_int(tape_stat_mser5(x, ROOM, &m, NULL), TAPE_E_DATA, "NaN");
	is_int(tape_stat_batch_means(x, ROOM, 3, 0.9, &b, NULL), TAPE_E_DATA,
	    "NaN");
}

int
main(void)
{
	test_oracle();
	test_edges();
	return done_testing();
}
