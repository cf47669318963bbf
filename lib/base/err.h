/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * err: the status every fallible function returns, and the error object it
 * fills where it finds the failure.
 *
 * The first failure is the cause: a filled object is never overwritten.  No
 * allocation, no I/O.  A zeroed struct is an empty error.
 */
#ifndef TAPE_BASE_ERR_H
#define TAPE_BASE_ERR_H

#include <stddef.h>
#include <stdint.h>

#define TAPE_NODISCARD    __attribute__((warn_unused_result))
#define TAPE_PRINTF(f, a) __attribute__((format(printf, f, a)))

enum tape_status {
	TAPE_OK = 0,
	TAPE_EOF = 1,        /* clean end of stream; not an error */
	TAPE_E_USAGE = -1,   /* the caller asked for something meaningless */
	TAPE_E_FORMAT = -2,  /* input is not what it claims to be */
	TAPE_E_VERSION = -3, /* input is newer than this build reads */
	TAPE_E_TRUNC = -4,   /* input stops before its end record */
	TAPE_E_IO = -5,      /* read, write or network failure; see sys */
	TAPE_E_NOMEM = -6,
	TAPE_E_LIMIT = -7, /* a documented limit was exceeded */
	TAPE_E_DATA = -8,  /* the data cannot answer the question asked */
	TAPE_E_BUG = -9    /* an internal check failed */
};

struct tape_err {
	enum tape_status status;
	int sys;        /* errno at the time, or 0 */
	uint64_t line;  /* 1-based input line, or 0 */
	char name[128]; /* input name, "-" for standard input, or "" */
	char text[320]; /* one clause, lower case, no full stop */
};

/* Empties the object for reuse. */
void tape_err_clear(struct tape_err *err);

/*
 * Records a failure unless one is there already; returns status, so that the
 * call itself can be returned.  err may be NULL.  Control characters in the
 * text are replaced by '?'.
 */
enum tape_status tape_err_set(struct tape_err *err, enum tape_status status,
    const char *fmt, ...) TAPE_PRINTF(3, 4);

/* The same with TAPE_E_IO and an errno value, whose text is appended. */
enum tape_status tape_err_sys(
    struct tape_err *err, int sys, const char *fmt, ...) TAPE_PRINTF(3, 4);

/* TAPE_E_NOMEM with the standard text. */
enum tape_status tape_err_nomem(struct tape_err *err);

#ifdef __clang_analyzer__
/* Analysis of a caller sees declarations only: tell it what comes back. */
# define tape_err_set(err, status, ...)                                        \
  ((void)(tape_err_set)(err, status, __VA_ARGS__), (status))
# define tape_err_sys(err, sys, ...)                                           \
  ((void)(tape_err_sys)(err, sys, __VA_ARGS__), TAPE_E_IO)
# define tape_err_nomem(err) ((void)(tape_err_nomem)(err), TAPE_E_NOMEM)
#endif

/*
 * Adds the place to a failure that has none yet: input name (may be NULL) and
 * line (0 unknown).  Returns err's status.
 */
enum tape_status tape_err_at(
    struct tape_err *err, const char *name, uint64_t line);

/*
 * Writes "name:line: text" into dst, always terminated, cut if need be.
 * Returns dst.
 */
char *tape_err_format(const struct tape_err *err, char *dst, size_t size);

#endif
