/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_text.h"

#include "codec/json_write.h"

#define NS_PER_S UINT64_C(1000000000)

#define ADD TAPE_SERVE_ADD

static bool
is_chat(const struct tape_serve_text *t)
{
	return t->dialect == &tape_serve_chat;
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
	tape_serve_add_u64(b, tape_serve_created_s(t));
	ADD(b, ",\"model\":");
	tape_serve_add_str(b, t->model);
	ADD(b, ",\"choices\":[");
}

static void
begin_event(struct tape_buf *b, const struct tape_serve_text *t)
{
	ADD(b, "data: ");
	add_common(
	    b, t, is_chat(t) ? "chat.completion.chunk" : "text_completion");
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
	tape_serve_add_u64(b, t / NS_PER_S);
	ADD(b, ".");
	(void)tape_buf_add(b, frac, sizeof(frac));
	ADD(b, "\",\"late_ns\":");
	tape_serve_add_u64(b, s->late_ns > 0 ? (uint64_t)s->late_ns : 0);
	ADD(b, ",\"seq\":");
	tape_serve_add_u64(b, s->seq);
	ADD(b, "}");
}

/* ---- chat and completions ---- */

static enum tape_serve_event
lead(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i > 0 || !is_chat(t))
		return TAPE_SERVE_NO_EVENT;
	begin_event(b, t);
	ADD(b,
	    "{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
	    "\"logprobs\":null,\"finish_reason\":null}]");
	return TAPE_SERVE_JSON_EVENT;
}

static void
say(struct tape_buf *b, const struct tape_serve_text *t)
{
	begin_event(b, t);
	if (is_chat(t))
		ADD(b, "{\"index\":0,\"delta\":{\"content\":\"");
	else
		ADD(b, "{\"index\":0,\"text\":\"");
}

static void
said(struct tape_buf *b, const struct tape_serve_text *t)
{
	if (is_chat(t))
		ADD(b, "\"},\"logprobs\":null,\"finish_reason\":null}]");
	else
		ADD(b, "\",\"logprobs\":null,\"finish_reason\":null}]");
}

static void
add_finish(struct tape_buf *b, const struct tape_serve_text *t)
{
	begin_event(b, t);
	if (is_chat(t))
		ADD(b, "{\"index\":0,\"delta\":{}");
	else
		ADD(b, "{\"index\":0,\"text\":\"\"");
	ADD(b, ",\"logprobs\":null,\"finish_reason\":\"");
	(void)tape_buf_add_str(b, t->finish);
	ADD(b, "\"}]");
}

static void
add_usage(struct tape_buf *b, const struct tape_serve_usage *u)
{
	ADD(b, ",\"usage\":{\"prompt_tokens\":");
	tape_serve_add_u64(b, u->prompt_tokens);
	ADD(b, ",\"total_tokens\":");
	tape_serve_add_u64(b, u->prompt_tokens + u->output_tokens);
	ADD(b, ",\"completion_tokens\":");
	tape_serve_add_u64(b, u->output_tokens);
	ADD(b, ",\"prompt_tokens_details\":{\"cached_tokens\":");
	tape_serve_add_u64(b, u->cached_tokens);
	ADD(b, "}}");
}

static enum tape_serve_event
tail(struct tape_buf *b, const struct tape_serve_text *t, unsigned i)
{
	if (i == 0) {
		add_finish(b, t);
		return TAPE_SERVE_JSON_EVENT;
	}
	if (i == 1 && t->tell_usage) {
		begin_event(b, t);
		ADD(b, "]");
		add_usage(b, &t->usage);
		return TAPE_SERVE_JSON_EVENT;
	}
	if (i > (t->tell_usage ? 2U : 1U))
		return TAPE_SERVE_NO_EVENT;
	ADD(b, "data: [DONE]\n\n");
	return TAPE_SERVE_OWN_EVENT;
}

