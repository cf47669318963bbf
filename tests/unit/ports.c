/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ports.h"

#include "unit/tap.h"

#include <stdlib.h>

static char path[] = "/tmp/llmtape-ports-XXXXXX";

static uint64_t
count_of(const char *text)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		return 0;
	(void)fputs(text, f);
	(void)fclose(f);
	return tape_ports_count(path);
}

static void
test_count(void)
{
	int fd = mkstemp(path);

	ok(fd >= 0, "a file for the range");
	(void)close(fd);
	is_int(count_of("1024\t65535\n"), 64512, "both ends count");
	is_int(count_of("5000 5000\n"), 1, "one port is a range");
	is_int(
	    count_of("60999 32768\n"), 28232, "the wrong way round: default");
	is_int(count_of("32768\n"), 28232, "half a range: default");
	is_int(count_of("1 70000\n"), 28232, "no port: default");
	is_int(count_of("nonsense\n"), 28232, "no number: default");
	(void)unlink(path);
	is_int(tape_ports_count(path), 28232, "no file: default");
	ok(tape_ports_count(TAPE_PORTS_FILE) > 0, "this machine has some");
}

static enum tape_status
check(const struct tape_ports_need *need, struct tape_buf *warning,
    struct tape_err *err)
{
	tape_err_clear(err);
	tape_buf_clear(warning);
	return tape_ports_check(need, 1000, warning, err);
}

static void
test_open(struct tape_buf *w)
{
	struct tape_err err = { 0 };
	struct tape_ports_need need = { .open = 1000 };

	is_int(check(&need, w, &err), TAPE_OK, "as many as there are");
	need.open = 1001;
	is_int(check(&need, w, &err), TAPE_E_USAGE, "one more");
	is_str(err.text,
	    "--concurrency 1001 needs more local ports than the 1000 there "
	    "are: widen them with 'sysctl -w "
	    "net.ipv4.ip_local_port_range=\"1024 65535\"', or give 2 of "
	    "--source-address",
	    "says what to set");
	need.sources = 2;
	is_int(check(&need, w, &err), TAPE_OK, "two addresses have twice");
	need.open = 2001;
	is_int(check(&need, w, &err), TAPE_E_USAGE, "and no more");
	ok(strstr(err.text, "give 3 of") != NULL, "three are needed");
	need = (struct tape_ports_need){ .open = 0 };
	is_int(check(&need, w, &err), TAPE_OK, "an unknown number passes");
	is_int(w->len, 0, "without a word");
}

static void
test_fresh(struct tape_buf *w)
{
	struct tape_err err = { 0 };
	struct tape_ports_need need = { .fresh = true, .rate_per_s = 16 };

	is_int(check(&need, w, &err), TAPE_OK, "960 in a minute");
	is_int(w->len, 0, "are there");
	need.rate_per_s = 20;
	is_int(check(&need, w, &err), TAPE_OK, "1200 are not refused");
	ok(strstr(w->data, "uses up the local ports in 50") != NULL,
	    "but it is said when they run out");
	need.sources = 2;
	is_int(check(&need, w, &err), TAPE_OK, "two addresses");
	is_int(w->len, 0, "have enough");
	need = (struct tape_ports_need){ .rate_per_s = 1e6 };
	is_int(check(&need, w, &err), TAPE_OK, "kept connections");
	is_int(w->len, 0, "need none");
}

int
main(void)
{
	struct tape_buf w;

	tape_buf_init(&w, 4096);
	test_count();
	test_open(&w);
	test_fresh(&w);
	tape_buf_release(&w);
	return done_testing();
}
