/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/spool.h"

#include "base/arena.h"
#include "base/mem.h"
#include "engine/idmap.h"
#include "engine/spool_file.h"

struct tape_spool {
	struct tape_spool_info info;
	struct tape_vocab_set vocabs;
	struct tape_spool_file lines;
	struct tape_spool_file index; /* of struct row */
	struct tape_idmap ids;        /* while it is filled */
	uint64_t hash;
	struct tape_buf line; /* being read */
	struct tape_arena arena;
	struct tape_str *chains; /* of the segments, in the arena */
	size_t chains_n, chains_cap;
};

struct row {
	uint64_t offset;
	uint64_t key;
	uint64_t session; /* digest, 0 none */
	uint32_t len;
	uint32_t dependents;
};

enum tape_status
tape_spool_open(struct tape_spool **out, const char *dir, struct tape_err *err)
{
	struct tape_spool *s = tape_mem_calloc(1, sizeof(*s));
	enum tape_status st;

	if (s == NULL)
		return tape_err_nomem(err);
	tape_vocab_set_init(&s->vocabs);
	tape_buf_init(&s->line, TAPE_CAP_LINE);
	tape_spool_file_init(&s->lines);
	tape_spool_file_init(&s->index);
	s->hash = TAPE_HASH_START;
	st = tape_spool_file_open(&s->lines, dir, err);
	if (st == TAPE_OK)
		st = tape_spool_file_open(&s->index, dir, err);
	if (st != TAPE_OK) {
		tape_spool_free(s);
		return st;
	}
	*out = s;
	return TAPE_OK;
}

void
tape_spool_free(struct tape_spool *s)
{
	if (s == NULL)
		return;
	tape_vocab_set_release(&s->vocabs);
	tape_spool_file_release(&s->lines);
	tape_spool_file_release(&s->index);
	tape_idmap_release(&s->ids);
	tape_buf_release(&s->line);
	tape_mem_free(s->chains);
	tape_arena_release(&s->arena);
	tape_mem_free(s);
}

static enum tape_status
bad(struct tape_err *err, const char *what)
{
	return tape_err_set(err, TAPE_E_FORMAT, "%s", what);
}

/* Which input it is; the number of those that are there. */
static int
input_kind(const struct tape_input *in, size_t *kind)
{
	const bool there[TAPE_SPOOL_INPUTS] = { in->text.p != NULL,
		in->messages.p != NULL, in->tokens.v != NULL,
		in->blocks.vocab.p != NULL, in->body.p != NULL };
	int n = 0;

	for (size_t i = 0; i < TAPE_SPOOL_INPUTS; i++) {
		if (!there[i])
			continue;
		*kind = i;
		n++;
	}
	return n;
}

static enum tape_status
check_input(
    struct tape_spool *s, const struct tape_input *in, struct tape_err *err)
{
	size_t kind = 0;
	int n = input_kind(in, &kind);

	if (n != 1)
		return bad(err, n == 0 ? "a request without an input"
				       : "a request with several inputs");
	if (s->info.first_of[kind] == 0)
		s->info.first_of[kind] = s->info.requests + 1;
	if (in->blocks.vocab.p != NULL)
		return tape_prompt_check(&s->vocabs, &in->blocks, err);
	s->info.verbatim++;
	s->info.bodies += in->body.p != NULL;
	return TAPE_OK;
}

static bool
is_object(struct tape_str json)
{
	return json.p == NULL || (json.len > 0 && json.p[0] == '{');
}

static enum tape_status
check_time(
    struct tape_spool *s, const struct tape_request *r, struct tape_err *err)
{
	struct tape_spool_info *i = &s->info;
	bool timed = r->t_ns != TAPE_ABSENT_I64;
	bool waits = r->after.n > 0;

	if (!timed && i->timed && !waits)
		return bad(err, "a request without t_ns among others with it");
	if (timed && !i->timed && i->requests > i->waiting)
		return bad(err, "a request with t_ns among others without it");
	if (!timed)
		return TAPE_OK;
	if (!i->timed)
		i->first_t_ns = r->t_ns;
	else if (r->t_ns < i->last_t_ns)
		return bad(err, "t_ns goes back");
	i->timed = true;
	i->last_t_ns = r->t_ns;
	return TAPE_OK;
}

