/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenMetrics 1.0: text that Prometheus reads, too. */
#include "engine/reduce_openmetrics.h"

#include "base/mem.h"
#include "base/num.h"
#include "engine/reduce_out.h"
#include "engine/reduce_rows.h"

#include <inttypes.h>
#include <stdio.h>

#define FAMILY_CAP ((size_t)1 << 30)
#define LABELS_CAP ((size_t)1 << 20)
#define LABEL_MAX  64
#define LABELS_MAX 32

/* Beside what a metric is: its smallest and largest value, and sd. */
enum part { VALUE, LEAST, LARGEST, SD, PARTS };

static const char *const part_names[PARTS] = { "", "_smallest", "_largest",
	"_sd" };
static const char *const part_helps[PARTS] = { "", ": smallest", ": largest",
	": standard deviation" };

enum other { RUN, CHECK, LIMITED, SEEN, SEEN_MIN, SEEN_MAX, SEEN_ONE, OTHERS };

static const struct {
	const char *name;
	const char *help;
} others[OTHERS] = {
	[RUN] = { "llmtape_run_info", "what was run, by labels; always 1" },
	[CHECK] = { "llmtape_check_status",
	    "of a check: 0 ok, 1 warn, 2 fail" },
	[LIMITED] = { "llmtape_client_limited",
	    "1 where the client was the limit" },
	[SEEN] = { "llmtape_observed", "of devices and server: mean" },
	[SEEN_MIN] = { "llmtape_observed_smallest",
	    "of devices and server: smallest" },
	[SEEN_MAX] = { "llmtape_observed_largest",
	    "of devices and server: largest" },
	[SEEN_ONE] = { "llmtape_observed_value",
	    "of devices, server and engine: increase of a counter, bits that "
	    "were set, or the one value" },
};

struct tape_openmetrics {
	struct tape_buf metric[TAPE_METRIC_COUNT][PARTS];
	struct tape_buf other[OTHERS];
	struct tape_buf run_id, labels; /* of the set in hand */
	char names[LABELS_MAX][LABEL_MAX];
	size_t names_n;
};

static struct tape_openmetrics *
new_openmetrics(void)
{
	struct tape_openmetrics *o = tape_mem_calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		for (int j = 0; j < PARTS; j++)
			tape_buf_init(&o->metric[i][j], FAMILY_CAP);
	for (int i = 0; i < OTHERS; i++)
		tape_buf_init(&o->other[i], FAMILY_CAP);
	tape_buf_init(&o->run_id, LABELS_CAP);
	tape_buf_init(&o->labels, LABELS_CAP);
	return o;
}

void
tape_openmetrics_free(struct tape_openmetrics *o)
{
	if (o == NULL)
		return;
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		for (int j = 0; j < PARTS; j++)
			tape_buf_release(&o->metric[i][j]);
	for (int i = 0; i < OTHERS; i++)
		tape_buf_release(&o->other[i]);
	tape_buf_release(&o->run_id);
	tape_buf_release(&o->labels);
	tape_mem_free(o);
}

static bool
ends_in(const char *name, const char *suffix)
{
	const size_t n = strlen(name), m = strlen(suffix);

	return n >= m && strcmp(name + n - m, suffix) == 0;
}

/* per_s is per_second wherever it stands. */
static void
copy_name(const char *from, char *to, size_t size)
{
	const char *p = strstr(from, "per_s");

	if (p != NULL && (p[5] == '\0' || p[5] == '_'))
		(void)snprintf(to, size, "llmtape_%.*sper_second%s",
		    (int)(p - from), from, p + 5);
	else
		(void)snprintf(to, size, "llmtape_%s", from);
}

void
tape_openmetrics_name(
    const struct tape_metric *m, struct tape_openmetrics_name *out)
{
	static const char *const units[] = { "tokens", "bytes", "ratio" };
	char name[TAPE_OPENMETRICS_NAME - 16], suffix[16];

	copy_name(m->name, name, sizeof(name));
	out->unit = "";
	out->by = 1;
	if (strcmp(m->unit, "ns") == 0) {
		out->unit = "seconds";
		out->by = 1e9;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(m->unit, units[i]) == 0)
			out->unit = units[i];
	(void)snprintf(suffix, sizeof(suffix), "_%s", out->unit);
	(void)snprintf(out->name, sizeof(out->name), "%s%s", name,
	    out->unit[0] == '\0' || ends_in(name, suffix) ? "" : suffix);
}

