/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * causes: the table of why requests fail: class and cause, as the stream has
 * them, what each means, and what to do.
 *
 * llmtape-stream(5) lists the same classes and causes; a unit test holds page
 * and table together.
 */
#ifndef TAPE_ENGINE_CAUSES_H
#define TAPE_ENGINE_CAUSES_H

#include "base/span.h"

#include <stddef.h>

struct tape_cause {
	const char *class;
	const char *cause; /* NULL: any other of the class */
	const char *meaning;
	const char *advice; /* what to do */
};

/* The row of that cause, else that of its class, else NULL. */
const struct tape_cause *tape_cause_find(
    struct tape_str class, struct tape_str cause);

/* All rows; NULL behind the last. */
const struct tape_cause *tape_cause_at(size_t i);

#endif
