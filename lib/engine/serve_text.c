/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_text.h"

#include "base/dec.h"
#include "codec/json_write.h"

#define NS_PER_S UINT64_C(1000000000)

#define ADD(b, literal)                                                        \
 ((void)tape_buf_add((b), (literal), sizeof(literal) - 1))

static void
add_u64(struct tape_buf *b, uint64_t v)
{
	char digits[TAPE_DEC_TEXT];

	(void)tape_buf_add(b, digits, tape_dec_put_u64(v, digits));
}

static void
add_str(struct tape_buf *b, struct tape_str s)
{
	(void)tape_buf_add(b, s.p, s.len);
}

/* Up to the choices. */
static void
add_common(
    struct tape_buf *b, const struct tape_serve_text *t, const char *object)
{
	ADD(b, "{\"id\":\"");
	(void)tape_buf_add_str(b, t->id);
	ADD(b, "\",\"object\":\"");
	(void)tape_buf_add_str(b, object);
	ADD(b, "\",\"created\":");
	add_u64(b, (uint64_t)t->created_s);
	ADD(b, ",\"model\":");
	add_str(b, t->model);
	ADD(b, ",\"choices\":[");
}

static void
begin_event(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "data: ");
	add_common(b, t, t->chat ? "chat.completion.chunk" : "text_completion");
}

static void
add_stamp(struct tape_buf *b, const struct tape_serve_stamp *s)
{
	uint64_t t = (uint64_t)s->t_ns, rest = t % NS_PER_S;
	char frac[9];
	int i;

	if (!s->on)
		return;
	for (i = 8; i >= 0; i--, rest /= 10)
		frac[i] = (char)('0' + rest % 10);
	ADD(b, ",\"llmtape\":{\"t\":\"");
	add_u64(b, t / NS_PER_S);
	ADD(b, ".");
	(void)tape_buf_add(b, frac, sizeof(frac));
	ADD(b, "\",\"late_ns\":");
	add_u64(b, s->late_ns > 0 ? (uint64_t)s->late_ns : 0);
	ADD(b, ",\"seq\":");
	add_u64(b, s->seq);
	ADD(b, "}");
}

void
tape_serve_text_role(struct tape_buf *b, const struct tape_serve_text *t,
    const struct tape_serve_stamp *s)
{
	begin_event(b, t);
	ADD(b,
	    "{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
	    "\"logprobs\":null,\"finish_reason\":null}]");
	tape_serve_text_stamp(b, s);
}

void
tape_serve_text_say(struct tape_buf *b, const struct tape_serve_text *t)
{
	begin_event(b, t);
	if (t->chat)
		ADD(b, "{\"index\":0,\"delta\":{\"content\":\"");
	else
		ADD(b, "{\"index\":0,\"text\":\"");
}

void
tape_serve_text_said(struct tape_buf *b, const struct tape_serve_text *t)
{
	if (t->chat)
		ADD(b, "\"},\"logprobs\":null,\"finish_reason\":null}]");
	else
		ADD(b, "\",\"logprobs\":null,\"finish_reason\":null}]");
}

void
tape_serve_text_stamp(struct tape_buf *b, const struct tape_serve_stamp *s)
{
	add_stamp(b, s);
	ADD(b, "}\n\n");
}

void
tape_serve_text_cut(struct tape_buf *b, const struct tape_serve_text *t)
{
	begin_event(b, t);
	ADD(b, "{\"index\":0,\"delta\":{\"cont\n\n");
}

void
tape_serve_text_finish(struct tape_buf *b, const struct tape_serve_text *t,
    const char *reason, const struct tape_serve_stamp *s)
{
	begin_event(b, t);
	if (t->chat)
		ADD(b, "{\"index\":0,\"delta\":{}");
	else
		ADD(b, "{\"index\":0,\"text\":\"\"");
	ADD(b, ",\"logprobs\":null,\"finish_reason\":\"");
	(void)tape_buf_add_str(b, reason);
	ADD(b, "\"}]");
	tape_serve_text_stamp(b, s);
}

