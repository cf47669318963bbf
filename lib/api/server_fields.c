/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists: fields of request bodies, by server and dialect. */
#include "api/server_fields.h"

/* OpenAI's own, that all of these servers take. */
#define CHAT                                                                   \
 " messages model frequency_penalty logit_bias logprobs max_tokens"            \
 " max_completion_tokens n presence_penalty response_format seed stop stream"  \
 " stream_options temperature tool_choice tools top_logprobs top_p"
#define COMPLETIONS                                                            \
 " prompt model best_of echo frequency_penalty logit_bias logprobs max_tokens" \
 " n presence_penalty seed stop stream stream_options suffix temperature"      \
 " top_p user"

/* Sampling as vLLM has it, and TensorRT-LLM after it. */
#define SAMPLING                                                               \
 " use_beam_search top_k min_p repetition_penalty length_penalty"              \
 " stop_token_ids include_stop_str_in_output ignore_eos min_tokens"            \
 " skip_special_tokens spaces_between_special_tokens truncate_prompt_tokens"

#define VLLM                                                                   \
 SAMPLING                                                                      \
 " prompt_logprobs allowed_token_ids bad_words add_special_tokens guided_json" \
 " guided_regex guided_choice guided_grammar guided_decoding_backend"          \
 " guided_whitespace_pattern structural_tag structured_outputs priority"       \
 " request_id logits_processors return_tokens_as_token_ids return_token_ids"   \
 " cache_salt kv_transfer_params vllm_xargs repetition_detection"              \
 " prompt_embeds thinking_token_budget"

#define TEMPLATE                                                               \
 " echo add_generation_prompt continue_final_message documents chat_template"  \
 " chat_template_kwargs mm_processor_kwargs"

#define SGLANG                                                                 \
 " top_k min_p min_tokens regex ebnf json_schema repetition_penalty"           \
 " stop_token_ids stop_regex no_stop_trim ignore_eos skip_special_tokens"      \
 " lora_path session_params return_hidden_states rid priority extra_key"       \
 " cache_salt bootstrap_host bootstrap_port bootstrap_room"                    \
 " custom_logit_processor custom_params data_parallel_rank"                    \
 " return_routed_experts routed_dp_rank disagg_prefill_dp_rank"                \
 " return_cached_tokens_details"

#define TRTLLM                                                                 \
 SAMPLING                                                                      \
 " best_of top_p_min early_stopping prompt_ignore_length lora_request"         \
 " add_special_tokens disaggregated_params conversation_params priority"       \
 " thinking_token_budget"

#define LLAMACPP                                                               \
 " top_k min_p top_n_sigma xtc_probability xtc_threshold typical_p"            \
 " dynatemp_range dynatemp_exponent repeat_last_n repeat_penalty"              \
 " dry_multiplier dry_base dry_allowed_length dry_penalty_last_n"              \
 " dry_sequence_breakers mirostat mirostat_tau mirostat_eta grammar"           \
 " grammar_lazy grammar_triggers json_schema n_predict n_indent n_keep"        \
 " n_discard n_cmpl n_probs min_keep id_slot cache_prompt samplers ignore_eos" \
 " timings_per_token post_sampling_probs return_tokens return_progress"        \
 " t_max_predict_ms t_max_prompt_ms lora speculative.n_max"                    \
 " speculative.n_min speculative.p_min backend_sampling n_cache_reuse"

