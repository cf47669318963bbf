/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/outfile.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "unit/tap.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/llmtape-outfile-XXXXXX";

/* Names in the folder, sorted and joined. */
static const char *
names(void)
{
	static char text[512];
	struct dirent **v;
	int n = scandir(".", &v, NULL, alphasort);
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; i < n; i++) {
		if (v[i]->d_name[0] != '.' && len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len,
			    "%s%s", len > 0 ? " " : "", v[i]->d_name);
		free(v[i]);
	}
	free(v);
	return text;
}

static const char *
content(const char *path)
{
	static char text[64];
	char *p = NULL;
	size_t len = 0;
	struct tape_err err = { 0 };

	if (tape_fdio_slurp(path, sizeof(text) - 1, &p, &len, &err) != TAPE_OK)
		return NULL;
	memcpy(text, p, len + 1);
	tape_mem_free(p);
	return text;
}

static void
put(const char *path, const char *text)
{
	int fd;

	if (tape_fdio_open_write(path, &fd, NULL) != TAPE_OK ||
	    tape_fdio_write(fd, text, strlen(text), NULL) != TAPE_OK)
		exit(1);
	(void)close(fd);
}

/* Opens, writes, closes; what happens then is the caller's. */
static enum tape_status
begin(struct tape_outfile *f, const char *path, bool partial, bool force,
    struct tape_err *err)
{
	enum tape_status st;
	int fd = -1;

	tape_err_clear(err);
	st = tape_outfile_open(f, path, partial, force, &fd, err);
	if (st != TAPE_OK)
		return st;
	if (tape_fdio_write(fd, "new", 3, NULL) != TAPE_OK)
		exit(1);
	(void)close(fd);
	return st;
}

static void
test_plain(void)
{
	struct tape_outfile f;
	struct tape_err err = { 0 };
	char want[64];

	is_int(begin(&f, "a", false, false, &err), TAPE_OK, "a file");
	(void)snprintf(want, sizeof(want), "a.tmp.%ld", (long)getpid());
	is_str(names(), want, "has another name while it is written");
	is_int(tape_outfile_finish(&f, &err), TAPE_OK, "finished");
	is_str(names(), "a", "it has its own");
	is_str(content("a"), "new", "and what was written");
	put("a", "old");
	is_int(begin(&f, "a", false, false, &err), TAPE_OK, "over another");
	is_str(content("a"), "old", "which stays while it is written");
	tape_outfile_drop(&f);
	is_str(names(), "a", "dropped, it leaves nothing");
	is_str(content("a"), "old", "and what there was");
	is_int(begin(&f, "a", false, false, &err), TAPE_OK, "again");
	is_int(tape_outfile_finish(&f, &err), TAPE_OK, "finished");
	is_str(content("a"), "new", "it replaces the other");
	tape_outfile_drop(&f);
	is_str(content("a"), "new", "a drop after that does nothing");
	(void)unlink("a");
}

static void
test_partial(void)
{
	struct tape_outfile f;
	struct tape_err err = { 0 };

	is_int(begin(&f, "a", true, false, &err), TAPE_OK, "a partial file");
	is_str(names(), "a.partial", "says so");
	tape_outfile_drop(&f);
	is_str(names(), "a.partial", "dropped, it stays");
	is_int(begin(&f, "a", true, false, &err), TAPE_E_USAGE,
	    "and is not written over");
	is_str(err.text,
	    "a.partial exists, of a run that did not end (use --force to "
	    "replace it)",
	    "in words");
	tape_outfile_drop(&f);
	is_int(begin(&f, "a", true, true, &err), TAPE_OK, "but by force");
	is_int(tape_outfile_finish(&f, &err), TAPE_OK, "finished");
	is_str(names(), "a", "it has its name");
	put("a", "old");
	is_int(begin(&f, "a", true, false, &err), TAPE_E_USAGE,
	    "which is not written over");
	is_str(err.text, "a exists (use --force to replace it)", "in words");
	is_str(content("a"), "old", "it stays");
	is_int(begin(&f, "a", true, true, &err), TAPE_OK, "but by force");
	is_int(tape_outfile_finish(&f, &err), TAPE_OK, "finished");
	is_str(content("a"), "new", "it is replaced");
	(void)unlink("a");
}

