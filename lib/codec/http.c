/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http.h"

#include "codec/http_loop.h"

const char *
tape_http_class_text(enum tape_http_class c)
{
	switch (c) {
	case TAPE_HTTP_NONE:
		return "none";
	case TAPE_HTTP_DNS:
		return "dns";
	case TAPE_HTTP_CONNECT:
		return "connect";
	case TAPE_HTTP_TLS:
		return "tls";
	case TAPE_HTTP_SEND:
		return "send";
	case TAPE_HTTP_TIMEOUT:
		return "timeout";
	case TAPE_HTTP_RESET:
		return "reset";
	case TAPE_HTTP_HTTP:
		return "http";
	case TAPE_HTTP_TRUNCATED:
		return "truncated";
	case TAPE_HTTP_CANCELLED:
		return "cancelled";
	case TAPE_HTTP_CLIENT:
		return "client";
	default:
		return "none";
	}
}

size_t
tape_http_running(const struct tape_http *h)
{
	return h->running;
}

int64_t
tape_http_after_ns(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static int64_t
limit(int64_t own_ns, int64_t base_ns)
{
	if (own_ns < 0)
		return 1;
	return own_ns == 0 ? base_ns : own_ns;
}

struct tape_http_timeouts
tape_http_limits(
    const struct tape_http_timeouts *own, const struct tape_http_timeouts *base)
{
	struct tape_http_timeouts t;

	t.connect_ns = limit(own->connect_ns, base->connect_ns);
	t.first_byte_ns = limit(own->first_byte_ns, base->first_byte_ns);
	t.idle_ns = limit(own->idle_ns, base->idle_ns);
	t.total_ns = limit(own->total_ns, base->total_ns);
	return t;
}
