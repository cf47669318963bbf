/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/slo.h"

#include "base/clock.h"
#include "base/num.h"

#include <inttypes.h>
#include <string.h>

static bool
can_be_bounded(enum tape_metric_id id)
{
	return tape_metric_is_of_request(id) &&
	       strcmp(tape_metric_table[id].unit, "ns") == 0;
}

static enum tape_status
unknown(struct tape_str name, struct tape_err *err)
{
	struct tape_buf list;
	enum tape_status st;

	tape_buf_init(&list, 1 << 12);
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		if (can_be_bounded((enum tape_metric_id)i) &&
		    !tape_metric_table[i].extra)
			(void)tape_buf_add_fmt(&list, "%s%s",
			    list.len > 0 ? ", " : "",
			    tape_metric_table[i].name);
	st = tape_err_set(err, TAPE_E_USAGE,
	    "'%.*s' is no metric that can be bounded: %s, ...",
	    (int)(name.len < 32 ? name.len : 32), name.p, list.data);
	tape_buf_release(&list);
	return st;
}

static enum tape_status
parse_one(
    const char *item, size_t len, struct tape_slo *s, struct tape_err *err)
{
	const char *eq = memchr(item, '=', len);
	struct tape_slo_bound b;
	struct tape_str name;
	char value[32];
	size_t n;
	enum tape_status st;

	if (eq == NULL || eq == item)
		return tape_err_set(err, TAPE_E_USAGE,
		    "'%.*s' is not of the form METRIC=DURATION",
		    tape_str_shown(tape_str_make(item, len), 64), item);
	name = tape_str_make(item, (size_t)(eq - item));
	b.metric = tape_metric_find(name);
	if (b.metric == TAPE_METRIC_COUNT || !can_be_bounded(b.metric))
		return unknown(name, err);
	for (size_t i = 0; i < s->n; i++)
		if (s->bounds[i].metric == b.metric)
			return tape_err_set(err, TAPE_E_USAGE,
			    "%s is bounded twice",
			    tape_metric_table[b.metric].name);
	n = len - name.len - 1;
	if (n >= sizeof(value))
		return tape_err_set(
		    err, TAPE_E_USAGE, "'%.32s' is not a duration", eq + 1);
	memcpy(value, eq + 1, n);
	value[n] = '\0';
	st = tape_num_duration_ns(value, &b.bound_ns, err);
	if (st == TAPE_OK)
		s->bounds[s->n++] = b;
	return st;
}

enum tape_status
tape_slo_parse(const char *text, struct tape_slo *s, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (;;) {
		size_t len = strcspn(text, ",");

		st = parse_one(text, len, s, err);
		if (st != TAPE_OK || text[len] == '\0')
			return st;
		text += len + 1;
	}
}

static double
value_of(enum tape_metric_id id, const struct tape_result *r)
{
	if (id == TAPE_METRIC_GAP)
		return r->gap_max_ns == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64
							: (double)r->gap_max_ns;
	return tape_metric_table[id].of(r);
}

enum tape_status
tape_slo_parse_all(const char *const *texts, size_t n, struct tape_slo *s,
    struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = tape_slo_parse(texts[i], s, &why);
	return st == TAPE_OK ? st
			     : tape_err_set(err, st, "--slo: %s", why.text);
}

int64_t
tape_slo_bound(const struct tape_slo *s, enum tape_metric_id metric)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->bounds[i].metric == metric)
			return s->bounds[i].bound_ns;
	return 0;
}

bool
tape_slo_met(const struct tape_slo *s, const struct tape_result *r)
{
	if (r->ok != 1)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct tape_slo_bound *b = &s->bounds[i];

		/* False also where there is no value. */
		if (!(value_of(b->metric, r) <= (double)b->bound_ns))
			return false;
	}
	return true;
}

/* As it was given, or nearly: in the largest unit that has no fraction. */
static void
print_bound(int64_t ns, struct tape_buf *out)
{
	static const struct {
		int64_t by;
		const char *unit;
	} units[] = { { TAPE_NS_PER_S, "s" }, { TAPE_NS_PER_MS, "ms" },
		{ TAPE_NS_PER_US, "us" }, { 1, "ns" } };
	size_t i = 0;

	while (ns % units[i].by != 0)
		i++;
	(void)tape_buf_add_fmt(
	    out, "%" PRId64 " %s", ns / units[i].by, units[i].unit);
}

void
tape_slo_print(const struct tape_slo *s, struct tape_buf *out)
{
	for (size_t i = 0; i < s->n; i++) {
		(void)tape_buf_add_fmt(out, "%s%s <= ", i > 0 ? ", " : "",
		    tape_metric_table[s->bounds[i].metric].name);
		print_bound(s->bounds[i].bound_ns, out);
	}
}
