/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce: events become metrics: each response a result, each run summaries
 * and checks.
 *
 * What comes out goes to a sink, in this order: begin of a segment; of each
 * run (when the next run begins, or the segment ends) its record of the start,
 * its results in the order of their starts, its fidelity, its record of the
 * end, and its report: run, then the set of all its requests, then by the
 * definitions of peers, then one for each group of --by, then its worst requests,
 * then done; end of the segment.
 *
 * Shards of one set, segments of one run_id whose headers have shard, are one
 * segment of the output, when the last of them was read; their runs come by
 * number.  They have one epoch, and the same records about their runs, each
 * before the responses of its own; what comes out is that of the whole set in
 * one segment.
 *
 * In whichever order the responses of a run come, the same comes out.
 *
 * Only the last attempt of a request counts and has a result.  So a failed
 * request is held back, as its encoded record, until the run's report.
 *
 * Memory: eight bytes for each value of a request, and the records of failed
 * ones, given back with the run's report; tape_mem_bound of base/mem.h is for
 * programs that are to read more than memory can hold.  Gaps, of all requests or
 * of one group, take opts.memory at most, and so do token gaps and results each;
 * what is more goes to temporary files.  Where only the basic metrics are wanted
 * the values of the extra ones are not kept.
 */
#ifndef TAPE_ENGINE_REDUCE_H
#define TAPE_ENGINE_REDUCE_H

#include "engine/between.h"
#include "engine/checks.h"
#include "engine/definitions.h"
#include "engine/reduce_outside.h"
#include "engine/slo.h"
#include "engine/steady.h"
#include "engine/summarize.h"
#include "engine/worst.h"
#include "record/coding.h"
#include "record/reader.h"

#define TAPE_REDUCE_MEMORY ((size_t)1 << 30)

struct tape_reduce_opts {
	enum tape_measure_from from;
	bool user_clock;
	bool infinite;       /* failed requests are infinite values of times */
	bool basic;          /* without the metrics that are extra */
	double stall_ratio;  /* 0: that of measure_gaps */
	struct tape_slo slo; /* n is 0: none */
	const char *by;      /* names of labels, or NULL */
	int64_t slice_ns;    /* length of slices of time; 0: none */
	bool steady; /* without warm-up and drain (steady.h); no slices */
	const char *converge; /* aim of between, or NULL */
	size_t worst;         /* how many requests to list */
	enum tape_metric_id worst_by;
	/* Telemetry, to which that of the input is added; borrowed.  NULL: the
	   samples of the input are left out. */
	struct tape_samples *samples;
	unsigned threads; /* that summarize large runs; 0 is 1 */
	size_t memory;    /* bytes, about; 0: TAPE_REDUCE_MEMORY */
	const char *dir;  /* of temporary files; NULL: /tmp */
	/* Called before begin of the sink, with the chains of all headers that
	   make up the segment; may be NULL. */
	enum tape_status (*header)(void *arg, const struct tape_header *header,
	    struct tape_strs chains, struct tape_err *err);
	void *header_arg;
	const struct tape_offline *offline; /* NULL: no profile; borrowed */
	unsigned peers; /* by whose definitions, too (definitions.h); 0 none */
};

/* A run, all of whose records are in.  Pointers are NULL where the record never
   came; all is borrowed for the call. */
struct tape_reduce_run {
	int64_t run;
	const struct tape_record *start;
	const struct tape_record *end;
	const struct tape_record *fidelity;
	uint64_t warmup;  /* results of the warm-up */
	int64_t first_ns; /* measured window, TAPE_ABSENT_I64 none */
	int64_t last_ns;
	enum tape_ending ending; /* of the segment, when it ended with it */
	const struct tape_slo *slo;
	const struct tape_check *checks;
	size_t check_count;
	const struct tape_failure_group *failures; /* most frequent first */
	size_t failure_count;
	const struct tape_reduce_outside *outside;
	/* Token events (of a run of which only times were kept: reads) by the
	   clock of their time, those of failed requests too. */
	uint64_t kernel, merged, user;
	const struct tape_steady_cut *steady; /* NULL: not asked for */
};

