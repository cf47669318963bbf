/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of runs: a segment, or the shards of one set, which come in any order. */
#include "base/mem.h"
#include "engine/compare_said.h"
#include "engine/reduce_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void
tape_reduce_set_free(struct tape_reduce_set *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->hand_n; i++)
		tape_reduce_hand_free(s->hands[i]);
	for (size_t i = 0; i < s->shard_n; i++)
		tape_mem_free(s->shards[i].prov);
	tape_mem_free(s->hands);
	tape_mem_free(s->shards);
	tape_idmap_release(&s->runs);
	tape_reduce_kept_release(&s->header);
	tape_mem_free(s);
}

/* A number without sign up to the slash or the end; 0 when it is none. */
static uint64_t
parse_number(struct tape_str s)
{
	uint64_t v = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || v > TAPE_SHARDS_MAX)
			return 0;
		v = 10 * v + (uint64_t)(s.p[i] - '0');
	}
	return v > TAPE_SHARDS_MAX ? 0 : v;
}

/* "2/4"; absent is 0 of 0. */
static enum tape_status
parse_shard(
    struct tape_str text, uint64_t *index, uint64_t *of, struct tape_err *err)
{
	const char *slash = NULL;
	size_t n;

	*index = *of = 0;
	if (text.p == NULL)
		return TAPE_OK;
	if (text.len > 0)
		slash = memchr(text.p, '/', text.len);
	if (slash != NULL) {
		n = (size_t)(slash - text.p);
		*index = parse_number(tape_str_make(text.p, n));
		*of = parse_number(tape_str_make(slash + 1, text.len - n - 1));
	}
	if (*index > 0 && *index <= *of)
		return TAPE_OK;
	return tape_err_set(err, TAPE_E_FORMAT,
	    "shard is \"%.*s\", not one as 1/4", tape_str_shown(text, 32),
	    text.p);
}

static const struct tape_header *
header_of(const struct tape_reduce_set *s)
{
	return &s->header.rec.u.header;
}

static uint64_t
digest(struct tape_str run_id)
{
	return tape_idmap_key(run_id.p, run_id.len);
}

static struct tape_reduce_set *
find_set(const struct tape_reduce *r, struct tape_str run_id)
{
	for (size_t i = 0; i < r->waiting_n; i++)
		if (tape_str_equal(header_of(r->waiting[i])->run_id, run_id))
			return r->waiting[i];
	return NULL;
}

static enum tape_status
refuse(const struct tape_header *h, const char *why, struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_FORMAT, "shard %.*s of run set %.*s %s",
	    (int)h->shard.len, h->shard.p, tape_str_shown(h->run_id, 64),
	    h->run_id.p, why);
}

/* What shards of one set have in common. */
static enum tape_status
check_shard(const struct tape_reduce_set *s, const struct tape_header *h,
    uint64_t index, uint64_t of, struct tape_err *err)
{
	char why[64];

	if (of != s->of) {
		(void)snprintf(
		    why, sizeof(why), "has another of %" PRIu64, s->of);
		return refuse(h, why, err);
	}
	if (!tape_str_equal(h->epoch, header_of(s)->epoch))
		return refuse(
		    h, "counts its times from another epoch than others", err);
	for (size_t i = 0; i < s->shard_n; i++)
		if (s->shards[i].index == index)
			return refuse(h, "is there twice", err);
	return TAPE_OK;
}

static enum tape_status
add_shard(struct tape_reduce_set *s, const struct tape_header *h,
    uint64_t index, struct tape_err *err)
{
	char *prov;
	size_t at = s->shard_n;

	if (tape_mem_grow((void **)&s->shards, &s->shard_cap, s->shard_n + 1,
		sizeof(*s->shards)) != 0)
		return tape_err_nomem(err);
	prov = tape_mem_dup(h->prov.p, h->prov.len);
	if (prov == NULL)
		return tape_err_nomem(err);
	for (; at > 0 && s->shards[at - 1].index > index; at--)
		s->shards[at] = s->shards[at - 1];
	s->shards[at] = (struct tape_reduce_shard){ index, prov, h->prov.len };
	s->shard_n++;
	return TAPE_OK;
}

static enum tape_status
new_set(struct tape_reduce *r, uint64_t of, struct tape_err *err)
{
	struct tape_reduce_set *s;

	if (of > 0 && tape_mem_grow((void **)&r->waiting, &r->waiting_cap,
			  r->waiting_n + 1, sizeof(*r->waiting)) != 0)
		return tape_err_nomem(err);
	s = tape_mem_calloc(1, sizeof(*s));
	if (s == NULL)
		return tape_err_nomem(err);
	s->of = of;
	tape_reduce_kept_init(&s->header);
	if (of > 0)
		r->waiting[r->waiting_n++] = s;
	r->in = s;
	return TAPE_OK;
}

/* Who made the runs that follow; of shards the first tells. */
static enum tape_status
keep_makers(struct tape_reduce *r, const struct tape_header *h,
    struct tape_str chain, struct tape_err *err)
{
	struct tape_compare_set room = { 0 };
	struct tape_str tools, host;
	enum tape_status st;

