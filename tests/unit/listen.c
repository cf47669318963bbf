/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/listen.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

static void
test_parse(void)
{
	static const struct {
		const char *arg, *host;
		int port;
	} good[] = {
		{ "80", "kept", 80 },
		{ "0", "kept", 0 },
		{ "127.0.0.1:8000", "127.0.0.1", 8000 },
		{ "[::1]:8000", "::1", 8000 },
		{ "::1:8000", "::1", 8000 },
		{ "localhost:65535", "localhost", 65535 },
	};
	static const char *const bad[] = { "", ":80", "x", "65536", "a:b",
		"a:", "a:-1" };
	struct tape_listen l;
	struct tape_err err = { 0 };
	char longest[400];
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		l = (struct tape_listen){ "kept", 1 };
		is_int(tape_listen_parse(good[i].arg, &l, &err), TAPE_OK,
		    "taken: %s", good[i].arg);
		is_str(l.host, good[i].host, "its host");
		is_int(l.port, good[i].port, "its port");
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		l = (struct tape_listen){ "kept", 1 };
		tape_err_clear(&err);
		is_int(tape_listen_parse(bad[i], &l, &err), TAPE_E_USAGE,
		    "refused: '%s'", bad[i]);
		ok(l.port == 1 && strcmp(l.host, "kept") == 0,
		    "nothing is changed");
	}
	memset(longest, 'x', sizeof(longest));
	memcpy(longest + 390, ":80", 4);
	is_int(tape_listen_parse(longest, &l, &err), TAPE_E_USAGE,
	    "refused: a name that is too long");
}

static void
test_port_file(void)
{
	char dir[] = "/tmp/listen.XXXXXX", path[64];
	struct tape_err err = { 0 };
	char *text = NULL;
	size_t len = 0;

	if (mkdtemp(dir) == NULL)
		return;
	(void)snprintf(path, sizeof(path), "%s/port", dir);
	is_int(tape_listen_write_port(path, 8000, &err), TAPE_OK, "written");
	is_int(tape_fdio_slurp(path, 100, &text, &len, &err), TAPE_OK, "there");
	is_str(text, "8000\n", "the port");
	tape_mem_free(text);
	(void)unlink(path);
	is_int(rmdir(dir), 0, "and nothing else is left");
	is_int(tape_listen_write_port(path, 8000, &err), TAPE_E_IO,
	    "no such folder");
}

int
main(void)
{
	test_parse();
	test_port_file();
	return done_testing();
}
