/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every recorded stream of the dialects, against the answer key that came with
 * the recordings: tests/fixtures/sse/manifest.tsv.
 */
#include "api/api.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "codec/sse.h"
#include "unit/tap.h"

#define DIR   "tests/fixtures/sse/"
#define LARGE "../shared/data/sse/" /* where streams too large may be */

/* Columns of the answer key, by number. */
enum column {
	FILE_NAME,
	KIND = 4,
	EVENTS,
	DONE = 10,
	JSON_BAD = 13,
	STREAM_ERROR,
	TEXT_EVENTS,
	FIRST_TEXT_EVENT,
	TEXT_BYTES,
	TEXT_SHA256,
	CHOICES,
	REASONING_EVENTS,
	REASONING_BYTES,
	TOOL_CALLS,
	FINISH,
	USAGE_EVENTS,
	USAGE_IN,
	USAGE_OUT,
	COLUMNS
};

/* What is counted of one stream; finish is "choice:reason|...". */
struct seen {
	struct tape_api_decoder d;
	int64_t events, text_events, first_text, reasoning_events;
	int64_t reasoning_bytes, usage_events, errors;
	struct tape_buf finish;
};

static struct tape_err err;

static enum tape_status
on_event(void *user, const struct tape_sse_event *ev, struct tape_err *e)
{
	struct seen *s = user;
	struct tape_api_event got;
	enum tape_status st =
	    tape_api_decode(&s->d, tape_str_make(ev->type, ev->type_len),
		tape_str_make(ev->data, ev->len), &got, e);

	if (st != TAPE_OK)
		return st;
	if (got.bytes[TAPE_API_CONTENT] > 0) {
		if (s->text_events++ == 0)
			s->first_text = s->events;
	}
	if (got.bytes[TAPE_API_REASONING] > 0)
		s->reasoning_events++;
	s->reasoning_bytes += got.bytes[TAPE_API_REASONING];
	s->usage_events += got.has_usage;
	s->errors += got.error.p != NULL;
	if (got.finish.p != NULL)
		(void)tape_buf_add_fmt(&s->finish, "%s%lld:%.*s",
		    s->finish.len > 0 ? "|" : "", (long long)got.choice,
		    (int)got.finish.len, got.finish.p);
	s->events++;
	return TAPE_OK;
}

static const struct tape_sse_calls calls = { on_event, NULL, NULL };

static int64_t
number(const char *s)
{
	int64_t n = 0;

	if (strcmp(s, "-") == 0)
		return TAPE_ABSENT_I64;
	if (strcmp(s, "-1") == 0)
		return -1;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (*s - '0');
	return n;
}

static void
compare(struct seen *s, char *col[COLUMNS])
{
	char sha[TAPE_API_SHA256_TEXT];

	is_int(s->events, number(col[EVENTS]), "events");
	is_int(s->d.done, number(col[DONE]), "end mark");
	is_int(s->d.malformed, number(col[JSON_BAD]), "malformed events");
	is_int(s->errors, number(col[STREAM_ERROR]), "errors");
	is_int(s->text_events, number(col[TEXT_EVENTS]), "text events");
	is_int(s->first_text, number(col[FIRST_TEXT_EVENT]), "the first one");
	is_int(s->d.text.len, number(col[TEXT_BYTES]), "bytes of text");
	(void)tape_api_text_sha256(&s->d, sha);
	sha[16] = '\0';
	is_str(s->d.has_text ? sha : "-", col[TEXT_SHA256], "digest of text");
	is_int(s->d.choices, number(col[CHOICES]), "choices");
	is_int(s->reasoning_events, number(col[REASONING_EVENTS]),
	    "reasoning events");
	is_int(s->reasoning_bytes, number(col[REASONING_BYTES]),
	    "bytes of reasoning");
	is_int(s->d.tool_calls, number(col[TOOL_CALLS]), "tool calls");
	is_str(s->finish.len > 0 ? s->finish.data : "-", col[FINISH],
	    "finish reasons");
	is_int(s->usage_events, number(col[USAGE_EVENTS]), "usage events");
	is_int(s->d.tokens.input, number(col[USAGE_IN]), "input tokens");
	is_int(s->d.tokens.output, number(col[USAGE_OUT]), "output tokens");
}

static bool
slurp(const char *dir, const char *name, char **body, size_t *len)
{
	char path[512];

	tape_err_clear(&err);
	(void)snprintf(path, sizeof(path), "%s%s", dir, name);
	return tape_fdio_slurp(path, TAPE_CAP_LINE, body, len, &err) == TAPE_OK;
}

/* False when the stream is not there. */
static bool
try_stream(char *col[COLUMNS])
{
	struct seen s = { .first_text = -1 };
	struct tape_sse sse;
	char *body = NULL;
	size_t len = 0;

	if (!slurp(DIR, col[FILE_NAME], &body, &len) &&
	    !slurp(LARGE, col[FILE_NAME], &body, &len))
		return false;
	tape_api_decoder_init(
	    &s.d, tape_api_find(tape_str_of(col[KIND])), true);
	tape_buf_init(&s.finish, TAPE_CAP_LINE);
	tape_sse_init(&sse, &calls, &s);
	is_int(tape_sse_feed(&sse, body, len, &err), TAPE_OK, "%s",
	    col[FILE_NAME]);
	compare(&s, col);
	tape_sse_release(&sse);
	tape_buf_release(&s.finish);
	tape_api_decoder_release(&s.d);
	tape_mem_free(body);
	return true;
}

int
main(void)
{
	char *key = NULL, *line, *next, *col[COLUMNS];
	size_t len = 0;
	int n, streams = 0;

	if (!is_int(tape_fdio_slurp(
			DIR "manifest.tsv", TAPE_CAP_LINE, &key, &len, &err),
		TAPE_OK, "the answer key is there"))
		return done_testing();
	for (line = key; line != NULL && *line != '\0'; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		for (n = 0; n < COLUMNS && line != NULL; n++) {
			col[n] = line;
			line = strchr(line, '\t');
			if (line != NULL)
				*line++ = '\0';
		}
		if (n < COLUMNS ||
		    tape_api_find(tape_str_of(col[KIND])) == NULL)
			continue;
		streams += try_stream(col);
	}
	ok(streams >= 40, "%d streams were tried", streams);
	tape_mem_free(key);
	return done_testing();
}
