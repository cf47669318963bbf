/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_error: a client's error, event by event, against the times that
 * trace-serve --stamp has put into its events.
 *
 *	event_error [-l LOG] [-f FROM_S] [-t TO_S] EVENTS
 *
 * EVENTS is a stream of sse-timestamp.  Token events of successful, measured
 * requests count whose stamp is within [FROM_S, TO_S) of the run's start.  LOG is trace-serve's, from which TTFT by the server's own times is
 * had.  One JSON object goes to standard output; times in ns:
 *
 *	best	|event time - stamp|, the time as it is used
 *	kernel	the same of events whose time is the kernel's, and exact
 *	user	|user time - stamp|, of all
 *	lag	user time - kernel time: what the run says of itself
 *	late	the server's own lateness
 *	own	user time - kernel time of reads, as its fidelity record has it
 *	ttft	|TTFT - the server's|, sending, connecting and transit inside
 *	ttft_sent	the same with TTFT from sent_ns
 *	ttft_first	|event time - stamp| of first tokens
 *	gap	|gap - gap between the stamps|, with the sd of the difference,
 *		of the gaps, and of those between the stamps
 *	gap_user	the same by the user's times
 */
#include "base/mem.h"
#include "bench/bench.h"
#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"
#include "record/reader.h"

#include <inttypes.h>
#include <math.h>

enum {
	BEST,
	KERNEL,
	USER,
	LAG,
	LATE,
	TTFT,
	TTFT_SENT,
	TTFT_FIRST,
	GAP,
	GAP_USER,
	/* Without quantiles: signed differences, and the gaps themselves. */
	GAP_DIFF,
	GAP_DIFF_USER,
	GAP_CLIENT,
	GAP_SERVER,
	SERIES
};

static const char *const names[] = { "best", "kernel", "user", "lag", "late",
	"ttft", "ttft_sent", "ttft_first", "gap", "gap_user" };

struct series {
	double *v;
	size_t n, cap;
};

static struct series all[SERIES];
static struct tape_err err;

/* Of the log, by the request's number: 0 unknown. */
static struct times {
	int64_t in_ns, first_ns;
} * served;
static size_t served_cap;

static int64_t run_start_ns, run_end_ns, loop_cpu_ns = -1;
static int64_t own_p50_ns = -1, own_p99_ns = -1;
static int64_t from_ns, to_ns = INT64_MAX;
static uint64_t marks[3]; /* k, m, u among the token events */
static uint64_t requests, failed;
static char verdict[32] = "none";

static void
check(enum tape_status st)
{
	char text[512];

	if (st == TAPE_OK)
		return;
	(void)fprintf(stderr, "event_error: %s\n",
	    tape_err_format(&err, text, sizeof(text)));
	exit(3);
}

static void
add(int which, double v)
{
	struct series *s = &all[which];
	void *p = s->v;

	if (tape_mem_grow(&p, &s->cap, s->n + 1, sizeof(*s->v)) != 0)
		bench_die("memory");
	s->v = p;
	s->v[s->n++] = v;
}

/* The integer behind "NAME": in a line of the log; -1 if there is none. */
static int64_t
log_value(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at == NULL ? -1 : strtoll(at + strlen(name), NULL, 10);
}

static void
read_log(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	void *p;

	if (f == NULL)
		bench_die(path);
	while (getline(&line, &size, f) > 0) {
		int64_t n = log_value(line, "\"n\":");

		if (n < 0 || n > 100000000)
			continue;
		while ((size_t)n >= served_cap) {
			size_t old = served_cap;

			p = served;
			if (tape_mem_grow(&p, &served_cap, (size_t)n + 1,
				sizeof(*served)) != 0)
				bench_die("memory");
			served = p;
			memset(served + old, 0,
			    (served_cap - old) * sizeof(*served));
		}
		served[n].in_ns = log_value(line, "\"t_in_ns\":");
		served[n].first_ns = log_value(line, "\"t_first_ns\":");
	}
	free(line);
	(void)fclose(f);
}

/* What the server logged of this response, or NULL: its number is the id that
   it answers with, as the client sends none. */
