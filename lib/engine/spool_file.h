/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spool_file: an unnamed temporary file: append, and read anywhere; what was
 * appended last is still in memory, what is read in order comes from a buffer.
 *
 * One thread may append while another reads what was appended before.  The one
 * that reads never waits for a write to the disk.
 */
#ifndef TAPE_ENGINE_SPOOL_FILE_H
#define TAPE_ENGINE_SPOOL_FILE_H

#include "base/buf.h"

#include <pthread.h>

struct tape_spool_file {
	int fd;
	pthread_mutex_t lock; /* of written and of the place of tail */
	uint64_t written;     /* bytes in the file; those of tail are behind */
	struct tape_buf tail; /* changed by the one that appends */
	/* Of the one that reads: read ahead, from ahead_at. */
	struct tape_buf ahead;
	uint64_t ahead_at;
};

void tape_spool_file_init(struct tape_spool_file *f);
/* In dir; NULL or "": /tmp. */
enum tape_status tape_spool_file_open(struct tape_spool_file *f,
    const char *dir, struct tape_err *err) TAPE_NODISCARD;
void tape_spool_file_release(struct tape_spool_file *f);

/* For the one that appends. */
uint64_t tape_spool_file_size(const struct tape_spool_file *f);
enum tape_status tape_spool_file_append(struct tape_spool_file *f,
    const void *p, size_t len, struct tape_err *err) TAPE_NODISCARD;

/* Within what was appended (TAPE_E_BUG). */
enum tape_status tape_spool_file_read(struct tape_spool_file *f, uint64_t at,
    void *p, size_t len, struct tape_err *err) TAPE_NODISCARD;

#endif
