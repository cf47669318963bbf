/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_foreign: JSON of others of which we want a part: a recorded body with
 * fields changed, a server's own description, its usage and times.
 *
 * A body that is changed is JSON still, has what was set and not what was
 * dropped, and changing it again changes nothing.
 */
#include "api/api_fields.h"
#include "api/api_verbatim.h"
#include "api/server_times.h"
#include "engine/openapi.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char set_json[] = "{\"a\":[1],\"model\":\"m\"}";
static const char *const drop[] = { "b", "model", "" };

static struct tape_str
changed(const struct tape_api_fields *set, struct tape_str body,
    struct tape_buf *out, bool *good)
{
	const struct tape_api_changes how = { .set = set,
		.model = tape_str_of("other"),
		.drop = drop,
		.drop_n = sizeof(drop) / sizeof(drop[0]) };
	struct tape_err err = { 0 };

	*good = tape_api_verbatim(&how, body, out, &err) == TAPE_OK;
	return tape_str_make(out->data, out->len);
}

/* What holds of a changed body. */
static void
check(struct tape_str body)
{
	struct tape_api_fields f = { 0 };
	const struct tape_api_field *a;
	struct tape_err err = { 0 };
	enum tape_status st =
	    tape_api_fields_read(&f, body, TAPE_JSON_FOREIGN, &err);

	if (st == TAPE_E_LIMIT) {
		tape_api_fields_release(&f);
		return;
	}
	if (st != TAPE_OK)
		abort();
	a = tape_api_fields_find(&f, tape_str_of("a"));
	if (a == NULL || !tape_str_is(a->value, "[1]"))
		abort();
	a = tape_api_fields_find(&f, tape_str_of("model"));
	if (a == NULL || !tape_str_is(a->value, "\"m\""))
		abort();
	if (tape_api_fields_find(&f, tape_str_of("b")) != NULL ||
	    tape_api_fields_find(&f, tape_str_of("")) != NULL)
		abort();
	tape_api_fields_release(&f);
}

static void
change(struct tape_str body)
{
	struct tape_api_fields set = { 0 };
	struct tape_err err = { 0 };
	struct tape_buf once, twice;
	struct tape_str first, second;
	bool good;

	if (tape_api_fields_read(
		&set, tape_str_of(set_json), TAPE_JSON_OURS, &err) != TAPE_OK)
		abort();
	tape_buf_init(&once, 4 << 20);
	tape_buf_init(&twice, 4 << 20);
	first = changed(&set, body, &once, &good);
	if (good) {
		check(first);
		second = changed(&set, first, &twice, &good);
		if (!good || !tape_str_equal(first, second))
			abort();
	}
	tape_buf_release(&once);
	tape_buf_release(&twice);
	tape_api_fields_release(&set);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tape_str text =
	    tape_str_make(size == 0 ? "" : (const char *)data, size);
	struct tape_server_times t;
	struct tape_str properties;

	if (size > 1 << 16)
		return 0;
	change(text);
	properties = tape_openapi_properties(text, "/v1/chat/completions");
	if (properties.p != NULL &&
	    (properties.p < text.p ||
		properties.p + properties.len > text.p + text.len))
		abort();
	(void)tape_openapi_has(properties, tape_str_of("model"));
	tape_server_times_read(text, text, &t);
	if (t.total_ns != TAPE_ABSENT_I64 && t.total_ns < 0)
		abort();
	return 0;
}
