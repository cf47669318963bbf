/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/url.h"

#include "base/mem.h"
#include "unit/tap.h"

static void
test_redact(void)
{
	static const struct {
		const char *url;
		const char *want;
	} cases[] = {
		{ "http://h/p", "http://h/p" },
		{ "http://user:pw@h/p?x", "http://h/p" },
		{ "http://user:pw@h:80/p?x#y", "http://h:80/p" },
		{ "http://user@h", "http://h" },
		{ "http://:pw@h", "http://h" },
		{ "http://a@b:pw@h/p", "http://h/p" },
		{ "http://h?key=1", "http://h" },
		{ "http://h#key=1", "http://h" },
		{ "http://h/a@b/c", "http://h/a@b/c" },
		{ "http://[::1]:8000/v1", "http://[::1]:8000/v1" },
		{ "http://u:p@[fe80::1%25eth0]/v1",
		    "http://[fe80::1%25eth0]/v1" },
		{ "HTTPS://U:P@H", "HTTPS://H" },
		{ "h:8000/p?q", "h:8000/p" },
		{ "user:pw@h:8000", "h:8000" },
		{ "//user:pw@h/p", "//h/p" },
		{ "run.tape", "run.tape" },
		{ "", "" },
		{ "http://", "http://" },
		{ "http://@/", "http:///" },
		{ "http://user:p/w@h/", "http://(redacted)" },
		{ "http://user:p?w@h/", "http://(redacted)" },
		{ "http://user:p\\w@h/", "http://(redacted)" },
		{ "user:pw", "(redacted)" },
	};
	struct tape_buf b;

	tape_buf_init(&b, 1000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tape_buf_clear(&b);
		is_int(tape_url_redact(cases[i].url, &b), TAPE_OK, "redact");
		is_str(b.data, cases[i].want, "'%s'", cases[i].url);
	}
	tape_buf_clear(&b);
	(void)tape_buf_add_str(&b, "to ");
	(void)tape_url_redact_span(tape_str_make("http://u@h/pXXX", 12), &b);
	is_str(b.data, "to http://h/p", "a span is appended");
	tape_buf_release(&b);
	tape_buf_init(&b, 5);
	is_int(tape_url_redact("http://h/p", &b), TAPE_E_LIMIT, "cap");
	tape_buf_release(&b);
}

static void
test_normalise(void)
{
	static const struct {
		const char *url;
		const char *want;
	} good[] = {
		{ "h", "http://h" },
		{ "h:8000/v1", "http://h:8000/v1" },
		{ "//h/v1", "http://h/v1" },
		{ "localhost:8000", "http://localhost:8000" },
		{ "http://h/?q", "http://h/?q" },
		{ "HTTPS://h/A", "https://h/A" },
		{ "hTTp://u:p@h", "http://u:p@h" },
		{ "[::1]:80", "http://[::1]:80" },
	};
	static const struct {
		const char *url;
		const char *text;
	} bad[] = {
		{ "", "URL '' names no host" },
		{ "http://", "URL 'http://' names no host" },
		{ "http:///p", "URL 'http:///p' names no host" },
		{ "http://u:p@:80/", "URL 'http://:80/' names no host" },
		{ "https://?q", "URL 'https://' names no host" },
		{ "ftp://u:p@h/x?y",
		    "URL 'ftp://h/x' is neither http nor https" },
		{ "httpx://h", "URL 'httpx://h' is neither http nor https" },
		{ "xttp://h", "URL 'xttp://h' is neither http nor https" },
		{ "http://h/a b", "URL 'http://h/a b' contains white space" },
		{ "h\n", "URL 'h?' contains white space" },
		{ "h\x7f", "URL 'h?' contains white space" },
	};
	struct tape_err err = { 0 };
	struct tape_buf b;

	tape_buf_init(&b, 1000);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		tape_buf_clear(&b);
		is_int(tape_url_normalise(good[i].url, &b, &err), TAPE_OK,
		    "normalise '%s'", good[i].url);
		is_str(b.data, good[i].want, "to %s", good[i].want);
	}
	tape_buf_clear(&b);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		tape_err_clear(&err);
		is_int(tape_url_normalise(bad[i].url, &b, &err), TAPE_E_USAGE,
		    "refuse");
		is_str(err.text, bad[i].text, "%s", bad[i].text);
		is_int((int)b.len, 0, "without output");
	}
	tape_buf_release(&b);
}

static void
test_no_memory(void)
{
	struct tape_err err = { 0 };
	struct tape_buf b;

	tape_buf_init(&b, 1000);
	(void)tape_mem_fail_at(1);
	is_int(tape_url_normalise("h", &b, &err), TAPE_E_NOMEM, "no memory");
	(void)tape_mem_fail_at(1);
	tape_err_clear(&err);
	is_int(tape_url_normalise("ftp://u:p@h", &b, &err), TAPE_E_USAGE,
	    "no memory for the message");
	is_str(err.text, "a URL is neither http nor https", "still told");
	(void)tape_mem_fail_at(0);
	tape_buf_release(&b);
}

int
main(void)
{
	test_redact();
	test_normalise();
	test_no_memory();
	return done_testing();
}
