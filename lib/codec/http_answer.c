/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_answer.h"

#include "base/num.h"
#include "codec/http.h"

#include <string.h>
#include <strings.h>

#define KEPT_LINE    ((size_t)4 << 10) /* memory kept between answers */
#define SIZE_DIGITS  16
#define LENGTH_LIMIT (UINT64_MAX / 10 - 1)

void
tape_http_answer_begin(struct tape_http_answer *a, bool head)
{
	struct tape_buf line = a->line;

	if (line.cap == 0 || line.size > KEPT_LINE) {
		tape_buf_release(&line);
		tape_buf_init(&line, TAPE_HTTP_HEADER_BYTES);
	}
	tape_buf_clear(&line);
	*a = (struct tape_http_answer){ .head = head, .line = line };
}

void
tape_http_answer_release(struct tape_http_answer *a)
{
	tape_buf_release(&a->line);
}

void
tape_http_answer_trim(struct tape_http_answer *a)
{
	if (a->line.size > KEPT_LINE)
		tape_buf_release(&a->line);
}

static enum tape_http_kind
bad(struct tape_http_answer *a, const char *cause, const char *why)
{
	a->state = TAPE_HTTP_AT_BAD;
	a->cause = cause;
	a->why = why;
	return TAPE_HTTP_BAD;
}

static enum tape_http_kind
malformed(struct tape_http_answer *a, const char *why)
{
	return bad(a, "malformed", why);
}

/*
 * The next line, without its end.  MORE: it is not whole yet.  One that is
 * whole where it stands is not copied.
 */
static enum tape_http_kind
take_line(struct tape_http_answer *a, const char **p, const char *end,
    struct tape_str *line)
{
	size_t here = (size_t)(end - *p);
	const char *lf = memchr(*p, '\n', here);

	if (a->line_given)
		tape_buf_clear(&a->line);
	a->line_given = false;
	if (lf != NULL)
		here = (size_t)(lf - *p) + 1;
	a->head_bytes += here;
	if (a->head_bytes > TAPE_HTTP_HEADER_BYTES)
		return bad(
		    a, "header-limit", "The head of the response is too large");
	*line = tape_str_make(*p, here);
	*p += here;
	if (lf == NULL || a->line.len > 0) {
		if (tape_buf_add(&a->line, line->p, here) != TAPE_OK)
			return bad(a, "memory", "Out of memory");
		*line = tape_str_make(a->line.data, a->line.len);
	}
	if (lf == NULL)
		return TAPE_HTTP_MORE;
	a->line_given = a->line.len > 0;
	line->len--;
	if (line->len > 0 && line->p[line->len - 1] == '\r')
		line->len--;
	return TAPE_HTTP_FIELD;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What cannot become a status line is refused before it is whole: the bytes
   behind those of the line that came before. */
static bool
may_start(const struct tape_http_answer *a, const char *p, const char *end)
{
	static const char start[] = "HTTP/1.";
	size_t at = a->line.len;
	size_t n = (size_t)(end - p);

	if (at >= sizeof(start) - 1)
		return true;
	if (n > sizeof(start) - 1 - at)
		n = sizeof(start) - 1 - at;
	return memcmp(p, start + at, n) == 0;
}

static enum tape_http_kind
at_status(struct tape_http_answer *a, const char **p, const char *end,
    struct tape_http_item *item)
{
	struct tape_str line;
	enum tape_http_kind kind;
	const char *s;

