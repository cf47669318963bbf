/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/listen.h"

#include "base/fdio.h"
#include "base/num.h"
#include "cli/diag.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum tape_status
tape_listen_parse(const char *arg, void *field, struct tape_err *err)
{
	struct tape_listen *l = field;
	const char *colon = strrchr(arg, ':'), *host = arg;
	size_t len = colon != NULL ? (size_t)(colon - arg) : 0;
	uint64_t port = 0;
	enum tape_status st;

	st = tape_num_u64(
	    colon != NULL ? colon + 1 : arg, 0, UINT16_MAX, &port, err);
	if (st != TAPE_OK)
		return st;
	if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	if (len >= sizeof(l->host) || (colon != NULL && len == 0))
		return tape_err_set(
		    err, TAPE_E_USAGE, "'%s' is not [ADDRESS:]PORT", arg);
	if (colon != NULL) {
		memcpy(l->host, host, len);
		l->host[len] = '\0';
	}
	l->port = (uint16_t)port;
	return TAPE_OK;
}

enum tape_status
tape_listen_write_port(const char *path, uint16_t port, struct tape_err *err)
{
	char text[16], temp[4096];
	int n, fd = -1;
	enum tape_status st;

	n = snprintf(temp, sizeof(temp), "%s.tmp.%ld", path, (long)getpid());
	if (n < 0 || (size_t)n >= sizeof(temp))
		return tape_err_set(
		    err, TAPE_E_USAGE, "the name of the port file is too long");
	n = snprintf(text, sizeof(text), "%u\n", (unsigned)port);
	st = tape_fdio_open_write(temp, &fd, err);
	if (st != TAPE_OK)
		return st;
	st = tape_fdio_write(fd, text, (size_t)n, err);
	if (close(fd) != 0 && st == TAPE_OK)
		st = tape_err_sys(err, errno, "cannot write %s", temp);
	if (st == TAPE_OK && rename(temp, path) != 0)
		st = tape_err_sys(err, errno, "cannot write %s", path);
	if (st != TAPE_OK)
		(void)unlink(temp);
	return st;
}

void
tape_listen_announce(const char *host, uint16_t port)
{
	bool v6 = strchr(host, ':') != NULL;

	tape_diag_warn("listening on http://%s%s%s:%u", v6 ? "[" : "", host,
	    v6 ? "]" : "", (unsigned)port);
}
