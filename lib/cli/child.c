/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/child.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void
leave_streams(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)dup2(fd, STDIN_FILENO);
	(void)dup2(fd, STDOUT_FILENO);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

enum tape_status
tape_child_start(
    void *child, int (*run)(void *arg), void *arg, struct tape_err *err)
{
	struct tape_child *c = child;
	pid_t parent = getpid();
	pid_t pid;

	/* What is buffered must not be written by both. */
	(void)fflush(NULL);
	pid = fork();
	if (pid < 0)
		return tape_err_sys(err, errno, "cannot start a process");
	if (pid > 0) {
		c->pid = pid;
		return TAPE_OK;
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_DFL);
	leave_streams();
	/* It may have died before it was to take us with it. */
	_exit(getppid() == parent ? run(arg) : 1);
}

static int64_t
ns_of(const struct timeval *t)
{
	return (int64_t)t->tv_sec * TAPE_NS_PER_S +
	       (int64_t)t->tv_usec * TAPE_NS_PER_US;
}

bool
tape_child_stop(void *child, int64_t *cpu_ns)
{
	struct tape_child *c = child;
	struct rusage u = { 0 };
	int status = 0;
	pid_t got;

	if (c->pid <= 0)
		return false;
	(void)kill(c->pid, SIGKILL);
	do
		got = wait4(c->pid, &status, 0, &u);
	while (got < 0 && errno == EINTR);
	c->pid = 0;
	if (cpu_ns != NULL)
		*cpu_ns = ns_of(&u.ru_utime) + ns_of(&u.ru_stime);
	return got > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}
