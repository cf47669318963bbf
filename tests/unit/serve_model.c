/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_model.h"

#include "base/mem.h"
#include "unit/tap.h"

static struct tape_err err;

static void
test_dist(void)
{
	struct tape_serve_dist d = { 0 }, kept;
	struct tape_rng rng;
	double sum = 0, squares = 0, x;
	int i, n = 200000;

	is_int(tape_serve_dist_parse_ns("40ms,0.5ms", &d, &err), TAPE_OK,
	    "mean and deviation");
	ok(d.mean == 40e6 && d.sd == 5e5, "in nanoseconds");
	is_int(tape_serve_dist_parse_ns("5ms", &d, &err), TAPE_OK, "mean only");
	ok(d.mean == 5e6 && d.sd == 0, "no deviation");
	tape_rng_init(&rng, 1, 1, 0, 0);
	ok(tape_serve_dist_draw(&d, &rng) == 5e6, "that is the constant");
	kept = d;
	is_int(
	    tape_serve_dist_parse_ns("5", &d, &err), TAPE_E_USAGE, "no unit");
	tape_err_clear(&err);
	is_int(tape_serve_dist_parse_ns("5ms,", &d, &err), TAPE_E_USAGE,
	    "no deviation behind the comma");
	tape_err_clear(&err);
	is_int(tape_serve_dist_parse_ns("0,1ms", &d, &err), TAPE_E_USAGE,
	    "a deviation of nothing");
	tape_err_clear(&err);
	is_int(tape_serve_dist_parse_tokens("0.5", &d, &err), TAPE_E_USAGE,
	    "half a token");
	tape_err_clear(&err);
	ok(kept.mean == d.mean && kept.sd == d.sd, "failures change nothing");
	is_int(tape_serve_dist_parse_tokens("100,50", &d, &err), TAPE_OK,
	    "tokens");
	for (i = 0; i < n; i++) {
		x = tape_serve_dist_draw(&d, &rng);
		sum += x;
		squares += x * x;
	}
	/* standard errors: 0.11 of the mean, 0.14 of the deviation */
	is_near(sum / n, 100, 0.005, "draws have that mean");
	is_near(sqrt(squares / n - sum / n * sum / n), 50, 0.015,
	    "and that deviation");
}

static void
test_lru(void)
{
	struct tape_serve_lru *l = NULL;
	uint64_t k;
	int there = 0;

	is_int(tape_serve_lru_open(&l, 3, &err), TAPE_OK, "room for three");
	for (k = 1; k <= 3; k++)
		*tape_serve_lru_put(l, k) = (uint32_t)k * 10;
	is_int(*tape_serve_lru_find(l, 1), 10, "all are there");
	is_int(*tape_serve_lru_put(l, 4), 0, "a fourth starts at 0");
	ok(tape_serve_lru_find(l, 2) == NULL, "the one used least went");
	ok(tape_serve_lru_find(l, 1) != NULL, "not the one used since");
	is_int(tape_serve_lru_count(l), 3, "still three");
	is_int(*tape_serve_lru_put(l, 3), 30, "put finds what is there");
	for (k = 100; k < 10100; k++)
		(void)tape_serve_lru_put(l, k * UINT64_C(0x123456789abcdef));
	for (k = 10097; k < 10100; k++)
		there += tape_serve_lru_find(
			     l, k * UINT64_C(0x123456789abcdef)) != NULL;
	is_int(there, 3, "the last three of many are there");
	tape_serve_lru_free(l);
	tape_serve_lru_free(NULL);
	for (k = 1; k < 10; k++) {
		(void)tape_mem_fail_at(k);
		tape_err_clear(&err);
		if (tape_serve_lru_open(&l, 3, &err) == TAPE_OK)
			break;
	}
	(void)tape_mem_fail_at(0);
	is_int(k, 4, "three allocations, each may fail");
	tape_serve_lru_free(l);
}

static struct tape_serve_conf
conf_of(const char *ttft, const char *itl)
{
	struct tape_serve_conf conf;

	tape_serve_conf_default(&conf);
	tape_err_clear(&err);
	if (tape_serve_dist_parse_ns(ttft, &conf.ttft, &err) != TAPE_OK ||
	    tape_serve_dist_parse_ns(itl, &conf.itl, &err) != TAPE_OK)
		ok(false, "%s", err.text);
	return conf;
}

static void
open_model(struct tape_serve_model *m, const struct tape_serve_conf *conf)
{
	tape_err_clear(&err);
	if (tape_serve_model_open(m, conf, &err) != TAPE_OK)
		ok(false, "%s", err.text);
}

/* Plans for a prompt; number as of order. */
static struct tape_serve_plan
plan_for(struct tape_serve_model *m, const char *prompt, uint64_t number)
{
	struct tape_serve_ask ask;
	struct tape_serve_plan plan = { 0 };

	tape_serve_ask_init(
	    &ask, &tape_serve_chat.shape, (uint32_t)m->conf->prefix_tokens);
	tape_serve_count_text(&ask.prompt, prompt, strlen(prompt));
	ask.max_tokens = 100;
	tape_err_clear(&err);
	if (tape_serve_model_plan(m, &ask, number, &plan, &err) != TAPE_OK)
		ok(false, "%s", err.text);
	tape_serve_model_start(m, &ask, &plan);
	tape_serve_ask_release(&ask);
	return plan;
}

