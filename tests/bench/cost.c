/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cost: runs a command and says what it took, exactly, as one JSON object.
 *
 *	cost -o FILE [-c CORE] [-t SECONDS] COMMAND [ARG ...]
 *
 * {"status":0,"wall_s":1.5,"user_s":1.2,"sys_s":0.1,"cpu_s":1.3,
 * "maxrss_kb":9000}, of the command and the children it waited for.  After -t
 * seconds (300) it is asked to end, 5 seconds later killed, as it is when this
 * one ends.  The exit status is the command's.
 */
#include "bench/bench.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static volatile sig_atomic_t child;

/* Asks the child to end; the second time, or 5 seconds later, kills it. */
static void
end_child(int sig)
{
	static volatile sig_atomic_t asked;

	(void)sig;
	if (child > 0)
		(void)kill(child, asked ? SIGKILL : SIGTERM);
	asked = 1;
	(void)alarm(5);
}

static void
run(char *const *argv, int core)
{
	cpu_set_t set;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	if (core >= 0) {
		CPU_SET((size_t)core, &set);
		(void)sched_setaffinity(0, sizeof(set), &set);
	}
	(void)execvp(argv[0], argv);
	bench_die(argv[0]);
}

static int
report(const char *path, int status, double wall_s, const struct rusage *ru)
{
	double user_s = bench_seconds(ru->ru_utime);
	double sys_s = bench_seconds(ru->ru_stime);
	int code =
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	FILE *f = fopen(path, "w");

	if (f == NULL ||
	    fprintf(f,
		"{\"status\":%d,\"wall_s\":%.6f,\"user_s\":%.6f,"
		"\"sys_s\":%.6f,\"cpu_s\":%.6f,\"maxrss_kb\":%ld}\n",
		code, wall_s, user_s, sys_s, user_s + sys_s,
		ru->ru_maxrss) < 0 ||
	    fclose(f) != 0)
		bench_die(path);
	return code;
}

int
main(int argc, char **argv)
{
	const char *path = NULL;
	int core = -1, status = 0, c;
	unsigned limit_s = 300;
	struct rusage ru;
	int64_t start_ns;
	pid_t pid;

	while ((c = getopt(argc, argv, "+o:c:t:")) != -1)
		if (c == 'o')
			path = optarg;
		else if (c == 'c')
			core = (int)bench_number(optarg, 0, CPU_SETSIZE - 1);
		else if (c == 't')
			limit_s = (unsigned)bench_number(optarg, 1, 86400);
		else
			return 2;
	if (path == NULL || optind == argc)
		return 2;
	start_ns = bench_now_ns();
	pid = fork();
	if (pid < 0)
		bench_die("fork");
	if (pid == 0)
		run(argv + optind, core);
	child = pid;
	(void)signal(SIGTERM, end_child);
	(void)signal(SIGINT, end_child);
	(void)signal(SIGALRM, end_child);
	(void)alarm(limit_s);
	while (wait4(pid, &status, 0, &ru) != pid)
		if (errno != EINTR)
			bench_die("wait");
	return report(
	    path, status, 1e-9 * (double)(bench_now_ns() - start_ns), &ru);
}
