/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressed answers: what they say, when, and how they fail. */
#include "engine/stamp_flow.h"
#include "record/coding.h"
#include "unit/tap.h"

#include <zlib.h>

#define CHOICE(text) "{\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}"
#define EVENT(text)  "data: " CHOICE(text) "\n\n"
#define DONE         "data: [DONE]\n\n"
#define STREAM       EVENT("a") EVENT("b") DONE
#define BODY                                                                   \
 "{\"choices\":[{\"message\":{\"content\":\"a\"},"                             \
 "\"finish_reason\":\"stop\"}]}"

static struct tape_err err;

/* Compresses, with a flush behind each blank line. */
static size_t
pack(const char *text, char *dst, size_t size)
{
	z_stream z = { 0 };
	const char *const end = text + strlen(text);
	const char *stop;

	if (deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	z.next_out = (unsigned char *)dst;
	z.avail_out = (unsigned)size;
	for (; text < end; text = stop) {
		stop = strstr(text, "\n\n");
		stop = stop == NULL ? end : stop + 2;
		z.next_in = (unsigned char *)(uintptr_t)text;
		z.avail_in = (unsigned)(stop - text);
		(void)deflate(&z, stop == end ? Z_FINISH : Z_SYNC_FLUSH);
	}
	(void)deflateEnd(&z);
	return size - z.avail_out;
}

#define READS 4096

struct answer {
	const char *type;
	const char *encoding;
	int64_t status;
	const char *failed; /* class of the exchange, or NULL */
	const char *body;
	size_t len;
	size_t read; /* bytes of each */
	bool bare;
};

/* Feeds the body, two reads in a part. */
static enum tape_status
feed(struct tape_flow *f, struct tape_exchange *x, const struct answer *a)
{
	static int64_t t_ns[READS], bytes[READS];
	struct tape_buf scratch;
	size_t n = 0, at = 0;
	enum tape_status st = TAPE_OK;
	bool last;

	for (size_t i = 0; i < a->len; i += a->read, n++) {
		t_ns[n] = (int64_t)n + 1;
		bytes[n] =
		    (int64_t)(a->len - i < a->read ? a->len - i : a->read);
	}
	tape_buf_init(&scratch, TAPE_CAP_LINE);
	for (size_t i = 0; st == TAPE_OK; i += 2) {
		const size_t m = n - i < 2 ? n - i : 2;
		size_t len = 0;

		for (size_t k = i; k < i + m; k++)
			len += (size_t)bytes[k];
		if (!a->bare)
			x->body = tape_str_make(a->body + at, len);
		at += len;
		x->reads.t_ns = (struct tape_i64s){ t_ns + i, m };
		x->reads.bytes = (struct tape_i64s){ bytes + i, m };
		last = i + m == n;
		st = tape_flow_feed(f, x, &scratch, last, &err);
		if (last)
			break;
	}
	tape_buf_release(&scratch);
	return st;
}

static void
show(const struct tape_response *r, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(
	    out, "%.*s ", (int)r->events.class.len, r->events.class.p);
	for (size_t i = 0; i < r->events.t_ns.n; i++)
		(void)tape_buf_add_fmt(out, "%s%lld", i > 0 ? "," : "",
		    (long long)r->events.t_ns.v[i]);
	(void)tape_buf_add_fmt(out, " %.*s", (int)r->encoding.len,
	    r->encoding.p == NULL ? "" : r->encoding.p);
	if (r->t.error.class.p != NULL)
		(void)tape_buf_add_fmt(out, " %.*s %.*s: %.*s",
		    (int)r->t.error.class.len, r->t.error.class.p,
		    (int)r->t.error.cause.len, r->t.error.cause.p,
		    (int)r->t.error.message.len, r->t.error.message.p);
}

static void
check(const struct answer *a, const char *want, const char *name)
{
	const struct tape_flow_about about = { .bare = a->bare };
	struct tape_exchange x;
	struct tape_response r;
	struct tape_flow f;
	struct tape_buf out;
	char headers[160];

	(void)snprintf(headers, sizeof(headers),
	    "[[\"content-type\",\"%s\"],[\"Content-Encoding\",\"%s\"]]",
	    a->type, a->encoding);
	tape_schema_init(TAPE_KIND_EXCHANGE, &x);
	x.t.x = x.t.run = x.t.attempt = 1;
	x.t.id = tape_str_of("q");
	x.t.start_ns = 0;
	x.t.status = a->status;
	x.t.headers = tape_str_of(headers);
	if (a->failed != NULL)
		x.t.error.class = tape_str_of(a->failed);
	tape_flow_init(&f, false);
	tape_buf_init(&out, 4096);
	tape_schema_init(TAPE_KIND_RESPONSE, &r);
	r.t = x.t;
	if (is_int(
		tape_flow_begin(&f, &x.t, &about, &err), TAPE_OK, "%s", name) &&
	    is_int(feed(&f, &x, a), TAPE_OK, "is read") &&
	    is_int(tape_flow_finish(&f, &r, &err), TAPE_OK, "is answered"))
		show(&r, &out);
	is_str(out.data, want, "as it should");
	if (r.encoding.p != NULL)
		is_int((int)r.body_bytes, (int)a->len, "its bytes are packed");
	tape_buf_release(&out);
	tape_flow_release(&f);
}

static char packed[8192];

static struct answer
answer(const char *text)
{
	struct answer a = { .type = "text/event-stream",
		.encoding = "gzip",
		.status = 200,
		.body = packed };

	a.len = pack(text, packed, sizeof(packed));
	a.read = a.len;
	return a;
}

/* How much of what is packed has to come, for so much to come out. */
static size_t
prefix_for(size_t plain, size_t len)
{
	unsigned char out[8192];
	z_stream z = { 0 };
	size_t n = 0;

	if (inflateInit2(&z, 31) != Z_OK)
		return 0;
	z.next_out = out;
	z.avail_out = sizeof(out);
	while (n < len && sizeof(out) - z.avail_out < plain) {
		z.next_in = (unsigned char *)packed + n++;
		z.avail_in = 1;
		(void)inflate(&z, Z_SYNC_FLUSH);
	}
	(void)inflateEnd(&z);
	return n;
}

static void
test_times(void)
{
	struct answer a = answer(STREAM);
	const size_t event = strlen(EVENT("a"));
	const size_t ends[] = { prefix_for(event, a.len),
		prefix_for(2 * event, a.len),
		prefix_for(strlen(STREAM), a.len) };
	char want[64];

	ok(ends[0] > 20 && ends[0] < ends[1] && ends[1] < ends[2] &&
		ends[2] < a.len,
	    "events end at %zu, %zu, %zu of %zu", ends[0], ends[1], ends[2],
	    a.len);
	a.read = 1;
	(void)snprintf(want, sizeof(want), "ccd %zu,%zu,%zu gzip", ends[0],
	    ends[1], ends[2]);
	check(&a, want, "a read a byte");
	a.read = a.len;
	check(&a, "ccd 1,1,1 gzip", "one read");
	a.read = ends[0];
	check(&a, "ccd 1,2,2 gzip", "a read that ends with an event");
	a.read--;
	check(&a, "ccd 2,2,2 gzip", "a byte less");
}

static void
test_bodies(void)
{
	struct answer a = answer(BODY);
	char want[64];

	a.type = "application/json";
	a.read = 5;
	(void)snprintf(
	    want, sizeof(want), "c %zu gzip", (a.len + a.read - 1) / a.read);
	check(&a, want, "a body is one event, of the last read");
	a = answer("{\"error\":{\"message\":\"no\"}}");
	a.type = "application/json";
	a.status = 404;
	check(&a, "e 1 gzip http not-found: no", "an error");
	a = answer("<html><title>Bad Gateway</title></html>");
	a.type = "text/html";
	a.status = 502;
	check(&a, "o 1 gzip http proxy-page: a page in HTML: Bad Gateway",
	    "a page");
	a = answer(CHOICE("a") "\n" CHOICE("b"));
	a.type = "application/x-ndjson";
	check(&a,
	    "cc 1,1 gzip unfinished cut: the answer has neither a finish "
	    "reason nor an end mark",
	    "lines");
}

static void
test_failures(void)
{
	struct answer a = answer(STREAM);

	a.encoding = "br";
	check(&a, "  br content-type encoding: br", "what is not decoded");
	a.bare = true;
	check(&a, "o 1 br", "nor need be, of times alone");
	a = answer(STREAM);
	a.encoding = "Identity";
	a.body = STREAM;
	a.read = a.len = strlen(STREAM);
	check(&a, "ccd 1,1,1 ", "identity is no encoding");
	a = answer(STREAM);
	a.len -= 4;
	check(&a,
	    "ccd 1,1,1 gzip malformed encoding: the compressed answer stops "
	    "before its end",
	    "cut off");
	a.failed = "truncated";
	check(&a, "ccd 1,1,1 gzip truncated : ",
	    "which the exchange has said already");
	a = answer(STREAM);
	packed[a.len - 6] ^= 1;
	check(&a,
	    "ccd 1,1,1 gzip malformed encoding: the answer's gzip data is "
	    "damaged: incorrect data check",
	    "damaged");
	a = answer(STREAM);
	a.body = STREAM;
	a.read = a.len = strlen(STREAM);
	check(&a,
	    " "
	    " gzip malformed encoding: the answer's gzip data is damaged: "
	    "incorrect header check",
	    "not compressed at all");
	a = answer("");
	a.len = 0;
	a.read = 1;
	check(&a,
	    "  gzip unfinished cut: the answer has neither a finish reason "
	    "nor an end mark",
	    "nothing");
}

/* A bomb of 16 MiB of white space in a stream. */
static void
test_bomb(void)
{
	static char bomb[65536];
	static unsigned char spaces[65536];
	struct answer a = answer(STREAM);
	z_stream z = { 0 };

	memset(spaces, '\n', sizeof(spaces));
	if (deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	z.next_out = (unsigned char *)bomb;
	z.avail_out = sizeof(bomb);
	for (int i = 0; i < 256; i++) {
		z.next_in = spaces;
		z.avail_in = sizeof(spaces);
		(void)deflate(&z, i == 255 ? Z_FINISH : Z_NO_FLUSH);
	}
	a.body = bomb;
	a.read = a.len = sizeof(bomb) - z.avail_out;
	(void)deflateEnd(&z);
	check(&a,
	    "  gzip malformed limit: the answer's gzip data unpacks to more "
	    "than 256 times its size",
	    "a bomb");
}

int
main(void)
{
	test_times();
	test_bodies();
	test_failures();
	test_bomb();
	return done_testing();
}
