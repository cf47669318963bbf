/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_record: the comparison as records of a llmtape.report stream.
 */
#ifndef TAPE_ENGINE_COMPARE_RECORD_H
#define TAPE_ENGINE_COMPARE_RECORD_H

#include "engine/compare_print.h"
#include "record/schema.h"

/* Takes a record: tape_writer_put, or one that makes a JSON document. */
struct tape_compare_sink {
	enum tape_status (*put)(void *arg, enum tape_kind kind,
	    const void *record, struct tape_err *err);
	void *arg;
};

/* A comparison record a row that has data, then the verdict. */
enum tape_status tape_compare_write(const struct tape_compare_report *r,
    int exit_code, const struct tape_compare_sink *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
