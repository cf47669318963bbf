/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp_judge.h"

#include "api/api_seems.h"
#include "base/utf8.h"
#include "codec/json.h"

#include <inttypes.h>
#include <strings.h>

#define TITLE_MAX       120
#define BODY_MAX        300 /* bytes of a body that are shown */
#define RETRY_AFTER_MAX 40
#define MESSAGE_READ    512 /* bytes that are looked into */

/* Causes of statuses; for the rest see cause_of. */
static const struct {
	int status;
	const char *cause;
} statuses[] = {
	{ 400, "refused-field" },
	{ 401, "denied" },
	{ 403, "denied" },
	{ 404, "not-found" },
	{ 405, "not-found" },
	{ 413, "too-long" },
	{ 422, "refused-field" },
	{ 429, "queue-full" },
	{ 502, "gateway" },
	{ 503, "engine-failed" },
	{ 504, "gateway" },
};

/* How servers say that a prompt does not fit. */
static const char *const too_long[] = { "context length", "context size",
	"context window", "too long", "too many tokens", "max_model_len",
	"maximum length", "maximum input length", "maximum model length",
	"maximum number of tokens",
	"`max_new_tokens` must be <=", "max_seq_len", "max_input_len",
	"reduce the length" };

static void
set_error(struct tape_failure *e, const char *class, const char *cause,
    const char *message)
{
	e->class = tape_str_of(class);
	e->cause = tape_str_of(cause);
	e->message = tape_str_of(message);
}

static bool
says_too_long(struct tape_str message)
{
	char text[MESSAGE_READ + 1];
	size_t n = message.len;

	if (message.p == NULL)
		return false;
	if (n >= sizeof(text))
		n = sizeof(text) - 1;
	memcpy(text, message.p, n);
	text[n] = '\0';
	for (size_t i = 0; i < sizeof(too_long) / sizeof(*too_long); i++)
		if (strcasestr(text, too_long[i]) != NULL)
			return true;
	return false;
}

static const char *
cause_of(int64_t status, struct tape_str message)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		if (statuses[i].status != status)
			continue;
		if ((status == 400 || status == 422) && says_too_long(message))
			return "too-long";
		return statuses[i].cause;
	}
	if (status >= 500)
		return "server-error";
	return status >= 300 && status < 400 ? "redirect" : "status";
}

/* The title of the page, or a word for it. */
static void
add_title(struct tape_flow *f)
{
	const char *at = strcasestr(f->begin, "<title>");
	const char *end;
	size_t n;

	if (at == NULL) {
		(void)tape_buf_add_str(&f->message, "a page in HTML");
		return;
	}
	at += strlen("<title>");
	end = strchr(at, '<');
	n = end == NULL ? strlen(at) : (size_t)(end - at);
	if (n > TITLE_MAX)
		n = tape_utf8_cut(at, TITLE_MAX);
	(void)tape_buf_add_str(&f->message, "a page in HTML: ");
	(void)tape_utf8_repair(&f->message, at, n);
}

/* What was kept of its begin does not depend on how it came in parts: where
   nothing more was decoded, only what came plainly is whole. */
static bool
has_begin(const struct tape_flow *f)
{
	return f->broken.status == TAPE_OK ||
	       f->head.coding == TAPE_UNPACK_NONE;
}

/* By its type, or where it has none by its looks. */
static bool
is_page(const struct tape_flow *f)
{
	static const char *const looks[] = { "<!doctype html", "<html" };
	const char *p = f->begin + strspn(f->begin, " \t\r\n");

	if (f->head.html || f->head.type[0] != '\0' || !has_begin(f))
		return f->head.html;
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		if (strncasecmp(p, looks[i], strlen(looks[i])) == 0)
			return true;
	return false;
}

/* A page of HTML comes from something in front of the server. */
static void
judge_page(struct tape_flow *f, struct tape_failure *e, const char *class)
{
	tape_buf_clear(&f->message);
	add_title(f);
	set_error(e, class, "proxy-page", f->message.data);
}

/* Appends the body's begin to the message, its white space as blanks; not that
   of a binary one, nor one that says nothing, as {}. */
