/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_conditions.h"

#include "engine/compare_meta.h"
#include "engine/compare_said.h"

#include <inttypes.h>
#include <stdio.h>

#define SHOWN_ROOM     64
#define SAID_ROOM      160
#define CONDITION_ROOM ((size_t)5 * SHOWN_ROOM)

const char *const tape_compare_condition_names[TAPE_COMPARE_CONDITIONS] = {
	"model", "extra", "load", "trace", "api", "warmup", "tool", "client",
	"limits", "boot", "host", "device"
};

enum tape_status
tape_compare_keep_conditions(struct tape_compare_set *set,
    const struct tape_run *r, struct tape_compare_conditions *c,
    struct tape_err *err)
{
	const struct {
		struct tape_str from, *to;
	} texts[] = { { r->model, &c->model }, { r->extra, &c->extra },
		{ r->body_template, &c->body_template },
		{ r->pointers, &c->pointers }, { r->api, &c->api },
		{ r->loop, &c->loop }, { r->trace_hash, &c->trace_hash },
		{ r->client, &c->other_client } };
	enum tape_status st = TAPE_OK;

	c->stream = r->stream;
	c->bare = tape_str_is(r->keep, "times");
	c->concurrency = r->concurrency;
	c->requests = r->requests;
	c->passes = r->passes;
	c->warmup = r->warmup;
	c->salt = r->salt;
	c->rate_per_s = r->rate_per_s;
	c->retry_max = r->retry_max;
	c->cancel_ratio = r->cancel_ratio;
	c->cancel_after_ns = r->cancel_after_ns;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (st == TAPE_OK)
			st = tape_compare_keep(
			    set, texts[i].from, texts[i].to, err);
	if (st == TAPE_OK)
		st = tape_compare_say_client(
		    set, r, &c->said[TAPE_COMPARE_SAID_CLIENT], err);
	if (st == TAPE_OK)
		st = tape_compare_say_limits(set, r->models.body,
		    &c->said[TAPE_COMPARE_SAID_LIMITS], err);
	return st;
}

enum tape_status
tape_compare_complete_conditions(struct tape_compare_set *set,
    const struct tape_run *r, struct tape_compare_conditions *c,
    struct tape_err *err)
{
	if (c->requests == TAPE_ABSENT_I64)
		c->requests = r->requests;
	if (c->passes == TAPE_ABSENT_I64)
		c->passes = r->passes;
	if (isnan(c->rate_per_s))
		c->rate_per_s = r->rate_per_s;
	if (c->trace_hash.p != NULL)
		return TAPE_OK;
	c->trace_unread =
	    r->trace_hash.p == NULL && tape_str_is(r->stop, "duration");
	return tape_compare_keep(set, r->trace_hash, &c->trace_hash, err);
}

enum tape_status
tape_compare_parse_vary(
    const char *p, struct tape_compare_vary *vary, struct tape_err *err)
{
	do {
		size_t n = strcspn(p, ","), i = 0;
		struct tape_str name = tape_str_make(p, n);

		if (n == 0)
			return tape_err_set(
			    err, TAPE_E_USAGE, "--vary: an empty name");
		while (i < TAPE_COMPARE_CONDITIONS &&
		       !tape_str_is(name, tape_compare_condition_names[i]))
			i++;
		p += n;
		if (i < TAPE_COMPARE_CONDITIONS) {
			vary->bits |= 1U << i;
			continue;
		}
		if (vary->meta_n == TAPE_COMPARE_VARY_META)
			return tape_err_set(err, TAPE_E_USAGE,
			    "--vary: more than %d names of meta data",
			    TAPE_COMPARE_VARY_META);
		vary->meta[vary->meta_n++] = name;
	} while (*p++ == ',');
	return TAPE_OK;
}

enum tape_status
tape_compare_check_vary(const struct tape_compare_set *set,
    const struct tape_compare_vary *vary, struct tape_err *err)
{
	for (size_t i = 0; i < vary->meta_n; i++) {
		struct tape_str name = vary->meta[i];
		bool there = false;

		for (size_t j = 0; j < set->run_count && !there; j++)
			there = tape_compare_meta_has(
			    set->runs[j].conditions.meta, name);
		if (!there)
			return tape_err_set(err, TAPE_E_USAGE,
			    "--vary: '%.*s' is none of model, extra, load, "
			    "trace, api, warmup, tool, client, limits, boot, "
			    "host, device, and no run has it in its meta",
			    (int)name.len, name.p);
	}
	return TAPE_OK;
}

static bool
same_number(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a);
}

static bool
same_text(struct tape_str a, struct tape_str b)
{
	return tape_compare_text_order(a, b) == 0;
}

static bool
differ_if_known(int64_t a, int64_t b)
{
	return a != b && a != TAPE_ABSENT_I64 && b != TAPE_ABSENT_I64;
}

