/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_adjust.h"

#include "base/mem.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 64 };

static const struct {
	const char *key;
	enum tape_stat_adjust method;
} methods[] = {
	{ "holm", TAPE_STAT_HOLM },
	{ "hochberg", TAPE_STAT_HOCHBERG },
	{ "bonferroni", TAPE_STAT_BONFERRONI },
	{ "BH", TAPE_STAT_BH },
	{ "BY", TAPE_STAT_BY },
};

enum { METHODS = sizeof(methods) / sizeof(methods[0]) };

static void
test_oracle(void)
{
	double p[ROOM], got[ROOM];
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "p_adjust.json"); c != NULL; c = c->next) {
		const size_t m = oracle_inputs(c, "p", p, ROOM);

		for (size_t i = 0; i < METHODS; i++)
			if (tape_stat_adjust(
				methods[i].method, p, m, got, NULL) == TAPE_OK)
				oracle_nears(
				    &o, c, methods[i].key, got, m, 1e-14);
	}
	oracle_close(&o, 170);
}

static void
test_order(void)
{
	const double p[] = { 0.04, 0.001, 0.2, 0.03, 0.012 };
	const double q[] = { 0.012, 0.03, 0.2, 0.001, 0.04 };
	double a[5], b[5];
	int wrong = 0;

	for (size_t i = 0; i < METHODS; i++) {
		wrong += tape_stat_adjust(methods[i].method, p, 5, a, NULL) !=
			 TAPE_OK;
		wrong += tape_stat_adjust(methods[i].method, q, 5, b, NULL) !=
			 TAPE_OK;
		for (int j = 0; j < 5; j++)
			wrong += a[j] != b[4 - j] || a[j] < p[j] || a[j] > 1;
	}
	is_int(wrong, 0, "any order; never below p, never above 1");
}

static void
test_edges(void)
{
	double p[] = { 0.01, nan(""), 0.02 };
	double out[] = { 7, 7, 7 };
	const double bad[] = { 0.5, 1.5 }, worse[] = { -HUGE_VAL };
	struct tape_err err = { 0 };

	is_int(tape_stat_adjust(TAPE_STAT_HOLM, bad, 2, out, &err), TAPE_E_DATA,
	    "1.5");
	is_str(err.text, "1.5 is not a probability", "is named");
	is_int(tape_stat_adjust(TAPE_STAT_BH, worse, 1, out, NULL), TAPE_E_DATA,
	    "infinity");
	(void)tape_mem_fail_at(1);
	is_int(tape_stat_adjust(TAPE_STAT_BH, p, 3, out, NULL), TAPE_E_NOMEM,
	    "no memory");
	(void)tape_mem_fail_at(0);
	is_near(out[0], 7, 0, "a refusal leaves the result alone");
	is_int(tape_stat_adjust(TAPE_STAT_HOLM, p, 0, out, NULL), TAPE_OK,
	    "no row is no error");
	is_int(tape_stat_adjust(TAPE_STAT_HOLM, p, 3, p, NULL), TAPE_OK,
	    "in place, with a missing p");
	is_near(p[0], 0.02, 1e-15, "which does not count");
	ok(isnan(p[1]), "and stays missing");
	is_near(p[2], 0.02, 1e-15, "the larger of two is not multiplied");
}

int
main(void)
{
	test_oracle();
	test_order();
	test_edges();
	return done_testing();
}
