/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gate: what a candidate must hold for a pipeline to go on.
 *
 * A file of rules, a line each; blank lines and what follows # are nothing:
 *
 *	keep ROW MARGIN		the row is not lost to the baseline by MARGIN
 *	bound WHAT < LIMIT	the candidate's own runs stay below (or above)
 *
 * ROW is a row of the table (itl, ttft-p99, failed), WHAT one of ttft, itl and
 * latency with -p50, -mean, -p90, -p95 or -p99, gap-p99, output, failed, good.
 * A limit is a duration (800ms), tokens per second (500), or a share (1%).
 *
 * keep is judged by the interval of B/A: passed when it lies wholly on the
 * right side of the margin; failed when it lies wholly beyond, or the row is a
 * loss by more than the margin; else undecided.  bound by the interval, between
 * runs, of the mean of the candidate's runs, likewise: it needs three of them.
 */
#ifndef TAPE_ENGINE_GATE_H
#define TAPE_ENGINE_GATE_H

#include "engine/compare_print.h"

#define TAPE_GATE_RULES_MAX 64
#define TAPE_GATE_RUNS_MIN  3
#define TAPE_GATE_TEXT      256

enum tape_gate_kind { TAPE_GATE_KEEP, TAPE_GATE_BOUND };

/* What a bound is put on: one number a run. */
struct tape_gate_quantity {
	const char *name;
	enum tape_compare_value value; /* of requests, or none of them */
	enum {
		TAPE_GATE_P50,
		TAPE_GATE_MEAN,
		TAPE_GATE_P90,
		TAPE_GATE_P95,
		TAPE_GATE_P99,
		TAPE_GATE_GAP_P99,
		TAPE_GATE_OUTPUT,
		TAPE_GATE_FAILED, /* shares of all requests */
		TAPE_GATE_GOOD
	} statistic;
};

struct tape_gate_rule {
	enum tape_gate_kind kind;
	size_t row;                            /* keep */
	const struct tape_gate_quantity *what; /* bound */
	bool below;                            /* bound: else above */
	double limit; /* margin, ns, per second, or share */
	size_t line;
	char text[64]; /* as written, words with single blanks */
};

struct tape_gate {
	struct tape_gate_rule rules[TAPE_GATE_RULES_MAX];
	size_t n; /* 0: there is no gate */
};

/*
 * Reads the rules of a file.  TAPE_E_USAGE, naming file and line: a line that
 * is no rule, a rule twice, none at all, or too many; and whatever
 * tape_fdio_slurp refuses.
 */
enum tape_status tape_gate_read(struct tape_gate *gate, const char *path,
    struct tape_err *err) TAPE_NODISCARD;

/* The same of text; name is that of the file, for messages. */
enum tape_status tape_gate_parse(struct tape_gate *gate, const char *name,
    const char *text, size_t len, struct tape_err *err) TAPE_NODISCARD;

enum tape_gate_result {
	TAPE_GATE_PASSED,
	TAPE_GATE_FAILED_RULE,
	TAPE_GATE_UNDECIDED,
	TAPE_GATE_REFUSED /* the comparison was, so it cannot be judged */
};

const char *tape_gate_result_name(enum tape_gate_result r);

/* What becomes of rules that are undecided. */
enum tape_gate_policy {
	TAPE_GATE_UNDECIDED_FAILS,
	TAPE_GATE_UNDECIDED_WARNS,
	TAPE_GATE_UNDECIDED_PASSES
};

struct tape_gate_judged {
	enum tape_gate_result result;
	double estimate; /* NaN: none */
	struct tape_stat_interval ci;
	char text[TAPE_GATE_TEXT]; /* what was found, for people */
};

struct tape_gate_verdict {
	const struct tape_gate *gate;
	struct tape_gate_judged rules[TAPE_GATE_RULES_MAX];
	size_t counts[TAPE_GATE_REFUSED + 1];
	enum tape_gate_policy policy;
	bool passed;
	bool refused; /* nothing failed, but not all could be judged */
};

/* Judges the rules by one comparison.  TAPE_E_NOMEM. */
enum tape_status tape_gate_judge(const struct tape_gate *gate,
    const struct tape_compare_report *r, enum tape_gate_policy policy,
    struct tape_gate_verdict *out, struct tape_err *err) TAPE_NODISCARD;

/* What a pipeline is told. */
enum tape_gate_answer {
	TAPE_GATE_GO,
	TAPE_GATE_STOP,    /* a gate failed; without gates, a row is lost */
	TAPE_GATE_UNKNOWN, /* the data cannot answer */
	TAPE_GATE_MORE     /* more pairs are wanted */
};

/*
 * What comes of several comparisons: more pairs as long as any wants them, else
 * stop where any says so, else unknown where any does.  With gates these alone
 * decide.  *warned: rules that are undecided and only warned of.
 */
enum tape_gate_answer tape_gate_answer(
    const struct tape_compare_report *r, size_t n, size_t *warned);

/* "gate: FAILED.  1 of 3 rules failed (...)", without its end. */
void tape_gate_print_overall(
    const struct tape_gate_verdict *v, struct tape_buf *out);

/* The overall line, then a line a rule. */
void tape_gate_print(const struct tape_gate_verdict *v, struct tape_buf *out);

/* As a JSON object: passed, undecided (the policy), rules. */
enum tape_status tape_gate_write_json(const struct tape_gate_verdict *v,
    struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

#endif
