/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/coding.h"

#include "base/buf.h"
#include "base/mem.h"
#include "record/prov.h"
#include "unit/tap.h"

static enum tape_status
decode(struct tape_record *rec, const char *line, struct tape_err *err)
{
	tape_err_clear(err);
	return tape_record_decode(rec, line, strlen(line), err);
}

/* Decoding and encoding again gives the same text. */
static void
round_trip(const char *line)
{
	struct tape_record rec;
	struct tape_err err = { 0 };
	struct tape_buf out;

	tape_record_init(&rec);
	tape_buf_init(&out, 1 << 20);
	is_int(decode(&rec, line, &err), TAPE_OK, "decode %.40s %s", line,
	    err.text);
	if (rec.kind >= 0)
		is_int(tape_record_encode(
			   (enum tape_kind)rec.kind, &rec.u, &out, &err),
		    TAPE_OK, "encode it again %s", err.text);
	is_str(out.data, line, "same text");
	tape_buf_release(&out);
	tape_record_release(&rec);
}

static const char *const lines[] = {
	"{\"kind\":\"header\",\"format\":\"llmtape.trace\",\"version\":\"1.0\","
	"\"epoch\":\"2026-03-01T12:00:00.000000000Z\","
	"\"epoch_mono\":\"12345.000000000\",\"run_id\":\"r\",\"shard\":\"1/4\","
	"\"meta\":{\"rev\":\"a\"},\"prov\":[]}",
	"{\"kind\":\"end\",\"records\":0,\"status\":\"complete\"}",
	"{\"kind\":\"vocab\",\"name\":\"v\",\"words\":[\"a\",\"b\"],\"first\":[1]"
	"}",
	"{\"kind\":\"request\",\"id\":\"1\",\"t_ns\":5,\"after\":[\"0\"],"
	"\"input\":{\"blocks\":{\"vocab\":\"v\",\"seed\":1,\"size\":512,"
	"\"ids\":[0,46],\"tokens\":600}},\"output_tokens\":7,"
	"\"params\":{\"n\":2},\"labels\":{\"isl\":600}}",
	"{\"kind\":\"exchange\",\"x\":281474976710655,\"run\":1,\"id\":\"a\\"
	"\"\xc3\xa9\","
	"\"attempt\":1,\"stream\":true,\"req\":{\"bytes\":3},\"start_ns\":0,"
	"\"error\":{\"class\":\"reset\",\"cause\":\"rst\"},\"reads\":{\"t_ns\":[1,"
	"2],\"lag_ns\":[-1,-1],\"bytes\":[3,4]},\"body\":\"data: x\\n\\n\"}",
	"{\"kind\":\"part\",\"x\":1,\"run\":1,\"id\":\"a\",\"attempt\":1,"
	"\"start_ns\":-5,\"seq\":0,\"reads\":{\"t_ns\":[]},\"body\":\"\"}",
	"{\"kind\":\"summary\",\"run\":1,\"metric\":\"ttft\",\"unit\":\"ns\","
	"\"n\":3,\"mean\":1.5,\"quantiles\":{\"p50\":1e-07},\"flags\":[]}",
	"{\"kind\":\"summary\",\"run\":1,\"metric\":\"ttft\",\"unit\":\"ns\","
	"\"n\":3,\"n_eff\":2.5,\"n_runs\":4,\"warmup_cut\":1,\"drain_cut\":2,"
	"\"mean\":1.5,\"lag1\":0.25,\"outliers\":1,"
	"\"mean_without\":1.25,\"whole_n\":6,\"whole_mean\":1.75,"
	"\"n_mean_2pct\":500,\"n_p50_2pct\":700,\"cv_ratio\":0.5,\"runs_needed\":9,\"quantiles\":{\"p9999\":3},"
	"\"trend\":{\"rise\":-2,\"p\":0.5}}",
	"{\"kind\":\"comparison\",\"metric\":\"m\",\"statistic\":\"s\","
	"\"arm_a\":\"A\",\"arm_b\":\"B\",\"pairs\":2,\"d\":[0.5,-1],"
	"\"ci\":{\"level_ratio\":0.95,\"lo\":1,\"hi\":2},\"status\":\"loss\"}",
	"{\"kind\":\"result\",\"run\":1,\"id\":\"a\",\"ok\":false,"
	"\"good\":true}",
	"{\"kind\":\"result\",\"run\":1,\"id\":\"a\",\"ok\":true,"
	"\"asked_bytes\":7,\"audio_ns\":8,\"reads\":9,\"bytes\":10}",
};

