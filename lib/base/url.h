/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * url: just enough of URLs to name a server without its secrets.
 */
#ifndef TAPE_BASE_URL_H
#define TAPE_BASE_URL_H

#include "base/buf.h"
#include "base/span.h"

/*
 * Appends the URL without user, password, query and fragment:
 * http://user:pw@h/p?x becomes http://h/p.  Takes any text; where user and
 * host cannot be told apart (http://user:p/w@h), the host is left out too:
 * http://(redacted).  Use it in every message and record.
 */
enum tape_status tape_url_redact(const char *url, struct tape_buf *out);
enum tape_status tape_url_redact_span(
    struct tape_str url, struct tape_buf *out);

/*
 * Appends the URL with its scheme in lower case; one without a scheme is http.
 * Nothing is removed.  TAPE_E_USAGE, redacted, for another scheme than http and
 * https, an empty host, white space or control characters.
 */
enum tape_status tape_url_normalise(
    const char *url, struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

#endif
