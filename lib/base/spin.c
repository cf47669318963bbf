/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/spin.h"

#include "base/num.h"

#include <string.h>

enum tape_status
tape_spin_parse(
    const char *text, int64_t most_ns, int64_t *spin_ns, struct tape_err *err)
{
	int64_t ns = TAPE_SPIN_AUTO;
	char most[TAPE_NUM_TEXT];
	enum tape_status st = TAPE_OK;

	if (strcmp(text, "off") == 0)
		ns = 0;
	else if (strcmp(text, "auto") != 0)
		st = tape_num_duration_ns(text, &ns, err);
	if (st == TAPE_OK && ns > most_ns)
		st = tape_err_set(err, TAPE_E_USAGE, "'%.60s' is more than %s",
		    text, tape_num_print_duration((double)most_ns, most));
	if (st == TAPE_OK)
		*spin_ns = ns;
	return st;
}
