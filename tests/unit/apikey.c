/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/apikey.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

static struct tape_err err;
static char *key;

static enum tape_status
from_env(const char *value)
{
	tape_apikey_free(key);
	key = NULL;
	tape_err_clear(&err);
	(void)setenv("TAPE_TEST_KEY", value, 1);
	return tape_apikey_read("TAPE_TEST_KEY", NULL, &key, &err);
}

static void
test_env(void)
{
	is_int(tape_apikey_read(NULL, NULL, &key, &err), TAPE_OK, "no source");
	ok(key == NULL, "no key");
	is_int(tape_apikey_read("TAPE_TEST_NONE", NULL, &key, &err),
	    TAPE_E_USAGE, "no such variable");
	is_str(err.text, "the environment has no TAPE_TEST_NONE", "says which");
	is_int(from_env("sk-secret"), TAPE_OK, "a key");
	is_str(key, "sk-secret", "as it is");
	is_int(from_env("sk-secret\r\n"), TAPE_OK, "with a line end");
	is_str(key, "sk-secret", "which is dropped");
	is_int(from_env(""), TAPE_E_FORMAT, "an empty one");
	is_int(from_env("\n"), TAPE_E_FORMAT, "nothing but a line end");
	is_int(from_env(" sk-secret"), TAPE_E_FORMAT, "a blank before it");
	ok(key == NULL && strstr(err.text, "secret") == NULL,
	    "the message has nothing of it");
	is_int(from_env("sk\nsecret"), TAPE_E_FORMAT, "two lines");
	(void)tape_mem_fail_at(1);
	is_int(from_env("sk-secret"), TAPE_E_NOMEM, "no memory");
	(void)tape_mem_fail_at(0);
}

static void
test_file(void)
{
	char path[] = "/tmp/apikey.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return;
	is_int(tape_fdio_write(fd, "sk-file\n", 8, &err), TAPE_OK, "a file");
	(void)close(fd);
	is_int(tape_apikey_read(NULL, path, &key, &err), TAPE_OK, "is read");
	is_str(key, "sk-file", "without its line end");
	tape_apikey_free(key);
	(void)unlink(path);
	tape_err_clear(&err);
	is_int(tape_apikey_read(NULL, path, &key, &err), TAPE_E_IO, "or not");
	ok(key == NULL, "no key then");
}

int
main(void)
{
	test_env();
	test_file();
	return done_testing();
}
