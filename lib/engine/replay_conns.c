/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the connections that are wanted can be had here. */
#include "engine/ports.h"
#include "engine/replay_impl.h"

#include <inttypes.h>

#define WARNING_BYTES 1024

static enum tape_status
check_descriptors(const struct tape_replay_opts *o, struct tape_err *err)
{
	uint64_t spare =
	    TAPE_REPLAY_SPARE_FILES + (o->threads - 1) * TAPE_REPLAY_LOOP_FILES;

	if (o->max_open == 0 || o->concurrency <= o->max_open)
		return TAPE_OK;
	return tape_err_set(err, TAPE_E_USAGE,
	    "--concurrency %" PRIu64 " needs more descriptors than there are: "
	    "set 'ulimit -n %" PRIu64 "' or lower it to %zu",
	    o->concurrency, o->concurrency + spare, o->max_open);
}

static bool
any_tls(const struct tape_target *t)
{
	for (size_t i = 0; i < tape_target_count(t); i++)
		if (strncmp(tape_target_at(t, i)->base, "https:", 6) == 0)
			return true;
	return false;
}

static enum tape_status
check_sessions(const struct tape_replay_opts *o, struct tape_err *err)
{
	bool theirs = (o->http.proxy != NULL && o->http.proxy[0] != '\0') ||
		      o->http.http2 || o->http.follow;

	if (o->connections != TAPE_HTTP_SESSION)
		return TAPE_OK;
	if (o->threads > 1)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--connections session goes with one of --threads");
	for (size_t i = 0; i < o->targets_n; i++)
		if (theirs || any_tls(&o->targets[i]))
			return tape_err_set(err, TAPE_E_USAGE,
			    "--connections session works neither over TLS, "
			    "through a proxy, over HTTP/2 nor with --location");
	return TAPE_OK;
}

static enum tape_status
check_ports(const struct tape_replay_opts *o,
    const struct tape_spool_info *info, struct tape_err *err)
{
	double rate_per_s = tape_replay_rate_per_s(info);
	const struct tape_ports_need need = { .open = o->concurrency,
		.sources = o->http.sources_n,
		.fresh = o->connections == TAPE_HTTP_FRESH,
		.rate_per_s = isnan(rate_per_s) ? 0 : rate_per_s };
	struct tape_buf warning;
	enum tape_status st;

	if (o->http.unix_socket != NULL)
		return TAPE_OK;
	tape_buf_init(&warning, WARNING_BYTES);
	st = tape_ports_check(
	    &need, tape_ports_count(TAPE_PORTS_FILE), &warning, err);
	if (st == TAPE_OK && warning.len > 0 && o->calls.warn != NULL)
		o->calls.warn(o->calls.arg, warning.data);
	tape_buf_release(&warning);
	return st;
}

enum tape_status
tape_replay_check_conns(const struct tape_replay_opts *o,
    const struct tape_spool_info *info, struct tape_err *err)
{
	enum tape_status st = check_descriptors(o, err);

	if (st == TAPE_OK)
		st = check_sessions(o, err);
	return st == TAPE_OK ? check_ports(o, info, err) : st;
}
