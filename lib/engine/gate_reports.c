/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/gate_reports.h"

#include "base/mem.h"

void
tape_gate_reports_release(struct tape_gate_reports *r)
{
	tape_mem_free(r->v);
	tape_mem_free(r->gates);
	memset(r, 0, sizeof(*r));
}

enum tape_status
tape_gate_reports(const struct tape_compare_family *f,
    const struct tape_compare_opts *opts, const struct tape_gate *gate,
    enum tape_gate_policy policy, struct tape_gate_reports *out,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	memset(out, 0, sizeof(*out));
	out->n = f->n;
	out->v = tape_mem_calloc(f->n + 1, sizeof(*out->v));
	if (gate->n > 0)
		out->gates = tape_mem_calloc(f->n + 1, sizeof(*out->gates));
	if (out->v == NULL || (gate->n > 0 && out->gates == NULL))
		return tape_err_nomem(err);
	for (size_t i = 0; i < f->n && st == TAPE_OK; i++) {
		struct tape_compare_member *m = &f->v[i];

		out->v[i] = (struct tape_compare_report){ &m->view, &m->design,
			m->rows, &m->verdict, &m->notes, opts, m->point, NULL,
			NULL };
		if (gate->n == 0)
			continue;
		st = tape_gate_judge(
		    gate, &out->v[i], policy, &out->gates[i], err);
		out->v[i].gate = &out->gates[i];
	}
	return st;
}

static enum tape_gate_answer
answer_of(const struct tape_compare_report *r)
{
	const struct tape_compare_verdict *v = r->verdict;

	if (v->progress == TAPE_COMPARE_ADD_PAIRS)
		return TAPE_GATE_MORE;
	if (r->gate != NULL && r->gate->refused)
		return TAPE_GATE_UNKNOWN;
	if (r->gate != NULL)
		return r->gate->passed ? TAPE_GATE_GO : TAPE_GATE_STOP;
	if (v->overall == TAPE_COMPARE_ALL_NONE)
		return TAPE_GATE_UNKNOWN;
	return v->counts[TAPE_COMPARE_LOSS] > 0 ? TAPE_GATE_STOP : TAPE_GATE_GO;
}

enum tape_gate_answer
tape_gate_answer(const struct tape_compare_report *r, size_t n, size_t *warned)
{
	bool any[TAPE_GATE_MORE + 1] = { false };

	*warned = 0;
	for (size_t i = 0; i < n; i++) {
		any[answer_of(&r[i])] = true;
		if (r[i].gate != NULL &&
		    r[i].gate->policy == TAPE_GATE_UNDECIDED_WARNS)
			*warned += r[i].gate->counts[TAPE_GATE_UNDECIDED];
	}
	if (any[TAPE_GATE_MORE])
		return TAPE_GATE_MORE;
	if (any[TAPE_GATE_STOP])
		return TAPE_GATE_STOP;
	return any[TAPE_GATE_UNKNOWN] ? TAPE_GATE_UNKNOWN : TAPE_GATE_GO;
}
