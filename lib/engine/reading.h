/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reading: one look at a device or at a server's counters, from the text in
 * which others give it: numbers by name, each name with its unit.
 *
 *	nvidia-smi	a line of tape_reading_smi_query, in CSV without units
 *	tegrastats	a line, of any JetPack since 4
 *	prometheus	a page of the text format, version 0.0.4
 *
 * What a device does not have ([N/A], off, NaN) is absent.  No I/O, no clock.
 */
#ifndef TAPE_ENGINE_READING_H
#define TAPE_ENGINE_READING_H

#include "base/buf.h"
#include "base/span.h"

#define TAPE_READING_DEVICE 128 /* bytes of a device's name that are kept */
#define TAPE_READING_NAME   256 /* a longer name, labels included, is cut out */
#define TAPE_READING_VALUES 4096 /* of a reading; what is more is counted */

struct tape_reading {
	char device[TAPE_READING_DEVICE]; /* "": the source has but one */
	struct tape_buf values;           /* a JSON object */
	uint64_t n;                       /* how many stand in it */
	uint64_t dropped;                 /* for the limits above */
};

void tape_reading_init(struct tape_reading *r);
void tape_reading_release(struct tape_reading *r);

/* For nvidia-smi's --query-gpu. */
extern const char tape_reading_smi_query[];

/*
 * Replace the reading by that of the text.  TAPE_E_FORMAT: it is no such text,
 * or no number stands in it.
 */
enum tape_status tape_reading_smi(struct tape_reading *r, struct tape_str line,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_reading_tegra(struct tape_reading *r,
    struct tape_str line, struct tape_err *err) TAPE_NODISCARD;

/* Of the values whose name (without labels) fits one of the n patterns of
   fnmatch(3); none: of all.  A name keeps its labels, as they stand. */
enum tape_status tape_reading_prometheus(struct tape_reading *r,
    struct tape_str page, const char *const *patterns, size_t n,
    struct tape_err *err) TAPE_NODISCARD;

#endif
