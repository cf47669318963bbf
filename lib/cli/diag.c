/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/diag.h"

#include "base/fdio.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST 4000

static const char *name = "llmtape";
static bool is_quiet;
static bool is_verbose;

int
tape_diag_exit_code(enum tape_status st)
{
	switch (st) {
	case TAPE_OK:
	case TAPE_EOF:
		return TAPE_EXIT_DONE;
	case TAPE_E_USAGE:
		return TAPE_EXIT_USAGE;
	case TAPE_E_FORMAT:
	case TAPE_E_VERSION:
	case TAPE_E_TRUNC:
	case TAPE_E_LIMIT:
		return TAPE_EXIT_INPUT;
	case TAPE_E_IO:
	case TAPE_E_NOMEM:
		return TAPE_EXIT_SYSTEM;
	case TAPE_E_DATA:
		return TAPE_EXIT_DATA;
	case TAPE_E_BUG:
		break;
	}
	return TAPE_EXIT_BUG;
}

int
tape_diag_worse(int a, int b)
{
	static const int order[] = {
		TAPE_EXIT_BUG,
		TAPE_EXIT_USAGE,
		TAPE_EXIT_INPUT,
		TAPE_EXIT_SYSTEM,
		TAPE_EXIT_DATA,
		TAPE_EXIT_NO,
		TAPE_EXIT_OPEN,
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return TAPE_EXIT_DONE;
}

void
tape_diag_start(const char *tool)
{
	name = tool;
	is_quiet = false;
	is_verbose = false;
}

void
tape_diag_level(bool quiet, bool verbose)
{
	is_quiet = quiet;
	is_verbose = verbose;
}

/* One line, "name: text" and the rest, in one write.  There is nobody to tell
   when standard error fails. */
static void __attribute__((format(printf, 2, 0)))
say(const char *rest, const char *fmt, va_list ap)
{
	char line[LONGEST + 400];
	int n = snprintf(line, 128, "%.100s: ", name);
	size_t len = n < 0 ? 0 : (size_t)n;

	n = vsnprintf(line + len, LONGEST, fmt, ap);
	if (n > 0)
		len += n < LONGEST ? (size_t)n : LONGEST - 1;
	n = snprintf(line + len, sizeof(line) - len, "%.200s", rest);
	len += n < 0 ? 0 : (size_t)n;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = '?';
	line[len++] = '\n';
	enum tape_status st = tape_fdio_write(STDERR_FILENO, line, len, NULL);
	(void)st;
}

void
tape_diag_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void
tape_diag_warn(const char *fmt, ...)
{
	va_list ap;

	if (is_quiet)
		return;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void
tape_diag_note(const char *fmt, ...)
{
	va_list ap;

	if (is_quiet || !is_verbose)
		return;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

int
tape_diag_usage(const char *fmt, ...)
{
	char hint[200];
	va_list ap;

	(void)snprintf(hint, sizeof(hint), "; try '%.100s --help'", name);
	va_start(ap, fmt);
	say(hint, fmt, ap);
	va_end(ap);
	return TAPE_EXIT_USAGE;
}

int
tape_diag_failure(const struct tape_err *err)
{
	char text[sizeof(err->name) + sizeof(err->text) + 32];

	tape_err_format(err, text, sizeof(text));
	if (err->status == TAPE_E_USAGE)
		return tape_diag_usage("%s", text);
	tape_diag_error("%s", text);
	return tape_diag_exit_code(err->status);
}

void
tape_diag_die(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
	exit(code);
}
