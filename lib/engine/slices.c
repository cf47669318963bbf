/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/slices.h"

#include "base/clock.h"
#include "base/num.h"

#define NAMES_CAP  ((size_t)1 << 16)
#define LABELS_CAP ((size_t)1 << 20)

void
tape_slices_init(struct tape_slices *s, int64_t each_ns)
{
	s->each_ns = each_ns;
	tape_buf_init(&s->names, NAMES_CAP);
	tape_buf_init(&s->labels, LABELS_CAP);
}

void
tape_slices_release(struct tape_slices *s)
{
	tape_buf_release(&s->names);
	tape_buf_release(&s->labels);
}

enum tape_status
tape_slices_names(struct tape_slices *s, const char *by, const char **out,
    struct tape_err *err)
{
	enum tape_status st;

	*out = by;
	if (s->each_ns == 0)
		return TAPE_OK;
	tape_buf_clear(&s->names);
	if (by != NULL)
		(void)tape_buf_add_fmt(&s->names, "%s,", by);
	(void)tape_buf_add_str(&s->names, TAPE_SLICES_LABEL);
	st = tape_buf_status(&s->names, err);
	*out = s->names.data;
	return st;
}

int64_t
tape_slices_from(
    const struct tape_slices *s, int64_t begin_ns, int64_t start_ns)
{
	const int64_t in = start_ns - begin_ns;
	int64_t n = in / s->each_ns;

	if (in < 0 && in % s->each_ns != 0)
		n--;
	return begin_ns + n * s->each_ns;
}

enum tape_status
tape_slices_label(struct tape_slices *s, struct tape_str labels,
    int64_t offset_ns, struct tape_str *out, struct tape_err *err)
{
	char text[TAPE_NUM_TEXT];
	struct tape_buf *b = &s->labels;
	enum tape_status st;

	*out = labels;
	if (s->each_ns == 0)
		return TAPE_OK;
	tape_buf_clear(b);
	(void)tape_buf_add_fmt(b, "{\"" TAPE_SLICES_LABEL "\":%s",
	    tape_num_print_double(
		(double)offset_ns / (double)TAPE_NS_PER_S, text));
	/* {} has no member to come behind the comma. */
	if (labels.p != NULL && labels.len > strlen("{}")) {
		(void)tape_buf_add_char(b, ',');
		(void)tape_buf_add(b, labels.p + 1, labels.len - 1);
	} else {
		(void)tape_buf_add_char(b, '}');
	}
	st = tape_buf_status(b, err);
	*out = tape_str_make(b->data, b->len);
	return st;
}