static enum tape_status
check_fields(
    struct tape_spool *s, const struct tape_request *r, struct tape_err *err)
{
	if (r->id.len == 0)
		return bad(err, "an empty id");
	if (!is_object(r->params) || !is_object(r->labels))
		return bad(err, "params or labels that are no object");
	if (r->output_tokens != TAPE_ABSENT_I64 && r->output_tokens < 1)
		return bad(err, "output_tokens below 1");
	if (r->delay_ns != TAPE_ABSENT_I64 && r->delay_ns < 0)
		return bad(err, "a negative delay_ns");
	return check_input(s, &r->input, err);
}

static enum tape_status
row_get(
    struct tape_spool *s, uint64_t seq, struct row *row, struct tape_err *err)
{
	return tape_spool_file_read(
	    &s->index, seq * sizeof(*row), row, sizeof(*row), err);
}

/* Each predecessor is known, of this session, and told that it is named. */
static enum tape_status
check_after(struct tape_spool *s, const struct tape_request *r,
    uint64_t session, struct tape_err *err)
{
	for (size_t i = 0; i < r->after.n; i++) {
		struct tape_str id = r->after.v[i];
		enum tape_status st;
		struct row row = { 0 };
		uint64_t seq;

		if (!tape_idmap_get(
			&s->ids, tape_idmap_key(id.p, id.len), &seq))
			return tape_err_set(err, TAPE_E_FORMAT,
			    "after names '%.*s', which is no earlier request",
			    (int)(id.len < 64 ? id.len : 64), id.p);
		st = row_get(s, seq, &row, err);
		if (st != TAPE_OK)
			return st;
		if (session == 0 || row.session != session)
			return tape_err_set(err, TAPE_E_FORMAT,
			    "after names '%.*s', which is of another session",
			    (int)(id.len < 64 ? id.len : 64), id.p);
		row.dependents++;
		st = tape_spool_file_write(
		    &s->index, seq * sizeof(row), &row, sizeof(row), err);
		if (st != TAPE_OK)
			return st;
	}
	return TAPE_OK;
}

static enum tape_status
add_line(struct tape_spool *s, struct tape_str line, struct row *row,
    struct tape_err *err)
{
	row->offset = tape_spool_file_size(&s->lines);
	row->len = (uint32_t)line.len;
	s->hash = tape_hash_add(s->hash, line.p, line.len);
	s->hash = tape_hash_add(s->hash, "\n", 1);
	return tape_spool_file_append(&s->lines, line.p, line.len, err);
}

static enum tape_status
add_request(
    struct tape_spool *s, const struct tape_record *rec, struct tape_err *err)
{
	const struct tape_request *r = &rec->u.request;
	struct row row = { 0 };
	enum tape_status st = check_fields(s, r, err);

	if (st == TAPE_OK)
		st = check_time(s, r, err);
	if (st != TAPE_OK)
		return st;
	row.key = tape_idmap_key(r->id.p, r->id.len);
	if (tape_idmap_get(&s->ids, row.key, NULL))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "id '%.*s' is there twice",
		    (int)(r->id.len < 64 ? r->id.len : 64), r->id.p);
	if (r->session.p != NULL)
		row.session = tape_idmap_key(r->session.p, r->session.len) | 1;
	st = check_after(s, r, row.session, err);
	if (st == TAPE_OK)
		st = tape_idmap_add(&s->ids, row.key, s->info.requests, err);
	if (st == TAPE_OK)
		st = add_line(s, rec->line, &row, err);
	if (st == TAPE_OK)
		st = tape_spool_file_append(&s->index, &row, sizeof(row), err);
	s->info.requests++;
	s->info.waiting += r->after.n > 0;
	return st;
}

static enum tape_status
add_vocab(
    struct tape_spool *s, const struct tape_record *rec, struct tape_err *err)
{
	s->hash = tape_hash_add(s->hash, rec->line.p, rec->line.len);
	s->hash = tape_hash_add(s->hash, "\n", 1);
	return tape_vocab_set_add(&s->vocabs, rec->u.vocab.name,
	    rec->u.vocab.words, rec->u.vocab.first, err);
}

