/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_log.h"

#include "base/fdio.h"
#include "base/utf8.h"
#include "codec/json_write.h"

#include <inttypes.h>
#include <stdio.h>

#define PATH_BYTES ((size_t)256) /* of a path that are kept */

void
tape_serve_entry_init(struct tape_serve_entry *e)
{
	*e = (struct tape_serve_entry){
		.outcome = "",
		.path = tape_str_of(""),
		.t_in_ns = TAPE_ABSENT_I64,
		.due_first_ns = TAPE_ABSENT_I64,
		.t_first_ns = TAPE_ABSENT_I64,
		.due_last_ns = TAPE_ABSENT_I64,
		.t_last_ns = TAPE_ABSENT_I64,
		.t_end_ns = TAPE_ABSENT_I64,
		.late_max_ns = TAPE_ABSENT_I64,
	};
}

void
tape_serve_entry_set_id(struct tape_serve_entry *e, const char *id)
{
	size_t i;

	(void)snprintf(e->id, sizeof(e->id), "%" PRIu64, e->n);
	if (id == NULL || id[0] == '\0' || strlen(id) > TAPE_SERVE_ID)
		return;
	for (i = 0; id[i] != '\0'; i++)
		if (id[i] < ' ' || id[i] > '~')
			return;
	memcpy(e->id, id, i + 1);
}

static void
add_time(struct tape_json_writer *w, const char *key, int64_t ns)
{
	if (ns != TAPE_ABSENT_I64)
		tape_json_write_i64(w, key, ns);
}

static void
add_model(struct tape_json_writer *w, const struct tape_serve_entry *e)
{
	tape_json_write_bool(w, "stream", e->stream);
	tape_json_write_u64(w, "prompt_tokens", e->prompt_tokens);
	tape_json_write_u64(w, "cached_tokens", e->cached_tokens);
	tape_json_write_u64(w, "output_tokens", e->output_tokens);
	tape_json_write_u64(w, "events", e->events);
}

/* A path is the client's text: it may be no UTF-8, and long. */
static void
add_path(struct tape_json_writer *w, struct tape_str path)
{
	struct tape_buf b;
	size_t n = path.len < PATH_BYTES ? path.len : PATH_BYTES;

	tape_buf_init(&b, 3 * PATH_BYTES);
	if (tape_utf8_repair(&b, path.p, n) == TAPE_OK)
		tape_json_write_str(w, "path", b.data, b.len);
	tape_buf_release(&b);
}

enum tape_status
tape_serve_log_write(int fd, const struct tape_serve_entry *e,
    struct tape_buf *scratch, struct tape_err *err)
{
	struct tape_json_writer w;
	enum tape_status st;

	tape_buf_clear(scratch);
	tape_json_write_init(&w, scratch);
	tape_json_write_object(&w, NULL);
	tape_json_write_cstr(&w, "id", e->id);
	tape_json_write_u64(&w, "n", e->n);
	tape_json_write_u64(&w, "conn", e->conn);
	add_path(&w, e->path);
	if (e->status != 0)
		tape_json_write_i64(&w, "status", e->status);
	tape_json_write_cstr(&w, "outcome", e->outcome);
	if (e->model)
		add_model(&w, e);
	add_time(&w, "t_in_ns", e->t_in_ns);
	add_time(&w, "due_first_ns", e->due_first_ns);
	add_time(&w, "t_first_ns", e->t_first_ns);
	add_time(&w, "due_last_ns", e->due_last_ns);
	add_time(&w, "t_last_ns", e->t_last_ns);
	add_time(&w, "t_end_ns", e->t_end_ns);
	add_time(&w, "late_max_ns", e->late_max_ns);
	tape_json_write_object_end(&w);
	st = tape_json_write_finish(&w, err);
	if (st == TAPE_OK && tape_buf_add_char(scratch, '\n') != TAPE_OK)
		st = tape_buf_status(scratch, err);
	return st == TAPE_OK
		   ? tape_fdio_write(fd, scratch->data, scratch->len, err)
		   : st;
}
