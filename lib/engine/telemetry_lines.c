/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread of a source that writes lines. */
#include "base/fdio.h"
#include "engine/telemetry_impl.h"

#include <poll.h>
#include <unistd.h>

#define PIECE   4096
#define LOOK_MS 50

static void
take_line(struct tape_telemetry_thread *t, struct tape_str line, int64_t t_ns)
{
	struct tape_err err = { 0 };
	enum tape_status st;

	if (line.len == 0)
		return;
	st = t->source->kind == TAPE_TELEMETRY_SMI
		 ? tape_reading_smi(&t->reading, line, &err)
		 : tape_reading_tegra(&t->reading, line, &err);
	if (st == TAPE_OK)
		tape_telemetry_put(t, t_ns);
	else
		tape_telemetry_bad(t, &err);
}

/* The lines that are whole; what is left stays in buf. */
static void
take_lines(struct tape_telemetry_thread *t, struct tape_buf *buf, int64_t t_ns)
{
	size_t from = 0;
	const char *lf;

	while (from < buf->len &&
	       (lf = memchr(buf->data + from, '\n', buf->len - from)) != NULL) {
		const size_t len = (size_t)(lf - buf->data) - from;

		take_line(t, tape_str_make(buf->data + from, len), t_ns);
		from += len + 1;
	}
	memmove(buf->data, buf->data + from, buf->len - from);
	buf->len -= from;
}

static void
add(struct tape_telemetry_thread *t, struct tape_buf *buf, const char *p,
    size_t len)
{
	struct tape_err why = { 0 };

	(void)tape_buf_add(buf, p, len);
	if (buf->status == TAPE_OK)
		return;
	(void)tape_err_set(
	    &why, buf->status, "a line of over %zu bytes", TAPE_TELEMETRY_LINE);
	tape_telemetry_bad(t, &why);
	tape_buf_clear(buf);
}

static void
read_all(struct tape_telemetry_thread *t, struct tape_buf *buf)
{
	struct pollfd p = { .fd = t->command.fd, .events = POLLIN };
	struct tape_err err = { 0 };
	char piece[PIECE];
	size_t got = 1;

	while (!atomic_load(&t->all->stop) && got > 0) {
		int64_t now;

		if (poll(&p, 1, LOOK_MS) <= 0)
			continue;
		now = tape_clock_now_ns(&tape_clock_system);
		if (tape_fdio_read(p.fd, piece, sizeof(piece), &got, &err) !=
		    TAPE_OK)
			return;
		add(t, buf, piece, got);
		if (buf->len > 0)
			take_lines(t, buf, now);
		if (got == 0 && buf->len > 0)
			take_line(t, tape_str_make(buf->data, buf->len), now);
	}
}

void *
tape_telemetry_lines(void *thread)
{
	struct tape_telemetry_thread *t = thread;
	struct tape_err why = { 0 };
	struct tape_buf buf;
	int code;

	tape_buf_init(&buf, TAPE_TELEMETRY_LINE);
	read_all(t, &buf);
	tape_buf_release(&buf);
	if (!atomic_load(&t->all->stop)) {
		code = tape_command_wait(&t->command);
		if (code != 0) {
			(void)tape_err_set(
			    &why, TAPE_E_IO, "its command ended with %d", code);
			tape_telemetry_missed(t, &why);
		}
	}
	(void)pthread_mutex_lock(&t->all->lock);
	t->all->running--;
	(void)pthread_cond_broadcast(&t->all->changed);
	(void)pthread_mutex_unlock(&t->all->lock);
	return NULL;
}
