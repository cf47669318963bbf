/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/command.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_NS TAPE_NS_PER_S
#define LOOK_NS     (5 * TAPE_NS_PER_MS)

extern char **environ;

/* Its standard input and output; 0 or an error number. */
static int
set_streams(posix_spawn_file_actions_t *f, int out)
{
	int rc = posix_spawn_file_actions_addopen(
	    f, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	return rc != 0
		   ? rc
		   : posix_spawn_file_actions_adddup2(f, out, STDOUT_FILENO);
}

/* A group of its own, and signals as a new process has them. */
static int
set_signals(posix_spawnattr_t *a)
{
	sigset_t set;

	(void)posix_spawnattr_setflags(a, POSIX_SPAWN_SETPGROUP |
					      POSIX_SPAWN_SETSIGDEF |
					      POSIX_SPAWN_SETSIGMASK);
	(void)posix_spawnattr_setpgroup(a, 0);
	(void)sigemptyset(&set);
	(void)posix_spawnattr_setsigmask(a, &set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGPIPE);
	return posix_spawnattr_setsigdefault(a, &set);
}

static int
spawn(pid_t *pid, const char *text, int out)
{
	char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
		(char *)(uintptr_t)text, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc != 0)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (rc == 0) {
		rc = set_streams(&files, out);
		if (rc == 0)
			rc = set_signals(&attr);
		if (rc == 0)
			rc = posix_spawn(
			    pid, "/bin/sh", &files, &attr, argv, environ);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return rc;
}

enum tape_status
tape_command_start(
    struct tape_command *c, const char *text, struct tape_err *err)
{
	int ends[2], rc;

	c->pid = 0;
	c->fd = -1;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return tape_err_sys(err, errno, "cannot make a pipe");
	rc = spawn(&c->pid, text, ends[1]);
	(void)close(ends[1]);
	if (rc != 0) {
		c->pid = 0;
		(void)close(ends[0]);
		return tape_err_sys(err, rc, "cannot start a process");
	}
	c->fd = ends[0];
	return TAPE_OK;
}

/* Whether it has ended by then, and how. */
static bool
ended_by(pid_t pid, int64_t at_ns, int *status)
{
	const struct tape_clock *clock = &tape_clock_system;
	pid_t got;

	for (;;) {
		got = waitpid(pid, status, WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			return true;
		if (tape_clock_now_ns(clock) >= at_ns)
			return false;
		tape_clock_sleep_until_ns(
		    clock, tape_clock_now_ns(clock) + LOOK_NS);
	}
}

static int
end(struct tape_command *c, bool ask)
{
	const struct tape_clock *clock = &tape_clock_system;
	int status = 0;

	if (c->pid == 0)
		return -1;
	if (ask)
		(void)kill(-c->pid, SIGTERM);
	if (!ended_by(
		c->pid, tape_clock_now_ns(clock) + PATIENCE_NS, &status)) {
		(void)kill(-c->pid, SIGKILL);
		while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
			continue;
	} else {
		/* What it has left behind. */
		(void)kill(-c->pid, SIGKILL);
	}
	(void)close(c->fd);
	c->pid = 0;
	c->fd = -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

int
tape_command_stop(struct tape_command *c)
{
	return end(c, true);
}

int
tape_command_wait(struct tape_command *c)
{
	return end(c, false);
}
