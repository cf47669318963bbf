/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of known servers; what is refused and how is a case of the command
   line. */
#include "api/server_fields.h"

#include "base/err.h"
#include "base/mem.h"
#include "unit/tap.h"

static struct tape_err err;

static void
test_lists(void)
{
	static const char *const apis[] = { "chat", "completions" };
	static const char *const all[] = { "model", "stream", "max_tokens",
		"temperature", "stream_options" };

	for (int s = TAPE_SERVER_EDGE_LLM; s < TAPE_SERVERS; s++)
		for (size_t a = 0; a < 2; a++) {
			const struct tape_server_fields *f =
			    tape_server_fields_find(
				(enum tape_server_kind)s, apis[a]);
			const char *name = tape_server_names[s];

			if (!ok(f != NULL, "%s is known by %s", name, apis[a]))
				continue;
			for (size_t i = 0; i < sizeof(all) / sizeof(all[0]);
			     i++)
				ok(tape_server_fields_has(
				       f, tape_str_of(all[i])),
				    "%s takes %s", name, all[i]);
			ok(tape_server_fields_has(
			       f, tape_str_of(a == 0 ? "messages" : "prompt")),
			    "%s takes an input", name);
			ok(!tape_server_fields_has(f, tape_str_of("mode")),
			    "but no half name");
			ok(!tape_server_fields_has(f, tape_str_of("")),
			    "nor none");
			ok(f->fields[0] == ' ' &&
				strstr(f->fields, "  ") == NULL,
			    "names are parted by one space");
		}
	ok(tape_server_fields_find(TAPE_SERVER_VLLM, "embeddings") == NULL,
	    "other dialects are not known");
	ok(tape_server_names[TAPE_SERVERS] == NULL, "the names have an end");
}

static void
test_limits(void)
{
	struct tape_server_limits l = { 7, 7 };

	is_int(tape_server_limits_parse("batch=4,queue=16", &l, &err), TAPE_OK,
	    "both");
	is_int(l.batch, 4, "batch");
	is_int(l.queue, 16, "queue");
	is_int(tape_server_limits_parse("batch=2", &l, &err), TAPE_OK, "one");
	is_int(l.queue, 0, "no queue is none");
	is_int(tape_server_limits_parse("batch=0", &l, &err), TAPE_E_USAGE,
	    "no batch");
	is_int(tape_server_limits_parse("batch=-1", &l, &err), TAPE_E_USAGE,
	    "a negative one");
	is_int(l.batch, 2, "failures set nothing");
}

/* What is asked in other dialects is not known, so nothing is warned of. */
static void
test_pinned(void)
{
	struct tape_input in = { .text = tape_str_of("a") };
	struct tape_api_ask ask = { .input = &in };
	const struct tape_api *chat = tape_api_find(tape_str_of("chat"));

	ok(!tape_server_rules_pinned(chat, &ask), "nothing is said");
	ask.params = tape_str_of("{\"seed\":null,\"top_p\":1}");
	ok(!tape_server_rules_pinned(chat, &ask), "nor by null");
	ask.extra = tape_str_of("{\"temperature\":0}");
	ok(tape_server_rules_pinned(chat, &ask), "by extra");
	ask.extra = tape_str_make(NULL, 0);
	ask.params = tape_str_of("{\"top_k\":1}");
	ok(tape_server_rules_pinned(chat, &ask), "by params");
	ask.params = tape_str_make(NULL, 0);
	in.body = tape_str_of("{\"seed\":4}");
	ok(tape_server_rules_pinned(chat, &ask), "by a recorded body");
}

static void
test_memory(void)
{
	static const char *const allow[] = { "x" };
	struct tape_input in = { .text = tape_str_of("a") };
	struct tape_api_ask ask = { .input = &in,
		.params = tape_str_of("{\"seed\":1}"),
		.extra = tape_str_of("{\"x\":1}") };
	const struct tape_server_rules rules = {
		.server = TAPE_SERVER_VLLM, .allow = allow, .allow_n = 1
	};
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 50) {
		tape_err_clear(&err);
		(void)tape_mem_fail_at(++n);
		st = tape_server_rules_check(&rules,
		    tape_api_find(tape_str_of("chat")), &ask, tape_str_of("id"),
		    &err);
		(void)tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "checked when memory is there");
	ok(n > 2, "and failed before in each of its allocations");
}

int
main(void)
{
	test_lists();
	test_limits();
	test_pinned();
	test_memory();
	return done_testing();
}
