/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_work.h"

#include "engine/compare_rows.h"
#include "engine/compare_speculative.h"

#include <stdio.h>

#define TOKENS_DIFFER 0.01  /* relative */
#define PROMPT_DIFFER 0.001 /* relative: the same text is the same count */
#define SHARE_DIFFER  0.01  /* absolute */
#define TEXT_ROOM     200

static void
add_finish(struct tape_compare_answers *to, struct tape_str why)
{
	char name[sizeof(to->finish[0].name)];

	(void)tape_compare_show(why, name, sizeof(name));
	to->finishes++;
	for (size_t i = 0; i < TAPE_COMPARE_FINISHES; i++) {
		if (to->finish[i].n == 0)
			memcpy(to->finish[i].name, name, sizeof(name));
		if (strcmp(to->finish[i].name, name) == 0) {
			to->finish[i].n++;
			return;
		}
	}
}

void
tape_compare_add_answer(
    struct tape_compare_answers *to, const struct tape_result *r)
{
	const struct tape_tokens *t = &r->tokens;

	if (t->input != TAPE_ABSENT_I64 && t->cached != TAPE_ABSENT_I64) {
		to->input += (double)t->input;
		to->cached += (double)t->cached;
	}
	if (t->accepted != TAPE_ABSENT_I64 && t->rejected != TAPE_ABSENT_I64) {
		to->accepted += (double)t->accepted;
		to->rejected += (double)t->rejected;
	}
	for (size_t i = 0; i < r->finish.n; i++)
		if (r->finish.v[i].len > 0)
			add_finish(to, r->finish.v[i]);
}

bool
tape_compare_equal_length(
    const struct tape_compare_request *a, const struct tape_compare_request *b)
{
	return fabs(a->output_tokens - b->output_tokens) < 0.5;
}

/* What the matched answers of all pairs come to. */
struct matched {
	double output[TAPE_COMPARE_ARMS], input[TAPE_COMPARE_ARMS];
	size_t n;           /* whose lengths are known */
	size_t equal;       /* of these */
	size_t equal_least; /* of a pair */
	size_t texts;       /* known in both */
	size_t identical;   /* of these */
};

static void
add_match(struct matched *m, const struct tape_compare_request *a,
    const struct tape_compare_request *b, size_t *equal)
{
	if (a->output_tokens > 0 && b->output_tokens > 0) {
		m->output[TAPE_COMPARE_A] += a->output_tokens;
		m->output[TAPE_COMPARE_B] += b->output_tokens;
		m->n++;
		*equal += tape_compare_equal_length(a, b) ? 1U : 0U;
	}
	if (a->input_tokens > 0 && b->input_tokens > 0) {
		m->input[TAPE_COMPARE_A] += a->input_tokens;
		m->input[TAPE_COMPARE_B] += b->input_tokens;
	}
	if (a->text != 0 && b->text != 0) {
		m->texts++;
		m->identical += a->text == b->text ? 1U : 0U;
	}
}

static struct matched
match_all(const struct tape_compare_design *d)
{
	struct matched m = { .equal_least = SIZE_MAX };

	for (size_t i = 0; i < d->k; i++) {
		const struct tape_compare_request *a, *b;
		size_t ia = 0, ib = 0, equal = 0;

		while (tape_compare_next_match(&d->pairs[i], &ia, &ib, &a, &b))
			add_match(&m, a, b, &equal);
		m.equal += equal;
		if (equal < m.equal_least)
			m.equal_least = equal;
	}
	return m;
}

static double
growth(const double sum[TAPE_COMPARE_ARMS])
{
	return sum[TAPE_COMPARE_A] > 0
		   ? sum[TAPE_COMPARE_B] / sum[TAPE_COMPARE_A] - 1
		   : 0;
}

static void
check_lengths(const struct matched *m, struct tape_compare_design *d,
    struct tape_compare_notes *notes)
{
	double change = growth(m->output);
	bool enough = m->equal_least >= TAPE_COMPARE_MATCH_MIN;

	if (!(fabs(change) > TOKENS_DIFFER))
		return;
	d->equal_lengths = enough;
	tape_compare_note(notes, TAPE_COMPARE_WARN, "output-lengths",
	    "B's answers to the same prompts are %.1f %% %s: compare tokens, "
	    "not latencies; %zu of %zu are of equal length, %s",
	    100 * fabs(change), change > 0 ? "longer" : "shorter", m->equal,
	    m->n,
	    enough ? "and itl is over these"
		   : "too few in some pair for itl to be over these only");
}

