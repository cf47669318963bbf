/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * roles: what a value of telemetry is, whatever its source calls it.
 *
 * One table in roles.c: source, name, role, and how the value becomes one of
 * the role's unit.  record_device.h lists the roles.
 */
#ifndef TAPE_ENGINE_ROLES_H
#define TAPE_ENGINE_ROLES_H

#include "base/span.h"

enum tape_role_type { TAPE_ROLE_GAUGE, TAPE_ROLE_COUNTER, TAPE_ROLE_BITS };

struct tape_role {
	const char *name; /* NULL: only its own name says what it is */
	const char *unit; /* NULL: unknown */
	enum tape_role_type type;
	double scale; /* times the value gives the unit */
};

/* name is as in samples, with labels ({...}) where it has some. */
struct tape_role tape_role_of(const char *source, const char *name);

/* "gauge", "counter", "bits". */
const char *tape_role_type_name(enum tape_role_type type);

#endif