	if (a->line_given)
		tape_buf_clear(&a->line);
	a->line_given = false;
	if (!may_start(a, *p, end))
		return malformed(a, "The response is not HTTP/1");
	kind = take_line(a, p, end, &line);
	if (kind != TAPE_HTTP_FIELD)
		return kind;
	s = line.p;
	if (line.len < 12 || memcmp(s, "HTTP/1.", 7) != 0 || !is_digit(s[7]) ||
	    s[8] != ' ')
		return malformed(a, "The response is not HTTP/1");
	if (s[9] < '1' || s[9] > '9' || !is_digit(s[10]) || !is_digit(s[11]) ||
	    (line.len > 12 && s[12] != ' '))
		return malformed(a, "The response has no status");
	a->status = (s[9] - '0') * 100 + (s[10] - '0') * 10 + (s[11] - '0');
	a->version = s[7] == '0' ? 10 : 11;
	if (a->status == 101)
		return malformed(a, "The server changed the protocol unasked");
	a->interim = a->status < 200;
	a->state = TAPE_HTTP_AT_FIELDS;
	item->status = a->status;
	item->version = a->version;
	return a->interim ? TAPE_HTTP_MORE : TAPE_HTTP_STATUS;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct tape_str
trim(const char *from, const char *end)
{
	while (from < end && is_blank(*from))
		from++;
	while (end > from && is_blank(end[-1]))
		end--;
	return tape_str_make(from, (size_t)(end - from));
}

static bool
is_word(struct tape_str s, const char *word)
{
	return s.len == strlen(word) && strncasecmp(s.p, word, s.len) == 0;
}

/* The next of a comma-separated list; false at its end. */
static bool
next_word(struct tape_str *list, struct tape_str *word)
{
	const char *end = list->p + list->len;
	const char *comma = memchr(list->p, ',', list->len);
	const char *stop = comma != NULL ? comma : end;

	if (list->len == 0)
		return false;
	*word = trim(list->p, stop);
	*list = tape_str_make(comma != NULL ? comma + 1 : end,
	    (size_t)(end - (comma != NULL ? comma + 1 : end)));
	return true;
}

bool
tape_http_list_has(struct tape_str list, const char *word)
{
	struct tape_str one;

	while (next_word(&list, &one))
		if (is_word(one, word))
			return true;
	return false;
}

static enum tape_http_kind
length_field(struct tape_http_answer *a, struct tape_str value)
{
	uint64_t n = 0;

	if (value.len == 0)
		return malformed(a, "Content-Length is not a number");
	for (size_t i = 0; i < value.len; i++) {
		if (!is_digit(value.p[i]) || n > LENGTH_LIMIT)
			return malformed(a, "Content-Length is not a number");
		n = n * 10 + (uint64_t)(value.p[i] - '0');
	}
	if (a->has_length && n != a->left)
		return malformed(a, "Content-Length says two things");
	a->has_length = true;
	a->left = n;
	return TAPE_HTTP_FIELD;
}

static enum tape_http_kind
coding_field(struct tape_http_answer *a, struct tape_str value)
{
	struct tape_str word;

	while (next_word(&value, &word)) {
		if (word.len == 0 || is_word(word, "identity"))
			continue;
		if (!is_word(word, "chunked") || a->chunked)
			return malformed(a, "Unknown Transfer-Encoding");
		a->chunked = true;
	}
	return TAPE_HTTP_FIELD;
}

static enum tape_http_kind
connection_field(struct tape_http_answer *a, struct tape_str value)
{
	a->close = a->close || tape_http_list_has(value, "close");
	a->keep = a->keep || tape_http_list_has(value, "keep-alive");
	return TAPE_HTTP_FIELD;
}

/* What of a head concerns the framing. */
static enum tape_http_kind
heed(struct tape_http_answer *a, const struct tape_http_item *item)
{
	if (is_word(item->name, "content-length")) {
		a->unfoldable = true;
		return length_field(a, item->data);
	}
	if (is_word(item->name, "transfer-encoding")) {
		a->unfoldable = true;
		return coding_field(a, item->data);
	}
	if (is_word(item->name, "connection"))
		return connection_field(a, item->data);
	return TAPE_HTTP_FIELD;
}

/* The head is over. */
static enum tape_http_kind
begin_body(struct tape_http_answer *a)
{
	if (a->interim) {
		a->state = TAPE_HTTP_AT_STATUS;
		a->interim = a->chunked = a->has_length = false;
		a->close = a->keep = false;
		return TAPE_HTTP_MORE;
	}
	a->state = TAPE_HTTP_AT_END;
	if (a->head || a->status == 204 || a->status == 304)
		return TAPE_HTTP_END;
	if (a->chunked) {
		/* Whoever says both may mean another end than we do. */
		a->close = a->close || a->has_length;
		a->left = 0;
		a->state = TAPE_HTTP_AT_SIZE;
		return TAPE_HTTP_MORE;
	}
	if (a->has_length && a->left == 0)
		return TAPE_HTTP_END;
	a->state = a->has_length ? TAPE_HTTP_AT_LENGTH : TAPE_HTTP_AT_REST;
	return TAPE_HTTP_MORE;
}

/* A line of a head or of trailers.  MORE: nothing to hand out, go on. */
static enum tape_http_kind
at_fields(struct tape_http_answer *a, const char **p, const char *end,
    struct tape_http_item *item)
{
	bool trailers = a->state == TAPE_HTTP_AT_TRAILERS;
	struct tape_str line;
	enum tape_http_kind kind = take_line(a, p, end, &line);
	const char *colon;

