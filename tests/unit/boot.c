/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The name of a boot: the same twice, and not the kernel's id. */
#include "base/boot.h"

#include "unit/tap.h"

#include <string.h>

int
main(void)
{
	char a[TAPE_BOOT_TEXT], b[TAPE_BOOT_TEXT], id[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (f != NULL && fgets(id, sizeof(id), f) == NULL)
		id[0] = '\0';
	if (f != NULL)
		(void)fclose(f);
	if (id[0] == '\0') {
		ok(!tape_boot_name(a) && a[0] == '\0', "no name without an id");
		return done_testing();
	}
	ok(tape_boot_name(a) && tape_boot_name(b), "a boot has a name");
	is_str(a, b, "that stays");
	is_int((int)strspn(a, "0123456789abcdef"), TAPE_BOOT_TEXT - 1,
	    "of hexadecimal digits");
	ok(memcmp(a, id, 8) != 0, "which are not the id's");
	return done_testing();
}