static const struct times *
find_served(const struct tape_response *r)
{
	static const char key[] = "\"x-request-id\",\"";
	const char *at;
	int64_t n;

	if (r->t.headers.p == NULL)
		return NULL;
	at = memmem(r->t.headers.p, r->t.headers.len, key, sizeof(key) - 1);
	if (at == NULL)
		return NULL;
	n = strtoll(at + sizeof(key) - 1, NULL, 10);
	if (n <= 0 || (size_t)n >= served_cap || served[n].first_ns <= 0)
		return NULL;
	return &served[n];
}

static int64_t
lag_of(const struct tape_events *e, size_t i)
{
	return e->lag_ns.v == NULL ? -1 : e->lag_ns.v[i];
}

static bool
is_token(char c)
{
	return c == 'c' || c == 'g' || c == 't' || c == 'x' || c == 'a';
}

static void
first_token(const struct tape_response *r, size_t i)
{
	const struct times *s = find_served(r);
	const struct tape_events *e = &r->events;
	double ttft;

	add(TTFT_FIRST, fabs((double)(e->t_ns.v[i] - e->server_ns.v[i])));
	if (s == NULL)
		return;
	ttft = (double)(s->first_ns - s->in_ns);
	add(TTFT, fabs((double)e->t_ns.v[i] - ttft));
	if (r->t.sent_ns != TAPE_ABSENT_I64)
		add(TTFT_SENT,
		    fabs((double)(e->t_ns.v[i] + r->t.start_ns - r->t.sent_ns) -
			 ttft));
}

static void
one_event(const struct tape_events *e, size_t i)
{
	int64_t lag = lag_of(e, i), error = e->t_ns.v[i] - e->server_ns.v[i];
	char clk = e->clk.p[i];

	marks[clk == 'k' ? 0 : clk == 'm' ? 1 : 2]++;
	add(BEST, fabs((double)error));
	if (clk == 'k')
		add(KERNEL, fabs((double)error));
	if (lag >= 0)
		add(LAG, (double)lag);
	add(USER, fabs((double)(error + (lag > 0 ? lag : 0))));
	if (e->server_late_ns.v != NULL && e->server_late_ns.v[i] >= 0)
		add(LATE, (double)e->server_late_ns.v[i]);
}

static void
one_gap(const struct tape_events *e, size_t a, size_t b)
{
	int64_t lag_a = lag_of(e, a), lag_b = lag_of(e, b);
	double gap = (double)(e->t_ns.v[b] - e->t_ns.v[a]);
	double of_server = (double)(e->server_ns.v[b] - e->server_ns.v[a]);
	double user = gap + (double)(lag_b > 0 ? lag_b : 0) -
		      (double)(lag_a > 0 ? lag_a : 0);

	add(GAP, fabs(gap - of_server));
	add(GAP_USER, fabs(user - of_server));
	add(GAP_DIFF, gap - of_server);
	add(GAP_DIFF_USER, user - of_server);
	add(GAP_CLIENT, gap);
	add(GAP_SERVER, of_server);
}

static void
response(const struct tape_response *r)
{
	const struct tape_events *e = &r->events;
	size_t last = SIZE_MAX;
	int64_t t;

	if (!tape_str_is(r->t.stage, "measure"))
		return;
	requests++;
	failed += r->t.error.class.p != NULL;
	if (r->t.error.class.p != NULL || e->server_ns.v == NULL)
		return;
	for (size_t i = 0; i < e->t_ns.n; i++) {
		if (!is_token(e->class.p[i]) || e->server_ns.v[i] == -1)
			continue;
		t = r->t.start_ns + e->server_ns.v[i] - run_start_ns;
		if (t < from_ns || t >= to_ns)
			continue;
		one_event(e, i);
		if (last != SIZE_MAX)
			one_gap(e, last, i);
		else if (i == 0 || !is_token(e->class.p[i - 1]))
			first_token(r, i);
		last = i;
	}
}