	tape_buf_clear(&r->session);
	tape_buf_clear(&r->tools);
	(void)tape_buf_add(&r->session, h->run_id.p, h->run_id.len);
	st = tape_compare_say_tools(&room, chain, &tools, &host, err);
	if (st == TAPE_OK)
		(void)tape_buf_add(&r->tools, tools.p, tools.len);
	tape_compare_set_release(&room);
	if (st == TAPE_OK)
		st = tape_buf_status(&r->session, err);
	return st == TAPE_OK ? tape_buf_status(&r->tools, err) : st;
}

/* Writes the header of a set whose runs follow. */
static enum tape_status
put_header(
    struct tape_reduce *r, struct tape_reduce_set *s, struct tape_err *err)
{
	struct tape_header h = *header_of(s);
	struct tape_str *chains;
	enum tape_status st = TAPE_OK;

	h.shard = tape_str_make(NULL, 0);
	chains = tape_mem_calloc(s->shard_n, sizeof(*chains));
	if (chains == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < s->shard_n; i++)
		chains[i] =
		    tape_str_make(s->shards[i].prov, s->shards[i].prov_len);
	if (r->opts.header != NULL)
		st = r->opts.header(r->opts.header_arg, &h,
		    (struct tape_strs){ chains, s->shard_n }, err);
	if (st == TAPE_OK)
		st = keep_makers(r, &h, chains[0], err);
	tape_mem_free(chains);
	if (st == TAPE_OK && r->sink.begin != NULL)
		st = r->sink.begin(r->sink.arg, &h, err);
	return st;
}

/* The set that waits for this shard becomes that of the segment. */
static enum tape_status
find_waiting(struct tape_reduce *r, const struct tape_header *h, uint64_t index,
    uint64_t of, struct tape_err *err)
{
	struct tape_reduce_set *s = find_set(r, h->run_id);
	enum tape_status st;

	if (s == NULL)
		return tape_idmap_get(&r->whole, digest(h->run_id), NULL)
			   ? refuse(h, "is there twice", err)
			   : TAPE_OK;
	st = check_shard(s, h, index, of, err);
	if (st == TAPE_OK)
		r->in = s;
	return st;
}

enum tape_status
tape_reduce_begin(struct tape_reduce *r, const struct tape_record *header,
    struct tape_err *err)
{
	const struct tape_header *h = &header->u.header;
	uint64_t index, of;
	enum tape_status st = parse_shard(h->shard, &index, &of, err);

	r->hand = NULL;
	r->in = NULL;
	if (st == TAPE_OK && of > 0)
		st = find_waiting(r, h, index, of, err);
	if (st == TAPE_OK && r->in == NULL)
		st = new_set(r, of, err);
	if (st == TAPE_OK)
		st = add_shard(r->in, h, index, err);
	/* The first shard speaks for all. */
	if (st == TAPE_OK && r->in->shards[0].index == index)
		st = tape_reduce_keep(&r->in->header, header, err);
	if (st == TAPE_OK && r->opts.samples != NULL)
		st = tape_samples_begin(r->opts.samples, h, NULL, err);
	if (st == TAPE_OK && of == 0)
		st = put_header(r, r->in, err);
	return st;
}

/* Reports the run at that place, which then is none. */
static enum tape_status
report(struct tape_reduce *r, struct tape_reduce_set *s, size_t at,
    struct tape_err *err)
{
	enum tape_status st;

	r->hand = s->hands[at];
	st = tape_reduce_report(r, s->ending, err);
	r->counts.late_samples = 0;
	tape_reduce_hand_free(r->hand);
	r->hand = s->hands[at] = NULL;
	return st;
}

static int
by_run(const void *a, const void *b)
{
	const struct tape_reduce_hand *const *px = a, *const *py = b;

	return ((*px)->run > (*py)->run) - ((*px)->run < (*py)->run);
}

/* All of a set is there. */
static enum tape_status
close_set(
    struct tape_reduce *r, struct tape_reduce_set *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (s->of > 0) {
		st = tape_idmap_add(
		    &r->whole, digest(header_of(s)->run_id), 0, err);
		if (st == TAPE_OK)
			st = put_header(r, s, err);
		if (s->hand_n > 1)
			qsort(s->hands, s->hand_n, sizeof(*s->hands), by_run);
	}
	for (size_t i = 0; i < s->hand_n && st == TAPE_OK; i++)
		if (s->hands[i] != NULL)
			st = report(r, s, i, err);
	if (st == TAPE_OK)
		st = tape_reduce_between(r, err);
	if (st == TAPE_OK && r->sink.end != NULL)
		st = r->sink.end(r->sink.arg, s->ending, err);
	for (size_t i = 0; i < r->waiting_n; i++)
		if (r->waiting[i] == s)
			r->waiting[i] = r->waiting[--r->waiting_n];
	tape_reduce_set_free(s);
	return st;
}

enum tape_status
tape_reduce_end(
    struct tape_reduce *r, enum tape_ending ending, struct tape_err *err)
{
	struct tape_reduce_set *s = r->in;