static void
add_escaped(struct tape_buf *b, struct tape_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.p[i];

		if (c == '\n')
			(void)tape_buf_add_str(b, "\\n");
		else if (c == '"' || c == '\\')
			(void)tape_buf_add_fmt(b, "\\%c", c);
		else
			(void)tape_buf_add_char(
			    b, c < 0x20 || c == 0x7f ? '?' : s.p[i]);
	}
}

/* A name that no other label has: what cannot stand in it becomes '_'. */
static void
add_label(
    struct tape_openmetrics *o, struct tape_str name, struct tape_str value)
{
	char *to;
	size_t n = 0;

	if (value.p == NULL || o->names_n == LABELS_MAX)
		return;
	to = o->names[o->names_n];
	if (name.len > 0 && name.p[0] >= '0' && name.p[0] <= '9')
		to[n++] = '_';
	for (size_t i = 0; i < name.len && n + 4 < LABEL_MAX; i++) {
		const char c = name.p[i];

		to[n++] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				  (c >= '0' && c <= '9')
			      ? c
			      : '_';
	}
	to[n] = '\0';
	for (size_t i = 0; i < o->names_n; i++)
		if (strcmp(o->names[i], to) == 0 ||
		    strcmp(to, "quantile") == 0 || strncmp(to, "__", 2) == 0) {
			(void)snprintf(to, LABEL_MAX, "label_%zu", o->names_n);
			break;
		}
	(void)tape_buf_add_fmt(
	    &o->labels, "%s%s=\"", o->names_n > 0 ? "," : "", to);
	add_escaped(&o->labels, value);
	(void)tape_buf_add_char(&o->labels, '"');
	o->names_n++;
}

static void
begin_labels(struct tape_openmetrics *o, int64_t run, struct tape_str arm)
{
	char number[24];

	tape_buf_clear(&o->labels);
	o->names_n = 0;
	(void)snprintf(number, sizeof(number), "%" PRId64, run);
	add_label(o, tape_str_of("run_id"),
	    tape_str_make(o->run_id.data, o->run_id.len));
	add_label(o, tape_str_of("run"), tape_str_of(number));
	add_label(o, tape_str_of("arm"), arm);
}

static enum tape_status
add_group(
    struct tape_openmetrics *o, struct tape_str group, struct tape_err *err)
{
	struct tape_json json;
	struct tape_json_token tok;
	struct tape_str raw;
	enum tape_status st;

	tape_json_init(&json);
	tape_json_open(&json, group.p, group.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		raw = tape_str_make(tok.raw, tok.raw_len);
		if (tok.type == TAPE_JSON_STRING)
			raw = tape_str_make(tok.str, tok.len);
		/* The arm is a label already. */
		if (!tape_json_key_is(&tok, "arm"))
			add_label(o, tape_str_make(tok.key, tok.key_len), raw);
		st = tape_json_skip(&json, NULL, NULL, err);
	}
	tape_json_release(&json);
	return st;
}

static void
add_number(struct tape_buf *b, double v)
{
	char text[TAPE_NUM_TEXT];

	(void)tape_buf_add_fmt(
	    b, " %s\n", isinf(v) ? "+Inf" : tape_num_print_double(v, text));
}

/* A sample with the labels in hand and, maybe, one more. */
static void
add_sample(const struct tape_openmetrics *o, struct tape_buf *to,
    const char *name, const char *suffix, const char *quantile, double v)
{
	(void)tape_buf_add_fmt(to, "%s%s{%s%s%s%s}", name, suffix,
	    o->labels.data, quantile == NULL ? "" : ",quantile=\"",
	    quantile == NULL ? "" : quantile, quantile == NULL ? "" : "\"");
	add_number(to, v);
}

/* "llmtape_ttft_seconds" as "llmtape_ttft_largest_seconds"; _max is in the name
   of a metric. */
static void
part_name(const struct tape_openmetrics_name *n, enum part part, char *to,
    size_t size)
{
	const size_t unit = strlen(n->unit), all = strlen(n->name);
	const size_t head = unit > 0 ? all - unit - 1 : all;

	(void)snprintf(to, size, "%.*s%s%s", (int)head, n->name,
	    part_names[part], n->name + head);
}

