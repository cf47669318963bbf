/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "codec/server_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS    64  /* of one epoll_wait */
#define ACCEPTS   512 /* of one pass */
#define BREATH    8   /* connections taken between two looks at the timers */
#define TIMERS    64  /* then input gets its turn */
#define TIMERS_NS (200 * TAPE_NS_PER_US)

static void
bury(struct tape_server_conn *c)
{
	const struct tape_server_handler *h = &c->srv->conf.handler;

	if (h->on_close != NULL)
		h->on_close(h->arg, c, c->why);
	tape_server_parse_release(&c->parse);
	tape_buf_release(&c->body);
	tape_buf_release(&c->in);
	tape_buf_release(&c->out);
	tape_mem_free(c);
}

/* Between two batches of events, when nothing points to the dead. */
static void
reap(struct tape_server *srv)
{
	struct tape_server_conn *c;

	while ((c = srv->dead) != NULL) {
		srv->dead = c->todo;
		bury(c);
	}
}

static void
run_waiting(struct tape_server *srv)
{
	struct tape_server_conn *c, *next = srv->waiting;

	srv->waiting = NULL;
	while ((c = next) != NULL) {
		next = c->todo;
		tape_server_conn_resume(c);
	}
}

/* At most TIMERS of those that are due, and no new one after TIMERS_NS. */
static void
run_timers(struct tape_server *srv)
{
	struct tape_server_timer *t;
	int i;

	srv->pass_ns = tape_server_now_ns(srv);
	for (i = 0; i < TIMERS; i++) {
		t = tape_server_timers_pop(&srv->timers, srv->pass_ns);
		if (t == NULL)
			break;
		t->fn(t->arg);
		if (tape_server_now_ns(srv) - srv->pass_ns > TIMERS_NS)
			break;
	}
}

void
tape_server_run_due(struct tape_server *srv)
{
	if (tape_server_timers_next_ns(&srv->timers) <= tape_server_now_ns(srv))
		run_timers(srv);
}

/* No descriptor is left: takes the connection with the spare one and closes
   it, since it would wake the loop for ever otherwise. */
static void
refuse_one(struct tape_server *srv)
{
	int fd;

	(void)close(srv->spare_fd);
	fd = accept4(srv->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		(void)close(fd);
	srv->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	srv->stats.refused++;
}

static void
accept_some(struct tape_server *srv)
{
	uint32_t max = srv->conf.max_conns;
	int i, fd;

	for (i = 0; i < ACCEPTS; i++) {
		fd = accept4(
		    srv->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			refuse_one(srv);
		if (fd < 0)
			return;
		if (max > 0 && srv->stats.open >= max) {
			(void)close(fd);
			srv->stats.refused++;
			continue;
		}
		tape_server_conn_open(srv, fd);
		if (i % BREATH == BREATH - 1)
			tape_server_run_due(srv);
	}
}

static void
begin_stop(struct tape_server *srv)
{
	struct tape_server_conn *c, *next;

	srv->stopping = true;
	srv->stop_ns = tape_server_now_ns(srv) + srv->conf.drain_ns;
	if (srv->listen_fd >= 0) {
		/* closing is not enough while another process has it, too */
		(void)epoll_ctl(
		    srv->epoll_fd, EPOLL_CTL_DEL, srv->listen_fd, NULL);
		(void)close(srv->listen_fd);
	}
	srv->listen_fd = -1;
	for (c = srv->conns; c != NULL; c = next) {
		next = c->next;
		c->last = true;
		if (c->state == TAPE_SERVER_READING &&
		    tape_server_parse_idle(&c->parse) && c->out.len == 0)
			tape_server_conn_kill(c, TAPE_SERVER_END_OURS);
	}
}

static void
woken(struct tape_server *srv)
{
	uint64_t n;

	if (read(srv->wake_fd, &n, sizeof(n)) < 0)
		return;
	if (atomic_load(&srv->stop) && !srv->stopping)
		begin_stop(srv);
}

static void
conn_event(struct tape_server_conn *c, uint32_t events)
{
	if (c->state == TAPE_SERVER_DEAD)
		return;
	if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
		tape_server_conn_kill(c, TAPE_SERVER_END_ERROR);
		return;
	}
	if ((events & EPOLLOUT) != 0) {
		c->full = false;
		tape_server_conn_flush(c);
	}
	if ((events & EPOLLIN) != 0)
		tape_server_conn_readable(c);
	else if ((events & EPOLLRDHUP) != 0)
		tape_server_conn_eof(c);
	tape_server_conn_watch(c);
}

static void
handle(struct tape_server *srv, const struct epoll_event *ev)
{
	if (ev->data.ptr == &srv->listen_fd) {
		if (srv->listen_fd >= 0)
			accept_some(srv);
	} else if (ev->data.ptr == &srv->wake_fd)
		woken(srv);
	else
		conn_event(ev->data.ptr, ev->events);
}

static int
wait_asleep(struct tape_server *srv, struct epoll_event *ev, int64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / TAPE_NS_PER_S),
		.tv_nsec = (long)(ns % TAPE_NS_PER_S) };
	struct pollfd pfd = { .fd = srv->epoll_fd, .events = POLLIN };
	int n;

	if (!srv->no_pwait2) {
		n = epoll_pwait2(srv->epoll_fd, ev, EVENTS, &ts, NULL);
		/* Sandboxes that do not know it say EPERM. */
		if (n >= 0 || (errno != ENOSYS && errno != EPERM))
			return n;
		srv->no_pwait2 = true;
	}
	n = ppoll(&pfd, 1, &ts, NULL);
	return n <= 0 ? n : epoll_wait(srv->epoll_fd, ev, EVENTS, 0);
}

