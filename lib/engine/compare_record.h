/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_record: the comparison as records of a llmtape.report stream, or as
 * one JSON document.
 */
#ifndef TAPE_ENGINE_COMPARE_RECORD_H
#define TAPE_ENGINE_COMPARE_RECORD_H

#include "engine/compare_print.h"
#include "record/writer.h"

/* Into the open segment: a comparison record a row that has data, then the
   verdict. */
enum tape_status tape_compare_write(const struct tape_compare_report *r,
    int exit_code, struct tape_writer *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Appends to out a document with these members: format, version and prov (the
 * chain, JSON text) as in the header of a report; comparisons, an array of the
 * records; verdict, the record, or with several reports verdicts, an array.
 * Ends with LF.
 */
enum tape_status tape_compare_write_json(const struct tape_compare_report *r,
    size_t n, int exit_code, struct tape_str prov, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
