/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/tmpfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where the file system cannot make one without a name. */
static int
open_named(const char *dir)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/llmtape.XXXXXX", dir);
	int fd;

	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	return fd;
}

enum tape_status
tape_tmpfile_open(int *fd, const char *dir, struct tape_err *err)
{
	if (dir == NULL || dir[0] == '\0')
		dir = "/tmp";
	*fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd < 0)
		*fd = open_named(dir);
	if (*fd < 0)
		return tape_err_sys(
		    err, errno, "cannot make a temporary file in %s", dir);
	return TAPE_OK;
}
