/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The known shape of events.
 *
 * Nearly all events of a stream differ from the one before in one string only.
 * So when an event said nothing but one piece of text, what stood before and
 * behind that piece is kept; an event with the same bytes before and behind
 * says the same of another piece, provided that the bytes between are the
 * inside of a JSON string.  That needs no scanner, and it is exact: within the
 * string a scanner would stand where it stood before, and then read the same.
 */
#include "api/api_decode.h"

#include "base/utf8.h"

/* The event in hand, read from data, says nothing but one piece of text. */
static bool
is_plain(const struct tape_api_state *s, struct tape_str data)
{
	if (s->pieces != 1 || s->choices_n != 1 || s->usages_n != 0 ||
	    s->counted || s->ids_n != 0 || s->malformed || s->failed ||
	    s->done || s->choices[0].finish_len != 0 ||
	    s->server_ns != TAPE_ABSENT_I64 ||
	    s->server_late_ns != TAPE_ABSENT_I64)
		return false;
	for (size_t i = 0; i < TAPE_API_TIMINGS; i++)
		if (s->timing[i].p != NULL)
			return false;
	/* Text with escapes does not lie in the data. */
	return s->piece.p > data.p && s->piece.p < data.p + data.len &&
	       s->piece.p[-1] == '"';
}

void
tape_api_template_learn(struct tape_api_state *s, struct tape_str data)
{
	struct tape_api_template *t = &s->template;
	const char *behind;

	t->good = false;
	if (!is_plain(s, data))
		return;
	behind = s->piece.p + s->piece.len;
	t->head = (size_t)(s->piece.p - data.p);
	t->tail = (size_t)(data.p + data.len - behind);
	t->kind = s->piece_kind;
	t->choice = s->choices[0].index;
	tape_buf_clear(&t->text);
	(void)tape_buf_add(&t->text, data.p, t->head);
	(void)tape_buf_add(&t->text, behind, t->tail);
	t->good = t->text.status == TAPE_OK;
}

/* The inside of a JSON string without escapes. */
static bool
is_inside(const char *p, size_t len)
{
	unsigned char high = 0;

	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)p[i];

		if (c < 0x20 || c == '"' || c == '\\')
			return false;
		high |= c;
	}
	return high < 0x80 || tape_utf8_valid(p, len);
}

enum tape_status
tape_api_template_apply(struct tape_api_state *s, struct tape_str data,
    bool *applied, struct tape_err *err)
{
	const struct tape_api_template *t = &s->template;
	struct tape_api_choice *c;
	const char *piece;
	size_t len;

	*applied = false;
	if (!t->good || data.len <= t->head + t->tail ||
	    memcmp(data.p, t->text.data, t->head) != 0 ||
	    memcmp(data.p + data.len - t->tail, t->text.data + t->head,
		t->tail) != 0)
		return TAPE_OK;
	piece = data.p + t->head;
	len = data.len - t->head - t->tail;
	if (!is_inside(piece, len))
		return TAPE_OK;
	c = tape_api_choice_begin(s, err);
	if (c == NULL)
		return TAPE_E_NOMEM;
	c->index = t->choice;
	tape_api_add_text(s, t->kind, piece, len);
	*applied = true;
	return TAPE_OK;
}
