/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What samples say of a run's window: all numbers by hand. */
#include "engine/observe.h"

#include "record/schema.h"
#include "unit/tap.h"

#define MS INT64_C(1000000)

static struct tape_samples samples;
static struct tape_observe_set set;
static struct tape_err err;

static void
begin(void)
{
	struct tape_header h;

	tape_samples_init(&samples);
	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.epoch = tape_str_of("2026-03-01T12:00:00Z");
	h.epoch_mono = tape_str_of("100.000000000");
	h.prov = tape_str_of("[]");
	is_int(tape_samples_begin(&samples, &h, NULL, &err), TAPE_OK, "begin");
}

static void
add(int64_t t_ms, const char *source, const char *device, const char *values)
{
	struct tape_sample s;

	tape_schema_init(TAPE_KIND_SAMPLE, &s);
	s.t_ns = t_ms * MS;
	s.source = tape_str_of(source);
	s.device = tape_str_of(device);
	s.values = tape_str_of(values);
	is_int(tape_samples_add(&samples, &s, &err), TAPE_OK, "a sample");
}

static void
observe(int64_t from_ms, int64_t to_ms, double tokens)
{
	const struct tape_observe_run run = { .run = 3,
		.arm = tape_str_of("A"),
		.round = 2,
		.position = 1,
		.first_ns = from_ms * MS,
		.last_ns = to_ms * MS,
		.output_tokens = tokens };

	memset(&set, 0, sizeof(set));
	is_int(tape_observe(&samples, &run, &set, &err), TAPE_OK, "observe");
}

static const struct tape_observed *
find(const char *name)
{
	static const struct tape_observed none;

	for (size_t i = 0; i < set.n; i++)
		if (tape_str_is(set.v[i].name, name))
			return &set.v[i];
	return &none;
}

static void
end(void)
{
	tape_observe_release(&set);
	tape_samples_release(&samples);
}

static void
test_gauge(void)
{
	const struct tape_observed *o;

	begin();
	add(0, "nvidia-smi", "0", "{\"sm_clock_mhz\":345,\"power_w\":70}");
	add(100, "nvidia-smi", "0", "{\"sm_clock_mhz\":1900,\"power_w\":300}");
	add(200, "nvidia-smi", "0", "{\"sm_clock_mhz\":1800,\"power_w\":310}");
	add(300, "nvidia-smi", "0", "{\"power_w\":350}");
	add(400, "nvidia-smi", "0", "{\"sm_clock_mhz\":345,\"power_w\":70}");
	observe(100, 300, 16);
	is_int(set.n, 3, "clock, power and energy");
	o = find("sm_clock_mhz");
	is_int(o->n, 2, "samples with a clock, at the very begin, too");
	is_near(o->mean, 1850, 1e-12, "mean");
	is_near(o->min, 1800, 0, "min");
	is_near(o->max, 1900, 0, "max");
	is_near(o->first, 1900, 0, "first");
	is_near(o->last, 1800, 0, "last");
	is_int(o->first_ns, 100 * MS, "its time");
	is_int(o->last_ns, 200 * MS, "that of the last one");
	ok(tape_str_is(o->role, "clock") && tape_str_is(o->unit, "mhz") &&
		tape_str_is(o->type, "gauge"),
	    "role, unit and type");
	is_int(o->run, 3, "run");
	ok(tape_str_is(o->arm, "A") && o->round == 2 && o->position == 1,
	    "arm, round and position");
	is_int(o->window_end_ns, 300 * MS, "window");
	o = find("power_w");
	is_near(o->mean, 320, 1e-12, "power, at the very end, too");
	o = find("energy_per_token");
	is_near(o->mean, 320 * 0.2 / 16, 1e-12, "64 J for 16 tokens");
	ok(o->device.p == NULL, "of all devices");
	is_near(set.cover[0].ratio, 1, 1e-12, "all is covered");
	is_int(set.cover[0].period_ns, 100 * MS, "every 100 ms");
	tape_observe_release(&set);
	observe(100, 300, TAPE_ABSENT_F64);
	is_int(set.n, 2, "no energy without tokens");
	tape_observe_release(&set);
	observe(400, 1200, 1);
	is_near(set.cover[0].ratio, 0.25, 1e-12, "two periods of eight");
	tape_observe_release(&set);
	observe(1000, 1200, 1);
	is_int(set.n, 0, "no sample in the window");
	is_int(set.cover_n, 1, "but a device");
	is_near(set.cover[0].ratio, 0, 1e-12, "not covered at all");
	end();
}

