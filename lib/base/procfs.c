/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/procfs.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

#define FILE_BYTES  4096
#define NUMBERS_MAX 8
#define BLANK       " \t\r\n"

static bool
parse(char *text, uint64_t *v, size_t n)
{
	struct tape_err err = { 0 };
	char *p = text;

	for (size_t i = 0; i < n; i++) {
		char *word = p + strspn(p, BLANK);

		p = word + strcspn(word, BLANK);
		if (*p != '\0')
			*p++ = '\0';
		if (tape_num_u64(word, 0, UINT64_MAX, &v[i], &err) != TAPE_OK)
			return false;
	}
	return true;
}

bool
tape_procfs_numbers(const char *path, uint64_t *v, size_t n)
{
	struct tape_err err = { 0 };
	uint64_t got[NUMBERS_MAX];
	char *text = NULL;
	size_t len;
	bool found = false;

	if (n <= NUMBERS_MAX &&
	    tape_fdio_slurp(path, FILE_BYTES, &text, &len, &err) == TAPE_OK)
		found = parse(text, got, n);
	if (found)
		memcpy(v, got, n * sizeof(*v));
	tape_mem_free(text);
	return found;
}
