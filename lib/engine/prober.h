/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prober: questions to a server outside of the measurement: is it there, which
 * model does it serve, what does it say of itself.  One question at a time,
 * each with a bound; in the caller's thread, over connections of its own.
 */
#ifndef TAPE_ENGINE_PROBER_H
#define TAPE_ENGINE_PROBER_H

#include "api/api.h"
#include "codec/http.h"
#include "engine/target.h"
#include "engine/transport.h"
#include "record/record.h"

#define TAPE_PROBER_SNAPSHOT_BYTES 4096
#define TAPE_PROBER_SNAPSHOT_NS    (2 * TAPE_NS_PER_S)
#define TAPE_PROBER_ASK_NS         (10 * TAPE_NS_PER_S)
/* Between questions to a server that is not ready: at first, and in the end;
   twice as long each time. */
#define TAPE_PROBER_PAUSE_LEAST_NS (TAPE_NS_PER_S / 50)
#define TAPE_PROBER_PAUSE_NS       (TAPE_NS_PER_S / 2)

struct tape_prober;

struct tape_prober_opts {
	struct tape_http_opts http;
	const char *const *headers; /* of every request; outlive the prober */
	size_t headers_n;
	int (*interrupts)(void); /* not 0: give up; may be NULL */
	/* For tests: another clock, and another network, which calls
	   tape_prober_calls with the prober; NULL: those of the system. */
	const struct tape_clock *clock;
	const struct tape_transport *net;
};

extern const struct tape_http_calls tape_prober_calls;

enum tape_status tape_prober_open(struct tape_prober **out,
    const struct tape_prober_opts *opts, struct tape_err *err) TAPE_NODISCARD;
void tape_prober_free(struct tape_prober *p);

/* Status and first 4 KiB of the answer to GET path; all absent when it does
   not answer within 2 s.  Bodies are added to text, which must not have been
   allocated yet as pointers into it are kept: one buffer a call. */
enum tape_status tape_prober_snapshot(struct tape_prober *p,
    const struct tape_target *t, const char *path, struct tape_buf *text,
    struct tape_probe *out, struct tape_err *err) TAPE_NODISCARD;

/* The answer to GET path, at most 4 MiB of it, valid until the next question;
   absent when it is not 2xx or does not come within 2 s. */
enum tape_status tape_prober_get(struct tape_prober *p,
    const struct tape_target *t, const char *path, struct tape_str *body,
    struct tape_err *err) TAPE_NODISCARD;

/* The first model of GET /v1/models, appended to name.  TAPE_E_IO says what
   was answered instead. */
enum tape_status tape_prober_model(struct tape_prober *p,
    const struct tape_target *t, struct tape_buf *name,
    struct tape_err *err) TAPE_NODISCARD;

/* What is asked until it is answered with 2xx. */
struct tape_prober_ready {
	const char *path; /* GET it; NULL: a request for one token */
	const struct tape_api *api;
	const char *model;             /* NULL: the first one served */
	struct tape_str extra;         /* JSON object, or absent */
	struct tape_str body_template; /* or absent */
	const char *max_tokens_field;
	int64_t timeout_ns;
	/* Told once, when it has to be waited for; may be NULL. */
	void (*waiting)(void *arg, const char *text);
	void *arg;
};

/* TAPE_E_IO when it is not ready in time, with the last answer; TAPE_EOF when
   interrupted. */
enum tape_status tape_prober_wait(struct tape_prober *p,
    const struct tape_target *t, const struct tape_prober_ready *ready,
    struct tape_err *err) TAPE_NODISCARD;

#endif
