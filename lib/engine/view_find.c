/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/view_find.h"

#include "base/mem.h"
#include "record/reader.h"

#include <sys/stat.h>
#include <unistd.h>

#define FORMATS (TAPE_FORMAT_WIRE | TAPE_FORMAT_EVENTS)

/* Hands on, but for what was handed out before the file was read anew. */
static enum tape_status
pass(void *arg, const struct tape_view_found *f,
    const struct tape_view_crowd *crowd, struct tape_err *err)
{
	struct tape_view_search *s = arg;
	const struct tape_view_key key = { f->place.segment, f->x };

	s->r->found++;
	for (size_t i = 0; i < s->before; i++)
		if (s->seen[i].segment == key.segment && s->seen[i].x == key.x)
			return TAPE_OK;
	if (tape_mem_grow((void **)&s->seen, &s->seen_cap, s->seen_n + 1,
		sizeof(*s->seen)) != 0)
		return tape_err_nomem(err);
	s->seen[s->seen_n++] = key;
	return s->sink.found(s->sink.arg, f, crowd, err);
}

static enum tape_status
take(struct tape_view_search *s, const struct tape_reader *r,
    const struct tape_record *rec, uint64_t *segment, struct tape_err *err)
{
	switch (rec->kind) {
	case TAPE_KIND_HEADER:
		return tape_view_gather_begin(
		    &s->gather, ++*segment, rec->line, err);
	case TAPE_KIND_END:
		return tape_view_gather_end(&s->gather, err);
	default:
		return tape_view_gather_record(
		    &s->gather, rec, tape_reader_line(r), err);
	}
}

/* Why an input that was read is not whole, in the reader's words. */
static void
keep_warning(void *arg, const char *text)
{
	struct tape_view_search *s = arg;

	(void)tape_err_set(&s->r->err, TAPE_E_TRUNC, "%s", text);
}

static enum tape_status
read_all(
    struct tape_view_search *s, struct tape_reader *r, struct tape_err *err)
{
	struct tape_record rec;
	uint64_t segment = 0;
	struct tape_err why = { 0 };
	enum tape_status st;

	tape_record_init(&rec);
	while ((st = tape_reader_next(r, &rec, &why)) == TAPE_OK) {
		st = take(s, r, &rec, &segment, err);
		if (st != TAPE_OK)
			break;
	}
	tape_record_release(&rec);
	if (why.status == TAPE_OK)
		return st == TAPE_EOF ? TAPE_OK : st;
	/* The input is at fault: what came of the segment counts. */
	if (why.status == TAPE_E_IO || why.status == TAPE_E_NOMEM) {
		*err = why;
		return st;
	}
	s->r->err = why;
	return tape_view_gather_end(&s->gather, err);
}

static enum tape_status
find_in_all(struct tape_view_search *s, bool rewind, struct tape_err *err)
{
	const struct tape_reader_opts opts = { .formats = FORMATS,
		.allow_truncated = true,
		.warn = keep_warning,
		.arg = s };
	struct tape_reader *r;
	struct tape_in *in;
	struct stat sb;
	enum tape_status st;
	int fd = -1;

	if (rewind && fstat(s->in->fd, &sb) == 0)
		st = tape_in_open_range(
		    &in, s->in->fd, 0, (uint64_t)sb.st_size, s->in->name, err);
	else if ((fd = dup(s->in->fd)) < 0)
		return tape_err_set(err, TAPE_E_IO, "no descriptor is left");
	else
		st = tape_in_open_fd(&in, fd, s->in->name, err);
	if (st != TAPE_OK) {
		if (fd >= 0)
			(void)close(fd);
		return st;
	}
	st = tape_reader_open_in(&r, in, &opts, err);
	if (st != TAPE_OK)
		return st;
	st = read_all(s, r, err);
	s->r->failed = tape_reader_ending(r) == TAPE_ENDING_FAILED;
	if (!s->r->failed && s->r->err.status == TAPE_E_TRUNC)
		tape_err_clear(&s->r->err); /* interrupted, which is legal */
	tape_reader_free(r);
	return st;
}

static bool
is_file(int fd)
{
	struct stat sb;

	return fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) &&
	       lseek(fd, 0, SEEK_CUR) == 0;
}

enum tape_status
tape_view_find(const struct tape_view_input *in,
    const struct tape_view_want *want, struct tape_view_sink sink,
    struct tape_view_findings *r, struct tape_err *err)
{
	struct tape_view_search s = {
		.in = in, .want = want, .sink = sink, .r = r
	};
	const struct tape_view_sink own = { pass, &s };
	const bool file = is_file(in->fd);
	bool usable = false;
	enum tape_status st = TAPE_OK;

	memset(r, 0, sizeof(*r));
	tape_view_gather_init(&s.gather, want, own, in->name);
	if (file && !in->no_index)
		st = tape_view_find_parts(&s, &usable, err);
	r->indexed = usable;
	if (st == TAPE_OK && !usable) {
		s.before = s.seen_n;
		r->found = 0;
		tape_err_clear(&r->err);
		tape_view_gather_drop(&s.gather);
		st = find_in_all(&s, file, err);
	}
	tape_view_gather_release(&s.gather);
	tape_mem_free(s.seen);
	return st;
}
