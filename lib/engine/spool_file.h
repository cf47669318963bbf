/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spool_file: an unnamed temporary file: append, then read and overwrite
 * anywhere; what was appended last is still in memory, what is read in order
 * comes from a buffer.
 */
#ifndef TAPE_ENGINE_SPOOL_FILE_H
#define TAPE_ENGINE_SPOOL_FILE_H

#include "base/buf.h"

struct tape_spool_file {
	int fd;
	uint64_t written; /* bytes in the file; those of tail are behind */
	struct tape_buf tail;
	struct tape_buf ahead; /* read ahead, from ahead_at */
	uint64_t ahead_at;
};

void tape_spool_file_init(struct tape_spool_file *f);
enum tape_status tape_spool_file_open(struct tape_spool_file *f,
    const char *dir, struct tape_err *err) TAPE_NODISCARD;
void tape_spool_file_release(struct tape_spool_file *f);

uint64_t tape_spool_file_size(const struct tape_spool_file *f);

enum tape_status tape_spool_file_append(struct tape_spool_file *f,
    const void *p, size_t len, struct tape_err *err) TAPE_NODISCARD;

/* Both within what was appended (TAPE_E_BUG). */
enum tape_status tape_spool_file_read(struct tape_spool_file *f, uint64_t at,
    void *p, size_t len, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_spool_file_write(struct tape_spool_file *f, uint64_t at,
    const void *p, size_t len, struct tape_err *err) TAPE_NODISCARD;

#endif
