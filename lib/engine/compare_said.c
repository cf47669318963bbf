/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_said.h"

#include "base/num.h"
#include "codec/json.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT_CAP 4096

/* The tools whose version can change a number, and who sends. */
static const char *const tools[] = { "trace-replay", "trace-record",
	"sse-timestamp", "metrics-reduce", NULL };
static const char *const senders[] = { "trace-replay", "trace-record", NULL };

/* By which names servers say how long prompts and how many at a time may be. */
static const char *const limits[] = { "max_model_len", "context_length",
	"context_window", "max_context_length", "n_ctx", "max_num_seqs",
	"max_batch_size", NULL };

static bool
is_one_of(struct tape_str s, const char *const *names)
{
	for (; *names != NULL; names++)
		if (tape_str_is(s, *names))
			return true;
	return false;
}

static enum tape_status
keep_text(struct tape_compare_set *set, struct tape_buf *b, struct tape_str *to,
    struct tape_err *err)
{
	enum tape_status st = tape_buf_status(b, err);

	if (st == TAPE_E_LIMIT)
		st = TAPE_OK; /* what fits tells enough */
	if (st == TAPE_OK && b->len > 0)
		st = tape_compare_keep(
		    set, tape_str_make(b->data, b->len), to, err);
	tape_buf_release(b);
	return st;
}

/* Adds a part once. */
static void
add_part(struct tape_buf *b, const char *text)
{
	size_t n = strlen(text);

	for (const char *p = strstr(b->data, text); p != NULL;
	     p = strstr(p + n, text))
		if (p[n] == '\0' || p[n] == ',')
			return;
	(void)tape_buf_add_fmt(b, "%s%s", b->len > 0 ? ", " : "", text);
}

/* An entry of a chain; its strings lie in room. */
struct entry {
	char tool[64], version[64], host[256];
};

static void
copy(char *dst, size_t size, const struct tape_json_token *tok)
{
	(void)tape_compare_show(tape_str_make(tok->str, tok->len), dst, size);
}

static enum tape_status
read_entry(struct tape_json *j, struct entry *e)
{
	struct tape_json_token tok;
	enum tape_status st;

	memset(e, 0, sizeof(*e));
	while ((st = tape_json_next(j, &tok, NULL)) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END) {
		if (tok.type != TAPE_JSON_STRING)
			st = tape_json_skip(j, NULL, NULL, NULL);
		else if (tape_json_key_is(&tok, "tool"))
			copy(e->tool, sizeof(e->tool), &tok);
		else if (tape_json_key_is(&tok, "version"))
			copy(e->version, sizeof(e->version), &tok);
		else if (tape_json_key_is(&tok, "host"))
			copy(e->host, sizeof(e->host), &tok);
		if (st != TAPE_OK)
			break;
	}
	return st;
}

enum tape_status
tape_compare_say_tools(struct tape_compare_set *set, struct tape_str prov,
    struct tape_str *tool, struct tape_str *host, struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_buf versions, hosts;
	struct tape_json j;
	struct entry e;
	char text[sizeof(e.tool) + sizeof(e.version) + 2];
	enum tape_status st;

	*tool = *host = tape_str_make(NULL, 0);
	tape_buf_init(&versions, TEXT_CAP);
	tape_buf_init(&hosts, TEXT_CAP);
	tape_json_init(&j);
	tape_json_open(&j, prov.p, prov.len, TAPE_JSON_OURS);
	st = tape_json_expect(&j, TAPE_JSON_ARRAY, &tok, NULL);
	while (st == TAPE_OK && tape_json_next(&j, &tok, NULL) == TAPE_OK &&
	       tok.type == TAPE_JSON_OBJECT) {
		st = read_entry(&j, &e);
		if (st != TAPE_OK)
			break;
		(void)snprintf(text, sizeof(text), "%s %s", e.tool, e.version);
		if (e.version[0] != '\0' &&
		    is_one_of(tape_str_of(e.tool), tools))
			add_part(&versions, text);
		if (e.host[0] != '\0' &&
		    is_one_of(tape_str_of(e.tool), senders))
			add_part(&hosts, e.host);
	}
	tape_json_release(&j);
	st = keep_text(set, &versions, tool, err);
	if (st == TAPE_OK)
		return keep_text(set, &hosts, host, err);
	tape_buf_release(&hosts);
	return st;
}

static void
add_time(struct tape_buf *b, const char *what, int64_t ns)
{
	char text[TAPE_NUM_TEXT];

	if (ns != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, ", %s %s", what,
		    tape_num_print_duration((double)ns, text));
}

enum tape_status
tape_compare_say_client(struct tape_compare_set *set, const struct tape_run *r,
    struct tape_str *client, struct tape_err *err)
{
	const struct tape_timeouts *t = &r->timeouts;
	struct tape_buf b;

	*client = tape_str_make(NULL, 0);
	if (r->connections.p == NULL)
		return TAPE_OK;
	tape_buf_init(&b, TEXT_CAP);
	(void)tape_buf_add_fmt(
	    &b, "connections %.*s", (int)r->connections.len, r->connections.p);
	if (r->threads != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(&b, ", threads %" PRId64, r->threads);
	if (r->insecure == 1)
		(void)tape_buf_add_str(&b, ", insecure");
	if (r->sources.n > 0)
		(void)tape_buf_add_fmt(&b, ", %zu addresses", r->sources.n);
	add_time(&b, "ramp", r->ramp_ns);
	add_time(&b, "first byte within", t->first_byte_ns);
	add_time(&b, "idle", t->idle_ns);
	add_time(&b, "total", t->total_ns);
	return keep_text(set, &b, client, err);
}

enum tape_status
tape_compare_say_limits(struct tape_compare_set *set, struct tape_str models,
    struct tape_str *said, struct tape_err *err)
{
	struct tape_json_token tok = { .type = TAPE_JSON_NULL };
	struct tape_json j;
	struct tape_buf b;
	char text[96];

	*said = tape_str_make(NULL, 0);
	if (models.p == NULL)
		return TAPE_OK;
	tape_buf_init(&b, TEXT_CAP);
	tape_json_init(&j);
	tape_json_open(&j, models.p, models.len, TAPE_JSON_FOREIGN);
	while (tape_json_next(&j, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_END) {
		struct tape_str key = tape_str_make(tok.key, tok.key_len);

		if (tok.key == NULL || tok.type != TAPE_JSON_INT ||
		    !is_one_of(key, limits))
			continue;
		(void)snprintf(text, sizeof(text), "%.*s %" PRId64,
		    (int)key.len, key.p, tok.i64);
		add_part(&b, text);
	}
	tape_json_release(&j);
	return keep_text(set, &b, said, err);
}