	if (kind != TAPE_HTTP_FIELD)
		return kind;
	if (line.len == 0) {
		a->unfoldable = false;
		if (!trailers)
			return begin_body(a);
		a->state = TAPE_HTTP_AT_END;
		return TAPE_HTTP_END;
	}
	if (is_blank(line.p[0])) {
		if (a->unfoldable)
			return malformed(a, "A line of the framing is folded");
		return TAPE_HTTP_MORE;
	}
	a->unfoldable = false;
	colon = memchr(line.p, ':', line.len);
	if (colon == NULL || colon == line.p)
		return malformed(a, "A header line has no name");
	if (is_blank(colon[-1]))
		return malformed(
		    a, "A header line has a blank before its colon");
	if (memchr(line.p, '\0', line.len) != NULL)
		return malformed(a, "A header line has a NUL");
	item->name = tape_str_make(line.p, (size_t)(colon - line.p));
	item->data = trim(colon + 1, line.p + line.len);
	if (!trailers)
		kind = heed(a, item);
	return kind == TAPE_HTTP_FIELD && a->interim ? TAPE_HTTP_MORE : kind;
}

static bool
may_follow_size(char c)
{
	return c == ';' || is_blank(c) || c == '\r' || c == '\n';
}

static enum tape_http_kind
at_size(struct tape_http_answer *a, const char **p, const char *end)
{
	for (; *p < end; ++*p) {
		int digit = tape_num_hex_digit(**p);

		if (digit < 0) {
			if (a->digits == 0)
				return malformed(a, "A chunk has no size");
			if (!may_follow_size(**p))
				return malformed(
				    a, "The size of a chunk is not a number");
			a->state = TAPE_HTTP_AT_EXTENSION;
			a->line_bytes = 0;
			return TAPE_HTTP_MORE;
		}
		if (a->digits++ == SIZE_DIGITS)
			return malformed(a, "A chunk is too large");
		a->left = a->left << 4 | (uint64_t)digit;
	}
	return TAPE_HTTP_MORE;
}

/* The rest of the line with a chunk's size. */
static enum tape_http_kind
at_extension(struct tape_http_answer *a, const char **p, const char *end)
{
	const char *lf = memchr(*p, '\n', (size_t)(end - *p));
	size_t n = (size_t)((lf != NULL ? lf + 1 : end) - *p);

	a->line_bytes += n;
	if (a->line_bytes > TAPE_HTTP_HEADER_BYTES)
		return malformed(a, "The extension of a chunk is too long");
	*p += n;
	if (lf != NULL)
		a->state =
		    a->left == 0 ? TAPE_HTTP_AT_TRAILERS : TAPE_HTTP_AT_CHUNK;
	return TAPE_HTTP_MORE;
}

static enum tape_http_kind
at_chunk_end(struct tape_http_answer *a, const char **p)
{
	char c = *(*p)++;

	if (c == '\r' && !a->cr) {
		a->cr = true;
		return TAPE_HTTP_MORE;
	}
	if (c != '\n')
		return malformed(a, "A chunk is longer than its size");
	a->cr = false;
	a->digits = 0;
	a->state = TAPE_HTTP_AT_SIZE;
	return TAPE_HTTP_MORE;
}

static enum tape_http_kind
at_body(struct tape_http_answer *a, const char **p, const char *end,
    struct tape_http_item *item)
{
	size_t n = (size_t)(end - *p);

