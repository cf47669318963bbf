/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fdio.h"

#include "base/clock.h"
#include "base/mem.h"
#include "unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/llmtape-fdio-XXXXXX";
static char path[64];

static void
test_files(void)
{
	struct tape_err err = { 0 };
	char got[16] = "";
	size_t n = 0;
	int fd = -1;

	is_int(tape_fdio_open_write(path, &fd, &err), TAPE_OK, "create");
	ok((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "close-on-exec");
	is_int(tape_fdio_write(fd, "hello", 5, &err), TAPE_OK, "write");
	is_int(tape_fdio_write(fd, "", 0, &err), TAPE_OK, "write nothing");
	(void)close(fd);
	is_int(tape_fdio_open_read(path, &fd, &err), TAPE_OK, "open");
	ok((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "close-on-exec");
	ok(tape_fdio_ready(fd), "a file is ready");
	is_int(tape_fdio_read(fd, got, sizeof(got), &n, &err), TAPE_OK, "read");
	is_int((int)n, 5, "what was written");
	is_str(got, "hello", "exactly");
	is_int(
	    tape_fdio_read(fd, got, sizeof(got), &n, &err), TAPE_OK, "again");
	is_int((int)n, 0, "is the end");
	(void)close(fd);
	fd = -7;
	is_int(tape_fdio_open_read(dir, &fd, &err), TAPE_E_IO, "a directory");
	is_int(err.sys, EISDIR, "is refused");
	tape_err_clear(&err);
	is_int(tape_fdio_open_read("/nonexistent/x", &fd, &err), TAPE_E_IO,
	    "a missing file");
	is_str(err.text,
	    "cannot open '/nonexistent/x': No such file or directory",
	    "is named");
	tape_err_clear(&err);
	is_int(tape_fdio_open_write("/nonexistent/x", &fd, &err), TAPE_E_IO,
	    "for writing, too");
	tape_err_clear(&err);
	is_int(tape_fdio_open_new(path, &fd, &err), TAPE_E_IO,
	    "a new file that is there");
	is_int(err.sys, EEXIST, "is refused");
	is_int(fd, -7, "failures leave the descriptor");
	(void)unlink(path);
	tape_err_clear(&err);
	is_int(tape_fdio_open_new(path, &fd, &err), TAPE_OK, "a new one");
	ok((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "is close-on-exec");
	(void)close(fd);
	fd = -7;
	tape_err_clear(&err);
	is_int(tape_fdio_read(-1, got, 1, &n, &err), TAPE_E_IO, "bad fd");
	is_int(err.sys, EBADF, "reading");
	tape_err_clear(&err);
	is_int(tape_fdio_write(-1, got, 1, &err), TAPE_E_IO, "bad fd");
	is_int(err.sys, EBADF, "writing");
}

static void
test_full(void)
{
	struct tape_err err = { 0 };
	int fd = -1;

	if (tape_fdio_open_write("/dev/full", &fd, NULL) != TAPE_OK) {
		ok(true, "no /dev/full here # SKIP");
		return;
	}
	is_int(tape_fdio_write(fd, "x", 1, &err), TAPE_E_IO, "a full disk");
	is_int(err.sys, ENOSPC, "is an error");
	(void)close(fd);
}

struct drain {
	int fd;
	size_t total;
};

static void *
drain(void *arg)
{
	struct drain *d = arg;
	char block[4096];
	size_t n = 1;

	while (n > 0 &&
	       tape_fdio_read(d->fd, block, sizeof(block), &n, NULL) == TAPE_OK)
		d->total += n;
	return NULL;
}

static void
test_pipes(void)
{
	struct tape_err err = { 0 };
	struct drain d = { .total = 0 };
	size_t size = 1 << 20;
	char *block = tape_mem_calloc(size, 1);
	pthread_t t;
	int p[2];

	ok(block != NULL && pipe2(p, O_CLOEXEC | O_NONBLOCK) == 0, "set up");
	ok(!tape_fdio_ready(p[0]), "an empty pipe is not ready");
	is_int(tape_fdio_write(p[1], "x", 1, &err), TAPE_OK, "write");
	ok(tape_fdio_ready(p[0]), "data makes it ready");
	d.fd = p[0];
	ok(pthread_create(&t, NULL, drain, &d) == 0, "reader starts");
	is_int(tape_fdio_write(p[1], block, size, &err), TAPE_OK,
	    "more than a non-blocking pipe holds is written whole");
	(void)close(p[1]);
	ok(pthread_join(t, NULL) == 0, "reader ends");
	is_int((int64_t)d.total, (int64_t)size + 1, "and has it all");
	ok(tape_fdio_ready(p[0]), "end of file is ready");
	(void)close(p[0]);

	ok(pipe2(p, O_CLOEXEC) == 0, "another");
	(void)close(p[0]);
	is_int(tape_fdio_write(p[1], "x", 1, &err), TAPE_E_IO, "no reader");
	is_int(err.sys, EPIPE, "is EPIPE");
	(void)close(p[1]);
	tape_mem_free(block);
}

static atomic_int asked;

static bool
enough_at_three(void)
{
	return atomic_fetch_add(&asked, 1) >= 2;
}

static bool
never(void)
{
	return false;
}

/* A reader that takes nothing, takes slowly, leaves. */
static void
test_patience(void)
{
	struct tape_fdio_patience bound = { .stall_ns = 50 * TAPE_NS_PER_MS };
	struct tape_fdio_patience user = { .enough = enough_at_three };
	struct tape_fdio_patience long_one = { 60 * TAPE_NS_PER_S, never };
	struct tape_err err = { 0 };
	struct drain d = { .total = 0 };
	size_t size = 1 << 20;
	char *block = tape_mem_calloc(size, 1);
	pthread_t t;
	int p[2], flags;

	ok(block != NULL && pipe2(p, O_CLOEXEC) == 0, "set up");
	is_int(tape_fdio_write_within(p[1], "x", 1, &bound, &err), TAPE_OK,
	    "a pipe with room");
	is_int(tape_fdio_write_within(p[1], block, size, &bound, &err),
	    TAPE_E_IO, "whose reader takes nothing");
	is_int(err.sys, ETIMEDOUT, "is given up");
	is_str(err.text, "its reader took nothing for 0.05 s", "with words");
	tape_err_clear(&err);
	is_int(tape_fdio_write_within(p[1], block, size, &user, &err),
	    TAPE_E_IO, "or when the user has enough");
	is_int(err.sys, EINTR, "which is another reason");
	is_int(atomic_load(&asked), 3, "asked again and again");
	flags = fcntl(p[1], F_GETFL);
	ok((flags & O_NONBLOCK) == 0, "the pipe is as it was");
	d.fd = p[0];
	ok(pthread_create(&t, NULL, drain, &d) == 0, "a reader starts");
	tape_err_clear(&err);
	is_int(tape_fdio_write_within(p[1], block, size, &long_one, &err),
	    TAPE_OK, "and all is written: %s", err.text);
	(void)close(p[1]);
	ok(pthread_join(t, NULL) == 0, "reader ends");
	ok(d.total > size, "it has all of it");
	(void)close(p[0]);
	ok(pipe2(p, O_CLOEXEC) == 0, "another");
	(void)close(p[0]);
	is_int(tape_fdio_write_within(p[1], block, size, &long_one, &err),
	    TAPE_E_IO, "no reader");
	is_int(err.sys, EPIPE, "is EPIPE at once");
	(void)close(p[1]);
	tape_mem_free(block);
}

static void
nothing(int sig)
{
	(void)sig;
}

/* A writer that is slow, while signals interrupt the reader. */
static void
test_interrupts(void)
{
	struct sigaction sa = { .sa_handler = nothing };
	char got[4] = "";
	size_t n = 0;
	pid_t child;
	int p[2];

	(void)sigaction(SIGUSR1, &sa, NULL);
	ok(pipe2(p, O_CLOEXEC) == 0, "set up");
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 5; i++) {
			(void)usleep(2000);
			(void)kill(getppid(), SIGUSR1);
		}
		_exit(write(p[1], "ok", 2) == 2 ? 0 : 1);
	}
	is_int(tape_fdio_read(p[0], got, 2, &n, NULL), TAPE_OK,
	    "a read goes on after signals");
	is_str(got, "ok", "to the data");
	(void)waitpid(child, NULL, 0);
	(void)close(p[0]);
	(void)close(p[1]);
}

static void
test_guard(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct tape_err err = { 0 };
		char c;
		int bad = 0;

		(void)close(0);
		(void)close(1);
		(void)close(2);
		if (tape_fdio_guard(&err) != TAPE_OK)
			_exit(100);
		for (int fd = 0; fd < 3; fd++)
			bad += fcntl(fd, F_GETFD) == -1;
		bad += read(0, &c, 1) != -1 || errno != EBADF ? 10 : 0;
		bad += write(1, "x", 1) != -1 || errno != EBADF ? 20 : 0;
		bad += write(2, "x", 1) != -1 || errno != EBADF ? 40 : 0;
		_exit(bad);
	}
	ok(waitpid(child, &status, 0) == child && WIFEXITED(status), "child");
	is_int(WEXITSTATUS(status), 0,
	    "closed descriptors are taken and fail to work");
	is_int(tape_fdio_guard(NULL), TAPE_OK, "open ones are left alone");
}

