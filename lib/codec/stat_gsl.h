/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_gsl: GSL's error handler, which aborts the process, is turned off.
 *
 * For the stat_* modules only.  Called by each function that may make GSL
 * report an error, before it does so; safe from any thread, does its work
 * once.  From then on GSL returns a status or a NaN, which the caller checks.
 */
#ifndef TAPE_CODEC_STAT_GSL_H
#define TAPE_CODEC_STAT_GSL_H

void tape_stat_gsl_quiet(void);

/* "GSL 2.7.1", of the headers built with; for everybody. */
const char *tape_stat_library(void);

#endif
