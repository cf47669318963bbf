/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * regress: runs a fuzz target over its seeds without a fuzzer, as a test.
 *
 *	fuzz_X [-m MUTATIONS] [FILE|DIRECTORY ...]
 *
 * Without operands the seeds are tests/fuzz/seeds/fuzz_X.  Each seed is run as
 * it is and with MUTATIONS (default 64) small changes, drawn from a fixed
 * seed, so that a run finds the same as the one before.  Prints TAP; a finding
 * is a crash, whose input is left in regress-crash.bin of TMPDIR.
 */
#include "base/buf.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "base/num.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEED_CAP ((size_t)4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 1;
static uint64_t mutations = 64;
static int runs;
static bool failed;
static const char *volatile in_hand;
static volatile size_t in_hand_len;
static char crash_path[512];

static uint64_t
draw(uint64_t below)
{
	uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return below == 0 ? 0 : z % below;
}

static void
keep_input(int sig)
{
	int fd = creat(crash_path, 0666);

	if (fd >= 0) {
		ssize_t n = write(fd, in_hand, in_hand_len);

		(void)n;
		(void)close(fd);
	}
	(void)signal(sig, SIG_DFL);
	(void)raise(sig);
}

static void
run(const char *p, size_t len)
{
	/* An exact copy, so that reading past its end is seen. */
	char *copy = tape_mem_calloc(len, 1);

	if (copy == NULL)
		abort();
	if (len > 0)
		memcpy(copy, p, len);
	in_hand = copy;
	in_hand_len = len;
	(void)LLVMFuzzerTestOneInput((const uint8_t *)copy, len);
	tape_mem_free(copy);
}

static void
mutate(struct tape_buf *b)
{
	static const char odd[] = "\0\n\r{}[]\",:\\\xff(\x80 9-e.";
	size_t at = (size_t)draw(b->len);
	size_t n = (size_t)draw(b->len - at) / 4 + 1;

	if (b->len == 0) {
		(void)tape_buf_add_char(b, odd[draw(sizeof(odd))]);
		return;
	}
	switch (draw(5)) {
	case 0:
		b->data[at] ^= (char)(1U << draw(8));
		break;
	case 1:
		b->data[at] = odd[draw(sizeof(odd))];
		break;
	case 2: /* cut */
		b->len = at;
		break;
	case 3: /* drop from the middle */
		memmove(b->data + at, b->data + at + n, b->len - at - n);
		b->len -= n;
		break;
	default: /* repeat a piece at the end */
		if (tape_buf_reserve(b, n) == TAPE_OK)
			(void)tape_buf_add(b, b->data + at, n);
		break;
	}
}

static void
run_seed(const char *path)
{
	struct tape_err err = { 0 };
	struct tape_buf b;
	char *seed;
	size_t len;

	if (tape_fdio_slurp(path, SEED_CAP, &seed, &len, &err) != TAPE_OK) {
		printf("not ok %d - %s: %s\n", ++runs, path, err.text);
		failed = true;
		return;
	}
	run(seed, len);
	for (uint64_t i = 0; i < mutations; i++) {
		tape_buf_init(&b, 2 * SEED_CAP);
		(void)tape_buf_add(&b, seed, len);
		for (uint64_t k = draw(4) + 1; k > 0; k--)
			mutate(&b);
		run(b.data, b.len);
		tape_buf_release(&b);
	}
	tape_mem_free(seed);
	printf("ok %d - %s\n", ++runs, path);
	(void)fflush(stdout);
}

static void
run_path(const char *path)
{
	struct dirent **names;
	struct tape_buf b;
	struct stat sb;
	int n;

	if (stat(path, &sb) != 0 || !S_ISDIR(sb.st_mode)) {
		run_seed(path);
		return;
	}
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		tape_buf_init(&b, 4096);
		if (names[i]->d_name[0] != '.' &&
		    tape_buf_add_fmt(&b, "%s/%s", path, names[i]->d_name) ==
			TAPE_OK)
			run_seed(b.data);
		tape_buf_release(&b);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

int
main(int argc, char **argv)
{
	static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	const char *tmp = getenv("TMPDIR");
	const char *slash = strrchr(argv[0], '/');
	struct tape_err err = { 0 };
	char seeds[256];
	int i = 1;

	if (argc > 2 && strcmp(argv[1], "-m") == 0) {
		if (tape_num_u64(argv[2], 0, UINT64_MAX, &mutations, &err) !=
		    TAPE_OK) {
			(void)fprintf(stderr, "%s: %s\n", argv[0], err.text);
			return 2;
		}
		i = 3;
	}
	(void)snprintf(crash_path, sizeof(crash_path), "%s/regress-crash.bin",
	    tmp != NULL ? tmp : "/tmp");
	for (size_t k = 0; k < sizeof(fatal) / sizeof(fatal[0]); k++)
		(void)signal(fatal[k], keep_input);
	(void)snprintf(seeds, sizeof(seeds), "tests/fuzz/seeds/%s",
	    slash != NULL ? slash + 1 : argv[0]);
	if (i == argc)
		run_path(seeds);
	for (; i < argc; i++)
		run_path(argv[i]);
	printf("1..%d\n", runs);
	return failed || runs == 0;
}
