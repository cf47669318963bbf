/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/outfile.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "cli/signals.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
release(struct tape_outfile *f)
{
	tape_signals_remove(NULL);
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

/* what is said behind the name. */
static enum tape_status
refuse_existing(const char *path, const char *what, struct tape_err *err)
{
	struct stat sb;

	if (lstat(path, &sb) != 0)
		return TAPE_OK;
	return tape_err_set(err, TAPE_E_USAGE,
	    "%.200s exists%s (use --force to replace it)", path, what);
}

/* The names; path is followed to the file that it is a link to. */
static enum tape_status
set_names(struct tape_outfile *f, const char *path, bool exists, bool partial,
    struct tape_err *err)
{
	char real[PATH_MAX];

	if (exists && realpath(path, real) != NULL)
		path = real;
	f->keep = partial;
	f->path = tape_mem_strdup(path);
	if (f->path != NULL)
		f->written = working_name(path, partial);
	return f->written == NULL ? tape_err_nomem(err) : TAPE_OK;
}

/* Creates the working file: always a new one, so that nobody else's is
   followed or written into.  Errors name the file that the user named. */
static enum tape_status
create(const struct tape_outfile *f, const char *path, int *fd,
    struct tape_err *err)
{
	struct tape_err why = { 0 };

	if (unlink(f->written) != 0 && errno != ENOENT)
		return tape_err_sys(
		    err, errno, "cannot replace '%.200s'", f->written);
	/* Before it is there: a signal may come at any time. */
	if (!f->keep)
		tape_signals_remove(f->written);
	if (tape_fdio_open_new(f->written, fd, &why) != TAPE_OK)
		return tape_err_sys(
		    err, why.sys, "cannot create '%.200s'", path);
	return TAPE_OK;
}

static enum tape_status
open_regular(struct tape_outfile *f, const char *path, const struct stat *old,
    bool force, int *fd, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (f->keep && !force) {
		st = refuse_existing(path, "", err);
		if (st == TAPE_OK)
			st = refuse_existing(
			    f->written, ", of a run that did not end", err);
	}
	if (st == TAPE_OK)
		st = create(f, path, fd, err);
	/* Where they cannot be set, those of a new file have to do. */
	if (st == TAPE_OK && old != NULL)
		(void)fchmod(*fd, old->st_mode & 0777);
	return st;
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
	if (exists && !S_ISREG(sb.st_mode))
		return tape_fdio_open_write(path, fd, err);
	st = set_names(f, path, exists, partial, err);
	if (st == TAPE_OK)
		st = open_regular(f, path, exists ? &sb : NULL, force, fd, err);
	if (st != TAPE_OK)
		release(f);
	return st;
}

enum tape_status
tape_outfile_finish(struct tape_outfile *f, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (f->written != NULL && rename(f->written, f->path) != 0)
		st = tape_err_sys(err, errno, "cannot rename %.120s to %.120s",
		    f->written, f->path);
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
