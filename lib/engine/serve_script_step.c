/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/b64.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "base/num.h"
#include "engine/serve_script_read.h"

/* Of a step, while it is read. */
struct reading {
	const char *script;
	uint64_t repeat;
	int64_t gap_ns;
	bool endless;
	bool verb; /* it has one */
};

enum tape_status
tape_script_wrong(
    struct tape_err *err, const struct tape_json_token *tok, const char *what)
{
	return tape_err_set(err, TAPE_E_FORMAT, "%.*s: %s",
	    tok->key_len > 64 ? 64 : (int)tok->key_len,
	    tok->key != NULL ? tok->key : "", what);
}

enum tape_status
tape_script_number(const struct tape_json_token *tok, uint64_t min,
    uint64_t max, uint64_t *out, struct tape_err *err)
{
	if (tok->type != TAPE_JSON_INT || tok->i64 < 0 ||
	    (uint64_t)tok->i64 < min || (uint64_t)tok->i64 > max)
		return tape_script_wrong(
		    err, tok, "not a whole number that can be");
	*out = (uint64_t)tok->i64;
	return TAPE_OK;
}

enum tape_status
tape_script_string(
    const struct tape_json_token *tok, char **out, struct tape_err *err)
{
	if (tok->type != TAPE_JSON_STRING)
		return tape_script_wrong(err, tok, "a string expected");
	*out = tape_mem_dup(tok->str, tok->len);
	return *out != NULL ? TAPE_OK : tape_err_nomem(err);
}

static enum tape_status
duration(const struct tape_json_token *tok, int64_t *ns, struct tape_err *err)
{
	char text[32];

	if (tok->type != TAPE_JSON_STRING || tok->len >= sizeof(text))
		return tape_script_wrong(
		    err, tok, "a time as \"50ms\" expected");
	memcpy(text, tok->str, tok->len);
	text[tok->len] = '\0';
	return tape_num_duration_ns(text, ns, err);
}

/* The name of a file, beside the script unless it is absolute. */
static enum tape_status
beside(const struct tape_json_token *tok, const char *script, char **out,
    struct tape_err *err)
{
	const char *slash = strrchr(script, '/');
	struct tape_buf b;
	enum tape_status st;

	if (tok->type != TAPE_JSON_STRING || tok->len == 0)
		return tape_script_wrong(err, tok, "a file's name expected");
	tape_buf_init(&b, TAPE_CAP_HEADERS);
	if (slash != NULL && tok->str[0] != '/')
		(void)tape_buf_add(&b, script, (size_t)(slash - script) + 1);
	(void)tape_buf_add(&b, tok->str, tok->len);
	st = tape_buf_status(&b, err);
	if (st == TAPE_OK)
		*out = tape_buf_detach(&b, NULL);
	tape_buf_release(&b);
	return st;
}

static enum tape_status
slurp(const struct tape_json_token *tok, const char *script, char **out,
    size_t *len, struct tape_err *err)
{
	char *path = NULL;
	enum tape_status st = beside(tok, script, &path, err);

	if (st == TAPE_OK)
		st = tape_fdio_slurp(
		    path, TAPE_SCRIPT_PIECE_BYTES, out, len, err);
	tape_mem_free(path);
	return st;
}

/* Sizes of the reads of a recorded body, one a line. */
static enum tape_status
parse_reads(struct tape_script_step *step, char *text, struct tape_err *err)
{
	size_t room = 0;
	uint64_t n = 0;
	char *line, *end;
	void *p;

	for (line = text; *line != '\0'; line = end) {
		end = strchrnul(line, '\n');
		if (*end == '\n')
			*end++ = '\0';
		if (tape_num_u64(line, 1, TAPE_SCRIPT_PIECE_BYTES, &n, err) !=
		    TAPE_OK)
			return err->status;
		p = step->reads;
		if (tape_mem_grow(
			&p, &room, step->n_reads + 1, sizeof(size_t)) != 0)
			return tape_err_nomem(err);
		step->reads = p;
		step->reads[step->n_reads++] = (size_t)n;
	}
	return TAPE_OK;
}

static enum tape_status
read_reads(struct tape_script_step *step, const struct tape_json_token *tok,
    const char *script, struct tape_err *err)
{
	char *text = NULL;
	size_t len = 0;
	enum tape_status st = slurp(tok, script, &text, &len, err);

	if (st == TAPE_OK)
		st = parse_reads(step, text, err);
	tape_mem_free(text);
	return st;
}

/* ---- what is done ---- */

static enum tape_status
read_text(struct tape_script_step *step, const struct tape_json_token *tok,
    const char *script, struct tape_err *err)
{
	(void)script;
	step->len = tok->len;
	return tape_script_string(tok, &step->data, err);
}

static enum tape_status
read_file(struct tape_script_step *step, const struct tape_json_token *tok,
    const char *script, struct tape_err *err)
{
	return slurp(tok, script, &step->data, &step->len, err);
}

static enum tape_status
read_time(struct tape_script_step *step, const struct tape_json_token *tok,
    const char *script, struct tape_err *err)
{
	(void)script;
	return duration(tok, &step->ns, err);
}

static enum tape_status
read_true(struct tape_script_step *step, const struct tape_json_token *tok,
    const char *script, struct tape_err *err)
{
	(void)step;
	(void)script;
	return tok->type == TAPE_JSON_TRUE
		   ? TAPE_OK
		   : tape_script_wrong(err, tok, "true expected");
}

