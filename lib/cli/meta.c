/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/meta.h"

#include "base/redact.h"
#include "base/utf8.h"
#include "codec/json_write.h"

static size_t
key_len(const char *item)
{
	return strcspn(item, "=");
}

static enum tape_status
check(const struct tape_opt_list *items, size_t i, struct tape_err *err)
{
	const char *item = items->items[i];
	size_t n = key_len(item);

	if (n == 0 || item[n] != '=')
		return tape_err_set(
		    err, TAPE_E_USAGE, "--meta '%s' is not K=V", item);
	if (!tape_utf8_valid(item, strlen(item)))
		return tape_err_set(err, TAPE_E_USAGE, "--meta is not UTF-8");
	if (n == strlen("server_cmd") && memcmp(item, "server_cmd", n) == 0)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--meta server_cmd is what --server-cmd sets");
	for (size_t k = 0; k < i; k++)
		if (key_len(items->items[k]) == n &&
		    memcmp(items->items[k], item, n) == 0)
			return tape_err_set(err, TAPE_E_USAGE,
			    "--meta %.*s is given twice", (int)n, item);
	return TAPE_OK;
}

/* The value, redacted together with its name, which may be what says that it
   is a secret. */
static void
put(struct tape_json_writer *w, const char *item, struct tape_buf *text)
{
	char key[256];
	size_t n = key_len(item);
	const char *value;

	tape_buf_clear(text);
	(void)tape_redact_text(tape_str_of(item), text);
	value = strchr(text->data, '=');
	value = value == NULL ? TAPE_REDACT_MARK : value + 1;
	n = n < sizeof(key) ? n : sizeof(key) - 1;
	memcpy(key, item, n);
	key[n] = '\0';
	tape_json_write_cstr(w, key, value);
}

enum tape_status
tape_meta_join(const struct tape_opt_list *items, const char *server_cmd,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_json_writer w;
	struct tape_buf text;
	enum tape_status st = TAPE_OK;

	if (items->count == 0 && server_cmd == NULL)
		return TAPE_OK;
	if (server_cmd != NULL &&
	    !tape_utf8_valid(server_cmd, strlen(server_cmd)))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--server-cmd is not UTF-8");
	tape_buf_init(&text, 1 << 20);
	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	for (size_t i = 0; i < items->count && st == TAPE_OK; i++) {
		st = check(items, i, err);
		if (st == TAPE_OK)
			put(&w, items->items[i], &text);
	}
	if (server_cmd != NULL) {
		tape_buf_clear(&text);
		(void)tape_redact_text(tape_str_of(server_cmd), &text);
		tape_json_write_cstr(&w, "server_cmd", text.data);
	}
	tape_json_write_object_end(&w);
	if (st == TAPE_OK)
		st = tape_buf_status(&text, err);
	if (st == TAPE_OK)
		st = tape_json_write_finish(&w, err);
	tape_buf_release(&text);
	return st;
}
