/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/offline.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "codec/json.h"

#define MOST_TOKENS (INT64_C(1) << 53)

#define AT(f) offsetof(struct tape_offline_phase, f)

struct member {
	const char *name;
	size_t at;
	bool whole; /* an integer */
};

static const struct member prefill_members[] = {
	{ "total_runs", AT(runs), true },
	{ "reused_tokens", AT(reused_tokens), true },
	{ "computed_tokens", AT(computed_tokens), true },
	{ "pruned_tokens", AT(pruned_tokens), true },
	{ "tokens_per_second", AT(tokens_per_s), false },
	{ NULL, 0, false },
};

static const struct member plain_members[] = {
	{ "total_runs", AT(runs), true },
	{ "generated_tokens", AT(generated_tokens), true },
	{ "tokens_per_second", AT(tokens_per_s), false },
	{ NULL, 0, false },
};

static const struct member draft_members[] = {
	{ "total_runs", AT(runs), true },
	{ "total_iterations", AT(iterations), true },
	{ "total_generated_tokens", AT(generated_tokens), true },
	{ "average_accept_length", AT(accept_length), false },
	{ "acceptance_rate", AT(accept_ratio), false },
	{ "overall_tokens_per_second_excluding_base_prefill", AT(tokens_per_s),
	    false },
	{ NULL, 0, false },
};

static const char *const drafts[] = { "mtp_generation", "eagle_generation",
	"spec_decode_generation" };

struct parse {
	struct tape_json json;
	const char *text;
	const char *name;
	struct tape_err *err;
};

/* The line in which a byte stands. */
static uint64_t
line_of(const struct parse *p, size_t offset)
{
	uint64_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += p->text[i] == '\n';
	return line;
}

static enum tape_status
wrong(struct parse *p, const struct tape_json_token *tok, const char *what)
{
	(void)tape_err_set(p->err, TAPE_E_FORMAT, "\"%.*s\" %s",
	    tape_str_shown(tape_str_make(tok->key, tok->key_len), 64), tok->key,
	    what);
	return tape_err_at(
	    p->err, p->name, line_of(p, tape_json_offset(&p->json)));
}

/* A number from 0 on; null, as what is not finite is written, is none. */
static enum tape_status
take(struct parse *p, const struct tape_json_token *tok, bool whole, void *out)
{
	if (tok->type == TAPE_JSON_NULL)
		return TAPE_OK;
	if (tok->type != TAPE_JSON_INT &&
	    (whole || tok->type != TAPE_JSON_DOUBLE))
		return wrong(
		    p, tok, whole ? "is no whole number" : "is no number");
	if (!(tok->num >= 0) || tok->num > (double)MOST_TOKENS)
		return wrong(p, tok, "is below 0, or beyond all reason");
	if (whole)
		*(int64_t *)out = tok->i64;
	else
		*(double *)out = tok->num;
	return TAPE_OK;
}

static const struct member *
find(const struct member *m, const struct tape_json_token *tok)
{
	while (m->name != NULL && !tape_json_key_is(tok, m->name))
		m++;
	return m->name == NULL ? NULL : m;
}

/* A phase, whose token is in hand. */
static enum tape_status
read_phase(struct parse *p, const struct tape_json_token *begin,
    const struct member *members, struct tape_offline_phase *out)
{
	struct tape_json_token tok;
	enum tape_status st = TAPE_OK;

	if (begin->type != TAPE_JSON_OBJECT)
		return wrong(p, begin, "is no object");
	out->runs = 0;
	while (st == TAPE_OK) {
		const struct member *m;

		st = tape_json_next(&p->json, &tok, p->err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		m = find(members, &tok);
		st = m == NULL ? tape_json_skip(&p->json, NULL, NULL, p->err)
			       : take(p, &tok, m->whole, (char *)out + m->at);
	}
	return st;
}

static enum tape_status
read_member(struct parse *p, const struct tape_json_token *tok,
    struct tape_offline *out)
{
	if (tape_json_key_is(tok, "prefill"))
		return read_phase(p, tok, prefill_members, &out->prefill);
	if (tape_json_key_is(tok, "generation"))
		return read_phase(p, tok, plain_members, &out->plain);
	if (tape_json_key_is(tok, "peak_gpu_memory_bytes"))
		return take(p, tok, true, &out->peak_gpu_bytes);
	if (tape_json_key_is(tok, "peak_cpu_memory_bytes"))
		return take(p, tok, true, &out->peak_cpu_bytes);
	for (size_t i = 0; i < sizeof(drafts) / sizeof(*drafts); i++) {
		if (!tape_json_key_is(tok, drafts[i]))
			continue;
		if (out->draft_name != NULL)
			return wrong(p, tok,
			    "is a second phase with speculation: only one can "
			    "be of a run");
		out->draft_name = drafts[i];
		return read_phase(p, tok, draft_members, &out->draft);
	}
	return tape_json_skip(&p->json, NULL, NULL, p->err);
}

static enum tape_status
read_all(struct parse *p, struct tape_offline *out)
{
	struct tape_json_token tok;
	enum tape_status st =
	    tape_json_expect(&p->json, TAPE_JSON_OBJECT, &tok, p->err);

	while (st == TAPE_OK) {
		st = tape_json_next(&p->json, &tok, p->err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = read_member(p, &tok, out);
	}
	if (st == TAPE_OK)
		st = tape_json_end(&p->json, p->err);
	if (st == TAPE_E_FORMAT)
		(void)tape_err_at(
		    p->err, p->name, line_of(p, tape_json_stopped(&p->json)));
	return st;
}

static void
clear_phase(struct tape_offline_phase *p)
{
	*p = (struct tape_offline_phase){ TAPE_ABSENT_I64, TAPE_ABSENT_I64,
		TAPE_ABSENT_I64, TAPE_ABSENT_I64, TAPE_ABSENT_I64,
		TAPE_ABSENT_I64, TAPE_ABSENT_F64, TAPE_ABSENT_F64,
		TAPE_ABSENT_F64 };
}

enum tape_status
tape_offline_parse(struct tape_offline *out, struct tape_str text,
    const char *name, struct tape_err *err)
{
	struct parse p = { .text = text.p, .name = name, .err = err };
	enum tape_status st;

	clear_phase(&out->prefill);
	clear_phase(&out->plain);
	clear_phase(&out->draft);
	out->draft_name = NULL;
	out->peak_gpu_bytes = out->peak_cpu_bytes = TAPE_ABSENT_I64;
	tape_json_init(&p.json);
	tape_json_open(&p.json, text.p, text.len, TAPE_JSON_OURS);
	st = read_all(&p, out);
	tape_json_release(&p.json);
	if (st == TAPE_OK && out->prefill.runs == TAPE_ABSENT_I64 &&
	    out->plain.runs == TAPE_ABSENT_I64 && out->draft_name == NULL)
		st = tape_err_set(err, TAPE_E_FORMAT,
		    "no profile of llm_inference: neither prefill nor "
		    "generation is in it");
	if (st != TAPE_OK)
		(void)tape_err_at(err, name, 0);
	return st;
}

enum tape_status
tape_offline_read(
    struct tape_offline *out, const char *path, struct tape_err *err)
{
	char *text = NULL;
	size_t len = 0;
	enum tape_status st =
	    tape_fdio_slurp(path, TAPE_OFFLINE_BYTES, &text, &len, err);

	if (st != TAPE_OK)
		return st;
	st = tape_offline_parse(out, tape_str_make(text, len), path, err);
	tape_mem_free(text);
	return st;
}
