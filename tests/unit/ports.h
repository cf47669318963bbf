/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ports: numbers for servers of tests, below the range that the kernel gives to
   clients, so that no client of another test is in the way. */
#ifndef TAPE_UNIT_PORTS_H
#define TAPE_UNIT_PORTS_H

#include <stdint.h>
#include <unistd.h>

#define PORTS_TRIES 100

/* The next one to try. */
static uint16_t
ports_next(void)
{
	static int n;

	return (uint16_t)(20000 + (getpid() * 37 + n++) % 12000);
}

#endif
