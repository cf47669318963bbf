/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/footprint.h"

#include "base/procfs.h"

#include <unistd.h>

/* The second number of statm, in pages; proc(5). */
int64_t
tape_footprint_resident(void)
{
	uint64_t pages[2];

	if (!tape_procfs_numbers("/proc/self/statm", pages, 2))
		return 0;
	return (int64_t)pages[1] * sysconf(_SC_PAGESIZE);
}

void
tape_footprint_add(
    struct tape_footprint *f, int64_t resident_bytes, int64_t open)
{
	if (resident_bytes <= 0)
		return;
	if (f->samples++ == 0)
		f->start_bytes = resident_bytes;
	if (resident_bytes > f->max_bytes) {
		f->max_bytes = resident_bytes;
		f->open_at_max = open;
	}
	if (open > f->open_max)
		f->open_max = open;
}

int64_t
tape_footprint_per_stream(const struct tape_footprint *f)
{
	if (f->open_at_max < TAPE_FOOTPRINT_STREAMS)
		return -1;
	return (f->max_bytes - f->start_bytes) / f->open_at_max;
}
