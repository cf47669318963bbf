/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/server_times.h"

#include "base/clock.h"
#include "codec/json.h"

#define AT(field) offsetof(struct tape_server_times, field)
#define S         1e9
#define MS        1e6
#define NS        1.0
#define MAX_NS    0x1p53
#define DEPTH     3 /* of the names of a member, and more */

static const struct {
	const char *path[DEPTH]; /* from usage, or in server_timing */
	size_t at;
	double unit_ns;
} table[] = {
	/* llama.cpp: times of the tokens that were worked on, so without those
	   that a cache had. */
	{ { "timings", "prompt_ms" }, AT(prefill_ns), MS },
	{ { "timings", "predicted_ms" }, AT(decode_ns), MS },
	/* Groq, first in x_groq alone, then in the usage as well; its
	   total_time is without the queue. */
	{ { "x_groq", "usage", "queue_time" }, AT(queue_ns), S },
	{ { "x_groq", "usage", "prompt_time" }, AT(prefill_ns), S },
	{ { "x_groq", "usage", "completion_time" }, AT(decode_ns), S },
	{ { "usage", "queue_time" }, AT(queue_ns), S },
	{ { "usage", "prompt_time" }, AT(prefill_ns), S },
	{ { "usage", "completion_time" }, AT(decode_ns), S },
	/* Cerebras */
	{ { "time_info", "queue_time" }, AT(queue_ns), S },
	{ { "time_info", "prompt_time" }, AT(prefill_ns), S },
	{ { "time_info", "completion_time" }, AT(decode_ns), S },
	{ { "time_info", "total_time" }, AT(total_ns), S },
	/* Azure: ttlt is to the last token; of the service, not the engine. */
	{ { "latency_checkpoint", "service_ttft_ms" }, AT(ttft_ns), MS },
	{ { "latency_checkpoint", "service_ttlt_ms" }, AT(total_ns), MS },
	/* GPUStack */
	{ { "usage", "time_to_first_token_ms" }, AT(ttft_ns), MS },
	/* Ollama */
	{ { "durations", "load_duration" }, AT(load_ns), NS },
	{ { "durations", "prompt_eval_duration" }, AT(prefill_ns), NS },
	{ { "durations", "eval_duration" }, AT(decode_ns), NS },
	{ { "durations", "total_duration" }, AT(total_ns), NS },
	/* SGLang */
	{ { "meta_info", "queue_time" }, AT(queue_ns), S },
	{ { "meta_info", "e2e_latency" }, AT(total_ns), S },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

/* The names of the member in hand, from the outermost. */
struct walk {
	struct tape_str name[DEPTH];
	struct tape_server_times *out;
	int64_t first_ns, last_ns; /* wall clock of created_at; absent */
};

static bool
is_at(const struct walk *w, size_t row, unsigned depth)
{
	for (unsigned i = 0; i < DEPTH; i++) {
		const char *want = table[row].path[i];

		if (i >= depth)
			return want == NULL;
		if (want == NULL || !tape_str_is(w->name[i], want))
			return false;
	}
	return depth == DEPTH;
}

static void
take(struct walk *w, unsigned depth, double value)
{
	for (size_t i = 0; i < ROWS; i++) {
		const double ns = value * table[i].unit_ns;
		int64_t n;

		if (!is_at(w, i, depth) || !(ns >= 0) || ns > MAX_NS)
			continue;
		n = (int64_t)(ns + 0.5);
		memcpy((char *)w->out + table[i].at, &n, sizeof(n));
	}
}

/* The wall clock of the first and the last event with tokens. */
static void
take_time(struct walk *w, const struct tape_json_token *tok)
{
	int64_t *ns =
	    tape_str_is(w->name[1], "first") ? &w->first_ns : &w->last_ns;
	char text[TAPE_CLOCK_ISO];

	if (!tape_str_is(w->name[0], "created_at") || tok->len >= sizeof(text))
		return;
	memcpy(text, tok->str, tok->len);
	text[tok->len] = '\0';
	if (tape_clock_parse_iso(text, ns, NULL) != TAPE_OK)
		*ns = TAPE_ABSENT_I64;
}

/* A name lives as long as the text if it has no escapes, and none of the
   table's has: others are no name of it. */
static struct tape_str
name_of(const struct tape_json_token *tok, struct tape_str json)
{
	if (tok->key < json.p || tok->key >= json.p + json.len)
		return tape_str_make(NULL, 0);
	return tape_str_make(tok->key, tok->key_len);
}

/* Reads the numbers of an object whose members are named from w->name[base]
   on. */
static void
read_object(struct walk *w, struct tape_str json, unsigned base)
{
	struct tape_json r;
	struct tape_json_token tok;

	if (json.p == NULL)
		return;
	tape_json_init(&r);
	tape_json_open(&r, json.p, json.len, TAPE_JSON_FOREIGN);
	while (tape_json_next(&r, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_END) {
		/* The text's own braces are at depth 0. */
		const unsigned depth = base + tok.depth;

		if (tok.depth == 0 || tok.key == NULL)
			continue;
		if (tok.type == TAPE_JSON_ARRAY || depth > DEPTH) {
			if (tape_json_skip(&r, NULL, NULL, NULL) != TAPE_OK)
				break;
			continue;
		}
		w->name[depth - 1] = name_of(&tok, json);
		if (tok.type == TAPE_JSON_INT || tok.type == TAPE_JSON_DOUBLE)
			take(w, depth, tok.num);
		else if (tok.type == TAPE_JSON_STRING && depth == 2)
			take_time(w, &tok);
	}
	tape_json_release(&r);
}

/* The sum of those that are known; absent when a is not. */
static int64_t
plus(int64_t a, int64_t b)
{
	return a == TAPE_ABSENT_I64 || b == TAPE_ABSENT_I64 ? a : a + b;
}

void
tape_server_times_read(struct tape_str server_timing, struct tape_str usage,
    struct tape_server_times *out)
{
	struct walk w = { .out = out,
		.first_ns = TAPE_ABSENT_I64,
		.last_ns = TAPE_ABSENT_I64 };

	*out = (struct tape_server_times){ TAPE_ABSENT_I64, TAPE_ABSENT_I64,
		TAPE_ABSENT_I64, TAPE_ABSENT_I64, TAPE_ABSENT_I64,
		TAPE_ABSENT_I64 };
	read_object(&w, server_timing, 0);
	w.name[0] = tape_str_of("usage");
	read_object(&w, usage, 1);
	if (out->decode_ns == TAPE_ABSENT_I64 &&
	    w.first_ns != TAPE_ABSENT_I64 && w.last_ns > w.first_ns)
		out->decode_ns = w.last_ns - w.first_ns;
	if (out->ttft_ns == TAPE_ABSENT_I64)
		out->ttft_ns =
		    plus(plus(out->prefill_ns, out->queue_ns), out->load_ns);
	if (out->total_ns == TAPE_ABSENT_I64 &&
	    out->decode_ns != TAPE_ABSENT_I64)
		out->total_ns = plus(out->ttft_ns, out->decode_ns);
}
