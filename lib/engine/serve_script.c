/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_script.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "engine/serve_script_read.h"

#define HEADER_BYTES TAPE_CAP_HEADERS
#define STEPS_MAX    ((size_t)1 << 20)

static void
release_rule(struct tape_script_rule *rule)
{
	size_t i;

	for (i = 0; i < rule->n_steps; i++)
		tape_script_step_release(&rule->steps[i]);
	tape_mem_free(rule->steps);
	tape_mem_free(rule->path);
	tape_mem_free(rule->headers);
}

void
tape_script_release(struct tape_script *s)
{
	size_t i;

	for (i = 0; i < s->n_rules; i++)
		release_rule(&s->rules[i]);
	tape_mem_free(s->rules);
	*s = (struct tape_script){ 0 };
}

/* ---- members of a rule ---- */

static bool
is_plain(const char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)p[i] < ' ')
			return false;
	return true;
}

/* {"name":"value"} to lines of a head. */
static enum tape_status
read_headers(
    struct tape_json *r, struct tape_script_rule *rule, struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_buf lines;
	enum tape_status st;

	tape_buf_init(&lines, HEADER_BYTES);
	for (;;) {
		st = tape_json_next(r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		if (tok.type != TAPE_JSON_STRING || tok.key_len == 0 ||
		    !is_plain(tok.key, tok.key_len) ||
		    !is_plain(tok.str, tok.len)) {
			st = tape_script_wrong(
			    err, &tok, "one line of text expected");
			break;
		}
		(void)tape_buf_add(&lines, tok.key, tok.key_len);
		(void)tape_buf_add_str(&lines, ": ");
		(void)tape_buf_add(&lines, tok.str, tok.len);
		(void)tape_buf_add_str(&lines, "\r\n");
	}
	if (st == TAPE_OK)
		st = tape_buf_status(&lines, err);
	if (st == TAPE_OK)
		rule->headers = tape_buf_detach(&lines, NULL);
	tape_buf_release(&lines);
	return st;
}

static enum tape_status
read_framing(const struct tape_json_token *tok, struct tape_script_rule *rule,
    struct tape_err *err)
{
	static const char *const names[] = {
		[TAPE_SCRIPT_CHUNKED] = "chunked",
		[TAPE_SCRIPT_LENGTH] = "length",
		[TAPE_SCRIPT_UNTIL_CLOSE] = "close",
		[TAPE_SCRIPT_RAW] = "raw",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (tape_json_str_is(tok, names[i])) {
			rule->framing = (enum tape_script_framing)i;
			return TAPE_OK;
		}
	return tape_script_wrong(
	    err, tok, "chunked, length, close or raw expected");
}

static enum tape_status
read_steps(struct tape_json *r, struct tape_script_rule *rule,
    const char *script, struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_script_step *step;
	enum tape_status st;
	void *p;

	for (;;) {
		st = tape_json_next(r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			return st;
		if (tok.type != TAPE_JSON_OBJECT)
			return tape_script_wrong(err, &tok, "steps expected");
		if (rule->n_steps == STEPS_MAX)
			return tape_err_set(
			    err, TAPE_E_LIMIT, "more than 1048576 steps");
		p = rule->steps;
		if (tape_mem_grow(&p, &rule->steps_size, rule->n_steps + 1,
			sizeof(*step)) != 0)
			return tape_err_nomem(err);
		rule->steps = p;
		step = &rule->steps[rule->n_steps++];
		*step = (struct tape_script_step){ 0 };
		st = tape_script_step_read(step, r, script, err);
		if (st != TAPE_OK)
			return st;
	}
}

static enum tape_status
read_status(const struct tape_json_token *tok, struct tape_script_rule *rule,
    struct tape_err *err)
{
	uint64_t status = 0;
	enum tape_status st = tape_script_number(tok, 200, 999, &status, err);

	if (st == TAPE_OK)
		rule->status = (int)status;
	return st;
}

static enum tape_status
read_member(struct tape_json *r, const struct tape_json_token *tok,
    struct tape_script_rule *rule, const char *script, struct tape_err *err)
{
	if (tape_json_key_is(tok, "path"))
		return tape_script_string(tok, &rule->path, err);
	if (tape_json_key_is(tok, "nth"))
		return tape_script_number(tok, 1, INT64_MAX, &rule->nth, err);
	if (tape_json_key_is(tok, "every"))
		return tape_script_number(tok, 1, INT64_MAX, &rule->every, err);
	if (tape_json_key_is(tok, "status"))
		return read_status(tok, rule, err);
	if (tape_json_key_is(tok, "framing"))
		return read_framing(tok, rule, err);
	if (tape_json_key_is(tok, "length")) {
		rule->length_given = true;
		return tape_script_number(
		    tok, 0, INT64_MAX, &rule->length, err);
	}
	if (tape_json_key_is(tok, "headers") && tok->type == TAPE_JSON_OBJECT)
		return read_headers(r, rule, err);
	if (tape_json_key_is(tok, "play") && tok->type == TAPE_JSON_ARRAY)
		return read_steps(r, rule, script, err);
	return tape_script_wrong(err, tok, "no such member of a rule");
}

/* ---- a rule ---- */

/* What the steps send, where that is the length. */
static enum tape_status
settle(struct tape_script_rule *rule, struct tape_err *err)
{
	uint64_t sum = 0;
	bool endless = false;
	size_t i;

	for (i = 0; i < rule->n_steps; i++)
		if (rule->steps[i].verb == TAPE_SCRIPT_SEND &&
		    __builtin_add_overflow(sum, rule->steps[i].bytes, &sum))
			endless = true;
	for (i = 0; i < rule->n_steps; i++)
		endless = endless || rule->steps[i].bytes == UINT64_MAX;
	if (rule->length_given)
		rule->framing = TAPE_SCRIPT_LENGTH;
	if (rule->framing != TAPE_SCRIPT_LENGTH)
		return TAPE_OK;
	if (!rule->length_given && endless)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "framing: what has no end has no length");
	if (!rule->length_given)
		rule->length = sum;
	else if (endless || sum > rule->length)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "length: less than is sent; use framing raw");
	return TAPE_OK;
}

static enum tape_status
read_rule(struct tape_json *r, struct tape_script_rule *rule,
    const char *script, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st = tape_json_expect(r, TAPE_JSON_OBJECT, &tok, err);

	*rule = (struct tape_script_rule){ .status = 200 };
	while (st == TAPE_OK) {
		st = tape_json_next(r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = read_member(r, &tok, rule, script, err);
	}
	if (st == TAPE_OK)
		st = tape_json_end(r, err);
	if (st == TAPE_OK)
		st = settle(rule, err);
	return st;
}

static enum tape_status
add_rule(struct tape_script *s, struct tape_json *r, const char *script,
    struct tape_err *err)
{
	void *p = s->rules;

	if (tape_mem_grow(
		&p, &s->rules_size, s->n_rules + 1, sizeof(s->rules[0])) != 0)
		return tape_err_nomem(err);
	s->rules = p;
	return read_rule(r, &s->rules[s->n_rules++], script, err);
}

enum tape_status
tape_script_load(struct tape_script *s, const char *path, struct tape_err *err)
{
	struct tape_json r;
	char *text = NULL, *line, *end, *stop;
	uint64_t n = 0;
	size_t len = 0;
	enum tape_status st;

	*s = (struct tape_script){ 0 };
	st = tape_fdio_slurp(path, TAPE_SCRIPT_CAP_BYTES, &text, &len, err);
	if (st != TAPE_OK)
		return st;
	tape_json_init(&r);
	stop = text + len;
	for (line = text; st == TAPE_OK && line < stop; line = end + 1) {
		n++;
		end = memchr(line, '\n', (size_t)(stop - line));
		if (end == NULL)
			end = stop;
		if (end == line || line[0] == '#')
			continue;
		tape_json_open(&r, line, (size_t)(end - line), TAPE_JSON_OURS);
		st = add_rule(s, &r, path, err);
	}
	if (st == TAPE_OK && s->n_rules == 0)
		st = tape_err_set(err, TAPE_E_FORMAT, "no rule in it");
	if (st != TAPE_OK)
		(void)tape_err_at(err, path, n);
	tape_json_release(&r);
	tape_mem_free(text);
	return st;
}

/* ---- which ---- */

static bool
is_for(
    const struct tape_script_rule *rule, const char *method, const char *path)
{
	if (rule->path == NULL)
		return strcmp(method, "POST") == 0;
	return strcmp(path, rule->path) == 0;
}

static bool
has_its_turn(const struct tape_script_rule *rule)
{
	return (rule->nth == 0 || rule->seen == rule->nth) &&
	       (rule->every == 0 || rule->seen % rule->every == 0);
}

const struct tape_script_rule *
tape_script_match(struct tape_script *s, const char *method, const char *path)
{
	const struct tape_script_rule *found = NULL;
	size_t i;

	/* all count, so that rules do not shift each other */
	for (i = 0; i < s->n_rules; i++) {
		if (!is_for(&s->rules[i], method, path))
			continue;
		s->rules[i].seen++;
		if (found == NULL && has_its_turn(&s->rules[i]))
			found = &s->rules[i];
	}
	return found;
}
