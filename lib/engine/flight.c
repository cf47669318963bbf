/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/flight.h"

#include "base/mem.h"
#include "base/utf8.h"

/*
 * A single answer of a hostile server may not grow a piece beyond this.  A
 * piece is passed on between two readiness events, and after a stall of the
 * loop one of them may bring more than what ought to be in hand: libcurl goes
 * round 100 times, a receive buffer of 16 KiB each, before it returns.
 */
#define CAP_PIECE ((size_t)4 << 20)

#define BODY_FIRST ((size_t)2 << 10) /* room for a few events */

static void
piece_init(struct tape_piece *p, struct tape_flight *f)
{
	p->flight = f;
	tape_buf_init(&p->headers, TAPE_CAP_HEADERS);
	tape_buf_init(&p->body, CAP_PIECE);
}

void
tape_piece_free(struct tape_piece *p)
{
	struct tape_flight *f;

	if (p == NULL)
		return;
	f = p->kind == TAPE_PIECE_LAST ? p->flight : NULL;
	tape_buf_release(&p->headers);
	tape_buf_release(&p->body);
	tape_mem_free(p->reads);
	tape_mem_free(p);
	tape_flight_free(f);
}

struct tape_piece *
tape_piece_line(int kind, const char *text, size_t len)
{
	struct tape_piece *p = tape_mem_calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	piece_init(p, NULL);
	p->kind = TAPE_PIECE_LINE;
	p->line_kind = kind;
	p->body.cap = TAPE_CAP_LINE;
	if (tape_buf_add(&p->body, text, len) != TAPE_OK) {
		tape_piece_free(p);
		return NULL;
	}
	return p;
}

size_t
tape_piece_weight(const struct tape_piece *p)
{
	size_t n = sizeof(*p) + p->headers.size + p->body.size +
		   p->reads_cap * sizeof(*p->reads);

	if (p->kind == TAPE_PIECE_LAST)
		n += sizeof(*p->flight) + p->flight->headers.size +
		     (p->flight->body != NULL ? p->flight->bytes : 0);
	return n;
}

static struct tape_str
copy_span(char **at, struct tape_str s)
{
	struct tape_str copy = { NULL, 0 };

	if (s.p == NULL)
		return copy;
	memcpy(*at, s.p, s.len);
	copy = tape_str_make(*at, s.len);
	*at += s.len;
	return copy;
}

static void
unknown(struct tape_flight *f)
{
	f->state = (struct tape_flight_state){ TAPE_ABSENT_I64, TAPE_ABSENT_I64,
		TAPE_ABSENT_I64, TAPE_ABSENT_I64, TAPE_ABSENT_I64,
		TAPE_ABSENT_I64, TAPE_ABSENT_I64, TAPE_ABSENT_I64,
		TAPE_ABSENT_BOOL, TAPE_ABSENT_I64, TAPE_ABSENT_I64, 0 };
	f->cancel_ns = TAPE_ABSENT_I64;
	f->retry_ns = TAPE_ABSENT_I64;
}

/* With an empty piece, and copies of these texts. */
static struct tape_flight *
new_flight(struct tape_str id, struct tape_str session, struct tape_str labels)
{
	struct tape_flight *n = tape_mem_calloc(1, sizeof(*n));
	char *at;

	if (n == NULL)
		return NULL;
	n->text = tape_mem_calloc(1, id.len + session.len + labels.len + 1);
	n->hand = tape_mem_calloc(1, sizeof(*n->hand));
	tape_buf_init(&n->headers, TAPE_CAP_HEADERS);
	if (n->hand != NULL)
		piece_init(n->hand, n);
	if (n->text == NULL || n->hand == NULL) {
		tape_flight_free(n);
		return NULL;
	}
	at = n->text;
	n->id = copy_span(&at, id);
	n->session = copy_span(&at, session);
	n->labels = copy_span(&at, labels);
	unknown(n);
	return n;
}

