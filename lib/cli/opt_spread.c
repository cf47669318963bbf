/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "cli/opt.h"

/* Whether arg is "--name" of one of the names. */
static bool
is_listed(const char *arg, const char *const *names)
{
	if (strncmp(arg, "--", 2) != 0)
		return false;
	for (; *names != NULL; names++)
		if (strcmp(arg + 2, *names) == 0)
			return true;
	return false;
}

char **
tape_opt_spread(int *argc, char **argv, const char *const *names)
{
	char **v = tape_mem_calloc(2 * (size_t)*argc + 1, sizeof(*v));
	char *list = NULL;   /* the option that operands belong to */
	bool valued = false; /* the next one is its own value */
	bool ended = false;  /* by "--" */
	int n = 0;

	if (v == NULL)
		return NULL;
	for (int i = 0; i < *argc; i++) {
		bool option = argv[i][0] == '-' && argv[i][1] != '\0' && !ended;

		if (valued) {
			valued = false;
		} else if (option) {
			valued = is_listed(argv[i], names);
			list = valued ? argv[i] : NULL;
			ended = strcmp(argv[i], "--") == 0;
		} else if (list != NULL) {
			v[n++] = list;
		}
		v[n++] = argv[i];
	}
	*argc = n;
	return v;
}
