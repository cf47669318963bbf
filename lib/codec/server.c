/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server.h"

#include "base/mem.h"
#include "codec/server_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define IDLE_NS   (75 * TAPE_NS_PER_S)
#define DRAIN_NS  (2 * TAPE_NS_PER_S)
#define OUT_BYTES ((size_t)4 << 20)

static void
defaults(struct tape_server *srv)
{
	struct tape_server_conf *conf = &srv->conf;

	srv->clock = conf->clock != NULL ? *conf->clock : tape_clock_system;
	if (conf->head_cap_bytes == 0)
		conf->head_cap_bytes = TAPE_CAP_HEADERS;
	if (conf->body_cap_bytes == 0)
		conf->body_cap_bytes = TAPE_CAP_REQUEST;
	if (conf->out_cap_bytes == 0)
		conf->out_cap_bytes = OUT_BYTES;
	if (conf->idle_ns == 0)
		conf->idle_ns = IDLE_NS;
	if (conf->drain_ns == 0)
		conf->drain_ns = DRAIN_NS;
	if (conf->spin_ns > 0)
		srv->spin_ns = conf->spin_ns;
}

int
tape_server_watch_new(struct tape_server *srv, int fd, void *tag)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = tag };

	return epoll_ctl(srv->epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

enum tape_status
tape_server_open(struct tape_server **srv_out,
    const struct tape_server_conf *conf, struct tape_err *err)
{
	struct tape_server *srv = tape_mem_calloc(1, sizeof(*srv));

	if (srv == NULL)
		return tape_err_nomem(err);
	srv->conf = *conf;
	srv->listen_fd = -1;
	defaults(srv);
	srv->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	srv->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	srv->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (srv->epoll_fd < 0 || srv->wake_fd < 0 || srv->spare_fd < 0 ||
	    tape_server_watch_new(srv, srv->wake_fd, &srv->wake_fd) != 0) {
		(void)tape_err_sys(err, errno, "cannot set up a server");
		tape_server_free(srv);
		return TAPE_E_IO;
	}
	*srv_out = srv;
	return TAPE_OK;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

int64_t
tape_server_now_ns(const struct tape_server *srv)
{
	return tape_clock_now_ns(&srv->clock);
}

enum tape_status
tape_server_at(struct tape_server *srv, struct tape_server_timer *t,
    int64_t deadline_ns, void (*fn)(void *arg), void *arg)
{
	t->fn = fn;
	t->arg = arg;
	return tape_server_timers_arm(&srv->timers, t, deadline_ns);
}

void
tape_server_cancel(struct tape_server *srv, struct tape_server_timer *t)
{
	tape_server_timers_disarm(&srv->timers, t);
}

int64_t
tape_server_spin_ns(const struct tape_server *srv)
{
	return srv->spin_ns;
}

struct tape_server_stats
tape_server_stats(const struct tape_server *srv)
{
	return srv->stats;
}

void
tape_server_stop(struct tape_server *srv)
{
	uint64_t one = 1;
	ssize_t n;

	atomic_store(&srv->stop, true);
	n = write(srv->wake_fd, &one, sizeof(one));
	(void)n; /* a full counter wakes, too */
}

void
tape_server_free(struct tape_server *srv)
{
	if (srv == NULL)
		return;
	tape_server_cut_off(srv);
	tape_server_timers_release(&srv->timers);
	close_fd(&srv->listen_fd);
	close_fd(&srv->wake_fd);
	close_fd(&srv->spare_fd);
	close_fd(&srv->epoll_fd);
	tape_mem_free(srv);
}
