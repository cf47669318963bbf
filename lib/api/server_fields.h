/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server_fields: the table behind server_rules. */
#ifndef TAPE_API_SERVER_FIELDS_H
#define TAPE_API_SERVER_FIELDS_H

#include "api/server_rules.h"

/* What a server does about a field that it does not know. */
enum tape_server_manner { TAPE_SERVER_ANSWERS_4XX, TAPE_SERVER_IGNORES };

struct tape_server_fields {
	enum tape_server_kind server;
	const char *api; /* name of the dialect */
	enum tape_server_manner manner;
	const char *fields; /* a space before each */
};

/* NULL when that server is not known by that dialect. */
const struct tape_server_fields *tape_server_fields_find(
    enum tape_server_kind server, const char *api);

bool tape_server_fields_has(
    const struct tape_server_fields *f, struct tape_str field);

/* A word about a field that it does not take; NULL: nothing to say. */
const char *tape_server_fields_hint(
    const struct tape_server_fields *f, struct tape_str field);

#endif