static void
begin(struct tape_buf *b, const struct tape_serve_text *t)
{
	add_common(b, t, is_chat(t) ? "chat.completion" : "text_completion");
	if (is_chat(t))
		ADD(b, "{\"index\":0,\"message\":{\"role\":\"assistant\","
		       "\"content\":\"");
	else
		ADD(b, "{\"index\":0,\"text\":\"");
}

static void
end(struct tape_buf *b, const struct tape_serve_text *t)
{
	if (is_chat(t))
		ADD(b, "\"}");
	else
		ADD(b, "\"");
	ADD(b, ",\"logprobs\":null,\"finish_reason\":\"");
	(void)tape_buf_add_str(b, t->finish);
	ADD(b, "\"}]");
	add_usage(b, &t->usage);
}

#define OPENAI                                                                 \
 .type = TAPE_SERVE_SSE, .before = "data: ", .eol = "\n\n", .lead = lead,      \
 .say = say, .said = said, .tail = tail, .begin = begin, .end = end,           \
 .done = "data: [DONE]\n\n"

const struct tape_serve_dialect tape_serve_chat = {
	OPENAI,
	.name = "chat",
	.path = "/v1/chat/completions",
	.id = "chatcmpl-",
	.shape = { .input = TAPE_SERVE_MESSAGES,
	    .input_key = "messages",
	    .limit_keys = { "max_tokens", "max_completion_tokens" } },
};

const struct tape_serve_dialect tape_serve_completions = {
	OPENAI,
	.name = "completions",
	.path = "/v1/completions",
	.id = "cmpl-",
	.shape = { .input = TAPE_SERVE_TEXT,
	    .input_key = "prompt",
	    .limit_keys = { "max_tokens", "max_completion_tokens" } },
};

/* ---- all dialects ---- */

void
tape_serve_text_stamp(struct tape_buf *b, const struct tape_serve_text *t,
    const struct tape_serve_stamp *s)
{
	add_stamp(b, s);
	ADD(b, "}");
	(void)tape_buf_add_str(b, t->dialect->eol);
}

void
tape_serve_text_cut(struct tape_buf *b, const struct tape_serve_text *t)
{
	t->dialect->say(b, t);
	(void)tape_buf_add_str(b, t->dialect->eol);
}

static bool
end_event(struct tape_buf *b, const struct tape_serve_text *t,
    enum tape_serve_event kind, const struct tape_serve_stamp *s)
{
	if (kind == TAPE_SERVE_JSON_EVENT)
		tape_serve_text_stamp(b, t, s);
	return kind != TAPE_SERVE_NO_EVENT;
}

bool
tape_serve_text_lead(struct tape_buf *b, const struct tape_serve_text *t,
    unsigned i, const struct tape_serve_stamp *s)
{
	return t->dialect->lead != NULL &&
	       end_event(b, t, t->dialect->lead(b, t, i), s);
}

bool
tape_serve_text_tail(struct tape_buf *b, const struct tape_serve_text *t,
    unsigned i, const struct tape_serve_stamp *s)
{
	return t->dialect->tail != NULL &&
	       end_event(b, t, t->dialect->tail(b, t, i), s);
}

void
tape_serve_text_end(struct tape_buf *b, const struct tape_serve_text *t,
    const struct tape_serve_stamp *s)
{
	t->dialect->end(b, t);
	add_stamp(b, s);
	ADD(b, "}\n");
}

void
tape_serve_text_fail(struct tape_buf *b, const struct tape_serve_text *t,
    int status, const char *message)
{
	if (t->dialect->fail != NULL) {
		t->dialect->fail(b, message);
		return;
	}
	(void)tape_buf_add_str(b, t->dialect->before);
	tape_serve_text_error(b, status, message);
	(void)tape_buf_add_str(b, t->dialect->eol);
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
	tape_serve_add_str(b, name);
	ADD(b, ",\"object\":\"model\",\"created\":");
	tape_serve_add_u64(b, (uint64_t)created_s);
	ADD(b, ",\"owned_by\":\"llmtape\"}]}\n");
}
