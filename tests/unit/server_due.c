/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What keeps the server's timers on time: those that are due run within a long
 * callback, and spinning wakes the loop by itself; and writes that stop short.
 */
#include "codec/server.h"
#include "unit/ports.h"
#include "unit/raw_client.h"
#include "unit/tap.h"

#define MS TAPE_NS_PER_MS

static struct tape_server *srv;
static struct tape_clock_fake fake;
static struct tape_clock fake_clock;
static int ticks, ticks_within;
static struct tape_server_timer tick_timer, late_timer;

static void
pump(void)
{
	struct tape_err err = { 0 };

	if (tape_server_run(srv, tape_server_now_ns(srv) + MS, &err) < 0)
		printf("# %s\n", err.text);
}

static void
tick(void *arg)
{
	(void)arg;
	ticks++;
}

/* Takes 10 ms, and lets the timers have their turn after 5 of them. */
static void
on_request(
    void *arg, struct tape_server_conn *c, const struct tape_server_request *r)
{
	int64_t now_ns = tape_server_now_ns(srv);

	(void)arg;
	(void)r;
	if (tape_server_at(srv, &tick_timer, now_ns + 3 * MS, tick, NULL) !=
		TAPE_OK ||
	    tape_server_at(srv, &late_timer, now_ns + 7 * MS, tick, NULL) !=
		TAPE_OK)
		printf("# no memory\n");
	tape_server_run_due(srv);
	ticks_within = ticks;
	fake.now_ns += 5 * MS;
	tape_server_run_due(srv);
	ticks_within = ticks * 10 + ticks_within;
	fake.now_ns += 5 * MS;
	(void)tape_server_reply(c, 200, "", "ok", 2);
}

static void
start(struct tape_server_conf conf)
{
	struct tape_err err = { 0 };
	enum tape_status st = tape_server_open(&srv, &conf, &err);

	for (int i = 0; st == TAPE_OK && i < PORTS_TRIES; i++) {
		tape_err_clear(&err);
		if (tape_server_listen(
			srv, "127.0.0.1", ports_next(), &port, &err) == TAPE_OK)
			return;
	}
	printf("Bail out! %s\n", err.text);
	exit(1);
}

static void
test_due(void)
{
	struct tape_server_conf conf = {
		.handler = { .on_request = on_request },
		.clock = &fake_clock,
	};

	fake.now_ns = 1000 * TAPE_NS_PER_S;
	fake_clock = tape_clock_from_fake(&fake);
	start(conf);
	ok(strstr(ask("GET / HTTP/1.1\r\nhost: h\r\n\r\n", "ok"), "200 OK") !=
		NULL,
	    "the request is answered");
	is_int(ticks_within, 10, "within it the timer that was due ran, once");
	is_int(ticks, 2, "and the other one after it");
	tape_server_free(srv);
}

/* Three bytes of a chunk stay behind. */
static void
on_short(
    void *arg, struct tape_server_conn *c, const struct tape_server_request *r)
{
	(void)arg;
	(void)r;
	if (tape_server_head(c, 200, "", TAPE_SERVER_CHUNKED, 0) != TAPE_OK ||
	    tape_server_put(c, "piece", 5) != TAPE_OK ||
	    tape_server_flush_but(c, 3) != TAPE_OK)
		printf("# cannot answer\n");
	is_int(tape_server_conn_pending(c), 3, "three bytes are kept");
	is_int(tape_server_flush_but(c, 10), TAPE_OK, "no more than there are");
	is_int(tape_server_conn_pending(c), 3, "keep all");
	tape_server_conn_set(c, c);
}

static void
test_short(void)
{
	struct tape_server_conf conf = {
		.handler = { .on_request = on_short },
		.clock = &fake_clock,
	};
	const char *got;
	int fd;

	start(conf);
	fd = dial();
	SAY(fd, "GET / HTTP/1.1\r\nhost: h\r\n\r\n");
	got = hear(fd, "piec");
	ok(strstr(got, "\r\n\r\n5\r\npiec") != NULL &&
		strstr(got, "piece") == NULL,
	    "the client has all but these");
	(void)close(fd);
	tape_server_free(srv);
}

/* Has a timer run, however long measuring the margin takes before it. */
static void
run_timer(const char *name)
{
	struct tape_err err = { 0 };
	int i, before = ticks;

	if (tape_server_at(srv, &tick_timer, tape_server_now_ns(srv) + 10 * MS,
		tick, NULL) != TAPE_OK)
		printf("# no memory\n");
	for (i = 0; i < 100 && ticks == before; i++)
		if (tape_server_run(srv, tape_server_now_ns(srv) + 20 * MS,
			&err) != TAPE_OK)
			printf("# %s\n", err.text);
	is_int(ticks, before + 1, "%s", name);
}

/* Only that it works: how well is measured, not asserted. */
static void
test_spin(void)
{
	struct tape_server_conf conf = { .spin_ns = -1 };
	int64_t wake_ns;

	wake_ns = tape_server_wake_ns();
	printf("# wakes up within %lld us\n", (long long)(wake_ns / 1000));
	ok(wake_ns > 0 && wake_ns <= 300000, "a margin is measured");
	start(conf);
	is_int(tape_server_spin_ns(srv), 0, "not before it runs");
	run_timer("a server that spins runs its timers");
	ok(tape_server_spin_ns(srv) > 0, "by a margin");
	tape_server_free(srv);
	conf.spin_ns = 50 * MS;
	start(conf);
	is_int(tape_server_spin_ns(srv), 50 * MS, "or by one that is given");
	run_timer("and its timers run, too");
	tape_server_free(srv);
}

int
main(void)
{
	client_pump = pump;
	test_due();
	test_short();
	test_spin();
	return done_testing();
}
