/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/child.h"

#include "unit/tap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

static int pipe_fds[2];

static void
tell(char c)
{
	if (write(pipe_fds[1], &c, 1) != 1)
		_exit(9);
}

static int
wait_long(void *arg)
{
	const struct timespec t = { 60, 0 };

	(void)arg;
	tell('x');
	(void)nanosleep(&t, NULL);
	return 0;
}

static int
end_at_once(void *arg)
{
	return *(int *)arg;
}

/* Says whether it can read what its parent could. */
static int
look(void *arg)
{
	tell(read(0, arg, 1) == 0 && isatty(1) == 0 ? '0' : '1');
	return wait_long(NULL);
}

static int
burn(void *arg)
{
	volatile unsigned n = 0;
	clock_t start = clock();

	(void)arg;
	while (clock() - start < CLOCKS_PER_SEC / 20)
		n++;
	return wait_long(NULL);
}

static char
hear(void)
{
	char c = 0;

	return read(pipe_fds[0], &c, 1) == 1 ? c : '!';
}

static void
test_life(void)
{
	struct tape_child c = { 0 };
	int64_t cpu_ns = -1;
	pid_t pid;
	char scratch[1];

	ok(!tape_child_stop(&c, &cpu_ns), "none to stop");
	is_int(cpu_ns, -1, "no time");
	is_int(tape_child_start(&c, wait_long, NULL, NULL), TAPE_OK, "starts");
	pid = c.pid;
	is_int(hear(), 'x', "and runs");
	ok(kill(pid, SIGINT) == 0 && kill(pid, 0) == 0,
	    "an interrupt is not for it");
	ok(tape_child_stop(&c, NULL), "stopped");
	is_int(c.pid, 0, "it is gone");
	ok(kill(pid, 0) != 0 && errno == ESRCH, "really");
	is_int(tape_child_start(&c, look, scratch, NULL), TAPE_OK, "another");
	is_int(hear(), '0', "without our standard input");
	is_int(hear(), 'x', "goes on");
	ok(tape_child_stop(&c, NULL), "until it is stopped");
	is_int(tape_child_start(&c, burn, NULL, NULL), TAPE_OK, "a busy one");
	is_int(hear(), 'x', "is done");
	ok(tape_child_stop(&c, &cpu_ns), "and stopped");
	ok(cpu_ns >= 40000000, "its CPU time: %lld ns", (long long)cpu_ns);
}

/* A parent that ends without a word takes its child with it: then nobody holds
   the pipe any more. */
static void
test_orphan(void)
{
	struct pollfd look_at = { .events = POLLIN };
	struct tape_child c = { 0 };
	int fds[2];
	char scratch[2];
	pid_t pid;

	if (!ok(pipe(fds) == 0, "a pipe"))
		return;
	pid = fork();
	if (pid == 0) {
		pipe_fds[1] = fds[1];
		if (tape_child_start(&c, wait_long, NULL, NULL) != TAPE_OK)
			_exit(1);
		_exit(read(fds[0], scratch, 1) == 1 ? 0 : 1);
	}
	(void)close(fds[1]);
	(void)waitpid(pid, NULL, 0);
	look_at.fd = fds[0];
	while (poll(&look_at, 1, 20000) == 1 && read(fds[0], scratch, 2) == 1)
		continue;
	ok((look_at.revents & POLLHUP) != 0, "none is left behind");
	(void)close(fds[0]);
}

static void
test_early(void)
{
	struct tape_child c = { 0 };
	siginfo_t info;
	int code = 3;

	is_int(
	    tape_child_start(&c, end_at_once, &code, NULL), TAPE_OK, "starts");
	is_int(waitid(P_PID, (id_t)c.pid, &info, WEXITED | WNOWAIT), 0, "ends");
	is_int(info.si_status, 3, "by itself");
	ok(!tape_child_stop(&c, NULL), "which stop tells");
}

int
main(void)
{
	int in[2];

	if (pipe(pipe_fds) != 0 || pipe(in) != 0 || write(in[1], "y", 1) != 1 ||
	    dup2(in[0], STDIN_FILENO) < 0)
		return 1;
	test_life();
	test_orphan();
	test_early();
	return done_testing();
}
