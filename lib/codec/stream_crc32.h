/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_crc32: the CRC-32 of gzip, PNG and the AWS event stream, from zlib.
 */
#ifndef TAPE_CODEC_STREAM_CRC32_H
#define TAPE_CODEC_STREAM_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* "1.2.13", of the library in use. */
const char *tape_crc32_library(void);

/* Of what gave crc (0: of nothing) and of these bytes behind it. */
uint32_t tape_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
