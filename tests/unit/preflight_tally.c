/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/preflight_tally.h"

#include "unit/tap.h"

#define US TAPE_NS_PER_US
#define MS TAPE_NS_PER_MS
#define N  400

static struct tape_preflight_tally t;
static int64_t at[N], sent[N], late[N];
static char class[N + 1], clk[N + 1];
static struct tape_response resp;
static struct tape_preflight_outcome outcome;

/* A stream of 400 tokens, 20 ms apart, sent on time and seen 5 us later. */
static void
good(void)
{
	memset(&t, 0, sizeof(t));
	for (int i = 0; i < N; i++) {
		sent[i] = 20 * MS * (i + 1);
		at[i] = sent[i] + 5 * US;
		late[i] = 10 * US;
	}
	memset(class, 'c', N);
	memset(clk, 'k', N);
	tape_schema_init(TAPE_KIND_RESPONSE, &resp);
	resp.events.t_ns = (struct tape_i64s){ at, N };
	resp.events.server_ns = (struct tape_i64s){ sent, N };
	resp.events.server_late_ns = (struct tape_i64s){ late, N };
	resp.events.class = tape_str_make(class, N);
	resp.events.clk = tape_str_make(clk, N);
	outcome = (struct tape_preflight_outcome){
		.sent = 1, .failure = "HTTP 500", .itl_ns = 20 * MS
	};
}

static void
judged(const char *verdict, bool blind, size_t reasons, const char *what)
{
	tape_preflight_judge(&t, &outcome);
	is_str(tape_fidelity_name(t.verdict), verdict, "%s", what);
	ok(t.blind == blind, "which %s be told", blind ? "cannot" : "can");
	is_int((int64_t)t.reasons_n, (int64_t)reasons, "reasons: %s",
	    t.reasons_n == 0 ? "" : t.reasons[t.reasons_n - 1]);
}

static void
verdict(const char *want, bool blind, size_t reasons, const char *what)
{
	tape_preflight_response(&t, &resp);
	judged(want, blind, reasons, what);
}

static void
test_good(void)
{
	good();
	class[0] = 'r';
	class[N - 1] = 'f';
	clk[1] = 'm';
	clk[2] = 'u';
	verdict("sound", false, 0, "a good client");
	is_int(t.events, N - 2, "events of tokens");
	is_int(t.kernel, N - 4, "by the kernel");
	is_int(t.merged, 1, "merged");
	is_int(t.user, 1, "by the user's clock");
	is_int(t.ttft.n, 1, "one first token");
	is_int(t.seen.n, N - 3, "gaps");
	is_int(t.error.max, 5 * US, "error");
	is_int(t.late.max, 10 * US, "the server's lateness");
	is_near(tape_preflight_itl_error(&t), 0, 0, "no error of gaps");
}

/* Several choices: gaps of one among those of others are none. */
static void
test_choices(void)
{
	static int64_t choice[N];

	good();
	for (int i = 0; i < N; i++)
		choice[i] = i % 2;
	resp.events.choice = (struct tape_i64s){ choice, N };
	verdict("sound", false, 0, "two choices");
	is_int(t.events, N, "all events");
	is_int(t.seen.n, 0, "no gaps");
}

static void
test_errors(void)
{
	good();
	for (int i = 0; i < N; i++)
		at[i] = sent[i] + MS * 98 / 100;
	verdict("sound", false, 0, "an error below 1 ms");
	good();
	for (int i = 0; i < N; i++)
		at[i] = sent[i] + MS * 102 / 100;
	verdict("suspect", false, 2, "above");
	good();
	for (int i = 0; i < N; i++)
		at[i] = sent[i] + MS * 102 / 10;
	verdict("client-limited", false, 2, "above 10 ms");
	good();
	at[0] = sent[0] + 2 * MS;
	verdict("suspect", false, 1, "only of the first token");
	good();
	for (int i = 1; i < 4; i++)
		at[N - i] = sent[N - i] + 900 * MS;
	verdict("client-limited", false, 1, "the sd of gaps");
	ok(strstr(t.reasons[0], "standard deviation") != NULL, "says so");
}

