/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_ids: the ids of the answers that trace-serve gives to its first N
 * requests, a line each, so that a client that keeps only these can be matched
 * with the server's log, which has the numbers.
 *
 *	serve_ids N [SEED]
 */
#include "bench/bench.h"
#include "engine/serve_count.h"

#include <inttypes.h>

int
main(int argc, char **argv)
{
	int64_t n, seed = 1;

	if (argc < 2 || argc > 3)
		return 2;
	n = bench_number(argv[1], 1, 100000000);
	if (argc == 3)
		seed = bench_number(argv[2], 0, INT64_MAX);
	for (int64_t i = 1; i <= n; i++)
		printf("chatcmpl-%016" PRIx64 "\n",
		    tape_serve_mix(
			tape_serve_mix((uint64_t)seed, 1), (uint64_t)i));
	return 0;
}
