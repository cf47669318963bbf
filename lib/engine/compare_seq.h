/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_seq: looking at a comparison while pairs are still added to it.
 *
 * Testing after every pair turns 5 % of false verdicts into 23 % within 20.
 * Two plans do not.  n is the number of rows of the family that have data.
 *
 *	anytime	after every pair, for ever: the symmetric e-process of each
 *		row (stat_eproc.h), with the margin as its scale (2 % without
 *		one); a row is found when E reaches n / alpha
 *	planned	at given numbers of pairs: the p of the row's test (sign flip
 *		from 6 pairs, paired t below) against the nominal p of alpha
 *		spending at alpha / n, by the share of the last look's pairs
 *
 * A look is made of a prefix of the pairs, in order of time, so that all
 * earlier looks come out again whenever pairs are added: a walk goes through
 * them.  What was found at one look stays found.
 */
#ifndef TAPE_ENGINE_COMPARE_SEQ_H
#define TAPE_ENGINE_COMPARE_SEQ_H

#include "codec/stat_eproc.h"
#include "engine/compare_infer.h"

/* The scale of the e-process without a margin. */
#define TAPE_COMPARE_SCALE_RATIO 0.02

/* What one look comes to. */
struct tape_compare_look {
	size_t pairs;
	size_t row;   /* the one with the strongest evidence */
	double e;     /* anytime: of that row; else NaN */
	double p;     /* of that row: anytime-valid, or nominal */
	double bound; /* that e has to reach, or p must not exceed */
	bool crossed; /* by that row, at this look */
};

struct tape_compare_walk {
	const struct tape_compare_row *rows;
	const struct tape_compare_opts *opts;
	size_t k;
	size_t family;                     /* rows in it that have data */
	size_t looks;                      /* made so far */
	double bound[TAPE_STAT_LOOKS_MAX]; /* nominal p of each planned look */
	struct tape_stat_eproc e[TAPE_COMPARE_ROWS];
	double p[TAPE_COMPARE_ROWS]; /* at the last look; NaN: not tested */
	bool found[TAPE_COMPARE_ROWS];
};

/* Whether row i belongs to the family that the options name. */
bool tape_compare_is_primary(const struct tape_compare_opts *opts, size_t i);

/* Begins a walk over the rows, which must outlive it.  The options have a plan
   that is not fixed.  Nothing is to be released. */
enum tape_status tape_compare_walk_open(struct tape_compare_walk *w,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS], size_t k,
    const struct tape_compare_opts *opts, struct tape_err *err) TAPE_NODISCARD;

/* Makes the next look; TAPE_EOF when the pairs allow no further one. */
enum tape_status tape_compare_walk_next(struct tape_compare_walk *w,
    struct tape_compare_look *look, struct tape_err *err) TAPE_NODISCARD;

/* Pairs at the next look after k; 0 when there is none. */
size_t tape_compare_next_look(const struct tape_compare_seq *s, size_t k);

/*
 * The figures of all rows by the plan, in place of those that hold for one
 * look only: test, p and interval.  found[i]: row i of the family crossed its
 * bound; equivalent[i], noninferior[i]: shown within the margin.
 */
struct tape_compare_found {
	bool found[TAPE_COMPARE_ROWS];
	bool equivalent[TAPE_COMPARE_ROWS];
	bool noninferior[TAPE_COMPARE_ROWS];
	double p_adjusted[TAPE_COMPARE_ROWS]; /* NaN with planned looks */
	size_t family;
};

enum tape_status tape_compare_seq_judge(
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS], size_t k,
    const struct tape_compare_opts *opts,
    struct tape_compare_figures *const f[TAPE_COMPARE_ROWS],
    struct tape_compare_found *out, struct tape_err *err) TAPE_NODISCARD;

#endif
