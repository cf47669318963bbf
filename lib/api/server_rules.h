/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server_rules: which fields of a request body known servers take, so that one
 * that a server answers with 400, or passes over in silence, is found before
 * the run and not in its results.
 *
 * The lists are of the fields that these servers name in their own sources and
 * manuals, for the endpoints of the dialects chat and completions.  Versions
 * differ, so every refusal says the way out: the field can be allowed.
 */
#ifndef TAPE_API_SERVER_RULES_H
#define TAPE_API_SERVER_RULES_H

#include "api/api.h"

enum tape_server_kind {
	TAPE_SERVER_UNSAID, /* nothing is known, and nothing is asked */
	TAPE_SERVER_ANY,    /* no list, but the server may be asked */
	TAPE_SERVER_EDGE_LLM,
	TAPE_SERVER_VLLM,
	TAPE_SERVER_SGLANG,
	TAPE_SERVER_TRTLLM,
	TAPE_SERVER_LLAMACPP,
	TAPE_SERVER_TGI,
	TAPE_SERVER_OPENAI,
	TAPE_SERVERS
};

/* As --server has them, in this order; NULL behind the last. */
extern const char *const tape_server_names[TAPE_SERVERS + 1];

/* What a server takes at once, and lets wait; both 0: not said. */
struct tape_server_limits {
	uint64_t batch;
	uint64_t queue;
};

struct tape_server_rules {
	enum tape_server_kind server;
	const char *const *allow; /* fields that it takes all the same */
	size_t allow_n;
	const char *const *drop; /* fields that are not to be sent */
	size_t drop_n;
	struct tape_server_limits limits;
};

/*
 * Whether a request may be sent: the fields of extra, of the request's params
 * or its verbatim body, and the name of the field for the length; what is to be
 * dropped is not looked at.  id is the request's.
 *
 * TAPE_E_USAGE names the first field that the server does not take, where it
 * came from, what the server would do, and the way out; or says that the
 * server is known by other dialects only.  Text that is no JSON object passes.
 */
enum tape_status tape_server_rules_check(const struct tape_server_rules *rules,
    const struct tape_api *api, const struct tape_api_ask *ask,
    struct tape_str id, struct tape_err *err) TAPE_NODISCARD;

/*
 * Tells of each field that is looked at so, but those allowed: its name, and
 * where it came from.  TAPE_E_NOMEM.
 */
enum tape_status tape_server_rules_walk(const struct tape_server_rules *rules,
    const struct tape_api_ask *ask, struct tape_str id,
    void (*tell)(void *arg, struct tape_str field, const char *origin),
    void *arg, struct tape_err *err) TAPE_NODISCARD;

/*
 * Whether the way of sampling is said: temperature, top_k or seed stands in
 * extra, params or the verbatim body.  True for dialects other than chat and
 * completions, whose fields are not known here.
 */
bool tape_server_rules_pinned(
    const struct tape_api *api, const struct tape_api_ask *ask);

/* "batch=4,queue=16", in any order; queue may be missing and is 0 then.
   TAPE_E_USAGE. */
enum tape_status tape_server_limits_parse(
    const char *arg, void *limits, struct tape_err *err) TAPE_NODISCARD;

#endif
