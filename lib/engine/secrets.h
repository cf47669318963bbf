/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * secrets: what must appear in no output: keys and passwords that the user
 * gave, and header fields that carry such.
 *
 * Servers echo keys, in error bodies above all.  So known values are masked,
 * byte by byte with '*', in everything that is about to be written: lengths
 * and positions stay what they were.
 */
#ifndef TAPE_ENGINE_SECRETS_H
#define TAPE_ENGINE_SECRETS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Shorter values are not masked: they are words that occur anywhere. */
#define TAPE_SECRETS_MIN_BYTES 6

struct tape_secret;

/* A zeroed struct is an empty set. */
struct tape_secrets {
	struct tape_secret *v;
	size_t n;
	size_t cap;
};

void tape_secrets_release(struct tape_secrets *s);

/*
 * Adds a value, and, when it has a blank (Bearer ...), what stands behind the
 * last one.  The copies are wiped by release.
 */
enum tape_status tape_secrets_add(struct tape_secrets *s, const char *value,
    size_t len, struct tape_err *err) TAPE_NODISCARD;

/* The same of a text; NULL adds nothing. */
enum tape_status tape_secrets_add_text(struct tape_secrets *s, const char *text,
    struct tape_err *err) TAPE_NODISCARD;

/* Masks every occurrence in place; true when there was one. */
bool tape_secrets_mask(const struct tape_secrets *s, char *p, size_t len);

/* True for header fields that are credentials or cookies, in requests and
   answers, by their name. */
bool tape_secrets_header(const char *name, size_t len);

#endif
