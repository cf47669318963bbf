/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

#include "cli/diag.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CLEAR "\r\033[K"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool wanted;
static bool standing;

void
tape_progress_start(bool quiet)
{
	wanted = !quiet && isatty(STDERR_FILENO) != 0;
}

static void
write_all(const char *p, size_t len)
{
	/* A lost line of progress is no reason to stop. */
	ssize_t n = write(STDERR_FILENO, p, len);

	(void)n;
}

static size_t
width(void)
{
	struct winsize w = { 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col < 20)
		return 79;
	return w.ws_col - 1U;
}

void
tape_progress_show(const char *text)
{
	char line[512];
	size_t n = strlen(text);

	if (!wanted)
		return;
	if (n > width())
		n = width();
	if (n > sizeof(line) - sizeof(CLEAR))
		n = sizeof(line) - sizeof(CLEAR);
	(void)pthread_mutex_lock(&lock);
	memcpy(line, CLEAR, sizeof(CLEAR) - 1);
	memcpy(line + sizeof(CLEAR) - 1, text, n);
	write_all(line, sizeof(CLEAR) - 1 + n);
	standing = true;
	(void)pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static void
clear(void)
{
	if (standing)
		write_all(CLEAR, sizeof(CLEAR) - 1);
	standing = false;
}

void
tape_progress_clear(void)
{
	(void)pthread_mutex_lock(&lock);
	clear();
	(void)pthread_mutex_unlock(&lock);
}

void
tape_progress_error(void *arg, const char *text)
{
	(void)arg;
	(void)pthread_mutex_lock(&lock);
	clear();
	tape_diag_error("%s", text);
	(void)pthread_mutex_unlock(&lock);
}

void
tape_progress_warn(void *arg, const char *text)
{
	(void)arg;
	(void)pthread_mutex_lock(&lock);
	clear();
	tape_diag_warn("%s", text);
	(void)pthread_mutex_unlock(&lock);
}