static void
add_part(struct tape_openmetrics *o, int metric,
    const struct tape_openmetrics_name *n, enum part part, double v)
{
	char name[TAPE_OPENMETRICS_NAME + 16];

	if (isnan(v))
		return;
	part_name(n, part, name, sizeof(name));
	add_sample(o, &o->metric[metric][part], name, "", NULL, v / n->by);
}

static void
add_summary(struct tape_openmetrics *o, int metric,
    const struct tape_openmetrics_name *n, const struct tape_summary *s)
{
	double max;
	const struct tape_quantiles q = tape_summarize_quantiles(s, &max);
	const struct {
		const char *at;
		double v;
	} quantiles[] = { { "0.01", q.p1 }, { "0.05", q.p5 }, { "0.1", q.p10 },
		{ "0.25", q.p25 }, { "0.5", q.p50 }, { "0.75", q.p75 },
		{ "0.9", q.p90 }, { "0.95", q.p95 }, { "0.99", q.p99 },
		{ "0.999", q.p999 }, { "0.9999", q.p9999 } };
	struct tape_buf *b = &o->metric[metric][VALUE];
	const double sum = s->mean * (double)s->n;

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		if (!isnan(quantiles[i].v))
			add_sample(o, b, n->name, "", quantiles[i].at,
			    quantiles[i].v / n->by);
	add_sample(o, b, n->name, "_count", NULL, (double)s->n);
	/* The sum of a summary may not be below zero. */
	if (sum >= 0)
		add_sample(o, b, n->name, "_sum", NULL, sum / n->by);
	add_part(o, metric, n, LEAST, s->min);
	add_part(o, metric, n, LARGEST, max);
	add_part(o, metric, n, SD, s->sd);
}

static enum tape_status
begin(void *arg, const struct tape_header *header, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	if (t->openmetrics == NULL)
		t->openmetrics = new_openmetrics();
	if (t->openmetrics == NULL)
		return tape_err_nomem(err);
	tape_buf_clear(&t->openmetrics->run_id);
	(void)tape_buf_add(
	    &t->openmetrics->run_id, header->run_id.p, header->run_id.len);
	return tape_buf_status(&t->openmetrics->run_id, err);
}

static double
status_of(const struct tape_check *k)
{
	return tape_str_is(k->status, "ok")     ? 0
	       : tape_str_is(k->status, "warn") ? 1
						: 2;
}

/* What is from elsewhere than the responses, named by labels. */
static enum tape_status
add_outside(struct tape_reduce_text *t, const struct tape_reduce_outside *from,
    int64_t run, struct tape_str arm, struct tape_err *err)
{
	struct tape_openmetrics *o = t->openmetrics;
	const size_t n = from == NULL ? 0 : tape_reduce_rows(from);
	struct tape_summary row;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < n && st == TAPE_OK; i++) {
		st = tape_reduce_row(from, i, &row, &t->note, err);
		if (st != TAPE_OK)
			break;
		const double v[] = { row.mean, row.min, row.max, row.value };

		begin_labels(o, run, arm);
		add_label(o, tape_str_of("metric"), row.metric);
		add_label(o, tape_str_of("unit"), row.unit);
		st = add_group(o, row.group, err);
		for (size_t j = 0; j < sizeof(v) / sizeof(*v); j++)
			if (!isnan(v[j]))
				add_sample(o, &o->other[SEEN + j],
				    others[SEEN + j].name, "", NULL, v[j]);
	}
	return st;
}

static enum tape_status
run(void *arg, const struct tape_reduce_run *info, struct tape_err *err)
{
	static const struct tape_str none;
	struct tape_reduce_text *t = arg;
	struct tape_openmetrics *o = t->openmetrics;
	const struct tape_run *r =
	    info->start == NULL ? NULL : &info->start->u.run;
	const struct tape_str arm = r == NULL ? none : r->arm;

	begin_labels(o, info->run, arm);
	if (info->fidelity != NULL)
		add_sample(o, &o->other[LIMITED], others[LIMITED].name, "",
		    NULL,
		    tape_str_is(
			info->fidelity->u.fidelity.verdict, "client-limited"));
	for (size_t i = 0; i < info->check_count; i++) {
		begin_labels(o, info->run, arm);
		add_label(o, tape_str_of("check"), info->checks[i].name);
		add_sample(o, &o->other[CHECK], others[CHECK].name, "", NULL,
		    status_of(&info->checks[i]));
	}
	begin_labels(o, info->run, arm);
	if (r != NULL) {
		add_label(o, tape_str_of("model"), r->model);
		add_label(o, tape_str_of("api"), r->api);
		add_label(o, tape_str_of("client"), r->client);
	}
	add_sample(o, &o->other[RUN], others[RUN].name, "", NULL, 1);
	if (add_outside(t, info->outside, info->run, arm, err) != TAPE_OK)
		return err->status;
	return tape_buf_status(&o->labels, err);
}

