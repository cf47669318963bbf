/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/live.h"

#include "base/mem.h"
#include "codec/stat_sort.h"

static enum tape_status
emit(struct tape_live *l, struct tape_err *err)
{
	if (!l->pending)
		return TAPE_OK;
	l->pending = false;
	return l->sink.row(l->sink.arg, &l->row, err);
}

static enum tape_status
copy(struct tape_buf *dst, struct tape_str *view, const char *p, size_t len,
    struct tape_err *err)
{
	tape_buf_clear(dst);
	(void)tape_buf_add(dst, p, len);
	*view = tape_str_make(dst->data, dst->len);
	return tape_buf_status(dst, err);
}

/* Puts a row in hand; the one before shares its read. */
static enum tape_status
hold(struct tape_live *l, const struct tape_live_row *row, uint64_t end_offset,
    struct tape_err *err)
{
	enum tape_status st;

	l->row.merged = true;
	st = emit(l, err);
	if (st != TAPE_OK)
		return st;
	l->row = *row;
	l->row.seq = l->events++;
	l->row.t_ns = l->t_ns;
	l->row.bytes = (int64_t)(l->blanks + end_offset - l->offset);
	l->offset = l->blanks + end_offset;
	st = copy(&l->type, &l->row.type, row->type.p, row->type.len, err);
	if (st == TAPE_OK)
		st = copy(
		    &l->show, &l->row.show, row->show.p, row->show.len, err);
	if (st == TAPE_OK)
		st = copy(
		    &l->data, &l->row.data, row->data.p, row->data.len, err);
	l->pending = st == TAPE_OK;
	return st;
}

static enum tape_status
add_gap(struct tape_live *l, int64_t choice, struct tape_err *err)
{
	int64_t *last;

	l->token_events++;
	if (choice < 0 || choice >= TAPE_LIVE_CHOICES)
		return TAPE_OK;
	last = &l->last_ns[choice];
	if (*last != INT64_MIN) {
		if (tape_mem_grow((void **)&l->gaps_ns, &l->gaps_cap,
			l->gaps + 1, sizeof(*l->gaps_ns)) != 0)
			return tape_err_nomem(err);
		l->gaps_ns[l->gaps++] = (double)(l->t_ns - *last);
	}
	*last = l->t_ns;
	return TAPE_OK;
}

/* What stands for the event in a line. */
static struct tape_str
show(const struct tape_api_event *ev, struct tape_str data)
{
	if (ev->text.p != NULL)
		return ev->text;
	if (ev->error.p != NULL)
		return ev->error;
	if (ev->finish.p != NULL)
		return ev->finish;
	return ev->class == 'r' ? tape_str_make("", 0) : data;
}

static enum tape_status
on_event(void *user, const struct tape_sse_event *event, struct tape_err *err)
{
	struct tape_live *l = user;
	struct tape_live_row row = { 0 };
	struct tape_api_event ev;
	enum tape_status st;

	row.type = tape_str_make(event->type, event->type_len);
	row.data = tape_str_make(event->data, event->len);
	st = tape_api_decode(&l->decoder, row.type, row.data, &ev, err);
	if (st == TAPE_OK && tape_api_is_token(ev.class))
		st = add_gap(l, ev.choice, err);
	if (st != TAPE_OK)
		return st;
	l->failed = l->failed || ev.class == 'e';
	row.class = ev.class;
	row.text_bytes = ev.text_bytes;
	row.show = show(&ev, row.data);
	return hold(l, &row, event->end_offset, err);
}

static enum tape_status
on_comment(void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	struct tape_live_row row = { .class = 'k' };

	row.type = tape_str_make("", 0);
	row.data = row.show = tape_str_make(f->value, f->value_len);
	return hold(user, &row, f->end_offset, err);
}

