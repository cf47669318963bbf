/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/post.h"

#include "base/clock.h"
#include "base/mem.h"
#include "unit/tap.h"

#include <pthread.h>

#define N    20000
#define PUTS 3 /* threads */

struct putter {
	struct tape_post *p;
	unsigned number;
	pthread_t thread;
};

static void *
put_all(void *arg)
{
	const struct putter *who = arg;
	struct tape_post *p = who->p;

	for (uint64_t i = 0; i < N; i++) {
		struct tape_note n = {
			.kind = TAPE_NOTE_DONE, .loop = who->number, .key = i
		};

		if (tape_post_put(p, &n, 1, i % 100 == 99, NULL) != TAPE_OK)
			break;
	}
	return NULL;
}

int
main(void)
{
	struct tape_post *p = NULL;
	const struct tape_note *v = NULL;
	struct tape_note n = { .kind = TAPE_NOTE_STARTED, .bytes = 5 };
	int64_t t;
	struct putter putters[PUTS];
	uint64_t want[PUTS] = { 0 }, all = 0;
	unsigned flags = 7;
	size_t got;
	int wrong = 0;

	is_int(tape_post_open(&p, NULL), TAPE_OK, "open");
	is_int(tape_post_take(p, 0, &v, &flags), 0, "empty");
	t = tape_clock_now_ns(&tape_clock_system);
	is_int(tape_post_take(p, 20 * TAPE_NS_PER_MS, &v, &flags), 0,
	    "still empty");
	ok(tape_clock_now_ns(&tape_clock_system) - t >= 20 * TAPE_NS_PER_MS,
	    "after the time given");
	is_int(tape_post_put(p, &n, 1, true, NULL), TAPE_OK, "put");
	is_int(tape_post_take(p, INT64_MAX, &v, &flags), 1,
	    "take does not wait then");
	is_int(v[0].bytes, 5, "the note");
	is_int(tape_post_take(p, 0, &v, &flags), 0, "and only once");

	for (int i = 1; i < TAPE_POST_BATCH; i++)
		wrong += tape_post_put(p, &n, 1, false, NULL) != TAPE_OK;
	t = tape_clock_now_ns(&tape_clock_system);
	is_int(tape_post_take(p, 20 * TAPE_NS_PER_MS, &v, &flags),
	    TAPE_POST_BATCH - 1, "a few without haste");
	ok(tape_clock_now_ns(&tape_clock_system) - t >= 20 * TAPE_NS_PER_MS,
	    "do not end the wait");
	for (int i = 0; i < TAPE_POST_BATCH; i++)
		wrong += tape_post_put(p, &n, 1, false, NULL) != TAPE_OK;
	is_int(tape_post_take(p, INT64_MAX, &v, &flags), TAPE_POST_BATCH,
	    "many do");
	tape_post_flag(p, TAPE_NOTE_STOPPED);
	tape_post_flag(p, TAPE_NOTE_DRAINED);
	is_int(tape_post_take(p, INT64_MAX, &v, &flags), 0, "no wait either");
	is_int(flags, TAPE_NOTE_STOPPED | TAPE_NOTE_DRAINED, "the flags");
	is_int(tape_post_take(p, 0, &v, &flags), 0, "nothing");
	is_int(flags, 0, "flags are told once");

	for (unsigned i = 0; i < PUTS; i++) {
		putters[i] = (struct putter){ .p = p, .number = i };
		is_int(pthread_create(
			   &putters[i].thread, NULL, put_all, &putters[i]),
		    0, "a thread puts");
	}
	while (all < (uint64_t)PUTS * N) {
		got = tape_post_take(p, TAPE_NS_PER_S, &v, &flags);
		if (got == 0)
			break;
		all += got;
		for (size_t i = 0; i < got; i++)
			wrong += v[i].key != want[v[i].loop]++;
	}
	for (unsigned i = 0; i < PUTS; i++)
		(void)pthread_join(putters[i].thread, NULL);
	is_int(all, PUTS * N, "all came");
	is_int(wrong, 0, "those of each in order");
	tape_post_free(p);

	tape_mem_fail_at(1);
	is_int(tape_post_open(&p, NULL), TAPE_E_NOMEM, "no memory to open");
	tape_mem_fail_at(0);
	is_int(tape_post_open(&p, NULL), TAPE_OK, "open again");
	tape_mem_fail_at(1);
	is_int(tape_post_put(p, &n, 1, true, NULL), TAPE_E_NOMEM,
	    "no memory to put");
	tape_mem_fail_at(0);
	is_int(tape_post_take(p, 0, &v, &flags), 0, "the note is not there");
	tape_post_free(p);
	tape_post_free(NULL);
	return done_testing();
}
