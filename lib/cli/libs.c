/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/libs.h"

#include "codec/stream_out.h"

void
tape_libs_streams(struct tape_buf *out)
{
	char text[TAPE_OUT_LIBRARY];

	(void)tape_buf_add_str(out, tape_out_library(text));
}