static const struct {
	const char *line;
	const char *text;
} bad[] = {
	{ "{\"format\":\"x\"}", "record does not begin with its \"kind\"" },
	{ "{\"kind\":\"end\",\"records\":1}", "end record lacks \"status\"" },
	{ "{\"kind\":\"end\",\"records\":\"1\",\"status\":\"x\"}",
	    "\"records\" is not of type integer" },
	{ "{\"kind\":\"end\",\"records\":1.5,\"status\":\"x\"}",
	    "\"records\" is not of type integer" },
	{ "{\"kind\":\"end\",\"records\":null,\"status\":\"x\"}",
	    "\"records\" is not of type integer" },
	{ "{\"kind\":\"request\",\"id\":\"1\",\"input\":{}}",
	    "request record lacks \"input\"" },
	{ "{\"kind\":\"request\",\"id\":\"1\",\"input\":{\"blocks\":"
	  "{\"vocab\":\"v\"}}}",
	    "request record lacks \"seed\"" },
	{ "{\"kind\":\"request\",\"id\":\"1\",\"input\":\"x\"}",
	    "\"input\" is not of type object" },
	{ "{\"kind\":\"vocab\",\"name\":\"v\",\"words\":[1],\"first\":[]}",
	    "\"words\" is not of type strings" },
	{ "{\"kind\":\"vocab\",\"name\":\"v\",\"words\":[],\"first\":[\"\"]}",
	    "\"first\" is not of type integers" },
	{ "{\"kind\":\"sample\",\"t_ns\":1,\"source\":\"s\",\"values\":null}",
	    "\"values\" is not of type json object" },
	{ "{\"kind\":\"sample\",\"t_ns\":1,\"source\":\"s\",\"values\":[]}",
	    "\"values\" is not of type json object" },
	{ "{\"kind\":\"verdict\",\"warnings\":{}}",
	    "\"warnings\" is not of type json array" },
	{ "{\"kind\":\"end\",\"records\":1152921504606846977}",
	    "\"records\" is out of range" },
	{ "{\"kind\":\"end\",\"records\":-1152921504606846977}",
	    "\"records\" is out of range" },
	{ "{\"kind\":\"end\",\"records\":9223372036854775808}",
	    "\"records\" is not of type integer" },
	{ "{\"kind\":\"end\",\"records\":1e3}",
	    "\"records\" is not of type integer" },
	{ "{\"kind\":\"vocab\",\"first\":[0,1152921504606846977]}",
	    "\"first\" is out of range" },
	{ "{\"kind\":\"vocab\",\"first\":[0,-1152921504606846977,1 ]}",
	    "\"first\" is out of range" },
	{ "{\"kind\":\"vocab\",\"first\":[[1],2]}",
	    "\"first\" is not of type integers" },
	{ "{\"kind\":\"vocab\",\"first\":{}}",
	    "\"first\" is not of type integers" },
	{ "{\"kind\":\"vocab\",\"first\":[1,\"]\",2,3]}",
	    "\"first\" is not of type integers" },
	{ "{\"kind\":\"comparison\",\"d\":[0.5,\"1\"]}",
	    "\"d\" is not of type numbers" },
	{ "{\"kind\":\"summary\",\"mean\":\"1\"}",
	    "\"mean\" is not of type number" },
	{ "{\"kind\":\"result\",\"ok\":1}", "\"ok\" is not of type boolean" },
	{ "{\"kind\":\"exchange\",\"error\":{\"cause\":\"c\"},\"x\":1,"
	  "\"run\":1,\"id\":\"\",\"attempt\":1,\"start_ns\":0}",
	    "exchange record lacks \"class\"" },
	{ "{\"kind\":\"exchange\",\"x\":1,\"run\":1,\"id\":\"\","
	  "\"attempt\":1}",
	    "exchange record lacks \"start_ns\"" },
};

