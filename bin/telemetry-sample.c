/* SPDX-License-Identifier: GPL-3.0-or-later */
/* telemetry-sample: clocks, power, temperature and counters, on our clock. */
#include "cli/diag.h"
#include "cli/libs.h"
#include "cli/meta.h"
#include "cli/signals.h"
#include "cli/tool.h"
#include "engine/reading.h"
#include "engine/telemetry.h"

#include <inttypes.h>
#include <stdio.h>

#define EVERY_MIN_NS (10 * TAPE_NS_PER_MS)

struct options {
	struct tape_opt_common common;
	const char *smi, *tegra; /* commands; "": the usual one */
	bool has_smi, has_tegra;
	struct tape_opt_list pages, match, meta;
	int64_t every_ns, duration_ns;
};

/* clang-format off */
#define AT(f) offsetof(struct options, f)
#define MAYBE(n, a, f, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_MAYBE, .at = AT(f), \
	    .seen_at = AT(has_##f), .secrecy = TAPE_OPT_TEXT, .help = h }
#define LIST(n, a, f, s, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_LIST, .at = AT(f), \
	    .secrecy = TAPE_OPT_##s, .help = h }
#define TIME(n, f, h) \
	{ .name = n, .arg = "TIME", .type = TAPE_OPT_DURATION, .at = AT(f), \
	    .help = h }
/* clang-format on */

static const struct tape_opt table[] = {
	TAPE_OPT_HEADING("Sources"),
	MAYBE(
	    "nvidia-smi", "COMMAND", smi, "GPUs by nvidia-smi, or by COMMAND"),
	MAYBE("tegrastats", "COMMAND", tegra, "a Jetson by tegrastats"),
	LIST("prometheus", "URL", pages, URL,
	    "the page of an exporter or a server, repeated"),
	TAPE_OPT_HEADING("Sampling"),
	TIME("every", every_ns, "from a sample to the next (250ms)"),
	TIME("for", duration_ns, "end after that time"),
	LIST("match", "PATTERN", match, PLAIN,
	    "only values of pages named so, as 'vllm:*'"),
	LIST("meta", "K=V", meta, TEXT, "what only you know"),
};

static const struct tape_opt_spec spec = {
	.tool = "telemetry-sample",
	.summary = "sample devices and servers while something runs",
	.usage = "source [option ...]",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
	.libs = tape_libs_http,
	.examples =
	    "telemetry-sample --nvidia-smi -o gpu.tape &\n"
	    "telemetry-sample --prometheus localhost:8000/metrics --match 'vllm:*'\n"
	    "telemetry-sample --nvidia-smi='ssh gpu1 nvidia-smi ...' --for 60s\n",
};

/* The sources, and the text of the usual commands. */
struct plan {
	struct tape_telemetry_source v[TAPE_TELEMETRY_SOURCES];
	size_t n;
	char smi[512];
	char tegra[64];
};

static void
add_commands(const struct options *o, struct plan *p)
{
	const int64_t every_ms = o->every_ns / TAPE_NS_PER_MS;

	(void)snprintf(p->smi, sizeof(p->smi),
	    "exec nvidia-smi --query-gpu=%s --format=csv,noheader,nounits "
	    "-lms %" PRId64,
	    tape_reading_smi_query, every_ms);
	(void)snprintf(p->tegra, sizeof(p->tegra),
	    "exec tegrastats --interval %" PRId64, every_ms);
	if (o->has_smi)
		p->v[p->n++] =
		    (struct tape_telemetry_source){ TAPE_TELEMETRY_SMI,
			    o->smi[0] != '\0' ? o->smi : p->smi };
	if (o->has_tegra)
		p->v[p->n++] =
		    (struct tape_telemetry_source){ TAPE_TELEMETRY_TEGRA,
			    o->tegra[0] != '\0' ? o->tegra : p->tegra };
}

static enum tape_status
make_plan(const struct options *o, struct plan *p, struct tape_err *err)
{
	add_commands(o, p);
	if (o->pages.count > TAPE_TELEMETRY_SOURCES - p->n)
		return tape_err_set(err, TAPE_E_USAGE, "more than %d sources",
		    TAPE_TELEMETRY_SOURCES);
	for (size_t i = 0; i < o->pages.count; i++)
		p->v[p->n++] =
		    (struct tape_telemetry_source){ TAPE_TELEMETRY_PROMETHEUS,
			    o->pages.items[i] };
	if (p->n == 0)
		return tape_err_set(err, TAPE_E_USAGE,
		    "say what to sample: --nvidia-smi, --tegrastats or "
		    "--prometheus URL");
	if (o->every_ns < EVERY_MIN_NS)
		return tape_err_set(
		    err, TAPE_E_USAGE, "--every is at least 10ms");
	return TAPE_OK;
}

static void
warn(void *arg, const char *text)
{
	(void)arg;
	tape_diag_warn("%s", text);
}

static void
report(const struct tape_telemetry_counts *c)
{
	tape_diag_note("%" PRIu64 " samples", c->samples);
	if (c->bad + c->missed > 0)
		tape_diag_warn("%" PRIu64 " samples did not come, %" PRIu64
			       " were not what they should be",
		    c->missed, c->bad);
	if (c->dropped > 0)
		tape_diag_warn("%" PRIu64 " values left out: over %d of a "
			       "sample, or names over %d bytes; --match helps",
		    c->dropped, TAPE_READING_VALUES, TAPE_READING_NAME);
}

static enum tape_status
run(struct tape_tool *t, const struct options *o, struct tape_err *err)
{
	struct plan plan = { 0 };
	struct tape_telemetry_opts opts = { .sources = plan.v,
		.every_ns = o->every_ns,
		.duration_ns = o->duration_ns,
		.patterns = o->match.items,
		.patterns_n = o->match.count,
		.interrupts = tape_signals_seen,
		.warn = warn };
	struct tape_telemetry_counts counts = { 0 };
	struct tape_buf meta;
	enum tape_status st = make_plan(o, &plan, err);

	if (st != TAPE_OK)
		return st;
	opts.sources_n = plan.n;
	tape_buf_init(&meta, TAPE_CAP_REQUEST);
	st = tape_meta_join(&o->meta, NULL, &meta, err);
	if (st == TAPE_OK)
		st = tape_tool_output(t, TAPE_FORMAT_WIRE, err);
	if (st == TAPE_OK)
		st = tape_tool_begin(t, meta.len > 0 ? meta.data : NULL, true,
		    &opts.epoch_ns, err);
	opts.writer = t->writer;
	if (st == TAPE_OK) {
		st = tape_telemetry_run(&opts, &counts, err);
		report(&counts);
	}
	tape_buf_release(&meta);
	return st;
}

int
main(int argc, char **argv)
{
	struct options o = { .every_ns = 250 * TAPE_NS_PER_MS };
	struct tape_tool t;
	struct tape_err err = { 0 };

	if (!tape_tool_start(&t, &spec, TAPE_TOOL_SOCKETS | TAPE_TOOL_PARTIAL,
		argc, argv, &o))
		return t.exit_code;
	return tape_tool_finish(&t, run(&t, &o, &err), &err);
}
