/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reading_impl: how the files of reading put one together. */
#ifndef TAPE_ENGINE_READING_IMPL_H
#define TAPE_ENGINE_READING_IMPL_H

#include "codec/json_write.h"
#include "engine/reading.h"

/* Begins an object in r->values; ends it, TAPE_E_FORMAT when nothing is in it. */
void tape_reading_begin(struct tape_reading *r, struct tape_json_writer *w);
enum tape_status tape_reading_end(struct tape_reading *r,
    struct tape_json_writer *w, const char *what,
    struct tape_err *err) TAPE_NODISCARD;

/* A value by name; a number that is not finite is none. */
void tape_reading_put(struct tape_reading *r, struct tape_json_writer *w,
    struct tape_str name, double v);

/* The same with a name of two parts, in lower case. */
void tape_reading_put_of(struct tape_reading *r, struct tape_json_writer *w,
    struct tape_str whose, const char *what, double v);

/* A decimal number at the beginning of s, which is cut off it; false: none. */
bool tape_reading_take(struct tape_str *s, double *v);

/* Cuts that text off the beginning of s; false: it is not there. */
bool tape_reading_skip(struct tape_str *s, const char *text);

/* Without blanks at both ends. */
struct tape_str tape_reading_trim(struct tape_str s);

#endif
