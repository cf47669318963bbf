/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several comparisons judged together, and the points of a sweep. */
#include "engine/compare_family.h"

#include "engine/compare_point.h"
#include "unit/compare_make.h"
#include "unit/compare_rows_make.h"

static const double slow[] = { .050, .051, .049, .052, .048, .050, .047 };
static const double even[] = { .011, -.012, .003, -.004, .013, -.012, .002 };

static void
judge_two(struct outcome *a, struct outcome *b)
{
	struct tape_compare_case cases[2] = {
		{ &a->design, a->rows, &a->verdict, &a->notes },
		{ &b->design, b->rows, &b->verdict, &b->notes },
	};

	tape_compare_notes_release(&a->notes);
	tape_compare_notes_release(&b->notes);
	is_int(tape_compare_judge_all(cases, 2, &a->opts, NULL), TAPE_OK,
	    "two are judged");
}

static void
test_joint(void)
{
	struct outcome a, b;

	open_pairs(&a, 6, TAPE_ABSENT_F64);
	open_pairs(&b, 6, TAPE_ABSENT_F64);
	set_row(&a, ITL, slow, 0);
	set_row(&b, ITL, even, 0);
	judge_two(&a, &b);
	is_int(a.verdict.family, 2, "one family of two rows");
	is_near(a.verdict.rows[ITL].p_adjusted, 2.0 / 64, 1e-12,
	    "with as many pairs, flipped alike: no price where it is alone");
	is_int(a.verdict.rows[ITL].status, TAPE_COMPARE_LOSS, "a loss");
	ok(b.verdict.rows[ITL].p_adjusted >= a.verdict.rows[ITL].p_adjusted,
	    "the other row is adjusted, too");
	outcome_release(&b);
	open_pairs(&b, 7, TAPE_ABSENT_F64);
	set_row(&b, ITL, even, 0);
	judge_two(&a, &b);
	is_near(a.verdict.rows[ITL].p_adjusted, 4.0 / 64, 1e-12,
	    "with other numbers of pairs, times two");
	is_int(a.verdict.rows[ITL].status, TAPE_COMPARE_POSSIBLE_LOSS,
	    "which is no loss any more");
	outcome_release(&b);
	open_pairs(&b, 2, TAPE_ABSENT_F64);
	set_row(&b, ITL, slow, 0);
	judge_two(&a, &b);
	is_near(a.verdict.rows[ITL].p_adjusted, 2.0 / 64, 1e-12,
	    "one that cannot be judged costs nothing");
	is_int(b.verdict.overall, TAPE_COMPARE_ALL_NONE, "and has no verdict");
	outcome_release(&b);
	outcome_release(&a);
}

static void
test_points(void)
{
	static const char *const texts[] = { "{\"c\":16}", "{\"c\":4}",
		"{\"c\":\"x\"}", "{\"c\":16}" };
	struct tape_str point[4], list[TAPE_COMPARE_POINTS_MAX];
	char text[40];
	size_t n;

	for (int i = 0; i < 4; i++)
		point[i] = tape_str_of(texts[i]);
	make_must(tape_compare_list_points(point, 4, list, &n, NULL));
	is_int((int64_t)n, 3, "three points");
	ok(tape_str_is(list[0], texts[1]) && tape_str_is(list[1], texts[0]) &&
		tape_str_is(list[2], texts[2]),
	    "by number, then by name");
	is_str(tape_compare_point_text(
		   tape_str_of("{\"concurrency\":4,\"set\":\"s\"}"), text,
		   sizeof(text)),
	    "concurrency 4, set s", "for people");
	(void)tape_compare_point_text(list[0], text, 4);
	is_str(text, "c 4", "cut to its room");
}

int
main(void)
{
	test_joint();
	test_points();
	return done_testing();
}
