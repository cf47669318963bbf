/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from libs.c, so that a tool without statistics links no GSL. */
#include "cli/libs.h"
#include "codec/stat_gsl.h"

void
tape_libs_stat(struct tape_buf *out)
{
	tape_libs_streams(out);
	(void)tape_buf_add_str(out, ", ");
	(void)tape_buf_add_str(out, tape_stat_library());
}
