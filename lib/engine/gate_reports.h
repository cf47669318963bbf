/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gate_reports: a report of every comparison of a family, with what a gate makes
 * of it.
 */
#ifndef TAPE_ENGINE_GATE_REPORTS_H
#define TAPE_ENGINE_GATE_REPORTS_H

#include "engine/compare_family.h"
#include "engine/gate.h"

struct tape_gate_reports {
	struct tape_compare_report *v; /* of the family, which outlives them */
	size_t n;
	struct tape_gate_verdict *gates; /* one a report; NULL: no gate */
	const struct tape_compare_origin *origin; /* for the caller to set */
};

/* Of a judged family; a gate of no rules is none.  TAPE_E_NOMEM.  Release also
   after a failure. */
enum tape_status tape_gate_reports(const struct tape_compare_family *f,
    const struct tape_compare_opts *opts, const struct tape_gate *gate,
    enum tape_gate_policy policy, struct tape_gate_reports *out,
    struct tape_err *err) TAPE_NODISCARD;
void tape_gate_reports_release(struct tape_gate_reports *r);

#endif