static void
slurp_of(size_t size, size_t cap, enum tape_status want)
{
	struct tape_err err = { 0 };
	char *out = NULL;
	size_t len = 77;
	int fd = -1;

	is_int(tape_fdio_open_write(path, &fd, NULL), TAPE_OK, "create");
	for (size_t i = 0; i < size; i += 1000) {
		char block[1000];

		memset(block, 'a' + (int)(i / 1000 % 26), sizeof(block));
		if (tape_fdio_write(fd, block,
			size - i < 1000 ? size - i : 1000, NULL) != TAPE_OK)
			ok(false, "write");
	}
	(void)close(fd);
	is_int(tape_fdio_slurp(path, cap, &out, &len, &err), want,
	    "%zu bytes with a cap of %zu", size, cap);
	if (want == TAPE_OK) {
		is_int((int64_t)len, (int64_t)size, "all of it");
		ok(out != NULL && strlen(out) == size, "with a NUL behind");
		ok(size < 1001 || out[1000] == 'b', "in order");
	} else {
		is_str(err.name, path, "the file is named");
		ok(out == NULL && len == 77, "and nothing is returned");
	}
	tape_mem_free(out);
}

static void
test_slurp(void)
{
	struct tape_err err = { 0 };
	char *out = NULL;
	size_t len = 77;

	slurp_of(0, 100, TAPE_OK);
	slurp_of(100, 100, TAPE_OK);
	slurp_of(101, 100, TAPE_E_LIMIT);
	slurp_of(0, 0, TAPE_OK);
	slurp_of(1, 0, TAPE_E_LIMIT);
	slurp_of(300000, 400000, TAPE_OK);
	slurp_of(300000, 300000, TAPE_OK);
	slurp_of(300000, 299999, TAPE_E_LIMIT);
	slurp_of(1234, SIZE_MAX, TAPE_OK);
	is_int(tape_fdio_slurp(dir, 10, &out, &len, &err), TAPE_E_IO, "dir");
	for (uint64_t n = 1;; n++) {
		enum tape_status st;

		(void)tape_mem_fail_at(n);
		st = tape_fdio_slurp(path, 2000, &out, &len, NULL);
		(void)tape_mem_fail_at(0);
		if (st == TAPE_OK)
			break;
		is_int(st, TAPE_E_NOMEM, "allocation %d fails", (int)n);
	}
	tape_mem_free(out);
}

static void
test_slurp_stdin(void)
{
	char *out = NULL;
	size_t len = 0;
	int saved = dup(0);
	int p[2];

	ok(saved >= 0 && pipe2(p, O_CLOEXEC) == 0 && dup2(p[0], 0) == 0,
	    "set up");
	is_int(tape_fdio_write(p[1], "piped", 5, NULL), TAPE_OK, "write");
	(void)close(p[1]);
	is_int(tape_fdio_slurp("-", 100, &out, &len, NULL), TAPE_OK, "stdin");
	is_str(out, "piped", "is read");
	ok(fcntl(0, F_GETFD) != -1, "and left open");
	tape_mem_free(out);
	(void)dup2(saved, 0);
	(void)close(saved);
	(void)close(p[0]);
}

int
main(void)
{
	if (mkdtemp(dir) == NULL)
		return 1;
	(void)snprintf(path, sizeof(path), "%s/f", dir);
	(void)signal(SIGPIPE, SIG_IGN);
	test_files();
	test_full();
	test_pipes();
	test_patience();
	test_interrupts();
	test_guard();
	test_slurp();
	test_slurp_stdin();
	(void)unlink(path);
	(void)rmdir(dir);
	return done_testing();
}
