/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_record.h"

#include "codec/json_write.h"
#include "engine/canary.h"
#include "engine/compare_floor.h"
#include "engine/compare_runs.h"
#include "engine/compare_seq_write.h"
#include "engine/compare_shape.h"

#include <stdio.h>

#define TEXT_CAP  ((size_t)4 << 20)
#define NAME_ROOM 64

/* Takes one record. */
struct sink {
	enum tape_status (*put)(void *arg, enum tape_kind kind,
	    const void *record, struct tape_err *err);
	void *arg;
};

static void
set_interval(struct tape_interval *to, struct tape_stat_interval ci,
    double level, const char *basis)
{
	if (!isfinite(ci.lo) || !isfinite(ci.hi))
		return;
	to->level_ratio = level;
	to->lo = ci.lo;
	to->hi = ci.hi;
	to->basis = tape_str_of(basis);
}

/* Infinite figures are unknown ones. */
static double
finite_or_absent(double v)
{
	return isfinite(v) ? v : TAPE_ABSENT_F64;
}

static void
set_figures(struct tape_comparison *c, const struct tape_compare_figures *f)
{
	c->ratio = finite_or_absent(f->ratio);
	set_interval(&c->ci, f->ci, f->ci_level, f->ci_basis);
	set_interval(&c->ci_exact, f->ci_exact, f->ci_exact_level, "sign-flip");
	c->hl_ratio = finite_or_absent(f->hl_ratio);
	set_interval(&c->hl_ci, f->hl_ci, f->hl_level, "signed-rank");
	c->test = tape_str_of(f->test);
	c->p = f->p;
	c->p_min = f->p_min;
	c->p_t = f->p_t;
	c->tost_p = f->tost_p;
	c->sd = f->sd;
	c->mde_ratio = finite_or_absent(f->mde_ratio);
	c->pairs_needed = f->pairs_needed;
	c->pairs_needed_upper = f->pairs_needed_upper;
	c->loo_min_ratio = finite_or_absent(f->loo.lo);
	c->loo_max_ratio = finite_or_absent(f->loo.hi);
	c->drift_ratio = finite_or_absent(f->drift_ratio);
}

/* The flags that are set, into v. */
static struct tape_strs
list_flags(
    const struct tape_compare_judged *j, struct tape_str v[TAPE_COMPARE_FLAGS])
{
	struct tape_strs flags = { v, 0 };

	for (unsigned i = 0; i < TAPE_COMPARE_FLAGS; i++)
		if (j->flags[i])
			v[flags.n++] = tape_str_of(tape_compare_flag_name(i));
	return flags;
}

/* Absent when there is nothing. */
static struct tape_str
text_of(const struct tape_buf *b)
{
	return tape_str_make(b->len > 0 ? b->data : NULL, b->len);
}

static size_t
pairs_of(const struct tape_compare_report *r)
{
	return r->canary == NULL ? r->design->k : tape_canary_pairs(r->canary);
}

static enum tape_status
write_row(const struct tape_compare_report *r, size_t i, const struct sink *out,
    struct tape_err *err)
{
	const struct tape_compare_row *row = &r->rows[i];
	const struct tape_compare_judged *j = &r->verdict->rows[i];
	struct tape_str flags[TAPE_COMPARE_FLAGS];
	struct tape_comparison c;
	struct tape_buf shape, least;
	enum tape_status st = TAPE_OK;

