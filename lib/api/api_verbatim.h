/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_verbatim: a recorded body with some of its top-level fields replaced or
 * taken out, and every other byte as it was recorded.
 */
#ifndef TAPE_API_API_VERBATIM_H
#define TAPE_API_API_VERBATIM_H

#include "api/api_fields.h"
#include "base/buf.h"

struct tape_api_changes {
	const struct tape_api_fields *set; /* values; of a field that the body
	                                      lacks: added at its end */
	struct tape_str model;             /* likewise as text, but for a body
	                                      with a field model only; absent: none */
	const char *const *drop;           /* names; set wins */
	size_t drop_n;
};

/*
 * Appends the changed body.  TAPE_E_USAGE when it is no JSON object, saying
 * that it cannot be changed; what out holds then is to be cut back.
 */
enum tape_status tape_api_verbatim(const struct tape_api_changes *changes,
    struct tape_str body, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
