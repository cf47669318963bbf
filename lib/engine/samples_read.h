/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_read: telemetry from a file of its own. */
#ifndef TAPE_ENGINE_SAMPLES_READ_H
#define TAPE_ENGINE_SAMPLES_READ_H

#include "engine/samples.h"
#include "record/reader.h"

/*
 * Adds all samples of a wire or events stream; path is borrowed for good.  how
 * has all but formats.  TAPE_E_FORMAT, with the place, also where there is no
 * sample in it.
 */
enum tape_status tape_samples_read(struct tape_samples *s, const char *path,
    const struct tape_reader_opts *how, struct tape_err *err) TAPE_NODISCARD;

#endif
