/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Telemetry: by which clock it is, and what is kept of it. */
#include "engine/samples.h"

#include "record/schema.h"
#include "unit/tap.h"

#define MS INT64_C(1000000)

static struct tape_samples samples;
static struct tape_err err;

/* The failure's text has that part. */
static void
says(const char *part)
{
	ok(strstr(err.text, part) != NULL, "says: %s (%s)", part, err.text);
}

static const char *boot; /* of the headers; NULL: none is named */

static enum tape_status
begin(const char *epoch, const char *mono, const char *prov, const char *file)
{
	struct tape_header h;

	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of(epoch);
	h.epoch_mono = tape_str_of(mono);
	h.prov = tape_str_of(prov);
	if (boot != NULL)
		h.boot = tape_str_of(boot);
	tape_err_clear(&err);
	return tape_samples_begin(&samples, &h, file, &err);
}

static enum tape_status
add(int64_t t_ms, const char *device, const char *values)
{
	struct tape_sample s;

	tape_schema_init(TAPE_KIND_SAMPLE, &s);
	s.t_ns = t_ms * MS;
	s.source = tape_str_of("nvidia-smi");
	s.device = tape_str_of(device);
	s.values = tape_str_of(values);
	tape_err_clear(&err);
	return tape_samples_add(&samples, &s, &err);
}

static void
test_tracks(void)
{
	const struct tape_samples_track *t;

	tape_samples_init(&samples);
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", "[]", NULL),
	    TAPE_OK, "a segment");
	is_int(add(-5, "0", "{\"a\":1,\"b\":2}"), TAPE_OK, "a sample");
	is_int(add(0, "1", "{\"a\":7}"), TAPE_OK, "of another device");
	is_int(add(5, "0", "{\"b\":2.5}"), TAPE_OK, "one value less");
	is_int(add(5, "0", "{\"b\":3,\"c\":-4,\"a\":0}"), TAPE_OK, "one more");
	is_int(samples.track_n, 2, "two tracks");
	t = &samples.tracks[0];
	is_int(t->n, 3, "three samples of the first");
	is_int(t->t_ns[0], 99995 * MS, "times are monotonic");
	is_int(t->series_n, 3, "three names");
	is_near(tape_samples_value(&t->series[0], 0), 1, 0, "a");
	ok(isnan(tape_samples_value(&t->series[0], 1)), "a is lacking");
	is_near(tape_samples_value(&t->series[0], 2), 0, 0, "a is back");
	is_near(tape_samples_value(&t->series[1], 1), 2.5, 0, "b");
	ok(isnan(tape_samples_value(&t->series[2], 0)), "c was not there");
	is_near(tape_samples_value(&t->series[2], 2), -4, 0, "and then was");
	is_int(tape_samples_from(t, 99995 * MS), 0, "at a sample's time");
	is_int(tape_samples_from(t, 99995 * MS + 1), 1, "behind it");
	is_int(tape_samples_from(t, 100005 * MS + 1), 3, "behind all");
	is_int(add(0, "1", "{\"a\":7}"), TAPE_OK, "once more");
	is_int(add(-5, "0", "{\"a\":1,\"b\":2}"), TAPE_OK, "and an older one");
	is_int(add(5, "1", "{\"a\":7}"), TAPE_OK, "a value that stays");
	is_int(add(5, "1", "{\"a\":8}"), TAPE_OK, "two at one time");
	is_int(samples.tracks[0].n, 3, "which is there already");
	is_int(samples.tracks[1].n, 3, "of the others all");
	is_int(add(4, "0", "{\"a\":1}"), TAPE_E_FORMAT, "back in time");
	is_int(add(6, "1", "{\"a\":1}"), TAPE_OK, "not of that device");
	is_int(add(9, "0", "{\"a\":\"x\"}"), TAPE_E_FORMAT, "no number");
	says("\"a\" is no number");
	is_int(add(9, "0", "{\"a\":1"), TAPE_E_FORMAT, "no object");
	tape_samples_release(&samples);
}