enum tape_status
tape_flight_open(struct tape_flight **f, const struct tape_course *course,
    const struct tape_request *request, struct tape_err *err)
{
	struct tape_flight *n =
	    new_flight(request->id, request->session, request->labels);

	if (n == NULL)
		return tape_err_nomem(err);
	n->course = course;
	n->turn_no = request->turn;
	n->output_tokens = request->output_tokens;
	n->input_tokens = request->input_tokens;
	n->attempt = 1;
	n->origin_due_ns = TAPE_ABSENT_I64;
	n->origin_start_ns = TAPE_ABSENT_I64;
	*f = n;
	return TAPE_OK;
}

struct tape_flight *
tape_flight_again(const struct tape_flight *f)
{
	struct tape_flight *n = new_flight(f->id, f->session, f->labels);
	bool first = f->attempt == 1;

	if (n == NULL)
		return NULL;
	if (f->course->keep_bodies && f->body != NULL) {
		n->body = tape_mem_dup(f->body, f->bytes);
		if (n->body == NULL) {
			tape_flight_free(n);
			return NULL;
		}
	}
	n->turn = f->turn;
	n->turn.ready_ns = f->retry_ns;
	n->course = f->course;
	n->target = f->target;
	n->turn_no = f->turn_no;
	n->pass = f->pass;
	n->output_tokens = f->output_tokens;
	n->input_tokens = f->input_tokens;
	n->key = f->key;
	n->measured = f->measured;
	n->followed = f->followed;
	n->cancels = f->cancels;
	n->attempt = f->attempt + 1;
	n->origin_due_ns = first ? f->turn.due_ns : f->origin_due_ns;
	n->origin_start_ns = first ? f->start_ns : f->origin_start_ns;
	n->hash = f->hash;
	n->bytes = f->bytes;
	n->target = f->target;
	return n;
}

void
tape_flight_hand_down(struct tape_flight *f, struct tape_flight *next)
{
	next->url = f->url;
	f->url = NULL;
	if (next->body != NULL)
		return;
	next->body = f->body;
	f->body = NULL;
}

void
tape_flight_drop_body(struct tape_flight *f)
{
	tape_mem_free(f->body);
	f->body = NULL;
}

void
tape_flight_free(struct tape_flight *f)
{
	if (f == NULL)
		return;
	tape_piece_free(f->hand);
	tape_buf_release(&f->headers);
	tape_mem_free(f->text);
	tape_mem_free(f->url);
	tape_mem_free(f->body);
	tape_mem_free(f->message);
	tape_mem_free(f->tls);
	tape_mem_free(f);
}

void
tape_flight_header(struct tape_flight *f, const char *name, size_t name_len,
    const char *value, size_t value_len)
{
	size_t before = f->headers.len;

	if (tape_buf_add(&f->headers, name, name_len) == TAPE_OK &&
	    tape_buf_add_char(&f->headers, '\n') == TAPE_OK &&
	    tape_buf_add(&f->headers, value, value_len) == TAPE_OK &&
	    tape_buf_add_char(&f->headers, '\n') == TAPE_OK)
		return;
	/* A field that does not fit is left out whole, and so is what follows:
	   the status stays. */
	f->headers.len = before;
	f->headers.data[before] = '\0';
}

void
tape_flight_read(struct tape_flight *f, const struct tape_http_read *r)
{
	struct tape_piece *p = f->hand;

	if (f->broken)
		return;
	if (r->first || p->reads_n == 0) {
		if (tape_mem_grow((void **)&p->reads, &p->reads_cap,
			p->reads_n + 1, sizeof(*p->reads)) != 0) {
			f->broken = true;
			return;
		}
		p->reads[p->reads_n++] =
		    (struct tape_flight_read){ .t_ns = r->t_ns - f->start_ns,
			    .lag_ns = r->lag_ns };
	}
	if (p->body.size == 0)
		(void)tape_buf_reserve(&p->body, BODY_FIRST);
	if (tape_buf_add(&p->body, r->data, r->len) != TAPE_OK) {
		f->broken = true;
		return;
	}
	p->reads[p->reads_n - 1].bytes += (int64_t)r->len;
}

