/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/boot.h"

#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

#define ID_LENGTH 36 /* of a UUID */

bool
tape_boot_name(char dst[TAPE_BOOT_TEXT])
{
	static const char prefix[] = "llmtape boot ";
	char id[ID_LENGTH], text[TAPE_SHA256_TEXT];
	struct tape_sha256 h;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool there;

	dst[0] = '\0';
	if (f == NULL)
		return false;
	there = fread(id, 1, sizeof(id), f) == sizeof(id);
	(void)fclose(f);
	if (!there)
		return false;
	tape_sha256_init(&h);
	tape_sha256_add(&h, prefix, sizeof(prefix) - 1);
	tape_sha256_add(&h, id, sizeof(id));
	(void)tape_sha256_finish_text(&h, text);
	memcpy(dst, text, TAPE_BOOT_TEXT - 1);
	dst[TAPE_BOOT_TEXT - 1] = '\0';
	return true;
}
