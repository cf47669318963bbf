/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fdio.h"
#include "base/mem.h"
#include "base/num.h"
#include "engine/gate.h"

#include <stdio.h>

#define FILE_CAP ((size_t)1 << 20)
#define WORDS    5 /* one more than a rule has */
#define WORD     48

static const struct tape_gate_quantity quantities[] = {
	{ "ttft-p50", TAPE_COMPARE_TTFT, TAPE_GATE_P50 },
	{ "ttft-mean", TAPE_COMPARE_TTFT, TAPE_GATE_MEAN },
	{ "ttft-p90", TAPE_COMPARE_TTFT, TAPE_GATE_P90 },
	{ "ttft-p95", TAPE_COMPARE_TTFT, TAPE_GATE_P95 },
	{ "ttft-p99", TAPE_COMPARE_TTFT, TAPE_GATE_P99 },
	{ "itl-p50", TAPE_COMPARE_TPOT, TAPE_GATE_P50 },
	{ "itl-mean", TAPE_COMPARE_TPOT, TAPE_GATE_MEAN },
	{ "itl-p90", TAPE_COMPARE_TPOT, TAPE_GATE_P90 },
	{ "itl-p95", TAPE_COMPARE_TPOT, TAPE_GATE_P95 },
	{ "itl-p99", TAPE_COMPARE_TPOT, TAPE_GATE_P99 },
	{ "latency-p50", TAPE_COMPARE_LATENCY, TAPE_GATE_P50 },
	{ "latency-mean", TAPE_COMPARE_LATENCY, TAPE_GATE_MEAN },
	{ "latency-p90", TAPE_COMPARE_LATENCY, TAPE_GATE_P90 },
	{ "latency-p95", TAPE_COMPARE_LATENCY, TAPE_GATE_P95 },
	{ "latency-p99", TAPE_COMPARE_LATENCY, TAPE_GATE_P99 },
	{ "gap-p99", TAPE_COMPARE_VALUES, TAPE_GATE_GAP_P99 },
	{ "output", TAPE_COMPARE_VALUES, TAPE_GATE_OUTPUT },
	{ "failed", TAPE_COMPARE_VALUES, TAPE_GATE_FAILED },
	{ "good", TAPE_COMPARE_VALUES, TAPE_GATE_GOOD },
};

/* A line in words. */
struct line {
	const char *name; /* of the file */
	size_t number;
	char word[WORDS][WORD];
	size_t n;
};

static enum tape_status
refuse(const struct line *l, const char *what, const char *word,
    struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_USAGE, "%s:%zu: %s%s%s%s", l->name,
	    l->number, what, word != NULL ? " '" : "", word != NULL ? word : "",
	    word != NULL ? "'" : "");
}

/* Cuts a line at blanks, up to a #. */
static enum tape_status
split(struct line *l, const char *p, size_t len, struct tape_err *err)
{
	size_t i = 0, at;

	l->n = 0;
	while (i < len && p[i] != '#') {
		if (p[i] == ' ' || p[i] == '\t' || p[i] == '\r') {
			i++;
			continue;
		}
		for (at = 0; i < len && strchr(" \t\r#", p[i]) == NULL; i++) {
			if (at + 1 >= WORD || (unsigned char)p[i] < 0x21 ||
			    (unsigned char)p[i] >= 0x7f)
				return refuse(
				    l, "not a word of a rule", NULL, err);
			l->word[l->n][at++] = p[i];
		}
		l->word[l->n++][at] = '\0';
		if (l->n == WORDS)
			return refuse(
			    l, "more words than a rule has", NULL, err);
	}
	return TAPE_OK;
}

static bool
find_row(const char *word, size_t *row)
{
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		char name[WORD];

		(void)tape_compare_row_name(
		    &tape_compare_row_table[i], name, sizeof(name));
		for (char *c = name; *c != '\0'; c++)
			if (*c == ' ')
				*c = '-';
		if (strcmp(name, word) == 0) {
			*row = i;
			return true;
		}
	}
	return false;
}

static enum tape_status
parse_keep(const struct line *l, struct tape_gate_rule *r, struct tape_err *err)
{
	r->kind = TAPE_GATE_KEEP;
	if (l->n != 3)
		return refuse(l,
		    "keep takes a row and a margin, as keep itl 2%", NULL, err);
	if (!find_row(l->word[1], &r->row))
		return refuse(l, "there is no row", l->word[1], err);
	if (tape_num_share_ratio(l->word[2], &r->limit, NULL) != TAPE_OK ||
	    !(r->limit > 0))
		return refuse(l, "not a margin, as 2%:", l->word[2], err);
	return TAPE_OK;
}

