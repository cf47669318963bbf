/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/files.h"

#include <sys/resource.h>

size_t
tape_files_raise(size_t spare)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0)
		return 0;
	r.rlim_cur = r.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &r);
	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
		return 0;
	return r.rlim_cur > 2 * spare ? r.rlim_cur - spare : spare;
}
