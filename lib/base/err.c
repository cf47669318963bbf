/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef tape_err_set
#undef tape_err_sys
#undef tape_err_nomem

static void
clean(char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

void
tape_err_clear(struct tape_err *err)
{
	memset(err, 0, sizeof(*err));
}

enum tape_status
tape_err_set(
    struct tape_err *err, enum tape_status status, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL || err->status != TAPE_OK)
		return status;
	err->status = status;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	clean(err->text);
	return status;
}

enum tape_status
tape_err_sys(struct tape_err *err, int sys, const char *fmt, ...)
{
	char why[128];
	size_t n;
	va_list ap;

	if (err == NULL || err->status != TAPE_OK)
		return TAPE_E_IO;
	err->status = TAPE_E_IO;
	err->sys = sys;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	(void)snprintf(err->text + n, sizeof(err->text) - n, ": %s",
	    strerror_r(sys, why, sizeof(why)));
	clean(err->text);
	return TAPE_E_IO;
}

enum tape_status
tape_err_at(struct tape_err *err, const char *name, uint64_t line)
{
	if (err == NULL)
		return TAPE_E_BUG;
	if (err->name[0] == '\0' && name != NULL) {
		(void)snprintf(err->name, sizeof(err->name), "%s", name);
		clean(err->name);
		err->line = line;
	}
	return err->status;
}

enum tape_status
tape_err_nomem(struct tape_err *err)
{
	char why[128];

	if (tape_mem_why() == 0)
		return tape_err_set(err, TAPE_E_NOMEM, "out of memory");
	return tape_err_set(err, TAPE_E_NOMEM,
	    "out of memory, and of room for temporary files: %s",
	    strerror_r(tape_mem_why(), why, sizeof(why)));
}

char *
tape_err_format(const struct tape_err *err, char *dst, size_t size)
{
	if (err->name[0] == '\0')
		(void)snprintf(dst, size, "%s", err->text);
	else if (err->line == 0)
		(void)snprintf(dst, size, "%s: %s", err->name, err->text);
	else
		(void)snprintf(dst, size, "%s:%" PRIu64 ": %s", err->name,
		    err->line, err->text);
	return dst;
}
