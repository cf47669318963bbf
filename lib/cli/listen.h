/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * listen: where a tool that serves listens, and how others learn of it.
 */
#ifndef TAPE_CLI_LISTEN_H
#define TAPE_CLI_LISTEN_H

#include "base/err.h"

struct tape_listen {
	char host[256]; /* an IPv6 address is without brackets */
	uint16_t port;
};

/* A parse function of cli/opt: "[ADDRESS:]PORT", an IPv6 address in brackets.
   Without an address, field keeps the one that it has. */
enum tape_status tape_listen_parse(
    const char *arg, void *field, struct tape_err *err);

/* Writes the port and a line end to the file, which has all of it as soon as
   it is there. */
enum tape_status tape_listen_write_port(
    const char *path, uint16_t port, struct tape_err *err) TAPE_NODISCARD;

/* Says on standard error, unless quiet, where it listens. */
void tape_listen_announce(const char *host, uint16_t port);

#endif
