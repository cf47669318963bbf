/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from libs.c, so that a tool that unpacks nothing links no zlib. */
#include "cli/libs.h"
#include "codec/stream_crc32.h"

void
tape_libs_unpack(struct tape_buf *out)
{
	tape_libs_streams(out);
	(void)tape_buf_add_str(out, ", zlib ");
	(void)tape_buf_add_str(out, tape_crc32_library());
}
