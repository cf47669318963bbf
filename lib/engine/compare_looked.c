/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_looked.h"

#include "base/mem.h"
#include "codec/json.h"

#include <string.h>

#define AGREE 1e-9 /* relative, of the p of one look made twice */

void
tape_compare_looked_release(struct tape_compare_lookeds *l)
{
	tape_mem_free(l->v);
	tape_arena_release(&l->arena);
	memset(l, 0, sizeof(*l));
}

/* One look: an object that was begun. */
static enum tape_status
read_look(
    struct tape_json *r, struct tape_compare_looked *to, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	to->looks++;
	to->last.p = TAPE_ABSENT_F64;
	while ((st = tape_json_next(r, &tok, err)) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END) {
		if (tape_json_key_is(&tok, "pairs") &&
		    tok.type == TAPE_JSON_INT && tok.i64 > 0)
			to->last.pairs = (size_t)tok.i64;
		else if (tape_json_key_is(&tok, "p"))
			to->last.p = tok.num;
		else
			st = tape_json_skip(r, NULL, NULL, err);
		if (st != TAPE_OK)
			break;
	}
	return st;
}

static enum tape_status
read_looks(
    struct tape_json *r, struct tape_compare_looked *to, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	while ((st = tape_json_next(r, &tok, err)) == TAPE_OK &&
	       tok.type == TAPE_JSON_OBJECT) {
		st = read_look(r, to, err);
		if (st != TAPE_OK)
			return st;
	}
	if (st == TAPE_OK && tok.type != TAPE_JSON_ARRAY_END)
		return tape_err_set(err, TAPE_E_FORMAT, "looks are no objects");
	return st;
}

static enum tape_status
read_plan(
    struct tape_json *r, struct tape_compare_looked *to, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	to->sequential = true;
	while ((st = tape_json_next(r, &tok, err)) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END) {
		if (tape_json_key_is(&tok, "plan_hash") &&
		    tok.type == TAPE_JSON_STRING &&
		    tok.len < sizeof(to->hash)) {
			memcpy(to->hash, tok.str, tok.len);
			to->hash[tok.len] = '\0';
		} else if (tape_json_key_is(&tok, "looks") &&
			   tok.type == TAPE_JSON_ARRAY) {
			st = read_looks(r, to, err);
		} else {
			st = tape_json_skip(r, NULL, NULL, err);
		}
		if (st != TAPE_OK)
			break;
	}
	return st;
}

static enum tape_status
read_method(
    struct tape_str text, struct tape_compare_looked *to, struct tape_err *err)
{
	struct tape_json r;
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_init(&r);
	tape_json_open(&r, text.p, text.len, TAPE_JSON_OURS);
	st = tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tape_json_key_is(&tok, "sequential") &&
		    tok.type == TAPE_JSON_OBJECT)
			st = read_plan(&r, to, err);
		else
			st = tape_json_skip(&r, NULL, NULL, err);
	}
	tape_json_release(&r);
	return st;
}

static enum tape_status
keep_name(struct tape_arena *arena, struct tape_str from, struct tape_str *to,
    struct tape_err *err)
{
	*to = from;
	if (from.p == NULL)
		return TAPE_OK;
	to->p = tape_arena_dup(arena, from.p, from.len);
	return to->p == NULL ? tape_err_nomem(err) : TAPE_OK;
}

static enum tape_status
add_verdict(struct tape_compare_lookeds *l, const struct tape_verdict *v,
    struct tape_err *err)
{
	struct tape_compare_looked *to;
	void *p = l->v;
	enum tape_status st;

	if (tape_mem_grow(&p, &l->cap, l->n + 1, sizeof(*l->v)) != 0)
		return tape_err_nomem(err);
	l->v = p;
	to = &l->v[l->n++];
	memset(to, 0, sizeof(*to));
	to->pairs = v->pairs > 0 ? (size_t)v->pairs : 0;
	st = keep_name(&l->arena, v->arm_a, &to->arm_a, err);
	if (st == TAPE_OK)
		st = keep_name(&l->arena, v->arm_b, &to->arm_b, err);
	if (st == TAPE_OK)
		st = keep_name(&l->arena, v->group, &to->group, err);
	return st == TAPE_OK && v->method.p != NULL
		   ? read_method(v->method, to, err)
		   : st;
}

