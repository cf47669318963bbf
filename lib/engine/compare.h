/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare: two arms, run by run: what a comparison is made of.
 *
 *	load (compare_load.h)		metrics streams -> runs
 *	arrange (compare_arrange.h)	which arm is A; what each run comes to
 *	pair (compare_pair.h)		runs -> pairs
 *	design, data (compare_design.h, compare_data.h)
 *					whether they can be compared
 *	rows (compare_rows.h)		pairs -> one number a pair, for each row
 *	judge (compare_judge.h)		numbers -> tests, statuses, verdict
 *	power (compare_power.h)		what could have been found
 *	print, record (compare_print.h, compare_record.h)
 *					what came of it
 *
 * The run is the unit: all significance comes from one number a pair,
 * log(B/A); requests make each of these sharper.  The rules are those of
 * ab-compare(1).
 */
#ifndef TAPE_ENGINE_COMPARE_H
#define TAPE_ENGINE_COMPARE_H

#include "base/arena.h"
#include "base/err.h"
#include "record/record.h"

#define TAPE_COMPARE_ARMS 2
#define TAPE_COMPARE_A    0
#define TAPE_COMPARE_B    1

/* Runs of one comparison: beyond, the tests' memory would be the limit. */
#define TAPE_COMPARE_RUNS_MAX 8000

/* What is measured of a request. */
enum tape_compare_value {
	TAPE_COMPARE_TTFT,
	TAPE_COMPARE_TPOT,
	TAPE_COMPARE_LATENCY,
	TAPE_COMPARE_VALUES
};

/* A request id of one run; NaN where it has no such value. */
struct tape_compare_request {
	struct tape_str id;
	double log_value[TAPE_COMPARE_VALUES]; /* of ns; mean over repeats */
	double output_tokens;                  /* mean over repeats */
	double input_tokens;                   /* as the server counts */
	uint64_t text; /* hash of the answer's; 0: not known */
};

/* What one run's requests come to, each counted; ns, NaN without values. */
struct tape_compare_level {
	size_t n;
	double median;
	double mean;
	double p90; /* these are type 7 */
	double p95;
	double p99;
};

/* Conditions in words; each is absent where it is not known. */
enum tape_compare_said {
	TAPE_COMPARE_SAID_TOOL,   /* versions of what made and read a run */
	TAPE_COMPARE_SAID_CLIENT, /* connections, threads, timeouts */
	TAPE_COMPARE_SAID_LIMITS, /* of the server, by itself */
	TAPE_COMPARE_SAID
};

/* What has to be equal for two runs to be comparable. */
struct tape_compare_conditions {
	struct tape_str said[TAPE_COMPARE_SAID];
	struct tape_str from;         /* t0 of its times */
	struct tape_str other_client; /* which measured; absent: ours */
	struct tape_str meta; /* JSON object: what only the user knows */
	struct tape_str model;
	struct tape_str extra;
	struct tape_str body_template;
	struct tape_str pointers;
	struct tape_str api;
	struct tape_str loop;
	struct tape_str trace_hash;
	bool trace_unread; /* its time was over before the trace was read */
	int8_t stream;
	bool bare; /* only times were kept */
	int64_t concurrency;
	int64_t requests;
	int64_t passes;
	int64_t warmup;
	int64_t salt;
	double rate_per_s;
	int64_t retry_max;   /* of each request; absent: none */
	double cancel_ratio; /* on purpose; absent: none */
	int64_t cancel_after_ns;
};

/* What makes a run's numbers doubtful. */
struct tape_compare_doubts {
	size_t bad_times;     /* latencies that are not positive */
	size_t instant;       /* answers whose tokens all came at once */
	size_t from_events;   /* output tokens counted from events */
	double events;        /* of tokens, in answers whose tokens are */
	double tokens;        /* known: these */
	size_t checks_failed; /* of metrics-reduce */
	bool client;          /* its own client was suspect, or the limit */
};

#define TAPE_COMPARE_FINISHES 8 /* reasons that are told apart */

/* What the answers of a run were like, besides their times. */
struct tape_compare_answers {
	/* Prompt tokens, and those from a cache, of answers that tell both. */
	double input, cached;
	/* Drafted tokens that were accepted, and that were not. */
	double accepted, rejected;
	struct {
		char name[24];
		size_t n;
	} finish[TAPE_COMPARE_FINISHES];
	size_t finishes; /* of any kind */
};

/* What is sampled of devices. */
enum tape_compare_role {
	TAPE_COMPARE_CLOCK,        /* mhz */
	TAPE_COMPARE_MEMORY_CLOCK, /* mhz */
	TAPE_COMPARE_CLOCK_LIMIT,  /* mhz */
	TAPE_COMPARE_POWER,        /* w */
	TAPE_COMPARE_POWER_LIMIT,  /* w */
	TAPE_COMPARE_TEMPERATURE,  /* c */
	TAPE_COMPARE_THROTTLE,     /* share of samples */
	TAPE_COMPARE_ROLES
};

