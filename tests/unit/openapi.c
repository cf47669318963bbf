/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/openapi.h"

#include "unit/tap.h"

#define CHAT "/v1/chat/completions"

/* As FastAPI writes it, shortened. */
#define DOC                                                                    \
 "{\"openapi\":\"3.1.0\",\"paths\":{\"/health\":{\"get\":{}},\"" CHAT          \
 "\":{\"post\":{\"requestBody\":{\"content\":{\"application/json\":{"          \
 "\"schema\":{\"$ref\":\"#/components/schemas/ChatCompletionRequest\"}}},"     \
 "\"required\":true}}},\"/inline\":{\"post\":{\"requestBody\":{\"content\":"   \
 "{\"application/json\":{\"schema\":{\"properties\":{\"a\":{}}}}}}}}},"        \
 "\"components\":{\"schemas\":{\"Other\":{\"properties\":{\"x\":{}}},"         \
 "\"ChatCompletionRequest\":{\"properties\":{\"messages\":{\"items\":{}},"     \
 "\"top_k\":{\"type\":\"integer\"}},\"type\":\"object\"}}}}"

static struct tape_str
properties(const char *doc, const char *path)
{
	return tape_openapi_properties(tape_str_of(doc), path);
}

static void
test_found(void)
{
	struct tape_str p = properties(DOC, CHAT);

	ok(tape_openapi_has(p, tape_str_of("messages")), "a field");
	ok(tape_openapi_has(p, tape_str_of("top_k")), "another");
	ok(!tape_openapi_has(p, tape_str_of("items")), "not inside of one");
	ok(!tape_openapi_has(p, tape_str_of("x")), "nor of another schema");
	ok(!tape_openapi_has(p, tape_str_of("top")), "nor half a name");
	p = properties(DOC, "/inline");
	ok(tape_openapi_has(p, tape_str_of("a")), "a schema without reference");
}

static void
test_none(void)
{
	static const char *const docs[] = { "", "{", "[]", "<html>", "null",
		"{\"paths\":1}", "{\"paths\":{\"" CHAT "\":{\"get\":{}}}}",
		"{\"paths\":{\"" CHAT "\":{\"post\":{\"requestBody\":{"
		"\"content\":{\"application/json\":{\"schema\":{\"$ref\":"
		"\"#/components/schemas/Gone\"}}}}}}}}",
		"{\"paths\":{\"" CHAT "\":{\"post\":{\"requestBody\":{"
		"\"content\":{\"application/json\":{\"schema\":{\"$ref\":"
		"\"http://elsewhere/\"}}}}}}}}",
		"{\"paths\":{\"" CHAT "\":{\"post\":{\"requestBody\":{"
		"\"content\":{\"application/json\":{\"schema\":{\"$ref\":1}"
		"}}}}}}}" };

	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++)
		ok(properties(docs[i], CHAT).p == NULL, "nothing in %s",
		    docs[i]);
	ok(properties(DOC, "/health").p == NULL, "a path without a body");
	ok(tape_openapi_properties(tape_str_make(NULL, 0), CHAT).p == NULL,
	    "no document");
}

int
main(void)
{
	test_found();
	test_none();
	return done_testing();
}
