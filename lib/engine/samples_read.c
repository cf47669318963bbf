/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/samples_read.h"

static enum tape_status
take(struct tape_samples *s, const struct tape_record *rec, const char *path,
    size_t *n, struct tape_err *err)
{
	if (rec->kind == TAPE_KIND_HEADER)
		return tape_samples_begin(s, &rec->u.header, path, err);
	if (rec->kind != TAPE_KIND_SAMPLE)
		return TAPE_OK;
	(*n)++;
	return tape_samples_add(s, &rec->u.sample, err);
}

enum tape_status
tape_samples_read(struct tape_samples *s, const char *path,
    const struct tape_reader_opts *how, struct tape_err *err)
{
	struct tape_reader_opts opts = *how;
	struct tape_reader *in = NULL;
	struct tape_record rec;
	size_t n = 0;
	enum tape_status st;

	opts.formats = TAPE_FORMAT_WIRE | TAPE_FORMAT_EVENTS;
	st = tape_reader_open(&in, &path, 1, &opts, err);
	if (st != TAPE_OK)
		return st;
	tape_record_init(&rec);
	while ((st = tape_reader_next(in, &rec, err)) == TAPE_OK) {
		st = take(s, &rec, path, &n, err);
		if (st == TAPE_OK)
			continue;
		if (st == TAPE_E_FORMAT)
			(void)tape_err_at(
			    err, tape_reader_name(in), tape_reader_line(in));
		break;
	}
	tape_record_release(&rec);
	tape_reader_free(in);
	if (st == TAPE_EOF && n == 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%s: no sample is in it: it is not of telemetry-sample",
		    path);
	return st == TAPE_EOF ? TAPE_OK : st;
}
