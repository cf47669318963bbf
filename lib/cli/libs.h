/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libs: the versions of the libraries in use, for --version and provenance, as
 * tape_opt_spec.libs.
 */
#ifndef TAPE_CLI_LIBS_H
#define TAPE_CLI_LIBS_H

#include "base/buf.h"

/* Of a tool that reads or writes streams: "zstd 1.5.4". */
void tape_libs_streams(struct tape_buf *out);

/* Of one that draws or tests, too: "zstd 1.5.4, GSL 2.7.1". */
void tape_libs_stat(struct tape_buf *out);

/* Of one that reads what servers compress: "zstd 1.5.4, zlib 1.2.13". */
void tape_libs_unpack(struct tape_buf *out);

/* Of one that asks servers: "libcurl/7.88.1 OpenSSL/3.0.17, zstd 1.5.4". */
void tape_libs_http(struct tape_buf *out);

#endif
