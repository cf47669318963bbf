/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/replay_text.h"

#include "base/fdio.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

static bool
tolerates(const char *arg, int64_t done, int64_t failed)
{
	struct tape_replay_tolerance t = { 0 };
	struct tape_replay_result r = { .done = done, .failed = failed };

	if (tape_replay_parse_tolerance(arg, &t, NULL) != TAPE_OK) {
		ok(false, "parse %s", arg);
		return false;
	}
	return tape_replay_tolerates(&t, &r);
}

static void
test_tolerance(void)
{
	struct tape_replay_tolerance t = { 0 };

	ok(tolerates("0", 5, 0) && !tolerates("0", 5, 1), "none");
	ok(tolerates("3", 5, 3) && !tolerates("3", 5, 4), "a number");
	ok(tolerates("25%", 3, 1) && !tolerates("25%", 30, 11), "a share");
	ok(tolerates("0%", 0, 0), "nothing of nothing");
	ok(tolerates("100%", 0, 7), "all");
	is_int(tape_replay_parse_tolerance("-1", &t, NULL), TAPE_E_USAGE, "-1");
	is_int(
	    tape_replay_parse_tolerance("", &t, NULL), TAPE_E_USAGE, "empty");
	is_int(tape_replay_parse_tolerance("%", &t, NULL), TAPE_E_USAGE, "%%");
}

static void
test_salt(void)
{
	struct tape_replay_salting s = { 0 };

	is_int(tape_replay_parse_salt("round", &s, NULL), TAPE_OK, "round");
	ok(s.given && s.how == TAPE_REPLAY_SALT_ROUND, "is that");
	is_int(tape_replay_parse_salt("none", &s, NULL), TAPE_OK, "none");
	ok(s.given && s.how == TAPE_REPLAY_SALT_NONE, "is that");
	is_int(tape_replay_parse_salt("4294967295", &s, NULL), TAPE_OK, "max");
	ok(s.how == TAPE_REPLAY_SALT_FIXED && s.value == UINT32_MAX, "is that");
	is_int(tape_replay_parse_salt("4294967296", &s, NULL), TAPE_E_USAGE,
	    "no more");
}

static void
test_extra(void)
{
	struct tape_buf out;
	char path[] = "@/tmp/extra.XXXXXX";
	const char *text = " {\"a\":\n [1,\r\n2]} \n";
	int fd = mkstemp(path + 1);

	tape_buf_init(&out, 65536);
	is_int(tape_replay_read_extra("{\"b\": 1}", &out, NULL), TAPE_OK,
	    "an object");
	is_str(out.data, "{\"b\": 1}", "as it is");
	tape_buf_clear(&out);
	ok(fd >= 0 && tape_fdio_write(fd, text, strlen(text), NULL) == TAPE_OK,
	    "a file");
	(void)close(fd);
	is_int(tape_replay_read_extra(path, &out, NULL), TAPE_OK, "is read");
	is_str(out.data, "{\"a\":  [1,  2]}", "into one line");
	(void)unlink(path + 1);
	is_int(tape_replay_read_extra("", &out, NULL), TAPE_E_USAGE, "empty");
	is_int(tape_replay_read_extra("1", &out, NULL), TAPE_E_USAGE, "1");
	is_int(tape_replay_read_extra("{", &out, NULL), TAPE_E_USAGE, "{");
	is_int(tape_replay_read_extra("{}x", &out, NULL), TAPE_E_USAGE, "{}x");
	tape_buf_release(&out);
}

