/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ports: whether this machine has local ports enough for the connections that
 * are wanted.
 *
 * A connection is told from others by both addresses and both ports, so towards
 * one server there can be as many at once as there are ephemeral ports, times
 * the local addresses used.  A connection closed from here keeps its port for
 * another TAPE_PORTS_WAIT_NS (TIME_WAIT), which bounds how many new ones there
 * can be a second.  ip(7), ip_local_port_range; RFC 9293, 3.6.1.
 */
#ifndef TAPE_ENGINE_PORTS_H
#define TAPE_ENGINE_PORTS_H

#include "base/buf.h"
#include "base/clock.h"

#define TAPE_PORTS_FILE    "/proc/sys/net/ipv4/ip_local_port_range"
#define TAPE_PORTS_WAIT_NS (60 * TAPE_NS_PER_S)
#define TAPE_PORTS_DEFAULT 28232 /* 32768 to 60999 */

/* How many there are; the default where the file cannot be read. */
uint64_t tape_ports_count(const char *file);

struct tape_ports_need {
	uint64_t open;     /* connections at once; 0 not known */
	uint64_t sources;  /* local addresses; 0 as 1 */
	bool fresh;        /* a new connection for each request */
	double rate_per_s; /* of requests; 0 not known */
};

/* TAPE_E_USAGE, with the setting to change, when there cannot be so many at
   once.  What may run out after a while is said in warning (nothing added:
   nothing to say). */
enum tape_status tape_ports_check(const struct tape_ports_need *need,
    uint64_t ports, struct tape_buf *warning,
    struct tape_err *err) TAPE_NODISCARD;

#endif