static void
test_refusals(void)
{
	struct tape_record rec;
	struct tape_err err = { 0 };

	tape_record_init(&rec);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		is_int(decode(&rec, bad[i].line, &err), TAPE_E_FORMAT,
		    "refused: %.60s", bad[i].line);
		is_str(err.text, bad[i].text, "in words");
	}
	is_int(decode(&rec,
		   "{\"kind\":\"end\",\"records\":1,\"status\":\"x\"}x", &err),
	    TAPE_E_FORMAT, "text behind the record");
	is_int(decode(&rec,
		   "{\"kind\":\"end\",\"records\":1,\"records\":1,"
		   "\"status\":\"x\"}",
		   &err),
	    TAPE_E_FORMAT, "a field twice");
	is_int(decode(&rec, "", &err), TAPE_E_FORMAT, "nothing");
	tape_record_release(&rec);
}

/* What only a stranger writes ends in a status, quickly and in bounds. */
static void
test_hostile(void)
{
	enum { DEEP = 1 << 20 };
	static const char head[] = "{\"kind\":\"vocab\",\"new\":";
	struct tape_record rec;
	struct tape_err err = { 0 };
	struct tape_buf line;

	tape_record_init(&rec);
	tape_buf_init(&line, TAPE_CAP_LINE);
	(void)tape_buf_add_str(&line, head);
	for (int i = 0; i < DEEP; i++)
		(void)tape_buf_add_char(&line, '[');
	is_int(decode(&rec, line.data, &err), TAPE_E_LIMIT, "a million deep");
	tape_buf_clear(&line);
	(void)tape_buf_add_str(&line, head);
	(void)tape_buf_add_char(&line, '{');
	for (int i = 0; i < 70000; i++)
		(void)tape_buf_add_fmt(&line, "\"%d\":0,", i);
	is_int(decode(&rec, line.data, &err), TAPE_E_LIMIT, "too many keys");
	tape_buf_clear(&line);
	(void)tape_buf_add_str(&line, "{\"kind\":\"vocab\",\"name\":\"\"");
	for (int i = 0; i < 100; i++)
		(void)tape_buf_add_fmt(&line, ",\"n%d\":0", i);
	(void)tape_buf_add_str(&line, ",\"n7\":0}");
	is_int(decode(&rec, line.data, &err), TAPE_E_FORMAT,
	    "an unknown field twice, far apart");
	is_int(decode(&rec, "{\"kind\":\"end\",\"kind\":\"end\"}", &err),
	    TAPE_E_FORMAT, "kind twice");
	tape_buf_release(&line);
	tape_record_release(&rec);
}

/* Bytes that the record holds for a line full of the smallest elements. */
static void
holds(const char *head, const char *element, const char *tail, size_t most)
{
	struct tape_record rec;
	struct tape_err err = { 0 };
	struct tape_buf line;
	size_t held;

	tape_record_init(&rec);
	tape_buf_init(&line, TAPE_CAP_LINE);
	(void)tape_buf_add_str(&line, head);
	while (line.len < (size_t)4 << 20)
		(void)tape_buf_add_str(&line, element);
	line.len--;
	(void)tape_buf_add_str(&line, tail);
	is_int(decode(&rec, line.data, &err), TAPE_OK, "4 MiB of %s %s",
	    element, err.text);
	held = rec.arena.size + rec.json.str.size;
	ok(held <= most * line.len + 2 * TAPE_ARENA_STEP,
	    "take %.1f times that", (double)held / (double)line.len);
	tape_record_release(&rec);
	tape_buf_release(&line);
}

static void
test_memory_bound(void)
{
	static const char head[] =
	    "{\"kind\":\"vocab\",\"name\":\"\",\"first\":[],\"words\":[";

	holds("{\"kind\":\"vocab\",\"name\":\"\",\"words\":[],\"first\":[",
	    "0,", "]}", 4);
	holds(head, "\"\",", "]}", 6);
	holds(head, "\"\\n\",", "]}", 6);
	holds(head, "\",,,,\",", "]}", 6);
}

