/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/share.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

struct share {
	size_t n;
	enum tape_status (*fn)(void *arg, size_t piece, struct tape_err *err);
	void *arg;
	atomic_size_t next;
	atomic_bool failed;
};

/* What one thread has met. */
struct worker {
	struct share *share;
	pthread_t thread;
	bool started;
	size_t piece; /* that failed */
	struct tape_err err;
};

static void
work(struct worker *w)
{
	struct share *s = w->share;

	while (!atomic_load(&s->failed)) {
		const size_t piece = atomic_fetch_add(&s->next, 1);

		if (piece >= s->n)
			return;
		if (s->fn(s->arg, piece, &w->err) == TAPE_OK)
			continue;
		w->piece = piece;
		atomic_store(&s->failed, true);
		return;
	}
}

static void *
run(void *arg)
{
	work(arg);
	return NULL;
}

/* Signals are for the thread that called.  Where no thread can be had the
   others do its work. */
static void
start(struct worker *w)
{
	sigset_t all, was;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &was);
	w->started = pthread_create(&w->thread, NULL, run, w) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &was, NULL);
}

enum tape_status
tape_share(size_t n, unsigned threads,
    enum tape_status (*fn)(void *arg, size_t piece, struct tape_err *err),
    void *arg, struct tape_err *err)
{
	struct share s = { .n = n, .fn = fn, .arg = arg };
	struct worker w[TAPE_SHARE_THREADS];
	const struct worker *first = NULL;

	if (threads > TAPE_SHARE_THREADS)
		threads = TAPE_SHARE_THREADS;
	if (threads < 1 || n < 2)
		threads = 1;
	memset(w, 0, threads * sizeof(*w));
	for (unsigned i = 0; i < threads; i++) {
		w[i].share = &s;
		if (i > 0)
			start(&w[i]);
	}
	work(&w[0]);
	for (unsigned i = 0; i < threads; i++) {
		if (w[i].started)
			(void)pthread_join(w[i].thread, NULL);
		if (w[i].err.status != TAPE_OK &&
		    (first == NULL || w[i].piece < first->piece))
			first = &w[i];
	}
	if (first == NULL)
		return TAPE_OK;
	if (err != NULL && err->status == TAPE_OK)
		*err = first->err;
	return first->err.status;
}
