/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is held of one run until its report. */
#include "base/mem.h"
#include "engine/reduce_state.h"

#include <stdlib.h>

/* Groups of one run; each has a tally of its own. */
#define GROUPS_MAX 100000

/* Records of failed requests held at a time. */
#define FAILED_CAP ((size_t)4 << 30)

void
tape_reduce_kept_init(struct tape_reduce_kept *k)
{
	k->present = false;
	tape_buf_init(&k->line, TAPE_CAP_LINE);
	tape_record_init(&k->rec);
}

void
tape_reduce_kept_release(struct tape_reduce_kept *k)
{
	tape_buf_release(&k->line);
	tape_record_release(&k->rec);
}

enum tape_status
tape_reduce_keep(struct tape_reduce_kept *k, const struct tape_record *rec,
    struct tape_err *err)
{
	enum tape_status st;

	tape_buf_clear(&k->line);
	(void)tape_buf_add(&k->line, rec->line.p, rec->line.len);
	st = tape_buf_status(&k->line, err);
	if (st == TAPE_OK)
		st =
		    tape_record_decode(&k->rec, k->line.data, k->line.len, err);
	k->present = st == TAPE_OK;
	return st;
}

enum tape_status
tape_reduce_hand_open(struct tape_reduce_hand **out,
    const struct tape_reduce *r, int64_t run, struct tape_err *err)
{
	struct tape_reduce_hand *h = tape_mem_calloc(1, sizeof(*h));
	enum tape_status st;

	if (h == NULL)
		return tape_err_nomem(err);
	h->run = run;
	h->basic = r->opts.basic;
	h->memory = r->opts.memory;
	h->dir = r->opts.dir;
	tape_reduce_kept_init(&h->start);
	tape_reduce_kept_init(&h->end);
	tape_reduce_kept_init(&h->fidelity);
	tape_checks_init(&h->checks);
	h->steady = r->opts.steady;
	tape_steady_init(&h->held);
	tape_buf_init(&h->failed_lines, FAILED_CAP);
	tape_sorter_init(&h->results, r->opts.memory, r->opts.dir);
	st = tape_worst_init(&h->worst, r->opts.worst, r->opts.worst_by, err);
	if (st == TAPE_OK && r->opts.peers != 0)
		st = tape_definitions_open(
		    &h->definitions, r->opts.peers, r->opts.user_clock, err);
	if (st != TAPE_OK) {
		tape_reduce_hand_free(h);
		return st;
	}
	*out = h;
	return TAPE_OK;
}

void
tape_reduce_hand_free(struct tape_reduce_hand *h)
{
	if (h == NULL)
		return;
	for (size_t i = 0; i < h->group_n; i++) {
		tape_tally_release(&h->groups[i].tally);
		tape_mem_free(h->groups[i].key);
	}
	tape_mem_free(h->groups);
	tape_mem_free(h->failed);
	tape_idmap_release(&h->group_map);
	tape_idmap_release(&h->attempts);
	tape_buf_release(&h->failed_lines);
	tape_checks_release(&h->checks);
	tape_failures_release(&h->failures);
	tape_worst_release(&h->worst);
	tape_steady_release(&h->held);
	tape_definitions_free(h->definitions);
	tape_sorter_release(&h->results);
	tape_reduce_kept_release(&h->start);
	tape_reduce_kept_release(&h->end);
	tape_reduce_kept_release(&h->fidelity);
	tape_mem_free(h);
}

static enum tape_status
new_group(struct tape_reduce_hand *h, struct tape_str key, uint64_t digest,
    size_t *index, struct tape_err *err)
{
	struct tape_reduce_group *g;
	char *copy = NULL;

	if (h->group_n == GROUPS_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "more than %d groups: --by names a label with too many "
		    "values, or --slice cuts too fine",
		    GROUPS_MAX);
	if (tape_mem_grow((void **)&h->groups, &h->group_cap, h->group_n + 1,
		sizeof(*g)) != 0)
		return tape_err_nomem(err);
	if (tape_idmap_add(&h->group_map, digest, h->group_n, err) != TAPE_OK)
		return TAPE_E_NOMEM;
	if (key.p != NULL) {
		copy = tape_mem_dup(key.p, key.len);
		if (copy == NULL)
			return tape_err_nomem(err);
	}
	g = &h->groups[h->group_n];
	g->key = copy;
	g->key_len = key.len;
	tape_tally_init(&g->tally);
	tape_tally_limit(&g->tally, h->memory, h->dir);
	g->tally.basic = h->basic;
	*index = h->group_n++;
	return TAPE_OK;
}

enum tape_status
tape_reduce_hand_group(struct tape_reduce_hand *h, struct tape_str key,
    size_t *index, struct tape_err *err)
{
	uint64_t digest = 0, found;

	if (key.p != NULL)
		digest = tape_idmap_key(key.p, key.len);
	while (tape_idmap_get(&h->group_map, digest, &found)) {
		if (key.p == NULL ||
		    tape_str_equal(
			tape_reduce_group_key(&h->groups[found]), key)) {
			*index = (size_t)found;
			return TAPE_OK;
		}
		digest = tape_idmap_mix(digest, 1);
	}
	return new_group(h, key, digest, index, err);
}

/* Attempts come in any order. */
enum tape_status
tape_reduce_hand_attempt(struct tape_reduce_hand *h,
    const struct tape_result *res, struct tape_err *err)
{
	const uint64_t attempt = (uint64_t)res->attempt;
	uint64_t key, last;

	if (res->attempt <= 1)
		return TAPE_OK;
	key = tape_tally_key(res);
	if (tape_idmap_get(&h->attempts, key, &last)) {
		if (last >= attempt)
			return TAPE_OK;
		tape_idmap_remove(&h->attempts, key);
	}
	return tape_idmap_add(&h->attempts, key, attempt, err);
}

enum tape_status
tape_reduce_hand_fail(struct tape_reduce_hand *h, const struct tape_result *res,
    size_t group, struct tape_err *err)
{
	struct tape_reduce_failed *f;
	enum tape_status st;

	if (tape_mem_grow((void **)&h->failed, &h->failed_cap, h->failed_n + 1,
		sizeof(*f)) != 0)
		return tape_err_nomem(err);
	f = &h->failed[h->failed_n];
	memset(f, 0, sizeof(*f));
	f->group = group;
	f->attempt = res->attempt;
	f->start_ns = res->start_ns;
	f->key = tape_tally_key(res);
	f->line_at = h->failed_lines.len;
	st = tape_record_encode(TAPE_KIND_RESULT, res, &h->failed_lines, err);
	if (st != TAPE_OK)
		return st;
	f->line_len = h->failed_lines.len - f->line_at;
	h->failed_n++;
	return TAPE_OK;
}

static int
by_start(const void *a, const void *b)
{
	const struct tape_reduce_failed *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

void
tape_reduce_hand_settle(struct tape_reduce_hand *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->failed_n; i++) {
		const struct tape_reduce_failed *f = &h->failed[i];
		uint64_t last;

		if (tape_idmap_get(&h->attempts, f->key, &last) &&
		    (int64_t)last > f->attempt)
			continue;
		h->failed[n++] = *f;
	}
	h->failed_n = n;
	if (n > 1)
		qsort(h->failed, n, sizeof(*h->failed), by_start);
}