/* Of what depends on the whole trace only that counts which both know. */
static bool
differ_in_trace(const struct tape_compare_conditions *a,
    const struct tape_compare_conditions *b)
{
	if (a->trace_unread || b->trace_unread)
		return differ_if_known(a->requests, b->requests) ||
		       differ_if_known(a->passes, b->passes);
	return !same_text(a->trace_hash, b->trace_hash) ||
	       a->requests != b->requests || a->passes != b->passes;
}

static bool
differ_in_rate(const struct tape_compare_conditions *a,
    const struct tape_compare_conditions *b)
{
	if ((a->trace_unread && isnan(a->rate_per_s)) ||
	    (b->trace_unread && isnan(b->rate_per_s)))
		return false;
	return !same_number(a->rate_per_s, b->rate_per_s);
}

/* What is sent again, and what is cancelled, loads a server, too. */
static bool
differ_in_attempts(const struct tape_compare_conditions *a,
    const struct tape_compare_conditions *b)
{
	return a->retry_max != b->retry_max ||
	       a->cancel_after_ns != b->cancel_after_ns ||
	       !same_number(a->cancel_ratio, b->cancel_ratio);
}

static bool
differ_if_said(const struct tape_compare_conditions *a,
    const struct tape_compare_conditions *b, enum tape_compare_said i)
{
	return a->said[i].p != NULL && b->said[i].p != NULL &&
	       !same_text(a->said[i], b->said[i]);
}

/* The conditions in which two runs differ, salt apart. */
static unsigned
differing(const struct tape_compare_conditions *a,
    const struct tape_compare_conditions *b)
{
	unsigned bits = 0;

	if (!same_text(a->model, b->model))
		bits |= TAPE_COMPARE_VARY_MODEL;
	if (!same_text(a->extra, b->extra) ||
	    !same_text(a->body_template, b->body_template) ||
	    !same_text(a->pointers, b->pointers))
		bits |= TAPE_COMPARE_VARY_EXTRA;
	if (!same_text(a->loop, b->loop) || a->concurrency != b->concurrency ||
	    differ_in_rate(a, b) || differ_in_attempts(a, b))
		bits |= TAPE_COMPARE_VARY_LOAD;
	if (differ_in_trace(a, b))
		bits |= TAPE_COMPARE_VARY_TRACE;
	/* What latency means goes by stream and by what was kept. */
	if (!same_text(a->api, b->api) || a->stream != b->stream ||
	    a->bare != b->bare)
		bits |= TAPE_COMPARE_VARY_API;
	if (a->warmup != b->warmup)
		bits |= TAPE_COMPARE_VARY_WARMUP;
	if (differ_if_said(a, b, TAPE_COMPARE_SAID_TOOL) ||
	    !same_text(a->from, b->from))
		bits |= TAPE_COMPARE_VARY_TOOL;
	if (differ_if_said(a, b, TAPE_COMPARE_SAID_CLIENT) ||
	    !same_text(a->other_client, b->other_client))
		bits |= TAPE_COMPARE_VARY_CLIENT;
	if (differ_if_said(a, b, TAPE_COMPARE_SAID_LIMITS))
		bits |= TAPE_COMPARE_VARY_LIMITS;
	return bits;
}

static const char *
integer(int64_t v, char dst[SHOWN_ROOM])
{
	if (v == TAPE_ABSENT_I64)
		(void)snprintf(dst, SHOWN_ROOM, "none");
	else
		(void)snprintf(dst, SHOWN_ROOM, "%" PRId64, v);
	return dst;
}

static const char *
text_or_none(struct tape_str s, char dst[SHOWN_ROOM])
{
	return s.p == NULL ? "none" : tape_compare_show(s, dst, SHOWN_ROOM);
}

static const char *
said(const struct tape_compare_conditions *c, enum tape_compare_said i,
    char dst[SAID_ROOM])
{
	return c->said[i].p == NULL
		   ? "not known"
		   : tape_compare_show(c->said[i], dst, SAID_ROOM);
}

/* Whose client it was, or how ours connected. */
static void
show_client(const struct tape_compare_conditions *c, char dst[CONDITION_ROOM])
{
	char x[SAID_ROOM];

	if (c->other_client.p != NULL)
		(void)snprintf(dst, CONDITION_ROOM, "that of %s",
		    text_or_none(c->other_client, x));
	else if (c->said[TAPE_COMPARE_SAID_CLIENT].p == NULL)
		(void)snprintf(dst, CONDITION_ROOM, "ours");
	else
		(void)snprintf(dst, CONDITION_ROOM, "%s",
		    said(c, TAPE_COMPARE_SAID_CLIENT, x));
}

