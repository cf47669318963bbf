/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slices: a run cut into slices of time, as groups of its requests.
 *
 * A request belongs to the slice in which it was first sent; slices count from
 * the start of the run.  To grouping a slice is one more label, slice_s, the
 * start of the slice in seconds.  The window of a slice is the part of the
 * run's window that lies in it.
 */
#ifndef TAPE_ENGINE_SLICES_H
#define TAPE_ENGINE_SLICES_H

#include "base/buf.h"
#include "base/span.h"

#define TAPE_SLICES_LABEL "slice_s"

struct tape_slices {
	int64_t each_ns; /* length; 0: no slices */
	/* The rest is private. */
	struct tape_buf names;  /* of --by, and the label */
	struct tape_buf labels; /* those of a request, and it */
};

/* each_ns 0: out does nothing.  Release s in every case. */
void tape_slices_init(struct tape_slices *s, int64_t each_ns);
void tape_slices_release(struct tape_slices *s);

/* The names to group by: by (NULL: none) and, where there are slices, the label.
   *out lives as long as by and s do.  TAPE_E_NOMEM, TAPE_E_LIMIT. */
enum tape_status tape_slices_names(struct tape_slices *s, const char *by,
    const char **out, struct tape_err *err) TAPE_NODISCARD;

/* Start of the slice of a request that was sent at start_ns, of a run that began
   at begin_ns. */
int64_t tape_slices_from(
    const struct tape_slices *s, int64_t begin_ns, int64_t start_ns);

/*
 * The labels of a request (absent: none) with that of its slice, or as they are
 * where there are no slices.  Labels of that name are the caller's mistake.  *out
 * is borrowed until the next call.
 */
enum tape_status tape_slices_label(struct tape_slices *s,
    struct tape_str labels, int64_t offset_ns, struct tape_str *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