/* An empty value is not an absent one, on either side. */
static void
test_empty(void)
{
	static const char empty[] =
	    "{\"kind\":\"request\",\"id\":\"\",\"session\":\"\",\"after\":[],"
	    "\"input\":{\"tokens\":[]},\"params\":{},\"labels\":{}}";
	static const char absent[] =
	    "{\"kind\":\"request\",\"id\":\"1\",\"input\":{\"text\":\"\"}}";
	struct tape_record rec;
	struct tape_request *q = &rec.u.request;
	struct tape_err err = { 0 };

	round_trip(empty);
	round_trip(absent);
	tape_record_init(&rec);
	is_int(decode(&rec, empty, &err), TAPE_OK, "all empty");
	ok(q->id.p != NULL && q->id.len == 0, "a string");
	ok(q->after.v != NULL && q->after.n == 0, "strings");
	ok(q->input.tokens.v != NULL && q->input.tokens.n == 0, "integers");
	ok(tape_str_is(q->params, "{}"), "an object");
	ok(q->input.text.p == NULL, "a string that is not there");
	is_int(decode(&rec, absent, &err), TAPE_OK, "all absent");
	ok(q->session.p == NULL && q->after.v == NULL &&
		q->input.tokens.v == NULL && q->labels.p == NULL,
	    "nothing is left of the record before");
	is_int(q->t_ns, TAPE_ABSENT_I64, "an integer");
	ok(q->input.text.p != NULL && q->input.text.len == 0, "but a text");
	is_int(decode(&rec,
		   "{\"kind\":\"result\",\"run\":1,\"id\":\"a\",\"ok\":false}",
		   &err),
	    TAPE_OK, "a boolean");
	is_int(rec.u.result.ok, 0, "that is false");
	is_int(rec.u.result.good, TAPE_ABSENT_BOOL, "and one that is absent");
	ok(isnan(rec.u.result.tpot_ns), "and a number");
	tape_record_release(&rec);
}

static void
test_tolerance(void)
{
	struct tape_record rec;
	struct tape_err err = { 0 };

	tape_record_init(&rec);
	is_int(decode(&rec, "{\"kind\":\"later\",\"a\":1}", &err), TAPE_OK,
	    "an unknown kind is left to the reader");
	is_int(rec.kind, TAPE_KIND_UNKNOWN, "and said");
	is_int(decode(&rec,
		   "{\"kind\":\"end\",\"new\":{\"a\":[1,{}]},\"status\":\"x\","
		   "\"records\":1}",
		   &err),
	    TAPE_OK, "unknown fields and another order are taken");
	is_int(rec.u.end.records, 1, "known fields beside them are read");
	ok(tape_str_is(rec.u.end.status, "x"), "all of them");
	tape_record_release(&rec);
}

/* What no reader would take is not written. */
static void
not_encoded(enum tape_kind kind, const void *record, const char *text)
{
	struct tape_buf out;
	struct tape_err err = { 0 };

	tape_buf_init(&out, 1024);
	(void)tape_buf_add_str(&out, "before");
	is_int(tape_record_encode(kind, record, &out, &err), TAPE_E_BUG,
	    "not encoded: %s", text);
	is_str(err.text, text, "for that");
	is_str(out.data, "before", "and nothing is written");
	tape_buf_release(&out);
}

static void
test_unfit(void)
{
	static const int64_t far[] = { 1, TAPE_FIELD_I64_MAX + 1 };
	static const double nan_of_d[] = { 1, (double)NAN };
	struct tape_end end;
	struct tape_sample s;
	struct tape_vocab v;
	struct tape_verdict verdict;
	struct tape_summary m;
	struct tape_comparison c;

	tape_schema_init(TAPE_KIND_END, &end);
	end.records = 3;
	not_encoded(
	    TAPE_KIND_END, &end, "end record to be written lacks \"status\"");
	end.status = tape_str_of("x");
	end.records = INT64_MAX;
	not_encoded(TAPE_KIND_END, &end,
	    "end record to be written: \"records\" is not of type integer");
	end.records = 1;
	end.status = tape_str_make("a\0b", 3);
	not_encoded(TAPE_KIND_END, &end, "cannot write JSON: text with a NUL");
	end.status = tape_str_of("\xff");
	not_encoded(
	    TAPE_KIND_END, &end, "cannot write JSON: text is not UTF-8");
	tape_schema_init(TAPE_KIND_SAMPLE, &s);
	s.t_ns = 1;
	s.source = tape_str_of("");
	s.values = tape_str_of("[]");
	not_encoded(TAPE_KIND_SAMPLE, &s,
	    "sample record to be written: \"values\" is not of type json object");
	s.values = tape_str_of("");
	not_encoded(TAPE_KIND_SAMPLE, &s,
	    "sample record to be written: \"values\" is not of type json object");
	tape_schema_init(TAPE_KIND_VOCAB, &v);
	v.name = tape_str_of("");
	v.words.v = &v.name;
	v.first = (struct tape_i64s){ far, 2 };
	not_encoded(TAPE_KIND_VOCAB, &v,
	    "vocab record to be written: \"first\" is not of type integers");
	tape_schema_init(TAPE_KIND_VERDICT, &verdict);
	verdict.overall = tape_str_of("none");
	verdict.pairs = 0;
	verdict.warnings = tape_str_of("{}");
	not_encoded(TAPE_KIND_VERDICT, &verdict,
	    "verdict record to be written: \"warnings\" is not of type json "
	    "array");
	tape_schema_init(TAPE_KIND_SUMMARY, &m);
	m.run = m.n = 1;
	m.metric = m.unit = tape_str_of("x");
	m.mean = HUGE_VAL;
	not_encoded(TAPE_KIND_SUMMARY, &m,
	    "cannot write JSON: number that is not finite");
	tape_schema_init(TAPE_KIND_COMPARISON, &c);
	c.metric = c.statistic = c.arm_a = c.arm_b = c.status = m.unit;
	c.pairs = 2;
	c.d = (struct tape_f64s){ nan_of_d, 2 };
	not_encoded(TAPE_KIND_COMPARISON, &c,
	    "cannot write JSON: number that is not finite");
}

