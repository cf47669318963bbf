/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steady: which requests of a run lie behind its warm-up and before its drain.
 *
 * Of a closed loop those are cut first that were sent before so many were in
 * flight as are to be (95 % of the concurrency), and those from the first one
 * on that was still under way when for the last time fewer were.  Where a
 * request is cut is by its start only, so that slow ones are not left out
 * rather than fast ones.
 *
 * Of the rest, in the order of starts, MSER-5 (codec/stat_steady.h) says of
 * ttft, tpot and latency each how many at the start are warm-up; what is cut is
 * the most.  With fewer than 50 requests, where a metric says that it never
 * became steady, or where the loop was never full, nothing is cut at all, and
 * the reason is told.
 *
 * What counts, all where nothing was cut, is then looked at for what still
 * changes (engine/trends.h): these three, and in an open loop how many were in
 * flight when each was sent.  Of a closed loop it is told how full it was: less
 * than 95 % is not the load that was asked for.
 *
 * Until the whole run is there each request is held, with its gaps: about a KiB
 * and eight bytes a gap.
 */
#ifndef TAPE_ENGINE_STEADY_H
#define TAPE_ENGINE_STEADY_H

#include "base/buf.h"
#include "engine/measure.h"
#include "engine/summarize.h"
#include "engine/trends.h"

/* Of the slots of a closed loop: so many are to be in use. */
#define TAPE_STEADY_FULL 0.95

/* The metrics that are looked at. */
#define TAPE_STEADY_METRICS 3
extern const int tape_steady_metrics[TAPE_STEADY_METRICS];

enum tape_steady_why {
	TAPE_STEADY_FOUND,
	TAPE_STEADY_FEW,   /* fewer than MSER-5 needs */
	TAPE_STEADY_NEVER, /* MSER-5 wants to cut as much as it may */
	TAPE_STEADY_EMPTY  /* a closed loop that was never full */
};

struct tape_steady_mean {
	uint64_t n;
	double mean; /* NaN: none */
};

struct tape_steady_cut {
	enum tape_steady_why why;
	int metric; /* of TAPE_STEADY_NEVER */
	/* Requests count that were sent from the one and before the other time;
	   TAPE_ABSENT_I64: from the first, to the last. */
	int64_t from_ns, to_ns;
	/* Successful requests: all, of these before from_ns, and of these those
	   by concurrency; from to_ns on. */
	uint64_t all, warmup, ramp, drain;
	bool closed; /* a closed loop, of known concurrency: */
	int64_t slots;
	double open_mean; /* of these in use, while what counts was sent */
	struct tape_steady_mean whole[TAPE_STEADY_METRICS]; /* without cuts */
	struct tape_steady_mean kept[TAPE_STEADY_METRICS];
	struct tape_trend trend[TAPE_STEADY_METRICS];
	struct tape_trend flight; /* of an open loop */
};

/* A request, held; cancelled ones too. */
struct tape_steady_item {
	struct tape_measured
	    m;        /* no span of it holds but what hand back says */
	uint64_t key; /* tape_tally_key */
	size_t group;
	size_t id_at, id_len;
	size_t gap_at, gap_n; /* token gaps lie behind the gaps */
};

/* An attempt in flight. */
struct tape_steady_flight {
	int64_t start_ns, end_ns;
	bool measured;
};

struct tape_steady {
	struct tape_steady_item *items;
	size_t item_n, item_cap;
	struct tape_steady_flight *flights;
	size_t flight_n, flight_cap;
	double *gaps;
	size_t gap_n, gap_cap;
	struct tape_buf ids;
};

void tape_steady_init(struct tape_steady *s);
void tape_steady_release(struct tape_steady *s);

/* An attempt, of the warm-up too, whatever became of it.  TAPE_E_NOMEM. */
enum tape_status tape_steady_fly(struct tape_steady *s,
    const struct tape_measured *m, struct tape_err *err) TAPE_NODISCARD;

/* A successful or cancelled request, which is copied.  TAPE_E_NOMEM. */
enum tape_status tape_steady_hold(struct tape_steady *s,
    const struct tape_measured *m, const double *gaps, size_t gap_n,
    size_t group, struct tape_err *err) TAPE_NODISCARD;

/* Puts the requests in the order of their starts and finds the cut;
   concurrency is that of a closed loop, else TAPE_ABSENT_I64. */
enum tape_status tape_steady_decide(struct tape_steady *s, int64_t concurrency,
    struct tape_steady_cut *out, struct tape_err *err) TAPE_NODISCARD;

/* Fills the trends of a cut; after tape_steady_decide. */
enum tape_status tape_steady_trends(const struct tape_steady *s,
    struct tape_steady_cut *cut, struct tape_err *err) TAPE_NODISCARD;

/* Whether a request that was sent then counts. */
bool tape_steady_counts(const struct tape_steady_cut *cut, int64_t start_ns);

/* A held request as it came: its id, its token gaps and the gaps, borrowed; all
   other spans are empty. */
const double *tape_steady_back(
    const struct tape_steady *s, size_t i, struct tape_measured *out);

/* Room for the field trend of summaries, which point to it. */
struct tape_steady_text {
	char v[TAPE_STEADY_METRICS + 1][TAPE_TREND_TEXT];
};

/* Says in the summaries of all requests what was cut, or that nothing was, and
   what changes, and takes their means into the cut.  text outlives set. */
enum tape_status tape_steady_mark(struct tape_steady_cut *cut,
    struct tape_summarize_set *set, struct tape_steady_text *text,
    struct tape_err *err) TAPE_NODISCARD;

#endif