static const struct tape_server_fields table[] = {
	{ TAPE_SERVER_EDGE_LLM, "chat", TAPE_SERVER_ANSWERS_4XX,
	    CHAT " top_k min_p repetition_penalty parallel_tool_calls"
		 " guided_decoding modalities audio apply_chat_template"
		 " add_generation_prompt enable_thinking reasoning_effort"
		 " chat_template_kwargs disable_spec_decode reuse_context"
		 " cache_generated_tokens" },
	{ TAPE_SERVER_EDGE_LLM, "completions", TAPE_SERVER_ANSWERS_4XX,
	    " prompt model frequency_penalty logit_bias logprobs max_tokens n"
	    " presence_penalty stop stream stream_options temperature top_p"
	    " top_k ignore_eos" },
	{ TAPE_SERVER_VLLM, "chat", TAPE_SERVER_IGNORES,
	    CHAT VLLM TEMPLATE
	    " best_of user parallel_tool_calls reasoning_effort"
	    " include_reasoning media_io_kwargs min_thinking_tokens"
	    " max_thinking_tokens" },
	{ TAPE_SERVER_VLLM, "completions", TAPE_SERVER_IGNORES,
	    COMPLETIONS VLLM " response_format" },
	{ TAPE_SERVER_SGLANG, "chat", TAPE_SERVER_IGNORES,
	    CHAT SGLANG " user parallel_tool_calls reasoning_effort reasoning"
			" continue_final_message separate_reasoning"
			" stream_reasoning chat_template_kwargs"
			" return_prompt_token_ids return_meta_info" },
	{ TAPE_SERVER_SGLANG, "completions", TAPE_SERVER_IGNORES,
	    COMPLETIONS SGLANG " response_format" },
	{ TAPE_SERVER_TRTLLM, "chat", TAPE_SERVER_ANSWERS_4XX,
	    CHAT TRTLLM TEMPLATE
	    " prompt_token_ids user parallel_tool_calls reasoning_effort"
	    " thinking media_io_kwargs cache_salt agent_hierarchy" },
	{ TAPE_SERVER_TRTLLM, "completions", TAPE_SERVER_ANSWERS_4XX,
	    COMPLETIONS TRTLLM
	    " return_context_logits detokenize response_format" },
	{ TAPE_SERVER_LLAMACPP, "chat", TAPE_SERVER_IGNORES,
	    CHAT LLAMACPP " user parallel_tool_calls chat_template_kwargs"
			  " reasoning_format thinking_forced_open"
			  " parse_tool_calls add_generation_prompt"
			  " enable_thinking reasoning_effort" },
	{ TAPE_SERVER_LLAMACPP, "completions", TAPE_SERVER_IGNORES,
	    COMPLETIONS LLAMACPP " response_format" },
	{ TAPE_SERVER_TGI, "chat", TAPE_SERVER_IGNORES,
	    " messages model frequency_penalty logit_bias logprobs max_tokens n"
	    " presence_penalty response_format seed stop stream stream_options"
	    " temperature tool_choice tool_prompt tools top_logprobs top_p"
	    " guideline" },
	{ TAPE_SERVER_TGI, "completions", TAPE_SERVER_IGNORES,
	    " prompt model frequency_penalty max_tokens repetition_penalty"
	    " seed stop stream stream_options suffix temperature top_p" },
	{ TAPE_SERVER_OPENAI, "chat", TAPE_SERVER_ANSWERS_4XX,
	    CHAT " audio function_call functions metadata modalities"
		 " parallel_tool_calls prediction prompt_cache_key"
		 " prompt_cache_retention reasoning_effort safety_identifier"
		 " service_tier store user verbosity web_search_options" },
	{ TAPE_SERVER_OPENAI, "completions", TAPE_SERVER_ANSWERS_4XX,
	    COMPLETIONS },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

const struct tape_server_fields *
tape_server_fields_find(enum tape_server_kind server, const char *api)
{
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].server == server && strcmp(table[i].api, api) == 0)
			return &table[i];
	return NULL;
}

bool
tape_server_fields_has(
    const struct tape_server_fields *f, struct tape_str field)
{
	const char *p = f->fields;

	while (*p != '\0') {
		const char *word = p + 1; /* behind the space */
		const size_t n = strcspn(word, " ");

		if (n == field.len && memcmp(word, field.p, n) == 0)
			return true;
		p = word + n;
	}
	return false;
}

/* What is worth knowing about one that a server does not take. */
static const struct {
	enum tape_server_kind server;
	const char *api, *field, *text;
} hints[] = {
	{ TAPE_SERVER_EDGE_LLM, "chat", "ignore_eos",
	    "--api completions takes it" },
	{ TAPE_SERVER_EDGE_LLM, "completions", "seed", "--api chat takes it" },
};

const char *
tape_server_fields_hint(
    const struct tape_server_fields *f, struct tape_str field)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (hints[i].server == f->server &&
		    strcmp(hints[i].api, f->api) == 0 &&
		    tape_str_is(field, hints[i].field))
			return hints[i].text;
	return NULL;
}
