/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds metrics-reduce(1) and the table of metrics together.  With --print it
 * writes the list of the page's section METRICS, to be put there.
 */
#include "engine/metrics.h"

#include "base/buf.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "unit/tap.h"

#define PAGE "man/metrics-reduce.1"

/* The table as the page writes it. */
static void
describe(struct tape_buf *out)
{
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const struct tape_metric *m = &tape_metric_table[i];

		(void)tape_buf_add_fmt(out, ".It Va %s Pq %s , %s , %s\n%s.\n",
		    m->name, m->unit, m->better, m->source, m->formula);
	}
}

/* The list of the page's section METRICS. */
static void
extract(const char *page, struct tape_buf *out)
{
	const char *p = strstr(page, "\n.Sh METRICS\n");
	const char *start = p == NULL ? NULL : strstr(p, "\n.It Va ");
	const char *end = start == NULL ? NULL : strstr(start, "\n.El\n");

	if (end != NULL)
		(void)tape_buf_add(out, start + 1, (size_t)(end - start));
}

static void
test_page(void)
{
	struct tape_err err = { 0 };
	struct tape_buf want, got;
	char *page = NULL;
	size_t len;

	if (!ok(tape_fdio_slurp(PAGE, 1 << 20, &page, &len, &err) == TAPE_OK,
		"read " PAGE))
		return;
	tape_buf_init(&want, 1 << 16);
	tape_buf_init(&got, 1 << 16);
	describe(&want);
	extract(page, &got);
	is_str(got.data, want.data, "metrics are the same in page and table");
	tape_buf_release(&want);
	tape_buf_release(&got);
	tape_mem_free(page);
}

static bool
is_one_of(const char *word, const char *list)
{
	const char *p = strstr(list, word);
	size_t n = strlen(word);

	return p != NULL && (p == list || p[-1] == ' ') &&
	       (p[n] == ' ' || p[n] == '\0');
}

static void
test_rows(void)
{
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const struct tape_metric *m = &tape_metric_table[i];

		if (!ok(m->name != NULL, "row %d is there", i))
			continue;
		is_int(tape_metric_find(tape_str_of(m->name)), i,
		    "%s is found, and once", m->name);
		ok(strlen(m->display) <= 12, "%s fits a table", m->name);
		ok(is_one_of(m->unit, "ns tokens bytes count per_s ratio"),
		    "%s has a unit", m->name);
		ok(is_one_of(m->better, "lower higher none"),
		    "%s has a direction", m->name);
		ok(m->source != NULL && m->source[0] != '\0', "%s has a source",
		    m->name);
		ok(m->kind != TAPE_METRIC_RUN || !m->extra,
		    "%s of a run is no extra", m->name);
		ok(is_one_of(m->phase, "prefill decode all"), "%s has a phase",
		    m->name);
		ok((m->of != NULL) == (m->kind == TAPE_METRIC_REQUEST) &&
			(m->over != NULL) == (m->kind == TAPE_METRIC_RUN),
		    "%s can be computed", m->name);
	}
	is_int(tape_metric_find(tape_str_of("itl")), TAPE_METRIC_COUNT,
	    "itl is no name");
}

/* Every class of error counts in one sum, and what is unknown in the last. */
static void
test_failures(void)
{
	is_int(tape_metric_failed_sum(tape_str_of("tls")),
	    TAPE_SUM_FAILED_CONNECT, "tls");
	is_int(tape_metric_failed_sum(tape_str_of("timeout")),
	    TAPE_SUM_FAILED_TIMEOUT, "timeout");
	is_int(tape_metric_failed_sum(tape_str_of("http")),
	    TAPE_SUM_FAILED_HTTP, "http");
	is_int(tape_metric_failed_sum(tape_str_of("truncated")),
	    TAPE_SUM_FAILED_STREAM, "truncated");
	is_int(tape_metric_failed_sum(tape_str_of("lost")),
	    TAPE_SUM_FAILED_OTHER, "lost");
	is_int(tape_metric_failed_sum(tape_str_make(NULL, 0)),
	    TAPE_SUM_FAILED_OTHER, "none");
}

/* 5 % of 100 tokens are 5; from 1000 on it is 50. */
static void
test_mismatch(void)
{
	ok(!tape_metric_is_mismatch(95, 100), "5 below 100 is near enough");
	ok(tape_metric_is_mismatch(94, 100), "6 below is not");
	ok(tape_metric_is_mismatch(106, 100), "nor 6 above");
	ok(!tape_metric_is_mismatch(3950, 4000), "50 below 4000 is");
	ok(tape_metric_is_mismatch(3949, 4000), "51 is not");
}

static int
print(void)
{
	struct tape_buf list;

	tape_buf_init(&list, 1 << 16);
	describe(&list);
	(void)fputs(list.data, stdout);
	tape_buf_release(&list);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--print") == 0)
		return print();
	test_rows();
	test_failures();
	test_mismatch();
	test_page();
	return done_testing();
}
