/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_script_read: what serve_script.c (rules) and serve_script_step.c (what
 * they do) share.  Nobody else includes it.
 */
#ifndef TAPE_ENGINE_SERVE_SCRIPT_READ_H
#define TAPE_ENGINE_SERVE_SCRIPT_READ_H

#include "codec/json.h"
#include "engine/serve_script.h"

/* TAPE_E_FORMAT: a member that cannot be so. */
enum tape_status tape_script_wrong(
    struct tape_err *err, const struct tape_json_token *tok, const char *what);

/* A whole number within [min, max]. */
enum tape_status tape_script_number(const struct tape_json_token *tok,
    uint64_t min, uint64_t max, uint64_t *out,
    struct tape_err *err) TAPE_NODISCARD;

/* A copy of a string, NUL-terminated; the caller's. */
enum tape_status tape_script_string(const struct tape_json_token *tok,
    char **out, struct tape_err *err) TAPE_NODISCARD;

/* A step, whose object was begun; script is the path of the script.  What of it
   was read is the step's, also on failure. */
enum tape_status tape_script_step_read(struct tape_script_step *step,
    struct tape_json *r, const char *script,
    struct tape_err *err) TAPE_NODISCARD;
void tape_script_step_release(struct tape_script_step *step);

#endif
