/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_meta.h"

#include "codec/json.h"

#include <stdio.h>

#define KEY_ROOM   64
#define VALUE_ROOM 96
#define TOLD_MAX   16 /* members that are told of */
#define CONTEXT    20 /* bytes shown before a difference */

/* A member's value, as it stands there; absent when there is none. */
static struct tape_str
find(struct tape_str meta, struct tape_str name)
{
	struct tape_str value = { NULL, 0 }, inner;
	struct tape_json_token tok;
	struct tape_json j;
	bool found = false;

	if (meta.p == NULL)
		return value;
	tape_json_init(&j);
	tape_json_open(&j, meta.p, meta.len, TAPE_JSON_OURS);
	if (tape_json_expect(&j, TAPE_JSON_OBJECT, &tok, NULL) == TAPE_OK)
		while (!found && tape_json_next(&j, &tok, NULL) == TAPE_OK &&
		       tok.type != TAPE_JSON_OBJECT_END) {
			found = tape_str_equal(
			    tape_str_make(tok.key, tok.key_len), name);
			value = tape_str_make(tok.raw, tok.raw_len);
			if (tape_json_skip(&j, &inner.p, &inner.len, NULL) !=
			    TAPE_OK)
				break;
			if (tok.type == TAPE_JSON_OBJECT ||
			    tok.type == TAPE_JSON_ARRAY)
				value = inner;
		}
	tape_json_release(&j);
	return found ? value : tape_str_make(NULL, 0);
}

bool
tape_compare_meta_has(struct tape_str meta, struct tape_str name)
{
	return find(meta, name).p != NULL;
}

/* Where two values begin to differ, less what tells the place. */
static size_t
where_differing(struct tape_str a, struct tape_str b)
{
	size_t i = 0;

	if (a.len < VALUE_ROOM && b.len < VALUE_ROOM)
		return 0;
	while (i < a.len && i < b.len && a.p[i] == b.p[i])
		i++;
	return i > CONTEXT ? i - CONTEXT : 0;
}

/* A value for people, from a place on, without quotes. */
static void
show(struct tape_str v, size_t from, char dst[VALUE_ROOM])
{
	char text[VALUE_ROOM - 4];

	if (v.p != NULL && v.len >= 2 && *v.p == '"') {
		v.p++;
		v.len -= 2;
	}
	if (v.p == NULL) {
		(void)snprintf(dst, VALUE_ROOM, "none");
		return;
	}
	from = from < v.len ? from : v.len;
	(void)tape_compare_show(
	    tape_str_make(v.p + from, v.len - from), text, sizeof(text));
	(void)snprintf(dst, VALUE_ROOM, "%s%s", from > 0 ? "..." : "", text);
}

/* Two objects that are compared, and what was told of before. */
struct check {
	const struct tape_compare_vary *vary;
	struct tape_compare_notes *notes;
	char told[TOLD_MAX][KEY_ROOM];
	size_t told_n;
};

static bool
is_known(const struct check *c, struct tape_str name)
{
	for (size_t i = 0; i < c->vary->meta_n; i++)
		if (tape_str_equal(c->vary->meta[i], name))
			return true;
	for (size_t i = 0; i < c->told_n; i++)
		if (tape_str_is(name, c->told[i]))
			return true;
	return (c->vary->bits & TAPE_COMPARE_VARY_DEVICE) != 0 &&
	       tape_str_is(name, "device");
}

static void
tell(struct check *c, struct tape_str name, const char *x, const char *y,
    bool arms)
{
	char key[KEY_ROOM];

	(void)tape_compare_show(name, key, sizeof(key));
	if (c->told_n < TOLD_MAX && name.len < KEY_ROOM)
		memcpy(c->told[c->told_n++], key, sizeof(key));
	if (arms)
		tape_compare_note(c->notes, TAPE_COMPARE_REFUSE, "meta",
		    "the arms differ in %s (A: %s; B: %s): if that is what is "
		    "compared, say --vary %s",
		    key, x, y, key);
	else
		tape_compare_note(c->notes, TAPE_COMPARE_REFUSE, "meta",
		    "%s changes between the rounds of an arm (%s; %s): if it "
		    "does not matter, say --vary %s",
		    key, x, y, key);
}

/* One member of a, or of b, against the other's. */
static void
check_member(struct check *c, struct tape_str a, struct tape_str b,
    struct tape_str name, bool arms)
{
	struct tape_str va, vb;
	char x[VALUE_ROOM], y[VALUE_ROOM];
	size_t from;

	if (is_known(c, name))
		return;
	va = find(a, name);
	vb = find(b, name);
	if (tape_compare_text_order(va, vb) == 0)
		return;
	from = where_differing(va, vb);
	show(va, from, x);
	show(vb, from, y);
	tell(c, name, x, y, arms);
}

/* All members of one of the two, whose names are read by walk. */
static void
check_members(struct check *c, struct tape_str walk, struct tape_str a,
    struct tape_str b, bool arms)
{
	struct tape_json_token tok;
	struct tape_json j;

	if (walk.p == NULL)
		return;
	tape_json_init(&j);
	tape_json_open(&j, walk.p, walk.len, TAPE_JSON_OURS);
	if (tape_json_expect(&j, TAPE_JSON_OBJECT, &tok, NULL) != TAPE_OK)
		goto out;
	while (tape_json_next(&j, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END) {
		check_member(
		    c, a, b, tape_str_make(tok.key, tok.key_len), arms);
		if (tape_json_skip(&j, NULL, NULL, NULL) != TAPE_OK)
			break;
	}
out:
	tape_json_release(&j);
}

static void
check_two(struct check *c, struct tape_str a, struct tape_str b, bool arms)
{
	if (tape_compare_text_order(a, b) == 0)
		return;
	check_members(c, a, a, b, arms);
	check_members(c, b, a, b, arms);
}

void
tape_compare_check_meta(const struct tape_compare_design *design,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes)
{
	struct check c = { .vary = vary, .notes = notes };

	for (size_t i = 0; i < design->k; i++)
		check_two(&c,
		    design->pairs[i].run[TAPE_COMPARE_A]->conditions.meta,
		    design->pairs[i].run[TAPE_COMPARE_B]->conditions.meta,
		    true);
	for (size_t i = 1; i < design->k; i++)
		for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++)
			check_two(&c,
			    design->pairs[0].run[arm]->conditions.meta,
			    design->pairs[i].run[arm]->conditions.meta, false);
}
