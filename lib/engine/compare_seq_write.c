/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_seq_write.h"

#include "codec/stat_rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PLAN_ROOM  2048
#define LOOKS_ROOM 1024

static const char *
plan_name(enum tape_compare_plan plan)
{
	return plan == TAPE_COMPARE_PLANNED ? "planned" : "anytime";
}

static const char *
spending_name(enum tape_stat_spending s)
{
	return s == TAPE_STAT_POCOCK ? "pocock" : "obf";
}

static double
scale_of(const struct tape_compare_opts *opts)
{
	return isnan(opts->margin_ratio) ? TAPE_COMPARE_SCALE_RATIO
					 : opts->margin_ratio;
}

const char *
tape_compare_row_id(size_t row, char dst[TAPE_COMPARE_ROW_ID])
{
	const struct tape_compare_row_def *def = &tape_compare_row_table[row];

	(void)snprintf(dst, TAPE_COMPARE_ROW_ID, "%s/%s/%s", def->phase,
	    def->metric, tape_compare_statistic_name(def->statistic));
	return dst;
}

/* "8,12,20" */
static const char *
list_looks(
    const struct tape_compare_seq *s, const char *comma, char dst[LOOKS_ROOM])
{
	size_t at = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < s->look_count && at < LOOKS_ROOM; i++) {
		int n = snprintf(dst + at, LOOKS_ROOM - at, "%s%zu",
		    i == 0 ? "" : comma, s->looks[i]);

		at += n > 0 ? (size_t)n : 0;
	}
	return dst;
}

const char *
tape_compare_plan_hash(
    const struct tape_compare_opts *opts, char dst[TAPE_COMPARE_PLAN_HASH])
{
	char text[PLAN_ROOM], looks[LOOKS_ROOM];
	bool planned = opts->seq.plan == TAPE_COMPARE_PLANNED;
	int n = snprintf(text, sizeof(text),
	    "%s alpha %.17g scale %.17g looks %s %s rows %" PRIx64
	    " comparisons %zu",
	    plan_name(opts->seq.plan), opts->alpha, scale_of(opts),
	    planned ? list_looks(&opts->seq, ",", looks) : "",
	    planned ? spending_name(opts->seq.spending) : "", opts->primary,
	    opts->cases > 0 ? opts->cases : 1);

	(void)snprintf(dst, TAPE_COMPARE_PLAN_HASH, "%016" PRIx64,
	    tape_rng_fnv64(text, n < 0 ? 0 : (size_t)n));
	return dst;
}

const char *
tape_compare_plan_text(
    const struct tape_compare_opts *opts, char *dst, size_t size)
{
	char looks[LOOKS_ROOM];

	if (opts->seq.plan == TAPE_COMPARE_PLANNED)
		(void)snprintf(dst, size, "looks at %s pairs (%s)",
		    list_looks(&opts->seq, ", ", looks),
		    spending_name(opts->seq.spending));
	else
		(void)snprintf(
		    dst, size, "any time (scale %g %%)", 100 * scale_of(opts));
	return dst;
}

static void
write_look(struct tape_json_writer *w, const struct tape_compare_look *look)
{
	char id[TAPE_COMPARE_ROW_ID];

	tape_json_write_object(w, NULL);
	tape_json_write_u64(w, "pairs", look->pairs);
	if (look->row < TAPE_COMPARE_ROWS) {
		tape_json_write_cstr(
		    w, "row", tape_compare_row_id(look->row, id));
		if (isfinite(look->e))
			tape_json_write_double(w, "e", look->e);
		tape_json_write_double(w, "p", look->p);
		tape_json_write_double(w, "bound", look->bound);
		tape_json_write_bool(w, "crossed", look->crossed);
	}
	tape_json_write_object_end(w);
}

