/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_design.h"

#include "engine/compare_device.h"
#include "engine/compare_session.h"

#include <stdio.h>

#define NAME_ROOM  48
#define SHOWN_ROOM 64

static void
refuse(struct tape_compare_notes *notes, const char *code, const char *text)
{
	tape_compare_note(notes, TAPE_COMPARE_REFUSE, code, "%s", text);
}

/* Why there is no pair at all. */
static void
refuse_all(const struct tape_compare_set *set, struct tape_compare_notes *notes)
{
	size_t n[TAPE_COMPARE_ARMS] = { 0 };
	char name[SHOWN_ROOM];

	for (size_t i = 0; i < set->run_count; i++)
		if (set->runs[i].arm < TAPE_COMPARE_ARMS)
			n[set->runs[i].arm]++;
	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++) {
		struct tape_str s = set->arm_name[arm];

		if (n[arm] > 0)
			continue;
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, "no-pairs",
		    "there is no run of %s",
		    s.p ? tape_compare_show(s, name, sizeof(name))
			: tape_compare_arm_letter(arm));
		return;
	}
	refuse(notes, "no-pairs",
	    "no round has a run of both arms: single runs need the labels "
	    "--arm, --round and --session of trace-replay, or --a and --b "
	    "here");
}

static void
check_count(const struct tape_compare_set *set,
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	if (d->k == 0)
		refuse_all(set, notes);
	else if (d->k == 1)
		refuse(notes, "one-pair",
		    "one pair cannot separate A/B from run-to-run noise");
	else if (d->k < TAPE_COMPARE_PAIRS_MIN)
		refuse(notes, "two-pairs", "two pairs are too few");
}

static void
check_arms(const struct tape_compare_set *set, struct tape_compare_notes *notes)
{
	char a[SHOWN_ROOM], b[SHOWN_ROOM];

	if (set->skipped_runs > 0)
		tape_compare_note(notes, TAPE_COMPARE_NOTE, "other-arms",
		    "runs of other arms, left out: %zu", set->skipped_runs);
	if (set->by_name)
		tape_compare_note(notes, TAPE_COMPARE_NOTE, "arms-by-name",
		    "A is %s and B is %s by the order of their names: --arms "
		    "says otherwise",
		    tape_compare_show(set->arm_name[0], a, sizeof(a)),
		    tape_compare_show(set->arm_name[1], b, sizeof(b)));
	if (tape_str_equal(set->arm_name[0], set->arm_name[1]))
		tape_compare_note(notes, TAPE_COMPARE_WARN, "labels",
		    "both arms have the label %s",
		    tape_compare_show(set->arm_name[0], a, sizeof(a)));
}

/* Whether all of one arm come before all of the other. */
static bool
blocked(const struct tape_compare_design *d, size_t first, size_t second)
{
	int64_t last_first = INT64_MIN, first_second = INT64_MAX;

	for (size_t i = 0; i < d->k; i++) {
		int64_t a = d->pairs[i].run[first]->start_ns;
		int64_t b = d->pairs[i].run[second]->start_ns;

		if (a > last_first)
			last_first = a;
		if (b < first_second)
			first_second = b;
	}
	return last_first < first_second;
}

/* Pairs whose second run comes after the first one of the next pair. */
static size_t
count_interlocked(const struct tape_compare_design *d)
{
	size_t n = 0;

	for (size_t i = 1; i < d->k; i++)
		if (tape_compare_first(&d->pairs[i])->start_ns <
		    tape_compare_second(&d->pairs[i - 1])->start_ns)
			n++;
	return n;
}

static void
check_interleaving(
    struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	size_t interlocked = count_interlocked(d);

	d->interleaved =
	    d->k < 2 || (!blocked(d, TAPE_COMPARE_A, TAPE_COMPARE_B) &&
			    !blocked(d, TAPE_COMPARE_B, TAPE_COMPARE_A));
	if (!d->interleaved) {
		refuse(notes, "not-interleaved",
		    "the runs are not interleaved: all of one arm come before "
		    "all of the other, so that arm and time are the same "
		    "thing");
		return;
	}
	if (interlocked > 0)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "interlocked",
		    "runs of other pairs lie between the runs of %zu pairs: "
		    "what drifts does not cancel",
		    interlocked);
	if (d->k >= TAPE_COMPARE_PAIRS_MIN &&
	    (d->a_first == d->k || d->a_first == 0))
		tape_compare_note(notes, TAPE_COMPARE_WARN, "one-always-first",
		    "%s is always first: a drift looks like an effect of B "
		    "(trace-replay --order balanced)",
		    tape_compare_arm_letter(
			d->a_first == 0 ? TAPE_COMPARE_B : TAPE_COMPARE_A));
}

/* What the clock says of a pair that cannot be; in the order of the table. */
enum impossible { BACKWARD, OVERLAP, CONTRADICTION, IMPOSSIBLE };

static enum impossible
judge_times(
    const struct tape_compare_design *d, const struct tape_compare_pair *p)
{
	const struct tape_compare_run *x = tape_compare_first(p);
	const struct tape_compare_run *y = tape_compare_second(p);

	if (x->end_ns < x->start_ns || y->end_ns < y->start_ns)
		return BACKWARD;
	if (y->start_ns < x->end_ns)
		return OVERLAP;
	if (!d->by_order && x->position != TAPE_ABSENT_I64 &&
	    y->position != TAPE_ABSENT_I64 && x->position > y->position)
		return CONTRADICTION;
	return IMPOSSIBLE;
}

static void
check_times(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	static const struct {
		const char *code, *text;
	} table[IMPOSSIBLE] = {
		[BACKWARD] = { "clock-backward",
		    "a run ends before it starts" },
		[OVERLAP] = { "overlap", "the runs of a pair overlap in time" },
		[CONTRADICTION] = { "clock-backward",
		    "the clock and the positions of runs contradict each "
		    "other" },
	};
	size_t n[IMPOSSIBLE + 1] = { 0 }, at[IMPOSSIBLE + 1] = { 0 };
	char pair[NAME_ROOM];

	for (size_t i = 0; i < d->k; i++) {
		enum impossible what = judge_times(d, &d->pairs[i]);

		if (n[what]++ == 0)
			at[what] = i;
	}
	for (size_t i = 0; i < IMPOSSIBLE; i++)
		if (n[i] > 0)
			tape_compare_note(notes, TAPE_COMPARE_REFUSE,
			    table[i].code,
			    "%s: in %zu of %zu pairs, first in "
			    "%s",
			    table[i].text, n[i], d->k,
			    tape_compare_pair_name(
				d, at[i], pair, sizeof(pair)));
}

void
tape_compare_check_design(const struct tape_compare_set *set,
    const struct tape_compare_vary *vary, struct tape_compare_design *design,
    struct tape_compare_notes *notes)
{
	check_count(set, design, notes);
	check_arms(set, notes);
	check_interleaving(design, notes);
	check_times(design, notes);
	tape_compare_check_conditions(design, vary, notes);
	tape_compare_check_sessions(set, design, vary, notes);
	tape_compare_check_devices(design, vary, notes);
}
