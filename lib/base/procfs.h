/* SPDX-License-Identifier: GPL-3.0-or-later */
/* procfs: numbers that the kernel tells in small text files. */
#ifndef TAPE_BASE_PROCFS_H
#define TAPE_BASE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first n numbers of a file of at most 4 KiB that begins with at least so
   many, separated by white space; false, and v as it was, when it does not. */
bool tape_procfs_numbers(const char *path, uint64_t *v, size_t n);

#endif
