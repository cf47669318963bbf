/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_rows.h"

#include "codec/json_write.h"
#include "record/schema.h"

#define AT(f) offsetof(struct tape_engine, f)

/* The engine's numbers that are there, as values. */
static const struct {
	const char *name;
	const char *unit;
	size_t at;
	bool whole;
} numbers[] = {
	{ "engine_prefill_tokens", "tokens", AT(prefill_tokens), true },
	{ "engine_reused_tokens", "tokens", AT(reused_tokens), true },
	{ "engine_generated_tokens", "tokens", AT(generated_tokens), true },
	{ "engine_prefill_tokens_per_s", "per_s", AT(prefill_tokens_per_s),
	    false },
	{ "client_prefill_tokens_per_s", "per_s",
	    AT(client_prefill_tokens_per_s), false },
	{ "engine_decode_tokens_per_s", "per_s", AT(decode_tokens_per_s),
	    false },
	{ "client_decode_tokens_per_s", "per_s", AT(client_decode_tokens_per_s),
	    false },
	{ "acceptance_ratio", "ratio", AT(acceptance_ratio), false },
	{ "acceptance_length", "tokens", AT(acceptance_length_tokens), false },
	{ "peak_gpu_memory", "bytes", AT(peak_gpu_memory_bytes), true },
	{ "peak_cpu_memory", "bytes", AT(peak_cpu_memory_bytes), true },
};

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

static double
number(const struct tape_engine *e, size_t i)
{
	const void *at = (const char *)e + numbers[i].at;
	int64_t v;

	if (!numbers[i].whole)
		return *(const double *)at;
	v = *(const int64_t *)at;
	return v == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64 : (double)v;
}

size_t
tape_reduce_rows(const struct tape_reduce_outside *o)
{
	size_t n = o->set.n;

	for (size_t i = 0; o->native && i < NUMBERS; i++)
		if (!isnan(number(&o->engine, i)))
			n++;
	return n;
}

static void
add(struct tape_json_writer *w, const char *key, struct tape_str s)
{
	if (s.p != NULL)
		tape_json_write_str(w, key, s.p, s.len);
}

static enum tape_status
write_group(
    const struct tape_observed *o, struct tape_buf *text, struct tape_err *err)
{
	struct tape_json_writer w;

	tape_buf_clear(text);
	tape_json_write_init(&w, text);
	tape_json_write_object(&w, NULL);
	add(&w, "source", o->source);
	add(&w, "device", o->device);
	add(&w, "role", o->role);
	tape_json_write_object_end(&w);
	return tape_json_write_finish(&w, err);
}

static enum tape_status
device_row(const struct tape_observed *seen, struct tape_summary *row,
    struct tape_buf *text, struct tape_err *err)
{
	row->run = seen->run;
	row->arm = seen->arm;
	row->round = seen->round;
	row->position = seen->position;
	row->metric = seen->name;
	row->unit = seen->unit.p == NULL ? tape_str_of("") : seen->unit;
	row->n = seen->n;
	row->value =
	    seen->bits == TAPE_ABSENT_I64 ? seen->increase : (double)seen->bits;
	row->mean = seen->mean;
	row->min = seen->min;
	row->max = seen->max;
	row->window_start_ns = seen->window_start_ns;
	row->window_end_ns = seen->window_end_ns;
	return write_group(seen, text, err);
}

/* The nth number that is there. */
static enum tape_status
engine_row(const struct tape_engine *e, size_t n, struct tape_summary *row,
    struct tape_buf *text, struct tape_err *err)
{
	struct tape_observed as = { .source = e->source };
	size_t i = 0;

	while (isnan(number(e, i)) || n-- > 0)
		i++;
	row->run = e->run;
	row->arm = e->arm;
	row->round = e->round;
	row->position = e->position;
	row->metric = tape_str_of(numbers[i].name);
	row->unit = tape_str_of(numbers[i].unit);
	row->n = e->client_requests;
	row->value = number(e, i);
	if (strncmp(numbers[i].name, "acceptance", 10) == 0)
		as.source = e->acceptance;
	return write_group(&as, text, err);
}

enum tape_status
tape_reduce_row(const struct tape_reduce_outside *o, size_t i,
    struct tape_summary *row, struct tape_buf *text, struct tape_err *err)
{
	enum tape_status st;

	tape_schema_init(TAPE_KIND_SUMMARY, row);
	if (i < o->set.n)
		st = device_row(&o->set.v[i], row, text, err);
	else
		st = engine_row(&o->engine, i - o->set.n, row, text, err);
	row->group = tape_str_make(text->data, text->len);
	return st;
}