static void
test_links(void)
{
	struct tape_outfile f;
	struct tape_err err = { 0 };
	struct stat sb;
	char tmp[64];

	if (mkdir("d", 0777) != 0 || symlink("d/a", "link") != 0)
		exit(1);
	put("d/a", "old");
	(void)chmod("d/a", 0640);
	is_int(begin(&f, "link", false, false, &err), TAPE_OK, "a link");
	is_int(tape_outfile_finish(&f, &err), TAPE_OK, "finished");
	ok(lstat("link", &sb) == 0 && S_ISLNK(sb.st_mode), "stays one");
	is_str(content("d/a"), "new", "what it names is replaced");
	ok(stat("d/a", &sb) == 0 && (sb.st_mode & 0777) == 0640,
	    "and keeps its permissions");
	/* A working name that somebody else has made a link. */
	put("victim", "old");
	(void)snprintf(tmp, sizeof(tmp), "b.tmp.%ld", (long)getpid());
	if (symlink("victim", tmp) != 0)
		exit(1);
	is_int(begin(&f, "b", false, false, &err), TAPE_OK, "a trap");
	is_int(tape_outfile_finish(&f, &err), TAPE_OK, "is not stepped into");
	is_str(content("victim"), "old", "the other file stays");
	is_str(content("b"), "new", "and the own is a file");
	ok(lstat("b", &sb) == 0 && S_ISREG(sb.st_mode), "of its own");
	if (symlink("nowhere", "hanging") != 0)
		exit(1);
	is_int(begin(&f, "hanging", true, false, &err), TAPE_E_USAGE,
	    "a link to nothing exists, too");
	(void)unlink("hanging");
	(void)unlink("victim");
	(void)unlink("link");
	(void)unlink("b");
	(void)unlink("d/a");
	(void)rmdir("d");
	is_str(names(), "", "nothing else is left");
}

static void
test_others(void)
{
	struct tape_outfile f;
	struct tape_err err = { 0 };
	int fd = -1;

	is_int(tape_outfile_open(&f, NULL, true, false, &fd, &err), TAPE_OK,
	    "no path");
	is_int(fd, 1, "is standard output");
	is_int(tape_outfile_finish(&f, &err), TAPE_OK, "which is finished");
	for (int partial = 0; partial < 2; partial++) {
		is_int(begin(&f, "/dev/null", partial == 1, false, &err),
		    TAPE_OK, "a device");
		ok(f.written == NULL, "is opened as it is");
		is_int(tape_outfile_finish(&f, &err), TAPE_OK, "and finished");
	}
	is_int(begin(&f, "none/a", false, false, &err), TAPE_E_IO,
	    "a folder that is not there");
	is_str(err.text, "cannot create 'none/a': No such file or directory",
	    "is named as it was given");
	is_int(begin(&f, "/", false, false, &err), TAPE_E_IO, "a folder");
	is_int(err.sys, EISDIR, "is none to write to");
	tape_outfile_drop(&f);
	is_str(names(), "", "nothing is left");
}

/* The folder goes while the file is written. */
static void
test_rename(void)
{
	struct tape_outfile f;
	struct tape_err err = { 0 };

	if (mkdir("d", 0777) != 0)
		exit(1);
	is_int(begin(&f, "d/a", false, false, &err), TAPE_OK, "a file");
	(void)unlink(f.written);
	is_int(tape_outfile_finish(&f, &err), TAPE_E_IO, "that went away");
	is_int(err.sys, ENOENT, "is missed");
	(void)rmdir("d");
}

static void
test_memory(void)
{
	struct tape_outfile f;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n;

	for (n = 1; st == TAPE_E_NOMEM && n < 10; n++) {
		struct tape_err err = { 0 };
		int fd = -1;

		(void)tape_mem_fail_at(n);
		st = tape_outfile_open(&f, "a", false, false, &fd, &err);
		(void)tape_mem_fail_at(0);
		if (st == TAPE_E_NOMEM)
			ok(f.path == NULL && names()[0] == '\0',
			    "no memory, and nothing left");
		else
			(void)close(fd);
	}
	ok(st == TAPE_OK && n > 2, "opened when it is there");
	tape_outfile_drop(&f);
}

/* A signal removes a temporary file, and leaves a partial one. */
static void
test_signal(int sig, bool partial, const char *left)
{
	struct tape_outfile f;
	struct tape_err err = { 0 };
	int status = 0;
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)signal(sig, SIG_DFL);
		if (begin(&f, "a", partial, false, &err) != TAPE_OK)
			_exit(1);
		(void)raise(sig);
		_exit(2);
	}
	(void)waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == sig, "killed by %d", sig);
	is_str(names(), left, "%s", partial ? "it stays" : "nothing stays");
	(void)unlink("a.partial");
}

/* Nothing is removed any more when it has its name. */
static void
test_signal_late(void)
{
	struct tape_outfile f;
	struct tape_err err = { 0 };
	int status = 0;
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)signal(SIGTERM, SIG_DFL);
		if (begin(&f, "a", false, false, &err) != TAPE_OK ||
		    tape_outfile_finish(&f, &err) != TAPE_OK)
			_exit(1);
		(void)raise(SIGTERM);
		_exit(2);
	}
	(void)waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "killed later");
	is_str(names(), "a", "a finished file stays");
	(void)unlink("a");
}

int
main(void)
{
	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 1;
	test_plain();
	test_partial();
	test_links();
	test_others();
	test_rename();
	test_memory();
	test_signal(SIGINT, false, "");
	test_signal(SIGTERM, false, "");
	test_signal(SIGHUP, false, "");
	test_signal(SIGTERM, true, "a.partial");
	test_signal_late();
	if (chdir("/") != 0 || rmdir(dir) != 0)
		ok(false, "the folder is empty at the end");
	return done_testing();
}
