/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/prompt.h"

#include "base/mem.h"
#include "codec/stat_rng.h"

struct tape_vocab_words {
	struct tape_str name;
	char *text;      /* the name, then the words, each with a space before
	                    it */
	uint32_t *start; /* n + 1 offsets into text, of the spaces */
	uint32_t n;
	uint32_t *first;
	uint32_t n_first;
};

static void
words_free(struct tape_vocab_words *w)
{
	if (w == NULL)
		return;
	tape_mem_free(w->text);
	tape_mem_free(w->start);
	tape_mem_free(w->first);
	tape_mem_free(w);
}

void
tape_vocab_set_init(struct tape_vocab_set *set)
{
	*set = (struct tape_vocab_set){ 0 };
}

void
tape_vocab_set_release(struct tape_vocab_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		words_free(set->v[i]);
	tape_mem_free(set->v);
	tape_vocab_set_init(set);
}

const struct tape_vocab_words *
tape_vocab_set_find(const struct tape_vocab_set *set, struct tape_str name)
{
	for (size_t i = 0; i < set->n; i++)
		if (tape_str_equal(set->v[i]->name, name))
			return set->v[i];
	return NULL;
}

static bool
word_is_good(struct tape_str w)
{
	if (w.p == NULL || w.len == 0)
		return false;
	for (size_t i = 0; i < w.len; i++)
		if (w.p[i] <= ' ' || w.p[i] > '~' || w.p[i] == '"' ||
		    w.p[i] == '\\')
			return false;
	return true;
}

/* Checks the lists and counts the bytes that text needs. */
static enum tape_status
check_lists(struct tape_str name, struct tape_strs words,
    struct tape_i64s first, size_t *size, struct tape_err *err)
{
	if (name.p == NULL || name.len == 0 || name.len > TAPE_CAP_LINE)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "a vocabulary without a name");
	if (words.n == 0 || words.n > INT32_MAX || first.n == 0 ||
	    first.n > INT32_MAX)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "a vocabulary without words");
	*size = name.len;
	for (size_t i = 0; i < words.n; i++) {
		if (!word_is_good(words.v[i]))
			return tape_err_set(err, TAPE_E_FORMAT,
			    "word %zu of a vocabulary is not plain text", i);
		*size += words.v[i].len + 1;
	}
	if (*size > UINT32_MAX)
		return tape_err_set(
		    err, TAPE_E_LIMIT, "a vocabulary of over 4 GiB");
	for (size_t i = 0; i < first.n; i++)
		if (first.v[i] < 0 || (uint64_t)first.v[i] >= words.n)
			return tape_err_set(err, TAPE_E_FORMAT,
			    "first word %zu of a vocabulary is none of its "
			    "words",
			    i);
	return TAPE_OK;
}

static struct tape_vocab_words *
words_make(struct tape_str name, struct tape_strs words, struct tape_i64s first,
    size_t size)
{
	struct tape_vocab_words *w = tape_mem_calloc(1, sizeof(*w));
	size_t at = name.len;

	if (w == NULL)
		return NULL;
	w->text = tape_mem_calloc(size, 1);
	w->start = tape_mem_calloc(words.n + 1, sizeof(*w->start));
	w->first = tape_mem_calloc(first.n, sizeof(*w->first));
	if (w->text == NULL || w->start == NULL || w->first == NULL) {
		words_free(w);
		return NULL;
	}
	memcpy(w->text, name.p, name.len);
	w->name = tape_str_make(w->text, name.len);
	w->n = (uint32_t)words.n;
	w->n_first = (uint32_t)first.n;
	for (size_t i = 0; i < words.n; i++) {
		w->start[i] = (uint32_t)at;
		w->text[at] = ' ';
		memcpy(w->text + at + 1, words.v[i].p, words.v[i].len);
		at += words.v[i].len + 1;
	}
	w->start[words.n] = (uint32_t)at;
	for (size_t i = 0; i < first.n; i++)
		w->first[i] = (uint32_t)first.v[i];
	return w;
}

static bool
words_same(const struct tape_vocab_words *a, const struct tape_vocab_words *b)
{
	return a->n == b->n && a->n_first == b->n_first &&
	       a->start[a->n] == b->start[b->n] &&
	       memcmp(a->text, b->text, a->start[a->n]) == 0 &&
	       memcmp(a->start, b->start, a->n * sizeof(*a->start)) == 0 &&
	       memcmp(a->first, b->first, a->n_first * sizeof(*a->first)) == 0;
}

