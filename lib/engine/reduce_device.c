/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_device.h"

#include "engine/reduce_cell.h"

#include <inttypes.h>

#define LINE_CAP     4096
#define MIB_OF_A_GIB 1024

/* All values of one role of one device. */
struct fold {
	size_t n;
	double mean, min, max;
};

static bool
is_of(const struct tape_observed *o, const struct tape_observe_cover *c)
{
	if (!tape_str_is(o->source, c->track->source))
		return false;
	return c->track->device == NULL
		   ? o->device.p == NULL
		   : tape_str_is(o->device, c->track->device);
}

static struct fold
fold(const struct tape_observe_set *set, const struct tape_observe_cover *c,
    const char *role, bool sum)
{
	const struct tape_observed *o;
	struct fold f = { 0, 0, TAPE_ABSENT_F64, TAPE_ABSENT_F64 };

	for (size_t i = 0; (o = tape_observe_next(set, role, &i)) != NULL;) {
		if (!is_of(o, c) || isnan(o->mean))
			continue;
		f.mean += o->mean;
		if (f.n++ == 0) {
			f.min = o->min;
			f.max = o->max;
		} else if (sum) {
			f.min += o->min;
			f.max += o->max;
		} else {
			f.min = o->min < f.min ? o->min : f.min;
			f.max = o->max > f.max ? o->max : f.max;
		}
	}
	if (!sum && f.n > 0)
		f.mean /= (double)f.n;
	return f;
}

static void
add_sep(struct tape_buf *b)
{
	if (b->len > 0 && b->data[b->len - 1] != ' ')
		(void)tape_buf_add_str(b, ", ");
}

/* "1410 MHz (1395 to 1755)" */
static void
add_clock(struct tape_buf *b, const struct fold *f)
{
	if (f->n == 0)
		return;
	add_sep(b);
	(void)tape_buf_add_fmt(b, "%.0f MHz", f->mean);
	if (f->max - f->min >= 1)
		(void)tape_buf_add_fmt(b, " (%.0f to %.0f)", f->min, f->max);
}

/* Before, the mean, behind, and where it is another, the largest. */
static void
add_most(struct tape_buf *b, const struct fold *f, const char *before,
    const char *behind, int decimals)
{
	if (f->n == 0)
		return;
	add_sep(b);
	(void)tape_buf_add_fmt(
	    b, "%s%.*f%s", before, decimals, f->mean, behind);
	if (f->max - f->mean >= 0.5)
		(void)tape_buf_add_fmt(b, " (max %.0f)", f->max);
}

static void
scale(struct fold *f, double by)
{
	f->mean *= by;
	f->min *= by;
	f->max *= by;
}

static void
add_hits(struct tape_buf *b, const struct tape_observe_set *set,
    const struct tape_observe_cover *c)
{
	double sum[2] = { 0, 0 };
	static const char *const roles[] = { "cache_hits", "cache_queries" };

	for (size_t r = 0; r < 2; r++) {
		const struct tape_observed *o;

		for (size_t i = 0;
		     (o = tape_observe_next(set, roles[r], &i)) != NULL;)
			if (is_of(o, c) && !isnan(o->increase))
				sum[r] += o->increase;
	}
	if (!(sum[1] > 0))
		return;
	add_sep(b);
	(void)tape_buf_add_fmt(b, "cache hits %.1f%%", 100 * sum[0] / sum[1]);
}

static void
describe(struct tape_buf *b, const struct tape_observe_set *set,
    const struct tape_observe_cover *c)
{
	struct fold f = fold(set, c, "clock", false);

	add_clock(b, &f);
	f = fold(set, c, "power", true);
	add_most(b, &f, "", " W", 1);
	f = fold(set, c, "temperature", false);
	add_most(b, &f, "", " C", 0);
	f = fold(set, c, "utilization", false);
	add_most(b, &f, "load ", "%", 0);
	f = fold(set, c, "memory_used", true);
	scale(&f, 1.0 / MIB_OF_A_GIB);
	add_most(b, &f, "", " GiB", 1);
	f = fold(set, c, "queue", true);
	add_most(b, &f, "queue ", "", 1);
	f = fold(set, c, "running", true);
	add_most(b, &f, "running ", "", 1);
	f = fold(set, c, "cache_used", false);
	scale(&f, 100);
	add_most(b, &f, "cache used ", "%", 0);
	add_hits(b, set, c);
}

static void
add_title(struct tape_buf *b, const char *title, size_t indent)
{
	(void)tape_buf_add_fmt(b, "  %-*s", (int)indent - 2, title);
}

