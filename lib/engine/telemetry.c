/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/telemetry.h"

#include "engine/telemetry_impl.h"
#include "record/schema.h"

#include <stdio.h>

#define TICK_NS TAPE_NS_PER_S
#define LOOK_NS (50 * TAPE_NS_PER_MS)
#define STEP_NS (50 * TAPE_NS_PER_US)

static const struct tape_clock *const mono = &tape_clock_system;

const char *
tape_telemetry_name(enum tape_telemetry_kind kind)
{
	static const char *const names[] = { [TAPE_TELEMETRY_SMI] =
						 "nvidia-smi",
		[TAPE_TELEMETRY_TEGRA] = "tegrastats",
		[TAPE_TELEMETRY_PROMETHEUS] = "prometheus" };

	return names[kind];
}

/* With the lock held. */
static void
fail(struct tape_telemetry *all, const struct tape_err *err)
{
	if (all->err.status == TAPE_OK)
		all->err = *err;
	atomic_store(&all->stop, true);
	(void)pthread_cond_broadcast(&all->changed);
}

void
tape_telemetry_put(struct tape_telemetry_thread *t, int64_t t_ns)
{
	struct tape_telemetry *all = t->all;
	struct tape_sample sample;
	struct tape_err err = { 0 };

	tape_schema_init(TAPE_KIND_SAMPLE, &sample);
	sample.t_ns = t_ns - all->o->epoch_ns;
	sample.source = tape_str_of(tape_telemetry_name(t->source->kind));
	if (t->reading.device[0] != '\0')
		sample.device = tape_str_of(t->reading.device);
	sample.values =
	    tape_str_make(t->reading.values.data, t->reading.values.len);
	(void)pthread_mutex_lock(&all->lock);
	all->counts.samples++;
	all->counts.dropped += t->reading.dropped;
	if (tape_writer_put(all->o->writer, TAPE_KIND_SAMPLE, &sample, &err) !=
	    TAPE_OK)
		fail(all, &err);
	(void)pthread_mutex_unlock(&all->lock);
}

/* Says once what is wrong; with the lock held. */
static void
tell(struct tape_telemetry_thread *t, const struct tape_err *why)
{
	struct tape_telemetry *all = t->all;
	char text[sizeof(why->text) + 32];

	all->last = *why;
	if (t->told || all->o->warn == NULL)
		return;
	t->told = true;
	(void)snprintf(text, sizeof(text), "%s: %s",
	    tape_telemetry_name(t->source->kind), why->text);
	all->o->warn(all->o->arg, text);
}

void
tape_telemetry_bad(struct tape_telemetry_thread *t, const struct tape_err *why)
{
	(void)pthread_mutex_lock(&t->all->lock);
	t->all->counts.bad++;
	tell(t, why);
	(void)pthread_mutex_unlock(&t->all->lock);
}

void
tape_telemetry_missed(
    struct tape_telemetry_thread *t, const struct tape_err *why)
{
	(void)pthread_mutex_lock(&t->all->lock);
	t->all->counts.missed++;
	tell(t, why);
	(void)pthread_mutex_unlock(&t->all->lock);
}

void
tape_telemetry_sleep(struct tape_telemetry *all, int64_t at_ns)
{
	(void)pthread_mutex_lock(&all->lock);
	while (!atomic_load(&all->stop) &&
	       tape_cond_wait_until(&all->changed, &all->lock, at_ns))
		continue;
	(void)pthread_mutex_unlock(&all->lock);
}

/* The clock record of this second; with the lock held. */
static void
tick(struct tape_telemetry *all, int64_t first_ns, int64_t *last_ns)
{
	struct tape_tick t;
	struct tape_err err = { 0 };

	tape_schema_init(TAPE_KIND_CLOCK, &t);
	t.offset_ns = tape_clock_offset_ns(mono, &t.width_ns) - first_ns;
	t.t_ns = tape_clock_now_ns(mono) - all->o->epoch_ns;
	if (t.offset_ns - *last_ns > STEP_NS ||
	    *last_ns - t.offset_ns > STEP_NS)
		t.step = true;
	*last_ns = t.offset_ns;
	if (tape_writer_put(all->o->writer, TAPE_KIND_CLOCK, &t, &err) !=
		TAPE_OK ||
	    tape_writer_end_frame(all->o->writer, &err) != TAPE_OK)
		fail(all, &err);
}

