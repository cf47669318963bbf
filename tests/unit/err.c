/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include "unit/tap.h"

#include <errno.h>

static void
test_first_wins(void)
{
	struct tape_err err = { 0 };
	char text[64];

	is_int(tape_err_set(&err, TAPE_E_FORMAT, "bad %s", "thing"),
	    TAPE_E_FORMAT, "set returns the status");
	is_str(err.text, "bad thing", "formats");
	is_int(tape_err_set(&err, TAPE_E_IO, "later"), TAPE_E_IO,
	    "a later failure returns its own status");
	is_int(err.status, TAPE_E_FORMAT, "but the first is kept");
	is_str(err.text, "bad thing", "with its text");
	is_int(tape_err_sys(&err, EIO, "later"), TAPE_E_IO, "sys, too");
	is_int(err.sys, 0, "keeps it");
	is_int(tape_err_nomem(&err), TAPE_E_NOMEM, "nomem, too");
	is_str(tape_err_format(&err, text, sizeof(text)), "bad thing",
	    "no place, no prefix");
	tape_err_clear(&err);
	is_int(err.status, TAPE_OK, "clear empties");
	is_int(tape_err_nomem(&err), TAPE_E_NOMEM, "usable again");
	is_str(err.text, "out of memory", "standard text");
	is_int(tape_err_set(NULL, TAPE_E_BUG, "x"), TAPE_E_BUG, "NULL is fine");
	is_int(tape_err_sys(NULL, 1, "x"), TAPE_E_IO, "NULL for sys");
}

static void
test_text(void)
{
	struct tape_err err = { 0 };
	char small[8];

	(void)tape_err_set(&err, TAPE_E_FORMAT, "a\tb\x1b[1mc\x7f\n");
	is_str(err.text, "a?b?[1mc??", "control characters are replaced");
	tape_err_clear(&err);
	(void)tape_err_sys(&err, ENOENT, "cannot open '%s'", "f");
	is_str(err.text, "cannot open 'f': No such file or directory",
	    "errno's text is appended");
	is_int(err.sys, ENOENT, "and kept");
	is_str(tape_err_format(&err, small, sizeof(small)), "cannot ",
	    "a small destination cuts");
	tape_err_clear(&err);
	(void)tape_err_set(&err, TAPE_E_FORMAT, "%*s", 1000, "x");
	is_int((int)strlen(err.text), (int)sizeof(err.text) - 1, "long text");
	tape_err_clear(&err);
	(void)tape_err_sys(&err, 99999, "%*s", 1000, "x");
	is_int((int)strlen(err.text), (int)sizeof(err.text) - 1,
	    "long text leaves no room for errno, and does not overflow");
}

static void
test_place(void)
{
	struct tape_err err = { 0 };
	char text[128];

	is_int(tape_err_at(&err, NULL, 0), TAPE_OK, "no failure, no status");
	(void)tape_err_set(&err, TAPE_E_TRUNC, "cut");
	is_int(tape_err_at(&err, "in\nput", 17), TAPE_E_TRUNC, "at");
	is_str(tape_err_format(&err, text, sizeof(text)), "in?put:17: cut",
	    "name, line, text");
	(void)tape_err_at(&err, "other", 3);
	is_str(err.name, "in?put", "the first place stays");
	tape_err_clear(&err);
	(void)tape_err_set(&err, TAPE_E_TRUNC, "cut");
	(void)tape_err_at(&err, "-", 0);
	is_str(tape_err_format(&err, text, sizeof(text)), "-: cut",
	    "no line, no number");
	is_int(tape_err_at(NULL, "x", 1), TAPE_E_BUG, "nothing to add to");
}

int
main(void)
{
	test_first_wins();
	test_text();
	test_place();
	return done_testing();
}