static void
check_prompts(const struct matched *m, struct tape_compare_notes *notes)
{
	double change = growth(m->input);

	if (fabs(change) > PROMPT_DIFFER)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "input-lengths",
		    "the same prompts are %.1f %% %s for B by the servers' own "
		    "count: another tokenizer or template",
		    100 * fabs(change), change > 0 ? "longer" : "shorter");
}

static void
check_texts(const struct matched *m, struct tape_compare_notes *notes)
{
	if (m->texts > 0)
		tape_compare_note(notes, TAPE_COMPARE_NOTE, "identical",
		    "identical answers to the same prompts: %zu of %zu "
		    "(%.1f %%)",
		    m->identical, m->texts,
		    100 * (double)m->identical / (double)m->texts);
}

/* The answers of all runs of one arm. */
static struct tape_compare_answers
sum_up(const struct tape_compare_design *d, size_t arm)
{
	struct tape_compare_answers s = { .input = 0 };

	for (size_t i = 0; i < d->k; i++) {
		const struct tape_compare_answers *a =
		    &d->pairs[i].run[arm]->answers;

		s.input += a->input;
		s.cached += a->cached;
		s.accepted += a->accepted;
		s.rejected += a->rejected;
		s.finishes += a->finishes;
		for (size_t f = 0; f < TAPE_COMPARE_FINISHES; f++)
			for (size_t j = 0; j < TAPE_COMPARE_FINISHES; j++) {
				if (a->finish[f].n == 0)
					break;
				if (s.finish[j].n > 0 &&
				    strcmp(s.finish[j].name,
					a->finish[f].name) != 0)
					continue;
				memcpy(s.finish[j].name, a->finish[f].name,
				    sizeof(s.finish[j].name));
				s.finish[j].n += a->finish[f].n;
				break;
			}
	}
	return s;
}

static double
share_of(const struct tape_compare_answers *a, const char *name)
{
	for (size_t i = 0; i < TAPE_COMPARE_FINISHES; i++)
		if (a->finish[i].n > 0 && strcmp(a->finish[i].name, name) == 0)
			return (double)a->finish[i].n / (double)a->finishes;
	return 0;
}

/* "length A 98.0 %, B 91.2 %", behind what is there; whether they differ. */
static bool
add_shares(const struct tape_compare_answers *a,
    const struct tape_compare_answers *b, const char *name, char *text)
{
	double x = share_of(a, name), y = share_of(b, name);
	size_t n = strlen(text);

	(void)snprintf(text + n, TEXT_ROOM - n, "%s%s A %.1f %%, B %.1f %%",
	    n > 0 ? "; " : "", name, 100 * x, 100 * y);
	return fabs(x - y) > SHARE_DIFFER;
}

static void
check_finish(const struct tape_compare_answers *a,
    const struct tape_compare_answers *b, struct tape_compare_notes *notes)
{
	char text[TEXT_ROOM] = "";
	bool differ = false;

	if (a->finishes == 0 || b->finishes == 0)
		return;
	for (size_t i = 0; i < TAPE_COMPARE_FINISHES; i++)
		if (a->finish[i].n > 0)
			differ |= add_shares(a, b, a->finish[i].name, text);
	for (size_t i = 0; i < TAPE_COMPARE_FINISHES; i++)
		if (b->finish[i].n > 0 && share_of(a, b->finish[i].name) <= 0)
			differ |= add_shares(a, b, b->finish[i].name, text);
	if (differ)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "finish",
		    "answers finish for other reasons: %s", text);
}

static void
check_cache(const struct tape_compare_answers *a,
    const struct tape_compare_answers *b, struct tape_compare_notes *notes)
{
	double x, y;
	bool differ;

	if (!(a->input > 0) || !(b->input > 0))
		return;
	x = a->cached / a->input;
	y = b->cached / b->input;
	differ = fabs(x - y) > SHARE_DIFFER;
	if (differ || x > 0 || y > 0)
		tape_compare_note(notes,
		    differ ? TAPE_COMPARE_WARN : TAPE_COMPARE_NOTE, "cached",
		    "prompt tokens from a cache: A %.1f %%, B %.1f %%%s",
		    100 * x, 100 * y,
		    differ ? ": ttft compares that, too" : "");
}

void
tape_compare_check_work(
    struct tape_compare_design *design, struct tape_compare_notes *notes)
{
	struct tape_compare_answers a = sum_up(design, TAPE_COMPARE_A);
	struct tape_compare_answers b = sum_up(design, TAPE_COMPARE_B);
	struct matched m = match_all(design);

	check_lengths(&m, design, notes);
	check_prompts(&m, notes);
	check_finish(&a, &b, notes);
	check_cache(&a, &b, notes);
	check_texts(&m, notes);
	tape_compare_check_speculation(design, notes);
}
