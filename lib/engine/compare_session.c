/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_session.h"

#include "base/clock.h"
#include "base/num.h"

#include <stdio.h>

#define NAME_ROOM  48
#define SHOWN_ROOM 64
#define DAY_ROOM   17 /* 2026-03-01T12:00 */

/* What the second run of a pair has to have of the first. */
enum apart { FAR, BOOT, HOST, APARTS };

struct apart_pairs {
	size_t n;
	size_t first;
	int64_t most_ns; /* FAR: the longest pause */
};

static int64_t
pause_of(const struct tape_compare_pair *p)
{
	int64_t ns;

	if (__builtin_sub_overflow(tape_compare_second(p)->start_ns,
		tape_compare_first(p)->end_ns, &ns))
		return 0; /* a time that cannot be: refused as such */
	return ns;
}

static bool
differ(struct tape_str a, struct tape_str b)
{
	return a.p != NULL && b.p != NULL && !tape_str_equal(a, b);
}

static bool
is_apart(const struct tape_compare_pair *p, enum apart what, int64_t within_ns)
{
	const struct tape_compare_run *x = p->run[TAPE_COMPARE_A];
	const struct tape_compare_run *y = p->run[TAPE_COMPARE_B];

	switch (what) {
	case FAR:
		return pause_of(p) > within_ns;
	case BOOT:
		return differ(x->boot, y->boot);
	case HOST:
		return differ(x->host, y->host);
	case APARTS:
		break;
	}
	return false;
}

static struct apart_pairs
find_apart(
    const struct tape_compare_design *d, enum apart what, int64_t within_ns)
{
	struct apart_pairs a = { .n = 0 };

	for (size_t i = 0; i < d->k; i++) {
		if (!is_apart(&d->pairs[i], what, within_ns))
			continue;
		if (a.n++ == 0)
			a.first = i;
		if (pause_of(&d->pairs[i]) > a.most_ns)
			a.most_ns = pause_of(&d->pairs[i]);
	}
	return a;
}

/* Minutes, or hours from two on. */
static const char *
show_pause(int64_t ns, char dst[TAPE_NUM_TEXT])
{
	double minutes = (double)ns / 60e9;

	if (minutes < 120)
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.3g min", minutes);
	else
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.4g h", minutes / 60);
	return dst;
}

static void
refuse_far(const struct tape_compare_design *d, const struct apart_pairs *a,
    int64_t within_ns, struct tape_compare_notes *notes)
{
	char pair[NAME_ROOM], most[TAPE_NUM_TEXT], limit[TAPE_NUM_TEXT];

	tape_compare_note(notes, TAPE_COMPARE_REFUSE, "far-apart",
	    "the runs of %zu of %zu pairs lie over %s apart (up to %s; first "
	    "in %s): between them the machine may have become another; run "
	    "them one after the other, or widen --within",
	    a->n, d->k, show_pause(within_ns, limit),
	    show_pause(a->most_ns, most),
	    tape_compare_pair_name(d, a->first, pair, sizeof(pair)));
}

static void
refuse_other(const struct tape_compare_design *d, const struct apart_pairs *a,
    enum apart what, struct tape_compare_notes *notes)
{
	const struct tape_compare_pair *p = &d->pairs[a->first];
	char pair[NAME_ROOM], x[SHOWN_ROOM], y[SHOWN_ROOM];
	const char *name = what == BOOT ? "boot" : "host";

	(void)tape_compare_pair_name(d, a->first, pair, sizeof(pair));
	if (what == BOOT)
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, name,
		    "the machine was started anew between the runs of %zu of "
		    "%zu pairs, first in %s (--vary boot takes them)",
		    a->n, d->k, pair);
	else
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, name,
		    "the runs of %zu of %zu pairs were sent from different "
		    "hosts, first in %s (A: %s; B: %s): --vary host takes them",
		    a->n, d->k, pair,
		    tape_compare_show(
			p->run[TAPE_COMPARE_A]->host, x, sizeof(x)),
		    tape_compare_show(
			p->run[TAPE_COMPARE_B]->host, y, sizeof(y)));
}

static char *
day_of(int64_t wall_ns, char dst[DAY_ROOM])
{
	char iso[TAPE_CLOCK_ISO];

	(void)tape_clock_print_iso(wall_ns, iso);
	(void)snprintf(dst, DAY_ROOM, "%.16s", iso);
	return dst;
}

/* First start and last end of an arm's runs; false when it has none. */
static bool
span_of(const struct tape_compare_set *set, size_t arm, int64_t *first_ns,
    int64_t *last_ns)
{
	bool any = false;

	for (size_t i = 0; i < set->run_count; i++) {
		const struct tape_compare_run *r = &set->runs[i];

		if (r->arm != arm)
			continue;
		if (!any || r->start_ns < *first_ns)
			*first_ns = r->start_ns;
		if (!any || r->end_ns > *last_ns)
			*last_ns = r->end_ns;
		any = true;
	}
	return any;
}

/* An archive of another day: one arm's runs are over long before those of the
   other begin. */
static bool
refuse_archive(const struct tape_compare_set *set, int64_t within_ns,
    struct tape_compare_notes *notes)
{
	int64_t from[TAPE_COMPARE_ARMS], to[TAPE_COMPARE_ARMS];
	char a[DAY_ROOM], b[DAY_ROOM];
	size_t old;

	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++)
		if (!span_of(set, arm, &from[arm], &to[arm]))
			return false;
	old = from[0] <= from[1] ? 0 : 1;
	if (from[1 - old] - to[old] <= within_ns)
		return false;
	tape_compare_note(notes, TAPE_COMPARE_REFUSE, "cross-session",
	    "A was measured from %s on and B from %s on, in sessions of their "
	    "own: a day cannot be told from a deployment; run the baseline "
	    "again, interleaved with the candidate, put bounds on the "
	    "candidate (--gate), or go through a reference that ran in both "
	    "(--canary)",
	    day_of(from[0], a), day_of(from[1], b));
	return true;
}

void
tape_compare_check_sessions(const struct tape_compare_set *set,
    const struct tape_compare_design *design,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes)
{
	static const unsigned bits[APARTS] = { 0, TAPE_COMPARE_VARY_BOOT,
		TAPE_COMPARE_VARY_HOST };
	int64_t within_ns =
	    set->within_ns > 0 ? set->within_ns : TAPE_COMPARE_WITHIN_NS;

	bool archive = refuse_archive(set, within_ns, notes);

	for (unsigned i = 0; i < APARTS; i++) {
		struct apart_pairs a = find_apart(design, i, within_ns);

		if (a.n == 0 || (i == FAR && archive) ||
		    (vary != NULL && (vary->bits & bits[i]) != 0))
			continue;
		if (i == FAR)
			refuse_far(design, &a, within_ns, notes);
		else
			refuse_other(design, &a, i, notes);
	}
}
