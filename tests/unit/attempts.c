/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/attempts.h"

#include "base/clock.h"
#include "unit/tap.h"

#include <string.h>

static const struct tape_attempts defaults = { .retries = 3,
	.on = TAPE_ATTEMPTS_ON,
	.delay_ns = TAPE_NS_PER_S,
	.delay_max_ns = 60 * TAPE_NS_PER_S };

static void
test_defaults(void)
{
	struct tape_attempts a = defaults;

	ok(tape_attempts_retries(&a, TAPE_HTTP_CONNECT, 0), "connect");
	ok(tape_attempts_retries(&a, TAPE_HTTP_RESET, 200), "reset");
	ok(tape_attempts_retries(&a, TAPE_HTTP_HTTP, 429), "429");
	ok(tape_attempts_retries(&a, TAPE_HTTP_HTTP, 503), "503");
	ok(!tape_attempts_retries(&a, TAPE_HTTP_HTTP, 500), "not 500");
	ok(!tape_attempts_retries(&a, TAPE_HTTP_HTTP, 404), "not 404");
	ok(!tape_attempts_retries(&a, TAPE_HTTP_HTTP, 302), "not 302");
	ok(!tape_attempts_retries(&a, TAPE_HTTP_TIMEOUT, 0), "not timeout");
	ok(!tape_attempts_retries(&a, TAPE_HTTP_TRUNCATED, 429),
	    "nor a status that was cut");
	ok(!tape_attempts_retries(&a, TAPE_HTTP_NONE, 200), "nor a success");
	a.retries = 0;
	ok(!tape_attempts_retries(&a, TAPE_HTTP_HTTP, 429), "off by default");
}

/* Whether the text makes a status retried; -1: it is refused. */
static int
takes(const char *text, enum tape_http_class class, int64_t status)
{
	struct tape_attempts a = defaults;

	if (tape_attempts_parse_on(text, &a.on, NULL) != TAPE_OK)
		return -1;
	return tape_attempts_retries(&a, class, status);
}

static void
test_parse(void)
{
	struct tape_attempts_on on = TAPE_ATTEMPTS_ON, again;
	struct tape_err err = { 0 };

	is_int(tape_attempts_parse_on("connect,reset,429,503", &again, &err),
	    TAPE_OK, "the default in words");
	ok(on.classes == again.classes &&
		memcmp(on.statuses, again.statuses, sizeof(on.statuses)) == 0,
	    "is the same");
	is_int(takes("5xx", TAPE_HTTP_HTTP, 500), 1, "5xx");
	is_int(takes("5xx", TAPE_HTTP_HTTP, 599), 1, "up to 599");
	is_int(takes("5xx", TAPE_HTTP_HTTP, 499), 0, "not 499");
	is_int(takes("4xx,500", TAPE_HTTP_HTTP, 400), 1, "4xx");
	is_int(takes("4xx,500", TAPE_HTTP_HTTP, 500), 1, "and 500");
	is_int(takes("http", TAPE_HTTP_HTTP, 302), 1, "http is any status");
	is_int(takes("timeout,truncated", TAPE_HTTP_TIMEOUT, 0), 1, "timeout");
	is_int(takes("timeout,truncated", TAPE_HTTP_RESET, 0), 0, "replaced");
	is_int(takes("", TAPE_HTTP_RESET, 0), -1, "empty");
	is_int(takes("429,", TAPE_HTTP_RESET, 0), -1, "empty at the end");
	is_int(takes("399", TAPE_HTTP_RESET, 0), -1, "399");
	is_int(takes("600", TAPE_HTTP_RESET, 0), -1, "600");
	is_int(takes("cancelled", TAPE_HTTP_RESET, 0), -1, "cancelled");
	is_int(takes("client", TAPE_HTTP_RESET, 0), -1, "client");
	is_int(takes("connectconnectconnect", TAPE_HTTP_RESET, 0), -1, "long");
	is_int(tape_attempts_parse_on("429,often", &again, &err), TAPE_E_USAGE,
	    "a word that is none");
	ok(strstr(err.text, "'often'") != NULL, "is named: %s", err.text);
}

