/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run against the others of the input. */
#include "base/utf8.h"
#include "codec/json.h"
#include "engine/checks_impl.h"

#define FLAT_FROM_1 1.1  /* throughput over that of one request at a time */
#define FLAT        1.05 /* over that of the smallest concurrency */
#define SAMPLING    ((size_t)1 << 16)
#define SHOWN       160

/* What of a body decides how tokens are drawn. */
static const char *const fields[] = { "temperature", "top_p", "top_k", "min_p",
	"typical_p", "seed", "do_sample", "ignore_eos", "min_tokens", "stop",
	"n", "best_of", "presence_penalty", "frequency_penalty",
	"repetition_penalty", "logit_bias", "reasoning_effort" };

bool
tape_checks_is_sampling(const struct tape_json_token *tok)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (tape_json_key_is(tok, fields[i]))
			return true;
	return false;
}

void
tape_checks_history_release(struct tape_checks_history *h)
{
	tape_buf_release(&h->sampling);
	tape_checks_firsts_release(h->firsts, h->firsts_n);
	memset(h, 0, sizeof(*h));
}

void
tape_checks_copy_arm(char dst[TAPE_CHECKS_NAME], struct tape_str arm)
{
	size_t n = arm.p == NULL ? 0 : arm.len;

	if (n >= TAPE_CHECKS_NAME)
		n = tape_utf8_cut(arm.p, TAPE_CHECKS_NAME - 1);
	if (n > 0)
		memcpy(dst, arm.p, n);
	dst[n] = '\0';
}

static void
describe(const struct tape_checks_run *run, struct tape_checks_past *p)
{
	const struct tape_run *start = run->start;

	memset(p, 0, sizeof(*p));
	tape_checks_copy_arm(p->arm, start->arm);
	p->run = run->run;
	p->concurrency = tape_str_is(start->loop, "open") ? TAPE_ABSENT_I64
							  : start->concurrency;
	p->tokens = !isnan(run->output_per_s);
	p->per_s = p->tokens ? run->output_per_s : run->requests_per_s;
}

/* The run of that arm with the smallest concurrency, and the same measure. */
static const struct tape_checks_past *
smallest(
    const struct tape_checks_history *h, const struct tape_checks_past *than)
{
	const struct tape_checks_past *low = NULL;

	for (size_t i = 0; i < h->n; i++) {
		const struct tape_checks_past *p = &h->v[i];

		if (strcmp(p->arm, than->arm) != 0 || p->concurrency < 1 ||
		    p->tokens != than->tokens || !(p->per_s > 0))
			continue;
		if (low == NULL || p->concurrency < low->concurrency)
			low = p;
	}
	return low;
}

static enum tape_status
judge_flat(struct tape_checks_maker *m, const struct tape_checks_past *low,
    const struct tape_checks_past *now, struct tape_err *err)
{
	const double ratio = now->per_s / low->per_s;
	struct tape_check *k = tape_checks_begin(m, "flat");

	k->value = ratio;
	tape_checks_warn(k, low->concurrency > 1 && ratio < FLAT,
	    "the server was full at the smaller concurrency already: look at "
	    "its batch size, and measure below");
	tape_checks_bad(k, low->concurrency == 1 && ratio < FLAT_FROM_1,
	    "the server does not batch: set its batch size");
	(void)tape_buf_add_fmt(&m->text,
	    "%.2f times the %s/s of concurrency %" PRId64 " at %" PRId64, ratio,
	    now->tokens ? "output tokens" : "requests", low->concurrency,
	    now->concurrency);
	return tape_checks_end(m, k, err);
}

/* Set against the run of the smallest concurrency, when this one has at least
   twice as much. */
enum tape_status
tape_checks_flat(struct tape_checks_maker *m, struct tape_err *err)
{
	struct tape_checks_history *h = m->run->history;
	const struct tape_checks_past *low;
	struct tape_checks_past now;
	enum tape_status st = TAPE_OK;

	if (h == NULL || m->run->start == NULL)
		return TAPE_OK;
	describe(m->run, &now);
	if (now.concurrency < 1 || !(now.per_s > 0))
		return TAPE_OK;
	low = smallest(h, &now);
	if (low != NULL && now.concurrency / 2 >= low->concurrency)
		st = judge_flat(m, low, &now, err);
	if (h->n < TAPE_CHECKS_RUNS)
		h->v[h->n++] = now;
	return st;
}

/* "temperature 0, top_p 0.9", in the order of fields. */
static void
list_sampling(struct tape_str extra, struct tape_buf *out)
{
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_str raw;

	tape_json_init(&r);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		tape_json_open(&r, extra.p, extra.len, TAPE_JSON_FOREIGN);
		if (tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, NULL) !=
		    TAPE_OK)
			break;
		while (tape_json_next(&r, &tok, NULL) == TAPE_OK &&
		       tok.type != TAPE_JSON_OBJECT_END) {
			const bool is = tape_json_key_is(&tok, fields[i]);

			if (tape_json_skip(&r, &raw.p, &raw.len, NULL) !=
			    TAPE_OK)
				break;
			if (!is)
				continue;
			(void)tape_buf_add_fmt(out, "%s%s %.*s",
			    out->len > 0 ? ", " : "", fields[i],
			    tape_str_shown(raw, SHOWN), raw.p);
		}
	}
	tape_json_release(&r);
}

static void
add_list(struct tape_buf *text, const struct tape_buf *list)
{
	if (list->len == 0)
		(void)tape_buf_add_str(text, "the server's own");
	else
		(void)tape_buf_add_fmt(text, "%.*s",
		    tape_str_shown(tape_str_make(list->data, list->len), SHOWN),
		    list->data);
}

static enum tape_status
judge_sampling(struct tape_checks_maker *m, const struct tape_buf *first,
    const struct tape_buf *now, struct tape_err *err)
{
	struct tape_check *k = tape_checks_begin(m, "sampling");
	const bool same = first->len == now->len &&
			  memcmp(first->data, now->data, now->len) == 0;

	tape_checks_warn(k, !same,
	    "the runs did not draw tokens alike: give all of them the same "
	    "parameters");
	if (same) {
		(void)tape_buf_add_str(&m->text, "as in the first run: ");
	} else {
		(void)tape_buf_add_str(&m->text, "the first run: ");
		add_list(&m->text, first);
		(void)tape_buf_add_str(&m->text, "; this one: ");
	}
	add_list(&m->text, now);
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_sampling(struct tape_checks_maker *m, struct tape_err *err)
{
	struct tape_checks_history *h = m->run->history;
	struct tape_buf now;
	enum tape_status st;

	if (h == NULL || m->run->start == NULL)
		return TAPE_OK;
	tape_buf_init(&now, SAMPLING);
	if (m->run->start->extra.p != NULL)
		list_sampling(m->run->start->extra, &now);
	st = tape_buf_status(&now, err);
	if (st == TAPE_OK && h->has_sampling) {
		st = judge_sampling(m, &h->sampling, &now, err);
		tape_buf_release(&now);
		return st;
	}
	if (st != TAPE_OK) {
		tape_buf_release(&now);
		return st;
	}
	h->sampling = now;
	h->has_sampling = true;
	return TAPE_OK;
}
