/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/labels.h"

#include "base/num.h"
#include "base/utf8.h"
#include "codec/json_write.h"

#include <string.h>

/* 2^53: what every reader of JSON holds exactly. */
#define EXACT_MAX (INT64_C(1) << 53)

static size_t
key_length(const char *item)
{
	const char *eq = strchr(item, '=');

	return eq == NULL ? 0 : (size_t)(eq - item);
}

static bool
repeated(const struct tape_opt_list *items, size_t at)
{
	size_t n = key_length(items->items[at]);

	for (size_t i = 0; i < at; i++)
		if (key_length(items->items[i]) == n &&
		    memcmp(items->items[i], items->items[at], n) == 0)
			return true;
	return false;
}

static void
write_value(struct tape_json_writer *w, const char *key, const char *value)
{
	int64_t number;

	if (tape_num_i64(value, -EXACT_MAX, EXACT_MAX, &number, NULL) ==
	    TAPE_OK)
		tape_json_write_i64(w, key, number);
	else
		tape_json_write_cstr(w, key, value);
}

enum tape_status
tape_labels_join(const struct tape_opt_list *items, struct tape_buf *out,
    struct tape_err *err)
{
	struct tape_json_writer w;
	char key[128];

	if (items->count == 0)
		return TAPE_OK;
	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	for (size_t i = 0; i < items->count; i++) {
		const char *item = items->items[i];
		size_t n = key_length(item);

		if (n == 0 || n >= sizeof(key))
			return tape_err_set(err, TAPE_E_USAGE,
			    "'%.60s' is not of the form K=V", item);
		if (repeated(items, i))
			return tape_err_set(err, TAPE_E_USAGE,
			    "'%.*s' is given twice", (int)n, item);
		if (!tape_utf8_valid(item, strlen(item)))
			return tape_err_set(
			    err, TAPE_E_USAGE, "a label is not UTF-8");
		memcpy(key, item, n);
		key[n] = '\0';
		write_value(&w, key, item + n + 1);
	}
	tape_json_write_object_end(&w);
	return tape_json_write_finish(&w, err);
}
