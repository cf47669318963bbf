/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A segment as a table for people. */
#include "base/num.h"
#include "codec/json.h"
#include "engine/reduce_cell.h"
#include "engine/view_out.h"

#include <inttypes.h>

/* Begins a line of that name. */
static void
label(struct tape_buf *b, const char *name)
{
	(void)tape_buf_add_fmt(b, "  %-10s ", name);
}

#define LABEL_COLUMNS 13

static void
safe(struct tape_view_text *t, struct tape_str s, size_t used)
{
	const size_t room = t->width > used + 20 ? t->width - used : 20;

	tape_view_escape(&t->buf, s, room);
}

static void
word(struct tape_buf *b, const char *before, struct tape_str s)
{
	if (s.p == NULL)
		return;
	(void)tape_buf_add_str(b, before);
	tape_view_escape(b, s, 60);
}

static double
share(uint64_t part, uint64_t of)
{
	return of == 0 ? 0 : 100.0 * (double)part / (double)of;
}

static void
put_header(struct tape_view_text *t, const struct tape_view_sum *s)
{
	const struct tape_header *h = s->header;
	struct tape_buf *b = &t->buf;

	tape_view_escape(b, tape_str_of(s->name), 200);
	(void)tape_buf_add_fmt(b, ": segment %" PRIu64, s->segment);
	word(b, ", ", h->format);
	word(b, " ", h->version);
	(void)tape_buf_add_str(b, "\n");
	label(b, "epoch");
	word(b, "", h->epoch);
	word(b, ", monotonic ", h->epoch_mono);
	(void)tape_buf_add_str(b, "\n");
	label(b, "run id");
	word(b, "", h->run_id);
	word(b, ", shard ", h->shard);
	(void)tape_buf_add_str(b, "\n");
	if (h->meta.p == NULL)
		return;
	label(b, "meta");
	safe(t, h->meta, LABEL_COLUMNS);
	(void)tape_buf_add_str(b, "\n");
}

/* Provenance: a member of the entry in hand. */
static enum tape_status
put_member(struct tape_json *r, const struct tape_json_token *key,
    struct tape_buf *head, struct tape_buf *args, struct tape_err *err)
{
	static const struct {
		const char *key, *before, *after;
	} known[] = { { "id", "", "" }, { "tool", " ", "" },
		{ "version", " ", "" }, { "host", " on ", "" },
		{ "started", " at ", "" }, { "input", ", read ", "" } };
	struct tape_json_token tok = *key;
	enum tape_status st = TAPE_OK;

	if (tok.type == TAPE_JSON_STRING) {
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (tape_json_key_is(&tok, known[i].key))
				word(head, known[i].before,
				    tape_str_make(tok.str, tok.len));
		return TAPE_OK;
	}
	if (tok.type != TAPE_JSON_ARRAY)
		return tape_json_skip(r, NULL, NULL, err);
	const bool argv = tape_json_key_is(&tok, "argv");
	const unsigned depth = tok.depth;

	if (!argv)
		(void)tape_buf_add_str(head, " from");
	while ((st = tape_json_next(r, &tok, err)) == TAPE_OK &&
	       !(tok.type == TAPE_JSON_ARRAY_END && tok.depth == depth))
		if (tok.type == TAPE_JSON_STRING)
			word(argv ? args : head, " ",
			    tape_str_make(tok.str, tok.len));
	return st;
}

static enum tape_status
put_entries(struct tape_view_text *t, struct tape_json *r,
    struct tape_buf *head, struct tape_buf *args, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;
	bool first = true;

	while ((st = tape_json_next(r, &tok, err)) == TAPE_OK &&
	       tok.type != TAPE_JSON_END) {
		if (tok.depth == 1 && tok.type == TAPE_JSON_OBJECT) {
			tape_buf_clear(head);
			tape_buf_clear(args);
		} else if (tok.depth == 1 && tok.type == TAPE_JSON_OBJECT_END) {
			label(&t->buf, first ? "made by" : "");
			first = false;
			(void)tape_buf_add(&t->buf, head->data, head->len);
			(void)tape_buf_add_fmt(
			    &t->buf, "\n%*s", LABEL_COLUMNS + 2, "");
			tape_reduce_text_wrap(&t->buf,
			    tape_str_make(args->data, args->len),
			    LABEL_COLUMNS + 2, LABEL_COLUMNS + 4);
			(void)tape_buf_add_str(&t->buf, "\n");
		} else if (tok.depth == 2) {
			st = put_member(r, &tok, head, args, err);
			if (st != TAPE_OK)
				break;
		}
	}
	return st;
}

