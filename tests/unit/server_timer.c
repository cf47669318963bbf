/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_timer.h"

#include "base/mem.h"
#include "unit/tap.h"

#define N ((size_t)1000)

static uint32_t state = 12345;

static uint32_t
draw(uint32_t below)
{
	state = state * 1664525U + 1013904223U;
	return (state >> 8) % below;
}

/* Arms, moves and disarms at random; then they must come out in order. */
static void
test_order(void)
{
	static struct tape_server_timer t[N];
	static size_t armed_at[N];
	struct tape_server_timers h = { 0 };
	struct tape_server_timer *got, *last = NULL;
	size_t i, armed = 0, n = 0, wrong = 0;

	is_int(tape_server_timers_next_ns(&h), INT64_MAX, "empty: never");
	ok(tape_server_timers_pop(&h, INT64_MAX) == NULL, "empty: nothing");
	for (i = 0; i < 5 * N; i++) {
		got = &t[draw((uint32_t)N)];
		if (draw(4) == 0)
			tape_server_timers_disarm(&h, got);
		else if (tape_server_timers_arm(&h, got, draw(200)) != TAPE_OK)
			wrong++;
		armed_at[got - t] = i;
	}
	for (i = 0; i < N; i++)
		armed += t[i].place != 0;
	is_int(h.n, armed, "each armed timer is there once");
	ok(tape_server_timers_pop(&h, -1) == NULL, "none is due too early");
	while ((got = tape_server_timers_pop(&h, 200)) != NULL) {
		n++;
		if (last != NULL &&
		    (got->deadline_ns < last->deadline_ns ||
			(got->deadline_ns == last->deadline_ns &&
			    armed_at[got - t] < armed_at[last - t])))
			wrong++;
		last = got;
	}
	is_int(n, armed, "all come out");
	is_int(wrong, 0, "by deadline, equal ones in order of arming");
	tape_server_timers_release(&h);
}

static void
test_no_memory(void)
{
	struct tape_server_timers h = { 0 };
	struct tape_server_timer t = { 0 };

	(void)tape_mem_fail_at(1);
	is_int(tape_server_timers_arm(&h, &t, 1), TAPE_E_NOMEM, "no memory");
	(void)tape_mem_fail_at(0);
	is_int(t.place, 0, "not armed then");
	is_int(tape_server_timers_arm(&h, &t, 1), TAPE_OK, "armed later");
	tape_server_timers_release(&h);
}

int
main(void)
{
	test_order();
	test_no_memory();
	return done_testing();
}