static int64_t
after(const char *headers)
{
	struct tape_buf b;
	int64_t v;

	tape_buf_init(&b, 4096);
	(void)tape_buf_add_str(&b, headers);
	v = tape_attempts_retry_after_ns(&b);
	tape_buf_release(&b);
	return v;
}

static void
test_retry_after(void)
{
	is_int(after(""), -1, "nothing");
	is_int(after("Server\nx\n"), -1, "another field");
	is_int(after("Server\nx\nRetry-After\n7\n"), 7 * TAPE_NS_PER_S, "7 s");
	is_int(after("retry-after\n1.5\n"), 1500 * TAPE_NS_PER_MS, "1.5 s");
	is_int(after("retry-after\n0\n"), 0, "at once");
	is_int(after("retry-after\n9\nRetry-After-Ms\n20\n"),
	    20 * TAPE_NS_PER_MS, "milliseconds win");
	is_int(after("retry-after\nFri, 31 Dec 1999 23:59:59 GMT\n"), -1,
	    "a date is not looked at");
	is_int(after("retry-after\n-1\n"), -1, "negative");
	is_int(after("retry-after\n\n"), -1, "empty");
	is_int(after("retry-after\n99999999999\n"), INT64_C(1) << 55,
	    "for ever is a long time");
}

static void
test_delay(void)
{
	struct tape_attempts a = defaults;
	const int64_t s = TAPE_NS_PER_S;

	is_int(tape_attempts_delay_ns(&a, 1, -1), s, "1 s before the second");
	is_int(tape_attempts_delay_ns(&a, 2, -1), 2 * s, "2 s");
	is_int(tape_attempts_delay_ns(&a, 4, -1), 8 * s, "8 s");
	is_int(tape_attempts_delay_ns(&a, 100, -1), 60 * s, "at most 60 s");
	is_int(tape_attempts_delay_ns(&a, 1, 5 * s), 5 * s, "as it is asked");
	is_int(tape_attempts_delay_ns(&a, 4, 5 * s), 8 * s, "or later");
	is_int(tape_attempts_delay_ns(&a, 1, INT64_MAX), 60 * s, "bounded");
	a.delay_max_ns = INT64_MAX;
	is_int(tape_attempts_delay_ns(&a, 100, -1), INT64_MAX, "no overflow");
	a.delay_ns = 0;
	a.delay_max_ns = s;
	is_int(tape_attempts_delay_ns(&a, 100, -1), 0, "at once");
}

static void
test_cancels(void)
{
	struct tape_attempts a = { .cancel_ratio = 0.1, .seed = 7 };
	struct tape_attempts b = a;
	int n = 0, same = 0, moved = 0;

	for (uint64_t i = 0; i < 100000; i++) {
		bool is = tape_attempts_cancels(&a, i);

		n += is;
		same += is == tape_attempts_cancels(&b, i);
	}
	/* Five standard deviations. */
	ok(n > 10000 - 475 && n < 10000 + 475, "a tenth: %d of 100000", n);
	is_int(same, 100000, "the same for all who ask");
	b.seed = 8;
	for (uint64_t i = 0; i < 1000; i++)
		moved += tape_attempts_cancels(&a, i) !=
			 tape_attempts_cancels(&b, i);
	ok(moved > 50, "others with another seed: %d", moved);
	a.cancel_ratio = 0;
	b.cancel_ratio = 1;
	n = 0;
	for (uint64_t i = 0; i < 1000; i++)
		n += tape_attempts_cancels(&a, i) +
		     2 * tape_attempts_cancels(&b, i);
	is_int(n, 2000, "none of 0, all of 1");
	/* A seed means these for ever. */
	a = (struct tape_attempts){ .cancel_ratio = 0.5, .seed = 1 };
	n = 0;
	for (uint64_t i = 0; i < 16; i++)
		n |= (int)tape_attempts_cancels(&a, i) << i;
	is_int(n, 0xd0be, "seed 1");
}

int
main(void)
{
	test_defaults();
	test_parse();
	test_retry_after();
	test_delay();
	test_cancels();
	return done_testing();
}