	tape_schema_init(TAPE_KIND_COMPARISON, &c);
	c.phase = tape_str_of(row->def->phase);
	c.metric = tape_str_of(row->def->metric);
	c.unit = tape_str_of(row->def->unit);
	c.better = tape_str_of(row->def->lower_is_better ? "lower" : "higher");
	c.statistic = tape_str_of(tape_compare_statistic_name(row->statistic));
	c.group = r->point;
	c.arm_a = r->set->arm_name[TAPE_COMPARE_A];
	c.arm_b = r->set->arm_name[TAPE_COMPARE_B];
	c.pairs = (int64_t)pairs_of(r);
	if (r->canary == NULL)
		c.matched = (int64_t)r->design->matched;
	c.a_value = finite_or_absent(row->value[TAPE_COMPARE_A]);
	c.b_value = finite_or_absent(row->value[TAPE_COMPARE_B]);
	if (row->usable) {
		c.d.v = row->d;
		c.d.n = row->k;
	}
	set_figures(&c, &j->f);
	c.p_adjusted = j->p_adjusted;
	c.status = tape_str_of(tape_compare_status_name(j->status));
	c.flags = list_flags(j, flags);
	tape_buf_init(&shape, TEXT_CAP);
	tape_buf_init(&least, TEXT_CAP);
	if (r->opts->shape)
		st = tape_compare_shape_json(r, i, &shape, err);
	if (st == TAPE_OK && r->opts->aa)
		st = tape_compare_floor_json(r, i, &least, err);
	c.shape = text_of(&shape);
	c.floor = text_of(&least);
	if (st == TAPE_OK)
		st = out->put(out->arg, TAPE_KIND_COMPARISON, &c, err);
	tape_buf_release(&shape);
	tape_buf_release(&least);
	return st;
}

static void
write_design(const struct tape_compare_design *d, struct tape_json_writer *w)
{
	tape_json_write_u64(w, "pairs", d->k);
	tape_json_write_array(w, "order");
	for (size_t i = 0; i < d->k; i++)
		tape_json_write_cstr(
		    w, NULL, d->pairs[i].b_first ? "BA" : "AB");
	tape_json_write_array_end(w);
	tape_json_write_u64(w, "a_first", d->a_first);
	tape_json_write_bool(w, "order_balanced", 2 * d->a_first == d->k);
	tape_json_write_u64(w, "matched_prompts", d->matched);
	tape_json_write_bool(w, "interleaved", d->interleaved);
	tape_json_write_cstr(w, "by", d->by_order ? "order" : "round");
	tape_compare_write_runs(d, w);
}

static enum tape_status
print_design(const struct tape_compare_report *r, struct tape_buf *out,
    struct tape_err *err)
{
	struct tape_json_writer w;

	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	if (r->canary == NULL)
		write_design(r->design, &w);
	else
		tape_canary_write_design(r->canary, &w);
	tape_json_write_object_end(&w);
	return tape_json_write_finish(&w, err);
}

static const char *
method_test(const struct tape_compare_report *r)
{
	if (r->canary != NULL)
		return "welch";
	if (r->opts->seq.plan == TAPE_COMPARE_ANYTIME)
		return "e-process";
	return r->design->k >= TAPE_COMPARE_PAIRS_FLIP ? "sign-flip"
						       : "paired-t";
}

static const char *
method_ci(const struct tape_compare_report *r)
{
	static const char *const names[] = { "paired-t", "sign-flip",
		"bootstrap-t" };

	if (r->canary != NULL)
		return "welch";
	if (r->opts->seq.plan == TAPE_COMPARE_ANYTIME)
		return "confidence-sequence";
	if (r->opts->seq.plan == TAPE_COMPARE_PLANNED)
		return "repeated-t";
	return names[r->opts->ci];
}

static const char *
method_adjust(const struct tape_compare_report *r)
{
	if (r->canary != NULL)
		return "none";
	if (r->opts->seq.plan != TAPE_COMPARE_FIXED)
		return "bonferroni";
	if (r->opts->exploratory)
		return "benjamini-hochberg";
	return r->design->k >= TAPE_COMPARE_PAIRS_FLIP ? "max-t" : "holm";
}

static void
list_primary(const struct tape_compare_report *r, struct tape_json_writer *w)
{
	char id[TAPE_COMPARE_ROW_ID];

	tape_json_write_array(w, "primary");
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (tape_compare_is_primary(r->opts, i))
			tape_json_write_cstr(
			    w, NULL, tape_compare_row_id(i, id));
	tape_json_write_array_end(w);
}