static enum tape_status
add_chain(
    struct tape_spool *s, const struct tape_record *rec, struct tape_err *err)
{
	struct tape_str from = rec->u.header.prov;
	void *v = s->chains;
	char *copy = tape_arena_dup(&s->arena, from.p, from.len);

	if (copy == NULL || tape_mem_grow(&v, &s->chains_cap, s->chains_n + 1,
				sizeof(*s->chains)) != 0)
		return tape_err_nomem(err);
	s->chains = v;
	s->chains[s->chains_n++] = tape_str_make(copy, from.len);
	return TAPE_OK;
}

enum tape_status
tape_spool_fill(struct tape_spool *s, struct tape_reader *r,
    int (*interrupts)(void), struct tape_err *err)
{
	struct tape_record rec;
	enum tape_status st = TAPE_OK;

	tape_record_init(&rec);
	while (st == TAPE_OK && (interrupts == NULL || interrupts() == 0)) {
		st = tape_reader_next(r, &rec, err);
		if (st == TAPE_OK && rec.kind == TAPE_KIND_REQUEST)
			st = add_request(s, &rec, err);
		else if (st == TAPE_OK && rec.kind == TAPE_KIND_VOCAB)
			st = add_vocab(s, &rec, err);
		else if (st == TAPE_OK && rec.kind == TAPE_KIND_HEADER)
			st = add_chain(s, &rec, err);
		else
			continue;
		if (st != TAPE_OK)
			(void)tape_err_at(
			    err, tape_reader_name(r), tape_reader_line(r));
	}
	tape_record_release(&rec);
	tape_idmap_release(&s->ids);
	s->info.ending = tape_reader_ending(r);
	(void)tape_hash_print(s->hash, s->info.hash);
	if (st != TAPE_EOF)
		return st;
	if (s->info.requests > 0)
		return TAPE_OK;
	(void)tape_err_set(err, TAPE_E_FORMAT, "no request in the trace");
	(void)tape_err_at(err, tape_reader_name(r), 0);
	return TAPE_E_FORMAT;
}

const struct tape_spool_info *
tape_spool_info(const struct tape_spool *s)
{
	return &s->info;
}

struct tape_strs
tape_spool_chains(const struct tape_spool *s)
{
	struct tape_strs v = { s->chains, s->chains_n };

	return v;
}

const struct tape_vocab_set *
tape_spool_vocabs(const struct tape_spool *s)
{
	return &s->vocabs;
}

enum tape_status
tape_spool_read(struct tape_spool *s, uint64_t seq, struct tape_record *rec,
    struct tape_spool_entry *entry, struct tape_err *err)
{
	struct row row = { 0 };
	enum tape_status st = row_get(s, seq, &row, err);

	tape_buf_clear(&s->line);
	if (st == TAPE_OK && tape_buf_reserve(&s->line, row.len) != TAPE_OK)
		st = tape_buf_status(&s->line, err);
	if (st == TAPE_OK)
		st = tape_spool_file_read(
		    &s->lines, row.offset, s->line.data, row.len, err);
	if (st == TAPE_OK)
		st = tape_record_decode(rec, s->line.data, row.len, err);
	*entry = (struct tape_spool_entry){ row.key, row.dependents };
	return st;
}

enum tape_status
tape_spool_take(struct tape_spool **out, const char *dir, struct tape_reader *r,
    int (*interrupts)(void), bool allow_failed, struct tape_err *err)
{
	enum tape_status st = tape_spool_open(
	    out, dir == NULL || dir[0] == '\0' ? "/tmp" : dir, err);

	if (st != TAPE_OK)
		return st;
	st = tape_spool_fill(*out, r, interrupts, err);
	if (interrupts() > 0) {
		tape_err_clear(err);
		return TAPE_OK;
	}
	if (st == TAPE_OK && !allow_failed &&
	    tape_spool_info(*out)->ending == TAPE_ENDING_FAILED)
		st = tape_err_set(err, TAPE_E_TRUNC,
		    "making the trace failed: it is not whole");
	return st;
}
