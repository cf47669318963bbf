/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nvidia-smi --query-gpu=... --format=csv,noheader,nounits */
#include "base/num.h"
#include "engine/reading_impl.h"

/* In the order of the query; the first two name the device. */
static const char *const names[] = { NULL, NULL, "sm_clock_mhz",
	"sm_clock_max_mhz", "memory_clock_mhz", "power_w", "power_limit_w",
	"temperature_c", "memory_temperature_c", "utilization_percent",
	"memory_utilization_percent", "memory_used_mib", "memory_total_mib",
	"performance_state", "throttle_reasons" };

#define FIELDS (sizeof(names) / sizeof(names[0]))

const char tape_reading_smi_query[] =
    "index,name,clocks.sm,clocks.max.sm,clocks.mem,power.draw,"
    "enforced.power.limit,temperature.gpu,temperature.memory,utilization.gpu,"
    "utilization.memory,memory.used,memory.total,pstate,"
    "clocks_throttle_reasons.active";

/* A decimal number, P0, or bits as 0x0004. */
static bool
number(struct tape_str s, double *v)
{
	double bits = 0;

	if (!tape_reading_skip(&s, "0x")) {
		(void)tape_reading_skip(&s, "P");
		return tape_reading_take(&s, v) && s.len == 0;
	}
	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		const int digit = tape_num_hex_digit(s.p[i]);

		if (digit < 0)
			return false;
		bits = bits * 16 + digit;
	}
	*v = bits;
	return true;
}

static void
add_device(struct tape_reading *r, struct tape_str part)
{
	const size_t have = strlen(r->device);
	const size_t room = sizeof(r->device) - 1 - have;
	const size_t gap = have > 0 && room > 0 ? 1 : 0;
	const size_t n = part.len < room - gap ? part.len : room - gap;

	if (gap > 0)
		r->device[have] = ' ';
	memcpy(r->device + have + gap, part.p, n);
	r->device[have + gap + n] = '\0';
}

enum tape_status
tape_reading_smi(
    struct tape_reading *r, struct tape_str line, struct tape_err *err)
{
	struct tape_json_writer w;
	size_t field = 0;

	tape_reading_begin(r, &w);
	for (const char *p = line.p, *end = line.p + line.len; p <= end;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma == NULL ? end : comma;
		struct tape_str s =
		    tape_reading_trim(tape_str_make(p, (size_t)(stop - p)));
		double v;

		if (field == FIELDS) {
			field++;
			break;
		}
		if (names[field] == NULL)
			add_device(r, s);
		else if (number(s, &v))
			tape_reading_put(r, &w, tape_str_of(names[field]), v);
		field++;
		p = stop + 1;
		if (comma == NULL)
			break;
	}
	if (field != FIELDS)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%zu fields, where nvidia-smi was asked for %zu", field,
		    FIELDS);
	return tape_reading_end(r, &w, "nvidia-smi", err);
}
