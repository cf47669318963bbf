/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/framing.h"

#include <string.h>
#include <strings.h>

void
tape_framer_init(
    struct tape_framer *f, const struct tape_sse_calls *calls, void *user)
{
	f->kind = TAPE_FRAMING_SSE;
	tape_sse_init(&f->sse, calls, user);
	tape_ndjson_init(&f->ndjson, calls, user);
	tape_jsonarray_init(&f->array, calls, user);
	tape_eventstream_init(&f->binary, calls, user);
}

void
tape_framer_release(struct tape_framer *f)
{
	tape_sse_release(&f->sse);
	tape_ndjson_release(&f->ndjson);
	tape_jsonarray_release(&f->array);
	tape_eventstream_release(&f->binary);
}

void
tape_framer_clear(struct tape_framer *f, enum tape_framing_kind kind)
{
	f->kind = kind;
	switch (kind) {
	case TAPE_FRAMING_SSE:
		tape_sse_clear(&f->sse);
		break;
	case TAPE_FRAMING_NDJSON:
		tape_ndjson_clear(&f->ndjson);
		break;
	case TAPE_FRAMING_ARRAY:
		tape_jsonarray_clear(&f->array);
		break;
	case TAPE_FRAMING_BINARY:
		tape_eventstream_clear(&f->binary);
		break;
	}
}

enum tape_status
tape_framer_feed(
    struct tape_framer *f, const char *bytes, size_t len, struct tape_err *err)
{
	switch (f->kind) {
	case TAPE_FRAMING_NDJSON:
		return tape_ndjson_feed(&f->ndjson, bytes, len, err);
	case TAPE_FRAMING_ARRAY:
		return tape_jsonarray_feed(&f->array, bytes, len, err);
	case TAPE_FRAMING_BINARY:
		return tape_eventstream_feed(&f->binary, bytes, len, err);
	case TAPE_FRAMING_SSE:
		break;
	}
	return tape_sse_feed(&f->sse, bytes, len, err);
}

enum tape_status
tape_framer_end(struct tape_framer *f, struct tape_err *err)
{
	if (f->kind == TAPE_FRAMING_NDJSON)
		return tape_ndjson_end(&f->ndjson, err);
	return TAPE_OK;
}

uint64_t
tape_framer_offset(const struct tape_framer *f)
{
	switch (f->kind) {
	case TAPE_FRAMING_NDJSON:
		return f->ndjson.offset;
	case TAPE_FRAMING_ARRAY:
		return f->array.offset;
	case TAPE_FRAMING_BINARY:
		return f->binary.offset;
	case TAPE_FRAMING_SSE:
		break;
	}
	return f->sse.offset;
}

uint64_t
tape_framer_tail(const struct tape_framer *f)
{
	switch (f->kind) {
	case TAPE_FRAMING_NDJSON:
		return tape_ndjson_tail(&f->ndjson);
	case TAPE_FRAMING_ARRAY:
		return tape_jsonarray_tail(&f->array);
	case TAPE_FRAMING_BINARY:
		return tape_eventstream_tail(&f->binary);
	case TAPE_FRAMING_SSE:
		break;
	}
	return tape_sse_finish(&f->sse);
}

const struct tape_sse_counts *
tape_framer_counts(const struct tape_framer *f)
{
	switch (f->kind) {
	case TAPE_FRAMING_NDJSON:
		return &f->ndjson.counts;
	case TAPE_FRAMING_ARRAY:
		return &f->array.counts;
	case TAPE_FRAMING_BINARY:
		return &f->binary.counts;
	case TAPE_FRAMING_SSE:
		break;
	}
	return &f->sse.counts;
}

enum tape_framing_kind
tape_framing_guess(enum tape_framing_kind own, char first)
{
	if (own == TAPE_FRAMING_SSE)
		return own;
	if (first == '{')
		return own == TAPE_FRAMING_NDJSON ? own : TAPE_FRAMING_ARRAY;
	if (first == '[')
		return TAPE_FRAMING_ARRAY;
	return first == '\0' ? TAPE_FRAMING_BINARY : TAPE_FRAMING_SSE;
}

bool
tape_framing_of_type(const char *type, enum tape_framing_kind *kind)
{
	static const struct {
		const char *name;
		enum tape_framing_kind kind;
	} types[] = {
		{ "text/event-stream", TAPE_FRAMING_SSE },
		{ "application/x-ndjson", TAPE_FRAMING_NDJSON },
		{ "application/ndjson", TAPE_FRAMING_NDJSON },
		{ "application/jsonl", TAPE_FRAMING_NDJSON },
		{ "application/jsonlines", TAPE_FRAMING_NDJSON },
		{ "application/x-jsonlines", TAPE_FRAMING_NDJSON },
		{ "application/stream+json", TAPE_FRAMING_NDJSON },
		{ "application/vnd.amazon.eventstream", TAPE_FRAMING_BINARY },
	};
	const size_t len = strcspn(type, "; \t");

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (len != strlen(types[i].name) ||
		    strncasecmp(type, types[i].name, len) != 0)
			continue;
		*kind = types[i].kind;
		return true;
	}
	return false;
}