static void
add_usage(struct tape_buf *b, const struct tape_serve_usage *u)
{
	ADD(b, ",\"usage\":{\"prompt_tokens\":");
	add_u64(b, u->prompt_tokens);
	ADD(b, ",\"total_tokens\":");
	add_u64(b, u->prompt_tokens + u->output_tokens);
	ADD(b, ",\"completion_tokens\":");
	add_u64(b, u->output_tokens);
	ADD(b, ",\"prompt_tokens_details\":{\"cached_tokens\":");
	add_u64(b, u->cached_tokens);
	ADD(b, "}}");
}

void
tape_serve_text_usage(struct tape_buf *b, const struct tape_serve_text *t,
    const struct tape_serve_usage *u, const struct tape_serve_stamp *s)
{
	begin_event(b, t);
	ADD(b, "]");
	add_usage(b, u);
	tape_serve_text_stamp(b, s);
}

void
tape_serve_text_begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	add_common(b, t, t->chat ? "chat.completion" : "text_completion");
	if (t->chat)
		ADD(b, "{\"index\":0,\"message\":{\"role\":\"assistant\","
		       "\"content\":\"");
	else
		ADD(b, "{\"index\":0,\"text\":\"");
}

void
tape_serve_text_end(struct tape_buf *b, const struct tape_serve_text *t,
    const char *reason, const struct tape_serve_usage *u,
    const struct tape_serve_stamp *s)
{
	if (t->chat)
		ADD(b, "\"}");
	else
		ADD(b, "\"");
	ADD(b, ",\"logprobs\":null,\"finish_reason\":\"");
	(void)tape_buf_add_str(b, reason);
	ADD(b, "\"}]");
	add_usage(b, u);
	add_stamp(b, s);
	ADD(b, "}\n");
}

/* Type and code as the OpenAI API has them for a status. */
static void
error_kind(int status, const char **type, const char **code)
{
	*type = "invalid_request_error";
	*code = NULL;
	if (status == 401)
		*code = "invalid_api_key";
	else if (status == 404)
		*code = "not_found";
	else if (status == 429) {
		*type = "rate_limit_error";
		*code = "rate_limit_exceeded";
	} else if (status >= 500) {
		*type = "server_error";
		*code = status == 503 ? "overloaded" : "internal_error";
	}
}

void
tape_serve_text_error(struct tape_buf *b, int status, const char *message)
{
	struct tape_json_writer w;
	struct tape_err err = { 0 };
	const char *type, *code;

	error_kind(status, &type, &code);
	tape_json_write_init(&w, b);
	tape_json_write_object(&w, NULL);
	tape_json_write_object(&w, "error");
	tape_json_write_cstr(&w, "message", message);
	tape_json_write_cstr(&w, "type", type);
	tape_json_write_null(&w, "param");
	if (code != NULL)
		tape_json_write_cstr(&w, "code", code);
	else
		tape_json_write_null(&w, "code");
	tape_json_write_object_end(&w);
	tape_json_write_object_end(&w);
	/* a message that quotes a client's broken bytes is not UTF-8 */
	if (tape_json_write_finish(&w, &err) == TAPE_E_BUG)
		ADD(b, "{\"error\":{\"message\":\"bad request\",\"type\":"
		       "\"invalid_request_error\",\"param\":null,"
		       "\"code\":null}}");
}

void
tape_serve_text_models(
    struct tape_buf *b, struct tape_str name, int64_t created_s)
{
	ADD(b, "{\"object\":\"list\",\"data\":[{\"id\":");
	add_str(b, name);
	ADD(b, ",\"object\":\"model\",\"created\":");
	add_u64(b, (uint64_t)created_s);
	ADD(b, ",\"owned_by\":\"llmtape\"}]}\n");
}
