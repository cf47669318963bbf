/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve: an OpenAI-compatible server that plays a model of a server.
 *
 * A request waits for one of slots, then its first token is due after
 *
 *	ttft + prefill_ns * (prompt tokens - cached tokens)
 *
 * and each further event itl after the one before it; ttft and itl are drawn.
 * All deadlines are absolute, from the request's arrival or, when it had to
 * wait, from the deadline that freed its slot: being late never adds up.
 *
 * In batch cadence the server has one clock instead: as long as anybody
 * decodes, a step comes itl after the last one, and gives every request that
 * has waited for its first token long enough an event, all in one burst.
 *
 * What is drawn depends on seed and request only (see draw_by), by streams that
 * are apart for TTFT, gaps, lengths, text and faults: changing one leaves the
 * others as they were.
 *
 * One thread: everything but stop belongs to the thread that calls run.
 *
 * Within another program there is no global state to share, so it runs in a
 * thread or in a child process.  For a child, open the socket before the fork
 * (tape_server_socket in codec/server.h, or any listening socket), give it as
 * listen_fd and close the parent's copy: clients can connect from then on and
 * are answered when the child gets there.  The child opens, runs and frees the
 * server, and calls stop from its handler of SIGTERM.
 */
#ifndef TAPE_ENGINE_SERVE_H
#define TAPE_ENGINE_SERVE_H

#include "base/clock.h"
#include "engine/hist.h"
#include "engine/serve_args.h"
#include "engine/serve_dist.h"
#include "engine/serve_fault.h"
#include "engine/serve_script.h"
#include "engine/serve_words.h"

struct tape_serve;

#define TAPE_SERVE_SPIN_MAX_NS TAPE_NS_PER_S /* that a user may ask for */

enum tape_serve_draw {
	/* By the prompt, the length asked for, and how many times the same was
	   asked before: requests can come in any order. */
	TAPE_SERVE_BY_CONTENT,
	TAPE_SERVE_BY_ORDER /* by the number of the request */
};

enum tape_serve_role {
	TAPE_SERVE_ROLE_FIRST, /* the role event goes out with the first token */
	TAPE_SERVE_ROLE_START  /* when the request gets its slot */
};

enum tape_serve_cadence {
	TAPE_SERVE_STEADY, /* each stream has its own clock */
	TAPE_SERVE_BATCH   /* all streams tick together */
};

/* Strings and faults are borrowed for the server's life. */
struct tape_serve_conf {
	const char *host;  /* numeric, or a local name */
	uint16_t port;     /* 0: the kernel's choice */
	int listen_fd;     /* -1: listens on host and port; see below */
	const char *model; /* the name for requests that have none */
	uint64_t seed;
	enum tape_serve_draw draw_by;

	struct tape_serve_dist ttft; /* ns */
	struct tape_serve_dist itl;  /* ns */
	int64_t prefill_ns;          /* of a prompt token that is not cached */
	struct tape_serve_cold cold; /* ttft, prefill and itl take longer */
	double drift_ratio;         /* they grow by so much with each request */
	struct tape_serve_dist osl; /* tokens; mean 0: as many as asked for */
	uint64_t default_tokens;    /* when the request sets no limit */
	uint64_t max_tokens;        /* more is refused */
	uint64_t cut_tokens;        /* all answers end there; 0: none does */
	uint64_t slots;             /* 0: no limit */
	uint64_t queue;             /* waiting places; UINT64_MAX: no limit */
	uint64_t prefix_blocks;     /* remembered; 0: no prefix cache */
	uint64_t prefix_tokens;     /* of a block */
	enum tape_serve_cadence cadence;
	struct tape_serve_range event_tokens; /* of an event, drawn evenly */
	uint32_t merge;                       /* events that share a write */
	struct tape_serve_split split;        /* writes that share an event */
	enum tape_serve_style style;
	enum tape_serve_role role;
	int64_t tail_ns; /* from the last token to the events behind it */

	bool stamp;
	const struct tape_serve_fault *faults;
	size_t n_faults;
	int64_t stall_ns;           /* how long a stalled answer stays open */
	struct tape_script *script; /* NULL: none; counts in it, so that it is
				       for one server */
	const char *api_key;        /* NULL: none is asked for */

	int64_t spin_ns;                /* as in codec/server.h */
	uint32_t max_conns;             /* 0: no limit but the descriptors */
	int log_fd;                     /* -1: no log; not closed */
	int64_t duration_ns;            /* 0: until stopped */
	uint64_t max_requests;          /* ends after so many; 0: no limit */
	int64_t drain_ns;               /* for what is in hand at the end */
	const struct tape_clock *clock; /* NULL: the system's */
};

/* 40 ms, 5 ms, no deviation, nothing limited, no faults. */
void tape_serve_conf_default(struct tape_serve_conf *conf);

/* Listens when it returns.  *s_out is the caller's; listen_fd, if one was given,
   is the server's then, and the caller's still when this fails. */
enum tape_status tape_serve_open(struct tape_serve **s_out,
    const struct tape_serve_conf *conf, struct tape_err *err) TAPE_NODISCARD;
void tape_serve_free(struct tape_serve *s);

uint16_t tape_serve_port(const struct tape_serve *s);

/*
 * Serves until stopped, or for duration_ns, or until max_requests were
 * answered; what is in hand then has drain_ns to end.  Fails when the log
 * cannot be written.
 */
enum tape_status tape_serve_run(
    struct tape_serve *s, struct tape_err *err) TAPE_NODISCARD;

/* As run, but only until a time of the clock: TAPE_OK then, and it can be
   called again; TAPE_EOF after a stop. */
enum tape_status tape_serve_run_until(struct tape_serve *s, int64_t until_ns,
    struct tape_err *err) TAPE_NODISCARD;

/* From any thread, and from a signal handler. */
void tape_serve_stop(struct tape_serve *s);

struct tape_serve_stats {
	uint64_t requests; /* of any kind that were answered or given up */
	uint64_t complete; /* chats and completions answered to the end */
	uint64_t events;
	uint64_t tokens;
	uint64_t refused;      /* a full queue */
	uint64_t turned_away;  /* connections over max_conns */
	struct tape_hist late; /* token events: ns after their deadline */
};

/* Valid until free; as of the end of run, and of now in its thread. */
const struct tape_serve_stats *tape_serve_get_stats(const struct tape_serve *s);

#endif
