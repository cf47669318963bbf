/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted for the checks; checks_make.c turns it into records. */
#include "engine/checks.h"

#include "base/mem.h"
#include "base/utf8.h"

void
tape_checks_init(struct tape_checks *c)
{
	memset(c, 0, sizeof(*c));
}

void
tape_checks_release(struct tape_checks *c)
{
	tape_mem_free(c->overhead);
	tape_mem_free(c->expected);
	tape_checks_init(c);
}

/* The last name takes what has no room. */
static void
count_name(struct tape_checks_names *names, struct tape_str name)
{
	size_t len = name.len;
	size_t i;

	if (len >= TAPE_CHECKS_NAME)
		len = tape_utf8_cut(name.p, TAPE_CHECKS_NAME - 1);
	for (i = 0; i < names->n; i++)
		if (strlen(names->v[i].name) == len &&
		    memcmp(names->v[i].name, name.p, len) == 0)
			break;
	if (i == names->n && i == TAPE_CHECKS_NAMES)
		i--;
	else if (i == names->n && i == TAPE_CHECKS_NAMES - 1)
		memcpy(names->v[names->n++].name, "other", sizeof("other"));
	else if (i == names->n)
		memcpy(names->v[names->n++].name, name.p, len);
	names->v[i].count++;
}

static void
count_finish(struct tape_checks *c, const struct tape_result *r)
{
	bool all = r->finish.n > 0;

	for (size_t i = 0; i < r->finish.n; i++) {
		if (r->finish.v[i].len == 0)
			all = false;
		else
			count_name(&c->finish, r->finish.v[i]);
	}
	c->finished += all;
}

static void
count_length(struct tape_checks *c, const struct tape_measured *m)
{
	const struct tape_result *r = &m->result;
	int64_t choices = r->finish.n > 1 ? (int64_t)r->finish.n : 1;
	int64_t asked;

	if (m->from_events || r->tokens.output == TAPE_ABSENT_I64)
		return;
	c->usage++;
	if (r->asked_output_tokens == TAPE_ABSENT_I64 ||
	    __builtin_mul_overflow(r->asked_output_tokens, choices, &asked))
		return;
	c->asked++;
	c->early += r->tokens.output < asked;
	c->beyond += r->tokens.output > asked;
}

static enum tape_status
count_prompt(
    struct tape_checks *c, const struct tape_result *r, struct tape_err *err)
{
	const size_t need = c->prompts + 1;

	if (r->tokens.input == TAPE_ABSENT_I64)
		return TAPE_OK;
	if (r->tokens.cached != TAPE_ABSENT_I64) {
		c->cached_n++;
		c->cached += (double)r->tokens.cached;
		c->cached_of += (double)r->tokens.input;
	}
	if (r->asked_input_tokens == TAPE_ABSENT_I64)
		return TAPE_OK;
	if (tape_mem_grow((void **)&c->overhead, &c->overhead_cap, need,
		sizeof(double)) != 0 ||
	    tape_mem_grow((void **)&c->expected, &c->expected_cap, need,
		sizeof(double)) != 0)
		return tape_err_nomem(err);
	c->expected[c->prompts] = (double)r->asked_input_tokens;
	c->overhead[c->prompts] =
	    (double)r->tokens.input - (double)r->asked_input_tokens;
	c->prompts = need;
	return TAPE_OK;
}

/* attempt: the last one. */
static void
count_attempts(struct tape_checks *c, int64_t attempt)
{
	if (attempt <= 1)
		return;
	c->retried++;
	c->retries += (uint64_t)(attempt - 1);
}

enum tape_status
tape_checks_add(
    struct tape_checks *c, const struct tape_measured *m, struct tape_err *err)
{
	c->ok++;
	count_attempts(c, m->result.attempt);
	count_finish(c, &m->result);
	count_length(c, m);
	return count_prompt(c, &m->result, err);
}

void
tape_checks_events(struct tape_checks *c, const struct tape_measured *m)
{
	c->kernel += m->kernel;
	c->merged += m->merged;
	c->blurred += m->blurred;
	c->user += m->user;
	if (m->encoding.p != NULL)
		count_name(&c->encodings, m->encoding);
}

void
tape_checks_cancel(struct tape_checks *c, const struct tape_measured *m)
{
	c->cancelled++;
	count_attempts(c, m->result.attempt);
}

void
tape_checks_fail(struct tape_checks *c, struct tape_str class, int64_t attempt)
{
	c->failed++;
	count_attempts(c, attempt);
	count_name(&c->errors, class);
}
