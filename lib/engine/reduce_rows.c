/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_rows.h"

#include "codec/json_write.h"
#include "record/schema.h"

size_t
tape_reduce_rows(const struct tape_reduce_outside *o)
{
	return o->set.n;
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

enum tape_status
tape_reduce_row(const struct tape_reduce_outside *o, size_t i,
    struct tape_summary *row, struct tape_buf *text, struct tape_err *err)
{
	const struct tape_observed *seen = &o->set.v[i];
	enum tape_status st = write_group(seen, text, err);

	if (st != TAPE_OK)
		return st;
	tape_schema_init(TAPE_KIND_SUMMARY, row);
	row->run = seen->run;
	row->arm = seen->arm;
	row->round = seen->round;
	row->position = seen->position;
	row->group = tape_str_make(text->data, text->len);
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
	return TAPE_OK;
}