/* A chain that is none is left out: it is of no use to anybody. */
static void
put_prov(struct tape_view_text *t, const struct tape_header *h)
{
	struct tape_buf head, args;
	struct tape_json r;
	enum tape_status st;

	tape_buf_init(&head, TAPE_CAP_LINE);
	tape_buf_init(&args, TAPE_CAP_LINE);
	tape_json_init(&r);
	tape_json_open(&r, h->prov.p, h->prov.len, TAPE_JSON_OURS);
	st = put_entries(t, &r, &head, &args, NULL);
	(void)st;
	tape_json_release(&r);
	tape_buf_release(&head);
	tape_buf_release(&args);
}

static void
put_counts(struct tape_buf *b, const struct tape_view_sum *s)
{
	bool first = true;

	label(b, "records");
	(void)tape_buf_add_fmt(b, "%" PRIu64, s->records);
	for (int k = 0; k < TAPE_KIND_COUNT; k++) {
		if (s->counts[k] == 0)
			continue;
		(void)tape_buf_add_fmt(b, "%s%" PRIu64 " %s",
		    first ? ": " : ", ", s->counts[k],
		    tape_schema_table[k].kind);
		first = false;
	}
	(void)tape_buf_add_str(b, "\n");
}

static void
put_time(struct tape_buf *b, const struct tape_view_sum *s)
{
	char from[TAPE_VIEW_WALL], to[TAPE_VIEW_WALL], span[TAPE_NUM_TEXT];

	if (!s->timed)
		return;
	label(b, "time");
	(void)tape_buf_add_fmt(b, "%s, from %s to %s\n",
	    tape_num_print_duration((double)(s->last_ns - s->first_ns), span),
	    tape_view_wall(s->header, s->first_ns, from),
	    tape_view_wall(s->header, s->last_ns, to));
}

static void
put_exchanges(struct tape_buf *b, const struct tape_view_sum *s)
{
	const bool wire = s->format == TAPE_FORMAT_WIRE;

	if (s->exchanges > 0) {
		label(b, wire ? "exchanges" : "responses");
		(void)tape_buf_add_fmt(b,
		    "%" PRIu64 ", %" PRIu64 " of them warm-up, %" PRIu64
		    " failed\n",
		    s->exchanges, s->warmup, s->failed);
	}
	if (s->reads == 0 && s->events == 0)
		return;
	label(b, "answers");
	tape_view_count(b, s->reads, "read");
	if (wire)
		(void)tape_buf_add_fmt(b, " (%.1f %% with kernel time)",
		    share(s->kernel_reads, s->reads));
	if (!wire) {
		(void)tape_buf_add_str(b, ", ");
		tape_view_count(b, s->events, "event");
	}
	if (s->exchanges > 0 && !wire)
		(void)tape_buf_add_fmt(
		    b, " (%" PRIu64 " with tokens)", s->token_events);
	if (s->body_bytes > 0)
		(void)tape_buf_add_fmt(b, ", %" PRId64 " bytes", s->body_bytes);
	(void)tape_buf_add_str(b, "\n");
}

static void
put_stored(struct tape_buf *b, const struct tape_view_sum *s)
{
	const struct tape_in_sums *d = &s->stored;
	const uint64_t units =
	    s->format == TAPE_FORMAT_WIRE ? s->reads : s->events;

	label(b, "stored");
	if (!s->stored_known) {
		(void)tape_buf_add_fmt(
		    b, "%" PRIu64 " bytes of text\n", s->text_bytes);
		return;
	}
	(void)tape_buf_add_fmt(b, "%" PRIu64 " bytes", s->stored_bytes);
	if (d->frames > 0) {
		(void)tape_buf_add_str(b, " in ");
		tape_view_count(b, d->frames, "frame");
		(void)tape_buf_add_fmt(b,
		    ", of %" PRIu64 " bytes of text (%.1f to 1)", s->text_bytes,
		    (double)s->text_bytes / (double)s->stored_bytes);
	} else {
		(void)tape_buf_add_str(b, " of plain text");
	}
	if (units > 0)
		(void)tape_buf_add_fmt(b, "; %.1f a%s %s",
		    (double)s->stored_bytes / (double)units,
		    s->format == TAPE_FORMAT_WIRE ? "" : "n",
		    s->format == TAPE_FORMAT_WIRE ? "read" : "event");
	(void)tape_buf_add_str(b, "\n");
	if (d->frames == 0)
		return;
	label(b, "index");
	if (d->index_frames == 0)
		(void)tape_buf_add_str(b, "none\n");
	else
		(void)tape_buf_add_fmt(b,
		    "%" PRIu64 " bytes (%.2f %%) in %" PRIu64 " frame%s\n",
		    d->index_bytes, share(d->index_bytes, s->stored_bytes),
		    d->index_frames, d->index_frames == 1 ? "" : "s");
}

