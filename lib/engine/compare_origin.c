/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_origin.h"

#include "base/mem.h"
#include "record/schema.h"

static enum tape_status
keep_first(struct tape_compare_set *set, const struct tape_header *h,
    struct tape_err *err)
{
	struct tape_header *to = &set->origin.first;
	enum tape_status st;

	tape_schema_init(TAPE_KIND_HEADER, to);
	st = tape_compare_keep(set, h->format, &to->format, err);
	if (st == TAPE_OK)
		st = tape_compare_keep(set, h->version, &to->version, err);
	if (st == TAPE_OK)
		st = tape_compare_keep(set, h->epoch, &to->epoch, err);
	if (st == TAPE_OK)
		st =
		    tape_compare_keep(set, h->epoch_mono, &to->epoch_mono, err);
	if (st == TAPE_OK)
		st = tape_compare_keep(set, h->run_id, &to->run_id, err);
	if (st == TAPE_OK)
		st = tape_compare_keep(set, h->meta, &to->meta, err);
	return st;
}

static enum tape_status
add_chain(
    struct tape_compare_set *set, struct tape_str prov, struct tape_err *err)
{
	struct tape_compare_origin *o = &set->origin;
	void *v = o->chains;

	for (size_t i = 0; i < o->n; i++)
		if (tape_str_equal(o->chains[i], prov))
			return TAPE_OK;
	if (tape_mem_grow(&v, &o->cap, o->n + 1, sizeof(*o->chains)) != 0)
		return tape_err_nomem(err);
	o->chains = v;
	return tape_compare_keep(set, prov, &o->chains[o->n++], err);
}

enum tape_status
tape_compare_origin_add(struct tape_compare_set *set,
    const struct tape_header *h, struct tape_err *err)
{
	struct tape_compare_origin *o = &set->origin;
	enum tape_status st = TAPE_OK;

	if (o->first.format.p == NULL)
		st = keep_first(set, h, err);
	else if (tape_compare_text_order(o->first.meta, h->meta) != 0)
		o->first.meta = tape_str_make(NULL, 0);
	return st == TAPE_OK ? add_chain(set, h->prov, err) : st;
}

enum tape_status
tape_compare_origin_join(struct tape_compare_set *set,
    const struct tape_compare_origin *from, struct tape_err *err)
{
	struct tape_compare_origin *o = &set->origin;
	enum tape_status st = TAPE_OK;

	if (tape_compare_text_order(o->first.meta, from->first.meta) != 0)
		o->first.meta = tape_str_make(NULL, 0);
	for (size_t i = 0; i < from->n && st == TAPE_OK; i++)
		st = add_chain(set, from->chains[i], err);
	return st;
}
