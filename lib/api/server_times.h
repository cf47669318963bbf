/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server_times: what a server says itself of the time that an answer took, out
 * of what it sent, under one set of names and in nanoseconds.
 *
 * The table in server_times.c says of each server which member means what, and
 * in which unit; members that it does not list are kept in the record as they
 * were sent, and count for nothing here.
 */
#ifndef TAPE_API_SERVER_TIMES_H
#define TAPE_API_SERVER_TIMES_H

#include "base/span.h"

/*
 * Durations by the server's own clock, TAPE_ABSENT_I64 unknown.  ttft and total
 * are from the request's arrival: where a server does not say them they are
 * sums, of queue, load and prefill, and of that and decode.
 */
struct tape_server_times {
	int64_t queue_ns;   /* waiting */
	int64_t load_ns;    /* of the model */
	int64_t prefill_ns; /* of the prompt */
	int64_t ttft_ns;
	int64_t decode_ns;
	int64_t total_ns;
};

/*
 * server_timing and usage as of a response record, or absent.  What cannot be
 * read is unknown; so is a duration below zero or above 2^53 ns.
 */
void tape_server_times_read(struct tape_str server_timing,
    struct tape_str usage, struct tape_server_times *out);

#endif