static const char here[] = "[{\"id\":\"p1\",\"tool\":\"trace-gen\",\"host\":"
			   "\"desk\"},{\"id\":\"p2\",\"tool\":\"trace-replay\","
			   "\"argv\":[\"a\"],\"host\":\"lab1\"},{\"id\":\"p3\","
			   "\"tool\":\"sse-timestamp\",\"host\":\"desk\"}]";
static const char there[] =
    "[{\"id\":\"p1\",\"tool\":\"telemetry-sample\",\"host\":\"lab2\"}]";
static const char same[] =
    "[{\"id\":\"p1\",\"tool\":\"telemetry-sample\",\"host\":\"lab1\"}]";

static void
test_clocks(void)
{
	tape_samples_init(&samples);
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", same, "f"),
	    TAPE_OK, "telemetry");
	is_int(begin("2026-03-01T13:00:00.5Z", "3700.000000000", here, NULL),
	    TAPE_OK, "a run on its clock, an hour on and a small step");
	is_int(samples.clock_n, 1, "is one clock");
	is_int(begin("2026-03-01T14:00:00Z", "60.000000000", here, NULL),
	    TAPE_OK, "a run of another boot is without telemetry");
	is_int(samples.clock_n, 2, "and of another clock");
	is_int(tape_samples_end(&samples, &err), TAPE_OK, "all files were met");
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", there, "g"),
	    TAPE_OK, "another host's telemetry");
	is_int(tape_samples_end(&samples, &err), TAPE_E_FORMAT,
	    "and no run of it");
	says("no segment of the input");
	tape_samples_release(&samples);
}

static void
test_refused(void)
{
	tape_samples_init(&samples);
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", there, "f"),
	    TAPE_OK, "telemetry");
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", here, NULL),
	    TAPE_E_FORMAT, "of another host");
	says("clock of lab2, the run is by that of lab1");
	tape_samples_release(&samples);
	tape_samples_init(&samples);
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", "[]", "f"),
	    TAPE_OK, "telemetry");
	is_int(begin("2026-03-01T12:00:00Z", "102.500000000", here, NULL),
	    TAPE_E_FORMAT, "of another boot");
	says("differs by 2.500 s");
	is_int(begin("2026-03-01T12:00:00Z", "x", here, NULL), TAPE_E_FORMAT,
	    "an epoch that is none");
	tape_samples_release(&samples);
	tape_samples_init(&samples);
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", "[]", "f"),
	    TAPE_OK, "an unknown host");
	is_int(begin("2026-03-01T12:00:01Z", "101.000000000", here, NULL),
	    TAPE_OK, "is any host");
	is_str(samples.clocks[0].host, "lab1", "and that one from then on");
	tape_samples_release(&samples);
}

/* Where both headers name a boot, nothing else counts. */
static void
test_boots(void)
{
	tape_samples_init(&samples);
	boot = "0123456789abcdef";
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", there, "f"),
	    TAPE_OK, "telemetry of a named boot");
	is_int(begin("2026-03-01T12:00:00Z", "300.000000000", here, NULL),
	    TAPE_OK, "a run of it, whatever its wall clock and host say");
	is_int(samples.clock_n, 1, "is by one clock");
	boot = "fedcba9876543210";
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", there, NULL),
	    TAPE_OK, "a run of another boot");
	is_int(samples.clock_n, 2, "is by another");
	tape_samples_release(&samples);
	tape_samples_init(&samples);
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", here, "f"),
	    TAPE_OK, "telemetry");
	boot = "0123456789abcdef";
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", here, NULL),
	    TAPE_E_FORMAT, "of another boot, though the clocks agree");
	says("of another boot than the run");
	tape_samples_release(&samples);
	tape_samples_init(&samples);
	boot = NULL;
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", here, "f"),
	    TAPE_OK, "telemetry that names none");
	boot = "0123456789abcdef";
	is_int(begin("2026-03-01T12:00:00Z", "100.000000000", here, NULL),
	    TAPE_OK, "goes by the clocks");
	is_str(samples.clocks[0].boot, boot, "and has that one from then on");
	boot = NULL;
	tape_samples_release(&samples);
}

int
main(void)
{
	test_tracks();
	test_clocks();
	test_boots();
	test_refused();
	return done_testing();
}
