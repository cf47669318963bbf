/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/slo.h"

#include "record/schema.h"
#include "unit/tap.h"

static void
refuse(const char *text, const char *why)
{
	struct tape_slo s = { 0 };
	struct tape_err err = { 0 };

	is_int(tape_slo_parse(text, &s, &err), TAPE_E_USAGE, "'%s'", text);
	ok(strstr(err.text, why) != NULL, "'%s': %s", text, err.text);
}

static void
test_parse(void)
{
	struct tape_slo s = { 0 };
	struct tape_err err = { 0 };
	struct tape_buf b;

	is_int(tape_slo_parse("ttft=500ms,tpot=50us", &s, &err), TAPE_OK,
	    "two bounds");
	is_int(tape_slo_parse("gap=2s", &s, &err), TAPE_OK, "and one more");
	is_int(s.n, 3, "are three");
	is_int(s.bounds[0].metric, TAPE_METRIC_TTFT, "ttft");
	is_int(s.bounds[0].bound_ns, 500000000, "in ns");
	tape_buf_init(&b, 1000);
	tape_slo_print(&s, &b);
	is_str(b.data, "ttft <= 500 ms, tpot <= 50 us, gap <= 2 s", "printed");
	tape_buf_release(&b);

	refuse("", "METRIC=DURATION");
	refuse("ttft", "METRIC=DURATION");
	refuse("=5ms", "METRIC=DURATION");
	refuse("ttft=5ms,", "METRIC=DURATION");
	refuse("ttft=", "duration");
	refuse("ttft=5", "duration");
	refuse("ttft=-5ms", "duration");
	refuse("ttft=5ms,ttft=6ms", "twice");
	refuse("itl=5ms",
	    "ttft, ttst, ttfo, tth, ttfb, latency, tpot, gap, ttft_due, latency_due, "
	    "late");
	refuse("output_tokens=5ms", "no metric that can be bounded");
	refuse("ttft=11111111111111111111111111111111111s", "duration");
}

static void
test_met(void)
{
	struct tape_slo s = { 0 };
	struct tape_err err = { 0 };
	struct tape_result r;

	is_int(tape_slo_parse("ttft=10ns,tpot=20ns,gap=30ns", &s, &err),
	    TAPE_OK, "three objectives");
	tape_schema_init(TAPE_KIND_RESULT, &r);
	r.ok = 1;
	r.ttft_ns = 10;
	r.tpot_ns = 20;
	r.gap_max_ns = 30;
	ok(tape_slo_met(&s, &r), "at all bounds: good");
	r.tpot_ns = 20.5;
	ok(!tape_slo_met(&s, &r), "above one: not");
	r.tpot_ns = TAPE_ABSENT_F64;
	ok(!tape_slo_met(&s, &r), "without one: not");
	r.tpot_ns = 1;
	r.gap_max_ns = 31;
	ok(!tape_slo_met(&s, &r), "the largest gap is bounded");
	r.gap_max_ns = TAPE_ABSENT_I64;
	ok(!tape_slo_met(&s, &r), "without gap: not");
	r.gap_max_ns = 1;
	r.ok = 0;
	ok(!tape_slo_met(&s, &r), "failed: not");
}

int
main(void)
{
	test_parse();
	test_met();
	return done_testing();
}
