/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of checks, and how a record is made. */
#include "base/mem.h"
#include "codec/stat_select.h"
#include "engine/checks_impl.h"
#include "record/schema.h"

#define TEXT_CAP 4096

/* Of which runs a check speaks. */
enum scope {
	ANY,
	FULL, /* bytes were kept */
	BARE  /* only times were */
};

static const struct {
	const char *name;
	enum scope scope;
	bool tells; /* its text is a finding even when it is ok */
	enum tape_status (*make)(
	    struct tape_checks_maker *m, struct tape_err *err);
} table[] = {
	{ "requests", ANY, true, tape_checks_requests },
	{ "run_end", ANY, true, tape_checks_run_end },
	{ "errors", ANY, true, tape_checks_errors },
	{ "attempts", ANY, true, tape_checks_attempts },
	{ "cancelled", ANY, true, tape_checks_cancelled },
	{ "enough", ANY, false, tape_checks_enough },
	{ "kept", BARE, true, tape_checks_kept },
	{ "usage", FULL, true, tape_checks_usage },
	{ "length", FULL, true, tape_checks_length },
	{ "finish", FULL, true, tape_checks_finish },
	{ "end_mark", FULL, false, tape_checks_end_mark },
	{ "not_streamed", FULL, false, tape_checks_not_streamed },
	{ "malformed", FULL, false, tape_checks_malformed },
	{ "prompt_tokens", FULL, true, tape_checks_prompt },
	{ "cached_tokens", FULL, true, tape_checks_cached },
	{ "one_token", FULL, true, tape_checks_one_token },
	{ "model", ANY, false, tape_checks_model },
	{ "server", ANY, false, tape_checks_server },
	{ "buffered", FULL, false, tape_checks_buffered },
	{ "serialized", FULL, false, tape_checks_serialized },
	{ "flat", ANY, false, tape_checks_flat },
	{ "sampling", ANY, false, tape_checks_sampling },
	{ "alike", ANY, false, tape_checks_alike },
	{ "warmup", ANY, false, tape_checks_warmup },
	{ "trend", ANY, false, tape_checks_trend },
	{ "concurrency", ANY, false, tape_checks_concurrency },
	{ "littles_law", ANY, false, tape_checks_law },
	{ "clocks", ANY, true, tape_checks_clocks },
	{ "encoding", ANY, true, tape_checks_encoding },
	{ "client", ANY, false, tape_checks_client },
	{ "telemetry", ANY, false, tape_checks_telemetry },
	{ "throttled", ANY, false, tape_checks_throttled },
	{ "engine_tokens", FULL, true, tape_checks_engine_tokens },
	{ "engine_decode", FULL, true, tape_checks_engine_decode },
};

#define CHECKS (sizeof(table) / sizeof(*table))

_Static_assert(CHECKS <= TAPE_CHECKS_MAX, "a set has room for all checks");

struct tape_check *
tape_checks_begin(struct tape_checks_maker *m, const char *name)
{
	struct tape_check *k = &m->out->check[m->out->n++];

	tape_schema_init(TAPE_KIND_CHECK, k);
	k->run = m->run->run;
	if (m->run->start != NULL)
		k->arm = m->run->start->arm;
	k->name = tape_str_of(name);
	k->status = tape_str_of("ok");
	tape_buf_clear(&m->text);
	return k;
}

static void
set_status(struct tape_check *k, const char *status, const char *advice)
{
	k->status = tape_str_of(status);
	if (advice != NULL)
		k->advice = tape_str_of(advice);
}

void
tape_checks_warn(struct tape_check *k, bool bad, const char *advice)
{
	if (bad && !tape_str_is(k->status, "fail"))
		set_status(k, "warn", advice);
}

void
tape_checks_bad(struct tape_check *k, bool bad, const char *advice)
{
	if (bad)
		set_status(k, "fail", advice);
}

enum tape_status
tape_checks_end(
    struct tape_checks_maker *m, struct tape_check *k, struct tape_err *err)
{
	enum tape_status st = tape_buf_status(&m->text, err);

	if (st != TAPE_OK)
		return st;
	k->text.p = tape_arena_dup(&m->out->arena, m->text.data, m->text.len);
	k->text.len = m->text.len;
	m->out->failed += tape_str_is(k->status, "fail");
	return k->text.p == NULL ? tape_err_nomem(err) : TAPE_OK;
}

void
tape_checks_add_names(
    struct tape_buf *text, const struct tape_checks_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		(void)tape_buf_add_fmt(text, "%s%" PRIu64 " %s",
		    i > 0 ? ", " : "", names->v[i].count, names->v[i].name);
	if (names->other > 0)
		(void)tape_buf_add_fmt(
		    text, ", %" PRIu64 " other", names->other);
}

enum tape_status
tape_checks_quantile(
    const double *v, size_t n, double q, double *out, struct tape_err *err)
{
	double *copy;
	enum tape_status st;

	*out = TAPE_ABSENT_F64;
	if (n == 0)
		return TAPE_OK;
	copy = tape_mem_dup(v, n * sizeof(*v));
	if (copy == NULL)
		return tape_err_nomem(err);
	st = tape_stat_select(copy, n, q, out, err);
	tape_mem_free(copy);
	return st;
}

/* Of what another tool has measured only its results are known. */
static bool
is_of_results(const char *name)
{
	static const char *const names[] = { "requests", "errors", "enough",
		"length", "prompt_tokens", "one_token", "serialized", "flat",
		"alike", "trend", "concurrency", "littles_law" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool
applies(size_t check, const struct tape_run *start)
{
	const enum scope scope = table[check].scope;
	const bool bare = start != NULL && tape_str_is(start->keep, "times");

	if (start != NULL && start->client.p != NULL)
		return is_of_results(table[check].name);
	return scope == ANY || (scope == BARE) == bare;
}

enum tape_status
tape_checks_make(struct tape_checks *c, const struct tape_checks_run *run,
    struct tape_checks_set *out, struct tape_err *err)
{
	struct tape_checks_maker m = { .c = c, .out = out, .run = run };
	enum tape_status st = TAPE_OK;

	tape_checks_trim(c);
	m.points = c->points;
	m.points_n = c->points_n;
	tape_buf_init(&m.text, TEXT_CAP);
	for (size_t i = 0; i < CHECKS && st == TAPE_OK; i++)
		if (applies(i, run->start))
			st = table[i].make(&m, err);
	tape_buf_release(&m.text);
	return st;
}

void
tape_checks_set_release(struct tape_checks_set *set)
{
	tape_arena_release(&set->arena);
	memset(set, 0, sizeof(*set));
}

bool
tape_checks_tells(struct tape_str name)
{
	for (size_t i = 0; i < CHECKS; i++)
		if (tape_str_is(name, table[i].name))
			return table[i].tells;
	return true;
}
