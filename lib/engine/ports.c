/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/ports.h"

#include "base/num.h"
#include "base/procfs.h"

#include <inttypes.h>

#define WIDEN "'sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"'"

uint64_t
tape_ports_count(const char *file)
{
	uint64_t range[2];

	if (!tape_procfs_numbers(file, range, 2) || range[0] == 0 ||
	    range[1] < range[0] || range[1] > 65535)
		return TAPE_PORTS_DEFAULT;
	return range[1] - range[0] + 1;
}

static uint64_t
divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

enum tape_status
tape_ports_check(const struct tape_ports_need *need, uint64_t ports,
    struct tape_buf *warning, struct tape_err *err)
{
	uint64_t sources = need->sources == 0 ? 1 : need->sources;
	double all = (double)ports * (double)sources;
	double wait_s = (double)TAPE_PORTS_WAIT_NS / 1e9;
	char text[TAPE_NUM_TEXT];

	if ((double)need->open > all)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--concurrency %" PRIu64 " needs more local ports than the "
		    "%" PRIu64 " there are: widen them with " WIDEN
		    ", or give %" PRIu64 " of --source-address",
		    need->open, ports * sources, divide_up(need->open, ports));
	if (!need->fresh || need->rate_per_s * wait_s <= all)
		return TAPE_OK;
	(void)tape_buf_add_fmt(warning,
	    "a new connection for each of %.4g requests/s uses up the local "
	    "ports in %s: each is taken for 60s; widen them with " WIDEN
	    ", or give more of --source-address",
	    need->rate_per_s,
	    tape_num_print_duration(all / need->rate_per_s * 1e9, text));
	return TAPE_OK;
}
