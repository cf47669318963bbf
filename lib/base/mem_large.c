/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem_large.h"

#include "base/mem.h"
#include "base/tmpfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct block {
	void *p;
	size_t size; /* a multiple of a page */
	int fd;      /* -1: ordinary memory */
};

/* Memory is the process's, and so is this. */
static struct {
	pthread_mutex_t lock;
	bool on;
	size_t most;
	const char *dir;
	size_t ordinary; /* bytes of all blocks without a file */
	struct block *v;
	size_t n, cap;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local int why;

static size_t
page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* To whole pages; 0 when that is too much. */
static size_t
round_up(size_t bytes)
{
	const size_t size = page();

	if (bytes == 0)
		return size;
	return bytes > SIZE_MAX / 2 ? 0 : (bytes + size - 1) / size * size;
}

void
tape_mem_large_bound(size_t bytes, const char *dir)
{
	all.on = bytes > 0;
	all.most = bytes;
	all.dir = dir;
}

bool
tape_mem_large_wants(size_t bytes)
{
	return all.on && bytes >= TAPE_MEM_LARGE;
}

int
tape_mem_large_why(void)
{
	return why;
}

/* The index of the block that begins there, or all.n.  Under the lock. */
static size_t
find(const void *p)
{
	size_t i = 0;

	while (i < all.n && all.v[i].p != p)
		i++;
	return i;
}

bool
tape_mem_large_holds(const void *p)
{
	bool held;

	if (p == NULL || (uintptr_t)p % page() != 0)
		return false;
	(void)pthread_mutex_lock(&all.lock);
	held = find(p) < all.n;
	(void)pthread_mutex_unlock(&all.lock);
	return held;
}

static void
close_file(struct block *b)
{
	if (b->fd >= 0)
		(void)close(b->fd);
	b->fd = -1;
}

/* Room for all of the block in its file. */
static bool
reserve(const struct block *b, size_t size)
{
	int failed;

	do
		failed = posix_fallocate(b->fd, 0, (off_t)size);
	while (failed == EINTR);
	why = failed;
	return failed == 0;
}

/* A mapping of b->size bytes: of a file, or of none. */
static bool
map(struct block *b, bool in_file)
{
	const int flags = in_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
	struct tape_err err = { 0 };

	b->fd = -1;
	if (in_file && tape_tmpfile_open(&b->fd, all.dir, &err) != TAPE_OK) {
		why = err.sys;
		return false;
	}
	if (in_file && !reserve(b, b->size)) {
		close_file(b);
		return false;
	}
	b->p = mmap(NULL, b->size, PROT_READ | PROT_WRITE, flags, b->fd, 0);
	if (b->p == MAP_FAILED)
		close_file(b);
	return b->p != MAP_FAILED;
}

static bool
fits(size_t more)
{
	return all.ordinary <= all.most && more <= all.most - all.ordinary;
}

static bool
grow_list(void)
{
	const size_t cap = all.cap == 0 ? 64 : 2 * all.cap;
	struct block *v;

	if (all.n < all.cap)
		return true;
	v = realloc(all.v, cap * sizeof(*v));
	if (v == NULL)
		return false;
	all.v = v;
	all.cap = cap;
	return true;
}

static void *
get(size_t size)
{
	struct block b = { .size = size };
	const bool in_file = !fits(size);

	if (!grow_list() || !map(&b, in_file))
		return NULL;
	if (!in_file)
		all.ordinary += size;
	all.v[all.n++] = b;
	return b.p;
}

void *
tape_mem_large_get(size_t bytes)
{
	const size_t size = round_up(bytes);
	void *p = NULL;

	why = 0;
	(void)pthread_mutex_lock(&all.lock);
	if (size > 0)
		p = get(size);
	(void)pthread_mutex_unlock(&all.lock);
	return p;
}

/* Ordinary memory that has become too much goes into a file. */
static void *
move_to_file(struct block *b, size_t size)
{
	struct block to = { .size = size };

	if (!map(&to, true))
		return NULL;
	memcpy(to.p, b->p, b->size < size ? b->size : size);
	(void)munmap(b->p, b->size);
	all.ordinary -= b->size;
	*b = to;
	return b->p;
}

static void *
resize(struct block *b, size_t size)
{
	void *p;

	if (size == b->size)
		return b->p;
	if (b->fd < 0 && size > b->size && !fits(size - b->size))
		return move_to_file(b, size);
	if (b->fd >= 0 && size > b->size && !reserve(b, size))
		return NULL;
	p = mremap(b->p, b->size, size, MREMAP_MAYMOVE);
	if (p == MAP_FAILED)
		return NULL;
	/* A file that is longer than its block does no harm. */
	if (b->fd < 0)
		all.ordinary = all.ordinary - b->size + size;
	b->p = p;
	b->size = size;
	return p;
}

void *
tape_mem_large_resize(void *p, size_t bytes)
{
	const size_t size = round_up(bytes);
	void *q = NULL;

	why = 0;
	(void)pthread_mutex_lock(&all.lock);
	if (size > 0)
		q = resize(&all.v[find(p)], size);
	(void)pthread_mutex_unlock(&all.lock);
	return q;
}

/* The last one takes the list along. */
static void
drop(size_t i)
{
	all.v[i] = all.v[--all.n];
	if (all.n > 0)
		return;
	free(all.v);
	all.v = NULL;
	all.cap = 0;
}

void
tape_mem_large_free(void *p)
{
	struct block *b;

	(void)pthread_mutex_lock(&all.lock);
	b = &all.v[find(p)];
	(void)munmap(b->p, b->size);
	if (b->fd < 0)
		all.ordinary -= b->size;
	close_file(b);
	drop((size_t)(b - all.v));
	(void)pthread_mutex_unlock(&all.lock);
}