static bool
add_body(struct tape_flow *f, const char *before)
{
	char text[BODY_MAX + 1];
	size_t n = 0;

	if (!has_begin(f))
		return false;
	for (const char *p = f->begin; *p != '\0' && n < BODY_MAX; p++) {
		if (strchr(" \t\r\n", *p) != NULL) {
			if (n > 0 && text[n - 1] != ' ')
				text[n++] = ' ';
			continue;
		}
		if ((unsigned char)*p < ' ')
			return false;
		text[n++] = *p;
	}
	while (n > 0 && text[n - 1] == ' ')
		n--;
	if (n <= 2)
		return false;
	text[n] = '\0';
	n = tape_utf8_cut(text, n);
	(void)tape_buf_add_str(&f->message, before);
	(void)tape_utf8_repair(&f->message, text, n);
	return true;
}

static void
add_retry_after(
    struct tape_flow *f, const struct tape_transfer *t, struct tape_failure *e)
{
	char after[RETRY_AFTER_MAX];

	if (tape_flow_header(t, "retry-after", after, sizeof(after))[0] == '\0')
		return;
	if (e->message.p != f->message.data) {
		tape_buf_clear(&f->message);
		if (e->message.p != NULL)
			(void)tape_buf_add(
			    &f->message, e->message.p, e->message.len);
	}
	(void)tape_buf_add_fmt(&f->message, "%sRetry-After: %s",
	    f->message.len > 0 ? "; " : "", after);
	e->message = tape_str_make(f->message.data, f->message.len);
}

/* The client found no message of the server's in the body, and said only that:
   what is left is the body itself. */
static bool
says_nothing(struct tape_str message)
{
	static const char own[] = "The server answered ";

	return message.p == NULL ||
	       (message.len >= sizeof(own) - 1 &&
		   memcmp(message.p, own, sizeof(own) - 1) == 0);
}

/* The status is no success. */
static void
judge_status(
    struct tape_flow *f, const struct tape_transfer *t, struct tape_failure *e)
{
	const struct tape_api_decoder *d = &f->decoder;

	/* The client knows where it leads, which the body does not say. */
	if (tape_str_is(e->cause, "redirect"))
		return;
	if (is_page(f)) {
		judge_page(f, e, "http");
		return;
	}
	tape_buf_clear(&f->message);
	if (d->failed && d->error.len > 0)
		e->message = tape_str_make(d->error.data, d->error.len);
	else if (says_nothing(e->message) && add_body(f, ""))
		e->message = tape_str_make(f->message.data, f->message.len);
	e->class = tape_str_of("http");
	e->cause = tape_str_of(cause_of(t->status, e->message));
	if (t->status == 429 || t->status == 503)
		add_retry_after(f, t, e);
}

/* Every choice that was seen said why it ended. */
static bool
all_finished(const struct tape_api_decoder *d)
{
	for (int64_t i = 0; i < d->choices; i++)
		if (tape_api_finish(d, i).p == NULL)
			return false;
	return d->choices > 0;
}

/* The server gave up on a choice and says so in its finish reason only. */
static bool
gave_up(const struct tape_api_decoder *d)
{
	for (int64_t i = 0; i < d->choices; i++) {
		const struct tape_str why = tape_api_finish(d, i);

		if (why.len == 5 && (strncasecmp(why.p, "error", 5) == 0 ||
					strncasecmp(why.p, "abort", 5) == 0))
			return true;
	}
	return false;
}

/* Nothing in it was of the dialect, but it is something: another one's answer, a
   page, a body of other JSON.  False: none of these. */
static bool
judge_stranger(struct tape_flow *f, struct tape_failure *e)
{
	const struct tape_api_decoder *d = &f->decoder;
	const char *api = tape_api_seems(tape_str_make(f->begin, f->begin_len));

	if (is_page(f)) {
		judge_page(f, e, "content-type");
		return true;
	}
	tape_buf_clear(&f->message);
	if (api != NULL && !f->api->opaque && strcmp(api, f->api->name) != 0)
		(void)tape_buf_add_fmt(&f->message,
		    "the answer looks like one of --api %s, not %s", api,
		    f->api->name);
	else if (f->mode != TAPE_FLOW_BODY || d->choices > 0 ||
		 !add_body(f, "no answer of the API: "))
		return false;
	set_error(e, "malformed", "json", f->message.data);
	return true;
}

