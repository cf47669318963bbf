/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model server's options that say how events lie on the wire. */
#include "engine/serve_args.h"
#include "unit/tap.h"

static void
is_range(const char *text, int min, int max)
{
	struct tape_serve_range r = { 0, 0 };
	struct tape_err err = { 0 };
	enum tape_status st = tape_serve_parse_range(text, &r, &err);

	is_int(st, min > 0 ? TAPE_OK : TAPE_E_USAGE, "range '%s'", text);
	is_int(r.min, min, "'%s': from", text);
	is_int(r.max, max, "'%s': to", text);
}

static void
is_split(const char *text, int writes, int64_t gap_ns)
{
	struct tape_serve_split s = { 0, 0 };
	struct tape_err err = { 0 };
	enum tape_status st = tape_serve_parse_split(text, &s, &err);

	is_int(st, writes > 0 ? TAPE_OK : TAPE_E_USAGE, "split '%s'", text);
	is_int(s.writes, writes, "'%s': writes", text);
	is_int(s.gap_ns, gap_ns, "'%s': gap", text);
}

static void
is_cold(const char *text, int requests, double times)
{
	struct tape_serve_cold c = { 0, 0 };
	struct tape_err err = { 0 };
	enum tape_status st = tape_serve_parse_cold(text, &c, &err);

	is_int(st, requests > 0 ? TAPE_OK : TAPE_E_USAGE, "cold '%s'", text);
	is_int((int64_t)c.requests, requests, "'%s': requests", text);
	ok(c.times == times, "'%s': times", text);
}

int
main(void)
{
	is_range("3", 3, 3);
	is_range("2-6", 2, 6);
	is_range("6-2", 0, 0);
	is_range("0-2", 0, 0);
	is_range("2-", 0, 0);
	is_range("1-1001", 0, 0);
	is_range("", 0, 0);
	is_range("1111111111111111111111111111111111111111", 0, 0);
	is_split("2", 2, 1000000);
	is_split("3,250us", 3, 250000);
	is_split("17", 0, 0);
	is_split("2,", 0, 0);
	is_split("2,5", 0, 0);
	is_split("0", 0, 0);
	is_cold("20", 20, 5);
	is_cold("20,3.5", 20, 3.5);
	is_cold("0", 0, 0);
	is_cold("20,", 0, 0);
	is_cold("20,0.5", 0, 0);
	is_cold("20,1001", 0, 0);
	return done_testing();
}
