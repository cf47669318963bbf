/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_method: how a comparison is to be tested.  Zero is the default of all
 * but alpha, margin_ratio and seed.
 */
#ifndef TAPE_ENGINE_COMPARE_METHOD_H
#define TAPE_ENGINE_COMPARE_METHOD_H

#include "codec/stat_looks.h"

#include <stdbool.h>
#include <stdint.h>

/* When the pairs are looked at. */
enum tape_compare_plan {
	TAPE_COMPARE_FIXED,   /* once, when all are there */
	TAPE_COMPARE_ANYTIME, /* after every pair: e-process */
	TAPE_COMPARE_PLANNED  /* at looks that are fixed: alpha spending */
};

struct tape_compare_seq {
	enum tape_compare_plan plan;
	size_t looks[TAPE_STAT_LOOKS_MAX]; /* pairs at each planned look */
	size_t look_count;
	enum tape_stat_spending spending;
	size_t max_pairs; /* ends undecided there; 0: no end */
};

/* The interval that is printed, and that statuses go by. */
enum tape_compare_ci {
	TAPE_COMPARE_CI_T,
	TAPE_COMPARE_CI_EXACT, /* of the sign flip, from 6 pairs on */
	TAPE_COMPARE_CI_BOOT   /* of pairs, then requests, likewise */
};

struct tape_compare_opts {
	double alpha;
	double margin_ratio; /* 0.02 for 2 %; NaN: none was given */
	uint64_t seed;       /* of Monte Carlo sign vectors, and resamples */
	enum tape_compare_ci ci;
	uint64_t primary; /* bit i: row i belongs to the family; 0: all do */
	bool exploratory; /* BH: the share of false rows, not any false row */
	struct tape_compare_seq seq;
	bool shape;   /* deciles and Cliff's delta in the table */
	bool aa;      /* equal arms: what is found is false */
	bool brief;   /* without what no status goes by: exact interval, HL */
	size_t cases; /* comparisons judged together; 0: one */
};

#endif