static void
test_draws(void)
{
	struct tape_serve_conf conf = conf_of("40ms,4ms", "5ms,1ms");
	struct tape_serve_conf slow = conf_of("40ms,4ms", "5.25ms,1ms");
	struct tape_serve_model m, n;
	struct tape_serve_plan a1, a2, b1, x;
	bool same = true;
	int i;

	open_model(&m, &conf);
	open_model(&n, &slow);
	a1 = plan_for(&m, "a", 1);
	b1 = plan_for(&m, "b", 2);
	a2 = plan_for(&m, "a", 3);
	ok(a1.ttft_ns != a2.ttft_ns, "the same again draws anew");
	ok(a1.ttft_ns != b1.ttft_ns, "another one, too");
	x = plan_for(&n, "b", 1);
	is_int(x.ttft_ns, b1.ttft_ns, "in another order the same TTFT");
	x = plan_for(&n, "a", 2);
	is_int(x.ttft_ns, a1.ttft_ns, "whatever the decoding is like");
	x = plan_for(&n, "a", 3);
	is_int(x.ttft_ns, a2.ttft_ns, "the second time, too");
	tape_serve_model_release(&m);
	tape_serve_model_release(&n);
	open_model(&m, &conf);
	x = plan_for(&m, "a", 9);
	for (i = 0; i < 100; i++)
		same = same && tape_serve_model_gap_ns(&m, &x) ==
				   tape_serve_model_gap_ns(&m, &a1);
	ok(same, "and the same gaps");
	tape_serve_model_release(&m);
	conf.seed = 2;
	open_model(&m, &conf);
	x = plan_for(&m, "a", 1);
	ok(x.ttft_ns != a1.ttft_ns, "another seed, other draws");
	tape_serve_model_release(&m);
	conf.draw_by = TAPE_SERVE_BY_ORDER;
	open_model(&m, &conf);
	a1 = plan_for(&m, "a", 1);
	b1 = plan_for(&m, "b", 1);
	is_int(a1.ttft_ns, b1.ttft_ns, "by order the content does not matter");
	tape_serve_model_release(&m);
}

static void
test_lengths(void)
{
	struct tape_serve_conf conf = conf_of("0", "0");
	struct tape_serve_model m;
	struct tape_serve_ask ask;
	struct tape_serve_plan plan;
	double sum = 0;
	int i, stopped = 0, wrong = 0;

	conf.draw_by = TAPE_SERVE_BY_ORDER;
	open_model(&m, &conf);
	tape_serve_ask_init(&ask, &tape_serve_chat.shape, 0);
	tape_err_clear(&err);
	is_int(tape_serve_model_plan(&m, &ask, 1, &plan, &err), TAPE_OK,
	    "no length asked for");
	is_int(plan.output_tokens, 128, "the default");
	ask.max_tokens = 131073;
	is_int(tape_serve_model_plan(&m, &ask, 1, &plan, &err), TAPE_E_LIMIT,
	    "too long");
	is_str(err.text, "max_tokens: at most 131072 tokens can be asked for",
	    "says so");
	ask.max_tokens = 7;
	is_int(tape_serve_model_plan(&m, &ask, 1, &plan, &err), TAPE_OK,
	    "a length");
	is_int(plan.output_tokens, 7, "is reached");
	is_str(plan.finish, "length", "and is why it ends");
	conf.osl = (struct tape_serve_dist){ 100, 20 };
	ask.max_tokens = 110;
	for (i = 1; i <= 10000; i++) {
		wrong += tape_serve_model_plan(
			     &m, &ask, (uint64_t)i, &plan, &err) != TAPE_OK;
		stopped += strcmp(plan.finish, "stop") == 0;
		wrong += strcmp(plan.finish, "stop") == 0
			     ? plan.output_tokens >= 110
			     : plan.output_tokens != 110;
		sum += (double)plan.output_tokens;
	}
	/* gamma of mean 100 and sd 20: by simulation elsewhere */
	is_near(stopped / 10000.0, 0.700, 0.02, "some stop early");
	is_near(sum / 10000, 95.85, 0.005, "by that distribution");
	is_int(wrong, 0, "the others at the limit");
	ask.ignore_eos = true;
	is_int(tape_serve_model_plan(&m, &ask, 1, &plan, &err), TAPE_OK,
	    "ignore_eos");
	is_int(plan.output_tokens, 110, "none that ignores the end");
	conf.cut_tokens = 20;
	is_int(
	    tape_serve_model_plan(&m, &ask, 1, &plan, &err), TAPE_OK, "a cut");
	is_int(plan.output_tokens, 20, "is made all the same");
	is_str(plan.finish, "length", "as by a limit");
	tape_serve_ask_release(&ask);
	tape_serve_model_release(&m);
}