static enum tape_status
print_method(const struct tape_compare_report *r, struct tape_buf *out,
    struct tape_err *err)
{
	struct tape_json_writer w;
	enum tape_status st = TAPE_OK;

	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	tape_json_write_cstr(&w, "test", method_test(r));
	tape_json_write_cstr(&w, "ci", method_ci(r));
	tape_json_write_cstr(&w, "adjust", method_adjust(r));
	tape_json_write_u64(&w, "family_size", r->verdict->family);
	tape_json_write_double(&w, "alpha", r->opts->alpha);
	if (!isnan(r->opts->margin_ratio))
		tape_json_write_double(
		    &w, "margin_ratio", r->opts->margin_ratio);
	tape_json_write_u64(&w, "seed", r->opts->seed);
	if (r->opts->aa)
		tape_json_write_bool(&w, "aa", true);
	if (r->opts->exploratory)
		tape_json_write_bool(&w, "exploratory", true);
	if (r->opts->primary != 0)
		list_primary(r, &w);
	if (r->opts->seq.plan != TAPE_COMPARE_FIXED)
		st = tape_compare_seq_json(&w, r->rows, r->design->k, r->opts,
		    r->verdict->progress, err);
	tape_json_write_object_end(&w);
	return st == TAPE_OK ? tape_json_write_finish(&w, err) : st;
}

static enum tape_status
print_warnings(const struct tape_compare_report *r, struct tape_buf *out,
    struct tape_err *err)
{
	static const char *const names[] = { "refuse", "warn", "note" };
	struct tape_json_writer w;

	tape_json_write_init(&w, out);
	tape_json_write_array(&w, NULL);
	for (size_t i = 0; i < r->notes->n; i++) {
		const struct tape_compare_note *n = &r->notes->v[i];

		tape_json_write_object(&w, NULL);
		tape_json_write_cstr(&w, "severity", names[n->severity]);
		tape_json_write_cstr(&w, "code", n->code);
		tape_json_write_cstr(&w, "text", n->text);
		tape_json_write_object_end(&w);
	}
	tape_json_write_array_end(&w);
	return tape_json_write_finish(&w, err);
}

/* Names of the rows of one status, as decode/itl/matched-trim. */
static void
list_rows(const struct tape_compare_report *r, enum tape_compare_status s,
    char names[TAPE_COMPARE_ROWS][NAME_ROOM],
    struct tape_str v[TAPE_COMPARE_ROWS], struct tape_strs *out)
{
	size_t n = 0;

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		const struct tape_compare_row *row = &r->rows[i];

		if (r->verdict->rows[i].status != s)
			continue;
		(void)snprintf(names[n], NAME_ROOM, "%s/%s/%s", row->def->phase,
		    row->def->metric,
		    tape_compare_statistic_name(row->statistic));
		v[n] = tape_str_of(names[n]);
		n++;
	}
	out->v = v;
	out->n = n;
}

enum { DESIGN, METHOD, WARNINGS, SENTENCE, GATE, TEXTS };

static enum tape_status
write_verdict(const struct tape_compare_report *r, int exit_code,
    struct tape_buf text[TEXTS], const struct sink *out, struct tape_err *err)
{
	char lost[TAPE_COMPARE_ROWS][NAME_ROOM];
	char won[TAPE_COMPARE_ROWS][NAME_ROOM];
	struct tape_str lost_v[TAPE_COMPARE_ROWS], won_v[TAPE_COMPARE_ROWS];
	struct tape_verdict v;

	tape_schema_init(TAPE_KIND_VERDICT, &v);
	v.overall = tape_str_of(tape_compare_overall_name(r->verdict->overall));
	v.group = r->point;
	v.arm_a = r->set->arm_name[TAPE_COMPARE_A];
	v.arm_b = r->set->arm_name[TAPE_COMPARE_B];
	v.pairs = (int64_t)pairs_of(r);
	v.exit_code = exit_code;
	list_rows(r, TAPE_COMPARE_LOSS, lost, lost_v, &v.losses);
	list_rows(r, TAPE_COMPARE_WIN, won, won_v, &v.wins);
	v.design = tape_str_make(text[DESIGN].data, text[DESIGN].len);
	v.method = tape_str_make(text[METHOD].data, text[METHOD].len);
	v.warnings = tape_str_make(text[WARNINGS].data, text[WARNINGS].len);
	v.text = tape_str_make(text[SENTENCE].data, text[SENTENCE].len);
	if (r->gate != NULL)
		v.gate = tape_str_make(text[GATE].data, text[GATE].len);
	return out->put(out->arg, TAPE_KIND_VERDICT, &v, err);
}

