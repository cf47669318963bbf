/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_table: the dialects, for the table in api.c.
 */
#ifndef TAPE_API_API_TABLE_H
#define TAPE_API_API_TABLE_H

#include "api/api.h"

extern const struct tape_api tape_api_chat;
extern const struct tape_api tape_api_completions;
extern const struct tape_api tape_api_responses;
extern const struct tape_api tape_api_messages;
extern const struct tape_api tape_api_gemini;
extern const struct tape_api tape_api_cohere;
extern const struct tape_api tape_api_huggingface_generate;
extern const struct tape_api tape_api_ollama;
extern const struct tape_api tape_api_ollama_generate;
extern const struct tape_api tape_api_llamacpp;
extern const struct tape_api tape_api_sglang;
extern const struct tape_api tape_api_triton_generate;
extern const struct tape_api tape_api_bedrock;
extern const struct tape_api tape_api_embeddings;
extern const struct tape_api tape_api_chat_embeddings;
extern const struct tape_api tape_api_nim_embeddings;
extern const struct tape_api tape_api_nim_rankings;
extern const struct tape_api tape_api_cohere_rankings;
extern const struct tape_api tape_api_hf_tei_rankings;
extern const struct tape_api tape_api_kserve_infer;
extern const struct tape_api tape_api_image_generation;
extern const struct tape_api tape_api_solido_rag;
extern const struct tape_api tape_api_audio_transcription;
extern const struct tape_api tape_api_replicate;
extern const struct tape_api tape_api_raw;
extern const struct tape_api tape_api_template;

#endif
