/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/prov.h"

#include "codec/json.h"
#include "codec/json_write.h"

#include <stdio.h>

#define ID_ROOM 24

/*
 * Copies the entries of a chain into w, counting them; *last is the id of the
 * last one that has an id.
 */
static enum tape_status
copy_chain(struct tape_json_writer *w, struct tape_json *json,
    struct tape_str chain, size_t *count, struct tape_err *err)
{
	struct tape_json_token tok;
	const char *raw;
	size_t len;
	enum tape_status st;

	tape_json_open(json, chain.p, chain.len, TAPE_JSON_OURS);
	st = tape_json_expect(json, TAPE_JSON_ARRAY, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		if (tok.type != TAPE_JSON_OBJECT)
			return tape_err_set(err, TAPE_E_FORMAT,
			    "an entry of \"prov\" is not an object");
		st = tape_json_skip(json, &raw, &len, err);
		if (st == TAPE_OK)
			tape_json_write_raw(w, NULL, raw, len);
		++*count;
	}
	return st == TAPE_OK ? tape_json_end(json, err) : st;
}

static void
write_optional(struct tape_json_writer *w, const char *key, const char *value)
{
	if (value != NULL)
		tape_json_write_cstr(w, key, value);
}

static void
write_entry(struct tape_json_writer *w, const struct tape_prov *e, size_t older)
{
	char id[ID_ROOM];

	tape_json_write_object(w, NULL);
	(void)snprintf(id, sizeof(id), "p%zu", older + 1);
	tape_json_write_cstr(w, "id", id);
	if (older > 0) {
		(void)snprintf(id, sizeof(id), "p%zu", older);
		tape_json_write_array(w, "from");
		tape_json_write_cstr(w, NULL, id);
		tape_json_write_array_end(w);
	}
	tape_json_write_cstr(w, "tool", e->tool);
	tape_json_write_cstr(w, "version", e->version);
	tape_json_write_array(w, "argv");
	for (size_t i = 0; i < e->argc; i++)
		tape_json_write_cstr(w, NULL, e->argv[i]);
	tape_json_write_array_end(w);
	write_optional(w, "host", e->host);
	write_optional(w, "started", e->started);
	write_optional(w, "libs", e->libs);
	write_optional(w, "input", e->input);
	tape_json_write_object_end(w);
}

enum tape_status
tape_prov_append(struct tape_buf *out, struct tape_str chain,
    const struct tape_prov *entry, struct tape_err *err)
{
	struct tape_json_writer w;
	struct tape_json json;
	enum tape_status st = TAPE_OK, fin;
	size_t older = 0;

	tape_json_init(&json);
	tape_json_write_init(&w, out);
	tape_json_write_array(&w, NULL);
	if (chain.p != NULL && chain.len > 0)
		st = copy_chain(&w, &json, chain, &older, err);
	write_entry(&w, entry, older);
	tape_json_write_array_end(&w);
	fin = tape_json_write_finish(&w, err);
	tape_json_release(&json);
	return st != TAPE_OK ? st : fin;
}
