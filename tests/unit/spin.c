/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/spin: what says how long a thread stays awake. */
#include "base/spin.h"
#include "base/clock.h"
#include "unit/tap.h"

#define NONE INT64_C(-2)

static struct tape_err err;

static void
is_spin(const char *text, int64_t want_ns)
{
	int64_t ns = NONE;
	enum tape_status st;

	tape_err_clear(&err);
	st = tape_spin_parse(text, 10 * TAPE_NS_PER_MS, &ns, &err);
	is_int(st, want_ns != NONE ? TAPE_OK : TAPE_E_USAGE, "'%s'", text);
	is_int(ns, want_ns, "'%s': margin", text);
}

int
main(void)
{
	is_spin("off", 0);
	is_spin("auto", TAPE_SPIN_AUTO);
	is_spin("80us", 80000);
	is_spin("10ms", 10000000);
	is_spin("10001us", NONE);
	is_str(err.text, "'10001us' is more than 10.0 ms", "says so");
	is_spin("2s", NONE);
	is_spin("-1ms", NONE);
	is_spin("on", NONE);
	is_spin("", NONE);
	return done_testing();
}
