/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/outfile.h"

#include "base/fdio.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
release(struct tape_outfile *f)
{
	tape_mem_free(f->path);
	tape_mem_free(f->written);
	memset(f, 0, sizeof(*f));
}

static char *
working_name(const char *path, bool partial)
{
	size_t size = strlen(path) + 32;
	char *s = tape_mem_calloc(size, 1);

	if (s == NULL)
		return NULL;
	if (partial)
		(void)snprintf(s, size, "%s.partial", path);
	else
		(void)snprintf(s, size, "%s.tmp.%ld", path, (long)getpid());
	return s;
}

enum tape_status
tape_outfile_open(struct tape_outfile *f, const char *path, bool partial,
    bool force, int *fd, struct tape_err *err)
{
	struct stat sb;
	bool exists;
	enum tape_status st;

	memset(f, 0, sizeof(*f));
	if (path == NULL) {
		*fd = STDOUT_FILENO;
		return TAPE_OK;
	}
	exists = stat(path, &sb) == 0;
	if (exists && S_ISREG(sb.st_mode) && partial && !force)
		return tape_err_set(err, TAPE_E_USAGE,
		    "%s exists (use --force to replace it)", path);
	f->path = tape_mem_strdup(path);
	if (f->path == NULL)
		return tape_err_nomem(err);
	if (!exists || S_ISREG(sb.st_mode)) {
		f->written = working_name(path, partial);
		f->keep = partial;
		if (f->written == NULL) {
			release(f);
			return tape_err_nomem(err);
		}
	}
	/* What a crash left is worth as much as what was finished. */
	if (partial && !force && f->written && stat(f->written, &sb) == 0) {
		st = tape_err_set(err, TAPE_E_USAGE,
		    "%s exists, of a run that crashed (use --force to replace "
		    "it)",
		    f->written);
		release(f);
		return st;
	}
	st = tape_fdio_open_write(f->written ? f->written : path, fd, err);
	if (st != TAPE_OK)
		release(f);
	return st;
}

enum tape_status
tape_outfile_finish(struct tape_outfile *f, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (f->written != NULL && rename(f->written, f->path) != 0)
		st = tape_err_sys(
		    err, errno, "cannot rename %s to %s", f->written, f->path);
	release(f);
	return st;
}

void
tape_outfile_drop(struct tape_outfile *f)
{
	if (f->written != NULL && !f->keep)
		(void)unlink(f->written);
	release(f);
}