/* Runs of one segment of the same arm and conditions; borrowed for the call. */
struct tape_reduce_between {
	size_t runs;
	struct tape_str arm;
	struct tape_str group; /* absent: all requests */
	const struct tape_between_aim *aim;
	/* Only summaries with n_runs hold. */
	const struct tape_summarize_set *set;
};

/* Where it goes; NULL members are not called. */
struct tape_reduce_sink {
	void *arg;
	enum tape_status (*begin)(
	    void *arg, const struct tape_header *header, struct tape_err *err);
	enum tape_status (*pass)(
	    void *arg, const struct tape_record *rec, struct tape_err *err);
	/* kind and line only. */
	enum tape_status (*result)(
	    void *arg, const struct tape_record *rec, struct tape_err *err);
	enum tape_status (*run)(
	    void *arg, const struct tape_reduce_run *run, struct tape_err *err);
	enum tape_status (*set)(void *arg, struct tape_str group,
	    const struct tape_summarize_set *set, struct tape_err *err);
	/* Of the run, by the definitions of peers. */
	enum tape_status (*peers)(void *arg,
	    const struct tape_definitions_report *report, struct tape_err *err);
	/* A result record, worst first; then failed ones. */
	enum tape_status (*worst)(
	    void *arg, const struct tape_record *rec, struct tape_err *err);
	enum tape_status (*done)(void *arg, struct tape_err *err);
	/* Behind all runs of a segment, where two or more belong together; of
	   single ones, too, where there is an aim. */
	enum tape_status (*between)(void *arg,
	    const struct tape_reduce_between *b, struct tape_err *err);
	enum tape_status (*end)(
	    void *arg, enum tape_ending ending, struct tape_err *err);
};

/* Of all segments. */
struct tape_reduce_counts {
	uint64_t responses; /* the warm-up's too, superseded attempts not */
	uint64_t measured;
	uint64_t live_events; /* records of a live stream: no requests */
	uint64_t runs;
	uint64_t late_samples; /* that came behind all runs */
	uint64_t checks_failed;
	uint64_t client_limited; /* runs of that verdict */
};

struct tape_reduce;

/* opts and sink are copied, what they point to is borrowed; *r is the
   caller's.  TAPE_E_USAGE for by and converge. */
enum tape_status tape_reduce_open(struct tape_reduce **out,
    const struct tape_reduce_opts *opts, const struct tape_reduce_sink *sink,
    struct tape_err *err) TAPE_NODISCARD;
void tape_reduce_free(struct tape_reduce *r);

/*
 * One record of an events stream, header and end included.  TAPE_E_FORMAT: a
 * response of a run whose report was made, or that does not fit in itself.
 */
enum tape_status tape_reduce_record(struct tape_reduce *r,
    const struct tape_record *rec, struct tape_err *err) TAPE_NODISCARD;

/*
 * A request that another tool has measured, of the run whose start record came
 * last; it has its gaps in their order, and its spans are borrowed for the call.
 * arm, round, good and labels of the run are filled in here.
 */
enum tape_status tape_reduce_measured(struct tape_reduce *r,
    struct tape_measured *m, struct tape_f64s gaps,
    struct tape_err *err) TAPE_NODISCARD;

/* The input broke off: reports what is there, and ends the segment as failed.
   Nothing is left to do after an end record. */
enum tape_status tape_reduce_cut(
    struct tape_reduce *r, struct tape_err *err) TAPE_NODISCARD;

/*
 * After the last input.  TAPE_E_FORMAT: a shard is missing; with take that is
 * said in err all the same, but what came is reported, as failed.
 */
enum tape_status tape_reduce_finish(
    struct tape_reduce *r, bool take, struct tape_err *err) TAPE_NODISCARD;

struct tape_reduce_counts tape_reduce_counts(const struct tape_reduce *r);

/* Why nothing was measured, as a clause. */
const char *tape_reduce_why_nothing(const struct tape_reduce_counts *c);

/* A name of --by that no request and no run had, or an absent one; after
   something was measured. */
struct tape_str tape_reduce_unknown_by(const struct tape_reduce *r);

#endif
