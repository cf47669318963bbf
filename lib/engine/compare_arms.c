/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_arms.h"

#include "base/mem.h"

#include <stdlib.h>

static bool
has(struct tape_strs list, struct tape_str label)
{
	for (size_t i = 0; i < list.n; i++)
		if (tape_compare_text_order(list.v[i], label) == 0)
			return true;
	return false;
}

/* Those of a longer list that are in a shorter one; how many. */
static size_t
pick(struct tape_strs from, struct tape_strs known, struct tape_str *to)
{
	size_t n = 0;

	for (size_t i = 0; i < from.n && n < known.n; i++)
		if (has(known, from.v[i]))
			to[n++] = from.v[i];
	return n;
}

/* Puts a label where it belongs by name. */
static void
insert(struct tape_str *v, size_t n, struct tape_str label)
{
	while (n > 0 && tape_compare_text_order(v[n - 1], label) > 0) {
		v[n] = v[n - 1];
		n--;
	}
	v[n] = label;
}

enum tape_status
tape_compare_find_arms(struct tape_compare_set *set, struct tape_strs *out,
    bool *by_name, struct tape_err *err)
{
	struct tape_str found[TAPE_COMPARE_ARMS_MAX];
	struct tape_strs known = { found, 0 };
	struct tape_str *v;

	for (size_t i = 0; i < set->run_count; i++) {
		if (has(known, set->runs[i].label))
			continue;
		if (known.n == TAPE_COMPARE_ARMS_MAX)
			return tape_err_set(err, TAPE_E_USAGE,
			    "runs of more than %d arms: name some with --arms",
			    TAPE_COMPARE_ARMS_MAX);
		insert(found, known.n++, set->runs[i].label);
	}
	v = tape_arena_alloc(&set->arena, known.n + 1, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	*out = (struct tape_strs){ v, known.n };
	if (pick(set->arms, known, v) == known.n)
		return TAPE_OK;
	for (size_t i = 0; i < known.n; i++)
		v[i] = found[i];
	*by_name = known.n > 1 && !(known.n == 2 && tape_str_is(v[0], "A") &&
				      tape_str_is(v[1], "B"));
	return TAPE_OK;
}

enum tape_status
tape_compare_halve(struct tape_compare_set *set, struct tape_err *err)
{
	struct tape_compare_run **v = tape_mem_calloc(
	    set->run_count + 1, sizeof(struct tape_compare_run *));

	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < set->run_count; i++)
		v[i] = &set->runs[i];
	qsort(v, set->run_count, sizeof(*v), tape_compare_by_time);
	for (size_t i = 0; i < set->run_count; i++) {
		bool turned = i / 2 % 4 == 1 || i / 2 % 4 == 2;

		v[i]->arm =
		    (i % 2 == 1) != turned ? TAPE_COMPARE_B : TAPE_COMPARE_A;
		if (i % 2 == 0 && i + 1 == set->run_count)
			v[i]->arm = TAPE_COMPARE_ARMS;
	}
	tape_mem_free(v);
	set->halved = true;
	set->arm_name[TAPE_COMPARE_A] = tape_str_of("half 1");
	set->arm_name[TAPE_COMPARE_B] = tape_str_of("half 2");
	return TAPE_OK;
}
