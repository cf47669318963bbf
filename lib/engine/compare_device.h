/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_device: the devices on which the runs of a comparison were: clocks,
 * power, temperature, as metrics-reduce joined them to runs.
 */
#ifndef TAPE_ENGINE_COMPARE_DEVICE_H
#define TAPE_ENGINE_COMPARE_DEVICE_H

#include "engine/compare_conditions.h"

/* Nothing is known of a run's devices and engine. */
void tape_compare_device_init(struct tape_compare_run *run);

/* Adds what is known; run may be NULL: it is of none. */
void tape_compare_add_device(
    struct tape_compare_run *run, const struct tape_observed *o);
enum tape_status tape_compare_add_engine(struct tape_compare_set *set,
    struct tape_compare_run *run, const struct tape_engine *e,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Refused: pairs whose runs were on different devices, where that is known and
 * vary has it not.  Warned of, with the means of both arms over their runs and
 * the range of those: clocks that differ by over 1 %, limits of clock or power
 * by over 0.1 %, temperatures by over 3 degrees, and a share of throttled
 * samples by over a point.
 */
void tape_compare_check_devices(const struct tape_compare_design *design,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes);

#endif
