/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/procfs.h"

#include "unit/tap.h"

#include <stdlib.h>

static char path[] = "/tmp/llmtape-procfs-XXXXXX";

static bool
numbers(const char *text, uint64_t *v, size_t n)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		return false;
	(void)fputs(text, f);
	(void)fclose(f);
	return tape_procfs_numbers(path, v, n);
}

int
main(void)
{
	uint64_t v[9] = { 7, 7 };
	int fd = mkstemp(path);

	ok(fd >= 0, "a file");
	(void)close(fd);
	ok(numbers("12\t 345\n", v, 2), "two numbers");
	is_int(v[0], 12, "the first");
	is_int(v[1], 345, "the second");
	ok(numbers("9 8 seven\n", v, 2), "what comes behind them is free");
	is_int(v[1], 8, "and not looked at");
	ok(!numbers("1\n", v, 2), "one is not two");
	ok(!numbers("1 x", v, 2), "nor is a word a number");
	ok(!numbers("-1 2", v, 2), "nor is it negative");
	ok(!numbers("", v, 1), "nothing");
	is_int(v[0], 9, "leaves what was there");
	ok(!numbers("1 2 3 4 5 6 7 8 9", v, 9), "nine are too many");
	(void)unlink(path);
	ok(!tape_procfs_numbers(path, v, 1), "no file");
	return done_testing();
}
