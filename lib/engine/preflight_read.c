/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a preflight wrote, read again: wire, then events, then the tally. */
#include "engine/preflight_impl.h"
#include "engine/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define FRAME_BYTES ((size_t)4 << 20)

static enum tape_status
copy_fd(int fd, int *copy, struct tape_err *err)
{
	*copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (*copy < 0 || lseek(*copy, 0, SEEK_SET) != 0)
		return tape_err_sys(
		    err, errno, "cannot go over a temporary file");
	return TAPE_OK;
}

enum tape_status
tape_preflight_writer(struct tape_writer **w, struct tape_spool_file *f,
    enum tape_format format, int level, struct tape_err *err)
{
	const struct tape_out_opts opts = { .level = level,
		.frame_bytes = FRAME_BYTES };
	struct tape_out *out = NULL;
	int fd = -1;
	enum tape_status st = copy_fd(f->fd, &fd, err);

	if (st == TAPE_OK)
		st = tape_out_open_fd(&out, fd, "a temporary file", &opts, err);
	if (st != TAPE_OK && fd >= 0)
		(void)close(fd);
	return st == TAPE_OK ? tape_writer_open(w, out, format, err) : st;
}

enum tape_status
tape_preflight_reader(struct tape_reader **r, struct tape_spool_file *f,
    enum tape_format format, struct tape_err *err)
{
	const struct tape_reader_opts opts = { .formats = format };
	struct tape_in *in = NULL;
	int fd = -1;
	enum tape_status st = copy_fd(f->fd, &fd, err);

	if (st == TAPE_OK)
		st = tape_in_open_fd(&in, fd, "a temporary file", err);
	if (st != TAPE_OK && fd >= 0)
		(void)close(fd);
	return st == TAPE_OK ? tape_reader_open_in(r, in, &opts, err) : st;
}

static enum tape_status
stamp_record(struct tape_stamp *s, struct tape_writer *w,
    const struct tape_record *rec, struct tape_err *err)
{
	enum tape_status st;

	if (rec->kind == TAPE_KIND_HEADER) {
		st = tape_writer_header(w, &rec->u.header, err);
		return st == TAPE_OK ? tape_stamp_begin(s, &rec->u.header, err)
				     : st;
	}
	if (rec->kind != TAPE_KIND_END)
		return tape_stamp_record(s, rec, err);
	st = tape_stamp_end(s, err);
	return st == TAPE_OK ? tape_writer_end(w, TAPE_ENDING_COMPLETE, err)
			     : st;
}

static enum tape_status
stamp_all(struct tape_reader *r, struct tape_writer *w, struct tape_err *err)
{
	const struct tape_stamp_opts opts = { 0 };
	struct tape_stamp *s = NULL;
	struct tape_record rec;
	enum tape_status st = tape_stamp_open(&s, &opts, w, err);

	tape_record_init(&rec);
	while (st == TAPE_OK) {
		st = tape_reader_next(r, &rec, err);
		if (st == TAPE_OK)
			st = stamp_record(s, w, &rec, err);
	}
	tape_record_release(&rec);
	tape_stamp_free(s);
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* Wire into events. */
static enum tape_status
stamp(struct tape_preflight *p, struct tape_err *err)
{
	struct tape_reader *r = NULL;
	struct tape_writer *w = NULL;
	enum tape_status st =
	    tape_preflight_reader(&r, &p->wire, TAPE_FORMAT_WIRE, err);

	if (st == TAPE_OK)
		st = tape_preflight_writer(
		    &w, &p->events, TAPE_FORMAT_EVENTS, 1, err);
	if (st == TAPE_OK)
		st = stamp_all(r, w, err);
	tape_reader_free(r);
	if (st == TAPE_OK)
		return tape_writer_close(w, err);
	if (w != NULL)
		tape_writer_abort(w);
	return st;
}

static void
count(struct tape_preflight *p, const struct tape_record *rec)
{
	if (rec->kind == TAPE_KIND_FIDELITY)
		tape_preflight_fidelity(&p->tally, &rec->u.fidelity);
	else if (rec->kind == TAPE_KIND_RESPONSE &&
		 tape_str_is(rec->u.response.t.stage, "measure"))
		tape_preflight_response(&p->tally, &rec->u.response);
}

enum tape_status
tape_preflight_read(struct tape_preflight *p, struct tape_err *err)
{
	struct tape_reader *r = NULL;
	struct tape_record rec;
	const bool decoded = p->play.keep == TAPE_KEEP_EVENTS;
	enum tape_status st = decoded ? TAPE_OK : stamp(p, err);

	if (st == TAPE_OK)
		st = tape_preflight_reader(&r, decoded ? &p->wire : &p->events,
		    TAPE_FORMAT_EVENTS, err);
	tape_record_init(&rec);
	while (st == TAPE_OK) {
		st = tape_reader_next(r, &rec, err);
		if (st == TAPE_OK)
			count(p, &rec);
	}
	tape_record_release(&rec);
	tape_reader_free(r);
	return st == TAPE_EOF ? TAPE_OK : st;
}
