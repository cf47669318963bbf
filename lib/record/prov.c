/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/prov.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "codec/json.h"
#include "codec/json_write.h"

#include <stdio.h>

#define ID_ROOM 24

/* An entry that was written; its id is p and its place, from 1. */
struct node {
	struct tape_str raw; /* as it stood in its chain */
	uint64_t hash;
	const size_t *from; /* places of its origins, from 0 */
	size_t from_n;
};

/* An id of the chain in hand, and what it was written as. */
struct name {
	struct tape_str id;
	size_t node;
};

struct join {
	struct tape_json_writer w;
	struct tape_json outer, inner;
	struct tape_arena arena;
	struct node *nodes;
	size_t n, node_cap;
	struct name *names;
	size_t name_n, name_cap;
	size_t *tails; /* the last node of each chain, none twice */
	size_t tail_n, tail_cap;
};

static void
write_id(struct join *j, const char *key, size_t node)
{
	char id[ID_ROOM];

	(void)snprintf(id, sizeof(id), "p%zu", node + 1);
	tape_json_write_cstr(&j->w, key, id);
}

static void
write_from(struct join *j, const size_t *from, size_t n)
{
	if (n == 0)
		return;
	tape_json_write_array(&j->w, "from");
	for (size_t i = 0; i < n; i++)
		write_id(j, NULL, from[i]);
	tape_json_write_array_end(&j->w);
}

/* The node of an id of this chain; the nearest one where it stands twice. */
static enum tape_status
find_name(struct join *j, const struct tape_json_token *tok, size_t *node,
    struct tape_err *err)
{
	struct tape_str id = tape_str_make(tok->str, tok->len);

	for (size_t i = j->name_n; i > 0; i--)
		if (tok->type == TAPE_JSON_STRING &&
		    tape_str_equal(j->names[i - 1].id, id)) {
			*node = j->names[i - 1].node;
			return TAPE_OK;
		}
	return tape_err_set(err, TAPE_E_FORMAT,
	    "an entry of \"prov\" follows one that does not stand before it");
}

/* The origins of an entry: the reader is at the begin of their array. */
static enum tape_status
read_from(struct join *j, struct node *e, struct tape_err *err)
{
	struct tape_json_token tok;
	size_t *from = NULL, cap = 0, n = 0;
	void *v = NULL;
	enum tape_status st;

	while ((st = tape_json_next(&j->inner, &tok, err)) == TAPE_OK &&
	       tok.type != TAPE_JSON_ARRAY_END) {
		if (tape_mem_grow(&v, &cap, n + 1, sizeof(*from)) != 0)
			st = tape_err_nomem(err);
		from = v;
		if (st == TAPE_OK)
			st = find_name(j, &tok, &from[n], err);
		if (st != TAPE_OK)
			break;
		n++;
	}
	if (st == TAPE_OK && n > 0) {
		size_t *kept = tape_arena_alloc(&j->arena, n, sizeof(*kept));

		if (kept == NULL)
			st = tape_err_nomem(err);
		else
			memcpy(kept, from, n * sizeof(*kept));
		e->from = kept;
		e->from_n = n;
	}
	tape_mem_free(from);
	return st;
}

/* Reads id and origins of an entry. */
static enum tape_status
read_entry(
    struct join *j, struct node *e, struct tape_str *id, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_open(&j->inner, e->raw.p, e->raw.len, TAPE_JSON_OURS);
	st = tape_json_expect(&j->inner, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&j->inner, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tape_json_key_is(&tok, "id") &&
		    tok.type == TAPE_JSON_STRING) {
			id->p = tape_arena_dup(&j->arena, tok.str, tok.len);
			id->len = tok.len;
			if (id->p == NULL)
				st = tape_err_nomem(err);
		} else if (tape_json_key_is(&tok, "from") &&
			   tok.type == TAPE_JSON_ARRAY) {
			st = read_from(j, e, err);
		} else {
			st = tape_json_skip(&j->inner, NULL, NULL, err);
		}
	}
	return st == TAPE_OK ? tape_json_end(&j->inner, err) : st;
}

