/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/canary.h"

#include "base/clock.h"
#include "engine/compare_design.h"
#include "engine/compare_runs.h"

static void
write_session(const struct tape_compare_member *m, struct tape_json_writer *w)
{
	struct tape_str label = m->view.arm_name[TAPE_COMPARE_B];
	char iso[TAPE_CLOCK_ISO];

	tape_json_write_object(w, NULL);
	tape_json_write_str(w, "arm", label.p, label.len);
	tape_json_write_u64(w, "pairs", m->design.k);
	if (m->design.k > 0)
		tape_json_write_cstr(w, "start",
		    tape_clock_print_iso(
			tape_compare_first(&m->design.pairs[0])->start_ns,
			iso));
	tape_compare_write_runs(&m->design, w);
	tape_json_write_object_end(w);
}

void
tape_canary_write_design(
    const struct tape_canary *c, struct tape_json_writer *w)
{
	tape_json_write_bool(w, "cross_session", true);
	tape_json_write_str(w, "canary", c->label.p, c->label.len);
	tape_json_write_array(w, "sessions");
	write_session(c->of[TAPE_COMPARE_A], w);
	write_session(c->of[TAPE_COMPARE_B], w);
	tape_json_write_array_end(w);
}
