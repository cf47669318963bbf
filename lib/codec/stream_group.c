/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_group.h"

#include <string.h>

void
tape_group_init(struct tape_group *g)
{
	memset(g, 0, sizeof(*g));
	tape_index_rows_init(&g->rows);
	tape_buf_init(&g->frame, TAPE_INDEX_MAX_BYTES);
}

void
tape_group_release(struct tape_group *g)
{
	tape_index_rows_release(&g->rows);
	tape_buf_release(&g->frame);
}

void
tape_group_note(struct tape_group *g, const struct tape_index_entry *e)
{
	if (tape_index_rows_add(&g->rows, e) != TAPE_OK)
		g->head.marks |= TAPE_INDEX_PARTIAL;
}

bool
tape_group_line(struct tape_group *g, size_t len)
{
	g->head.lines++;
	g->head.text_bytes += len;
	return g->rows.count == TAPE_INDEX_MAX_ENTRIES;
}

void
tape_group_stored(struct tape_group *g, const char *p, size_t len)
{
	const size_t n = len < sizeof(g->last) ? len : sizeof(g->last);

	memmove(g->last, g->last + n, sizeof(g->last) - n);
	memcpy(g->last + sizeof(g->last) - n, p + len - n, n);
}

static bool
is_over(const struct tape_group *g, bool last)
{
	if (g->head.lines == 0)
		return false;
	return last || g->rows.count > 0 ||
	       (g->head.marks & (TAPE_INDEX_ENDS | TAPE_INDEX_PARTIAL)) != 0 ||
	       g->head.text_bytes >= TAPE_GROUP_TEXT;
}

/* An index that there is no memory for is left out. */
static void
build(struct tape_group *g, uint64_t position)
{
	g->head.stored_bytes = position - g->begin;
	g->head.first_line = g->lines + 1;
	g->head.back_bytes = g->has_index ? position - g->index_at : 0;
	for (int i = 3; i >= 0; i--)
		g->head.check = g->head.check << 8 | (unsigned char)g->last[i];
	tape_buf_clear(&g->frame);
	if (tape_index_build(&g->head, &g->rows, &g->frame) != TAPE_OK)
		tape_buf_clear(&g->frame);
}

void
tape_group_frame(struct tape_group *g, uint64_t position, bool last,
    const char **index, size_t *len)
{
	*index = "";
	*len = 0;
	if (!is_over(g, last))
		return;
	build(g, position);
	*index = g->frame.data;
	*len = g->frame.len;
	if (*len > 0) {
		g->has_index = true;
		g->index_at = position;
	}
	g->lines += g->head.lines;
	g->begin = position + *len;
	memset(&g->head, 0, sizeof(g->head));
	tape_index_rows_clear(&g->rows);
}
