/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Usage objects.  The counts are taken while the event is read (api_counts.c);
 * the objects themselves are merged when the event is understood.
 */
#include "api/api_decode.h"

#include "codec/stat_rng.h"

#define MAX_DEPTH 32 /* of what is kept as sent */

enum tape_status
tape_api_read_usage(struct tape_api_state *s,
    const struct tape_json_token *usage, struct tape_err *err)
{
	const char *begin = usage->raw;
	struct tape_json_token tok;
	uint64_t shape = 1;
	bool null = false;
	enum tape_status st;

	if (usage->type != TAPE_JSON_OBJECT)
		return tape_json_skip(&s->json, NULL, NULL, err);
	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK)
			return st;
		if (tok.type == TAPE_JSON_OBJECT_END)
			break;
		null = null || tok.type == TAPE_JSON_NULL;
		shape = shape * 31 + tape_rng_fnv64(tok.key, tok.key_len);
		st = tape_api_read_count(s, &tok, err);
		if (st != TAPE_OK)
			return st;
	}
	if (s->usages_n == TAPE_API_USAGES)
		return TAPE_OK;
	s->usages[s->usages_n].text =
	    tape_str_make(begin, (size_t)(tok.raw + 1 - begin));
	s->usages[s->usages_n++].shape = null ? 0 : shape;
	return TAPE_OK;
}

/* The union of both objects, in the order of first appearance. */
static enum tape_status
merge(struct tape_api_decoder *d, struct tape_str new, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_fields *a = &s->old_usage, *b = &s->new_usage;
	const struct tape_api_field *f;
	enum tape_status st;
	bool first = true;

	st = tape_api_fields_read(a, tape_str_make(d->usage.data, d->usage.len),
	    TAPE_JSON_FOREIGN, err);
	if (st == TAPE_OK)
		st = tape_api_fields_read(b, new, TAPE_JSON_FOREIGN, err);
	tape_buf_clear(&s->merged);
	(void)tape_buf_add_char(&s->merged, '{');
	for (size_t i = 0; i < a->n && st == TAPE_OK; i++, first = false) {
		f = tape_api_fields_find(b, a->v[i].key);
		st = tape_api_field_write(f != NULL && !f->null ? f : &a->v[i],
		    first, &s->merged, err);
	}
	for (size_t i = 0; i < b->n && st == TAPE_OK; i++) {
		if (tape_api_fields_find(a, b->v[i].key) != NULL)
			continue;
		st = tape_api_field_write(&b->v[i], first, &s->merged, err);
		first = false;
	}
	(void)tape_buf_add_char(&s->merged, '}');
	if (st != TAPE_OK)
		return st;
	tape_buf_clear(&d->usage);
	(void)tape_buf_add(&d->usage, s->merged.data, s->merged.len);
	st = tape_buf_status(&s->merged, err);
	return st == TAPE_OK ? tape_buf_status(&d->usage, err) : st;
}

void
tape_api_merge_tokens(struct tape_api_decoder *d)
{
	struct tape_api_state *s = d->state;

	tape_api_tokens_merge(&s->all_tokens, &s->tokens);
	d->tokens = tape_api_tokens_resolve(&s->all_tokens);
}

/*
 * A server that reports usage in every event sends the same keys each time:
 * then the newer object stands for both.  A merge that the older object's size
 * forbids leaves the newer one, too.
 */
enum tape_status
tape_api_merge_usage(struct tape_api_decoder *d, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_err why = { 0 };
	enum tape_status st = TAPE_OK;

	tape_api_merge_tokens(d);
	for (size_t i = 0; i < s->usages_n; i++) {
		if (d->usage.len > 0 &&
		    (s->usages[i].shape == 0 ||
			s->usages[i].shape != s->merged_shape)) {
			s->merged_shape = 0;
			st = merge(d, s->usages[i].text, &why);
			if (st == TAPE_E_NOMEM)
				return tape_err_nomem(err);
			if (st == TAPE_OK)
				continue;
		}
		s->merged_shape = s->usages[i].shape;
		tape_buf_clear(&d->usage);
		(void)tape_buf_add(
		    &d->usage, s->usages[i].text.p, s->usages[i].text.len);
	}
	return tape_buf_status(&d->usage, err);
}

/*
 * A server's JSON may be what our own readers refuse (keys twice, lone
 * surrogates, numbers without end), or not stand on one line.
 */
static void
add_kept(struct tape_buf *out, const struct tape_buf *json)
{
	const size_t at = out->len;
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err why = { 0 };
	bool good;

	tape_json_init(&r);
	tape_json_open(&r, json->data, json->len, TAPE_JSON_OURS);
	do
		good = tape_json_next(&r, &tok, &why) == TAPE_OK &&
		       tok.depth < MAX_DEPTH;
	while (good && tok.type != TAPE_JSON_END);
	tape_json_release(&r);
	if (!good || tape_buf_add(out, json->data, json->len) != TAPE_OK)
		return;
	for (char *p = out->data + at; p < out->data + out->len; p++)
		if (*p == '\n' || *p == '\r' || *p == '\t')
			*p = ' ';
}

void
tape_api_usage(const struct tape_api_decoder *d, struct tape_buf *out)
{
	if (d->usage.len > 0)
		add_kept(out, &d->usage);
}

void
tape_api_timing(const struct tape_api_decoder *d, struct tape_buf *out)
{
	const size_t at = out->len;
	size_t before, named;

	for (int i = 0; i < TAPE_API_TIMINGS && d->state != NULL; i++) {
		if (d->state->timings[i].len == 0)
			continue;
		before = out->len;
		(void)tape_buf_add_fmt(out,
		    "%c\"%s\":", before == at ? '{' : ',',
		    tape_api_timing_name(i));
		named = out->len;
		add_kept(out, &d->state->timings[i]);
		if (out->len == named)
			out->data[out->len = before] = '\0';
	}
	if (out->len > at)
		(void)tape_buf_add_char(out, '}');
}