	if (a->state != TAPE_HTTP_AT_REST && n > a->left)
		n = (size_t)a->left;
	item->data = tape_str_make(*p, n);
	*p += n;
	if (a->state == TAPE_HTTP_AT_REST)
		return TAPE_HTTP_BODY_BYTES;
	a->left -= n;
	if (a->left == 0)
		a->state = a->state == TAPE_HTTP_AT_CHUNK
			       ? TAPE_HTTP_AT_CHUNK_END
			       : TAPE_HTTP_AT_END;
	return TAPE_HTTP_BODY_BYTES;
}

static enum tape_http_kind
step(struct tape_http_answer *a, const char **p, const char *end,
    struct tape_http_item *item)
{
	switch (a->state) {
	case TAPE_HTTP_AT_STATUS:
		return at_status(a, p, end, item);
	case TAPE_HTTP_AT_FIELDS:
	case TAPE_HTTP_AT_TRAILERS:
		return at_fields(a, p, end, item);
	case TAPE_HTTP_AT_SIZE:
		return at_size(a, p, end);
	case TAPE_HTTP_AT_EXTENSION:
		return at_extension(a, p, end);
	case TAPE_HTTP_AT_CHUNK_END:
		return at_chunk_end(a, p);
	case TAPE_HTTP_AT_LENGTH:
	case TAPE_HTTP_AT_REST:
	case TAPE_HTTP_AT_CHUNK:
		return at_body(a, p, end, item);
	case TAPE_HTTP_AT_END:
	case TAPE_HTTP_AT_BAD:
	default:
		return TAPE_HTTP_END;
	}
}

enum tape_http_kind
tape_http_answer_next(struct tape_http_answer *a, const char **p,
    const char *end, struct tape_http_item *item)
{
	enum tape_http_kind kind = TAPE_HTTP_MORE;

	if (*p < end)
		a->any = true;
	while (
	    *p < end && kind == TAPE_HTTP_MORE && a->state < TAPE_HTTP_AT_END)
		kind = step(a, p, end, item);
	if (kind == TAPE_HTTP_MORE && a->state == TAPE_HTTP_AT_END)
		kind = TAPE_HTTP_END;
	if (a->state == TAPE_HTTP_AT_BAD) {
		kind = TAPE_HTTP_BAD;
		item->cause = a->cause;
		item->why = a->why;
	}
	return kind;
}

enum tape_http_kind
tape_http_answer_eof(struct tape_http_answer *a, struct tape_http_item *item)
{
	if (a->state == TAPE_HTTP_AT_REST)
		a->state = TAPE_HTTP_AT_END;
	if (a->state == TAPE_HTTP_AT_END)
		return TAPE_HTTP_END;
	if (!a->any)
		(void)bad(a, "closed", "Empty reply from server");
	else if (a->state <= TAPE_HTTP_AT_FIELDS)
		(void)malformed(a, "The response ended within its head");
	else if (a->state == TAPE_HTTP_AT_LENGTH)
		(void)bad(a, "content-length",
		    "The response ended before its Content-Length");
	else if (a->state != TAPE_HTTP_AT_BAD)
		(void)bad(
		    a, "chunked", "The response ended before its last chunk");
	item->cause = a->cause;
	item->why = a->why;
	return TAPE_HTTP_BAD;
}

bool
tape_http_answer_keeps(const struct tape_http_answer *a)
{
	bool framed = a->chunked || a->has_length || a->head ||
		      a->status == 204 || a->status == 304;

	return framed && !a->close && (a->version == 11 || a->keep);
}
