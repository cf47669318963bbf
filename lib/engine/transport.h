/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transport: what the network loop needs of codec/http, as a struct of
 * functions, so that a test puts a server of its own in its place and nothing
 * sleeps.  The functions mean what their namesakes of http.h say.
 */
#ifndef TAPE_ENGINE_TRANSPORT_H
#define TAPE_ENGINE_TRANSPORT_H

#include "codec/http.h"

struct tape_transport {
	enum tape_status (*start)(void *self,
	    const struct tape_http_request *req, struct tape_http_xfer **x,
	    int64_t *start_ns, struct tape_err *err);
	void (*cancel)(void *self, struct tape_http_xfer *x);
	enum tape_status (*poll)(
	    void *self, int64_t deadline_ns, struct tape_err *err);
	void (*wake)(void *self);
	void *self;
};

struct tape_transport tape_transport_of_http(struct tape_http *h);

#endif
