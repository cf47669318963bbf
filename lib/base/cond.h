/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cond: condition variables that time out by the monotonic clock, in
   nanoseconds. */
#ifndef TAPE_BASE_COND_H
#define TAPE_BASE_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* 0 or an error number; the caller destroys it. */
int tape_cond_init(pthread_cond_t *c);

/* The monotonic time that comes after so long, at most INT64_MAX. */
int64_t tape_cond_after_ns(int64_t timeout_ns);

/* Waits with the lock held, as pthread_cond_timedwait.  False: the time has
   passed. */
bool tape_cond_wait_until(
    pthread_cond_t *c, pthread_mutex_t *lock, int64_t at_ns);

#endif
