/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_text: what users write to and read from a replay.
 */
#ifndef TAPE_ENGINE_REPLAY_TEXT_H
#define TAPE_ENGINE_REPLAY_TEXT_H

#include "engine/fidelity.h"
#include "engine/replay.h"

/* How many failed requests are no finding: a number, or a share of those that
   ended (5%).  Those cancelled at the end count neither way. */
struct tape_replay_tolerance {
	uint64_t n;
	double share_ratio;
	bool is_share;
};

/* Parsers for an option table; field is the struct. */
enum tape_status tape_replay_parse_tolerance(
    const char *arg, void *field, struct tape_err *err) TAPE_NODISCARD;

/* round, none or a number, into a struct tape_replay_salting. */
enum tape_status tape_replay_parse_salt(
    const char *arg, void *field, struct tape_err *err) TAPE_NODISCARD;

/* auto, off or a time up to TAPE_REPLAY_SPIN_MAX_NS, into an int64_t as
   tape_replay_opts has it. */
#define TAPE_REPLAY_SPIN_MAX_NS (10 * TAPE_NS_PER_MS)
enum tape_status tape_replay_parse_spin(
    const char *arg, void *field, struct tape_err *err) TAPE_NODISCARD;

/* The JSON object of --extra, itself or @FILE, checked and in one line,
   appended to out.  TAPE_E_USAGE. */
enum tape_status tape_replay_read_extra(
    const char *arg, struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

bool tape_replay_tolerates(
    const struct tape_replay_tolerance *t, const struct tape_replay_result *r);

/* What a replay means for an exit code. */
enum tape_replay_finding {
	TAPE_REPLAY_FINE,
	TAPE_REPLAY_NOT_FINE, /* failures, or with strict a limited client */
	TAPE_REPLAY_UNANSWERED
};

struct tape_replay_standard {
	struct tape_replay_tolerance max_failed;
	bool strict;
};

/* Says each finding in a line. */
enum tape_replay_finding tape_replay_find(
    const struct tape_replay_standard *standard,
    const struct tape_replay_opts *o, const struct tape_replay_result *r,
    void (*say)(void *arg, const char *text), void *arg);

#define TAPE_REPLAY_TEXT 384

/* One line each; return dst. */
char *tape_replay_progress_text(
    const struct tape_replay_progress *p, char dst[TAPE_REPLAY_TEXT]);
char *tape_replay_summary_text(
    const struct tape_replay_result *r, char dst[TAPE_REPLAY_TEXT]);

/* What the client says of the run in hand, and why; cut where there is no
   room. */
#define TAPE_REPLAY_VERDICT 1024
char *tape_replay_verdict_text(const struct tape_replay_progress *p,
    const struct tape_fidelity_text *f, char dst[TAPE_REPLAY_VERDICT]);

#endif