enum tape_status
tape_compare_looked_load(struct tape_compare_lookeds *l, struct tape_reader *in,
    struct tape_err *err)
{
	struct tape_record rec;
	enum tape_status st;

	tape_record_init(&rec);
	while ((st = tape_reader_next(in, &rec, err)) == TAPE_OK) {
		if (rec.kind != TAPE_KIND_VERDICT)
			continue;
		st = add_verdict(l, &rec.u.verdict, err);
		if (st == TAPE_OK)
			continue;
		(void)tape_err_at(
		    err, tape_reader_name(in), tape_reader_line(in));
		break;
	}
	tape_record_release(&rec);
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* Whether the pairs at hand give the last look again. */
static enum tape_status
repeats(const struct tape_compare_looked *was,
    const struct tape_compare_row *rows, size_t k,
    const struct tape_compare_opts *opts, bool *same, struct tape_err *err)
{
	struct tape_compare_walk walk;
	struct tape_compare_look look = { .pairs = 0 };
	enum tape_status st = tape_compare_walk_open(&walk, rows, k, opts, err);

	*same = true;
	if (was->looks == 0)
		return st;
	while (st == TAPE_OK && look.pairs < was->last.pairs)
		st = tape_compare_walk_next(&walk, &look, err);
	if (st != TAPE_OK && st != TAPE_EOF)
		return st;
	*same =
	    look.pairs == was->last.pairs &&
	    (look.p == was->last.p || (isnan(look.p) && isnan(was->last.p)) ||
		fabs(look.p - was->last.p) <= AGREE * look.p);
	return TAPE_OK;
}

static enum tape_status
check_one(const struct tape_compare_looked *was,
    const struct tape_compare_row *rows, size_t k,
    const struct tape_compare_opts *opts, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	char hash[TAPE_COMPARE_PLAN_HASH];
	bool same = true;
	enum tape_status st;

	if (!was->sequential) {
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, "other-plan",
		    "the earlier report, of %zu pairs, tested without a plan: "
		    "what is looked at once cannot be added to",
		    was->pairs);
		return TAPE_OK;
	}
	if (strcmp(was->hash, tape_compare_plan_hash(opts, hash)) != 0) {
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, "other-plan",
		    "the earlier report has another plan (%s, now %s): plan, "
		    "alpha, margin, looks and rows must stay",
		    was->hash, hash);
		return TAPE_OK;
	}
	st = repeats(was, rows, k, opts, &same, err);
	if (st == TAPE_OK && (!same || was->pairs > k))
		tape_compare_note(notes, TAPE_COMPARE_REFUSE, "other-pairs",
		    "the earlier report looked at %zu pairs, which the first "
		    "of the %zu at hand do not give again",
		    was->pairs, k);
	return st;
}

enum tape_status
tape_compare_looked_check(const struct tape_compare_lookeds *l,
    struct tape_compare_member *m, const struct tape_compare_opts *opts,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;
	size_t n = 0;

	for (size_t i = 0; i < l->n && st == TAPE_OK; i++) {
		const struct tape_compare_looked *was = &l->v[i];

		if (tape_compare_text_order(was->arm_a, m->view.arm_name[0]) !=
			0 ||
		    tape_compare_text_order(was->arm_b, m->view.arm_name[1]) !=
			0 ||
		    tape_compare_text_order(was->group, m->point) != 0)
			continue;
		n++;
		st = check_one(was, m->rows, m->design.k, opts, &m->notes, err);
	}
	if (n == 0)
		tape_compare_note(&m->notes, TAPE_COMPARE_REFUSE, "other-plan",
		    "the earlier report is of other arms");
	return st;
}
