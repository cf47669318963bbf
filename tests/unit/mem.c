/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "base/err.h"

#include "unit/tap.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

static void
test_allocation(void)
{
	char *p = tape_mem_calloc(4, 2);
	char *q;

	ok(p != NULL && memcmp(p, "\0\0\0\0\0\0\0", 8) == 0, "zeroed");
	p = tape_mem_realloc(p, 100, 3);
	ok(p != NULL, "grown");
	tape_mem_free(p);
	ok(tape_mem_calloc(SIZE_MAX, 2) == NULL, "calloc overflow");
	ok(tape_mem_realloc(NULL, SIZE_MAX, 2) == NULL, "realloc overflow");
	ok(tape_mem_dup("", SIZE_MAX) == NULL, "dup overflow");
	p = tape_mem_calloc(0, 8);
	ok(p != NULL, "nothing is something");
	q = tape_mem_realloc(p, 0, 8);
	ok(q != NULL, "also when shrunk");
	tape_mem_free(q);
	p = tape_mem_dup("a\0b", 3);
	ok(p != NULL && memcmp(p, "a\0b", 4) == 0, "dup ends in NUL");
	tape_mem_free(p);
	p = tape_mem_dup(NULL, 0);
	is_str(p, "", "nothing duplicates to an empty string");
	tape_mem_free(p);
	p = tape_mem_strdup("text");
	is_str(p, "text", "strdup");
	tape_mem_free(p);
	ok(tape_mem_strdup(NULL) == NULL, "of NULL");
	tape_mem_free(NULL);
}

static void
test_grow(void)
{
	void *p = NULL;
	size_t cap = 0;

	is_int(tape_mem_grow(&p, &cap, 1, 4), 0, "grow from nothing");
	is_int((int)cap, 8, "to eight");
	is_int(tape_mem_grow(&p, &cap, 8, 4), 0, "no need");
	is_int((int)cap, 8, "no growth");
	is_int(tape_mem_grow(&p, &cap, 100, 4), 0, "doubling");
	is_int((int)cap, 128, "up to enough");
	is_int(tape_mem_grow(&p, &cap, SIZE_MAX, 1), -1, "too many");
	is_int(tape_mem_grow(&p, &cap, SIZE_MAX / 2, 8), -1, "too large");
	is_int((int)cap, 128, "unchanged");
	(void)tape_mem_fail_at(1);
	is_int(tape_mem_grow(&p, &cap, 1000, 4), -1, "no memory");
	(void)tape_mem_fail_at(0);
	is_int((int)cap, 128, "unchanged");
	tape_mem_free(p);
}

static void *
elsewhere(void *arg)
{
	void *p = tape_mem_calloc(1, 1);

	*(bool *)arg = p != NULL;
	tape_mem_free(p);
	return NULL;
}

static void
test_hook(void)
{
	pthread_t t;
	bool unharmed = false;
	void *p, *q;

	(void)tape_mem_fail_at(2);
	p = tape_mem_calloc(1, 1);
	ok(p != NULL, "the first succeeds");
	ok(tape_mem_calloc(1, 1) == NULL, "the second fails");
	ok(tape_mem_strdup("x") == NULL, "and those after it");
	q = tape_mem_realloc(p, 2, 1);
	ok(q == NULL, "of every sort");
	ok(pthread_create(&t, NULL, elsewhere, &unharmed) == 0 &&
		pthread_join(t, NULL) == 0 && unharmed,
	    "but not in another thread");
	is_int((int)tape_mem_fail_at(0), 4, "they were counted");
	tape_mem_free(p);
	p = tape_mem_calloc(1, 1);
	ok(p != NULL, "zero turns it off");
	tape_mem_free(p);
	(void)tape_mem_fail_at(0);
}

/* Whether the block is a mapping of a file, as the kernel has it. */
static bool
is_in_file(const void *p)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uintptr_t from, to;
	char line[4400], *rest;
	bool found = false;

	if (f == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), f) != NULL) {
		from = (uintptr_t)strtoull(line, &rest, 16);
		to = (uintptr_t)strtoull(rest + 1, NULL, 16);
		found = (uintptr_t)p >= from && (uintptr_t)p < to;
	}
	(void)fclose(f);
	return found && strchr(line, '/') != NULL;
}

static bool
is_all(const char *p, size_t n, char c)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != c)
			return false;
	return true;
}

#define MIB TAPE_MEM_LARGE

