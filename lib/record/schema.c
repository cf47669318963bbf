/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/schema_fields.h"

#define TRACE   TAPE_FORMAT_TRACE
#define WIRE    TAPE_FORMAT_WIRE
#define EVENTS  TAPE_FORMAT_EVENTS
#define METRICS TAPE_FORMAT_METRICS
#define REPORT  TAPE_FORMAT_REPORT
#define ALL     (TRACE | WIRE | EVENTS | METRICS | REPORT)

/* clang-format off */
#define KIND(name, formats, s, fields) \
	{ name, formats, sizeof(struct s), fields }
/* clang-format on */

const struct tape_schema tape_schema_table[TAPE_KIND_COUNT] = {
	[TAPE_KIND_HEADER] =
	    KIND("header", ALL, tape_header, tape_fields_header),
	[TAPE_KIND_END] = KIND("end", ALL, tape_end, tape_fields_end),
	[TAPE_KIND_VOCAB] = KIND("vocab", TRACE, tape_vocab, tape_fields_vocab),
	[TAPE_KIND_REQUEST] =
	    KIND("request", TRACE, tape_request, tape_fields_request),
	[TAPE_KIND_RUN] =
	    KIND("run", WIRE | EVENTS | METRICS, tape_run, tape_fields_run),
	[TAPE_KIND_PART] = KIND("part", WIRE, tape_exchange, tape_fields_part),
	[TAPE_KIND_EXCHANGE] =
	    KIND("exchange", WIRE, tape_exchange, tape_fields_exchange),
	[TAPE_KIND_CLOCK] =
	    KIND("clock", WIRE | EVENTS, tape_tick, tape_fields_tick),
	[TAPE_KIND_SAMPLE] =
	    KIND("sample", WIRE | EVENTS, tape_sample, tape_fields_sample),
	[TAPE_KIND_FIDELITY] = KIND("fidelity", WIRE | EVENTS | METRICS,
	    tape_fidelity, tape_fields_fidelity),
	[TAPE_KIND_RESPONSE] =
	    KIND("response", EVENTS, tape_response, tape_fields_response),
	[TAPE_KIND_EVENT] =
	    KIND("event", EVENTS, tape_live_event, tape_fields_live_event),
	[TAPE_KIND_RESULT] =
	    KIND("result", METRICS, tape_result, tape_fields_result),
	[TAPE_KIND_SUMMARY] =
	    KIND("summary", METRICS, tape_summary, tape_fields_summary),
	[TAPE_KIND_CHECK] =
	    KIND("check", METRICS, tape_check, tape_fields_check),
	[TAPE_KIND_FAILURE] = KIND(
	    "failure", METRICS, tape_failure_group, tape_fields_failure_group),
	[TAPE_KIND_TELEMETRY] =
	    KIND("telemetry", METRICS, tape_observed, tape_fields_observed),
	[TAPE_KIND_ENGINE] =
	    KIND("engine", METRICS, tape_engine, tape_fields_engine),
	[TAPE_KIND_COMPARISON] =
	    KIND("comparison", REPORT, tape_comparison, tape_fields_comparison),
	[TAPE_KIND_VERDICT] =
	    KIND("verdict", REPORT, tape_verdict, tape_fields_verdict),
};

static const struct {
	enum tape_format format;
	const char *name;
	const char *maker;
} formats[] = {
	{ TAPE_FORMAT_TRACE, "llmtape.trace", "trace-gen" },
	{ TAPE_FORMAT_WIRE, "llmtape.wire", "trace-replay" },
	{ TAPE_FORMAT_EVENTS, "llmtape.events", "sse-timestamp" },
	{ TAPE_FORMAT_METRICS, "llmtape.metrics", "metrics-reduce" },
	{ TAPE_FORMAT_REPORT, "llmtape.report", "ab-compare" },
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

const char *
tape_format_name(enum tape_format f)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (formats[i].format == f)
			return formats[i].name;
	return "unknown";
}

const char *
tape_format_maker(enum tape_format f)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (formats[i].format == f)
			return formats[i].maker;
	return "unknown";
}

enum tape_format
tape_format_find(struct tape_str name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (tape_str_is(name, formats[i].name))
			return formats[i].format;
	return (enum tape_format)0;
}

int
tape_kind_find(struct tape_str name)
{
	for (int i = 0; i < TAPE_KIND_COUNT; i++)
		if (tape_str_is(name, tape_schema_table[i].kind))
			return i;
	return -1;
}

const char *
tape_field_type_name(enum tape_field_type type)
{
	static const char *const names[] = {
		[TAPE_FIELD_STR] = "string",
		[TAPE_FIELD_JSON_OBJECT] = "json object",
		[TAPE_FIELD_JSON_ARRAY] = "json array",
		[TAPE_FIELD_I64] = "integer",
		[TAPE_FIELD_F64] = "number",
		[TAPE_FIELD_BOOL] = "boolean",
		[TAPE_FIELD_STRS] = "strings",
		[TAPE_FIELD_I64S] = "integers",
		[TAPE_FIELD_F64S] = "numbers",
		[TAPE_FIELD_OBJECT] = "object",
		[TAPE_FIELD_INLINE] = "inline",
	};

	return names[type];
}

/* Nesting is that of the tables: at most three deep. */
static void
init_fields(const struct tape_field *f, char *base)
{
	for (; f->name != NULL; f++) {
		void *p = base + f->offset;

		switch (f->type) {
		case TAPE_FIELD_I64:
			*(int64_t *)p = TAPE_ABSENT_I64;
			break;
		case TAPE_FIELD_F64:
			*(double *)p = TAPE_ABSENT_F64;
			break;
		case TAPE_FIELD_BOOL:
			*(int8_t *)p = TAPE_ABSENT_BOOL;
			break;
		case TAPE_FIELD_OBJECT:
		case TAPE_FIELD_INLINE:
			init_fields(f->sub, p);
			break;
		case TAPE_FIELD_STR:
		case TAPE_FIELD_JSON_OBJECT:
		case TAPE_FIELD_JSON_ARRAY:
		case TAPE_FIELD_STRS:
		case TAPE_FIELD_I64S:
		case TAPE_FIELD_F64S:
			break;
		}
	}
}

void
tape_schema_init(enum tape_kind kind, void *record)
{
	const struct tape_schema *s = &tape_schema_table[kind];

	memset(record, 0, s->size);
	init_fields(s->fields, record);
}
