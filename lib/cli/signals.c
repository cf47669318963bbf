/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int seen;
static atomic_int kill_at_count;
static void (*_Atomic wake_fn)(void *arg);
static void *_Atomic wake_arg;

static void
set(int sig, void (*handler)(int))
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = SA_RESTART;
	(void)sigemptyset(&sa.sa_mask);
	(void)sigaction(sig, &sa, NULL);
}

static void
unblock(int sig)
{
	sigset_t one;

	(void)sigemptyset(&one);
	(void)sigaddset(&one, sig);
	(void)sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void
on_interrupt(int sig)
{
	void (*wake)(void *) = atomic_load(&wake_fn);

	if (atomic_fetch_add(&seen, 1) + 1 >= atomic_load(&kill_at_count)) {
		set(sig, SIG_DFL);
		(void)raise(sig);
		return;
	}
	if (wake != NULL)
		wake(atomic_load(&wake_arg));
}

void
tape_signals_pipe(int sockets)
{
	set(SIGPIPE, sockets ? SIG_IGN : SIG_DFL);
	unblock(SIGPIPE);
}

void
tape_signals_count(int kill_at)
{
	atomic_store(&kill_at_count, kill_at);
	set(SIGINT, on_interrupt);
	set(SIGTERM, on_interrupt);
}

int
tape_signals_seen(void)
{
	return atomic_load(&seen);
}

void
tape_signals_wake(void (*wake)(void *arg), void *arg)
{
	atomic_store(&wake_fn, NULL);
	atomic_store(&wake_arg, arg);
	atomic_store(&wake_fn, wake);
}

void
tape_signals_die_of_pipe(void)
{
	set(SIGPIPE, SIG_DFL);
	unblock(SIGPIPE);
	(void)raise(SIGPIPE);
}
