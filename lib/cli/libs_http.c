/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from libs.c, so that a tool without a network links no libcurl. */
#include "cli/libs.h"
#include "codec/http.h"

void
tape_libs_http(struct tape_buf *out)
{
	char text[TAPE_HTTP_VERSION_TEXT];

	(void)tape_buf_add_str(out, tape_http_version_text(text));
	(void)tape_buf_add_str(out, ", ");
	tape_libs_streams(out);
}