static enum tape_status
set(void *arg, struct tape_str group, const struct tape_summarize_set *s,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	struct tape_openmetrics *o = t->openmetrics;
	struct tape_openmetrics_name name;
	enum tape_status st = TAPE_OK;

	/* One of the two: a sum over all series counts no request twice. */
	if ((group.p == NULL) == (t->points.by.n > 0))
		return TAPE_OK;
	begin_labels(o, s->summary[0].run, s->summary[0].arm);
	if (group.p != NULL)
		st = add_group(o, group, err);
	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++) {
		const struct tape_summary *row = &s->summary[i];

		if (!tape_summarize_has(s, i) || row->n == 0)
			continue;
		tape_openmetrics_name(&tape_metric_table[i], &name);
		if (tape_metric_table[i].kind != TAPE_METRIC_RUN)
			add_summary(o, i, &name, row);
		else
			add_part(o, i, &name, VALUE, row->value);
	}
	return st == TAPE_OK ? tape_buf_status(&o->labels, err) : st;
}

struct family {
	const char *name, *type, *unit; /* unit "": none */
	const char *help, *more;        /* behind it */
	const struct tape_buf *samples;
};

/* A family, if it has samples. */
static enum tape_status
put_family(
    struct tape_reduce_text *t, const struct family *f, struct tape_err *err)
{
	enum tape_status st = tape_buf_status(f->samples, err);

	if (st != TAPE_OK || f->samples->len == 0)
		return st;
	(void)tape_buf_add_fmt(&t->buf, "# TYPE %s %s\n", f->name, f->type);
	if (f->unit[0] != '\0')
		(void)tape_buf_add_fmt(
		    &t->buf, "# UNIT %s %s\n", f->name, f->unit);
	(void)tape_buf_add_fmt(
	    &t->buf, "# HELP %s %s%s\n", f->name, f->help, f->more);
	st = tape_reduce_text_flush(t, err);
	return st == TAPE_OK ? tape_out_write(t->out, f->samples->data,
				   f->samples->len, err)
			     : st;
}

static enum tape_status
put_metric(struct tape_reduce_text *t, int metric, struct tape_err *err)
{
	const struct tape_metric *row = &tape_metric_table[metric];
	struct tape_openmetrics_name n;
	char name[TAPE_OPENMETRICS_NAME + 16];
	enum tape_status st = TAPE_OK;

	tape_openmetrics_name(row, &n);
	for (int i = 0; i < PARTS && st == TAPE_OK; i++) {
		const bool whole = i == VALUE && row->kind != TAPE_METRIC_RUN;
		const struct family f = { name, whole ? "summary" : "gauge",
			n.unit, row->formula, part_helps[i],
			&t->openmetrics->metric[metric][i] };

		part_name(&n, (enum part)i, name, sizeof(name));
		st = put_family(t, &f, err);
	}
	return st;
}

static enum tape_status
put_families(struct tape_reduce_text *t, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (int i = 0; i < OTHERS && st == TAPE_OK; i++) {
		const struct family f = { others[i].name, "gauge", "",
			others[i].help, "", &t->openmetrics->other[i] };

		st = put_family(t, &f, err);
	}
	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++)
		st = put_metric(t, i, err);
	return st;
}

static enum tape_status
finish(struct tape_reduce_text *t, struct tape_err *err)
{
	enum tape_status st =
	    t->openmetrics == NULL ? TAPE_OK : put_families(t, err);

	if (st != TAPE_OK)
		return st;
	(void)tape_buf_add_str(&t->buf, "# EOF\n");
	return tape_reduce_text_flush(t, err);
}

struct tape_reduce_sink
tape_reduce_to_openmetrics(struct tape_reduce_text *t)
{
	const struct tape_reduce_sink s = {
		.arg = t, .begin = begin, .run = run, .set = set
	};

	t->finish = finish;
	return s;
}