enum tape_status
tape_compare_seq_json(struct tape_json_writer *w,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS], size_t k,
    const struct tape_compare_opts *opts, enum tape_compare_progress progress,
    struct tape_err *err)
{
	char hash[TAPE_COMPARE_PLAN_HASH], id[TAPE_COMPARE_ROW_ID];
	struct tape_compare_walk walk;
	struct tape_compare_look look;
	enum tape_status st;

	st = tape_compare_walk_open(&walk, rows, k, opts, err);
	if (st != TAPE_OK)
		return st;
	tape_json_write_object(w, "sequential");
	tape_json_write_cstr(w, "plan", plan_name(opts->seq.plan));
	tape_json_write_cstr(
	    w, "plan_hash", tape_compare_plan_hash(opts, hash));
	tape_json_write_cstr(
	    w, "progress", tape_compare_progress_name(progress));
	if (opts->seq.plan == TAPE_COMPARE_PLANNED)
		tape_json_write_cstr(
		    w, "spending", spending_name(opts->seq.spending));
	else
		tape_json_write_double(w, "scale_ratio", scale_of(opts));
	if (opts->seq.max_pairs > 0)
		tape_json_write_u64(w, "max_pairs", opts->seq.max_pairs);
	tape_json_write_array(w, "rows");
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (!rows[i].empty && tape_compare_is_primary(opts, i))
			tape_json_write_cstr(
			    w, NULL, tape_compare_row_id(i, id));
	tape_json_write_array_end(w);
	tape_json_write_array(w, "looks");
	while ((st = tape_compare_walk_next(&walk, &look, err)) == TAPE_OK)
		write_look(w, &look);
	tape_json_write_array_end(w);
	tape_json_write_object_end(w);
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* "decode itl, E 34 of 180" */
static void
print_evidence(const struct tape_compare_look *look, struct tape_buf *out)
{
	char name[TAPE_COMPARE_ROW_ID];
	const struct tape_compare_row_def *def;

	if (look->row == TAPE_COMPARE_ROWS)
		return;
	def = &tape_compare_row_table[look->row];
	(void)tape_buf_add_fmt(out, "; most in %s %s, ", def->phase,
	    tape_compare_row_name(def, name, sizeof(name)));
	if (isnan(look->e))
		(void)tape_buf_add_fmt(
		    out, "p %.2g, bound %.2g", look->p, look->bound);
	else
		(void)tape_buf_add_fmt(
		    out, "E %.3g of %.3g", look->e, look->bound);
}

static void
print_next(const struct tape_compare_opts *opts, size_t k,
    enum tape_compare_progress progress, struct tape_buf *out)
{
	size_t next = tape_compare_next_look(&opts->seq, k);

	if (progress == TAPE_COMPARE_DECIDED)
		(void)tape_buf_add_str(out, ": decided");
	else if (progress == TAPE_COMPARE_EXHAUSTED)
		(void)tape_buf_add_str(out, ": the end of the plan, undecided");
	else if (next > k + 1)
		(void)tape_buf_add_fmt(
		    out, ": add pairs, next look at %zu", next);
	else
		(void)tape_buf_add_str(out, ": add pairs");
}

void
tape_compare_seq_print(const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    size_t k, const struct tape_compare_opts *opts,
    enum tape_compare_progress progress, struct tape_buf *out)
{
	struct tape_compare_look look = { .row = TAPE_COMPARE_ROWS };
	struct tape_compare_walk walk;
	char plan[LOOKS_ROOM];

	if (tape_compare_walk_open(&walk, rows, k, opts, NULL) != TAPE_OK)
		return;
	while (tape_compare_walk_next(&walk, &look, NULL) == TAPE_OK)
		;
	(void)tape_buf_add_fmt(out, "sequential, %s, %zu pair%s",
	    tape_compare_plan_text(opts, plan, sizeof(plan)), k,
	    k == 1 ? "" : "s");
	print_evidence(&look, out);
	print_next(opts, k, progress, out);
	(void)tape_buf_add_char(out, '\n');
}
