/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grouping: labels of a run and of its requests: joined for a result, and
 * turned into the group of --by.
 *
 * A request's label wins over the run's of that name.  A group is the JSON
 * object of the named labels, in the order of the names; a label that is not
 * there is left out.  A name that is no label is looked for among the run's
 * fields arm, round, model, concurrency and rate_per_s.
 */
#ifndef TAPE_ENGINE_GROUPING_H
#define TAPE_ENGINE_GROUPING_H

#include "base/arena.h"
#include "base/buf.h"
#include "codec/json.h"
#include "record/record.h"

#define TAPE_GROUPING_NAMES 16

struct tape_grouping {
	size_t n;                                   /* names; 0: no groups */
	struct tape_str names[TAPE_GROUPING_NAMES]; /* borrowed */
	bool seen[TAPE_GROUPING_NAMES]; /* some key has a value of it */
	/* The rest is private. */
	struct tape_json outer, inner;
	struct tape_buf joined;    /* the labels last joined */
	struct tape_buf joined_of; /* from these of the request */
	bool valid;                /* joined is that, of this run */
	struct tape_buf key;
	struct tape_arena arena;
};

/* names (NULL: no groups) is "isl,osl" and outlives g.  TAPE_E_USAGE: an empty
   or repeated name, or too many.  Release g in every case. */
enum tape_status tape_grouping_init(struct tape_grouping *g, const char *names,
    struct tape_err *err) TAPE_NODISCARD;
void tape_grouping_release(struct tape_grouping *g);

/* A run begins: its labels may be others. */
void tape_grouping_restart(struct tape_grouping *g);

/*
 * The labels of both as one object; absent when neither has any.  *out is
 * borrowed from the arguments, or from g until the next call.  TAPE_E_FORMAT
 * when labels that are looked into are no object.
 */
enum tape_status tape_grouping_join(struct tape_grouping *g,
    struct tape_str run_labels, struct tape_str request_labels,
    struct tape_str *out, struct tape_err *err) TAPE_NODISCARD;

/* The group of joined labels; *out is borrowed from g until the next call.
   With no names it is absent. */
enum tape_status tape_grouping_key(struct tape_grouping *g,
    struct tape_str labels, const struct tape_run *run, struct tape_str *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Order of two groups: name by name, numbers by value (also those in strings),
 * before texts by their bytes, before labels that are not there.
 */
int tape_grouping_compare(
    struct tape_grouping *g, struct tape_str a, struct tape_str b);

#endif
