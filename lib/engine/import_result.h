/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_result: what other tools have measured becomes metrics.
 *
 *	detect		which tool's file it is, by what is in it
 *	import_result_TOOL.c
 *			one file each: its values into a run (below)
 *	tape_import_result_put
 *			a run through reduce to the sink: where a request has
 *			values, results and summaries are made from these; where
 *			there is a summary alone, its numbers are taken as stated
 *
 * Each run is a segment of its own, whose run record names the tool as client;
 * its summaries are flagged imported.  What a tool does not tell is absent.
 */
#ifndef TAPE_ENGINE_IMPORT_RESULT_H
#define TAPE_ENGINE_IMPORT_RESULT_H

#include "codec/stream_in.h"
#include "engine/import_dig.h"
#include "engine/reduce.h"

/* The whole of one document, and of all the lines of one. */
#define TAPE_IMPORT_RESULT_CAP ((size_t)1 << 30)

/* A request.  Times of result are of the wall clock, until put makes them
   count from the run's epoch; its run and arm are set there, too. */
struct tape_import_request {
	struct tape_result result;
	struct tape_f64s gaps; /* ns */
	bool warmup;
	bool streamed;
	bool cancelled; /* on purpose */
	bool reasoned;
};

/* A run, as a file tells it.  All that it points to lives in arena. */
struct tape_import_run {
	struct tape_arena arena;
	const char *tool;
	struct tape_str version; /* of the tool; absent: not told */
	struct tape_str run_id;  /* absent: made from digest */
	uint64_t digest;         /* of the text */
	struct tape_run run;     /* start_ns, end_ns: wall clock, or absent */
	struct tape_import_request *requests;
	size_t n;
	size_t cap;
	/* The numbers as stated, where the requests are not there; its strings
	   are made by put. */
	bool stated;
	struct tape_summarize_set *set;
};

void tape_import_run_init(struct tape_import_run *run);
void tape_import_run_release(struct tape_import_run *run);

/* A new request, all of whose fields are absent; NULL when memory is out. */
struct tape_import_request *tape_import_run_add(struct tape_import_run *run);

/* Copies a text into the run's arena; absent stays absent. */
enum tape_status tape_import_run_keep(struct tape_import_run *run,
    struct tape_str from, struct tape_str *to,
    struct tape_err *err) TAPE_NODISCARD;

/* Seconds to nanoseconds, absent stays absent; TAPE_E_FORMAT when it is out of
   range. */
enum tape_status tape_import_ns(
    double s, int64_t *ns, struct tape_err *err) TAPE_NODISCARD;

/* A number that was left unread. */
enum tape_status tape_import_number(
    struct tape_str text, double *v, struct tape_err *err) TAPE_NODISCARD;

/* What to multiply a value of that unit (absent: ms) with to have it in ns or
   as per_s, tokens, ratio; NaN where the units do not go together. */
double tape_import_unit(struct tape_str unit, const char *want);

/* Where the run's requests went, without what may be a secret. */
enum tape_status tape_import_targets(struct tape_import_run *run,
    struct tape_strs urls, struct tape_err *err) TAPE_NODISCARD;

/* Makes a request a failed one.  class NULL: told from the cause, which is the
   name of the tool's exception, or from the message, of which the last line is
   kept; other, if they say nothing. */
enum tape_status tape_import_error(struct tape_import_run *run,
    struct tape_import_request *q, const char *class, struct tape_str cause,
    struct tape_str message, struct tape_err *err) TAPE_NODISCARD;

/* Numbers of a metric as a tool states them. */
struct tape_import_stat {
	struct tape_str unit;
	int64_t n;
	double mean;
	double median; /* where it is not among the quantiles */
	double sd;     /* of the population */
	double min;
	double max;
	struct tape_quantiles q;
};

/* All absent. */
void tape_import_stat_init(struct tape_import_stat *stat);

/* Begins the set: run.client and the like are set. */
enum tape_status tape_import_state_begin(struct tape_import_run *run,
    uint64_t ok, uint64_t failed, struct tape_err *err) TAPE_NODISCARD;

/* Values times by are in the metric's unit; type is that of the quantiles.
   Where n is absent it is that of the requests, and flagged n-unknown.  A stat
   without a mean, median or quantile adds nothing. */
void tape_import_state_values(struct tape_import_run *run,
    enum tape_metric_id metric, const struct tape_import_stat *stat, double by,
    int64_t type);

/* The one value of a run; NaN adds nothing. */
void tape_import_state_value(
    struct tape_import_run *run, enum tape_metric_id metric, double value);

/* Where runs go. */
struct tape_import_to {
	struct tape_reduce *reduce;
	struct tape_reduce_sink sink; /* that reduce has, too */
	const char *by;               /* as reduce has it */
	/* As in the options of reduce, for runs that do not go through it. */
	enum tape_status (*header)(void *arg, const struct tape_header *header,
	    struct tape_strs chains, struct tape_err *err);
	void *arg;
	uint64_t runs; /* so far */
};

enum tape_status tape_import_result_put(struct tape_import_to *to,
    struct tape_import_run *run, struct tape_err *err) TAPE_NODISCARD;

/* A tool whose files are read; the table ends with a NULL name. */
struct tape_import_tool {
	const char *name;
	const char *summary;
};

extern const struct tape_import_tool tape_import_tools[];

/*
 * Reads all runs of one input, which is of that tool (NULL: of whichever it
 * is).  Errors have the input's name, and the line in files of lines.
 * TAPE_E_FORMAT: it is none of these, is broken, or has no run.
 */
enum tape_status tape_import_result(struct tape_in *in, const char *tool,
    struct tape_import_to *to, struct tape_err *err) TAPE_NODISCARD;

/* The same of several. */
enum tape_status tape_import_results(struct tape_in *const *in, size_t n,
    const char *tool, struct tape_import_to *to,
    struct tape_err *err) TAPE_NODISCARD;

/* The readers.  A document is the whole text; each calls put for each run. */
enum tape_status tape_import_aiperf_lines(struct tape_in *in,
    struct tape_import_to *to, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_import_aiperf_summary(struct tape_str document,
    struct tape_import_to *to, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_import_vllm(struct tape_str document,
    struct tape_import_to *to, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_import_guidellm(struct tape_str document,
    struct tape_import_to *to, struct tape_err *err) TAPE_NODISCARD;

#endif
