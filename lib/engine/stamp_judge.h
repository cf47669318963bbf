/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp_judge: class and cause of a response that failed: the one place where
 * an answer is called a failure.
 *
 * What the exchange says itself (connect, reset, truncated, ...) stays; a
 * status that is no success gets the cause that the status, the content type
 * and the server's message tell.  Otherwise, the first that applies:
 *
 *	content-type	encoding: one that cannot be decoded; proxy-page, foreign
 *	stream		in-body, at-start, mid-answer: an error was reported
 *	malformed	limit; framing: what tells events apart is wrong;
 *			encoding: compressed data is damaged, or lacks its end
 *	stream		finish-error: a choice has the reason "error" or "abort"
 *	malformed	json, spliced: no token, no end, but such events
 *	unfinished	cut: neither finish reason nor end mark
 *	unfinished	empty: they are there, but no token
 *
 * An end mark that is missing is no failure where every choice said why it
 * ended: of the servers that speak chat and completions some send [DONE] and
 * some do not, and the other dialects have their own last event.  An event that
 * is malformed among good ones is counted and fails nothing.
 */
#ifndef TAPE_ENGINE_STAMP_JUDGE_H
#define TAPE_ENGINE_STAMP_JUDGE_H

#include "engine/stamp_flow.h"

/* Sets or refines the error of t, whose spans then are borrowed from f. */
void tape_flow_judge(struct tape_flow *f, struct tape_transfer *t);

/* A malformed event that holds more than one payload: two JSON values, or the
   beginning of another frame within its text. */
bool tape_flow_is_spliced(struct tape_str data);

#endif
