/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_dialect.h"

#include "base/dec.h"

#include <string.h>

static const struct tape_serve_dialect *const table[] = {
	&tape_serve_chat,
	&tape_serve_completions,
	&tape_serve_responses,
	&tape_serve_anthropic,
	&tape_serve_gemini,
	&tape_serve_cohere,
	&tape_serve_hf,
	&tape_serve_ollama_chat,
	&tape_serve_ollama_generate,
	&tape_serve_llamacpp,
	&tape_serve_sglang,
	&tape_serve_triton,
};

/* True when the path is of that form; sets what stands for the model. */
static bool
is_of(const char *form, const char *path, struct tape_str *model)
{
	static const char slot[] = "{model}";
	const char *at = strstr(form, slot);
	size_t before, behind, len = strlen(path);

	*model = (struct tape_str){ NULL, 0 };
	if (at == NULL)
		return strcmp(form, path) == 0;
	before = (size_t)(at - form);
	behind = strlen(at) - (sizeof(slot) - 1);
	if (len <= before + behind || strncmp(form, path, before) != 0 ||
	    strcmp(at + sizeof(slot) - 1, path + len - behind) != 0)
		return false;
	*model = tape_str_make(path + before, len - before - behind);
	return true;
}

struct tape_serve_asked
tape_serve_dialect_of(const char *path)
{
	struct tape_serve_asked a = { .dialect = NULL };
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		a.dialect = table[i];
		if (is_of(table[i]->path, path, &a.model))
			return a;
		a.stream = table[i]->stream_path != NULL &&
			   is_of(table[i]->stream_path, path, &a.model);
		if (a.stream)
			return a;
	}
	a.dialect = NULL;
	return a;
}

void
tape_serve_add_u64(struct tape_buf *b, uint64_t v)
{
	char digits[TAPE_DEC_TEXT];

	(void)tape_buf_add(b, digits, tape_dec_put_u64(v, digits));
}

void
tape_serve_add_count(struct tape_buf *b, const char *key, uint64_t v)
{
	TAPE_SERVE_ADD(b, "\"");
	(void)tape_buf_add_str(b, key);
	TAPE_SERVE_ADD(b, "\":");
	tape_serve_add_u64(b, v);
}
