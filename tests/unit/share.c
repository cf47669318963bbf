/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/share.h"

#include "unit/tap.h"

#include <stdatomic.h>

#define N 1000

static atomic_int done[N];
static size_t bad = N; /* pieces from here on fail */

static enum tape_status
piece(void *arg, size_t i, struct tape_err *err)
{
	(void)arg;
	atomic_fetch_add(&done[i], 1);
	return i < bad ? TAPE_OK
		       : tape_err_set(err, TAPE_E_DATA, "piece %zu", i);
}

static void
test_all(unsigned threads)
{
	struct tape_err err = { 0 };
	size_t once = 0;

	memset(done, 0, sizeof(done));
	is_int(tape_share(N, threads, piece, NULL, &err), TAPE_OK, "%u threads",
	    threads);
	for (size_t i = 0; i < N; i++)
		once += done[i] == 1;
	is_int(once, N, "each piece is done once");
	memset(done, 0, sizeof(done));
	is_int(tape_share(0, threads, piece, NULL, &err), TAPE_OK, "none");
	is_int(done[0], 0, "of none nothing is done");
	is_int(tape_share(1, threads, piece, NULL, &err), TAPE_OK, "one");
	is_int(done[0], 1, "and one is");
}

static void
test_failure(unsigned threads)
{
	struct tape_err err = { 0 };
	size_t some = 0;

	memset(done, 0, sizeof(done));
	bad = 500;
	is_int(tape_share(N, threads, piece, NULL, &err), TAPE_E_DATA,
	    "a piece fails on %u threads", threads);
	is_str(err.text, "piece 500", "the first one is named");
	for (size_t i = 0; i < N; i++)
		some += done[i] > 0;
	ok(some > 500 && some < 500 + 2 * TAPE_SHARE_THREADS,
	    "not much is begun behind it: %zu", some);
	bad = N;
}

int
main(void)
{
	static const unsigned threads[] = { 0, 1, 2, 3, 64, 1000 };

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		test_all(threads[i]);
		test_failure(threads[i]);
	}
	return done_testing();
}
