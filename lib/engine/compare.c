/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

void
tape_compare_notes_release(struct tape_compare_notes *notes)
{
	tape_mem_free(notes->v);
	memset(notes, 0, sizeof(*notes));
}

enum tape_status
tape_compare_notes_add(struct tape_compare_notes *notes,
    enum tape_compare_severity severity, const char *code, const char *fmt, ...)
{
	struct tape_compare_note *note;
	void *v = notes->v;
	va_list ap;

	if (severity == TAPE_COMPARE_REFUSE)
		notes->refused = true;
	if (tape_mem_grow(&v, &notes->cap, notes->n + 1, sizeof(*notes->v)) !=
	    0)
		return TAPE_E_NOMEM;
	notes->v = v;
	note = &notes->v[notes->n++];
	note->severity = severity;
	(void)snprintf(note->code, sizeof(note->code), "%s", code);
	va_start(ap, fmt);
	(void)vsnprintf(note->text, sizeof(note->text), fmt, ap);
	va_end(ap);
	return TAPE_OK;
}