static void
put_integrity(struct tape_buf *b, const struct tape_view_sum *s)
{
	const struct tape_in_sums *d = &s->stored;

	label(b, "integrity");
	if (!s->has_end)
		(void)tape_buf_add_str(b, "NOT WHOLE");
	else
		(void)tape_buf_add_fmt(b,
		    "%s, as many records as the end record counts",
		    tape_ending_name(s->ending));
	if (d->frames == 0)
		(void)tape_buf_add_str(b, "; no checksums");
	else if (d->checked == d->frames)
		(void)tape_buf_add_str(
		    b, s->has_end ? "; checksums are right"
				  : "; checksums before that are right");
	else
		(void)tape_buf_add_fmt(b,
		    "; checksums are right, but %" PRIu64 " of %" PRIu64
		    " frames have none",
		    d->frames - d->checked, d->frames);
	if (s->err.status != TAPE_OK) {
		char text[512];

		(void)tape_buf_add_fmt(b, "\n%*s", LABEL_COLUMNS, "");
		tape_view_escape(b,
		    tape_str_of(tape_err_format(&s->err, text, sizeof(text))),
		    500);
	}
	(void)tape_buf_add_str(b, "\n");
}

static void
put_number(struct tape_buf *b, int width, int64_t v)
{
	if (v == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, " %*s", width, "-");
	else
		(void)tape_buf_add_fmt(b, " %*" PRId64, width, v);
}

static void
put_seconds(struct tape_buf *b, int64_t ns)
{
	if (ns == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, " %10s", "-");
	else
		(void)tape_buf_add_fmt(b, " %10.3f", (double)ns / 1e9);
}

static void
put_run(struct tape_view_text *t, const struct tape_view_run *v)
{
	struct tape_buf *b = &t->buf;

	put_number(b, 6, v->run);
	(void)tape_buf_add_str(b, "  ");
	size_t at = b->len;
	tape_view_escape(b, tape_str_of(v->arm[0] ? v->arm : "-"), 12);
	while (b->len < at + 12 && tape_buf_add_char(b, ' ') == TAPE_OK)
		continue;
	put_number(b, 5, v->round);
	put_seconds(b, v->start_ns);
	put_seconds(b, v->end_ns);
	put_number(b, 7, v->sent);
	put_number(b, 7, v->done);
	put_number(b, 6, v->failed);
	(void)tape_buf_add_str(b, "  ");
	tape_view_escape(b, tape_str_of(v->stop[0] ? v->stop : "no end"), 12);
	(void)tape_buf_add_str(b, ", ");
	tape_view_escape(
	    b, tape_str_of(v->verdict[0] ? v->verdict : "no verdict"), 20);
	(void)tape_buf_add_str(b, "\n");
	if (v->reasons[0] == '\0')
		return;
	(void)tape_buf_add_fmt(b, "%*s", LABEL_COLUMNS, "");
	safe(t, tape_str_of(v->reasons), LABEL_COLUMNS);
	(void)tape_buf_add_str(b, "\n");
}

static void
put_runs(struct tape_view_text *t, const struct tape_view_sum *s)
{
	if (s->runs_n == 0)
		return;
	(void)tape_buf_add_fmt(&t->buf,
	    "  %5s  %-12s %5s %10s %10s %7s %7s %6s  %s\n", "run", "arm",
	    "round", "start s", "end s", "sent", "done", "failed",
	    "stop, verdict");
	for (size_t i = 0; i < s->runs_n; i++)
		put_run(t, &s->runs[i]);
	if (s->runs_more > 0)
		(void)tape_buf_add_fmt(
		    &t->buf, "  and more runs than are listed here\n");
}

enum tape_status
tape_view_sum_text(struct tape_view_text *t, const struct tape_view_sum *s,
    struct tape_err *err)
{
	if (t->begun)
		(void)tape_buf_add_str(&t->buf, "\n");
	t->begun = true;
	put_header(t, s);
	put_prov(t, s->header);
	put_counts(&t->buf, s);
	put_time(&t->buf, s);
	put_exchanges(&t->buf, s);
	put_stored(&t->buf, s);
	put_integrity(&t->buf, s);
	put_runs(t, s);
	return tape_view_flush(t, err);
}
