/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/diag.h"

#include "unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[8192];

/*
 * Standard error becomes one end of a socket that keeps the bounds of writes;
 * heard gives what the first write held, and puts it back.
 */
static int saved = -1;
static int ear = -1;

static void
listen_up(void)
{
	int p[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, p) != 0)
		exit(1);
	saved = dup(2);
	(void)dup2(p[1], 2);
	(void)close(p[1]);
	ear = p[0];
}

static const char *
heard(void)
{
	ssize_t n = read(ear, said, sizeof(said) - 1);

	said[n > 0 ? n : 0] = '\0';
	(void)dup2(saved, 2);
	(void)close(saved);
	(void)close(ear);
	return said;
}

static void
test_levels(void)
{
	tape_diag_start("trace-gen");
	listen_up();
	tape_diag_error("cannot %s", "go");
	is_str(heard(), "trace-gen: cannot go\n", "an error, in one write");
	listen_up();
	tape_diag_warn("%d bad", 3);
	is_str(heard(), "trace-gen: 3 bad\n", "a warning");
	listen_up();
	tape_diag_note("hm");
	is_str(heard(), "", "no note");
	tape_diag_level(false, true);
	listen_up();
	tape_diag_note("hm");
	is_str(heard(), "trace-gen: hm\n", "but with -v");
	tape_diag_level(true, true);
	listen_up();
	tape_diag_note("hm");
	tape_diag_warn("hm");
	is_str(heard(), "", "-q silences both");
	listen_up();
	tape_diag_error("no");
	is_str(heard(), "trace-gen: no\n", "but not errors");
	listen_up();
	is_int(tape_diag_usage("no '%s'", "x"), 2, "usage is 2");
	is_str(heard(), "trace-gen: no 'x'; try 'trace-gen --help'\n",
	    "with a hint");
	tape_diag_start("trace-gen");
	listen_up();
	tape_diag_warn("hm");
	is_str(heard(), "trace-gen: hm\n", "start resets the level");
}

static void
test_text(void)
{
	char text[6000];
	size_t n;

	listen_up();
	tape_diag_error("a\nb\x1b[2Jc\x7f\t\xc3\xa9");
	is_str(heard(), "trace-gen: a?b?[2Jc??\xc3\xa9\n", "controls");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	listen_up();
	tape_diag_error("%s", text);
	n = strlen(heard());
	is_int((int)n, 11 + 3999 + 1, "long text is cut");
	ok(n > 0 && said[n - 1] == '\n', "and still a line");
	listen_up();
	tape_diag_usage("%s", text);
	ok(strstr(heard(), "try 'trace-gen --help'\n") != NULL, "hint fits");
}

static void
test_failure(void)
{
	static const struct {
		enum tape_status st;
		int code;
	} map[] = {
		{ TAPE_OK, 0 },
		{ TAPE_EOF, 0 },
		{ TAPE_E_USAGE, 2 },
		{ TAPE_E_FORMAT, 3 },
		{ TAPE_E_VERSION, 3 },
		{ TAPE_E_TRUNC, 3 },
		{ TAPE_E_LIMIT, 3 },
		{ TAPE_E_IO, 4 },
		{ TAPE_E_NOMEM, 4 },
		{ TAPE_E_BUG, 5 },
		{ TAPE_E_DATA, 6 },
		{ (enum tape_status) - 99, 5 },
	};
	struct tape_err err = { 0 };

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		is_int(tape_diag_exit_code(map[i].st), map[i].code,
		    "code of status %d", (int)map[i].st);
	(void)tape_err_set(&err, TAPE_E_TRUNC, "no end record");
	(void)tape_err_at(&err, "x.tape", 17);
	listen_up();
	is_int(tape_diag_failure(&err), 3, "failure gives the code");
	is_str(heard(), "trace-gen: x.tape:17: no end record\n", "says it");
	tape_err_clear(&err);
	(void)tape_err_set(&err, TAPE_E_USAGE, "no");
	listen_up();
	is_int(tape_diag_failure(&err), 2, "usage");
	is_str(heard(), "trace-gen: no; try 'trace-gen --help'\n", "hints");
}

static void
test_precedence(void)
{
	static const int order[] = { 5, 2, 3, 4, 6, 1, 7, 0 };

	for (size_t i = 0; i < 8; i++)
		for (size_t k = i; k < 8; k++)
			ok(tape_diag_worse(order[i], order[k]) == order[i] &&
				tape_diag_worse(order[k], order[i]) == order[i],
			    "%d before %d", order[i], order[k]);
}

static void
test_die(void)
{
	int status = 0;
	pid_t child;

	listen_up();
	child = fork();
	if (child == 0)
		tape_diag_die(TAPE_EXIT_SYSTEM, "gone: %d", 7);
	(void)waitpid(child, &status, 0);
	is_str(heard(), "trace-gen: gone: 7\n", "last words");
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 4, "and the code");
}

/* Nothing to write to is no reason to fail or to hang. */
static void
test_closed(void)
{
	int keep = dup(2);

	(void)close(2);
	tape_diag_error("unheard");
	(void)dup2(keep, 2);
	(void)close(keep);
	ok(true, "survives a closed standard error");
}

int
main(void)
{
	test_levels();
	test_text();
	test_failure();
	test_precedence();
	test_die();
	test_closed();
	return done_testing();
}
