/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_grown.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/stat_rng.h"

/* The last text of a choice, and its count of tokens. */
struct tape_api_grown {
	uint64_t hash;
	size_t len;
	bool blank; /* white space only */
	int64_t tokens;
};

static const char replacement[] = "\xef\xbf\xbd";

#define REPLACEMENT (sizeof(replacement) - 1)

static enum tape_status
grown_of(struct tape_api_state *s, int64_t choice, struct tape_api_grown **out,
    struct tape_err *err)
{
	const size_t n = (size_t)choice + 1;

	*out = NULL;
	if (choice < 0 || choice >= TAPE_API_MAX_CHOICES)
		return TAPE_OK;
	if (tape_mem_grow(
		(void **)&s->grown, &s->grown_cap, n, sizeof(*s->grown)) != 0)
		return tape_err_nomem(err);
	while (s->grown_n < n)
		s->grown[s->grown_n++] = (struct tape_api_grown){ 0 };
	*out = &s->grown[choice];
	return TAPE_OK;
}

static bool
is_blank(struct tape_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (strchr(" \t\r\n", text.p[i]) == NULL)
			return false;
	return true;
}

static struct tape_str
without_replacement(struct tape_str text)
{
	while (
	    text.len >= REPLACEMENT && memcmp(text.p + text.len - REPLACEMENT,
					   replacement, REPLACEMENT) == 0)
		text.len -= REPLACEMENT;
	return text;
}

static void
remember(struct tape_api_grown *g, struct tape_str text)
{
	g->hash = tape_rng_fnv64(text.p, text.len);
	g->len = text.len;
	g->blank = is_blank(text);
}

/* Decides, where the text allows it, what this response's texts are. */
static void
judge(struct tape_api_state *s, const struct tape_api_grown *g,
    struct tape_str text, bool begins, enum tape_api_growth usual)
{
	if (g->len == 0)
		return;
	if (!begins &&
	    (s->growth == TAPE_API_GROWTH_UNKNOWN || text.len < g->len))
		s->growth = TAPE_API_GROWTH_PIECES;
	/* A piece may well begin with the white space that came before. */
	else if (begins && s->growth == TAPE_API_GROWTH_UNKNOWN &&
		 text.len > g->len &&
		 (usual == TAPE_API_GROWTH_WHOLE || !g->blank))
		s->growth = TAPE_API_GROWTH_WHOLE;
}

/* Adds what is behind the first n bytes, from a character on. */
static void
add_behind(struct tape_api_state *s, struct tape_str text, size_t n)
{
	n = n < text.len ? n : text.len;
	while (n < text.len && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n++;
	tape_api_add_text(s, TAPE_API_CONTENT, text.p + n, text.len - n);
}

enum tape_status
tape_api_add_grown(struct tape_api_state *s, struct tape_str text,
    enum tape_api_growth usual, bool final, struct tape_err *err)
{
	const struct tape_str whole = final ? text : without_replacement(text);
	struct tape_api_grown *g;
	enum tape_api_growth is;
	enum tape_status st;

	st = grown_of(s, s->choices[s->choices_n - 1].index, &g, err);
	if (st != TAPE_OK || text.len == 0)
		return st;
	if (g != NULL && s->growth != TAPE_API_GROWTH_PIECES)
		judge(s, g, whole,
		    g->len <= whole.len &&
			tape_rng_fnv64(whole.p, g->len) == g->hash,
		    usual);
	is = s->growth == TAPE_API_GROWTH_UNKNOWN ? usual : s->growth;
	if (g == NULL || is == TAPE_API_GROWTH_PIECES)
		tape_api_add_text(s, TAPE_API_CONTENT, text.p, text.len);
	else
		add_behind(s, whole, g->len);
	if (g != NULL && s->growth != TAPE_API_GROWTH_PIECES && whole.len > 0)
		remember(g, whole);
	return TAPE_OK;
}

enum tape_status
tape_api_slot_grown(struct tape_api_state *s, const struct tape_api_slot *slot,
    enum tape_api_growth usual, bool final, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (slot->type != TAPE_JSON_STRING)
		return TAPE_OK;
	tape_json_open(&s->json, slot->raw.p, slot->raw.len, TAPE_JSON_FOREIGN);
	st = tape_json_next(&s->json, &tok, err);
	if (st != TAPE_OK)
		return st;
	return tape_api_add_grown(
	    s, tape_str_make(tok.str, tok.len), usual, final, err);
}

/* What an event adds depends on those before it, so none has a known shape. */
enum tape_status
tape_api_grown_decode(struct tape_api_decoder *d, struct tape_str type,
    struct tape_str data, struct tape_err *err)
{
	enum tape_status st;

	st = tape_api_slots_decode(d, type, data, err);
	d->state->template.good = false;
	return st;
}

enum tape_status
tape_api_add_count(struct tape_api_state *s, int64_t choice, int64_t count,
    int64_t *sum, struct tape_err *err)
{
	const int64_t limit = INT64_C(1) << 53; /* of counts in records */
	struct tape_api_grown *g;
	enum tape_status st = grown_of(s, choice, &g, err);

	*sum = 0;
	if (st != TAPE_OK)
		return st;
	if (g != NULL && count >= 0 && count <= limit)
		g->tokens = count;
	for (size_t i = 0; g != NULL && i < s->grown_n && *sum <= limit; i++)
		*sum += s->grown[i].tokens;
	return TAPE_OK;
}
