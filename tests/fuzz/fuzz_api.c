/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_api: any bytes as an event stream of every dialect.  A decoder that goes
 * on must say of each event what a fresh one says, and what it keeps must be
 * fit for a record.
 */
#include "api/api.h"
#include "api/api_pointers.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "codec/sse.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool cond)
{
	if (!cond)
		abort();
}

static bool
same_str(struct tape_str a, struct tape_str b)
{
	return (a.p == NULL) == (b.p == NULL) &&
	       (a.p == NULL || tape_str_equal(a, b));
}

static void
must_equal(const struct tape_api_event *a, const struct tape_api_event *b)
{
	must(a->class == b->class);
	must(a->malformed == b->malformed);
	must(a->has_usage == b->has_usage);
	must(a->choice == b->choice);
	must(a->text_bytes == b->text_bytes);
	must(memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0);
	must(a->out_tokens == b->out_tokens);
	must(a->server_ns == b->server_ns);
	must(a->server_late_ns == b->server_late_ns);
	must(same_str(a->text, b->text));
	must(same_str(a->finish, b->finish));
	must(same_str(a->error, b->error));
}

static const struct tape_api_pointers pointers = { { "/choices/0/delta/content",
    "/a~1b/1", "/usage/prompt_tokens", "/1", "/choices/0/finish_reason" } };

/* Its events may mean what they do by those before them. */
static bool
remembers(const struct tape_api *api)
{
	return strcmp(api->name, "sglang") == 0 ||
	       strcmp(api->name, "llamacpp") == 0 ||
	       strcmp(api->name, "triton_generate") == 0 || api->opaque;
}

static enum tape_status
on_event(void *user, const struct tape_sse_event *sse, struct tape_err *err)
{
	struct tape_api_decoder *d = user, fresh;
	struct tape_api_event a, b, c;
	const struct tape_str type = { sse->type, sse->type_len };
	const struct tape_str data = { sse->data, sse->len };

	tape_api_decoder_init(&fresh, d->api, true);
	fresh.pointers = d->pointers;
	must(tape_api_decode(d, type, data, &a, err) == TAPE_OK);
	must(tape_api_decode(&fresh, type, data, &b, err) == TAPE_OK);
	if (!remembers(d->api))
		must_equal(&a, &b);
	must(tape_api_decode_body(&fresh, data, &c, err) == TAPE_OK);
	tape_api_decoder_release(&fresh);
	return TAPE_OK;
}

static enum tape_status
on_field(void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	struct tape_api_event ev;

	must(tape_api_decode_field(user, tape_str_make("error", 5),
		 tape_str_make(f->value, f->value_len), &ev, err) == TAPE_OK);
	must(ev.class == 'e');
	return tape_api_decode_field(user, tape_str_make(f->name, f->name_len),
	    tape_str_make(f->value, f->value_len), &ev, err);
}

static void
must_be_json(const struct tape_buf *b)
{
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err err = { 0 };

	if (b->len == 0)
		return;
	must(memchr(b->data, '\n', b->len) == NULL);
	tape_json_init(&r);
	tape_json_open(&r, b->data, b->len, TAPE_JSON_OURS);
	must(tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, &err) == TAPE_OK);
	must(tape_json_skip(&r, NULL, NULL, &err) == TAPE_OK);
	must(tape_json_end(&r, &err) == TAPE_OK);
	tape_json_release(&r);
}

static void
check_kept(const struct tape_api_decoder *d)
{
	struct tape_buf b;

	tape_buf_init(&b, TAPE_CAP_LINE);
	tape_api_usage(d, &b);
	must_be_json(&b);
	tape_buf_clear(&b);
	tape_api_timing(d, &b);
	must_be_json(&b);
	tape_buf_release(&b);
	must(tape_utf8_valid(d->text.data, d->text.len));
	must(tape_utf8_valid(d->error.data, d->error.len));
	must(memchr(d->error.data, '\0', d->error.len) == NULL);
	for (int64_t i = 0; i < d->choices; i++) {
		struct tape_str f = tape_api_finish(d, i);

		must(f.p == NULL || tape_utf8_valid(f.p, f.len));
	}
}

static const struct tape_sse_calls calls = { on_event, NULL, on_field };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tape_api *api;
	struct tape_api_decoder d;
	struct tape_sse sse;
	struct tape_err err;

	for (size_t i = 0; (api = tape_api_at(i)) != NULL; i++) {
		tape_err_clear(&err);
		tape_api_decoder_init(&d, api, true);
		d.pointers = api->opaque ? &pointers : NULL;
		tape_sse_init(&sse, &calls, &d);
		must(tape_sse_feed(&sse, (const char *)data, size, &err) ==
		     TAPE_OK);
		check_kept(&d);
		tape_sse_release(&sse);
		tape_api_decoder_release(&d);
	}
	return 0;
}