/* Until it is told to end, the time is over, or all sources have ended. */
static void
keep_time(struct tape_telemetry *all)
{
	const struct tape_telemetry_opts *o = all->o;
	const int64_t first = tape_clock_offset_ns(mono, NULL);
	const int64_t from = tape_clock_now_ns(mono);
	int64_t next = from, last = 0, now = from;

	(void)pthread_mutex_lock(&all->lock);
	while (!atomic_load(&all->stop) && all->running > 0 &&
	       (o->duration_ns == 0 || now - from < o->duration_ns) &&
	       (o->interrupts == NULL || o->interrupts() == 0)) {
		if (now >= next) {
			tick(all, first, &last);
			next += TICK_NS;
		}
		(void)tape_cond_wait_until(
		    &all->changed, &all->lock, now + LOOK_NS);
		now = tape_clock_now_ns(mono);
	}
	atomic_store(&all->stop, true);
	(void)pthread_cond_broadcast(&all->changed);
	(void)pthread_mutex_unlock(&all->lock);
}

static enum tape_status
start(struct tape_telemetry_thread *t, struct tape_err *err)
{
	const bool pages = t->source->kind == TAPE_TELEMETRY_PROMETHEUS;
	int rc;

	tape_reading_init(&t->reading);
	t->command = (struct tape_command){ 0, -1 };
	if (!pages &&
	    tape_command_start(&t->command, t->source->what, err) != TAPE_OK)
		return err->status;
	rc = pthread_create(&t->thread, NULL,
	    pages ? tape_telemetry_pages : tape_telemetry_lines, t);
	if (rc != 0)
		return tape_err_sys(err, rc, "cannot start a thread");
	t->started = true;
	(void)pthread_mutex_lock(&t->all->lock);
	t->all->running++;
	(void)pthread_mutex_unlock(&t->all->lock);
	return TAPE_OK;
}

static void
end(struct tape_telemetry_thread *t)
{
	if (t->started)
		(void)pthread_join(t->thread, NULL);
	(void)tape_command_stop(&t->command);
	tape_reading_release(&t->reading);
}

/* Nothing came of it. */
static enum tape_status
barren(const struct tape_telemetry *all, struct tape_err *err)
{
	if (all->last.status != TAPE_OK)
		return tape_err_set(
		    err, TAPE_E_IO, "no sample: %s", all->last.text);
	return tape_err_set(err, TAPE_E_IO, "no sample came");
}

enum tape_status
tape_telemetry_run(const struct tape_telemetry_opts *opts,
    struct tape_telemetry_counts *counts, struct tape_err *err)
{
	struct tape_telemetry all = { .o = opts };
	struct tape_telemetry_thread threads[TAPE_TELEMETRY_SOURCES] = { 0 };
	enum tape_status st = TAPE_OK;
	size_t n = 0;
	int rc = tape_cond_init(&all.changed);

	if (rc != 0)
		return tape_err_sys(err, rc, "cannot begin");
	(void)pthread_mutex_init(&all.lock, NULL);
	while (n < opts->sources_n && st == TAPE_OK) {
		threads[n].all = &all;
		threads[n].source = &opts->sources[n];
		st = start(&threads[n++], err);
	}
	if (st == TAPE_OK)
		keep_time(&all);
	atomic_store(&all.stop, true);
	(void)pthread_cond_broadcast(&all.changed);
	while (n > 0)
		end(&threads[--n]);
	*counts = all.counts;
	if (st == TAPE_OK && all.err.status != TAPE_OK) {
		st = all.err.status;
		*err = all.err;
	}
	if (st == TAPE_OK && counts->samples == 0)
		st = barren(&all, err);
	(void)pthread_cond_destroy(&all.changed);
	(void)pthread_mutex_destroy(&all.lock);
	return st;
}
