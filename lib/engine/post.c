/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/post.h"

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"

#include <pthread.h>
#include <string.h>

struct notes {
	struct tape_note *v;
	size_t n;
	size_t cap;
};

struct tape_post {
	pthread_mutex_t lock;
	pthread_cond_t some;
	bool waiting;
	bool ring; /* something came that is worth waking for */
	unsigned flags;
	struct notes in;  /* being filled */
	struct notes out; /* being read */
};

enum tape_status
tape_post_open(struct tape_post **p, struct tape_err *err)
{
	struct tape_post *n = tape_mem_calloc(1, sizeof(*n));
	int rc;

	if (n == NULL)
		return tape_err_nomem(err);
	rc = tape_cond_init(&n->some);
	if (rc == 0) {
		rc = pthread_mutex_init(&n->lock, NULL);
		if (rc != 0)
			(void)pthread_cond_destroy(&n->some);
	}
	if (rc != 0) {
		tape_mem_free(n);
		return tape_err_sys(err, rc, "cannot set up a mailbox");
	}
	*p = n;
	return TAPE_OK;
}

void
tape_post_free(struct tape_post *p)
{
	if (p == NULL)
		return;
	(void)pthread_cond_destroy(&p->some);
	(void)pthread_mutex_destroy(&p->lock);
	tape_mem_free(p->in.v);
	tape_mem_free(p->out.v);
	tape_mem_free(p);
}

enum tape_status
tape_post_put(struct tape_post *p, const struct tape_note *notes, size_t n,
    bool urgent, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	(void)pthread_mutex_lock(&p->lock);
	if (tape_mem_grow((void **)&p->in.v, &p->in.cap, p->in.n + n,
		sizeof(*p->in.v)) != 0) {
		st = tape_err_nomem(err);
	} else {
		memcpy(p->in.v + p->in.n, notes, n * sizeof(*notes));
		p->in.n += n;
		p->ring = p->ring || urgent || p->in.n >= TAPE_POST_BATCH;
		if (p->waiting && p->ring)
			(void)pthread_cond_signal(&p->some);
	}
	(void)pthread_mutex_unlock(&p->lock);
	return st;
}

void
tape_post_flag(struct tape_post *p, enum tape_note_flag flag)
{
	(void)pthread_mutex_lock(&p->lock);
	p->flags |= (unsigned)flag;
	p->ring = true;
	if (p->waiting)
		(void)pthread_cond_signal(&p->some);
	(void)pthread_mutex_unlock(&p->lock);
}

/* With the lock held. */
static void
await(struct tape_post *p, int64_t timeout_ns)
{
	int64_t at_ns;
	bool early = true;

	if (p->ring || timeout_ns <= 0)
		return;
	at_ns = tape_cond_after_ns(timeout_ns);
	p->waiting = true;
	while (!p->ring && early)
		early = tape_cond_wait_until(&p->some, &p->lock, at_ns);
	p->waiting = false;
}

size_t
tape_post_take(struct tape_post *p, int64_t timeout_ns,
    const struct tape_note **notes, unsigned *flags)
{
	struct notes full;

	(void)pthread_mutex_lock(&p->lock);
	await(p, timeout_ns);
	full = p->in;
	p->in = p->out;
	p->in.n = 0;
	p->out = full;
	*flags = p->flags;
	p->flags = 0;
	p->ring = false;
	(void)pthread_mutex_unlock(&p->lock);
	*notes = p->out.v;
	return p->out.n;
}