/* Sleeps until shortly before the end of the wait, and then looks again and
   again, so that what comes meanwhile is read at once. */
static int
wait_system(struct tape_server *srv, struct epoll_event *ev, int64_t ns)
{
	int64_t until_ns, spin_ns = srv->spin_ns;
	int n;

	if (spin_ns == 0 || ns == 0)
		return wait_asleep(srv, ev, ns);
	until_ns = tape_server_now_ns(srv) + ns;
	if (ns > spin_ns) {
		n = wait_asleep(srv, ev, ns - spin_ns);
		if (n != 0)
			return n;
	}
	do
		n = epoll_wait(srv->epoll_fd, ev, EVENTS, 0);
	while (n == 0 && tape_server_now_ns(srv) < until_ns);
	return n;
}

/* An injected clock does not run by itself: with nothing to read it is moved
   to the end of the wait. */
static int
wait_injected(struct tape_server *srv, struct epoll_event *ev, int64_t ns)
{
	int n = epoll_wait(srv->epoll_fd, ev, EVENTS, 0);

	if (n == 0 && ns > 0)
		tape_clock_sleep_until_ns(
		    &srv->clock, tape_server_now_ns(srv) + ns);
	return n;
}

/* Nanoseconds until there is something to do, at most an hour. */
static int64_t
patience_ns(const struct tape_server *srv, int64_t until_ns)
{
	int64_t next = tape_server_timers_next_ns(&srv->timers), ns;

	if (srv->waiting != NULL || srv->dead != NULL)
		return 0;
	if (next > until_ns)
		next = until_ns;
	if (srv->stopping && next > srv->stop_ns)
		next = srv->stop_ns;
	ns = next - tape_server_now_ns(srv);
	if (ns > 3600 * TAPE_NS_PER_S)
		ns = 3600 * TAPE_NS_PER_S;
	return ns > 0 ? ns : 0;
}

static enum tape_status
pass(struct tape_server *srv, int64_t until_ns, struct tape_err *err)
{
	struct epoll_event ev[EVENTS];
	int64_t ns;
	int i, n;

	run_timers(srv);
	run_waiting(srv);
	reap(srv);
	ns = patience_ns(srv, until_ns);
	n = srv->clock.now_ns == tape_clock_system.now_ns
		? wait_system(srv, ev, ns)
		: wait_injected(srv, ev, ns);
	if (n < 0 && errno != EINTR)
		return tape_err_sys(err, errno, "cannot wait for sockets");
	srv->pass_ns = tape_server_now_ns(srv);
	for (i = 0; i < n; i++) {
		handle(srv, &ev[i]);
		tape_server_run_due(srv);
	}
	reap(srv);
	return TAPE_OK;
}

void
tape_server_cut_off(struct tape_server *srv)
{
	while (srv->conns != NULL)
		tape_server_conn_kill(srv->conns, TAPE_SERVER_END_STOPPED);
	run_waiting(srv);
	reap(srv);
}

enum tape_status
tape_server_run(struct tape_server *srv, int64_t until_ns, struct tape_err *err)
{
	int slack = prctl(PR_GET_TIMERSLACK);
	enum tape_status st = TAPE_OK;

	/* the default rounds every wait up by 50 us */
	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	if (srv->conf.spin_ns < 0 && srv->spin_ns == 0 &&
	    srv->clock.now_ns == tape_clock_system.now_ns)
		srv->spin_ns = tape_server_wake_ns();
	while (st == TAPE_OK) {
		if (srv->stopping &&
		    (srv->conns == NULL ||
			tape_server_now_ns(srv) >= srv->stop_ns)) {
			tape_server_cut_off(srv);
			st = TAPE_EOF;
		} else if (!srv->stopping &&
			   tape_server_now_ns(srv) >= until_ns)
			break;
		else
			st = pass(srv, until_ns, err);
	}
	if (slack > 0)
		(void)prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
	return st;
}
