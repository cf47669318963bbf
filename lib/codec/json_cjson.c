/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cJSON 1.7.15 takes what is not JSON: control characters as white space, 01
 * and 1. as numbers, any bytes in strings, \u with other than digits; a number
 * too large becomes infinite, all are doubles, and \u0000 ends a string.
 * tape_json_check, run before it, refuses all that and keeps the integers.
 */
#include "codec/json_impl.h"

#include "base/mem.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

struct tape_json_tree {
	cJSON *root;
	const cJSON *at; /* the next value, NULL at the end of its container */
	const cJSON *open[TAPE_CAP_JSON_DEPTH];
	struct tape_json_integers n;
	size_t number; /* how many numbers were passed */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool refused; /* cJSON does not say why it failed */

static void *
allocate(size_t size)
{
	void *p = tape_mem_realloc(NULL, size, 1);

	if (p == NULL)
		refused = true;
	return p;
}

static void
set_hooks(void)
{
	cJSON_Hooks hooks = { allocate, tape_mem_free };

	cJSON_InitHooks(&hooks);
}

void
tape_json_tree_free(struct tape_json *r)
{
	if (r->tree == NULL)
		return;
	cJSON_Delete(r->tree->root);
	tape_mem_free(r->tree->n.v);
	tape_mem_free(r->tree);
	r->tree = NULL;
}

/* Sets the tree's root, or fails. */
static enum tape_status
parse(struct tape_json *r, const char *text, size_t len, struct tape_err *err)
{
	const char *end = text, *stop = text + len;

	(void)pthread_once(&once, set_hooks);
	refused = false;
	r->tree->root = cJSON_ParseWithLengthOpts(text, len, &end, 0);
	if (refused)
		return tape_json_fail(
		    r, TAPE_E_NOMEM, text, "out of memory", err);
	if (r->tree->root == NULL)
		return tape_json_fail(
		    r, TAPE_E_FORMAT, end, "cJSON does not take it", err);
	while (end < stop && strchr(" \t\r\n", *end) != NULL && *end != '\0')
		end++;
	if (end < stop)
		return tape_json_fail(
		    r, TAPE_E_FORMAT, end, "more after the value", err);
	r->tree->at = r->tree->root;
	return TAPE_OK;
}

enum tape_status
tape_json_open_tree(struct tape_json *r, const char *text, size_t len,
    enum tape_json_mode mode, struct tape_err *err)
{
	enum tape_status st;

	tape_json_open(r, "", 0, mode);
	r->tree = tape_mem_calloc(1, sizeof(*r->tree));
	if (r->tree == NULL)
		return tape_json_fail(
		    r, TAPE_E_NOMEM, r->text, "out of memory", err);
	r->text = len > 0 ? text : "";
	st = tape_json_check(r, r->text, len, &r->tree->n, err);
	if (st == TAPE_OK)
		st = parse(r, r->text, len, err);
	r->text = r->p = r->end = r->last_raw = "";
	return st;
}

static int
by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static enum tape_status
check_keys(struct tape_json *r, const cJSON *object, struct tape_err *err)
{
	const cJSON *c;
	const char **key;
	size_t n = 0, i = 0;
	enum tape_status st = TAPE_OK;

	cJSON_ArrayForEach(c, object) n++;
	key = tape_mem_calloc(n, sizeof(*key));
	if (key == NULL)
		return tape_json_fail(
		    r, TAPE_E_NOMEM, r->text, "out of memory", err);
	cJSON_ArrayForEach(c, object) key[i++] = c->string;
	qsort(key, n, sizeof(*key), by_name);
	for (i = 1; i < n && st == TAPE_OK; i++)
		if (strcmp(key[i - 1], key[i]) == 0)
			st = tape_json_fail(r, TAPE_E_FORMAT, r->text,
			    "key twice in one object", err);
	tape_mem_free(key);
	return st;
}

static enum tape_status
show_number(struct tape_json *r, const cJSON *c, struct tape_json_token *tok,
    struct tape_err *err)
{
	const struct tape_json_integer *n = r->tree->n.v + r->tree->number;

	if (r->tree->number++ >= r->tree->n.len)
		return tape_json_fail(
		    r, TAPE_E_BUG, r->text, "a number not seen before", err);
	tok->type = n->is_i64 ? TAPE_JSON_INT : TAPE_JSON_DOUBLE;
	tok->i64 = n->i64;
	tok->u64 = n->u64;
	tok->num = n->is_i64 ? (double)n->i64 : c->valuedouble;
	tok->clamped = !isfinite(tok->num);
	if (!tok->clamped)
		return TAPE_OK;
	if (r->mode == TAPE_JSON_OURS)
		return tape_json_fail(
		    r, TAPE_E_FORMAT, r->text, "number too large", err);
	tok->num = tok->num < 0 ? -DBL_MAX : DBL_MAX;
	return TAPE_OK;
}

static enum tape_status
show_container(struct tape_json *r, const cJSON *c, struct tape_err *err)
{
	struct tape_json_tree *t = r->tree;

	if (cJSON_IsObject(c) && r->mode == TAPE_JSON_OURS &&
	    check_keys(r, c, err) != TAPE_OK)
		return r->status;
	t->open[r->depth++] = c;
	t->at = c->child;
	return TAPE_OK;
}

static enum tape_status
show_value(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	const cJSON *c = r->tree->at;

	if (c->string != NULL) {
		tok->key = c->string;
		tok->key_len = strlen(c->string);
	}
	r->tree->at = c->next;
	if (cJSON_IsObject(c)) {
		tok->type = TAPE_JSON_OBJECT;
		return show_container(r, c, err);
	}
	if (cJSON_IsArray(c)) {
		tok->type = TAPE_JSON_ARRAY;
		return show_container(r, c, err);
	}
	if (cJSON_IsNumber(c))
		return show_number(r, c, tok, err);
	if (cJSON_IsString(c)) {
		tok->type = TAPE_JSON_STRING;
		tok->str = c->valuestring;
		tok->len = strlen(c->valuestring);
		return TAPE_OK;
	}
	tok->type = cJSON_IsTrue(c)    ? TAPE_JSON_TRUE
		    : cJSON_IsFalse(c) ? TAPE_JSON_FALSE
				       : TAPE_JSON_NULL;
	return TAPE_OK;
}

enum tape_status
tape_json_tree_next(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err)
{
	struct tape_json_tree *t = r->tree;
	const cJSON *c;
	enum tape_status st = TAPE_OK;

	tok->key = NULL;
	tok->key_len = 0;
	tok->raw = NULL;
	tok->raw_len = 0;
	tok->depth = r->depth;
	if (t->at != NULL) {
		st = show_value(r, tok, err);
	} else if (r->depth > 0) {
		c = t->open[--r->depth];
		tok->depth = r->depth;
		tok->type = cJSON_IsObject(c) ? TAPE_JSON_OBJECT_END
					      : TAPE_JSON_ARRAY_END;
		t->at = c->next;
	}
	r->last = tok->type;
	return st;
}
