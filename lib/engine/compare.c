/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

void
tape_compare_set_release(struct tape_compare_set *set)
{
	for (size_t i = 0; i < set->run_count; i++)
		tape_mem_free(set->runs[i].requests);
	tape_mem_free(set->runs);
	tape_mem_free(set->origin.chains);
	tape_arena_release(&set->arena);
	memset(set, 0, sizeof(*set));
}

enum tape_status
tape_compare_keep(struct tape_compare_set *set, struct tape_str from,
    struct tape_str *to, struct tape_err *err)
{
	*to = from;
	if (from.p == NULL)
		return TAPE_OK;
	to->p = tape_arena_dup(&set->arena, from.p, from.len);
	return to->p == NULL ? tape_err_nomem(err) : TAPE_OK;
}

int
tape_compare_by_time(const void *a, const void *b)
{
	const struct tape_compare_run *x =
	    *(const struct tape_compare_run *const *)a;
	const struct tape_compare_run *y =
	    *(const struct tape_compare_run *const *)b;

	if (x->start_ns != y->start_ns)
		return x->start_ns > y->start_ns ? 1 : -1;
	return (x > y) - (x < y);
}

int
tape_compare_text_order(struct tape_str a, struct tape_str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c;

	if (a.p == NULL || b.p == NULL)
		return (a.p != NULL) - (b.p != NULL);
	c = memcmp(a.p, b.p, n);
	return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}

const char *
tape_compare_arm_letter(size_t arm)
{
	return arm == TAPE_COMPARE_A ? "A" : "B";
}

/* What a terminal gets is text, whatever labels hold. */
static void
clean(char *text)
{
	text[tape_utf8_span(text, strlen(text))] = '\0';
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

char *
tape_compare_show(struct tape_str text, char *dst, size_t size)
{
	size_t n = text.len < size ? text.len : size - 1;

	if (text.p != NULL)
		memcpy(dst, text.p, n);
	dst[text.p == NULL ? 0 : n] = '\0';
	clean(dst);
	return dst;
}

void
tape_compare_notes_release(struct tape_compare_notes *notes)
{
	tape_mem_free(notes->v);
	memset(notes, 0, sizeof(*notes));
}

void
tape_compare_note(struct tape_compare_notes *notes,
    enum tape_compare_severity severity, const char *code, const char *fmt, ...)
{
	struct tape_compare_note *note;
	void *v = notes->v;
	va_list ap;

	if (severity == TAPE_COMPARE_REFUSE)
		notes->refused = true;
	if (tape_mem_grow(&v, &notes->cap, notes->n + 1, sizeof(*notes->v)) !=
	    0) {
		notes->status = TAPE_E_NOMEM;
		return;
	}
	notes->v = v;
	note = &notes->v[notes->n++];
	note->severity = severity;
	(void)snprintf(note->code, sizeof(note->code), "%s", code);
	va_start(ap, fmt);
	(void)vsnprintf(note->text, sizeof(note->text), fmt, ap);
	va_end(ap);
	clean(note->text);
}

enum tape_status
tape_compare_notes_status(
    const struct tape_compare_notes *notes, struct tape_err *err)
{
	return notes->status == TAPE_OK ? TAPE_OK : tape_err_nomem(err);
}
