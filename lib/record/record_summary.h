/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record_summary: the kinds that speak of many requests: summaries, checks,
 * comparisons.  Part of record.h, which says how all kinds are to be read.
 */
#ifndef TAPE_RECORD_RECORD_SUMMARY_H
#define TAPE_RECORD_RECORD_SUMMARY_H

#include "base/span.h"

struct tape_interval {
	double level_ratio;
	double lo;
	double hi;
	struct tape_str basis;
};

struct tape_quantiles {
	double p1;
	double p5;
	double p10;
	double p25;
	double p50;
	double p75;
	double p90;
	double p95;
	double p99;
	double p999;
	double p9999;
};

struct tape_summary {
	int64_t run;
	struct tape_str arm;
	int64_t round;
	int64_t position;
	struct tape_str group;       /* JSON object of labels */
	struct tape_str definitions; /* the peer whose they are; absent: ours */
	struct tape_str metric;
	struct tape_str unit;
	struct tape_str better;
	struct tape_str from;
	int64_t n;
	int64_t failed;
	int64_t cancelled;
	int64_t retried;
	double n_eff;
	int64_t n_runs;
	int64_t warmup_cut;
	int64_t drain_cut;
	double value;
	double mean;
	double sd;
	double min;
	double max;
	double mad;
	double lag1;
	int64_t outliers;
	double mean_without; /* outliers, where that matters */
	int64_t whole_n;     /* without the cuts */
	double whole_mean;
	int64_t n_mean_2pct; /* requests for an interval of -+2 % */
	int64_t n_p50_2pct;
	double cv_ratio; /* of the values of runs */
	int64_t runs_needed;
	struct tape_quantiles quantiles;
	int64_t quantile_type;
	double finite_ratio;         /* with failures as infinite values */
	struct tape_str quantile_ci; /* JSON array */
	struct tape_str trend;       /* JSON object */
	struct tape_interval ci;
	int64_t window_start_ns;
	int64_t window_end_ns;
	struct tape_strs flags;
};

struct tape_check {
	int64_t run;
	struct tape_str arm;
	struct tape_str group; /* JSON object of labels */
	struct tape_str name;
	struct tape_str status;
	int64_t n;
	int64_t of;
	double value;
	double expected;
	struct tape_str text;
	struct tape_str advice;
};

/* Requests of a run that failed for one reason. */
struct tape_failure_group {
	int64_t run;
	struct tape_str arm;
	struct tape_str class;
	struct tape_str cause;
	int64_t n;
	int64_t of;
	int64_t status;
	struct tape_str id;
	struct tape_str message;
	struct tape_str meaning;
	struct tape_str advice;
};

struct tape_comparison {
	struct tape_str phase;
	struct tape_str metric;
	struct tape_str unit;
	struct tape_str better;
	struct tape_str statistic;
	struct tape_str group; /* JSON object of labels */
	struct tape_str arm_a;
	struct tape_str arm_b;
	int64_t pairs;
	int64_t matched;
	double a_value;
	double b_value;
	struct tape_f64s d;
	double ratio;
	struct tape_interval ci;
	struct tape_interval ci_exact;
	double hl_ratio;
	struct tape_interval hl_ci;
	struct tape_str test;
	double p;
	double p_min;
	double p_t;
	double p_adjusted;
	double tost_p;
	double sd; /* of d */
	double mde_ratio;
	int64_t pairs_needed;
	int64_t pairs_needed_upper;
	double loo_min_ratio;
	double loo_max_ratio;
	double drift_ratio;
	struct tape_str shape; /* JSON object */
	struct tape_str floor; /* JSON object */
	struct tape_str status;
	struct tape_strs flags;
};

struct tape_verdict {
	struct tape_str overall;
	struct tape_str group; /* JSON object of labels */
	struct tape_str arm_a;
	struct tape_str arm_b;
	int64_t pairs;
	int64_t exit_code;
	struct tape_strs losses;
	struct tape_strs wins;
	struct tape_str design;   /* JSON object */
	struct tape_str method;   /* JSON object */
	struct tape_str warnings; /* JSON array of {code, text} */
	struct tape_str gate;     /* JSON object */
	struct tape_str text;
};

#endif
