/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/headers.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

static struct tape_err err;

static bool
refused(const char *line)
{
	struct tape_headers h = { 0 };
	bool no;

	tape_err_clear(&err);
	no = tape_headers_add(&h, line, &err) == TAPE_E_USAGE;
	tape_headers_release(&h);
	return no;
}

static bool
there(const struct tape_headers *h, const char *line)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->lines[i], line) == 0)
			return true;
	return false;
}

/* A file with that text; its name is static. */
static const char *
file(const char *text)
{
	static char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/tmp/headers.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || tape_fdio_write(fd, text, strlen(text), NULL) != TAPE_OK)
		ok(false, "a file");
	(void)close(fd);
	return path;
}

static void
test_options(void)
{
	ok(refused("Authorization: Bearer sesame"), "a credential");
	ok(strstr(err.text, "sesame") == NULL, "is not said: %s", err.text);
	ok(strstr(err.text, "--header-file") != NULL, "but where it belongs");
	ok(refused("X-Api-Key: sesame"), "a key");
	ok(refused("Cookie: a=b"), "a cookie");
	ok(refused("no colon"), "no header");
	ok(refused(": empty name"), "no name");
	ok(refused("A: b\r\nC: d"), "two lines");
	ok(refused("Content-Length: 5"), "one that the client sets");
	ok(refused("hOsT: a"), "another");
	ok(!refused("X-Team: a"), "anything else is taken");
}

static void
test_file(void)
{
	struct tape_headers h = { 0 };
	const char *path = file("# mine\n\nX-Team: a  \n"
				"Authorization: Basic open-sesame\r\n"
				"x-api-key: another-sesame");
	char text[] = "open-sesame another-sesame";

	is_int(tape_headers_add_file(&h, path, &err), TAPE_OK, "a file");
	is_int((int64_t)h.n, 3, "three lines");
	ok(there(&h, "X-Team: a"), "trimmed");
	ok(there(&h, "Authorization: Basic open-sesame"), "credentials too");
	ok(tape_secrets_mask(&h.secrets, text, sizeof(text) - 1), "known");
	is_str(text, "*********** **************", "as secrets");
	tape_headers_release(&h);
	(void)unlink(path);

	path = file("X-Team: a\nbad line\n");
	tape_err_clear(&err);
	is_int(
	    tape_headers_add_file(&h, path, &err), TAPE_E_USAGE, "a bad one");
	is_int((int64_t)err.line, 2, "says where");
	tape_headers_release(&h);
	(void)unlink(path);
	tape_err_clear(&err);
	is_int(tape_headers_add_file(&h, "/no/such", &err), TAPE_E_IO, "none");
}

static void
test_keys(void)
{
	struct tape_headers h = { 0 };
	const char *path = file("  key-of-the-file\n");
	char text[] = "<key-of-the-file>";

	is_int(
	    tape_headers_add_key_file(&h, NULL, path, NULL), TAPE_OK, "a key");
	ok(there(&h, "Authorization: Bearer key-of-the-file"), "as a line");
	ok(tape_secrets_mask(&h.secrets, text, sizeof(text) - 1), "is secret");
	is_int(tape_headers_add_key(&h, NULL, "second-key", "KEY", NULL),
	    TAPE_OK, "another replaces it");
	is_int((int64_t)h.n, 1, "one line");
	tape_err_clear(&err);
	is_int(tape_headers_add_key(&h, NULL, " \n", "KEY", &err), TAPE_E_USAGE,
	    "an empty one is refused");
	ok(strstr(err.text, "KEY") != NULL, "by the name of its origin");
	is_int(tape_headers_add_key(&h, NULL, "a\nb", "KEY", NULL),
	    TAPE_E_USAGE, "one of two lines too");
	tape_headers_release(&h);
	(void)unlink(path);
}

/* A dialect has a field of its own for the key, and lines of its own. */
static void
test_dialect(void)
{
	const struct tape_api api = { .key_field = "x-api-key",
		.headers = { "a-version: 1" } };
	const struct tape_headers_source s = {
		.key = "some-key", .key_origin = "KEY", .api = &api
	};
	struct tape_headers h = { 0 };
	char text[] = "<some-key>";

	is_int(tape_headers_fill(&h, &s, NULL), TAPE_OK, "of a dialect");
	ok(there(&h, "x-api-key: some-key"), "its field");
	ok(there(&h, "a-version: 1"), "its line");
	ok(tape_secrets_mask(&h.secrets, text, sizeof(text) - 1), "is secret");
	tape_headers_release(&h);
}

static void
test_all(void)
{
	const char *lines[] = { "accept: mine", "X-A: b" };
	struct tape_headers_source s = { .lines = lines,
		.lines_n = 2,
		.key = "some-key",
		.key_origin = "KEY",
		.stream = true };
	struct tape_headers h = { 0 };
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t nth = 0;

	while (st == TAPE_E_NOMEM && nth < 100) {
		tape_headers_release(&h);
		tape_mem_fail_at(++nth);
		st = tape_headers_fill(&h, &s, NULL);
		tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "after %d failing allocations", (int)nth);
	is_int((int64_t)h.n, 5, "five lines");
	ok(there(&h, "accept: mine"), "the user's Accept");
	ok(!there(&h, "Accept: text/event-stream"), "stands for ours");
	ok(there(&h, "Content-Type: application/json"), "ours");
	ok(there(&h, "Accept-Encoding: identity"), "ours");
	tape_headers_release(&h);
	s.key = NULL;
	is_int(tape_headers_fill(&h, &s, NULL), TAPE_E_USAGE,
	    "a variable that is not set");
	tape_headers_release(&h);
}

int
main(void)
{
	test_options();
	test_file();
	test_keys();
	test_dialect();
	test_all();
	return done_testing();
}
