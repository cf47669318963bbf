/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_totals.h"

#include "engine/reduce_cell.h"

#include <inttypes.h>

void
tape_reduce_totals(struct tape_buf *b, const struct tape_summarize_set *set)
{
	bool begun = false;

	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const struct tape_metric *m = &tape_metric_table[i];
		const struct tape_summary *s = &set->summary[i];
		struct tape_reduce_scale scale;

		if (m->kind != TAPE_METRIC_RUN || isnan(s->value) ||
		    !tape_summarize_has(set, i))
			continue;
		if (!begun)
			(void)tape_buf_add_fmt(b, "%-26s%-6s%8s%14s\n", "total",
			    "unit", "n", "value");
		begun = true;
		scale = tape_reduce_scale_for(m->unit, s->value, s->value);
		if (strcmp(m->unit, "count") == 0 ||
		    strcmp(m->unit, "tokens") == 0)
			scale.decimals = 0;
		(void)tape_buf_add_fmt(b, "%-26s%-6s%8" PRId64 "%14.*f\n",
		    m->name, scale.unit, s->n, scale.decimals,
		    s->value / scale.by);
	}
}
