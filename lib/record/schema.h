/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema: the table of record kinds: which fields a kind has, under which name
 * and type each is written, where it stands in its C struct, and in which
 * stream the kind occurs.
 *
 * Encoding, decoding, the check of llmtape-stream(5) and the fuzz dictionary
 * all read this one table.  The order of a kind's fields is the order in which
 * they are written.
 */
#ifndef TAPE_RECORD_SCHEMA_H
#define TAPE_RECORD_SCHEMA_H

#include "record/record.h"

/*
 * The version written.  Minor rises when a field or a kind is added; major when
 * one is removed or renamed, or changes its meaning or unit.
 */
#define TAPE_STREAM_MAJOR   1
#define TAPE_STREAM_MINOR   1
#define TAPE_STREAM_VERSION "1.1"

/*
 * No integer of a record is above this or below its negative: 36 years of
 * nanoseconds.  So sums of several times cannot overflow.
 */
#define TAPE_FIELD_I64_MAX (INT64_C(1) << 60)

enum tape_format {
	TAPE_FORMAT_TRACE = 1 << 0,
	TAPE_FORMAT_WIRE = 1 << 1,
	TAPE_FORMAT_EVENTS = 1 << 2,
	TAPE_FORMAT_METRICS = 1 << 3,
	TAPE_FORMAT_REPORT = 1 << 4
};

enum tape_kind {
	TAPE_KIND_HEADER,
	TAPE_KIND_END,
	TAPE_KIND_VOCAB,
	TAPE_KIND_REQUEST,
	TAPE_KIND_RUN,
	TAPE_KIND_PART,
	TAPE_KIND_EXCHANGE,
	TAPE_KIND_CLOCK,
	TAPE_KIND_SAMPLE,
	TAPE_KIND_FIDELITY,
	TAPE_KIND_RESPONSE,
	TAPE_KIND_EVENT,
	TAPE_KIND_RESULT,
	TAPE_KIND_SUMMARY,
	TAPE_KIND_CHECK,
	TAPE_KIND_FAILURE,
	TAPE_KIND_TELEMETRY,
	TAPE_KIND_ENGINE,
	TAPE_KIND_COMPARISON,
	TAPE_KIND_VERDICT,
	TAPE_KIND_COUNT
};

enum tape_field_type {
	TAPE_FIELD_STR,         /* struct tape_str, a string */
	TAPE_FIELD_JSON_OBJECT, /* struct tape_str, an object kept as text */
	TAPE_FIELD_JSON_ARRAY,  /* struct tape_str, an array kept as text */
	TAPE_FIELD_I64,         /* int64_t, an integer */
	TAPE_FIELD_F64,         /* double, a finite number */
	TAPE_FIELD_BOOL,        /* int8_t */
	TAPE_FIELD_STRS,        /* struct tape_strs, an array of strings */
	TAPE_FIELD_I64S,        /* struct tape_i64s, an array of integers */
	TAPE_FIELD_F64S,        /* struct tape_f64s, an array of numbers */
	TAPE_FIELD_OBJECT,      /* a nested struct: sub says which */
	TAPE_FIELD_INLINE /* a nested struct whose fields stand in the outer one */
};

struct tape_schema;

struct tape_field {
	const char *name; /* NULL ends a table; "" for inline */
	size_t name_len;
	enum tape_field_type type;
	bool required;
	size_t offset;
	const struct tape_field *sub; /* object and inline */
};

struct tape_schema {
	const char *kind;
	unsigned formats; /* or of enum tape_format: where the kind occurs */
	size_t size;      /* of its struct */
	const struct tape_field *fields;
};

extern const struct tape_schema tape_schema_table[TAPE_KIND_COUNT];

/* "llmtape.trace" and so on; the tool whose output it is. */
const char *tape_format_name(enum tape_format f);
const char *tape_format_maker(enum tape_format f);

/* 0 for an unknown name. */
enum tape_format tape_format_find(struct tape_str name);

/* -1 for an unknown kind. */
int tape_kind_find(struct tape_str name);

/* Word for a type, as the man page has it. */
const char *tape_field_type_name(enum tape_field_type type);

/* Makes every field of the struct for kind absent. */
void tape_schema_init(enum tape_kind kind, void *record);

#endif
