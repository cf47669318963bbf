/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_gsl.h"

#include <pthread.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
turn_off(void)
{
	(void)gsl_set_error_handler_off();
}

void
tape_stat_gsl_quiet(void)
{
	(void)pthread_once(&once, turn_off);
}

const char *
tape_stat_library(void)
{
	return "GSL " GSL_VERSION;
}
