/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp_runs.h"

#include "base/mem.h"

void
tape_stamp_runs_release(struct tape_stamp_runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		tape_mem_free(r->pointers[i]);
	tape_mem_free(r->pointers);
	tape_idmap_release(&r->bare);
	tape_idmap_release(&r->pointed);
	*r = (struct tape_stamp_runs){ 0 };
}

static uint64_t
key_of(int64_t run)
{
	return tape_idmap_mix(0, (uint64_t)run);
}

static enum tape_status
note_pointers(
    struct tape_stamp_runs *r, const struct tape_run *run, struct tape_err *err)
{
	struct tape_api_pointers *p;
	enum tape_status st;

	if (tape_mem_grow((void **)&r->pointers, &r->cap, r->n + 1,
		sizeof(*r->pointers)) != 0)
		return tape_err_nomem(err);
	p = tape_mem_calloc(1, sizeof(*p));
	if (p == NULL)
		return tape_err_nomem(err);
	st = tape_api_pointers_read(p, run->pointers, err);
	if (st == TAPE_OK)
		st = tape_idmap_add(&r->pointed, key_of(run->run), r->n, err);
	if (st != TAPE_OK) {
		tape_mem_free(p);
		return st == TAPE_E_NOMEM ? st : TAPE_E_FORMAT;
	}
	r->pointers[r->n++] = p;
	return TAPE_OK;
}

enum tape_status
tape_stamp_runs_note(
    struct tape_stamp_runs *r, const struct tape_run *run, struct tape_err *err)
{
	const uint64_t key = key_of(run->run);
	enum tape_status st = TAPE_OK;

	if (tape_str_is(run->keep, "times") &&
	    !tape_idmap_get(&r->bare, key, NULL))
		st = tape_idmap_add(&r->bare, key, 0, err);
	if (st == TAPE_OK && run->pointers.p != NULL &&
	    !tape_idmap_get(&r->pointed, key, NULL))
		st = note_pointers(r, run, err);
	return st;
}

bool
tape_stamp_runs_bare(const struct tape_stamp_runs *r, int64_t run)
{
	return tape_idmap_get(&r->bare, key_of(run), NULL);
}

const struct tape_api_pointers *
tape_stamp_runs_pointers(const struct tape_stamp_runs *r, int64_t run)
{
	uint64_t at;

	return tape_idmap_get(&r->pointed, key_of(run), &at) ? r->pointers[at]
							     : NULL;
}