enum tape_status
tape_vocab_set_add(struct tape_vocab_set *set, struct tape_str name,
    struct tape_strs words, struct tape_i64s first, struct tape_err *err)
{
	const struct tape_vocab_words *old;
	struct tape_vocab_words *w;
	size_t size = 0;
	bool same;
	enum tape_status st = check_lists(name, words, first, &size, err);

	if (st != TAPE_OK)
		return st;
	w = words_make(name, words, first, size);
	if (w == NULL)
		return tape_err_nomem(err);
	old = tape_vocab_set_find(set, name);
	if (old != NULL) {
		same = words_same(old, w);
		words_free(w);
		if (!same)
			return tape_err_set(err, TAPE_E_FORMAT,
			    "two vocabularies are named \"%.*s\"",
			    tape_str_shown(name, 80), name.p);
		return TAPE_OK;
	}
	if (tape_mem_grow((void **)&set->v, &set->cap, set->n + 1,
		sizeof(struct tape_vocab_words *)) != 0) {
		words_free(w);
		return tape_err_nomem(err);
	}
	set->v[set->n++] = w;
	return TAPE_OK;
}

uint32_t
tape_prompt_draw(int64_t seed, int64_t id, uint32_t position, uint32_t salt)
{
	uint32_t out[4];
	const uint32_t key[2] = { (uint32_t)(uint64_t)seed,
		(uint32_t)((uint64_t)seed >> 32) };
	const uint32_t counter[4] = { (uint32_t)(uint64_t)id,
		(uint32_t)((uint64_t)id >> 32), position, salt };

	tape_rng_philox(counter, key, out);
	return out[0];
}

enum tape_status
tape_prompt_check(const struct tape_vocab_set *set,
    const struct tape_blocks *blocks, struct tape_err *err)
{
	int64_t rest;

	if (set == NULL || tape_vocab_set_find(set, blocks->vocab) == NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "no vocabulary \"%.*s\" came before its request",
		    tape_str_shown(blocks->vocab, 80),
		    blocks->vocab.p == NULL ? "" : blocks->vocab.p);
	if (blocks->ids.n == 0)
		return tape_err_set(err, TAPE_E_FORMAT, "blocks without ids");
	if (blocks->size < 1 || blocks->size > INT32_MAX)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "block size is not 1 to %d", INT32_MAX);
	if (__builtin_mul_overflow(
		(int64_t)(blocks->ids.n - 1), blocks->size, &rest) ||
	    __builtin_sub_overflow(blocks->tokens, rest, &rest) || rest < 1 ||
	    rest > blocks->size)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%lld tokens are not %zu blocks of %lld",
		    (long long)blocks->tokens, blocks->ids.n,
		    (long long)blocks->size);
	return TAPE_OK;
}

/* Appends n words of a block; the prompt's first one is special. */
static enum tape_status
add_block(const struct tape_vocab_words *w, const struct tape_blocks *blocks,
    size_t block, uint32_t salt, struct tape_buf *out)
{
	const bool last = block + 1 == blocks->ids.n;
	const uint32_t n =
	    (uint32_t)(last ? blocks->tokens - blocks->size * (int64_t)block
			    : blocks->size);
	uint32_t i = 0, r, at;

	if (block == 0) {
		r = tape_prompt_draw(blocks->seed, blocks->ids.v[0], 0, salt);
		at = w->first[tape_rng_mulhi(r, w->n_first)];
		(void)tape_buf_add(out, w->text + w->start[at] + 1,
		    w->start[at + 1] - w->start[at] - 1);
		i = 1;
	}
	for (; i < n && out->status == TAPE_OK; i++) {
		r = tape_prompt_draw(
		    blocks->seed, blocks->ids.v[block], i, salt);
		at = tape_rng_mulhi(r, w->n);
		(void)tape_buf_add(out, w->text + w->start[at],
		    w->start[at + 1] - w->start[at]);
	}
	return out->status;
}

enum tape_status
tape_prompt_render(const struct tape_vocab_set *set,
    const struct tape_blocks *blocks, uint32_t salt, struct tape_buf *out,
    struct tape_err *err)
{
	const size_t before = out->len;
	const struct tape_vocab_words *w;
	enum tape_status st = tape_prompt_check(set, blocks, err);

	if (st != TAPE_OK)
		return st;
	w = tape_vocab_set_find(set, blocks->vocab);
	for (size_t i = 0; i < blocks->ids.n && st == TAPE_OK; i++)
		st = add_block(w, blocks, i, salt, out);
	if (st == TAPE_OK)
		return st;
	if (out->len > before) {
		out->len = before;
		out->data[before] = '\0';
	}
	return tape_buf_status(out, err);
}
