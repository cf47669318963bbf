/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_items: the elements of a JSON array, as source texts.
 */
#ifndef TAPE_API_API_ITEMS_H
#define TAPE_API_API_ITEMS_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>

/* Checks that the text is a JSON array, as mode foreign has it: *rest is then
   for next. */
enum tape_status tape_api_items_open(struct tape_str json,
    struct tape_str *rest, struct tape_err *err) TAPE_NODISCARD;

/*
 * The next element of an array that was read as JSON before; false behind the
 * last one.  rest begins as the array's text; absent: no elements.
 */
bool tape_api_items_next(struct tape_str *rest, struct tape_str *item);

#endif
