/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_record: the comparison as records of a llmtape.report stream.
 */
#ifndef TAPE_ENGINE_COMPARE_RECORD_H
#define TAPE_ENGINE_COMPARE_RECORD_H

#include "engine/compare_print.h"
#include "record/writer.h"

/* A comparison record a row that has data, then the verdict.  out has a
   segment open. */
enum tape_status tape_compare_write(const struct tape_compare_report *r,
    int exit_code, struct tape_writer *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
