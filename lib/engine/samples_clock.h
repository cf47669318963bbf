/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_clock: which clock a segment's times are of; part of samples. */
#ifndef TAPE_ENGINE_SAMPLES_CLOCK_H
#define TAPE_ENGINE_SAMPLES_CLOCK_H

#include "engine/samples.h"

/* Of a segment, and its epoch on that clock.  TAPE_E_FORMAT. */
enum tape_status tape_samples_read_clock(struct tape_samples_clock *clock,
    const struct tape_header *h, int64_t *epoch_ns,
    struct tape_err *err) TAPE_NODISCARD;

bool tape_samples_same_clock(
    const struct tape_samples_clock *a, const struct tape_samples_clock *b);

/* Sets TAPE_E_FORMAT: the samples are of another clock than the input (NULL:
   than all of it), and how that is seen. */
enum tape_status tape_samples_refuse(const struct tape_samples_clock *samples,
    const struct tape_samples_clock *input, struct tape_err *err);

#endif