static enum tape_status
write_all(const struct tape_compare_report *r, int exit_code,
    const struct sink *out, struct tape_err *err)
{
	struct tape_buf text[TEXTS];
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < TEXTS; i++)
		tape_buf_init(&text[i], TEXT_CAP);
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++)
		if (!r->rows[i].empty)
			st = write_row(r, i, out, err);
	if (st == TAPE_OK)
		st = print_design(r, &text[DESIGN], err);
	if (st == TAPE_OK)
		st = print_method(r, &text[METHOD], err);
	if (st == TAPE_OK)
		st = print_warnings(r, &text[WARNINGS], err);
	if (st == TAPE_OK && r->gate != NULL)
		st = tape_gate_write_json(r->gate, &text[GATE], err);
	tape_compare_print_overall(r, &text[SENTENCE]);
	if (st == TAPE_OK)
		st = tape_buf_status(&text[SENTENCE], err);
	if (st == TAPE_OK)
		st = write_verdict(r, exit_code, text, out, err);
	for (size_t i = 0; i < TEXTS; i++)
		tape_buf_release(&text[i]);
	return st;
}

static enum tape_status
put_stream(
    void *arg, enum tape_kind kind, const void *record, struct tape_err *err)
{
	return tape_writer_put(arg, kind, record, err);
}

enum tape_status
tape_compare_write(const struct tape_compare_report *r, int exit_code,
    struct tape_writer *out, struct tape_err *err)
{
	struct sink sink = { put_stream, out };

	return write_all(r, exit_code, &sink, err);
}

struct document {
	struct tape_buf *out;
	enum tape_kind kind; /* the only one that is taken in this pass */
	bool comma;          /* a record stands before the next */
};

static enum tape_status
put_json(
    void *arg, enum tape_kind kind, const void *record, struct tape_err *err)
{
	struct document *doc = arg;
	enum tape_status st;

	if (kind != doc->kind)
		return TAPE_OK;
	(void)tape_buf_add_str(doc->out, doc->comma ? ",\n" : "\n");
	doc->comma = true;
	st = tape_record_encode(kind, record, doc->out, err);
	return st == TAPE_OK ? tape_buf_status(doc->out, err) : st;
}

/* All records of one kind, with commas between. */
static enum tape_status
write_kind(const struct tape_compare_report *r, size_t n, int exit_code,
    enum tape_kind kind, struct tape_buf *out, struct tape_err *err)
{
	struct document doc = { out, kind, false };
	struct sink sink = { put_json, &doc };
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = write_all(&r[i], exit_code, &sink, err);
	return st;
}

enum tape_status
tape_compare_write_json(const struct tape_compare_report *r, size_t n,
    int exit_code, struct tape_str prov, struct tape_buf *out,
    struct tape_err *err)
{
	enum tape_status st;

	(void)tape_buf_add_fmt(out,
	    "{\"format\":\"%s\",\"version\":\"%s\",\"prov\":",
	    tape_format_name(TAPE_FORMAT_REPORT), TAPE_STREAM_VERSION);
	(void)tape_buf_add(out, prov.p, prov.len);
	(void)tape_buf_add_str(out, ",\n\"comparisons\":[");
	st = write_kind(r, n, exit_code, TAPE_KIND_COMPARISON, out, err);
	if (st != TAPE_OK)
		return st;
	(void)tape_buf_add_str(
	    out, n == 1 ? "\n],\"verdict\":" : "\n],\"verdicts\":[");
	st = write_kind(r, n, exit_code, TAPE_KIND_VERDICT, out, err);
	if (st == TAPE_OK)
		(void)tape_buf_add_str(out, n == 1 ? "}\n" : "\n]}\n");
	return st == TAPE_OK ? tape_buf_status(out, err) : st;
}
