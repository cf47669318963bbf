/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What replay knows before it sends anything. */
#include "base/mem.h"
#include "engine/replay_impl.h"
#include "unit/replay_fake.h"

#define TOKENS                                                                 \
 "{\"kind\":\"request\",\"id\":\"a\",\"input\":{\"tokens\":[1,2]}}\n"
#define TEXT                                                                   \
 "{\"kind\":\"request\",\"id\":\"b\",\"input\":{\"text\":\"my sesame\"},"      \
 "\"output_tokens\":5}\n"
#define TIMED                                                                  \
 "{\"kind\":\"request\",\"id\":\"c\",\"t_ns\":7,\"input\":{\"text\":\"x\"}}\n"

static struct tape_target target;
static struct tape_err err;

/* A spool of these lines; the rest of the fake is not needed. */
static struct tape_spool *
spool_of(struct fake *k, const char *lines)
{
	memset(k, 0, sizeof(*k));
	is_int(fake_spool(k, lines), TAPE_OK, "a trace: %s", k->err.text);
	return k->spool;
}

static void
drop(struct fake *k)
{
	tape_spool_free(k->spool);
	tape_reader_free(k->reader);
	tape_buf_release(&k->trace);
}

static struct tape_replay_opts
options(const char *api)
{
	struct tape_replay_opts o = { .targets = &target,
		.targets_n = 1,
		.rounds = 1,
		.threads = 1,
		.model = "m" };

	tape_err_clear(&err);
	o.form.api = tape_api_find(tape_str_of(api));
	o.form.stream = true;
	return o;
}

static void
test_check(void)
{
	struct fake k;
	struct tape_spool *s = spool_of(&k, TOKENS TEXT);
	struct tape_replay_opts o = options("completions");

	is_int(tape_replay_check(&o, s, &err), TAPE_OK, "fits: %s", err.text);
	o.requests = 2;
	is_int(tape_replay_check(&o, s, &err), TAPE_OK, "all of it");
	o.requests = 3;
	is_int(tape_replay_check(&o, s, &err), TAPE_E_USAGE, "more");
	ok(strstr(err.text, "--loop") != NULL, "advice: %s", err.text);
	o.cycle = true;
	tape_err_clear(&err);
	is_int(tape_replay_check(&o, s, &err), TAPE_OK, "with --loop");
	o.max_open = 10;
	o.concurrency = 10;
	is_int(tape_replay_check(&o, s, &err), TAPE_OK, "descriptors do");
	o.concurrency = 11;
	is_int(tape_replay_check(&o, s, &err), TAPE_E_USAGE, "and do not");
	ok(strstr(err.text, "ulimit -n 75") != NULL, "advice: %s", err.text);
	o = options("chat");
	is_int(tape_replay_check(&o, s, &err), TAPE_E_USAGE,
	    "tokens in a chat: %s", err.text);
	o = options("completions");
	o.http.cacert = "/nowhere/ca.pem";
	is_int(tape_replay_check(&o, s, &err), TAPE_E_USAGE,
	    "no certificates: %s", err.text);
	drop(&k);
}

static char warned[256];

static void
warn(void *arg, const char *text)
{
	(void)arg;
	(void)snprintf(warned, sizeof(warned), "%s", text);
}

static void
test_conns(void)
{
	struct tape_spool_info info = { .requests = 2,
		.timed = true,
		.last_t_ns = TAPE_NS_PER_S / 1000000 };
	struct tape_replay_opts o = options("chat");

	o.calls.warn = warn;
	o.concurrency = 65536;
	is_int(tape_replay_check_conns(&o, &info, &err), TAPE_E_USAGE,
	    "more streams than any machine has ports");
	ok(strstr(err.text, "needs more local ports") != NULL, "%s", err.text);
	o = options("chat");
	o.calls.warn = warn;
	is_int(tape_replay_check_conns(&o, &info, &err), TAPE_OK,
	    "a million requests a second over kept connections");
	is_str(warned, "", "need no word");
	o.connections = TAPE_HTTP_FRESH;
	is_int(tape_replay_check_conns(&o, &info, &err), TAPE_OK,
	    "with a new one each they are played");
	ok(strstr(warned, "uses up the local ports in") != NULL, "but: %s",
	    warned);
	o.connections = TAPE_HTTP_SESSION;
	is_int(tape_replay_check_conns(&o, &info, &err), TAPE_OK,
	    "one for each session");
	o.threads = 2;
	is_int(tape_replay_check_conns(&o, &info, &err), TAPE_E_USAGE,
	    "not with two threads");
}

