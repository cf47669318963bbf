/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * llama.cpp's own /completion.  Counts stand in every event; the last one has
 * stop, the reason and the server's times.
 */
#include "api/api_body.h"
#include "api/api_grown.h"
#include "api/api_made.h"
#include "api/api_table.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_head(b, err);

	if (st == TAPE_OK)
		st = tape_api_body_input(b, "prompt", "prompt", err);
	if (st != TAPE_OK)
		return st;
	tape_api_body_end(b, "n_predict");
	return TAPE_OK;
}

enum {
	INDEX,
	CONTENT,
	REASONING,
	STOP,
	STOP_TYPE,
	EOS, /* as servers of before 2025 say it */
	LIMIT,
	WORD,
	PREDICTED,
	EVALUATED,
	TIMINGS,
	ERROR,
	SLOTS
};

/* Counts are of one choice each, but all have the prompt. */
static enum tape_status
read_counts(struct tape_api_state *s, const struct tape_api_slot in[SLOTS],
    int64_t choice, struct tape_err *err)
{
	struct tape_api_slot timing = { .name = "cache_n" };
	int64_t n, sum;
	enum tape_status st;

	st = tape_api_slots_within(s, &in[TIMINGS], &timing, 1, err);
	if (st != TAPE_OK)
		return st;
	tape_api_made_add(s, TAPE_API_MADE_USAGE, &in[EVALUATED], 1);
	tape_api_made_add(s, TAPE_API_MADE_USAGE, &timing, 1);
	if (tape_api_slot_i64(&in[PREDICTED], &n)) {
		st = tape_api_add_count(s, choice, n, &sum, err);
		if (st == TAPE_OK)
			tape_api_made_i64(
			    s, TAPE_API_MADE_USAGE, in[PREDICTED].name, sum);
	}
	if (st == TAPE_OK)
		st = tape_api_made_usage(s, err);
	if (st == TAPE_OK && in[TIMINGS].type == TAPE_JSON_OBJECT)
		tape_api_take_timing(s, "timings", in[TIMINGS].raw);
	return st;
}

static enum tape_status
read_stop(struct tape_api_state *s, const struct tape_api_slot in[SLOTS],
    struct tape_err *err)
{
	static const struct {
		int slot;
		const char *reason;
	} old[] = { { EOS, "eos" }, { LIMIT, "limit" }, { WORD, "word" } };

	if (in[STOP].type != TAPE_JSON_TRUE)
		return TAPE_OK;
	s->done = true;
	for (size_t i = 0; i < 3; i++)
		if (in[old[i].slot].type == TAPE_JSON_TRUE)
			tape_api_add_finish(
			    s, old[i].reason, strlen(old[i].reason));
	return tape_api_slot_finish(s, &in[STOP_TYPE], err);
}

static enum tape_status
read_slots(struct tape_api_state *s, struct tape_str data,
    struct tape_api_slot in[SLOTS], struct tape_err *err)
{
	static const char *const names[SLOTS] = { "index", "content",
		"reasoning_content", "stop", "stop_type", "stopped_eos",
		"stopped_limit", "stopped_word", "tokens_predicted",
		"tokens_evaluated", "timings", "error" };
	enum tape_status st;

	for (size_t i = 0; i < SLOTS; i++)
		in[i].name = names[i];
	st = tape_api_slots_read(s, data, in, SLOTS, err);
	return st == TAPE_OK ? tape_api_slot_error(s, &in[ERROR], err) : st;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[SLOTS] = { 0 };
	struct tape_api_choice *c;
	enum tape_status st;

	st = read_slots(s, data, in, err);
	if (st != TAPE_OK || in[CONTENT].type != TAPE_JSON_STRING)
		return st;
	c = tape_api_choice_begin(s, err);
	if (c == NULL)
		return TAPE_E_NOMEM;
	s->malformed = !tape_api_slot_index(&in[INDEX], &c->index);
	st = tape_api_slot_text(s, TAPE_API_CONTENT, &in[CONTENT], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(
		    s, TAPE_API_REASONING, &in[REASONING], err);
	if (st == TAPE_OK)
		st = read_stop(s, in, err);
	if (st != TAPE_OK || s->malformed)
		return st;
	return read_counts(s, in, c->index, err);
}

/* An object, or a list of them when several were asked for. */
static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_slots_each(d, read_event, body, err);
}

const struct tape_api tape_api_llamacpp = {
	.name = "llamacpp",
	.path = "/completion",
	.render = render,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = decode_body,
};
