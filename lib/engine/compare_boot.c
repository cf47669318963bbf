/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_boot.h"

#include "base/mem.h"
#include "engine/compare_work.h"

#define P99 0.99

/* The pairs of a row, and room for the requests of all of them. */
struct work {
	struct tape_stat_boot_pair *pairs;
	struct tape_stat_boot_item *items;
	size_t used;
};

static struct tape_stat_boot_statistic
statistic_of(const struct tape_compare_row *row)
{
	static const struct tape_stat_boot_statistic of[] = {
		[TAPE_COMPARE_MATCHED] = { TAPE_STAT_BOOT_TRIMMED,
		    TAPE_COMPARE_TRIM, false },
		[TAPE_COMPARE_MEDIANS] = { TAPE_STAT_BOOT_QUANTILE, 0.5, true },
		[TAPE_COMPARE_MEAN] = { TAPE_STAT_BOOT_MEAN, 0, true },
		[TAPE_COMPARE_P99] = { TAPE_STAT_BOOT_QUANTILE, P99, true },
		[TAPE_COMPARE_VALUE] = { TAPE_STAT_BOOT_MEAN, 0, false },
		[TAPE_COMPARE_DIFFERENCE] = { TAPE_STAT_BOOT_MEAN, 0, false },
	};

	return of[row->statistic];
}

/* Takes n of the items that follow as a sample. */
static void
take(struct work *w, size_t n, struct tape_stat_boot_sample *to)
{
	tape_stat_boot_sort(w->items + w->used, n);
	to->v = w->items + w->used;
	to->n = n;
	w->used += n;
}

/* log(B/A) of the requests that both runs have, as matched-trim has them. */
static void
add_ratios(struct work *w, const struct tape_compare_design *design, size_t i,
    enum tape_compare_value value)
{
	const struct tape_compare_request *a, *b;
	struct tape_stat_boot_item *to = w->items + w->used;
	bool equal = design->equal_lengths && value == TAPE_COMPARE_TPOT;
	size_t ia = 0, ib = 0;
	uint32_t n = 0;

	while (tape_compare_next_match(&design->pairs[i], &ia, &ib, &a, &b)) {
		double d = b->log_value[value] - a->log_value[value];

		if (isnan(d) || (equal && !tape_compare_equal_length(a, b)))
			continue;
		to[n].v = d;
		to[n].at = n;
		n++;
	}
	take(w, n, &w->pairs[i].sample[1]);
}

/* Both arms' values of the requests that both have; false: too few. */
static bool
add_matched(struct work *w, const struct tape_compare_pair *pair,
    enum tape_compare_value value, struct tape_stat_boot_pair *to)
{
	const struct tape_compare_request *a, *b;
	struct tape_stat_boot_item *va = w->items + w->used;
	struct tape_stat_boot_item *vb = va + pair->matched;
	size_t ia = 0, ib = 0;
	uint32_t n = 0;

	while (tape_compare_next_match(pair, &ia, &ib, &a, &b)) {
		if (isnan(a->log_value[value]) || isnan(b->log_value[value]))
			continue;
		va[n].v = exp(a->log_value[value]);
		vb[n].v = exp(b->log_value[value]);
		va[n].at = vb[n].at = n;
		n++;
	}
	if (n < TAPE_COMPARE_MATCH_MIN)
		return false;
	take(w, n, &to->sample[0]);
	w->used = (size_t)(vb - w->items);
	take(w, n, &to->sample[1]);
	to->together = true;
	return true;
}

static void
add_run(struct work *w, const struct tape_compare_run *run,
    enum tape_compare_value value, struct tape_stat_boot_sample *to)
{
	struct tape_stat_boot_item *v = w->items + w->used;
	uint32_t n = 0;

	for (size_t i = 0; i < run->request_count; i++) {
		double l = run->requests[i].log_value[value];

		if (isnan(l))
			continue;
		v[n].v = exp(l);
		v[n].at = n;
		n++;
	}
	take(w, n, to);
}

static void
add_pair(struct work *w, const struct tape_compare_design *design,
    const struct tape_compare_row *row, size_t i)
{
	static const struct tape_stat_boot_sample none = { NULL, 0 };
	const struct tape_compare_pair *pair = &design->pairs[i];
	struct tape_stat_boot_pair *to = &w->pairs[i];
	enum tape_compare_value value = row->def->value;

	to->fixed = row->d[i];
	if (value == TAPE_COMPARE_VALUES)
		return;
	if (row->statistic == TAPE_COMPARE_MATCHED) {
		add_ratios(w, design, i, value);
		return;
	}
	if (add_matched(w, pair, value, to))
		return;
	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++)
		add_run(w, pair->run[arm], value, &to->sample[arm]);
	/* One arm alone is no pair. */
	if (to->sample[0].n == 0 || to->sample[1].n == 0)
		to->sample[0] = to->sample[1] = none;
}

enum tape_status
tape_compare_boot(const struct tape_compare_design *design,
    const struct tape_compare_row *row, double level,
    const struct tape_stat_boot_opt *opt, struct tape_stat_boot *out,
    struct tape_err *err)
{
	struct work w = { .used = 0 };
	struct tape_stat_boot_pairs in = { NULL, row->d, row->k,
		statistic_of(row) };
	size_t room = 1;
	enum tape_status st;

	for (size_t i = 0; i < row->k; i++)
		for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++)
			room += design->pairs[i].run[arm]->request_count;
	w.pairs = tape_mem_calloc(row->k + 1, sizeof(*w.pairs));
	w.items = tape_mem_calloc(room, sizeof(*w.items));
	if (w.pairs == NULL || w.items == NULL) {
		st = tape_err_nomem(err);
	} else {
		for (size_t i = 0; i < row->k; i++)
			add_pair(&w, design, row, i);
		in.v = w.pairs;
		st = tape_stat_boot_t(&in, level, opt, out, err);
	}
	tape_mem_free(w.pairs);
	tape_mem_free(w.items);
	return st;
}
