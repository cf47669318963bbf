/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sink_write.h"

const char *
tape_keep_name(enum tape_keep keep)
{
	switch (keep) {
	case TAPE_KEEP_EVENTS:
		return "events";
	case TAPE_KEEP_TIMES:
		return "times";
	case TAPE_KEEP_RAW:
		break;
	}
	return "raw";
}

enum tape_format
tape_keep_format(enum tape_keep keep)
{
	return keep == TAPE_KEEP_EVENTS ? TAPE_FORMAT_EVENTS : TAPE_FORMAT_WIRE;
}

enum tape_status
tape_sink_write_open(struct tape_sink_write *w,
    const struct tape_sink_opts *opts, struct tape_err *err)
{
	const struct tape_stamp_opts so = { 0 };
	enum tape_status st;

	*w = (struct tape_sink_write){ .opts = *opts };
	tape_sink_scratch_init(&w->scratch);
	tape_record_init(&w->again);
	if (opts->keep != TAPE_KEEP_EVENTS)
		return TAPE_OK;
	st = tape_stamp_open(&w->stamp, &so, opts->writer, err);
	if (st == TAPE_OK)
		tape_stamp_begin_at(w->stamp, opts->epoch_ns);
	return st;
}

void
tape_sink_write_release(struct tape_sink_write *w)
{
	tape_stamp_free(w->stamp);
	tape_sink_scratch_release(&w->scratch);
	tape_record_release(&w->again);
}

/* How large the archive is so far; what the encoder holds is written first. */
static enum tape_status
write_fidelity(
    struct tape_sink_write *w, struct tape_str line, struct tape_err *err)
{
	struct tape_fidelity *f = &w->again.u.fidelity;
	enum tape_status st;

	st = tape_record_decode(&w->again, line.p, line.len, err);
	if (st == TAPE_OK)
		st = tape_writer_flush(w->opts.writer, err);
	if (st != TAPE_OK)
		return st;
	f->archive = (struct tape_fidelity_archive){
		.bytes = (int64_t)tape_writer_bytes(w->opts.writer),
		.text_bytes = (int64_t)tape_writer_text_bytes(w->opts.writer),
		.reads = w->reads,
	};
	return tape_writer_put(w->opts.writer, TAPE_KIND_FIDELITY, f, err);
}

/* What reads the answers wants to know of their run where things are in them. */
static enum tape_status
write_run(struct tape_sink_write *w, struct tape_str line, struct tape_err *err)
{
	enum tape_status st =
	    tape_record_decode(&w->again, line.p, line.len, err);

	return st == TAPE_OK ? tape_stamp_record(w->stamp, &w->again, err) : st;
}

static enum tape_status
write_line(
    struct tape_sink_write *w, struct tape_piece *p, struct tape_err *err)
{
	struct tape_record rec = { .kind = p->line_kind };

	if (w->opts.secrets != NULL)
		(void)tape_secrets_mask(
		    w->opts.secrets, p->body.data, p->body.len);
	rec.line = tape_str_make(p->body.data, p->body.len);
	if (rec.kind == TAPE_KIND_FIDELITY)
		return write_fidelity(w, rec.line, err);
	if (rec.kind == TAPE_KIND_RUN && w->stamp != NULL)
		return write_run(w, rec.line, err);
	return tape_writer_pass(w->opts.writer, &rec, err);
}

/* The body of a failure is wanted, but not in the record. */
static enum tape_status
put_times(struct tape_sink_write *w, enum tape_kind kind,
    const struct tape_exchange *e, struct tape_err *err)
{
	struct tape_exchange bare = *e;

	bare.body = bare.body_b64 = tape_str_make(NULL, 0);
	return tape_writer_put(w->opts.writer, kind, &bare, err);
}

static enum tape_status
put(struct tape_sink_write *w, enum tape_kind kind,
    const struct tape_exchange *e, struct tape_err *err)
{
	switch (w->opts.keep) {
	case TAPE_KEEP_EVENTS:
		return tape_stamp_exchange(w->stamp, kind, e, err);
	case TAPE_KEEP_TIMES:
		return put_times(w, kind, e, err);
	case TAPE_KEEP_RAW:
		break;
	}
	return tape_writer_put(w->opts.writer, kind, e, err);
}

/* The first failure is told at once. */
static void
tell_failure(struct tape_sink_write *w, const struct tape_piece *p,
    const struct tape_exchange *e)
{
	char text[TAPE_SINK_FIRST_TEXT];

	if (w->described || e->t.error.class.p == NULL ||
	    p->flight->class == TAPE_HTTP_CANCELLED)
		return;
	w->described = true;
	tape_sink_describe(e, text);
	if (w->opts.first_failure != NULL)
		w->opts.first_failure(w->opts.arg, text);
}

enum tape_status
tape_sink_write_piece(
    struct tape_sink_write *w, struct tape_piece *p, struct tape_err *err)
{
	const bool last = p->kind == TAPE_PIECE_LAST;
	struct tape_exchange e;
	enum tape_status st;

	if (p->kind == TAPE_PIECE_LINE)
		return write_line(w, p, err);
	st = tape_sink_fill(&w->opts, p, &w->scratch, &e, err);
	if (st == TAPE_OK)
		st =
		    put(w, last ? TAPE_KIND_EXCHANGE : TAPE_KIND_PART, &e, err);
	if (st != TAPE_OK)
		return st;
	w->reads += (int64_t)p->reads_n;
	if (last)
		tell_failure(w, p, &e);
	return TAPE_OK;
}

enum tape_status
tape_sink_write_end(struct tape_sink_write *w, struct tape_err *err)
{
	return w->stamp == NULL ? TAPE_OK : tape_stamp_end(w->stamp, err);
}
