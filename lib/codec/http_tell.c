/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has come of a transfer goes into its record and to the caller; whoever
   reads the wire takes its times before. */
#include "codec/http_loop.h"

#include <string.h>

static void
limit_phase(struct tape_http_xfer *x, int64_t from_ns, int64_t limit_ns)
{
	int64_t end_ns = tape_http_after_ns(from_ns, limit_ns);

	tape_http_deadline_set(
	    x, end_ns < x->total_end_ns ? end_ns : x->total_end_ns);
}

void
tape_http_tell_time(struct tape_http_xfer *x, int64_t wall_ns)
{
	struct tape_http *h = x->h;

	x->event = h->event;
	x->event_ns = tape_http_clock_stamp(
	    &h->times, wall_ns, x->floor_ns, &x->event_lag_ns);
	x->floor_ns = x->event_ns - (x->event_lag_ns > 0 ? x->event_lag_ns : 0);
	x->stamps++;
}

void
tape_http_tell_ready(struct tape_http_xfer *x, bool reused)
{
	x->ready = true;
	x->phase = TAPE_HTTP_WAITING;
	x->result.conn_ns = tape_clock_now_ns(x->h->clock);
	x->result.reused = reused;
	limit_phase(x, x->result.conn_ns, x->limits.first_byte_ns);
}

void
tape_http_tell_sent(struct tape_http_xfer *x)
{
	const struct tape_http_calls *calls = x->h->calls;

	x->told_sent = true;
	if (calls->sent != NULL)
		calls->sent(x->h->arg, x->user);
}

void
tape_http_tell_head(struct tape_http_xfer *x, int status, int version)
{
	const struct tape_http_calls *calls = x->h->calls;
	struct tape_http_head head = {
		.status = status, .t_ns = x->event_ns, .lag_ns = x->event_lag_ns
	};

	x->result.status = status;
	x->result.head_ns = head.t_ns;
	x->result.head_lag_ns = head.lag_ns;
	x->result.http_version = version;
	if (calls->head != NULL)
		calls->head(x->h->arg, x->user, &head);
}

void
tape_http_tell_field(
    struct tape_http_xfer *x, struct tape_str name, struct tape_str value)
{
	const struct tape_http_calls *calls = x->h->calls;

	if (x->result.status / 100 == 3 && tape_http_place_is_field(name))
		tape_http_place_note(x, value);
	if (calls->header != NULL)
		calls->header(
		    x->h->arg, x->user, name.p, name.len, value.p, value.len);
}

void
tape_http_tell_body(struct tape_http_xfer *x, const char *data, size_t len)
{
	const struct tape_http_calls *calls = x->h->calls;
	struct tape_http_read read = { .t_ns = x->event_ns,
		.lag_ns = x->event_lag_ns,
		.data = data,
		.len = len,
		.first = x->read_stamp != x->stamps };

	x->read_stamp = x->stamps;
	x->phase = TAPE_HTTP_BODY;
	x->result.body_down_bytes += len;
	limit_phase(x, read.t_ns, x->limits.idle_ns);
	if (calls->read != NULL)
		calls->read(x->h->arg, x->user, &read);
}
