/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally: the values of one run, or of one group of its requests, as they come:
 * a column of doubles for each metric, and sums.
 *
 * Nothing is thrown away or rounded: quantiles are exact.  Memory is eight bytes
 * a value and 16 a request; that of pooled values is bounded (engine/pool.h).
 *
 * In whichever order requests are added, what is made of a tally is the same,
 * to the last bit: series are taken in the order of starts, sums of doubles
 * from sorted values, and other sums are of whole numbers below 2^53.
 */
#ifndef TAPE_ENGINE_TALLY_H
#define TAPE_ENGINE_TALLY_H

#include "engine/inflight.h"
#include "engine/measure.h"
#include "engine/metrics.h"
#include "engine/pool.h"

/* Of a metric with one value a request, v[i] is that of the i-th successful
   request, NaN where it has none; from n on there are no more. */
struct tape_tally_column {
	double *v;
	size_t n;
	size_t cap;
};

/* A successful request: when it was sent, and a digest of what it is, by which
   those of one time are ordered. */
struct tape_tally_row {
	int64_t start_ns;
	uint64_t key;
};

struct tape_tally {
	struct tape_tally_column column[TAPE_METRIC_COUNT];
	struct tape_pool gaps, token_gaps; /* the metrics of kind POOLED */
	struct tape_tally_row *rows;       /* ok of them */
	size_t row_cap;
	bool basic; /* set behind init: keeps no extra metrics */
	double sum[TAPE_SUM_COUNT];
	struct tape_inflight inflight; /* every attempt; none when basic */
	uint64_t ok;
	uint64_t failed;
	uint64_t cancelled; /* on purpose */
	uint64_t retried;   /* of all these, sent more than once */
	uint64_t good;
	uint64_t from_events; /* ok, output tokens counted by events */
	uint64_t reasoned;    /* ok, with reasoning */
	uint64_t choices;     /* ok, with several choices */
	uint64_t backwards;   /* gaps below zero */
	uint64_t to_end;      /* ok and streamed, latency is to the end */
	uint64_t merged; /* token events; of them those merged with another */
	uint64_t events;
	double total_tokens; /* of those with both counts */
	uint64_t total_n;
	/* Output tokens that shared an event with another, and all output
	   tokens, of streamed requests with usage. */
	double shared_tokens;
	double usage_tokens;
	int64_t first_ns; /* first send; TAPE_ABSENT_I64 none */
	int64_t last_ns;  /* last token event of a successful request */
};

void tape_tally_init(struct tape_tally *t);
void tape_tally_release(struct tape_tally *t);

/* Behind init: bytes of memory for each pool, and the folder (borrowed) of what
   does not fit. */
void tape_tally_limit(struct tape_tally *t, size_t bytes, const char *dir);

/* The values of a metric of kind POOLED. */
struct tape_pool *tape_tally_pool(struct tape_tally *t, int metric);

/* A successful request of the measured ones, with its gaps.  On TAPE_E_NOMEM
   and TAPE_E_IO the tally is to be released. */
enum tape_status tape_tally_add(struct tape_tally *t,
    const struct tape_measured *m, const double *gaps, size_t gap_n,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Each attempt of a measured one, whatever became of it, was in flight: until
 * its last token event when it succeeded, else until its end.  Of those that
 * did not succeed tokens count for nothing.  TAPE_E_NOMEM.
 */
enum tape_status tape_tally_fly(struct tape_tally *t,
    const struct tape_measured *m, struct tape_err *err) TAPE_NODISCARD;

/* A failed one, by class of its error, and one that was cancelled on purpose;
   attempt is its last, start_ns that of its first; input_tokens are the
   trace's. */
void tape_tally_fail(struct tape_tally *t, struct tape_str class,
    int64_t attempt, int64_t start_ns, int64_t input_tokens);
void tape_tally_cancel(struct tape_tally *t, const struct tape_result *r);

/* When a request was sent first. */
int64_t tape_tally_began_ns(const struct tape_result *r);

/* A digest of a request, the same for each of its attempts. */
uint64_t tape_tally_key(const struct tape_result *r);

/* The requests of several tallies, in the order of their starts. */
struct tape_tally_place {
	int64_t start_ns;
	uint64_t key;
	uint32_t tally;
	uint32_t row;
};

struct tape_tally_order {
	struct tape_tally_place *v; /* NULL: as they stand in the tallies */
	size_t n;
};

/* Release out in every case.  TAPE_E_NOMEM; TAPE_E_LIMIT from 2^32 requests on
   that are to be sorted. */
enum tape_status tape_tally_order(struct tape_tally *const *tallies, size_t n,
    struct tape_tally_order *out, struct tape_err *err) TAPE_NODISCARD;
void tape_tally_order_release(struct tape_tally_order *order);

/*
 * The values of a metric with one value a request, in the order of starts, into
 * out, which has room for order->n; those that have none are left out.  Returns
 * how many there are.  tallies are the count ones that the order is of.
 */
size_t tape_tally_series(struct tape_tally *const *tallies, size_t count,
    const struct tape_tally_order *order, int metric, double *out);

#endif