/* What a run has of one condition, for people. */
static const char *
show_condition(const struct tape_compare_conditions *c, unsigned bit,
    char dst[CONDITION_ROOM])
{
	char x[SHOWN_ROOM], y[SHOWN_ROOM], z[SHOWN_ROOM], s[SAID_ROOM];

	switch (bit) {
	case TAPE_COMPARE_VARY_MODEL:
		return text_or_none(c->model, dst);
	case TAPE_COMPARE_VARY_EXTRA:
		(void)snprintf(dst, CONDITION_ROOM, "%s%s%s",
		    text_or_none(c->extra, x),
		    c->body_template.p ? ", body template " : "",
		    c->body_template.p ? text_or_none(c->body_template, y)
				       : "");
		break;
	case TAPE_COMPARE_VARY_LOAD:
		(void)snprintf(dst, CONDITION_ROOM,
		    "%s loop, concurrency %s, %.4g/s%s%s%s",
		    text_or_none(c->loop, x), integer(c->concurrency, y),
		    isnan(c->rate_per_s) ? 0 : c->rate_per_s,
		    c->retry_max == TAPE_ABSENT_I64 ? "" : ", retries up to ",
		    c->retry_max == TAPE_ABSENT_I64 ? ""
						    : integer(c->retry_max, z),
		    isnan(c->cancel_ratio) ? "" : ", some cancelled");
		break;
	case TAPE_COMPARE_VARY_TRACE:
		(void)snprintf(dst, CONDITION_ROOM, "%s, %s requests, salt %s",
		    text_or_none(c->trace_hash, x), integer(c->requests, y),
		    integer(c->salt, z));
		break;
	case TAPE_COMPARE_VARY_API:
		(void)snprintf(dst, CONDITION_ROOM, "%s%s%s",
		    text_or_none(c->api, x), c->stream == 1 ? ", streamed" : "",
		    c->bare ? ", kept as times" : "");
		break;
	case TAPE_COMPARE_VARY_TOOL:
		(void)snprintf(dst, CONDITION_ROOM, "%s%s%s",
		    said(c, TAPE_COMPARE_SAID_TOOL, s),
		    c->from.p ? "; times from " : "",
		    c->from.p ? text_or_none(c->from, x) : "");
		break;
	case TAPE_COMPARE_VARY_CLIENT:
		show_client(c, dst);
		break;
	case TAPE_COMPARE_VARY_LIMITS:
		(void)snprintf(dst, CONDITION_ROOM, "%s",
		    said(c, TAPE_COMPARE_SAID_LIMITS, s));
		break;
	default:
		return integer(c->warmup, dst);
	}
	return dst;
}

static void
refuse_conditions(const struct tape_compare_run *a,
    const struct tape_compare_run *b, unsigned bits,
    struct tape_compare_notes *notes)
{
	char x[CONDITION_ROOM], y[CONDITION_ROOM];

	for (unsigned i = 0; i < TAPE_COMPARE_CONDITIONS; i++)
		if (bits & 1U << i)
			tape_compare_note(notes, TAPE_COMPARE_REFUSE,
			    "conditions",
			    "the arms differ in %s (A: %s; B: %s): if that is "
			    "what is compared, say --vary %s",
			    tape_compare_condition_names[i],
			    show_condition(&a->conditions, 1U << i, x),
			    show_condition(&b->conditions, 1U << i, y),
			    tape_compare_condition_names[i]);
}

/* Between the runs of each pair; told of the first pair that differs. */
static void
check_arms_alike(const struct tape_compare_design *d, unsigned vary,
    struct tape_compare_notes *notes)
{
	unsigned told = vary;

	for (size_t i = 0; i < d->k; i++) {
		const struct tape_compare_run *a =
		    d->pairs[i].run[TAPE_COMPARE_A];
		const struct tape_compare_run *b =
		    d->pairs[i].run[TAPE_COMPARE_B];
		unsigned bits = differing(&a->conditions, &b->conditions);

		if (a->conditions.salt != b->conditions.salt)
			bits |= TAPE_COMPARE_VARY_TRACE;
		refuse_conditions(a, b, bits & ~told, notes);
		told |= bits;
	}
}

/* Between the rounds of an arm, where nothing may vary. */
static void
check_rounds_alike(
    const struct tape_compare_design *d, struct tape_compare_notes *notes)
{
	unsigned bits = 0;

	for (size_t i = 1; i < d->k; i++)
		for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++)
			bits |= differing(&d->pairs[0].run[arm]->conditions,
			    &d->pairs[i].run[arm]->conditions);
	for (unsigned i = 0; i < TAPE_COMPARE_CONDITIONS; i++)
		if (bits & 1U << i)
			tape_compare_note(notes, TAPE_COMPARE_REFUSE,
			    "conditions",
			    "%s changes between the rounds of an arm",
			    tape_compare_condition_names[i]);
}

void
tape_compare_check_conditions(const struct tape_compare_design *design,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes)
{
	static const struct tape_compare_vary none = { .bits = 0 };
	const struct tape_compare_vary *v = vary == NULL ? &none : vary;

	check_arms_alike(design, v->bits, notes);
	check_rounds_alike(design, notes);
	tape_compare_check_meta(design, v, notes);
}