void
tape_flight_head(struct tape_flight *f, int64_t t_ns, int64_t lag_ns)
{
	f->state.head_ns = lag_ns > 0 ? t_ns - lag_ns : t_ns;
	f->state.head_lag_ns = lag_ns < 0 ? TAPE_ABSENT_I64 : lag_ns;
}

static int64_t
known(int64_t v)
{
	return v < 0 ? TAPE_ABSENT_I64 : v;
}

void
tape_flight_finish(struct tape_flight *f, const struct tape_http_result *r)
{
	f->state = (struct tape_flight_state){
		.conn_ns = known(r->conn_ns),
		.sent_ns = known(r->sent_ns),
		.head_ns = TAPE_ABSENT_I64,
		.head_lag_ns = TAPE_ABSENT_I64,
		.end_ns = r->end_ns,
		.dns_ns = known(r->dns_ns),
		.connect_ns = known(r->connect_ns),
		.tls_ns = known(r->tls_ns),
		.reused = TAPE_ABSENT_BOOL,
		.status = r->status > 0 ? r->status : TAPE_ABSENT_I64,
		.redirects = r->redirects > 0 ? r->redirects : TAPE_ABSENT_I64,
		.http_version = r->http_version,
	};
	if (r->tls != NULL && r->tls[0] != '\0')
		f->tls = tape_mem_strdup(r->tls);
	if (r->head_ns >= 0)
		tape_flight_head(f, r->head_ns, r->head_lag_ns);
	if (r->conn_ns >= 0)
		f->state.reused = r->reused ? 1 : 0;
	f->class = f->broken ? TAPE_HTTP_CLIENT : r->class;
	f->cause = f->broken ? "memory" : r->cause;
	if (f->class != TAPE_HTTP_NONE)
		f->message = tape_mem_strdup(
		    f->broken ? "memory ran out while it was read"
			      : r->message);
}

void
tape_flight_fail(struct tape_flight *f, enum tape_http_class class,
    const char *cause, const char *message, int64_t end_ns)
{
	f->state.end_ns = end_ns;
	f->class = class;
	f->cause = cause;
	f->message = tape_mem_strdup(message);
}

bool
tape_flight_ripe(const struct tape_flight *f, int64_t now_ns)
{
	const struct tape_buf *b = &f->hand->body;

	if (b->len >= 2 * TAPE_CAP_BODY_IN_HAND)
		return true;
	if (b->len < TAPE_CAP_BODY_IN_HAND &&
	    now_ns - f->piece_ns < TAPE_FLIGHT_PIECE_NS)
		return false;
	if (b->len == 0)
		return f->pieces == 0;
	return tape_utf8_cut(b->data, b->len) == b->len;
}

struct tape_piece *
tape_flight_cut(struct tape_flight *f, int64_t now_ns)
{
	struct tape_piece *old = f->hand;
	struct tape_piece *p = tape_mem_calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	piece_init(p, f);
	/* It will be much like this one: so growing it costs once. */
	if (tape_buf_reserve(&p->body, old->body.len) != TAPE_OK ||
	    tape_mem_grow((void **)&p->reads, &p->reads_cap, old->reads_n,
		sizeof(*p->reads)) != 0) {
		tape_piece_free(p);
		return NULL;
	}
	if (f->pieces == 0 && tape_buf_add(&old->headers, f->headers.data,
				  f->headers.len) != TAPE_OK) {
		tape_buf_clear(&old->headers);
		tape_piece_free(p);
		return NULL;
	}
	old->state = f->state;
	old->seq = f->pieces++;
	f->piece_ns = now_ns;
	f->hand = p;
	return old;
}

struct tape_piece *
tape_flight_last(struct tape_flight *f)
{
	struct tape_piece *p = f->hand;

	f->hand = NULL;
	p->kind = TAPE_PIECE_LAST;
	p->state = f->state;
	return p;
}