/* Within a bound of 4 MiB. */
static void
test_bound(void)
{
	char *a, *b, *c;

	tape_mem_bound(4 * MIB, NULL);
	a = tape_mem_calloc(2, MIB);
	ok(a != NULL && is_all(a, 2 * MIB, 0), "a large block, zeroed,");
	ok(!is_in_file(a), "within the bound, is memory");
	memset(a, 'a', 2 * MIB);
	b = tape_mem_realloc(NULL, 3, MIB);
	ok(b != NULL && is_in_file(b), "beyond it a file");
	memset(b, 'b', 3 * MIB);
	c = tape_mem_strdup("small");
	ok(!is_in_file(c), "small ones are memory");
	c = tape_mem_realloc(c, 2, MIB);
	ok(c != NULL && !is_in_file(c), "one that grew, within it");
	is_str(c, "small", "keeps what it was");
	a = tape_mem_realloc(a, 5, MIB);
	ok(a != NULL && is_in_file(a), "a large one that grew beyond it");
	ok(is_all(a, 2 * MIB, 'a'), "keeps that, too,");
	ok(is_all(a + 2 * MIB, 3 * MIB, 0), "and has room behind");
	tape_mem_free(c);
	b = tape_mem_realloc(b, 7, MIB);
	ok(b != NULL && is_in_file(b), "a file grows,");
	ok(is_all(b, 3 * MIB, 'b'), "and keeps what it was");
	memset(b + 6 * MIB, 'c', MIB);
	b = tape_mem_realloc(b, 10, 1);
	ok(b != NULL && is_all(b, 10, 'b'), "and shrinks");
	c = tape_mem_calloc(4, MIB);
	ok(c != NULL && !is_in_file(c), "what was freed can be had again");
	tape_mem_free(a);
	tape_mem_free(b);
	tape_mem_free(c);
	tape_mem_bound(0, NULL);
}

static void
test_bound_refuses(void)
{
	struct tape_err err = { 0 };
	char *a;

	tape_mem_bound(MIB, "/nowhere/at/all");
	a = tape_mem_calloc(1, MIB);
	ok(a != NULL, "within the bound no folder is needed");
	a[0] = 'a';
	ok(tape_mem_realloc(a, 2, MIB) == NULL, "beyond it one is");
	is_int(a[0], 'a', "the block stays");
	ok(tape_mem_calloc(2, MIB) == NULL, "nor is there a new one");
	is_int(tape_mem_why(), ENOENT, "and it is said why");
	is_int(tape_err_nomem(&err), TAPE_E_NOMEM, "an error");
	is_str(err.text,
	    "out of memory, and of room for temporary files: No such file or "
	    "directory",
	    "with the reason");
	ok(tape_mem_calloc(SIZE_MAX / 4, 2) == NULL, "sizes beyond all");
	tape_mem_free(a);
	tape_mem_bound(MIB, NULL);
	ok(tape_mem_calloc(SIZE_MAX / 8, 2) == NULL, "are refused by files");
	tape_mem_bound(0, NULL);
	a = tape_mem_calloc(2, MIB);
	ok(a != NULL && !is_in_file(a), "without a bound all is memory");
	tape_mem_free(a);
}

/* Blocks that threads have in turn stay apart. */
static void *
churn(void *arg)
{
	const char c = *(const char *)arg;
	char *v[4] = { NULL };

	for (size_t i = 0; i < 200; i++) {
		char **p = &v[i % 4];
		const size_t n = 1 + (i * 7 + (size_t)c) % 3;

		if (*p != NULL && (**p != c || (*p)[MIB - 1] != c))
			return NULL;
		*p = tape_mem_realloc(*p, n, MIB);
		if (*p == NULL)
			return NULL;
		(*p)[0] = (*p)[MIB - 1] = (*p)[n * MIB - 1] = c;
	}
	for (size_t i = 0; i < 4; i++)
		tape_mem_free(v[i]);
	return arg;
}

static void
test_bound_threads(void)
{
	pthread_t t[4];
	char names[4] = "abcd";
	void *well;

	tape_mem_bound(6 * MIB, NULL);
	for (size_t i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, churn, &names[i]) != 0)
			abort();
	for (size_t i = 0; i < 4; i++) {
		well = NULL;
		(void)pthread_join(t[i], &well);
		ok(well != NULL, "thread %zu", i);
	}
	tape_mem_bound(0, NULL);
}

int
main(void)
{
	test_allocation();
	test_grow();
	test_hook();
	test_bound();
	test_bound_refuses();
	test_bound_threads();
	return done_testing();
}
