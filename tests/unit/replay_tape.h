/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_tape: a fake replay (replay_fake.h) of completions against one target,
 * and what its tape says of each exchange, in the order of their ends.
 */
#ifndef TAPE_UNIT_REPLAY_TAPE_H
#define TAPE_UNIT_REPLAY_TAPE_H

#include "unit/replay_fake.h"

static struct fake k;
static struct tape_target target;
static struct tape_course course = { .run = 1,
	.api = "completions",
	.model = "m",
	.target = "http://h",
	.stream = true };

struct seen {
	char id[32], class[16], cause[16], stage[16];
	int64_t x, due_ns, could_ns, start_ns, end_ns;
	int64_t pass, parts;
	int64_t attempt, origin_due_ns, origin_start_ns, retry_ns, cancel_ns;
};

static struct seen seen[5000];
static size_t seen_n;

static void
seen_copy(char *dst, size_t size, struct tape_str s)
{
	(void)snprintf(dst, size, "%.*s", (int)s.len, s.p == NULL ? "" : s.p);
}

static void
seen_take(const struct tape_exchange *e)
{
	const struct tape_transfer *t = &e->t;
	struct seen *s = &seen[seen_n++];

	*s = (struct seen){ .x = t->x,
		.due_ns = t->due_ns,
		.could_ns = t->could_ns,
		.start_ns = t->start_ns,
		.end_ns = t->end_ns,
		.pass = t->pass,
		.attempt = t->attempt,
		.origin_due_ns = t->origin_due_ns,
		.origin_start_ns = t->origin_start_ns,
		.retry_ns = t->retry_ns,
		.cancel_ns = t->cancel_ns,
		.parts = e->parts };
	seen_copy(s->id, sizeof(s->id), t->id);
	seen_copy(s->class, sizeof(s->class), t->error.class);
	seen_copy(s->cause, sizeof(s->cause), t->error.cause);
	seen_copy(s->stage, sizeof(s->stage), t->stage);
}

/* Ends the tape and reads it. */
static void
read_tape(void)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_WIRE };
	struct tape_reader *r = NULL;
	struct tape_record rec;

	seen_n = 0;
	tape_record_init(&rec);
	ok(fake_close_tape(&k), "the tape is ended: %s", k.err.text);
	is_int(tape_reader_open_mem(&r, k.tape.data, k.tape.len, &opts, &k.err),
	    TAPE_OK, "and read: %s", k.err.text);
	while (tape_reader_next(r, &rec, &k.err) == TAPE_OK)
		if (rec.kind == TAPE_KIND_EXCHANGE && seen_n < 5000)
			seen_take(&rec.u.exchange);
	is_int(k.err.status, TAPE_OK, "no failure: %s", k.err.text);
	tape_record_release(&rec);
	tape_reader_free(r);
}

static const struct seen *
of(const char *id)
{
	static const struct seen none;

	for (size_t i = 0; i < seen_n; i++)
		if (strcmp(seen[i].id, id) == 0)
			return &seen[i];
	ok(false, "no exchange of %s", id);
	return &none;
}

/* A measured stage of the whole trace. */
static struct tape_feed_plan
plan(bool open, size_t slots)
{
	struct tape_feed_plan p = { .course = &course,
		.target = &target,
		.count = tape_spool_info(k.spool)->requests,
		.follow = true };

	p.form.api = tape_api_find(tape_str_of("completions"));
	p.form.model = "m";
	p.form.stream = true;
	p.form.usage = true;
	p.stage.measured = true;
	p.stage.grace_ns = 30 * TAPE_NS_PER_S;
	p.stage.rules.open = open;
	p.stage.rules.slots = slots;
	p.stage.rules.base_ns = EPOCH_NS;
	return p;
}

#endif
