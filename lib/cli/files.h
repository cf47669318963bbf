/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files: how many descriptors this process may have. */
#ifndef TAPE_CLI_FILES_H
#define TAPE_CLI_FILES_H

#include <stddef.h>

/* Raises the limit as far as that is allowed.  Returns how many there are, less
   those to spare (but not less than these); 0 when there is no limit. */
size_t tape_files_raise(size_t spare);

#endif
