/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_raw: the bytes of a stream as they are stored, out of a descriptor or
 * of memory, with the hooks around read(2).  Internal to codec/stream_*.
 *
 * What was read and not used yet is p[pos] to p[len - 1].
 */
#ifndef TAPE_CODEC_STREAM_RAW_H
#define TAPE_CODEC_STREAM_RAW_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct tape_raw {
	int fd;        /* -1: memory */
	const char *p; /* buf, or the caller's memory */
	size_t pos;
	size_t len;
	char *buf;
	size_t mem_len; /* memory behind len has not been read yet */
	size_t read_max;
	bool end;
	bool ranged; /* of fd only a range is read, by pread; fd is borrowed */
	uint64_t from; /* the rest of it */
	uint64_t left;
	uint64_t bytes_read;
	void (*stamp)(void *arg, size_t bytes);
	void *stamp_arg;
	enum tape_status (*idle)(void *arg, struct tape_err *err);
	void *idle_arg;
	enum tape_status (*wait)(void *arg, int fd, struct tape_err *err);
	void *wait_arg;
};

/* Memory, until tape_raw_open_fd makes it a descriptor. */
void tape_raw_init(struct tape_raw *r, const void *p, size_t len);

/* Takes fd over on success. */
enum tape_status tape_raw_open_fd(
    struct tape_raw *r, int fd, struct tape_err *err) TAPE_NODISCARD;

/* The same of a range of a file; fd stays the caller's. */
enum tape_status tape_raw_open_range(struct tape_raw *r, int fd, uint64_t from,
    uint64_t bytes, struct tape_err *err) TAPE_NODISCARD;

/* Closes the descriptor, but for 0. */
void tape_raw_release(struct tape_raw *r);

/* Brings at least one more byte: at most one read(2).  TAPE_EOF, also when it
   is called again. */
enum tape_status tape_raw_refill(
    struct tape_raw *r, struct tape_err *err) TAPE_NODISCARD;

#endif
