/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_crc32.h"

#include <zlib.h>

const char *
tape_crc32_library(void)
{
	return zlibVersion();
}

uint32_t
tape_crc32(uint32_t crc, const void *bytes, size_t len)
{
	return (uint32_t)crc32_z(crc, bytes, len);
}