	r->in = NULL;
	r->hand = NULL;
	if (s == NULL)
		return TAPE_OK;
	if (s->ending < ending)
		s->ending = ending;
	return s->shard_n < s->of ? TAPE_OK : close_set(r, s, err);
}

static uint64_t
missing(const struct tape_reduce_set *s)
{
	uint64_t index = 1;

	while (index <= s->shard_n && s->shards[index - 1].index == index)
		index++;
	return index;
}

enum tape_status
tape_reduce_finish(struct tape_reduce *r, bool take, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (r->waiting_n > 0) {
		const struct tape_reduce_set *s = r->waiting[0];
		const struct tape_str id = header_of(s)->run_id;

		(void)tape_err_set(err, TAPE_E_FORMAT,
		    "shard %" PRIu64 "/%" PRIu64
		    " of run set %.*s is missing (%zu of them came)",
		    missing(s), s->of, tape_str_shown(id, 64), id.p,
		    s->shard_n);
	}
	if (!take)
		return r->waiting_n > 0 ? TAPE_E_FORMAT : TAPE_OK;
	while (r->waiting_n > 0 && st == TAPE_OK) {
		struct tape_err why = { 0 };

		r->waiting[0]->ending = TAPE_ENDING_FAILED;
		st = close_set(r, r->waiting[0], &why);
		if (st != TAPE_OK)
			*err = why;
	}
	return st;
}

/* A run of a set that had none of that number. */
static enum tape_status
open_hand(
    struct tape_reduce *r, int64_t run, uint64_t key, struct tape_err *err)
{
	struct tape_reduce_set *s = r->in;
	enum tape_status st;

	if (tape_mem_grow((void **)&s->hands, &s->hand_cap, s->hand_n + 1,
		sizeof(*s->hands)) != 0)
		return tape_err_nomem(err);
	st = tape_idmap_add(&s->runs, key, s->hand_n, err);
	if (st == TAPE_OK)
		st = tape_reduce_hand_open(&s->hands[s->hand_n], r, run, err);
	if (st != TAPE_OK)
		return st;
	r->hand = s->hands[s->hand_n++];
	r->counts.runs++;
	return TAPE_OK;
}

enum tape_status
tape_reduce_select(struct tape_reduce *r, int64_t run, struct tape_err *err)
{
	const uint64_t key = tape_idmap_mix(0, (uint64_t)run);
	struct tape_reduce_set *s = r->in;
	enum tape_status st = TAPE_OK;
	uint64_t at;

	if (r->hand != NULL && r->hand->run == run)
		return TAPE_OK;
	tape_grouping_restart(&r->grouping);
	/* Where nothing more can come of a run it is reported at once. */
	if (s->of == 0 && r->hand != NULL)
		st = report(r, s, s->hand_n - 1, err);
	if (st != TAPE_OK)
		return st;
	if (!tape_idmap_get(&s->runs, key, &at))
		return open_hand(r, run, key, err);
	if (s->of == 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a record of run %" PRId64 " after another run had begun",
		    run);
	r->hand = s->hands[at];
	return TAPE_OK;
}

/* The name of the member in which two lines begin to differ. */
static struct tape_str
differing(struct tape_str a, struct tape_str b)
{
	size_t at = 0, end;

	while (at < a.len && at < b.len && a.p[at] == b.p[at])
		at++;
	while (at > 1 && (a.p[at - 1] != '"' || a.p[at] != ':'))
		at--;
	for (end = at - (at > 0); at > 0 && end > 0 && a.p[end - 1] != '"';)
		end--;
	return tape_str_make(a.p + end, at > end ? at - 1 - end : 0);
}

/* Shards tell of their runs with the same words. */
static enum tape_status
check_same(const struct tape_reduce_hand *h, const struct tape_reduce_kept *k,
    const struct tape_record *rec, struct tape_err *err)
{
	struct tape_str name;

	if (!k->present && h->responses > 0 && k == &h->start)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "the record of the start of run %" PRId64
		    " comes after responses of it: each shard needs it before "
		    "its own",
		    h->run);
	if (!k->present || tape_str_equal(k->rec.line, rec->line))
		return TAPE_OK;
	name = differing(k->rec.line, rec->line);
	return tape_err_set(err, TAPE_E_FORMAT,
	    "shards of one set differ in the %s record of run %" PRId64
	    ", in %.*s",
	    tape_schema_table[rec->kind].kind, h->run, tape_str_shown(name, 40),
	    name.p);
}

enum tape_status
tape_reduce_about(
    struct tape_reduce *r, const struct tape_record *rec, struct tape_err *err)
{
	struct tape_reduce_hand *h = r->hand;
	struct tape_reduce_kept *k;
	enum tape_status st = TAPE_OK;

	if (rec->kind == TAPE_KIND_FIDELITY)
		k = &h->fidelity;
	else
		k = tape_str_is(rec->u.run.at, "start") ? &h->start : &h->end;
	if (r->in->of > 0)
		st = check_same(h, k, rec, err);
	return st == TAPE_OK ? tape_reduce_keep(k, rec, err) : st;
}