static void
test_counter(void)
{
	const struct tape_observed *o;

	begin();
	add(0, "prometheus", NULL,
	    "{\"x_total\":1,\"y_total{a=\\\"b\\\"}\":0}");
	add(100, "prometheus", NULL, "{\"x_total\":10}");
	add(200, "prometheus", NULL, "{\"x_total\":12}");
	add(300, "prometheus", NULL, "{\"x_total\":5}");
	add(400, "prometheus", NULL, "{\"x_total\":6}");
	add(500, "prometheus", NULL, "{\"x_total\":600}");
	observe(150, 350, 10);
	is_int(set.n, 1, "y has no sample near");
	o = find("x_total");
	is_int(o->n, 4, "one before and one behind the window count");
	is_near(o->increase, 2 + 5 + 1, 1e-12, "began again from 0");
	is_near(o->per_s, 8 / 0.3, 1e-12, "over the time of the samples");
	is_int(o->first_ns, 100 * MS, "from the sample before");
	is_int(o->last_ns, 400 * MS, "to the one behind");
	ok(isnan(o->mean) && isnan(o->min), "no mean");
	tape_observe_release(&set);
	observe(100, 200, 10);
	is_near(find("x_total")->increase, 2, 1e-12, "just at the samples");
	tape_observe_release(&set);
	observe(510, 600, 10);
	is_int(find("x_total")->n, 1, "all before it");
	ok(isnan(find("x_total")->increase), "say nothing");
	end();
}

static void
test_roles(void)
{
	const struct tape_observed *o;

	begin();
	for (int64_t t = 0; t <= 200; t += 100) {
		add(t, "tegrastats", NULL,
		    "{\"vdd_in_power_mw\":4000,\"vdd_cpu_power_mw\":900}");
		add(t, "nvidia-smi", "0",
		    "{\"throttle_reasons\":1,"
		    "\"power_w\":10}");
		add(t, "nvidia-smi", "1",
		    "{\"throttle_reasons\":36,"
		    "\"power_w\":30}");
		add(t, "prometheus", "a:1",
		    "{\"vllm:spec_decode_num_drafts_total{e=\\\"0\\\"}\":7,"
		    "\"vllm:kv_cache_usage_perc\":0.5}");
	}
	observe(0, 200, 100);
	o = find("vdd_in_power_mw");
	is_near(o->mean, 4, 1e-12, "in the unit of its role");
	ok(tape_str_is(o->unit, "w"), "which is W");
	o = find("vdd_cpu_power_mw");
	is_near(o->mean, 900, 1e-12, "without a role as it was");
	ok(o->role.p == NULL && tape_str_is(o->unit, "mw"), "mW");
	o = find("throttle_reasons");
	is_int(o->bits, 1, "bits");
	is_int(o->n_set, 3, "in how many");
	ok(tape_str_is(o->type, "bits") && isnan(o->mean), "of that type");
	is_near(tape_observe_increase(&set, "drafts"), 0, 0, "nothing drafted");
	ok(isnan(tape_observe_increase(&set, "accepted")), "or not sampled");
	o = find("energy_per_token");
	is_near(o->mean, 40 * 0.2 / 100, 1e-12, "energy of both GPUs");
	ok(tape_str_is(o->source, "nvidia-smi"), "by source");
	is_int(set.cover_n, 4, "four devices");
	end();
}

int
main(void)
{
	test_gauge();
	test_counter();
	test_roles();
	return done_testing();
}
