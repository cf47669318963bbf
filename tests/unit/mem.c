/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"

#include "unit/tap.h"

#include <pthread.h>

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

int
main(void)
{
	test_allocation();
	test_grow();
	test_hook();
	return done_testing();
}
