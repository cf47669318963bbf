/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_args.h"

#include "base/num.h"
#include "engine/compare_arms.h"
#include "engine/compare_design.h"
#include "engine/compare_rows.h"

#include <stdio.h>

#define NAME_ROOM 48

/* The next of a list: its length; *p moves behind the comma, or to NULL. */
static size_t
next_of(const char **p)
{
	size_t n = strcspn(*p, ",");

	*p = (*p)[n] == ',' ? *p + n + 1 : NULL;
	return n;
}

enum tape_status
tape_compare_parse_looks(
    const char *text, struct tape_compare_seq *seq, struct tape_err *err)
{
	struct tape_compare_seq s = *seq;
	const char *p = text;

	s.plan = TAPE_COMPARE_PLANNED;
	s.look_count = 0;
	while (p != NULL) {
		const char *from = p;
		char number[NAME_ROOM];
		uint64_t least = TAPE_COMPARE_PAIRS_MIN, pairs;
		size_t n = next_of(&p);

		if (s.look_count == TAPE_STAT_LOOKS_MAX)
			return tape_err_set(err, TAPE_E_USAGE,
			    "--looks: more than %d", TAPE_STAT_LOOKS_MAX);
		if (s.look_count > 0)
			least = s.looks[s.look_count - 1] + 1;
		(void)snprintf(number, sizeof(number), "%.*s", (int)n, from);
		if (n >= sizeof(number) ||
		    tape_num_u64(number, least, TAPE_COMPARE_RUNS_MAX / 2,
			&pairs, NULL) != TAPE_OK)
			return tape_err_set(err, TAPE_E_USAGE,
			    "--looks: '%.*s' is not a number of pairs from "
			    "%llu on: they rise, as 8,12,20",
			    (int)n, from, (unsigned long long)least);
		s.looks[s.look_count++] = pairs;
	}
	*seq = s;
	return TAPE_OK;
}

/* The name of a row as an option has it. */
static const char *
row_word(size_t i, char dst[NAME_ROOM])
{
	(void)tape_compare_row_name(&tape_compare_row_table[i], dst, NAME_ROOM);
	for (char *c = dst; *c != '\0'; c++)
		if (*c == ' ')
			*c = '-';
	return dst;
}

static enum tape_status
refuse_row(const char *name, size_t n, struct tape_err *err)
{
	char all[512], word[NAME_ROOM];
	size_t at = 0;

	all[0] = '\0';
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		int added = snprintf(all + at, sizeof(all) - at, "%s%s",
		    i == 0 ? "" : ", ", row_word(i, word));

		if (added > 0 && (size_t)added < sizeof(all) - at)
			at += (size_t)added;
	}
	return tape_err_set(err, TAPE_E_USAGE,
	    "--primary: '%.*s' is none of %s", (int)n, name, all);
}

enum tape_status
tape_compare_parse_rows(const char *text, uint64_t *rows, struct tape_err *err)
{
	const char *p = text;

	while (p != NULL) {
		const char *from = p;
		char word[NAME_ROOM];
		size_t n = next_of(&p), i = 0;

		while (i < TAPE_COMPARE_ROWS &&
		       !tape_str_is(tape_str_make(from, n), row_word(i, word)))
			i++;
		if (i == TAPE_COMPARE_ROWS)
			return refuse_row(from, n, err);
		*rows |= UINT64_C(1) << i;
	}
	return TAPE_OK;
}

enum tape_status
tape_compare_parse_arms(const char *text, struct tape_arena *arena,
    struct tape_strs *out, struct tape_err *err)
{
	struct tape_str *v =
	    tape_arena_alloc(arena, TAPE_COMPARE_ARMS_MAX, sizeof(*v));
	const char *p = text;
	size_t n = 0;

	if (v == NULL)
		return tape_err_nomem(err);
	while (p != NULL) {
		const char *from = p;
		size_t len = next_of(&p);

		if (len == 0 || n == TAPE_COMPARE_ARMS_MAX)
			return tape_err_set(err, TAPE_E_USAGE,
			    "--arms takes two labels, as base,candidate, or "
			    "more");
		v[n] = tape_str_make(from, len);
		for (size_t i = 0; i < n; i++)
			if (tape_str_equal(v[i], v[n]))
				return tape_err_set(err, TAPE_E_USAGE,
				    "--arms takes two different labels");
		n++;
	}
	if (n < TAPE_COMPARE_ARMS)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--arms takes two labels, as base,candidate, or more");
	*out = (struct tape_strs){ v, n };
	return TAPE_OK;
}

enum tape_status
tape_compare_name_arms(
    const char *arms, struct tape_compare_set *set, struct tape_err *err)
{
	struct tape_strs list;
	enum tape_status st;

	if (arms == NULL)
		return TAPE_OK;
	st = tape_compare_parse_arms(arms, &set->arena, &list, err);
	if (st != TAPE_OK)
		return st;
	if (list.n > TAPE_COMPARE_ARMS) {
		set->many = list;
		return TAPE_OK;
	}
	set->arm_name[TAPE_COMPARE_A] = list.v[0];
	set->arm_name[TAPE_COMPARE_B] = list.v[1];
	set->named = true;
	return TAPE_OK;
}
