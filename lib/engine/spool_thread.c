/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread that reads the trace, and the head start. */
#include "base/cond.h"
#include "base/urgency.h"
#include "engine/spool_impl.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define GLANCE_NS (20 * TAPE_NS_PER_MS) /* between two looks at interrupts */

static int64_t
now_ns(void)
{
	return tape_clock_now_ns(&tape_clock_system);
}

/* Never when what is wanted is not there. */
static bool
is_far(const struct tape_spool *s, unsigned eighths)
{
	return s->head_done && s->info.requests > s->wanted &&
	       (s->info.requests >
		       s->wanted + (uint64_t)TAPE_SPOOL_HEAD / 8 * eighths ||
		   s->bytes >
		       s->wanted_offset + TAPE_SPOOL_HEAD_BYTES / 8 * eighths);
}

void
tape_spool_wake(struct tape_spool *s)
{
	if (s->resting && !is_far(s, 7))
		(void)pthread_cond_signal(&s->room);
}

/* Once far enough ahead it waits for a while: a wake-up costs more than reading
   a request.  False: quit. */
static bool
await_room(struct tape_spool *s)
{
	bool quit;

	(void)pthread_mutex_lock(&s->lock);
	s->resting = is_far(s, 8);
	while (s->resting && !s->quit) {
		(void)pthread_cond_wait(&s->room, &s->lock);
		s->resting = is_far(s, 7);
	}
	quit = s->quit;
	(void)pthread_mutex_unlock(&s->lock);
	return !quit;
}

static void *
run(void *arg)
{
	tape_urgency_lower();
	while (await_room(arg) && tape_spool_step(arg))
		continue;
	return NULL;
}

/* Until the input has something, or the thread is to end. */
static enum tape_status
await_input(void *arg, int fd, struct tape_err *err)
{
	struct tape_spool *s = arg;
	struct pollfd p[2] = { { fd, POLLIN, 0 }, { s->wake_fd, POLLIN, 0 } };
	int rc;

	(void)pthread_mutex_lock(&s->lock);
	s->waited = s->first_ns != 0;
	(void)pthread_mutex_unlock(&s->lock);
	do
		rc = poll(p, 2, -1);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return tape_err_sys(err, errno, "cannot wait for the trace");
	if (p[1].revents != 0)
		return tape_err_set(
		    err, TAPE_E_IO, "nobody waits for the trace any more");
	return TAPE_OK;
}

/* With the lock held: until something moves, the time of a slow head start is
   over, or it is time to look at interrupts. */
static void
await_head(struct tape_spool *s)
{
	int64_t at = now_ns() + GLANCE_NS;
	int64_t over = s->first_ns + TAPE_SPOOL_HEAD_NS;

	if (s->first_ns != 0 && over < at)
		at = over;
	(void)tape_cond_wait_until(&s->moved, &s->lock, at);
	if (s->waited && s->info.requests >= s->least && now_ns() >= over)
		tape_spool_end_head(s, s->info.requests, true);
}

static enum tape_status
start_thread(struct tape_spool *s, struct tape_err *err)
{
	int rc;

	s->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (s->wake_fd < 0)
		return tape_err_sys(err, errno, "cannot read the trace");
	tape_reader_set_wait(s->fill.reader, await_input, s);
	rc = pthread_create(&s->thread, NULL, run, s);
	if (rc != 0)
		return tape_err_sys(err, rc, "cannot read the trace");
	s->running = true;
	return TAPE_OK;
}

/* Waits for what the thread reads. */
static enum tape_status
read_head(struct tape_spool *s, const struct tape_spool_start *how,
    struct tape_err *err)
{
	enum tape_status st;

	s->least = how->least > 0 ? how->least : 1;
	st = start_thread(s, err);
	if (st != TAPE_OK)
		return st;
	(void)pthread_mutex_lock(&s->lock);
	while (!s->head_done &&
	       (how->interrupts == NULL || how->interrupts() == 0))
		await_head(s);
	st = tape_spool_sync(s, err);
	(void)pthread_mutex_unlock(&s->lock);
	return st;
}

enum tape_status
tape_spool_start(struct tape_spool *s, struct tape_reader *r,
    const struct tape_spool_start *how, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	s->fill.reader = r;
	s->fill.partial = how->partial;
	st = how->whole ? tape_spool_fill(s, r, how->interrupts, &why)
			: read_head(s, how, &why);
	/* Then nobody asks whether it is a good one. */
	if (how->interrupts != NULL && how->interrupts() > 0)
		return TAPE_OK;
	if (st != TAPE_OK && err != NULL && err->status == TAPE_OK)
		*err = why;
	return st;
}

enum tape_status
tape_spool_take(struct tape_spool **out, const char *dir, struct tape_reader *r,
    const struct tape_spool_start *how, struct tape_err *err)
{
	enum tape_status st = tape_spool_open(out, dir, err);

	return st == TAPE_OK ? tape_spool_start(*out, r, how, err) : st;
}

void
tape_spool_stop(struct tape_spool *s)
{
	const uint64_t one = 1;

	if (s->running) {
		(void)pthread_mutex_lock(&s->lock);
		s->quit = true;
		(void)pthread_cond_signal(&s->room);
		(void)pthread_mutex_unlock(&s->lock);
		while (
		    write(s->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
			continue;
		(void)pthread_join(s->thread, NULL);
	}
	s->running = false;
	if (s->wake_fd >= 0)
		(void)close(s->wake_fd);
	s->wake_fd = -1;
}