static enum tape_status
read_base64(struct tape_script_step *step, const struct tape_json_token *tok,
    const char *script, struct tape_err *err)
{
	struct tape_buf b;
	enum tape_status st;

	if (tok->type != TAPE_JSON_STRING)
		return tape_script_wrong(err, tok, "a string expected");
	(void)script;
	tape_buf_init(&b, TAPE_SCRIPT_PIECE_BYTES);
	st = tape_b64_decode(&b, tok->str, tok->len, err);
	if (st == TAPE_OK)
		step->data = tape_buf_detach(&b, &step->len);
	tape_buf_release(&b);
	return st;
}

static const struct {
	const char *key;
	enum tape_script_verb verb;
	enum tape_status (*read)(struct tape_script_step *step,
	    const struct tape_json_token *tok, const char *script,
	    struct tape_err *err);
} verbs[] = {
	{ "text", TAPE_SCRIPT_SEND, read_text },
	{ "base64", TAPE_SCRIPT_SEND, read_base64 },
	{ "file", TAPE_SCRIPT_SEND, read_file },
	{ "wait", TAPE_SCRIPT_WAIT, read_time },
	{ "stall", TAPE_SCRIPT_STALL, read_time },
	{ "close", TAPE_SCRIPT_CLOSE, read_true },
	{ "reset", TAPE_SCRIPT_RESET, read_true },
};

/* Of the members that say what is done: which, or -1. */
static int
verb_of(const struct tape_json_token *tok)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (tape_json_key_is(tok, verbs[i].key))
			return (int)i;
	return -1;
}

static enum tape_status
read_verb(struct tape_script_step *step, struct reading *g, int i,
    const struct tape_json_token *tok, struct tape_err *err)
{
	if (g->verb)
		return tape_script_wrong(err, tok, "a step does one thing");
	g->verb = true;
	step->verb = verbs[i].verb;
	return verbs[i].read(step, tok, g->script, err);
}

static enum tape_status
read_manner(struct tape_script_step *step, struct reading *g,
    const struct tape_json_token *tok, struct tape_err *err)
{
	uint64_t n = 0;
	enum tape_status st;

	if (tape_json_key_is(tok, "each")) {
		st = tape_script_number(
		    tok, 1, TAPE_SCRIPT_PIECE_BYTES, &n, err);
		step->each = (size_t)n;
		return st;
	}
	if (tape_json_key_is(tok, "reads"))
		return read_reads(step, tok, g->script, err);
	if (tape_json_key_is(tok, "gap"))
		return duration(tok, &g->gap_ns, err);
	if (tape_json_key_is(tok, "repeat"))
		return tape_script_number(tok, 1, INT64_MAX, &g->repeat, err);
	if (tape_json_key_is(tok, "endless")) {
		g->endless = true;
		return read_true(step, tok, g->script, err);
	}
	return tape_script_wrong(err, tok, "no such member of a step");
}

/* What is short and sent often is kept many times over, so that a write takes
   much of it at a time. */
static enum tape_status
spread(struct tape_script_step *step, struct tape_err *err)
{
	size_t i, times = TAPE_SCRIPT_WRITE_BYTES / step->len;
	char *p;

	if (times < 2 || step->n_reads > 0)
		return TAPE_OK;
	p = tape_mem_calloc(times, step->len);
	if (p == NULL)
		return tape_err_nomem(err);
	for (i = 0; i < times; i++)
		memcpy(p + i * step->len, step->data, step->len);
	tape_mem_free(step->data);
	step->data = p;
	step->len *= times;
	return TAPE_OK;
}

static enum tape_status
settle(struct tape_script_step *step, const struct reading *g,
    struct tape_err *err)
{
	bool many = g->endless || g->repeat > 1;
	bool manner =
	    many || step->each > 0 || step->n_reads > 0 || g->gap_ns > 0;

	if (!g->verb)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "a step that does nothing");
	if (step->verb != TAPE_SCRIPT_SEND)
		return !manner ? TAPE_OK
			       : tape_err_set(err, TAPE_E_FORMAT,
				     "a step that sends nothing has no pieces");
	if (step->each > 0 && step->n_reads > 0)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "each and reads exclude each other");
	if (step->len == 0)
		return tape_err_set(err, TAPE_E_FORMAT, "nothing to send");
	step->ns = g->gap_ns;
	if (g->endless)
		step->bytes = UINT64_MAX;
	else if (__builtin_mul_overflow(
		     (uint64_t)step->len, g->repeat, &step->bytes))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "repeat: more bytes than can be");
	return many ? spread(step, err) : TAPE_OK;
}

enum tape_status
tape_script_step_read(struct tape_script_step *step, struct tape_json *r,
    const char *script, struct tape_err *err)
{
	struct reading g = { .script = script, .repeat = 1 };
	struct tape_json_token tok;
	enum tape_status st;
	int verb;

	for (;;) {
		st = tape_json_next(r, &tok, err);
		if (st != TAPE_OK)
			return st;
		if (tok.type == TAPE_JSON_OBJECT_END)
			return settle(step, &g, err);
		verb = verb_of(&tok);
		if (verb >= 0)
			st = read_verb(step, &g, verb, &tok, err);
		else
			st = read_manner(step, &g, &tok, err);
		if (st != TAPE_OK)
			return st;
	}
}

void
tape_script_step_release(struct tape_script_step *step)
{
	tape_mem_free(step->data);
	tape_mem_free(step->reads);
}