static void
test_lines(void)
{
	struct tape_replay_progress p = { .run = 2,
		.runs = 8,
		.arm = "A",
		.elapsed_ns = 2 * TAPE_NS_PER_S,
		.sent = 10,
		.open = 3,
		.done = 6,
		.failed = 1,
		.reads = 500,
		.late_p99_ns = 1500 };
	struct tape_replay_result r = { .runs = 1,
		.sent = 9,
		.done = 7,
		.failed = 2,
		.verdict = 1,
		.interrupted = true };
	char text[TAPE_REPLAY_TEXT];

	is_str(tape_replay_progress_text(&p, text),
	    "A 2/8 sent 10, open 3, done 6, failed 1, 250 reads/s, "
	    "late p99 1.50 us",
	    "progress");
	p.arm = NULL;
	p.warmup = true;
	p.elapsed_ns = 0;
	is_str(tape_replay_progress_text(&p, text),
	    "warm-up, sent 10, open 3, done 6, failed 1, 0 reads/s, "
	    "late p99 1.50 us",
	    "before the beginning");
	is_str(tape_replay_summary_text(&r, text),
	    "1 run, 9 sent, 7 done, 2 failed, 0 cancelled; the client was "
	    "suspect; interrupted",
	    "summary");
}

static void
test_verdict(void)
{
	static struct tape_fidelity_text f;
	struct tape_replay_progress p = { .run = 3, .arm = "B" };
	char text[TAPE_REPLAY_VERDICT];

	f.verdict = TAPE_FIDELITY_LIMITED;
	f.reasons_n = 2;
	(void)snprintf(f.reasons[0], sizeof(f.reasons[0]), "one");
	(void)snprintf(f.reasons[1], sizeof(f.reasons[1]), "two");
	is_str(tape_replay_verdict_text(&p, &f, text),
	    "B, run 3 is client-limited: one; two", "verdict of an arm's run");
	p.arm = NULL;
	f.verdict = TAPE_FIDELITY_SUSPECT;
	f.reasons_n = 1;
	is_str(tape_replay_verdict_text(&p, &f, text), "run 3 is suspect: one",
	    "of a run");
	f.reasons_n = TAPE_FIDELITY_REASONS;
	for (size_t i = 0; i < TAPE_FIDELITY_REASONS; i++)
		memset(f.reasons[i], 'x', sizeof(f.reasons[i]) - 1);
	is_int((int64_t)strlen(tape_replay_verdict_text(&p, &f, text)),
	    TAPE_REPLAY_VERDICT - 1, "cut where there is no room");
}

static char said[1024];

static void
keep(void *arg, const char *line)
{
	(void)arg;
	(void)strncat(said, line, sizeof(said) - strlen(said) - 1);
	(void)strncat(said, ";", sizeof(said) - strlen(said) - 1);
}

static void
finds(enum tape_replay_finding want, struct tape_replay_result r, bool strict,
    const char *lines, const char *what)
{
	const struct tape_replay_standard standard = { .strict = strict };
	const struct tape_replay_opts o = { .abort_after = 20 };

	said[0] = '\0';
	is_int(
	    tape_replay_find(&standard, &o, &r, keep, NULL), want, "%s", what);
	is_str(said, lines, "said");
}

static void
test_find(void)
{
	const struct tape_replay_result good = {
		.runs = 4, .done = 9, .answered = 9
	};
	struct tape_replay_result r = good;

	finds(TAPE_REPLAY_FINE, r, true, "", "all is well");
	r.limited = 1;
	finds(TAPE_REPLAY_FINE, r, false, "", "a limited client");
	finds(TAPE_REPLAY_NOT_FINE, r, true,
	    "the client was the limit of 1 of 4 runs;", "with strict");
	r = good;
	r.failed = 1;
	finds(TAPE_REPLAY_NOT_FINE, r, false, "1 of 10 requests failed;",
	    "a failure");
	r.aborted = true;
	finds(TAPE_REPLAY_NOT_FINE, r, false,
	    "stopped after 20 failures in a row;1 of 10 requests failed;",
	    "stopped");
	r.answered = 0;
	finds(TAPE_REPLAY_UNANSWERED, r, false,
	    "stopped after 20 failures in a row;no server ever answered;",
	    "no answer");
	r = (struct tape_replay_result){ .runs = 1, .sent = 3, .cancelled = 3 };
	finds(TAPE_REPLAY_UNANSWERED, r, false, "no server ever answered;",
	    "the time was over before an answer");
	r.interrupted = true;
	finds(TAPE_REPLAY_FINE, r, false, "", "an interrupt");
}

int
main(void)
{
	test_find();
	test_verdict();
	test_tolerance();
	test_salt();
	test_extra();
	test_lines();
	return done_testing();
}
