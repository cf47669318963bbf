/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_conditions: whether two arms were given equal work under equal
 * conditions, but for what is declared to be compared.
 */
#ifndef TAPE_ENGINE_COMPARE_CONDITIONS_H
#define TAPE_ENGINE_COMPARE_CONDITIONS_H

#include "engine/compare_pair.h"

/* What may differ between the arms, being what is compared. */
enum tape_compare_varied {
	TAPE_COMPARE_VARY_MODEL = 1 << 0,
	TAPE_COMPARE_VARY_EXTRA = 1 << 1, /* what is put into requests */
	TAPE_COMPARE_VARY_LOAD = 1 << 2,  /* loop, concurrency, rate */
	TAPE_COMPARE_VARY_TRACE = 1 << 3, /* its hash, requests, passes, salt */
	TAPE_COMPARE_VARY_API = 1 << 4,   /* dialect, streaming */
	TAPE_COMPARE_VARY_WARMUP = 1 << 5,
	TAPE_COMPARE_VARY_TOOL = 1 << 6, /* versions; t0 of the times */
	TAPE_COMPARE_VARY_CLIENT = 1
				   << 7, /* whose; connections, threads, ... */
	TAPE_COMPARE_VARY_LIMITS = 1 << 8, /* of the server */
	TAPE_COMPARE_VARY_BOOT = 1 << 9,   /* of these two no run has its own */
	TAPE_COMPARE_VARY_HOST = 1 << 10,  /* value: compare_session.h */
	TAPE_COMPARE_VARY_DEVICE = 1 << 11
};

#define TAPE_COMPARE_CONDITIONS 12

/* Their names, in the order of their bits. */
extern const char *const tape_compare_condition_names[TAPE_COMPARE_CONDITIONS];

/* Names besides those of conditions: of meta data, as server_cmd. */
#define TAPE_COMPARE_VARY_META 32

struct tape_compare_vary {
	unsigned bits;
	struct tape_str meta[TAPE_COMPARE_VARY_META]; /* borrowed */
	size_t meta_n;
};

/* Adds a list, separated by commas.  TAPE_E_USAGE: an empty name, or too many;
   which names of meta data there are only the runs can tell. */
enum tape_status tape_compare_parse_vary(const char *p,
    struct tape_compare_vary *vary, struct tape_err *err) TAPE_NODISCARD;

/* TAPE_E_USAGE: a name that is that of no condition, and of no run's meta. */
enum tape_status tape_compare_check_vary(const struct tape_compare_set *set,
    const struct tape_compare_vary *vary, struct tape_err *err) TAPE_NODISCARD;

/* Conditions as a run's start has them, and what only its end knows of a trace
   that was still being read.  TAPE_E_NOMEM. */
enum tape_status tape_compare_keep_conditions(struct tape_compare_set *set,
    const struct tape_run *r, struct tape_compare_conditions *c,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_compare_complete_conditions(struct tape_compare_set *set,
    const struct tape_run *r, struct tape_compare_conditions *c,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Refused: conditions that differ between the arms and are not in vary, or
 * between the rounds of an arm; meta data likewise, where what one run has and
 * another lacks differs, too.  vary may be NULL: nothing may differ.
 */
void tape_compare_check_conditions(const struct tape_compare_design *design,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes);

#endif