static enum tape_status
on_field(void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	struct tape_live *l = user;
	struct tape_live_row row = { .class = 'e' };
	struct tape_api_event ev;
	enum tape_status st;

	row.type = tape_str_make("", 0);
	row.data = tape_str_make(f->value, f->value_len);
	st = tape_api_decode_field(&l->decoder,
	    tape_str_make(f->name, f->name_len), row.data, &ev, err);
	if (st != TAPE_OK || ev.class != 'e')
		return st;
	l->failed = true;
	row.show = ev.error;
	return hold(l, &row, f->end_offset, err);
}

static const struct tape_sse_calls calls = { on_event, on_comment, on_field };

void
tape_live_init(
    struct tape_live *l, const struct tape_api *api, struct tape_live_sink sink)
{
	memset(l, 0, sizeof(*l));
	l->sink = sink;
	tape_framer_init(&l->framer, &calls, l);
	tape_api_decoder_init(&l->decoder, api, false);
	tape_buf_init(&l->type, TAPE_CAP_SSE_LINE);
	tape_buf_init(&l->show, TAPE_CAP_SSE_EVENT);
	tape_buf_init(&l->data, TAPE_CAP_SSE_EVENT);
	for (size_t i = 0; i < TAPE_LIVE_CHOICES; i++)
		l->last_ns[i] = INT64_MIN;
}

void
tape_live_release(struct tape_live *l)
{
	tape_framer_release(&l->framer);
	tape_api_decoder_release(&l->decoder);
	tape_buf_release(&l->type);
	tape_buf_release(&l->show);
	tape_buf_release(&l->data);
	tape_mem_free(l->gaps_ns);
}

static void
keep_head(struct tape_live *l, const char *p, size_t len)
{
	for (size_t i = 0; i < len && l->head_len < sizeof(l->head) - 1; i++) {
		l->head[l->head_len] = '?';
		if (p[i] >= ' ' && p[i] <= '~')
			l->head[l->head_len] = p[i];
		l->head_len++;
	}
}

/* White space says nothing of the framing, and is an event in none. */
static size_t
skip_blanks(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len &&
	       (p[n] == ' ' || p[n] == '\t' || p[n] == '\r' || p[n] == '\n'))
		n++;
	return n;
}

/* Whether the end of the input would complete another event of this read. */
static bool
may_end_event(const struct tape_live *l)
{
	return l->framer.kind == TAPE_FRAMING_NDJSON &&
	       tape_framer_tail(&l->framer) > 0;
}

enum tape_status
tape_live_feed(struct tape_live *l, const char *p, size_t len, int64_t t_ns,
    struct tape_err *err)
{
	const enum tape_framing_kind own = l->decoder.api->framing;
	size_t n = 0;
	enum tape_status st;

	if (!l->framed && own != TAPE_FRAMING_SSE)
		n = skip_blanks(p, len);
	l->t_ns = t_ns;
	keep_head(l, p, len);
	l->blanks += n;
	if (n == len)
		return TAPE_OK;
	if (!l->framed)
		tape_framer_clear(&l->framer, tape_framing_guess(own, p[n]));
	l->framed = true;
	/* A row that was held back: its read had no other event. */
	st = emit(l, err);
	if (st == TAPE_OK)
		st = tape_framer_feed(&l->framer, p + n, len - n, err);
	if (st != TAPE_OK || may_end_event(l))
		return st;
	return emit(l, err);
}

enum tape_status
tape_live_finish(struct tape_live *l, struct tape_err *err)
{
	const uint64_t bytes = l->blanks + tape_framer_offset(&l->framer);
	enum tape_status st = tape_framer_end(&l->framer, err);

	if (st == TAPE_OK)
		st = emit(l, err);
	if (st != TAPE_OK)
		return st;
	if (bytes == 0)
		return tape_err_set(err, TAPE_E_FORMAT, "empty input");
	if (l->events == 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "neither an llmtape stream nor an event stream: \"%s%s\"",
		    l->head, bytes > l->head_len ? "..." : "");
	return tape_stat_sort(l->gaps_ns, l->gaps, err);
}