/* What makes a server slow at first, or slower and slower, draws nothing. */
static void
test_slow(void)
{
	struct tape_serve_conf conf = conf_of("40ms", "5ms");
	struct tape_serve_model m;
	struct tape_serve_plan p;

	conf.prefill_ns = 1000;
	conf.cold = (struct tape_serve_cold){ 2, 3 };
	conf.drift_ratio = 0.5;
	open_model(&m, &conf);
	p = plan_for(&m, "a b", 1);
	is_int(p.ttft_ns, 3 * 40002000, "the first one is cold");
	is_int(tape_serve_model_gap_ns(&m, &p), 15000000, "and its tokens");
	p = plan_for(&m, "a c", 2);
	is_int(p.ttft_ns, 3 * 60003000, "the second, slower besides");
	p = plan_for(&m, "a d", 3);
	is_int(p.ttft_ns, 2 * 40002000, "the third is warm");
	is_int(tape_serve_model_gap_ns(&m, &p), 10000000, "and slower still");
	is_int(tape_serve_model_step_ns(&m), 5000000, "a batch is not");
	tape_serve_model_release(&m);
}

static void
test_prefix(void)
{
	struct tape_serve_conf conf = conf_of("10us", "0");
	struct tape_serve_model m;
	struct tape_serve_plan p;

	conf.prefill_ns = 1000;
	conf.prefix_blocks = 4;
	conf.prefix_tokens = 2;
	open_model(&m, &conf);
	p = plan_for(&m, "a b c d e", 1);
	is_int(p.cached_tokens, 0, "nothing is cached at first");
	is_int(p.ttft_ns, 15000, "each token costs prefill");
	p = plan_for(&m, "a b c d e", 2);
	is_int(p.cached_tokens, 4, "full blocks are");
	is_int(p.ttft_ns, 11000, "and cost none");
	p = plan_for(&m, "a b c d", 3);
	is_int(p.cached_tokens, 2, "one token is always left to do");
	p = plan_for(&m, "a b x d e", 4);
	is_int(p.cached_tokens, 2, "up to the first difference");
	p = plan_for(&m, "b a c d e", 5);
	is_int(p.cached_tokens, 0, "from the beginning only");
	(void)plan_for(&m, "q r s t u v w x", 6);
	p = plan_for(&m, "a b c d e", 7);
	is_int(p.cached_tokens, 0, "old blocks are forgotten");
	is_int(tape_serve_lru_count(m.prefix), 4, "memory is bounded");
	p = plan_for(&m, "a b c d e", 8);
	is_int(p.cached_tokens, 4, "and new ones remembered");
	tape_serve_model_release(&m);
}

static void
test_faults(void)
{
	struct tape_serve_fault f[3] = { 0 }, got;
	uint64_t k;
	int hits[2] = { 0 }, every = 0;
	const char *bad[] = { "", "reset", "reset:", "reset:2", "reset:5%:x",
		"reset:5%:1:2", "reset:1/0", "none:5%", "reset:-1", ":5%" };

	is_int(tape_serve_fault_parse("reset:5%", &f[0], &err), TAPE_OK,
	    "kind and share");
	ok(f[0].kind == TAPE_SERVE_RESET && f[0].share == 0.05 &&
		f[0].after == 3,
	    "after three events");
	is_int(tape_serve_fault_parse("error-event:0.1:0", &f[1], &err),
	    TAPE_OK, "with a place");
	is_int(f[1].after, 0, "which is taken");
	is_int(tape_serve_fault_parse("429:1/10", &f[2], &err), TAPE_OK,
	    "every tenth");
	for (k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		tape_err_clear(&err);
		is_int(tape_serve_fault_parse(bad[k], &got, &err), TAPE_E_USAGE,
		    "refused: '%s'", bad[k]);
	}
	for (k = 1; k <= 20000; k++) {
		got = tape_serve_fault_choose(f, 2, 1, k, k);
		hits[0] += got.kind == TAPE_SERVE_RESET;
		hits[1] += got.kind == TAPE_SERVE_ERROR_EVENT;
		got = tape_serve_fault_choose(&f[2], 1, 1, 77, k);
		every += got.kind == TAPE_SERVE_429;
	}
	is_near(hits[0], 1000, 0.1, "5 in 100 requests");
	is_near(hits[1], 1900, 0.1, "10 in 100 of the others");
	is_int(every, 2000, "every tenth, exactly");
	got = tape_serve_fault_choose(f, 0, 1, 1, 1);
	is_int(got.kind, TAPE_SERVE_NO_FAULT, "none when none is wanted");
	is_str(tape_serve_fault_name(TAPE_SERVE_STALE), "stale", "names");
}

int
main(void)
{
	test_dist();
	test_lru();
	test_draws();
	test_lengths();
	test_slow();
	test_prefix();
	test_faults();
	return done_testing();
}
