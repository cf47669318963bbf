/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/apikey.h"

#include "base/fdio.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define KEY_BYTES ((size_t)16 << 10) /* no header can be longer */

static enum tape_status
check(char *key, const char *from, struct tape_err *err)
{
	size_t len = strlen(key), i;

	while (len > 0 && (key[len - 1] == '\n' || key[len - 1] == '\r'))
		key[--len] = '\0';
	if (len == 0)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "%s: the key is empty", from);
	for (i = 0; i < len; i++)
		if ((unsigned char)key[i] < ' ' || key[i] == 0x7f)
			break;
	if (i < len || key[0] == ' ' || key[len - 1] == ' ')
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%s: the key has blanks or control characters", from);
	return TAPE_OK;
}

enum tape_status
tape_apikey_read(
    const char *env_name, const char *path, char **key, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;
	const char *value;
	char *got = NULL;
	size_t len = 0;

	*key = NULL;
	if (env_name != NULL) {
		value = getenv(env_name);
		if (value == NULL)
			return tape_err_set(err, TAPE_E_USAGE,
			    "the environment has no %s", env_name);
		got = tape_mem_strdup(value);
		if (got == NULL)
			return tape_err_nomem(err);
	} else if (path != NULL)
		st = tape_fdio_slurp(path, KEY_BYTES, &got, &len, err);
	if (st == TAPE_OK && got != NULL)
		st = check(got, env_name != NULL ? env_name : path, err);
	if (st == TAPE_OK)
		*key = got;
	else
		tape_apikey_free(got);
	return st;
}

void
tape_apikey_free(char *key)
{
	if (key != NULL)
		explicit_bzero(key, strlen(key));
	tape_mem_free(key);
}