/* Gaps of 20 +- off ms: their sd is off. */
static void
swing(int64_t off_ns)
{
	good();
	for (int i = 0; i < N; i++)
		at[i] = sent[i] + (i % 2 == 0 ? 0 : off_ns);
	tape_preflight_response(&t, &resp);
}

static void
test_itl(void)
{
	swing(49 * MS / 100);
	is_near(tape_preflight_itl_error(&t), 490000, 0.01, "sd of the gaps");
	judged("sound", false, 0, "below 0.5 ms");
	swing(51 * MS / 100);
	judged("suspect", false, 1, "above");
	good();
	for (int i = 0; i < N; i++)
		sent[i] += i % 2 == 0 ? 0 : 5 * MS;
	for (int i = 0; i < N; i++)
		at[i] = sent[i] + 5 * US;
	verdict("sound", false, 0, "an unsteady server is seen as it is");
	is_near(tape_preflight_sd(&t.sent), 5e6, 0.01, "its sd");
}

static void
test_server(void)
{
	good();
	for (int i = 0; i < N; i++)
		late[i] = 49 * MS / 10;
	verdict("sound", false, 0, "a server late by less than a quarter");
	good();
	for (int i = 0; i < N; i++)
		late[i] = 51 * MS / 10;
	verdict("suspect", false, 1, "by more");
	for (int i = 0; i < N; i++)
		at[i] = sent[i] + 50 * MS;
	memset(&t, 0, sizeof(t));
	verdict("client-limited", true, 3, "by more, and so is the client");
	good();
	outcome.itl_ns = MS;
	for (int i = 0; i < N; i++)
		late[i] = MS * 98 / 100;
	verdict("sound", false, 0, "a fast server has a millisecond");
}

static void
test_fidelity(void)
{
	const struct tape_str reasons[2] = { tape_str_of("one"),
		tape_str_of("two") };
	struct tape_fidelity f;

	good();
	tape_schema_init(TAPE_KIND_FIDELITY, &f);
	f.verdict = tape_str_of("suspect");
	f.reasons = (struct tape_strs){ reasons, 2 };
	f.sends.late_p99_ns = 77;
	tape_preflight_fidelity(&t, &f);
	verdict("suspect", false, 2, "the client's own verdict");
	is_str(t.reasons[0], "one", "with its reasons");
	is_int(t.fidelity.sends.late_p99_ns, 77, "and numbers");
	ok(t.fidelity.reasons.v == NULL, "but no borrowed text");
	good();
	f.verdict = tape_str_of("client-limited");
	tape_preflight_fidelity(&t, &f);
	verdict("client-limited", false, 2, "the worst one");
	good();
	f.verdict = tape_str_of("sound");
	f.reasons = (struct tape_strs){ NULL, 0 };
	tape_preflight_fidelity(&t, &f);
	verdict("sound", false, 0, "and the best");
}

static void
test_none(void)
{
	good();
	outcome.failed = 1;
	verdict("client-limited", false, 1, "a failed request");
	is_str(t.reasons[0],
	    "1 of 1 requests failed against the mock: HTTP 500",
	    "which is told");
	good();
	outcome.failed = 1;
	judged("client-limited", false, 2, "and no event");
	good();
	resp.events.server_ns = (struct tape_i64s){ NULL, 0 };
	verdict("suspect", true, 1, "events without stamps");
	is_int(t.events, 0, "are none");
	good();
	judged("suspect", true, 1, "no response at all");
	good();
	for (int i = 0; i < N; i++)
		sent[i] = -1;
	verdict("suspect", true, 1, "stamps that are not known");
	ok(isnan(tape_preflight_itl_error(&t)), "no gaps");
	good();
	class[N - 1] = 'u';
	resp.events.clk.len = N - 1;
	verdict("suspect", true, 1, "arrays that do not fit are not read");
}

int
main(void)
{
	test_good();
	test_choices();
	test_errors();
	test_itl();
	test_server();
	test_fidelity();
	test_none();
	return done_testing();
}
