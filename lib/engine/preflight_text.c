/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a preflight found, as text. */
#include "base/num.h"
#include "engine/preflight_impl.h"
#include "engine/reduce_cell.h"

#include <inttypes.h>

#define INDENT 12

static void
put_plan(struct tape_buf *b, const struct tape_preflight *p)
{
	const struct tape_spool_info *i = p->info;
	const double rate_per_s = tape_replay_rate_per_s(i);
	const size_t slots = tape_replay_slots(&p->play, i);
	char wall[TAPE_NUM_TEXT], itl[TAPE_NUM_TEXT];

	(void)tape_buf_add_fmt(
	    b, "preflight   %s loop", i->timed ? "open" : "closed");
	if (!isnan(rate_per_s))
		(void)tape_buf_add_fmt(b, ", %.6g requests/s", rate_per_s);
	if (slots > 0)
		(void)tape_buf_add_fmt(b, ", concurrency %zu", slots);
	(void)tape_buf_add_fmt(b,
	    "; %" PRId64 " requests in %s\n            against a mock with a "
	    "token every %s, at most %" PRIu64 " tokens\n",
	    p->result.sent, tape_num_print_duration((double)p->wall_ns, wall),
	    tape_num_print_duration((double)p->itl_ns, itl), p->answer_tokens);
}

struct row {
	const char *name;
	int64_t n;
	int64_t p50, p99, max;
};

static void
put_row(struct tape_buf *b, const struct row *r)
{
	const int64_t v[3] = { r->p50, r->p99, r->max };
	char text[TAPE_NUM_TEXT];

	if (r->n <= 0)
		return;
	(void)tape_buf_add_fmt(b, "%-18s %9" PRId64, r->name, r->n);
	for (size_t i = 0; i < 3; i++)
		(void)tape_buf_add_fmt(b, " %10s",
		    v[i] == TAPE_ABSENT_I64
			? "-"
			: tape_num_print_duration((double)v[i], text));
	(void)tape_buf_add_str(b, "\n");
}

static void
put_hist(struct tape_buf *b, const char *name, const struct tape_hist *h)
{
	const struct row r = { name, h->n, tape_hist_quantile(h, 0.5),
		tape_hist_quantile(h, 0.99), h->max };

	put_row(b, &r);
}

static void
put_errors(struct tape_buf *b, const struct tape_preflight_tally *t)
{
	const struct tape_fidelity *f = &t->fidelity;
	const struct row sends = { "sends late", f->sends.n,
		f->sends.late_p50_ns, f->sends.late_p99_ns,
		f->sends.late_max_ns };
	const struct row lag = { "reads behind kernel", f->reads.kernel,
		f->reads.lag_p50_ns, f->reads.lag_p99_ns, f->reads.lag_max_ns };

	(void)tape_buf_add_fmt(
	    b, "\n%-18s %9s %10s %10s %10s\n", "", "n", "p50", "p99", "max");
	put_hist(b, "event time error", &t->error);
	put_hist(b, "ttft error", &t->ttft);
	if (t->has_fidelity) {
		put_row(b, &sends);
		put_row(b, &lag);
	}
	put_hist(b, "mock's own lateness", &t->late);
}

static void
put_itl(struct tape_buf *b, const struct tape_preflight_tally *t)
{
	char seen[TAPE_NUM_TEXT], sent[TAPE_NUM_TEXT], off[TAPE_NUM_TEXT];
	const double all = (double)(t->kernel + t->merged + t->user);

	if (t->seen.n >= 2)
		(void)tape_buf_add_fmt(b,
		    "itl sd      %s seen, %s sent: error %s\n",
		    tape_num_print_duration(tape_preflight_sd(&t->seen), seen),
		    tape_num_print_duration(tape_preflight_sd(&t->sent), sent),
		    tape_num_print_duration(tape_preflight_itl_error(t), off));
	if (all > 0)
		(void)tape_buf_add_fmt(b,
		    "clocks      %.2f %% kernel, %.2f %% user, %.2f %% "
		    "merged, of the token events\n",
		    100 * (double)t->kernel / all, 100 * (double)t->user / all,
		    100 * (double)t->merged / all);
}

/* Shares of one CPU, in the time of the whole preflight. */
static void
put_cpu(struct tape_buf *b, const struct tape_preflight *p)
{
	const struct tape_fidelity_cpu *c = &p->tally.fidelity.cpu;
	const double wall = (double)p->wall_ns / 100;

	if (!p->tally.has_fidelity || !(wall > 0))
		return;
	(void)tape_buf_add_fmt(b,
	    "cpu         client %.0f %%: loops %.0f %% (awake on purpose "
	    "%.0f %%), writer %.0f %%",
	    (double)c->process_ns / wall, (double)c->loop_ns / wall,
	    c->spin_ns > 0 ? (double)c->spin_ns / wall : 0,
	    (double)c->writer_ns / wall);
	if (p->mock_cpu_ns >= 0)
		(void)tape_buf_add_fmt(
		    b, "; mock %.0f %%", (double)p->mock_cpu_ns / wall);
	(void)tape_buf_add_str(b, "\n");
}

static void
put_reason(struct tape_buf *b, const char *text)
{
	(void)tape_buf_add_fmt(b, "%*s", INDENT, "");
	tape_reduce_text_wrap(b, tape_str_of(text), INDENT, INDENT + 2);
	(void)tape_buf_add_str(b, "\n");
}

enum tape_status
tape_preflight_text(
    const struct tape_preflight *p, struct tape_buf *out, struct tape_err *err)
{
	const struct tape_preflight_tally *t = &p->tally;

	put_plan(out, p);
	put_errors(out, t);
	(void)tape_buf_add_str(out, "\n");
	put_itl(out, t);
	put_cpu(out, p);
	(void)tape_buf_add_fmt(out, "verdict     %s%s\n",
	    t->blind ? "cannot tell: the mock is the bottleneck"
		     : tape_fidelity_name(t->verdict),
	    p->result.interrupted ? ", interrupted" : "");
	for (size_t i = 0; i < t->reasons_n; i++)
		put_reason(out, t->reasons[i]);
	return tape_buf_status(out, err);
}