static void
judge_end(struct tape_flow *f, struct tape_failure *e)
{
	const struct tape_api_decoder *d = &f->decoder;
	const bool ended =
	    d->done || all_finished(d) ||
	    (tape_api_may_just_end(d) &&
		(d->token_events > 0 || !tape_api_wants_tokens(d)));

	if (gave_up(d))
		set_error(e, "stream", "finish-error",
		    "a choice ended with an error as its finish reason");
	else if ((!ended || tape_api_wants_tokens(d)) && d->token_events == 0 &&
		 d->malformed == 0 && judge_stranger(f, e))
		return;
	else if (!ended && d->token_events == 0 && d->malformed > 0)
		set_error(e, "malformed",
		    f->spliced == d->malformed ? "spliced" : "json",
		    "no event is what the API says it should be");
	else if (!ended)
		set_error(e, "unfinished", "cut",
		    "the answer has neither a finish reason nor an end mark");
	else if (d->token_events == 0 && tape_api_wants_tokens(d))
		set_error(e, "unfinished", "empty", "ended without a token");
}

static void
judge_foreign(struct tape_flow *f, struct tape_failure *e)
{
	tape_buf_clear(&f->message);
	(void)tape_buf_add_str(&f->message, f->head.type);
	(void)add_body(f, ": ");
	set_error(e, "content-type", "foreign", f->message.data);
}

/* Where in the answer the server reported its error. */
static const char *
place_of_error(const struct tape_flow *f)
{
	if (f->mode == TAPE_FLOW_BODY)
		return "in-body";
	return f->decoder.token_events > 0 ? "mid-answer" : "at-start";
}

/* Why nothing was decoded any more. */
static const char *
cause_of_break(const struct tape_flow *f)
{
	if (f->broken.status == TAPE_E_LIMIT)
		return "limit";
	return f->unpack.failed ? "encoding" : "framing";
}

void
tape_flow_judge(struct tape_flow *f, struct tape_transfer *t)
{
	const struct tape_api_decoder *d = &f->decoder;
	struct tape_failure *e = &t->error;
	const bool told = e->class.p != NULL;

	if (told ? tape_str_is(e->class, "http")
		 : t->status != TAPE_ABSENT_I64 && t->status >= 400)
		judge_status(f, t, e);
	else if (told)
		return;
	else if (f->head.coding == TAPE_UNPACK_UNKNOWN &&
		 f->mode != TAPE_FLOW_BARE)
		set_error(e, "content-type", "encoding", f->head.encoding);
	else if (f->head.foreign && f->head.html)
		judge_page(f, e, "content-type");
	else if (f->head.foreign)
		judge_foreign(f, e);
	else if (d->failed)
		set_error(e, "stream", place_of_error(f), d->error.data);
	else if (f->broken.status != TAPE_OK)
		set_error(e, "malformed", cause_of_break(f), f->broken.text);
	else if (f->cut_short)
		set_error(e, "malformed", "encoding",
		    "the compressed answer stops before its end");
	else if (f->mode != TAPE_FLOW_BARE)
		judge_end(f, e);
}

bool
tape_flow_is_spliced(struct tape_str data)
{
	static const char *const frames[] = { "data: {", "data:{" };
	struct tape_json r;
	struct tape_json_token tok;
	const char *first;
	size_t len;
	bool two = false;

	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		if (memmem(data.p, data.len, frames[i], strlen(frames[i])) !=
		    NULL)
			return true;
	tape_json_init(&r);
	tape_json_open(&r, data.p, data.len, TAPE_JSON_FOREIGN);
	if (tape_json_next(&r, &tok, NULL) == TAPE_OK &&
	    tok.type == TAPE_JSON_OBJECT &&
	    tape_json_skip(&r, &first, &len, NULL) == TAPE_OK) {
		len += (size_t)(first - data.p);
		while (len < data.len && strchr(" \t\r\n", data.p[len]) != NULL)
			len++;
		two = len < data.len && data.p[len] == '{';
	}
	tape_json_release(&r);
	return two;
}