static void
test_salt(void)
{
	struct tape_replay_opts o = options("chat");

	is_int(tape_replay_salt_of(&o, TAPE_ABSENT_I64), 0, "one run: none");
	is_int(tape_replay_salt_of(&o, 1), 0, "of one round: none");
	o.rounds = 2;
	is_int(tape_replay_salt_of(&o, 2), 2, "of several: the round");
	o.rounds = 1;
	o.round = 5;
	is_int(tape_replay_salt_of(&o, 5), 5, "labelled: the round");
	o.salt.given = true;
	is_int(tape_replay_salt_of(&o, 5), 0, "--salt none");
	o.salt.how = TAPE_REPLAY_SALT_FIXED;
	o.salt.value = 9;
	is_int(tape_replay_salt_of(&o, 5), 9, "--salt 9");
	o.salt.how = TAPE_REPLAY_SALT_ROUND;
	is_int(tape_replay_salt_of(&o, TAPE_ABSENT_I64), 0, "no round: none");
}

static void
test_slots(void)
{
	struct fake k;
	const struct tape_spool_info *timed =
	    tape_spool_info(spool_of(&k, TIMED));
	struct tape_replay_opts o = options("chat");

	ok(timed->timed, "a trace with times: open");
	is_int((int64_t)tape_replay_slots(&o, timed), 0, "no cap");
	is_int((int64_t)tape_replay_count(&o, timed), 1, "once");
	o.cycle = true;
	ok(tape_replay_count(&o, timed) == UINT64_MAX, "--loop: no end");
	o.requests = 7;
	is_int((int64_t)tape_replay_count(&o, timed), 7, "--requests: one");
	drop(&k);
	timed = tape_spool_info(spool_of(&k, TEXT));
	o = options("chat");
	ok(!timed->timed, "without: closed");
	is_int((int64_t)tape_replay_slots(&o, timed), 1, "a slot");
	o.concurrency = 6;
	is_int((int64_t)tape_replay_slots(&o, timed), 6, "or six");
	drop(&k);
}

static void
test_dry_run(void)
{
	static const char *const lines[] = { "Authorization: Bearer sesame",
		"Accept: text/event-stream" };
	struct fake k;
	struct tape_spool *s = spool_of(&k, TEXT);
	struct tape_replay_opts o = options("chat");
	struct tape_secrets secrets = { 0 };
	struct tape_buf out;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t nth = 0;

	is_int(tape_secrets_add_text(&secrets, "sesame", &err), TAPE_OK,
	    "a secret");
	o.headers = lines;
	o.headers_n = 2;
	o.secrets = &secrets;
	tape_buf_init(&out, 100000);
	is_int(tape_replay_dry_run(&o, s, &out, &err), TAPE_OK, "a dry run");
	(void)tape_buf_add_char(&out, '\0');
	ok(strncmp(out.data, "POST http://h/v1/chat/completions\n", 34) == 0,
	    "says where");
	ok(strstr(out.data, "\nAccept: text/event-stream\n") != NULL, "how");
	ok(strstr(out.data, "sesame") == NULL, "and no secret");
	ok(strstr(out.data, "\"max_tokens\":5") != NULL, "and what");
	tape_buf_release(&out);
	while (st == TAPE_E_NOMEM && nth < 200) {
		tape_err_clear(&err);
		tape_buf_init(&out, 100000);
		tape_mem_fail_at(++nth);
		st = tape_replay_dry_run(&o, s, &out, &err);
		tape_mem_fail_at(0);
		tape_buf_release(&out);
	}
	is_int(st, TAPE_OK, "done at last: %s", err.text);
	tape_secrets_release(&secrets);
	drop(&k);
}

int
main(void)
{
	/* Used by other tests of the fake. */
	(void)fake_open;
	(void)fake_run;
	(void)fake_close_tape;
	(void)fake_release;
	is_int(tape_target_open(&target, NULL, "http://u:sesame@h/?q=sesame",
		   "/v1/chat/completions", NULL),
	    TAPE_OK, "a target");
	test_check();
	test_conns();
	test_salt();
	test_slots();
	test_dry_run();
	tape_target_release(&target);
	return done_testing();
}
