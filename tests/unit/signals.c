/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each case is a process of its own, since signals are a process's. */
#include "cli/signals.h"

#include "unit/tap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t woken;

static void
wake(void *arg)
{
	woken = woken + *(const int *)arg;
}

/* Runs it in a child whose signals are as a shell leaves them; returns its exit
   code, or minus the signal that killed it. */
static int
outcome(int (*run)(void))
{
	int status = 0;
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)signal(SIGINT, SIG_DFL);
		(void)signal(SIGTERM, SIG_DFL);
		(void)signal(SIGHUP, SIG_DFL);
		(void)signal(SIGPIPE, SIG_DFL);
		_exit(run());
	}
	(void)waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int
count_two_of_three(void)
{
	tape_signals_count(3);
	(void)raise(SIGINT);
	(void)raise(SIGTERM);
	return tape_signals_seen();
}

static int
count_three_of_three(void)
{
	tape_signals_count(3);
	(void)raise(SIGINT);
	(void)raise(SIGTERM);
	(void)raise(SIGINT);
	return 99;
}

static int
third_is_term(void)
{
	tape_signals_count(3);
	(void)raise(SIGINT);
	(void)raise(SIGINT);
	(void)raise(SIGTERM);
	return 99;
}

static int
pass_one(void)
{
	tape_signals_pass_one();
	(void)raise(SIGINT);
	return tape_signals_seen();
}

static int
pass_two(void)
{
	tape_signals_pass_one();
	(void)raise(SIGINT);
	(void)raise(SIGINT);
	return 99;
}

static int
pass_term(void)
{
	tape_signals_pass_one();
	(void)raise(SIGTERM);
	return 99;
}

static int
pass_with_a_file(void)
{
	tape_signals_pass_one();
	tape_signals_remove("/nonexistent/x");
	(void)raise(SIGINT);
	return tape_signals_seen();
}

static int
hang_up_with_count(void)
{
	tape_signals_count(3);
	tape_signals_remove("/nonexistent/x");
	(void)raise(SIGHUP);
	return 99;
}

/* As a background job of a shell, or under nohup. */
static int
ignored(void)
{
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	tape_signals_count(1);
	tape_signals_pass_one();
	tape_signals_remove("/nonexistent/x");
	(void)raise(SIGINT);
	(void)raise(SIGHUP);
	return tape_signals_seen();
}

static int
wakes(void)
{
	static const int by = 5;

	tape_signals_wake(wake, (void *)(uintptr_t)&by);
	tape_signals_count(9);
	(void)raise(SIGINT);
	(void)raise(SIGTERM);
	tape_signals_wake(NULL, NULL);
	(void)raise(SIGINT);
	return woken;
}

static int
pipe_default(void)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	tape_signals_pipe(false);
	(void)raise(SIGPIPE);
	return 99;
}

static int
pipe_ignored(void)
{
	tape_signals_pipe(true);
	(void)raise(SIGPIPE);
	return 7;
}

static int
die_of_pipe(void)
{
	tape_signals_pipe(true);
	tape_signals_die_of_pipe();
	return 99;
}

static char file[] = "/tmp/llmtape-signals-XXXXXX";

static int
removes(void)
{
	tape_signals_remove(file);
	(void)raise(SIGTERM);
	return 99;
}

/* A name that is too long is not taken, and the one before is forgotten. */
static int
forgets(void)
{
	static char path[10000];

	memset(path, 'x', sizeof(path) - 1);
	tape_signals_remove(file);
	tape_signals_remove(path);
	(void)raise(SIGTERM);
	return 99;
}

static void
test_files(void)
{
	int fd = mkstemp(file);

	(void)close(fd);
	is_int(outcome(forgets), -SIGTERM, "a name too long");
	ok(access(file, F_OK) == 0, "removes nothing");
	is_int(outcome(removes), -SIGTERM, "a file to be removed");
	ok(access(file, F_OK) != 0, "is removed");
}

int
main(void)
{
	is_int(outcome(count_two_of_three), 2, "two are counted");
	is_int(outcome(count_three_of_three), -SIGINT, "the third kills");
	is_int(outcome(third_is_term), -SIGTERM, "as itself");
	is_int(outcome(pass_one), 1, "one SIGINT passes");
	is_int(outcome(pass_two), -SIGINT, "a second does not");
	is_int(outcome(pass_term), -SIGTERM, "nor does SIGTERM");
	is_int(outcome(pass_with_a_file), 1, "also with a file to remove");
	is_int(outcome(hang_up_with_count), -SIGHUP, "SIGHUP is not counted");
	is_int(outcome(ignored), 0, "what was ignored stays so");
	is_int(outcome(wakes), 10, "it wakes, as long as it is wanted");
	is_int(outcome(pipe_default), -SIGPIPE, "SIGPIPE kills");
	is_int(outcome(pipe_ignored), 7, "but not where sockets are");
	is_int(outcome(die_of_pipe), -SIGPIPE, "unless it is asked to");
	test_files();
	return done_testing();
}