static void
test_no_memory(void)
{
	struct tape_record rec;
	struct tape_err err = { 0 };
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n;

	for (n = 1; n < 50 && st != TAPE_OK; n++) {
		tape_record_init(&rec);
		(void)tape_mem_fail_at(n);
		st = decode(&rec, lines[4], &err);
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK && st != TAPE_E_NOMEM)
			break;
		tape_record_release(&rec);
	}
	is_int(st, TAPE_OK, "decodes once memory is there");
	ok(n > 2, "and did fail before (%d times)", (int)n - 2);
}

/* A buffer that is full fails, and is as it was. */
static void
test_full(void)
{
	struct tape_end end = { 1, tape_str_of("complete") };
	struct tape_buf out;
	struct tape_err err = { 0 };

	tape_buf_init(&out, 20);
	is_int(tape_record_encode(TAPE_KIND_END, &end, &out, &err),
	    TAPE_E_LIMIT, "a buffer that is too small");
	is_int((int64_t)out.len, 0, "holds nothing");
	tape_buf_release(&out);
}

static enum tape_status
append(struct tape_buf *out, struct tape_str chain, const struct tape_prov *e,
    struct tape_err *err)
{
	struct tape_strs one = { &chain, 1 };

	return tape_prov_join(out, one, e, err);
}

static void
test_prov(void)
{
	static const char *const argv[] = { "trace-gen", "--seed", "1" };
	struct tape_prov e = { .tool = "trace-gen",
		.version = "0",
		.argv = argv,
		.argc = 3,
		.host = "h" };
	struct tape_buf one, two;
	struct tape_err err = { 0 };
	struct tape_str none = { NULL, 0 };

	tape_buf_init(&one, 4096);
	tape_buf_init(&two, 4096);
	is_int(append(&one, none, &e, &err), TAPE_OK, "a chain");
	is_str(one.data,
	    "[{\"id\":\"p1\",\"tool\":\"trace-gen\",\"version\":\"0\","
	    "\"argv\":[\"trace-gen\",\"--seed\",\"1\"],\"host\":\"h\"}]",
	    "begins with one entry");
	e.tool = "next";
	e.host = NULL;
	is_int(append(&two, tape_str_make(one.data, one.len), &e, &err),
	    TAPE_OK, "and grows");
	ok(strncmp(two.data, one.data, one.len - 1) == 0,
	    "the older entries are kept as they were");
	ok(strstr(two.data,
	       "{\"id\":\"p2\",\"from\":[\"p1\"],\"tool\":\"next\"") != NULL,
	    "the new one names what it follows");
	is_int(append(&two, tape_str_of("[1]"), &e, &err), TAPE_E_FORMAT,
	    "a chain that is none is refused");
	tape_buf_release(&one);
	tape_buf_release(&two);
}

static const char origin[] =
    "{\"id\":\"p1\",\"tool\":\"gen\",\"x\":[1,{\"y\":2}]}";

