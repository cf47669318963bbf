/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of what streams say: buffered, serialized; and of the load. */
#include "unit/checks_fixture.h"

/* A server that takes slots requests at once, each 20 ms to its first token and
   70 ms more, and a closed loop of so many. */
static void
serve(struct fixture *f, int n, int loop, int slots, double stagger)
{
	double free_at[64] = { 0 }, again[64];

	f->start.loop = tape_str_of("closed");
	f->start.concurrency = loop;
	for (int i = 0; i < loop; i++)
		again[i] = stagger * i;
	for (int i = 0; i < n; i++) {
		int client = 0, slot = 0;
		double begins;

		for (int k = 1; k < loop; k++)
			client = again[k] < again[client] ? k : client;
		for (int k = 1; k < slots; k++)
			slot = free_at[k] < free_at[slot] ? k : slot;
		begins = again[client] > free_at[slot] ? again[client]
						       : free_at[slot];
		add_stream(f, again[client], begins + 20 - again[client],
		    begins + 90 - again[client]);
		again[client] = free_at[slot] = begins + 90;
	}
	make(f, &f->end);
}

static void
test_serialized(void)
{
	static const struct {
		int loop, slots;
		const char *status;
	} cases[] = { { 4, 1, "fail" }, { 2, 1, "fail" }, { 16, 1, "fail" },
		{ 4, 4, "ok" }, { 4, 2, "ok" }, { 6, 4, "ok" },
		{ 16, 8, "ok" } };
	struct fixture f;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		open_fixture(&f);
		serve(&f, 64, cases[i].loop, cases[i].slots, 0.1);
		is_status(&f, "serialized", cases[i].status);
		close_fixture(&f);
	}
	open_fixture(&f);
	serve(&f, 64, 1, 1, 0);
	ok(find(&f, "serialized") == NULL, "one at a time was asked for");
	close_fixture(&f);
}

/* Streams so short, and starts so spread, that none meets another: but one
   after the other would have taken four times as long. */
static void
test_never_meet(void)
{
	struct fixture f;

	open_fixture(&f);
	for (int i = 0; i < 100; i++)
		add_stream(&f, 25.0 * i, 79, 100);
	make(&f, &f.end);
	is_status(&f, "serialized", "ok");
	close_fixture(&f);
}

static void
test_buffered(void)
{
	struct fixture f;

	open_fixture(&f);
	f.m.streamed = true;
	f.m.kernel = 32;
	f.m.token_reads = 1;
	add(&f, 2);
	make(&f, &f.end);
	ok(find(&f, "buffered") == NULL, "two streams say nothing");
	add(&f, 18);
	make(&f, &f.end);
	is_check(&f, "buffered", "fail",
	    "20 of 20 streams came in one read, with all their tokens");
	f.m.token_reads = 32;
	add(&f, 2);
	make(&f, &f.end);
	is_status(&f, "buffered", "ok");
	next_run(&f);
	f.m.token_reads = 3;
	add(&f, 20);
	make(&f, &f.end);
	is_check(&f, "buffered", "fail",
	    "10.7 token events a read, on every stream");
	next_run(&f);
	f.m.token_reads = 10; /* bursts of three or four tokens */
	add(&f, 20);
	make(&f, &f.end);
	is_check(&f, "buffered", "ok", "streams come in many reads");
	next_run(&f);
	f.m.kernel = f.m.token_reads = 1; /* answers of one chunk */
	add(&f, 20);
	make(&f, &f.end);
	ok(find(&f, "buffered") == NULL, "one event has no reads to share");
	close_fixture(&f);
}

static void
test_concurrency(void)
{
	struct fixture f;

	open_fixture(&f);
	serve(&f, 64, 4, 4, 0.1);
	is_status(&f, "concurrency", "ok");
	is_status(&f, "littles_law", "ok");
	f.start.concurrency = 8;
	make(&f, &f.end);
	is_status(&f, "concurrency", "warn");
	f.start.concurrency = 3;
	make(&f, &f.end);
	is_status(&f, "littles_law", "fail");
	f.start.loop = tape_str_of("open");
	make(&f, &f.end);
	ok(find(&f, "concurrency") == NULL, "an open loop has no slots");
	is_status(&f, "littles_law", "ok");
	close_fixture(&f);
	open_fixture(&f);
	f.start.loop = tape_str_of("closed");
	f.start.concurrency = 64;
	for (int i = 0; i < 20; i++)
		add_stream(&f, 0, 10, 90);
	make(&f, &f.end);
	is_check(&f, "concurrency", "warn", "at most 20 of 64 asked for");
	close_fixture(&f);
}

/* A client that lets slots stand empty half of the time. */
static void
test_idle_slots(void)
{
	struct fixture f;

	open_fixture(&f);
	f.start.loop = tape_str_of("closed");
	f.start.concurrency = 2;
	for (int i = 0; i < 40; i++)
		add_stream(&f, 100.0 * (i - i % 2), 20, 90);
	make(&f, &f.end);
	is_status(&f, "concurrency", "warn");
	next_run(&f);
	f.m.result.turn = 1; /* those wait for each other */
	for (int i = 0; i < 40; i++)
		add_stream(&f, 100.0 * (i - i % 2), 20, 90);
	make(&f, &f.end);
	is_status(&f, "concurrency", "ok");
	close_fixture(&f);
}

/* Of answers whose ends are not known, or are before their starts, nothing is
   said. */
static void
test_no_ends(void)
{
	struct fixture f;

	for (int i = 0; i < 2; i++) {
		open_fixture(&f);
		f.start.loop = tape_str_of("closed");
		f.start.concurrency = 2;
		add_stream(&f, 5, 20, 90);
		f.m.result.end_ns = i == 0 ? TAPE_ABSENT_I64 : 0;
		add(&f, 1);
		make(&f, &f.end);
		ok(find(&f, "concurrency") == NULL, "no concurrency");
		ok(find(&f, "littles_law") == NULL, "and no law");
		close_fixture(&f);
	}
}

static void
test_client(void)
{
	struct fixture f;
	struct tape_str why = tape_str_of("sends were late");

	open_fixture(&f);
	make(&f, &f.end);
	ok(find(&f, "client") == NULL, "nothing is known of the client");
	f.fidelity.verdict = tape_str_of("suspect");
	f.fidelity.reasons = (struct tape_strs){ &why, 1 };
	make(&f, &f.end);
	is_check(&f, "client", "ok", "suspect: sends were late");
	f.fidelity.verdict = tape_str_of("client-limited");
	make(&f, &f.end);
	is_check(&f, "client", "fail", "client-limited: sends were late");
	close_fixture(&f);
}

int
main(void)
{
	test_serialized();
	test_never_meet();
	test_buffered();
	test_concurrency();
	test_idle_slots();
	test_no_ends();
	test_client();
	return done_testing();
}