static void
add_device(struct tape_buf *b, struct tape_buf *text,
    const struct tape_observe_set *set, size_t i, size_t indent)
{
	const struct tape_observe_cover *c = &set->cover[i];
	size_t named;

	tape_buf_clear(text);
	(void)tape_buf_add_fmt(text, "%s%s%s: ", c->track->source,
	    c->track->device == NULL ? "" : " ",
	    c->track->device == NULL ? "" : c->track->device);
	named = text->len;
	if (c->from < c->to)
		describe(text, set, c);
	if (c->from == c->to)
		(void)tape_buf_add_str(text, "no sample in the run");
	else if (text->len == named)
		(void)tape_buf_add_fmt(text, "%zu values", c->track->series_n);
	add_title(b, i == 0 ? "devices" : "", indent);
	tape_reduce_text_wrap(
	    b, tape_str_make(text->data, text->len), indent, indent + 2);
	(void)tape_buf_add_char(b, '\n');
}

static void
add_energy(
    struct tape_buf *b, const struct tape_observe_set *set, size_t indent)
{
	const struct tape_observed *o;
	bool first = true;

	for (size_t i = 0;
	     (o = tape_observe_next(set, "energy_per_token", &i)) != NULL;) {
		add_title(b, first ? "energy" : "", indent);
		(void)tape_buf_add_fmt(b, "%.3g J per output token (%.*s)\n",
		    o->mean, (int)o->source.len, o->source.p);
		first = false;
	}
}

/* "prefill 5123 tok/s (client 4890), decode 63.2 tok/s (client 62.9)" */
static void
add_speeds(struct tape_buf *b, const struct tape_engine *e)
{
	const double native[] = { e->prefill_tokens_per_s,
		e->decode_tokens_per_s };
	const double client[] = { e->client_prefill_tokens_per_s,
		e->client_decode_tokens_per_s };
	static const char *const names[] = { "prefill", "decode" };

	for (size_t i = 0; i < 2; i++) {
		if (isnan(native[i]))
			continue;
		add_sep(b);
		(void)tape_buf_add_fmt(b, "%s %.1f tok/s", names[i], native[i]);
		if (!isnan(client[i]))
			(void)tape_buf_add_fmt(b, " (client %.1f)", client[i]);
	}
	if (e->generation.p != NULL &&
	    !tape_str_is(e->generation, "generation"))
		(void)tape_buf_add_fmt(
		    b, ", %.*s", (int)e->generation.len, e->generation.p);
}

static void
add_acceptance(struct tape_buf *b, const struct tape_engine *e)
{
	if (tape_str_is(e->acceptance, "not-measured")) {
		(void)tape_buf_add_str(b, "acceptance: not measured");
		return;
	}
	(void)tape_buf_add_str(b, "acceptance:");
	if (!isnan(e->acceptance_ratio))
		(void)tape_buf_add_fmt(b, " %.1f%% of the drafted tokens",
		    100 * e->acceptance_ratio);
	if (!isnan(e->acceptance_length_tokens))
		(void)tape_buf_add_fmt(b, "%s %.2f tokens an iteration",
		    isnan(e->acceptance_ratio) ? "" : ",",
		    e->acceptance_length_tokens);
	(void)tape_buf_add_fmt(
	    b, " (%.*s)", (int)e->acceptance.len, e->acceptance.p);
}

static void
add_peaks(struct tape_buf *b, const struct tape_engine *e)
{
	const int64_t bytes[] = { e->peak_gpu_memory_bytes,
		e->peak_cpu_memory_bytes };
	static const char *const names[] = { "GPU", "host" };

	for (size_t i = 0; i < 2; i++)
		if (bytes[i] != TAPE_ABSENT_I64) {
			add_sep(b);
			(void)tape_buf_add_fmt(b, "%s%.2f GiB %s",
			    b->len == 0 ? "peak memory " : "",
			    (double)bytes[i] / 0x1p30, names[i]);
		}
}

static void
add_engine(struct tape_buf *b, struct tape_buf *text,
    const struct tape_engine *e, size_t indent)
{
	static void (*const lines[])(
	    struct tape_buf *, const struct tape_engine *) = { add_speeds,
		add_acceptance, add_peaks };
	bool first = true;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		tape_buf_clear(text);
		lines[i](text, e);
		if (text->len == 0)
			continue;
		add_title(b, first ? "engine" : "", indent);
		tape_reduce_text_wrap(b, tape_str_make(text->data, text->len),
		    indent, indent + 2);
		(void)tape_buf_add_char(b, '\n');
		first = false;
	}
}

void
tape_reduce_device(
    struct tape_buf *b, const struct tape_reduce_outside *o, size_t indent)
{
	struct tape_buf text;

	tape_buf_init(&text, LINE_CAP);
	for (size_t i = 0; i < o->set.cover_n; i++)
		add_device(b, &text, &o->set, i, indent);
	add_energy(b, &o->set, indent);
	if (o->native)
		add_engine(b, &text, &o->engine, indent);
	tape_buf_release(&text);
}
