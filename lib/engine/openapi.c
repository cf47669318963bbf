/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/openapi.h"

#include "codec/json.h"

#define REFERENCE "#/components/schemas/"

/* The value of a member of the object in the text; absent when there is none,
   or the text is no object. */
static struct tape_str
member(struct tape_str object, struct tape_str key)
{
	struct tape_str value, found = { NULL, 0 };
	struct tape_json r;
	struct tape_json_token tok;
	enum tape_status st;

	if (object.p == NULL)
		return found;
	tape_json_init(&r);
	tape_json_open(&r, object.p, object.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, NULL);
	while (st == TAPE_OK && found.p == NULL) {
		bool is_it;

		st = tape_json_next(&r, &tok, NULL);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		is_it =
		    tape_str_equal(tape_str_make(tok.key, tok.key_len), key);
		st = tape_json_skip(&r, &value.p, &value.len, NULL);
		if (st == TAPE_OK && is_it)
			found = value;
	}
	tape_json_release(&r);
	return found;
}

static struct tape_str
descend(struct tape_str object, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++)
		object = member(object, tape_str_of(keys[i]));
	return object;
}

/* The schema that a reference names: in the document, and by a name that needs
   no escapes. */
static struct tape_str
follow(struct tape_str doc, struct tape_str reference)
{
	static const char *const keys[] = { "components", "schemas" };
	const size_t head = sizeof(REFERENCE) - 1;

	/* With the quotes of its JSON text. */
	if (reference.len < head + 2 ||
	    memcmp(reference.p + 1, REFERENCE, head) != 0)
		return tape_str_make(NULL, 0);
	return member(descend(doc, keys, 2),
	    tape_str_make(reference.p + 1 + head, reference.len - head - 2));
}

struct tape_str
tape_openapi_properties(struct tape_str doc, const char *path)
{
	const char *const keys[] = { "paths", path, "post", "requestBody",
		"content", "application/json", "schema" };
	struct tape_str schema =
	    descend(doc, keys, sizeof(keys) / sizeof(keys[0]));
	struct tape_str reference = member(schema, tape_str_of("$ref"));

	if (reference.p != NULL)
		schema = follow(doc, reference);
	return member(schema, tape_str_of("properties"));
}

bool
tape_openapi_has(struct tape_str properties, struct tape_str name)
{
	return member(properties, name).p != NULL;
}
