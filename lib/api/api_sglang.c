/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SGLang's own /generate.  An event repeats the text so far, unless the server
 * was told to send pieces; meta_info has counts, times and the reason to stop.
 */
#include "api/api_grown.h"
#include "api/api_made.h"
#include "api/api_nest.h"
#include "api/api_table.h"

static const char *const inside[] = { "temperature", "top_p", "top_k", "min_p",
	"max_new_tokens", "min_new_tokens", "stop", "stop_token_ids",
	"stop_regex", "frequency_penalty", "presence_penalty",
	"repetition_penalty", "ignore_eos", "n", "json_schema", "regex", "ebnf",
	"structural_tag", "skip_special_tokens",
	"spaces_between_special_tokens", "no_stop_trim", "logit_bias",
	"stream_interval", "sampling_seed", "custom_params", NULL };
static const struct tape_api_nest nest = { "sampling_params", inside, true };

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	char number[TAPE_API_NUMBER];
	struct tape_api_inner own;
	enum tape_status st;
	bool any;

	st = tape_api_body_input(b, "text", "input_ids", err);
	if (st != TAPE_OK)
		return st;
	any = tape_api_nest_length(b, "max_new_tokens", number, &own);
	st = tape_api_body_nest(b, &nest, &own, any, err);
	if (st == TAPE_OK && b->ask->stream)
		tape_api_body_raw(b, "stream", tape_str_of("true"));
	return st;
}

enum { CACHED, PROMPT, TIMES = 2, COMPLETION = 9, FINISH, META_SLOTS };

static const char *const meta_names[META_SLOTS] = { "cached_tokens",
	"prompt_tokens", "e2e_latency", "queue_time", "inference_time",
	"prefill_launch_latency", "decode_throughput", "request_received_ts",
	"response_sent_to_client_ts", "completion_tokens", "finish_reason" };

/* Answers of one choice each, whose counts of output add up. */
static enum tape_status
read_counts(struct tape_api_state *s,
    const struct tape_api_slot meta[META_SLOTS], int64_t choice,
    struct tape_err *err)
{
	int64_t n, sum;
	enum tape_status st = TAPE_OK;

	tape_api_made_add(s, TAPE_API_MADE_USAGE, &meta[PROMPT], 1);
	if (tape_api_slot_i64(&meta[COMPLETION], &n)) {
		st = tape_api_add_count(s, choice, n, &sum, err);
		tape_api_made_i64(
		    s, TAPE_API_MADE_USAGE, meta_names[COMPLETION], sum);
	}
	tape_api_made_add(s, TAPE_API_MADE_USAGE, &meta[CACHED], 1);
	tape_api_made_add(
	    s, TAPE_API_MADE_TIMING, &meta[TIMES], COMPLETION - TIMES);
	if (st == TAPE_OK)
		st = tape_api_made_usage(s, err);
	return st == TAPE_OK ? tape_api_made_timing(s, "meta_info", err) : st;
}

/* A reason, or {"type":reason,"message":...}; an abort is a failure. */
static enum tape_status
read_finish(struct tape_api_state *s, const struct tape_api_slot *finish,
    bool *final, struct tape_err *err)
{
	struct tape_api_slot in[] = { { .name = "type" },
		{ .name = "message" } };
	enum tape_status st;

	*final = finish->type == TAPE_JSON_OBJECT ||
		 finish->type == TAPE_JSON_STRING;
	st = tape_api_slot_finish(s, finish, err);
	if (st == TAPE_OK)
		st = tape_api_slots_within(s, finish, in, 2, err);
	if (st == TAPE_OK)
		st = tape_api_slot_finish(s, &in[0], err);
	if (st != TAPE_OK || !tape_api_slot_is(&in[0], "abort"))
		return st;
	tape_api_add_error(s, "abort", 5);
	return tape_api_slot_error(s, &in[1], err);
}

enum { INDEX, TEXT, META, ERROR, SLOTS };

static enum tape_status
read_answer(struct tape_api_state *s, struct tape_api_slot in[SLOTS],
    struct tape_api_choice *c, struct tape_err *err)
{
	struct tape_api_slot meta[META_SLOTS] = { 0 };
	const int64_t choice = c->index;
	bool final;
	enum tape_status st;

	for (size_t i = 0; i < META_SLOTS; i++)
		meta[i].name = meta_names[i];
	st = tape_api_slots_within(s, &in[META], meta, META_SLOTS, err);
	if (st == TAPE_OK)
		st = read_finish(s, &meta[FINISH], &final, err);
	if (st == TAPE_OK)
		st = read_counts(s, meta, choice, err);
	return st == TAPE_OK ? tape_api_slot_grown(s, &in[TEXT],
				   TAPE_API_GROWTH_WHOLE, final, err)
			     : st;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[SLOTS] = { { .name = "index" },
		{ .name = "text" }, { .name = "meta_info" },
		{ .name = "error" } };
	struct tape_api_choice *c;
	enum tape_status st;

	st = tape_api_slots_read(s, data, in, SLOTS, err);
	if (st == TAPE_OK)
		st = tape_api_slot_error(s, &in[ERROR], err);
	if (st != TAPE_OK || (in[TEXT].type != TAPE_JSON_STRING &&
				 in[META].type != TAPE_JSON_OBJECT))
		return st;
	c = tape_api_choice_begin(s, err);
	if (c == NULL)
		return TAPE_E_NOMEM;
	s->malformed =
	    s->malformed || !tape_api_slot_index(&in[INDEX], &c->index);
	return s->malformed ? TAPE_OK : read_answer(s, in, c, err);
}

/* An object, or a list of them when several were asked for. */
static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_slots_each(d, read_event, body, err);
}

const struct tape_api tape_api_sglang = {
	.name = "sglang",
	.path = "/generate",
	.render = render,
	.read = read_event,
	.decode = tape_api_grown_decode,
	.decode_body = decode_body,
};
