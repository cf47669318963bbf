/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/checks_probe.h"

#include "base/utf8.h"
#include "codec/json.h"

#include <stdlib.h>

#define LIST_CAP  ((size_t)TAPE_PROBE_MODELS * (TAPE_PROBE_MODEL_NAME + 2))
#define VALUE_MAX 64 /* bytes that are shown of a value */

/* Members that stay as long as the server does. */
static const char *const lasting[] = { "version", "build", "build_info",
	"revision", "commit", "git_commit", "model", "model_id", "model_path",
	"model_name", "instance", "instance_id", "pid", "started", "started_at",
	"start_time", "boot_time", "boot_id" };

static const char *const uptimes[] = { "uptime", "uptime_s", "uptime_seconds" };

void
tape_probe_models_init(struct tape_probe_models *models)
{
	models->n = 0;
	tape_buf_init(&models->list, LIST_CAP);
}

void
tape_probe_models_release(struct tape_probe_models *models)
{
	tape_buf_release(&models->list);
}

static void
add_model(struct tape_probe_models *models, const struct tape_json_token *tok)
{
	char *name = models->name[models->n];
	size_t n = tok->len;

	if (n >= TAPE_PROBE_MODEL_NAME)
		n = tape_utf8_cut(tok->str, TAPE_PROBE_MODEL_NAME - 1);
	memcpy(name, tok->str, n);
	name[n] = '\0';
	models->n++;
}

/* Its type and value are only of interest at one place of the document. */
static void
read_ids(struct tape_probe_models *models, struct tape_json *r)
{
	struct tape_json_token tok;
	bool data = false;

	while (tape_json_next(r, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_END) {
		if (tok.depth == 1)
			data = tok.type == TAPE_JSON_ARRAY &&
			       tape_json_key_is(&tok, "data");
		else if (data && tok.depth == 3 &&
			 tok.type == TAPE_JSON_STRING &&
			 tape_json_key_is(&tok, "id") &&
			 models->n < TAPE_PROBE_MODELS)
			add_model(models, &tok);
	}
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(a, b);
}

enum tape_status
tape_probe_models_read(struct tape_probe_models *models, struct tape_str body,
    struct tape_err *err)
{
	struct tape_json r;

	if (body.p == NULL)
		return TAPE_OK;
	tape_json_init(&r);
	tape_json_open(&r, body.p, body.len, TAPE_JSON_FOREIGN);
	read_ids(models, &r);
	tape_json_release(&r);
	qsort(models->name, models->n, sizeof(models->name[0]), by_bytes);
	for (size_t i = 0; i < models->n; i++) {
		(void)tape_buf_add_str(&models->list, i > 0 ? ", " : "");
		(void)tape_buf_add_str(&models->list, models->name[i]);
	}
	return tape_buf_status(&models->list, err);
}

bool
tape_probe_models_have(
    const struct tape_probe_models *models, struct tape_str name)
{
	for (size_t i = 0; i < models->n; i++) {
		const char *at = models->name[i];
		size_t n = strlen(at);

		n = n < name.len ? n : name.len;
		if (memcmp(at, name.p, n) == 0)
			return true;
	}
	return false;
}

/* Top-level members of one body. */
struct member {
	bool found;
	bool number;
	double num;
	char value[VALUE_MAX];
};

static void
find(struct tape_str body, const char *key, struct member *out)
{
	struct tape_json r;
	struct tape_json_token tok;
	size_t n;

	memset(out, 0, sizeof(*out));
	tape_json_init(&r);
	tape_json_open(&r, body.p, body.len, TAPE_JSON_FOREIGN);
	while (!out->found && tape_json_next(&r, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_END) {
		if (tok.depth != 1 || !tape_json_key_is(&tok, key) ||
		    tok.type == TAPE_JSON_OBJECT || tok.type == TAPE_JSON_ARRAY)
			continue;
		n = tok.raw_len < sizeof(out->value) - 1
			? tok.raw_len
			: tape_utf8_cut(tok.raw, sizeof(out->value) - 1);
		memcpy(out->value, tok.raw, n);
		out->found = true;
		out->number =
		    tok.type == TAPE_JSON_INT || tok.type == TAPE_JSON_DOUBLE;
		out->num = tok.num;
	}
	tape_json_release(&r);
}

void
tape_probe_health_compare(
    struct tape_str before, struct tape_str after, struct tape_buf *out)
{
	struct member a, b;

	if (before.p == NULL || after.p == NULL)
		return;
	for (size_t i = 0; i < sizeof(lasting) / sizeof(*lasting); i++) {
		find(before, lasting[i], &a);
		find(after, lasting[i], &b);
		if (a.found && b.found && strcmp(a.value, b.value) != 0)
			(void)tape_buf_add_fmt(out, "%s was %s and is %s; ",
			    lasting[i], a.value, b.value);
	}
	for (size_t i = 0; i < sizeof(uptimes) / sizeof(*uptimes); i++) {
		find(before, uptimes[i], &a);
		find(after, uptimes[i], &b);
		if (a.number && b.number && b.num < a.num)
			(void)tape_buf_add_fmt(out, "%s was %s and is %s; ",
			    uptimes[i], a.value, b.value);
	}
}

void
tape_probe_version(struct tape_str body, struct tape_buf *out)
{
	static const char *const keys[] = { "version", "build", "build_info",
		"revision", "commit", "git_commit" };
	struct member m;

	if (body.p == NULL)
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		find(body, keys[i], &m);
		if (m.found)
			(void)tape_buf_add_fmt(out, "%s%s %s",
			    out->len > 0 ? ", " : "", keys[i], m.value);
	}
}