/* Copies the members of an entry but for id and from. */
static enum tape_status
copy_members(struct join *j, struct tape_str raw, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_open(&j->inner, raw.p, raw.len, TAPE_JSON_OURS);
	st = tape_json_expect(&j->inner, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		bool ours;
		char *key;
		const char *value;
		size_t len;

		st = tape_json_next(&j->inner, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		ours = tape_json_key_is(&tok, "id") ||
		       tape_json_key_is(&tok, "from");
		key = tape_arena_dup(&j->arena, tok.key, tok.key_len);
		if (key == NULL)
			return tape_err_nomem(err);
		st = tape_json_skip(&j->inner, &value, &len, err);
		if (st == TAPE_OK && !ours)
			tape_json_write_raw(&j->w, key, value, len);
	}
	return st;
}

static size_t
find_node(const struct join *j, const struct node *e)
{
	size_t i;

	for (i = 0; i < j->n; i++) {
		const struct node *o = &j->nodes[i];

		if (o->hash == e->hash && tape_str_equal(o->raw, e->raw) &&
		    o->from_n == e->from_n &&
		    (e->from_n == 0 || memcmp(o->from, e->from,
					   e->from_n * sizeof(*e->from)) == 0))
			break;
	}
	return i;
}

/* Writes an entry unless it was written for another chain; *node is its. */
static enum tape_status
put_entry(
    struct join *j, const struct node *e, size_t *node, struct tape_err *err)
{
	void *v = j->nodes;
	enum tape_status st;

	*node = find_node(j, e);
	if (*node < j->n)
		return TAPE_OK;
	if (j->n == TAPE_PROV_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "more than %d entries of \"prov\"", TAPE_PROV_MAX);
	if (tape_mem_grow(&v, &j->node_cap, j->n + 1, sizeof(*j->nodes)) != 0)
		return tape_err_nomem(err);
	j->nodes = v;
	j->nodes[j->n++] = *e;
	tape_json_write_object(&j->w, NULL);
	write_id(j, "id", *node);
	write_from(j, e->from, e->from_n);
	st = copy_members(j, e->raw, err);
	tape_json_write_object_end(&j->w);
	return st;
}

static enum tape_status
add_name(struct join *j, struct tape_str id, size_t node, struct tape_err *err)
{
	void *v = j->names;

	if (tape_mem_grow(&v, &j->name_cap, j->name_n + 1, sizeof(*j->names)) !=
	    0)
		return tape_err_nomem(err);
	j->names = v;
	j->names[j->name_n++] = (struct name){ id, node };
	return TAPE_OK;
}

static enum tape_status
add_tail(struct join *j, size_t node, struct tape_err *err)
{
	void *v = j->tails;

	for (size_t i = 0; i < j->tail_n; i++)
		if (j->tails[i] == node)
			return TAPE_OK;
	if (tape_mem_grow(&v, &j->tail_cap, j->tail_n + 1, sizeof(*j->tails)) !=
	    0)
		return tape_err_nomem(err);
	j->tails = v;
	j->tails[j->tail_n++] = node;
	return TAPE_OK;
}

static enum tape_status
add_chain(struct join *j, struct tape_str chain, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;
	size_t node = 0;

	j->name_n = 0;
	tape_json_open(&j->outer, chain.p, chain.len, TAPE_JSON_OURS);
	st = tape_json_expect(&j->outer, TAPE_JSON_ARRAY, &tok, err);
	while (st == TAPE_OK) {
		struct node e = { .from_n = 0 };
		struct tape_str id = { NULL, 0 };

		st = tape_json_next(&j->outer, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		if (tok.type != TAPE_JSON_OBJECT)
			return tape_err_set(err, TAPE_E_FORMAT,
			    "an entry of \"prov\" is not an object");
		st = tape_json_skip(&j->outer, &e.raw.p, &e.raw.len, err);
		if (st != TAPE_OK)
			break;
		e.hash = tape_hash_add(TAPE_HASH_START, e.raw.p, e.raw.len);
		st = read_entry(j, &e, &id, err);
		if (st == TAPE_OK)
			st = put_entry(j, &e, &node, err);
		if (st == TAPE_OK)
			st = add_name(j, id, node, err);
	}
	if (st == TAPE_OK)
		st = tape_json_end(&j->outer, err);
	return st == TAPE_OK && j->name_n > 0 ? add_tail(j, node, err) : st;
}

static void
write_optional(struct tape_json_writer *w, const char *key, const char *value)
{
	if (value != NULL)
		tape_json_write_cstr(w, key, value);
}

static void
write_own(struct join *j, const struct tape_prov *e)
{
	struct tape_json_writer *w = &j->w;

	tape_json_write_object(w, NULL);
	write_id(j, "id", j->n);
	write_from(j, j->tails, j->tail_n);
	tape_json_write_cstr(w, "tool", e->tool);
	tape_json_write_cstr(w, "version", e->version);
	tape_json_write_array(w, "argv");
	for (size_t i = 0; i < e->argc; i++)
		tape_json_write_cstr(w, NULL, e->argv[i]);
	tape_json_write_array_end(w);
	write_optional(w, "host", e->host);
	write_optional(w, "started", e->started);
	write_optional(w, "libs", e->libs);
	write_optional(w, "input", e->input);
	tape_json_write_object_end(w);
}

enum tape_status
tape_prov_join(struct tape_buf *out, struct tape_strs chains,
    const struct tape_prov *entry, struct tape_err *err)
{
	struct join j = { .n = 0 };
	enum tape_status st = TAPE_OK, fin;

	tape_json_init(&j.outer);
	tape_json_init(&j.inner);
	tape_json_write_init(&j.w, out);
	tape_json_write_array(&j.w, NULL);
	for (size_t i = 0; i < chains.n && st == TAPE_OK; i++)
		if (chains.v[i].p != NULL && chains.v[i].len > 0)
			st = add_chain(&j, chains.v[i], err);
	write_own(&j, entry);
	tape_json_write_array_end(&j.w);
	fin = tape_json_write_finish(&j.w, err);
	tape_json_release(&j.outer);
	tape_json_release(&j.inner);
	tape_arena_release(&j.arena);
	tape_mem_free(j.nodes);
	tape_mem_free(j.names);
	tape_mem_free(j.tails);
	return st != TAPE_OK ? st : fin;
}
