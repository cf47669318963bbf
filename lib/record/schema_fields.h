/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema_fields: how the tables of schema_wire.c and schema_derived.c are
 * written, and their names, for schema.c.
 */
#ifndef TAPE_RECORD_SCHEMA_FIELDS_H
#define TAPE_RECORD_SCHEMA_FIELDS_H

#include "record/schema.h"

/* clang-format off */
#define FIELD(s, f, t, r, sub) \
	{ #f, sizeof(#f) - 1, TAPE_FIELD_##t, r, offsetof(struct s, f), sub }
#define REQ(s, f, t)          FIELD(s, f, t, true, NULL)
#define OPT(s, f, t)          FIELD(s, f, t, false, NULL)
#define OBJECT(s, f, sub)     FIELD(s, f, OBJECT, false, sub)
#define REQ_OBJECT(s, f, sub) FIELD(s, f, OBJECT, true, sub)
#define INLINE(s, f, sub) \
	{ "", 0, TAPE_FIELD_INLINE, false, offsetof(struct s, f), sub }
#define END { NULL, 0, TAPE_FIELD_STR, false, 0, NULL }
/* clang-format on */

extern const struct tape_field tape_fields_check[];
extern const struct tape_field tape_fields_comparison[];
extern const struct tape_field tape_fields_end[];
extern const struct tape_field tape_fields_engine[];
extern const struct tape_field tape_fields_exchange[];
extern const struct tape_field tape_fields_failure[];
extern const struct tape_field tape_fields_failure_group[];
extern const struct tape_field tape_fields_fidelity[];
extern const struct tape_field tape_fields_header[];
extern const struct tape_field tape_fields_live_event[];
extern const struct tape_field tape_fields_observed[];
extern const struct tape_field tape_fields_part[];
extern const struct tape_field tape_fields_request[];
extern const struct tape_field tape_fields_response[];
extern const struct tape_field tape_fields_result[];
extern const struct tape_field tape_fields_run[];
extern const struct tape_field tape_fields_sample[];
extern const struct tape_field tape_fields_summary[];
extern const struct tape_field tape_fields_tick[];
extern const struct tape_field tape_fields_tokens[];
extern const struct tape_field tape_fields_transfer[];
extern const struct tape_field tape_fields_verdict[];
extern const struct tape_field tape_fields_vocab[];

#endif
