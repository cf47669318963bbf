/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * redact: what must not reach an archive, a message or a process list is
 * replaced by "(redacted)".
 *
 * These are judgements by name, made to lose information rather than a secret.
 */
#ifndef TAPE_BASE_REDACT_H
#define TAPE_BASE_REDACT_H

#include "base/buf.h"
#include "base/span.h"

#define TAPE_REDACT_MARK "(redacted)"

/* True for the name of a header that carries credentials: authorization,
   cookie, and names with key, token, secret, password, auth. */
bool tape_redact_is_secret_header(struct tape_str name);

/* True for headers whose values may be kept: few, and listed in the code. */
bool tape_redact_is_plain_header(struct tape_str name);

/* "Name: value" with the value only where it may be kept. */
enum tape_status tape_redact_header(struct tape_str line, struct tape_buf *out);

/*
 * A command line or K=V text: values of options and assignments whose names say
 * key, token, secret, password, auth, cookie or credential, what follows Bearer
 * or Basic, and user, password and query of URLs.
 */
enum tape_status tape_redact_text(struct tape_str text, struct tape_buf *out);

#endif