/* The devices of a run: mean over them, NaN where it was not sampled. */
struct tape_compare_device {
	double value[TAPE_COMPARE_ROLES];
	size_t n[TAPE_COMPARE_ROLES];       /* devices */
	uint64_t which[TAPE_COMPARE_ROLES]; /* bits of their names; 0: none */
};

/* What the engine says of speculative decoding. */
struct tape_compare_engine {
	struct tape_str source;     /* from where acceptance is known */
	struct tape_str generation; /* phase by which it generated */
	double acceptance_ratio;
	double acceptance_length;
};

/* How a run ended. */
enum tape_compare_ending {
	TAPE_COMPARE_OPEN, /* there is no end record */
	TAPE_COMPARE_ENDED,
	TAPE_COMPARE_INTERRUPTED,
	TAPE_COMPARE_ABORTED /* for too many failures */
};

/* One run.  Spans live in the set's arena. */
struct tape_compare_run {
	size_t arm;            /* TAPE_COMPARE_ARMS: neither */
	struct tape_str label; /* of the arm, as the run has it */
	struct tape_str tags;  /* JSON object: labels of the run */
	int64_t run;           /* number in its segment */
	int64_t round;
	int64_t position;
	struct tape_str session; /* without one, the stream's run_id */
	struct tape_compare_conditions conditions;
	struct tape_str boot; /* names the client's; absent: not known */
	struct tape_str host; /* of the client, likewise */
	int64_t start_ns;     /* wall clock */
	int64_t end_ns;
	enum tape_compare_ending ending;
	int64_t n; /* measured requests that succeeded */
	int64_t failed;
	struct tape_compare_request *requests; /* arranged: by id, none twice */
	size_t request_count;
	size_t request_cap;
	struct tape_compare_level level[TAPE_COMPARE_VALUES];
	bool stated; /* levels are another tool's; there are no requests */
	double gap_p99_ns;
	double output_tokens_per_s;
	double good_ratio; /* within the limits of metrics-reduce */
	struct tape_compare_doubts doubts;
	struct tape_compare_answers answers;
	struct tape_compare_device device;
	struct tape_compare_engine engine;
};

/* Where the runs came from, for the header of a report. */
struct tape_compare_origin {
	struct tape_header first; /* meta only where it is that of all */
	struct tape_str *chains;  /* prov of the segments, none twice */
	size_t n;
	size_t cap;
};

struct tape_compare_set {
	struct tape_arena arena;
	struct tape_str arm_name[TAPE_COMPARE_ARMS];
	bool named;            /* arm_name was set before loading */
	bool aa;               /* set before loading: one deployment will do */
	bool halved;           /* it did: every second run is B */
	bool by_name;          /* A is the first by name: nothing else told */
	struct tape_strs arms; /* of the first run that names several */
	/* The arms that are compared, baseline first, where there are more than
	   two: set before loading, or by tape_compare_arrange.  Else empty. */
	struct tape_strs many;
	struct tape_compare_run *runs;
	size_t run_count;
	size_t run_cap;
	size_t skipped_runs; /* of arms that are not compared */
	int64_t within_ns;   /* between the runs of a pair; 0: the default */
	struct tape_compare_origin origin;
};

/* Frees what a set holds; a zeroed one is empty. */
void tape_compare_set_release(struct tape_compare_set *set);

/* Copies text into the set's arena; absent stays absent. */
enum tape_status tape_compare_keep(struct tape_compare_set *set,
    struct tape_str from, struct tape_str *to,
    struct tape_err *err) TAPE_NODISCARD;

/* Order by bytes, absent first: below 0, 0, above 0. */
int tape_compare_text_order(struct tape_str a, struct tape_str b);

/* For qsort(3) of pointers to runs: by start, then as they were read. */
int tape_compare_by_time(const void *a, const void *b);

const char *tape_compare_arm_letter(size_t arm); /* A or B */

/*
 * Text for people into dst: control characters become '?', and it is cut to
 * size, terminator included, between characters.  Returns dst.
 */
char *tape_compare_show(struct tape_str text, char *dst, size_t size);

enum tape_compare_severity {
	TAPE_COMPARE_REFUSE, /* no verdict can be given */
	TAPE_COMPARE_WARN,
	TAPE_COMPARE_NOTE
};

struct tape_compare_note {
	enum tape_compare_severity severity;
	char code[24];
	char text[320]; /* one line of UTF-8 */
};

struct tape_compare_notes {
	struct tape_compare_note *v;
	size_t n;
	size_t cap;
	bool refused;            /* one of them is a refusal, kept or not */
	enum tape_status status; /* TAPE_E_NOMEM: one could not be kept */
};

void tape_compare_notes_release(struct tape_compare_notes *notes);

/*
 * Adds a line; control characters become '?', and what is too long is cut.
 * A failure stays in status, where tape_compare_notes_status finds it.
 */
void tape_compare_note(struct tape_compare_notes *notes,
    enum tape_compare_severity severity, const char *code, const char *fmt, ...)
    TAPE_PRINTF(4, 5);

enum tape_status tape_compare_notes_status(
    const struct tape_compare_notes *notes,
    struct tape_err *err) TAPE_NODISCARD;

#endif
