/* SPDX-License-Identifier: GPL-3.0-or-later */
/* boot: which boot of which machine this is. */
#ifndef TAPE_BASE_BOOT_H
#define TAPE_BASE_BOOT_H

#include <stdbool.h>

#define TAPE_BOOT_TEXT 17 /* room for the name */

/*
 * The name of this boot: 64 bits, as hexadecimal digits, of the SHA-256 of the
 * kernel's random boot id with a prefix of ours, so that two streams of one boot
 * are known as such and the id itself is not told.  False, and dst empty, where
 * the kernel says none.
 */
bool tape_boot_name(char dst[TAPE_BOOT_TEXT]);

#endif