static void
fidelity(const struct tape_fidelity *f)
{
	(void)snprintf(verdict, sizeof(verdict), "%.*s", (int)f->verdict.len,
	    f->verdict.p);
	if (f->cpu.loop_ns != TAPE_ABSENT_I64)
		loop_cpu_ns = f->cpu.loop_ns;
	if (f->reads.lag_p50_ns != TAPE_ABSENT_I64)
		own_p50_ns = f->reads.lag_p50_ns;
	if (f->reads.lag_p99_ns != TAPE_ABSENT_I64)
		own_p99_ns = f->reads.lag_p99_ns;
}

static void
run(const struct tape_run *r)
{
	if (r->start_ns != TAPE_ABSENT_I64)
		run_start_ns = r->start_ns;
	if (r->end_ns != TAPE_ABSENT_I64)
		run_end_ns = r->end_ns;
}

static void
read_events(const char *path)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_EVENTS };
	struct tape_reader *reader;
	struct tape_record rec;
	enum tape_status st;

	check(tape_reader_open(&reader, &path, 1, &opts, &err));
	tape_record_init(&rec);
	while ((st = tape_reader_next(reader, &rec, &err)) == TAPE_OK)
		if (rec.kind == TAPE_KIND_RUN)
			run(&rec.u.run);
		else if (rec.kind == TAPE_KIND_RESPONSE)
			response(&rec.u.response);
		else if (rec.kind == TAPE_KIND_FIDELITY)
			fidelity(&rec.u.fidelity);
	if (st != TAPE_EOF)
		check(st);
	tape_record_release(&rec);
	tape_reader_free(reader);
}

static double
sd_of(int which)
{
	return all[which].n < 2 ? 0 : tape_stat_sd(all[which].v, all[which].n);
}

static void
print_series(int which)
{
	struct series *s = &all[which];

	printf(",\"%s\":{\"n\":%zu", names[which], s->n);
	if (s->n > 0) {
		check(tape_stat_sort(s->v, s->n, &err));
		printf(",\"p50\":%.0f,\"p99\":%.0f,\"p999\":%.0f,\"max\":%.0f",
		    tape_stat_quantile(s->v, s->n, 0.5),
		    tape_stat_quantile(s->v, s->n, 0.99),
		    tape_stat_quantile(s->v, s->n, 0.999), s->v[s->n - 1]);
	}
	if (which == GAP)
		printf(",\"sd_diff\":%.0f,\"sd_client\":%.0f,"
		       "\"sd_server\":%.0f",
		    sd_of(GAP_DIFF), sd_of(GAP_CLIENT), sd_of(GAP_SERVER));
	if (which == GAP_USER)
		printf(",\"sd_diff\":%.0f", sd_of(GAP_DIFF_USER));
	printf("}");
}

int
main(int argc, char **argv)
{
	const char *log = NULL;
	double total, wall_ns;
	int c;

	while ((c = getopt(argc, argv, "l:f:t:")) != -1)
		if (c == 'l')
			log = optarg;
		else if (c == 'f')
			from_ns = (int64_t)(1e9 * strtod(optarg, NULL));
		else if (c == 't')
			to_ns = (int64_t)(1e9 * strtod(optarg, NULL));
		else
			return 2;
	if (optind + 1 != argc)
		return 2;
	if (log != NULL)
		read_log(log);
	read_events(argv[optind]);
	wall_ns = (double)(run_end_ns - run_start_ns);
	total = (double)(marks[0] + marks[1] + marks[2]);
	printf("{\"requests\":%" PRIu64 ",\"failed\":%" PRIu64
	       ",\"verdict\":\"%s\",\"loop_cpu_ratio\":%.4f,\"events\":%.0f",
	    requests, failed, verdict,
	    loop_cpu_ns >= 0 && wall_ns > 0 ? (double)loop_cpu_ns / wall_ns
					    : -1,
	    total);
	if (total > 0)
		printf(",\"k_ratio\":%.6f,\"m_ratio\":%.6f,\"u_ratio\":%.6f",
		    (double)marks[0] / total, (double)marks[1] / total,
		    (double)marks[2] / total);
	for (int i = 0; i <= GAP_USER; i++)
		print_series(i);
	if (own_p50_ns >= 0 && own_p99_ns >= 0)
		printf(",\"own\":{\"p50\":%" PRId64 ",\"p99\":%" PRId64 "}",
		    own_p50_ns, own_p99_ns);
	printf("}\n");
	return 0;
}
