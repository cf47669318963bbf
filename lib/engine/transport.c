/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/transport.h"

static enum tape_status
start(void *self, const struct tape_http_request *req,
    struct tape_http_xfer **x, int64_t *start_ns, struct tape_err *err)
{
	return tape_http_start(self, req, x, start_ns, err);
}

static void
cancel(void *self, struct tape_http_xfer *x)
{
	tape_http_cancel(self, x);
}

static enum tape_status
poll(void *self, int64_t deadline_ns, struct tape_err *err)
{
	return tape_http_poll(self, deadline_ns, err);
}

static void
wake(void *self)
{
	tape_http_wake(self);
}

struct tape_transport
tape_transport_of_http(struct tape_http *h)
{
	struct tape_transport t = { start, cancel, poll, wake, h };

	return t;
}
