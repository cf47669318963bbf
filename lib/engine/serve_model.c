/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_model.h"

#include <math.h>

#define SEEN_MAX   ((uint32_t)1 << 20) /* different requests remembered */
#define LONGEST_NS 1e17                /* three years: room for sums */

enum tape_status
tape_serve_model_open(struct tape_serve_model *m,
    const struct tape_serve_conf *conf, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	*m = (struct tape_serve_model){ .conf = conf };
	tape_rng_init(&m->steps, conf->seed, TAPE_RNG_SERVE_STEP, 0, 0);
	if (conf->prefix_blocks > 0)
		st = tape_serve_lru_open(
		    &m->prefix, (uint32_t)conf->prefix_blocks, err);
	if (st == TAPE_OK && conf->draw_by == TAPE_SERVE_BY_CONTENT)
		st = tape_serve_lru_open(&m->seen, SEEN_MAX, err);
	return st;
}

void
tape_serve_model_release(struct tape_serve_model *m)
{
	tape_serve_lru_free(m->prefix);
	tape_serve_lru_free(m->seen);
	m->prefix = m->seen = NULL;
}

static uint64_t
key_of(struct tape_serve_model *m, const struct tape_serve_ask *ask,
    uint64_t number)
{
	uint64_t key;

	if (m->seen == NULL)
		return number;
	key = tape_serve_mix(ask->prompt.digest, ask->prompt.tokens);
	key = tape_serve_mix(key, (uint64_t)ask->max_tokens);
	return tape_serve_mix(key, ++*tape_serve_lru_put(m->seen, key));
}

static struct tape_rng
stream(const struct tape_serve_model *m, enum tape_rng_purpose purpose,
    uint64_t key)
{
	struct tape_rng rng;

	tape_rng_init(&rng, m->conf->seed, (uint32_t)purpose, (uint32_t)key,
	    (uint32_t)(key >> 32));
	return rng;
}

static int64_t
draw_ns(const struct tape_serve_dist *d, double times, struct tape_rng *rng)
{
	return llrint(fmin(tape_serve_dist_draw(d, rng) * times, LONGEST_NS));
}

/* The requests are numbered from 1. */
static double
times_of(const struct tape_serve_conf *conf, uint64_t number)
{
	double times = 1 + conf->drift_ratio * (double)(number - 1);

	return number <= conf->cold.requests ? times * conf->cold.times : times;
}

/* The length, and whether it ends by itself or by the limit. */
static void
draw_length(const struct tape_serve_model *m, const struct tape_serve_ask *ask,
    uint64_t limit, struct tape_serve_plan *plan)
{
	struct tape_rng rng;
	double len;

	plan->output_tokens = limit;
	plan->finish = "length";
	if (!(m->conf->osl.mean > 0) || ask->ignore_eos)
		return;
	rng = stream(m, TAPE_RNG_SERVE_LENGTH, plan->key);
	len = rint(tape_serve_dist_draw(&m->conf->osl, &rng));
	if (len >= (double)limit)
		return;
	plan->output_tokens = len < 1 ? 1 : (uint64_t)len;
	plan->finish = "stop";
}

enum tape_status
tape_serve_model_plan(struct tape_serve_model *m,
    const struct tape_serve_ask *ask, uint64_t number,
    struct tape_serve_plan *plan, struct tape_err *err)
{
	const struct tape_serve_conf *conf = m->conf;
	uint64_t limit = ask->max_tokens > 0 ? (uint64_t)ask->max_tokens
					     : conf->default_tokens;
	struct tape_rng rng;

	if (limit > conf->max_tokens)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "max_tokens: at most %llu tokens can be asked for",
		    (unsigned long long)conf->max_tokens);
	*plan = (struct tape_serve_plan){
		.key = key_of(m, ask, number),
		.prompt_tokens = ask->prompt.tokens,
		.times = times_of(conf, number),
	};
	draw_length(m, ask, limit, plan);
	if (conf->cut_tokens > 0 && plan->output_tokens > conf->cut_tokens) {
		plan->output_tokens = conf->cut_tokens;
		plan->finish = "length";
	}
	rng = stream(m, TAPE_RNG_SERVE_TTFT, plan->key);
	plan->ttft_ns = draw_ns(&conf->ttft, plan->times, &rng);
	plan->gaps = stream(m, TAPE_RNG_SERVE_ITL, plan->key);
	plan->sizes = stream(m, TAPE_RNG_SERVE_SIZE, plan->key);
	plan->cuts = stream(m, TAPE_RNG_SERVE_CUT, plan->key);
	plan->voice.rng = stream(m, TAPE_RNG_SERVE_TEXT, plan->key);
	return TAPE_OK;
}

/* Leading blocks that are remembered; at least one token is left to do. */
static uint64_t
look_up(struct tape_serve_lru *prefix, const struct tape_serve_count *prompt,
    uint64_t block)
{
	size_t n = prompt->n_blocks, hit = 0;

	if (n > 0 && n * block == prompt->tokens)
		n--;
	while (
	    hit < n && tape_serve_lru_find(prefix, prompt->blocks[hit]) != NULL)
		hit++;
	return hit * block;
}

void
tape_serve_model_start(struct tape_serve_model *m,
    const struct tape_serve_ask *ask, struct tape_serve_plan *plan)
{
	double new_tokens;
	size_t i;

	if (m->prefix != NULL) {
		plan->cached_tokens =
		    look_up(m->prefix, &ask->prompt, m->conf->prefix_tokens);
		/* last block first: the ends of prompts are forgotten first */
		for (i = ask->prompt.n_blocks; i > 0; i--)
			(void)tape_serve_lru_put(
			    m->prefix, ask->prompt.blocks[i - 1]);
	}
	new_tokens = (double)(plan->prompt_tokens - plan->cached_tokens);
	plan->ttft_ns +=
	    llrint(fmin(new_tokens * (double)m->conf->prefill_ns * plan->times,
		LONGEST_NS));
}

int64_t
tape_serve_model_gap_ns(
    const struct tape_serve_model *m, struct tape_serve_plan *plan)
{
	return draw_ns(&m->conf->itl, plan->times, &plan->gaps);
}

int64_t
tape_serve_model_step_ns(struct tape_serve_model *m)
{
	return draw_ns(&m->conf->itl, 1, &m->steps);
}

static uint64_t
draw_size(const struct tape_serve_range *range, struct tape_rng *rng)
{
	uint32_t span = range->max - range->min + 1;

	if (span == 1)
		return range->min;
	return range->min + tape_rng_mulhi(tape_rng_u32(rng), span);
}

uint64_t
tape_serve_model_size(const struct tape_serve_model *m,
    struct tape_serve_plan *plan, uint64_t left)
{
	uint64_t n = draw_size(&m->conf->event_tokens, &plan->sizes);

	return n < left ? n : left;
}

uint64_t
tape_serve_model_merge(const struct tape_serve_model *m,
    const struct tape_serve_plan *plan, uint64_t left)
{
	struct tape_rng ahead;
	uint64_t n, events = 0;

	if (m->conf->merge == 1)
		return 1;
	ahead = plan->sizes;
	while (left > 0 && events < m->conf->merge) {
		n = draw_size(&m->conf->event_tokens, &ahead);
		left -= n < left ? n : left;
		events++;
	}
	return events;
}
