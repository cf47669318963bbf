/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the server's own word, and of a run against others. */
#include "engine/checks_probe.h"
#include "unit/checks_fixture.h"

#define MODELS(id, created)                                                    \
 "{\"object\":\"list\",\"data\":[{\"id\":\"" id "\",\"created\":" created      \
 ",\"permission\":[{\"id\":\"modelperm-" created "\"}]}]}"

static void
probe(struct tape_probe *p, int status, const char *body)
{
	p->status = status;
	p->body = tape_str_of(body);
}

static void
test_model(void)
{
	struct fixture f;

	open_fixture(&f);
	f.start.model = tape_str_of("large");
	make(&f, &f.end);
	ok(find(&f, "model") == NULL, "the server did not say");
	probe(&f.start.models, 200, MODELS("small", "1"));
	make(&f, &f.end);
	is_check(&f, "model", "warn", "asked for large, served: small");
	f.start.model = tape_str_of("small");
	make(&f, &f.end);
	is_status(&f, "model", "ok");
	f.start.model = tape_str_of("small:latest");
	make(&f, &f.end);
	is_status(&f, "model", "ok");
	probe(&f.start.models, 404, "{}");
	make(&f, &f.end);
	ok(find(&f, "model") == NULL, "there is no list");
	probe(&f.start.models, 200, "<html>");
	make(&f, &f.end);
	ok(find(&f, "model") == NULL, "or none that can be read");
	close_fixture(&f);
}

static void
both(struct fixture *f, const char *before, const char *after)
{
	probe(&f->start.health, 200, before);
	probe(&f->end.health, 200, after);
	make(f, &f->end);
}

static void
test_server(void)
{
	struct fixture f;

	open_fixture(&f);
	make(&f, &f.end);
	ok(find(&f, "server") == NULL, "it did not answer");
	both(&f, "{\"status\":\"ok\",\"time\":1}",
	    "{\"status\":\"ok\",\"time\":2}");
	is_check(&f, "server", "ok", "the same before and after");
	both(&f, "{\"version\":\"1.2\",\"pid\":7}",
	    "{\"version\":\"1.3\",\"pid\":7}");
	is_check(&f, "server", "fail", "version was \"1.2\" and is \"1.3\"");
	both(&f, "{\"uptime\":100.5}", "{\"uptime\":160.5}");
	is_status(&f, "server", "ok");
	both(&f, "{\"uptime\":100.5}", "{\"uptime\":3}");
	is_check(&f, "server", "fail", "uptime was 100.5 and is 3");
	both(&f, "{}", "{}");
	f.end.health.status = 503;
	make(&f, &f.end);
	is_check(
	    &f, "server", "fail", "/health answered 200 before and 503 after");
	f.end.health.status = TAPE_ABSENT_I64;
	make(&f, &f.end);
	is_check(&f, "server", "fail",
	    "it answered before the run, and not after it");
	make(&f, NULL);
	ok(find(&f, "server") == NULL, "a run without an end is not compared");
	close_fixture(&f);
}

/* Times and random ids in the list are no change; names are. */
static void
test_lists(void)
{
	struct fixture f;

	open_fixture(&f);
	probe(&f.start.models, 200, MODELS("m", "1"));
	probe(&f.end.models, 200, MODELS("m", "2"));
	make(&f, &f.end);
	is_status(&f, "server", "ok");
	probe(&f.end.models, 200, MODELS("other", "2"));
	make(&f, &f.end);
	is_check(&f, "server", "fail", "models before: m, after: other");
	probe(
	    &f.start.models, 200, "{\"data\":[{\"id\":\"b\"},{\"id\":\"a\"}]}");
	probe(&f.end.models, 200, "{\"data\":[{\"id\":\"a\"},{\"id\":\"b\"}]}");
	make(&f, &f.end);
	is_status(&f, "server", "ok");
	close_fixture(&f);
}

/* A run of that concurrency and throughput. */
static void
sweep(struct fixture *f, int64_t concurrency, double per_s)
{
	next_run(f);
	f->start.loop = tape_str_of("closed");
	f->start.concurrency = concurrency;
	f->output_per_s = per_s;
	make(f, &f->end);
}

static void
test_flat(void)
{
	struct fixture f;

	open_fixture(&f);
	sweep(&f, 1, 100);
	ok(find(&f, "flat") == NULL, "one run says nothing");
	sweep(&f, 1, 101);
	ok(find(&f, "flat") == NULL, "nor does the same again");
	sweep(&f, 4, 102);
	is_check(&f, "flat", "fail",
	    "1.02 times the output tokens/s of concurrency 1 at 4");
	sweep(&f, 8, 390);
	is_status(&f, "flat", "ok");
	f.start.arm = tape_str_of("B");
	sweep(&f, 8, 90);
	ok(find(&f, "flat") == NULL, "another arm is another server");
	sweep(&f, 16, 91);
	is_status(&f, "flat", "warn");
	sweep(&f, 12, 91);
	ok(find(&f, "flat") == NULL, "not twice as many");
	sweep(&f, 16, TAPE_ABSENT_F64);
	ok(find(&f, "flat") == NULL, "no throughput is known");
	close_fixture(&f);
}

static void
test_sampling(void)
{
	struct fixture f;

	open_fixture(&f);
	f.start.extra = tape_str_of("{\"top_p\":0.9,\"temperature\":0}");
	make(&f, &f.end);
	ok(find(&f, "sampling") == NULL, "the first run is the measure");
	f.start.extra = tape_str_of(
	    "{\"x\":{\"temperature\":1},\"temperature\":0,\"top_p\":0.9}");
	make(&f, &f.end);
	is_check(&f, "sampling", "ok",
	    "as in the first run: temperature 0, top_p 0.9");
	f.start.extra = tape_str_of("{\"temperature\":1}");
	make(&f, &f.end);
	is_check(&f, "sampling", "warn",
	    "the first run: temperature 0, top_p 0.9; this one: temperature 1");
	f.start.extra = tape_str_of(NULL);
	make(&f, &f.end);
	is_check(&f, "sampling", "warn",
	    "the first run: temperature 0, top_p 0.9; this one: the server's "
	    "own");
	close_fixture(&f);
}

int
main(void)
{
	test_model();
	test_server();
	test_lists();
	test_flat();
	test_sampling();
	return done_testing();
}
