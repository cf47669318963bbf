/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api.h"

#include "api/api_table.h"

static const struct tape_api *const table[] = {
	&tape_api_chat,
	&tape_api_completions,
	&tape_api_responses,
	&tape_api_messages,
	&tape_api_gemini,
	&tape_api_cohere,
	&tape_api_huggingface_generate,
	&tape_api_ollama,
	&tape_api_ollama_generate,
	&tape_api_llamacpp,
	&tape_api_sglang,
	&tape_api_triton_generate,
	&tape_api_bedrock,
	&tape_api_embeddings,
	&tape_api_chat_embeddings,
	&tape_api_nim_embeddings,
	&tape_api_nim_rankings,
	&tape_api_cohere_rankings,
	&tape_api_hf_tei_rankings,
	&tape_api_kserve_infer,
	&tape_api_image_generation,
	&tape_api_solido_rag,
	&tape_api_audio_transcription,
	&tape_api_replicate,
	&tape_api_raw,
	&tape_api_template,
};

#define COUNT (sizeof(table) / sizeof(table[0]))

const struct tape_api *
tape_api_at(size_t i)
{
	return i < COUNT ? table[i] : NULL;
}

const struct tape_api *
tape_api_find(struct tape_str name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (tape_str_is(name, table[i]->name))
			return table[i];
	return NULL;
}

const char *
tape_api_endpoint(const struct tape_api *api, bool stream)
{
	return stream && api->stream_path != NULL ? api->stream_path
						  : api->path;
}

/* RFC 3986: all but the unreserved characters.  A slash stays, as models are
   named owner/name and servers take the path's rest. */
static void
add_encoded(struct tape_buf *out, struct tape_str text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";

	for (size_t i = 0; i < text.len; i++)
		if (memchr(plain, text.p[i], sizeof(plain) - 1) != NULL)
			(void)tape_buf_add_char(out, text.p[i]);
		else
			(void)tape_buf_add_fmt(
			    out, "%%%02X", (unsigned char)text.p[i]);
}

enum tape_status
tape_api_path(const struct tape_api *api, const struct tape_api_ask *ask,
    struct tape_buf *out, bool *own, struct tape_err *err)
{
	const struct tape_input *in = ask->input;
	const char *path = tape_api_endpoint(api, ask->stream);
	const char *slot = strstr(path, TAPE_API_MODEL_SLOT);

	*own = in->body.p == NULL || in->path.p == NULL ||
	       tape_str_is(in->path, path);
	if (!*own) {
		(void)tape_buf_add(out, in->path.p, in->path.len);
	} else if (slot == NULL) {
		(void)tape_buf_add_str(out, path);
	} else {
		if (ask->model.p == NULL)
			return tape_err_set(err, TAPE_E_USAGE,
			    "the path of --api %s has the model's name in it: "
			    "give --model",
			    api->name);
		(void)tape_buf_add(out, path, (size_t)(slot - path));
		add_encoded(out, ask->model);
		(void)tape_buf_add_str(
		    out, slot + sizeof(TAPE_API_MODEL_SLOT) - 1);
	}
	return tape_buf_status(out, err);
}
