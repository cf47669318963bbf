/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json_write.h"
#include "engine/gate.h"

static const char *const policies[] = { "fail", "warn", "pass" };

const char *
tape_gate_result_name(enum tape_gate_result r)
{
	static const char *const names[] = { "passed", "failed", "undecided",
		"refused" };

	return names[r];
}

void
tape_gate_print_overall(const struct tape_gate_verdict *v, struct tape_buf *out)
{
	size_t undecided = v->counts[TAPE_GATE_UNDECIDED];
	const char *separator = "";

	(void)tape_buf_add_fmt(out, "gate: %s.  %zu rule%s: ",
	    v->passed    ? "PASSED"
	    : v->refused ? "CANNOT TELL"
			 : "FAILED",
	    v->gate->n, v->gate->n == 1 ? "" : "s");
	for (int i = TAPE_GATE_PASSED; i <= TAPE_GATE_REFUSED; i++) {
		if (v->counts[i] == 0)
			continue;
		(void)tape_buf_add_fmt(out, "%s%zu %s", separator, v->counts[i],
		    tape_gate_result_name((enum tape_gate_result)i));
		separator = ", ";
	}
	if (undecided > 0)
		(void)tape_buf_add_fmt(
		    out, " (--undecided %s)", policies[v->policy]);
	(void)tape_buf_add_char(out, '.');
}

void
tape_gate_print(const struct tape_gate_verdict *v, struct tape_buf *out)
{
	tape_gate_print_overall(v, out);
	(void)tape_buf_add_char(out, '\n');
	for (size_t i = 0; i < v->gate->n; i++)
		(void)tape_buf_add_fmt(out, "  %-9s  %-28s  %s\n",
		    tape_gate_result_name(v->rules[i].result),
		    v->gate->rules[i].text, v->rules[i].text);
}

enum tape_status
tape_gate_write_json(const struct tape_gate_verdict *v, struct tape_buf *out,
    struct tape_err *err)
{
	struct tape_json_writer w;

	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	tape_json_write_bool(&w, "passed", v->passed);
	tape_json_write_cstr(&w, "undecided", policies[v->policy]);
	tape_json_write_array(&w, "rules");
	for (size_t i = 0; i < v->gate->n; i++) {
		const struct tape_gate_judged *j = &v->rules[i];

		tape_json_write_object(&w, NULL);
		tape_json_write_cstr(&w, "rule", v->gate->rules[i].text);
		tape_json_write_u64(&w, "line", v->gate->rules[i].line);
		tape_json_write_cstr(
		    &w, "result", tape_gate_result_name(j->result));
		if (isfinite(j->estimate))
			tape_json_write_double(&w, "estimate", j->estimate);
		if (isfinite(j->ci.lo) && isfinite(j->ci.hi)) {
			tape_json_write_double(&w, "lo", j->ci.lo);
			tape_json_write_double(&w, "hi", j->ci.hi);
		}
		tape_json_write_cstr(&w, "text", j->text);
		tape_json_write_object_end(&w);
	}
	tape_json_write_array_end(&w);
	tape_json_write_object_end(&w);
	return tape_json_write_finish(&w, err);
}
