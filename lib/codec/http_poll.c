/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_plain.h"
#include "codec/http_split.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <curl/curl.h>

#define EVENTS      128 /* taken from epoll at once */
#define MAX_WAIT_NS TAPE_NS_PER_S
#define SLEPT_NS    (20 * TAPE_NS_PER_US) /* a wait that took longer slept */

void
tape_http_wake(struct tape_http *h)
{
	const uint64_t one = 1;
	int kept = errno;
	ssize_t n;

	/* A full counter wakes just as well. */
	n = write(h->wake_fd, &one, sizeof(one));
	(void)n;
	errno = kept;
}

static void
drain_wake(struct tape_http *h)
{
	uint64_t count;
	ssize_t n;

	n = read(h->wake_fd, &count, sizeof(count));
	(void)n;
}

/* Ends of transfers, noted at once for the sake of their time. */
static void
collect(struct tape_http *h)
{
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(h->multi, &left)) != NULL) {
		char *x = NULL;

		if (msg->msg != CURLMSG_DONE)
			continue;
		(void)curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &x);
		tape_http_xfer_done(
		    (struct tape_http_xfer *)(void *)x, (int)msg->data.result);
	}
}

static enum tape_status
check(struct tape_http *h, int code, struct tape_err *err)
{
	if (h->broken_errno == ENOMEM || code == CURLM_OUT_OF_MEMORY)
		return tape_err_nomem(err);
	if (h->broken_errno != 0)
		return tape_err_sys(
		    err, h->broken_errno, "cannot watch a socket");
	if (code != CURLM_OK)
		return tape_err_set(err, TAPE_E_IO, "libcurl: %s",
		    curl_multi_strerror((CURLMcode)code));
	return TAPE_OK;
}

/* libcurl's timer, when due.  It is called early at times and then asks
   again. */
static enum tape_status
run_timer(struct tape_http *h, struct tape_err *err)
{
	int running;
	CURLMcode code;

	if (h->curl_due_ns == INT64_MAX ||
	    h->curl_due_ns > tape_clock_now_ns(h->clock))
		return TAPE_OK;
	h->curl_due_ns = INT64_MAX;
	h->event++;
	tape_http_peek_none(h);
	code = curl_multi_socket_action(
	    h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	collect(h);
	return check(h, (int)code, err);
}

static int64_t
wait_ns(const struct tape_http *h, int64_t deadline_ns)
{
	int64_t limit_ns = tape_http_deadline_next(h);
	int64_t left_ns;

	if (h->done_head != NULL)
		return 0;
	if (deadline_ns > h->curl_due_ns)
		deadline_ns = h->curl_due_ns;
	if (deadline_ns > limit_ns)
		deadline_ns = limit_ns;
	if (deadline_ns <= 0)
		return 0;
	left_ns = deadline_ns - tape_clock_now_ns(h->clock);
	if (left_ns > MAX_WAIT_NS)
		return MAX_WAIT_NS;
	return left_ns > 0 ? left_ns : 0;
}

static int
wait_events(struct tape_http *h, struct epoll_event *ev, int64_t left_ns)
{
	struct timespec ts = { .tv_sec = left_ns / TAPE_NS_PER_S,
		.tv_nsec = left_ns % TAPE_NS_PER_S };
	int n;

	if (!h->slack_set) {
		(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
		h->slack_set = true;
	}
	if (!h->no_pwait2) {
		n = epoll_pwait2(h->epoll_fd, ev, EVENTS, &ts, NULL);
		/* Sandboxes that do not know it say EPERM. */
		if (n >= 0 || (errno != ENOSYS && errno != EPERM))
			return n;
		h->no_pwait2 = true;
	}
	return epoll_wait(h->epoll_fd, ev, EVENTS,
	    (int)((left_ns + TAPE_NS_PER_MS - 1) / TAPE_NS_PER_MS));
}

/*
 * Whether what is ready may have been so for long.  Nothing was when the last
 * wait returned, but for what that told; if this one slept, nothing was when it
 * began.  A wait that slept and was not woken in time shows in the lag of what
 * it tells first, and in how much that is.
 */
static void
mind_lateness(struct tape_http *h, int64_t asked_ns, int n)
{
	int64_t now_ns = tape_clock_now_ns(h->clock);
	bool slept = now_ns - asked_ns > SLEPT_NS;

	h->late = n > TAPE_HTTP_LATE_EVENTS ||
		  (!slept && now_ns - h->woken_ns > TAPE_HTTP_LATE_NS);
	h->woken_ns = now_ns;
}

static enum tape_status
run_sockets(struct tape_http *h, int64_t left_ns, struct tape_err *err)
{
	struct epoll_event ev[EVENTS];
	enum tape_status st = TAPE_OK;
	int64_t asked_ns = tape_clock_now_ns(h->clock);
	int n = wait_events(h, ev, left_ns);

	h->full_batches = n == EVENTS ? h->full_batches + 1 : 0;
	if (n < 0)
		return errno == EINTR ? TAPE_OK
				      : tape_err_sys(err, errno, "cannot wait");
	mind_lateness(h, asked_ns, n);
	for (int i = 0; i < n && st == TAPE_OK; i++) {
		if (ev[i].data.u64 == TAPE_HTTP_WAKE_ID) {
			drain_wake(h);
			continue;
		}
		st = check(h,
		    tape_http_sock_action(h, ev[i].data.u64, ev[i].events),
		    err);
		collect(h);
	}
	return st;
}

/*
 * More sockets may be ready than were handled, and what waits in them is to be
 * read before a limit says that nothing came.  epoll takes them in turn: after
 * as many batches as hold all transfers, each had its.
 */
static bool
is_behind(const struct tape_http *h)
{
	return h->full_batches > 0 && h->full_batches <= h->running / EVENTS;
}

static void
run_limits(struct tape_http *h)
{
	struct tape_http_xfer *x;
	int64_t now_ns;

	if (h->heap_n == 0 || is_behind(h))
		return;
	h->full_batches = 0;
	now_ns = tape_clock_now_ns(h->clock);
	while ((x = tape_http_deadline_passed(h, now_ns)) != NULL) {
		tape_http_xfer_expire(x, now_ns);
		/* Out of the way until it is reaped. */
		tape_http_deadline_set(x, INT64_MAX);
	}
}

enum tape_status
tape_http_poll(struct tape_http *h, int64_t deadline_ns, struct tape_err *err)
{
	enum tape_status st;

	st = run_timer(h, err); /* what was started goes out */
	tape_http_plain_launch(h);
	if (st == TAPE_OK)
		st = run_sockets(h, wait_ns(h, deadline_ns), err);
	if (st == TAPE_OK)
		st = run_timer(h, err);
	run_limits(h);
	tape_http_xfer_reap(h);
	return st;
}
