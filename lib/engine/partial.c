/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/partial.h"

#include "base/num.h"
#include "engine/idmap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum tape_status
tape_partial_init(
    struct tape_partial *p, const char *text, struct tape_err *err)
{
	const char *slash;
	char index[24];
	size_t n;

	memset(p, 0, sizeof(*p));
	if (text == NULL)
		return TAPE_OK;
	slash = strchr(text, '/');
	n = slash == NULL ? sizeof(index) : (size_t)(slash - text);
	if (n < sizeof(index)) {
		memcpy(index, text, n);
		index[n] = '\0';
	}
	if (n >= sizeof(index) ||
	    tape_num_u64(slash + 1, 1, TAPE_SHARDS_MAX, &p->of, NULL) !=
		TAPE_OK ||
	    tape_num_u64(index, 1, p->of, &p->index, NULL) != TAPE_OK)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--shard %.40s: not one as 1/4, of at most %d", text,
		    TAPE_SHARDS_MAX);
	(void)snprintf(
	    p->name, sizeof(p->name), "%" PRIu64 "/%" PRIu64, p->index, p->of);
	return TAPE_OK;
}

enum tape_status
tape_partial_header(
    const struct tape_partial *p, struct tape_header *h, struct tape_err *err)
{
	if (p->of == 0)
		return TAPE_OK;
	if (h->shard.p != NULL)
		return tape_err_set(err, TAPE_E_DATA,
		    "the input is shard %.*s of a set: --shard cuts a whole "
		    "one",
		    tape_str_shown(h->shard, 40), h->shard.p);
	h->shard = tape_str_of(p->name);
	return TAPE_OK;
}

static bool
is_ours(const struct tape_partial *p, const struct tape_transfer *t)
{
	const uint64_t key = tape_idmap_mix(
	    tape_idmap_key(t->id.p, t->id.len), (uint64_t)t->pass);

	return p->of == 0 || key % p->of == p->index - 1;
}

/* What is named here is read by nothing that measures. */
static enum tape_status
put_response(struct tape_writer *w, const struct tape_response *from,
    struct tape_err *err)
{
	static const struct tape_str none;
	static const struct tape_i64s no_numbers;
	struct tape_response r = *from;

	r.t.headers = none;
	r.t.req.body = none;
	r.t.req.body_b64 = none;
	r.text = none;
	r.events.text_bytes = no_numbers;
	r.events.server_ns = no_numbers;
	r.events.server_late_ns = no_numbers;
	return tape_writer_put(w, TAPE_KIND_RESPONSE, &r, err);
}

enum tape_status
tape_partial_record(const struct tape_partial *p, const struct tape_record *rec,
    struct tape_writer *w, struct tape_err *err)
{
	switch (rec->kind) {
	case TAPE_KIND_RESPONSE:
		return is_ours(p, &rec->u.response.t)
			   ? put_response(w, &rec->u.response, err)
			   : TAPE_OK;
	case TAPE_KIND_RUN:
	case TAPE_KIND_FIDELITY:
		return tape_writer_pass(w, rec, err);
	default:
		return p->index <= 1 ? tape_writer_pass(w, rec, err) : TAPE_OK;
	}
}
