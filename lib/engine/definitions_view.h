/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definitions_view: one response as a peer sees it, by its rules as data; and
 * how far that is from how we see it.
 *
 * Peers read the first choice of an event, whichever that is: events of all
 * choices make one row.  A peer's events are ours, at our times of them: what
 * its own client adds to a time is not made up.
 */
#ifndef TAPE_ENGINE_DEFINITIONS_VIEW_H
#define TAPE_ENGINE_DEFINITIONS_VIEW_H

#include "engine/measure.h"

enum tape_definitions_from {
	TAPE_FROM_START, /* the request is handed to the client's library */
	TAPE_FROM_CONN,  /* the connection is there */
	TAPE_FROM_DUE    /* planned */
};

enum tape_definitions_end {
	TAPE_END_TOKEN, /* last token event */
	TAPE_END_EVENT, /* last event of any kind */
	TAPE_END_MARK   /* [DONE], else the end of the answer */
};

/* What duration is. */
enum tape_definitions_window {
	TAPE_WINDOW_OK,    /* first start to last end of successful requests */
	TAPE_WINDOW_WHOLE, /* first start to the end of the last answer, all */
	TAPE_WINDOW_LAST   /* first start to the end of what started last */
};

/* Which points in time a rate is made of. */
enum tape_definitions_points {
	TAPE_POINTS_NONE,
	TAPE_POINTS_END,    /* one, at its end */
	TAPE_POINTS_PROMPT, /* the prompt's tokens, at the first token */
	TAPE_POINTS_OUTPUT, /* 1 at the first token, the rest evenly spread */
	TAPE_POINTS_TOTAL,  /* prompt and output */
	TAPE_POINTS_OPEN    /* requests open between start and end */
};

struct tape_definitions_rules {
	const char *tokens; /* classes of events that are tokens */
	bool empty;         /* so are empty deltas behind the first event */
	enum tape_definitions_from from;
	enum tape_definitions_end end;
	enum tape_definitions_window window;
	bool streams_only;    /* what was not streamed has failed */
	bool needs_token;     /* so has what has no token event */
	bool zero_ttft;       /* without a token event ttft is 0 */
	bool no_comments;     /* a comment in the stream breaks it */
	bool no_malformed;    /* so does an event that is no JSON */
	const char *forgives; /* classes of errors that it does not see, each
	                         between commas */
	bool asked_output;    /* without usage: the length asked for */
	bool usage_input;     /* input is the usage's first */
	bool gaps;            /* its metrics need them */
};

/* Times are from the segment's epoch; TAPE_ABSENT_I64 for what is not. */
struct tape_definitions_view {
	int64_t start_ns;
	int64_t first_ns;  /* first token event */
	int64_t second_ns; /* second */
	int64_t answer_ns; /* first that is not reasoning */
	int64_t last_ns;
	int64_t end_ns;
	int64_t events; /* token events */
	int64_t input, output;
	bool streamed;
	size_t gap_at, gap_n; /* its times in seen.gaps */
};

/* What a peer has seen of a run, and how it differs from ours. */
struct tape_definitions_seen {
	struct tape_definitions_view *v; /* successful requests */
	size_t n, cap;
	double *gaps; /* ns, request by request */
	size_t gap_n, gap_cap;
	uint64_t failed;
	int64_t first_start_ns; /* of all requests */
	int64_t last_end_ns;

	/* Of requests that are good to both: */
	uint64_t both;
	uint64_t first_n; /* with another first token event */
	double first_ns;  /* sum of theirs - ours */
	uint64_t end_n;   /* with another end */
	double end_ns;
	uint64_t from_n; /* with another t0 */
	double from_ns;
	uint64_t input_n; /* with another count of the prompt */
	double input;
	uint64_t forgiven;  /* good to the peer, failed to us */
	uint64_t broken;    /* failed to the peer, good to us */
	uint64_t cancelled; /* on purpose: failed to the peer */
	uint64_t retried;   /* attempts that another followed */
	uint64_t asked;     /* output is the length asked for */
	uint64_t counted;   /* output is the number of events */
	uint64_t zero;      /* ttft is 0 for want of a token */
};

void tape_definitions_seen_init(struct tape_definitions_seen *s);
void tape_definitions_seen_release(struct tape_definitions_seen *s);

/* Sees one response, as measured; user_clock as in measure.h. */
enum tape_status tape_definitions_see(struct tape_definitions_seen *s,
    const struct tape_definitions_rules *rules,
    const struct tape_response *resp, const struct tape_measured *m,
    bool user_clock, struct tape_err *err) TAPE_NODISCARD;

#endif