static enum tape_status
parse_limit(
    const struct line *l, struct tape_gate_rule *r, struct tape_err *err)
{
	const char *word = l->word[3];
	int64_t ns;
	enum tape_status st;

	switch (r->what->statistic) {
	case TAPE_GATE_OUTPUT:
		st = tape_num_double(word, 0, 1e12, &r->limit, NULL);
		if (st != TAPE_OK)
			return refuse(l, "not tokens per second:", word, err);
		return TAPE_OK;
	case TAPE_GATE_FAILED:
	case TAPE_GATE_GOOD:
		if (tape_num_share_ratio(word, &r->limit, NULL) != TAPE_OK)
			return refuse(l, "not a share, as 1%:", word, err);
		return TAPE_OK;
	case TAPE_GATE_P50:
	case TAPE_GATE_MEAN:
	case TAPE_GATE_P90:
	case TAPE_GATE_P95:
	case TAPE_GATE_P99:
	case TAPE_GATE_GAP_P99:
		break;
	}
	if (tape_num_duration_ns(word, &ns, NULL) != TAPE_OK || ns == 0)
		return refuse(l, "not a duration, as 800ms:", word, err);
	r->limit = (double)ns;
	return TAPE_OK;
}

static enum tape_status
parse_bound(
    const struct line *l, struct tape_gate_rule *r, struct tape_err *err)
{
	r->kind = TAPE_GATE_BOUND;
	if (l->n != 4)
		return refuse(l,
		    "bound takes what, < or > and a limit, as bound ttft-p99 "
		    "< 800ms",
		    NULL, err);
	for (size_t i = 0; i < sizeof(quantities) / sizeof(quantities[0]); i++)
		if (strcmp(l->word[1], quantities[i].name) == 0)
			r->what = &quantities[i];
	if (r->what == NULL)
		return refuse(l, "nothing to bound is called", l->word[1], err);
	r->below = strcmp(l->word[2], "<") == 0;
	if (!r->below && strcmp(l->word[2], ">") != 0)
		return refuse(l, "neither < nor >:", l->word[2], err);
	return parse_limit(l, r, err);
}

/* Two rules of one thing: one of them is a mistake. */
static bool
is_same(const struct tape_gate_rule *a, const struct tape_gate_rule *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == TAPE_GATE_KEEP)
		return a->row == b->row;
	return a->what == b->what && a->below == b->below;
}

static enum tape_status
add_rule(struct tape_gate *gate, const struct line *l, struct tape_err *err)
{
	struct tape_gate_rule *r = &gate->rules[gate->n];
	enum tape_status st;
	size_t at = 0;

	if (gate->n == TAPE_GATE_RULES_MAX)
		return refuse(l, "more rules than a gate has", NULL, err);
	memset(r, 0, sizeof(*r));
	r->line = l->number;
	if (strcmp(l->word[0], "keep") == 0)
		st = parse_keep(l, r, err);
	else if (strcmp(l->word[0], "bound") == 0)
		st = parse_bound(l, r, err);
	else
		st = refuse(l, "a rule is keep or bound, not", l->word[0], err);
	if (st != TAPE_OK)
		return st;
	for (size_t i = 0; i < gate->n; i++)
		if (is_same(&gate->rules[i], r))
			return refuse(l, "a second rule for", l->word[1], err);
	for (size_t i = 0; i < l->n && at < sizeof(r->text); i++)
		at += (size_t)snprintf(r->text + at, sizeof(r->text) - at,
		    "%s%s", i > 0 ? " " : "", l->word[i]);
	gate->n++;
	return TAPE_OK;
}

enum tape_status
tape_gate_parse(struct tape_gate *gate, const char *name, const char *text,
    size_t len, struct tape_err *err)
{
	struct line l = { .name = name };
	enum tape_status st = TAPE_OK;

	gate->n = 0;
	for (size_t i = 0; i < len && st == TAPE_OK;) {
		const char *lf = memchr(text + i, '\n', len - i);
		size_t n = lf == NULL ? len - i : (size_t)(lf - text) - i;

		l.number++;
		st = split(&l, text + i, n, err);
		if (st == TAPE_OK && l.n > 0)
			st = add_rule(gate, &l, err);
		i += n + 1;
	}
	if (st == TAPE_OK && gate->n == 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "%s: there is no rule in it", name);
	return st;
}

enum tape_status
tape_gate_read(struct tape_gate *gate, const char *path, struct tape_err *err)
{
	char *text = NULL;
	size_t len;
	enum tape_status st = tape_fdio_slurp(path, FILE_CAP, &text, &len, err);

	if (st == TAPE_OK)
		st = tape_gate_parse(gate, path, text, len, err);
	tape_mem_free(text);
	return st;
}
