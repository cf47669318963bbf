/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/signals.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int seen;
static atomic_int kill_at_count; /* of SIGINT and SIGTERM; 0: not counted */
static atomic_bool passing_one;
static void (*_Atomic wake_fn)(void *arg);
static void *_Atomic wake_arg;
static char doomed[PATH_MAX];
static atomic_bool has_doomed; /* set after doomed, reset before */

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

/* Whether the signal is taken and life goes on. */
static bool
survives(int sig)
{
	int kill_at = atomic_load(&kill_at_count);

	if (sig != SIGHUP && kill_at > 0)
		return atomic_fetch_add(&seen, 1) + 1 < kill_at;
	if (sig == SIGINT && atomic_load(&passing_one))
		return atomic_fetch_add(&seen, 1) == 0;
	return false;
}

static void
on_signal(int sig)
{
	void (*wake)(void *) = atomic_load(&wake_fn);

	if (survives(sig)) {
		if (wake != NULL)
			wake(atomic_load(&wake_arg));
		return;
	}
	if (atomic_load(&has_doomed))
		(void)unlink(doomed);
	set(sig, SIG_DFL);
	(void)raise(sig);
}

/* Catches the signal, unless it is to be ignored. */
static void
take(int sig)
{
	struct sigaction old;

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		set(sig, on_signal);
}

void
tape_signals_pipe(bool sockets)
{
	set(SIGPIPE, sockets ? SIG_IGN : SIG_DFL);
	unblock(SIGPIPE);
}

void
tape_signals_count(int kill_at)
{
	atomic_store(&kill_at_count, kill_at);
	take(SIGINT);
	take(SIGTERM);
}

void
tape_signals_pass_one(void)
{
	atomic_store(&passing_one, true);
	take(SIGINT);
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
tape_signals_remove(const char *path)
{
	size_t len = path == NULL ? 0 : strlen(path);

	atomic_store(&has_doomed, false);
	if (len == 0 || len >= sizeof(doomed))
		return;
	memcpy(doomed, path, len + 1);
	atomic_store(&has_doomed, true);
	take(SIGINT);
	take(SIGTERM);
	take(SIGHUP);
}

void
tape_signals_die_of_pipe(void)
{
	set(SIGPIPE, SIG_DFL);
	unblock(SIGPIPE);
	(void)raise(SIGPIPE);
}

bool
tape_signals_insist(void)
{
	return tape_signals_seen() > 1;
}