/* Joins two chains (NULL: none) and an entry that follows them. */
static void
joined(const char *a, const char *b, const char *want, const char *what)
{
	static const char *const argv[] = { "cmp" };
	struct tape_prov e = {
		.tool = "cmp", .version = "0", .argv = argv, .argc = 1
	};
	struct tape_str v[2] = { tape_str_of(a), tape_str_of(b) };
	struct tape_strs chains = { v, 2 };
	struct tape_err err = { 0 };
	struct tape_buf out;

	tape_buf_init(&out, 65536);
	is_int(tape_prov_join(&out, chains, &e, &err), TAPE_OK, "%s", what);
	is_str(out.data, want, "%s", what);
	tape_buf_release(&out);
}

#define OWN(id, from)                                                          \
 "{\"id\":\"" id "\",\"from\":[" from "],\"tool\":\"cmp\","                    \
 "\"version\":\"0\",\"argv\":[\"cmp\"]}]"

static void
test_join(void)
{
	char a[256], b[256], want[1024];

	(void)snprintf(a, sizeof(a),
	    "[%s,{\"id\":\"p2\",\"from\":[\"p1\"],\"tool\":\"one\"}]", origin);
	(void)snprintf(b, sizeof(b),
	    "[%s,{\"id\":\"p2\",\"from\":[\"p1\"],\"tool\":\"two\"},"
	    "{\"id\":\"p3\",\"from\":[\"p2\",\"p1\"],\"tool\":\"end\"}]",
	    origin);
	(void)snprintf(want, sizeof(want),
	    "[%s,{\"id\":\"p2\",\"from\":[\"p1\"],\"tool\":\"one\"},"
	    "{\"id\":\"p3\",\"from\":[\"p1\"],\"tool\":\"two\"},"
	    "{\"id\":\"p4\",\"from\":[\"p3\",\"p1\"],\"tool\":\"end\"}," OWN(
		"p5", "\"p2\",\"p4\""),
	    origin);
	joined(a, b, want, "ids that clash are renamed, what is common stays");
	(void)snprintf(want, sizeof(want),
	    "[%s,{\"id\":\"p2\",\"from\":[\"p1\"],\"tool\":\"one\"}," OWN(
		"p3", "\"p2\""),
	    origin);
	joined(a, a, want, "a chain that comes twice is written once");
	joined(a, NULL, want, "one that is absent adds nothing");
	joined(a, "[]", want, "nor does an empty one");
	joined("[{\"id\":\"x\",\"tool\":\"t\"}]",
	    "[{\"id\":\"x\",\"tool\":\"u\"}]",
	    "[{\"id\":\"p1\",\"tool\":\"t\"},{\"id\":\"p2\",\"tool\":\"u\"}," OWN(
		"p3", "\"p1\",\"p2\""),
	    "both entries without origin are kept");
	joined("[{\"tool\":\"t\"}]", NULL,
	    "[{\"id\":\"p1\",\"tool\":\"t\"}," OWN("p2", "\"p1\""),
	    "one without id gets one");
}

static void
test_join_failures(void)
{
	static const char chain[] =
	    "[{\"id\":\"p2\",\"from\":[\"p1\"],\"tool\":\"one\"}]";
	static const char fine[] =
	    "[{\"id\":\"a\"},{\"id\":\"b\",\"from\":[\"a\"]}]";
	struct tape_prov e = { .tool = "cmp", .version = "0" };
	struct tape_err err = { 0 };
	struct tape_buf out;
	uint64_t n = 0;
	enum tape_status st = TAPE_E_NOMEM;

	tape_buf_init(&out, 4096);
	is_int(append(&out, tape_str_of(chain), &e, &err), TAPE_E_FORMAT,
	    "an origin that is not there is refused");
	while (st == TAPE_E_NOMEM && ++n < 100) {
		tape_buf_release(&out);
		tape_buf_init(&out, 4096);
		tape_err_clear(&err);
		(void)tape_mem_fail_at(n);
		st = append(&out, tape_str_of(fine), &e, &err);
		(void)tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "joins once memory is there");
	ok(n > 3, "and did fail before (%d times)", (int)n - 1);
	tape_buf_release(&out);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		round_trip(lines[i]);
	test_refusals();
	test_tolerance();
	test_unfit();
	test_hostile();
	test_memory_bound();
	test_empty();
	test_no_memory();
	test_full();
	test_prov();
	test_join();
	test_join_failures();
	return done_testing();
}
