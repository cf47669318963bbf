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
	"{\"kind\":\"comparison\",\"metric\":\"m\",\"statistic\":\"s\","
	"\"arm_a\":\"A\",\"arm_b\":\"B\",\"pairs\":2,\"d\":[0.5,-1],"
	"\"ci\":{\"level_ratio\":0.95,\"lo\":1,\"hi\":2},\"status\":\"loss\"}",
	"{\"kind\":\"result\",\"run\":1,\"id\":\"a\",\"ok\":false,"
	"\"good\":true}",
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
	    "\"values\" is not of type json" },
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

static void
test_required_to_encode(void)
{
	struct tape_end end;
	struct tape_buf out;
	struct tape_err err = { 0 };

	tape_buf_init(&out, 1024);
	tape_schema_init(TAPE_KIND_END, &end);
	end.records = 3;
	is_int(tape_record_encode(TAPE_KIND_END, &end, &out, &err), TAPE_E_BUG,
	    "a required field cannot be left out");
	is_int((int64_t)out.len, 0, "and nothing is written");
	tape_buf_release(&out);
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
	is_int(tape_prov_append(&one, none, &e, &err), TAPE_OK, "a chain");
	is_str(one.data,
	    "[{\"id\":\"p1\",\"tool\":\"trace-gen\",\"version\":\"0\","
	    "\"argv\":[\"trace-gen\",\"--seed\",\"1\"],\"host\":\"h\"}]",
	    "begins with one entry");
	e.tool = "next";
	e.host = NULL;
	is_int(
	    tape_prov_append(&two, tape_str_make(one.data, one.len), &e, &err),
	    TAPE_OK, "and grows");
	ok(strncmp(two.data, one.data, one.len - 1) == 0,
	    "the older entries are kept as they were");
	ok(strstr(two.data,
	       "{\"id\":\"p2\",\"from\":[\"p1\"],\"tool\":\"next\"") != NULL,
	    "the new one names what it follows");
	is_int(tape_prov_append(&two, tape_str_of("[1]"), &e, &err),
	    TAPE_E_FORMAT, "a chain that is none is refused");
	tape_buf_release(&one);
	tape_buf_release(&two);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		round_trip(lines[i]);
	test_refusals();
	test_tolerance();
	test_required_to_encode();
	test_no_memory();
	test_prov();
	return done_testing();
}
