/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/roles.h"

#define SMI   "nvidia-smi"
#define TEGRA "tegrastats"
#define PROM  "prometheus"

/* clang-format off */
#define G(r, u, s) { r, u, TAPE_ROLE_GAUGE, s }
#define C(r, u)    { r, u, TAPE_ROLE_COUNTER, 1 }
#define B(r)       { r, "bits", TAPE_ROLE_BITS, 1 }

/* Names of metrics: nvidia-smi's query, tegrastats' words, DCGM's exporter, and
   the /metrics of vLLM, SGLang, TGI and llama.cpp. */
static const struct {
	const char *source;
	const char *name;
	struct tape_role role;
} table[] = {
	{ SMI, "sm_clock_mhz", G("clock", "mhz", 1) },
	{ SMI, "sm_clock_max_mhz", G("clock_limit", "mhz", 1) },
	{ SMI, "memory_clock_mhz", G("memory_clock", "mhz", 1) },
	{ SMI, "power_w", G("power", "w", 1) },
	{ SMI, "power_limit_w", G("power_limit", "w", 1) },
	{ SMI, "temperature_c", G("temperature", "c", 1) },
	{ SMI, "memory_temperature_c", G("memory_temperature", "c", 1) },
	{ SMI, "utilization_percent", G("utilization", "percent", 1) },
	{ SMI, "memory_utilization_percent",
	    G("memory_utilization", "percent", 1) },
	{ SMI, "memory_used_mib", G("memory_used", "mib", 1) },
	{ SMI, "memory_total_mib", G("memory_total", "mib", 1) },
	{ SMI, "throttle_reasons", B("throttle") },

	{ TEGRA, "gr3d_clock_mhz", G("clock", "mhz", 1) },
	{ TEGRA, "emc_clock_mhz", G("memory_clock", "mhz", 1) },
	{ TEGRA, "gpu_temperature_c", G("temperature", "c", 1) },
	{ TEGRA, "gr3d_utilization_percent", G("utilization", "percent", 1) },
	{ TEGRA, "emc_utilization_percent",
	    G("memory_utilization", "percent", 1) },
	{ TEGRA, "ram_used_mib", G("memory_used", "mib", 1) },
	{ TEGRA, "ram_total_mib", G("memory_total", "mib", 1) },
	/* The whole board's input; where there is none, no rail is. */
	{ TEGRA, "vdd_in_power_mw", G("power", "w", 1e-3) },
	{ TEGRA, "pom_5v_in_power_mw", G("power", "w", 1e-3) },

	{ PROM, "DCGM_FI_DEV_SM_CLOCK", G("clock", "mhz", 1) },
	{ PROM, "DCGM_FI_DEV_MEM_CLOCK", G("memory_clock", "mhz", 1) },
	{ PROM, "DCGM_FI_DEV_POWER_USAGE", G("power", "w", 1) },
	{ PROM, "DCGM_FI_DEV_GPU_TEMP", G("temperature", "c", 1) },
	{ PROM, "DCGM_FI_DEV_MEMORY_TEMP", G("memory_temperature", "c", 1) },
	{ PROM, "DCGM_FI_DEV_GPU_UTIL", G("utilization", "percent", 1) },
	{ PROM, "DCGM_FI_DEV_MEM_COPY_UTIL",
	    G("memory_utilization", "percent", 1) },
	{ PROM, "DCGM_FI_DEV_FB_USED", G("memory_used", "mib", 1) },
	{ PROM, "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", B("throttle") },
	{ PROM, "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", B("throttle") },

	{ PROM, "vllm:num_requests_waiting", G("queue", "requests", 1) },
	{ PROM, "vllm:num_requests_running", G("running", "requests", 1) },
	{ PROM, "vllm:kv_cache_usage_perc", G("cache_used", "ratio", 1) },
	{ PROM, "vllm:gpu_cache_usage_perc", G("cache_used", "ratio", 1) },
	{ PROM, "vllm:num_preemptions_total", C("preemptions", "count") },
	{ PROM, "vllm:prefix_cache_hits_total", C("cache_hits", "tokens") },
	{ PROM, "vllm:prefix_cache_queries_total",
	    C("cache_queries", "tokens") },
	{ PROM, "vllm:spec_decode_num_drafts_total", C("drafts", "count") },
	{ PROM, "vllm:spec_decode_num_draft_tokens_total",
	    C("drafted", "tokens") },
	{ PROM, "vllm:spec_decode_num_accepted_tokens_total",
	    C("accepted", "tokens") },

	{ PROM, "sglang:num_queue_reqs", G("queue", "requests", 1) },
	{ PROM, "sglang:num_running_reqs", G("running", "requests", 1) },
	{ PROM, "sglang:token_usage", G("cache_used", "ratio", 1) },

	{ PROM, "tgi_queue_size", G("queue", "requests", 1) },
	{ PROM, "tgi_batch_current_size", G("running", "requests", 1) },

	{ PROM, "llamacpp:requests_deferred", G("queue", "requests", 1) },
	{ PROM, "llamacpp:requests_processing", G("running", "requests", 1) },
	{ PROM, "llamacpp:kv_cache_usage_ratio", G("cache_used", "ratio", 1) },
};

/* Units of names that have no role. */
static const struct {
	const char *tail;
	const char *unit;
	enum tape_role_type type;
} tails[] = {
	{ "_mhz", "mhz", TAPE_ROLE_GAUGE },
	{ "_mw", "mw", TAPE_ROLE_GAUGE },
	{ "_w", "w", TAPE_ROLE_GAUGE },
	{ "_c", "c", TAPE_ROLE_GAUGE },
	{ "_percent", "percent", TAPE_ROLE_GAUGE },
	{ "_mib", "mib", TAPE_ROLE_GAUGE },
	{ "_bytes", "bytes", TAPE_ROLE_GAUGE },
	{ "_seconds", "s", TAPE_ROLE_GAUGE },
	{ "_bytes_total", "bytes", TAPE_ROLE_COUNTER },
	{ "_tokens_total", "tokens", TAPE_ROLE_COUNTER },
	{ "_seconds_total", "s", TAPE_ROLE_COUNTER },
	{ "_seconds_sum", "s", TAPE_ROLE_COUNTER },
	{ "_total", NULL, TAPE_ROLE_COUNTER },
	{ "_sum", NULL, TAPE_ROLE_COUNTER },
	{ "_count", NULL, TAPE_ROLE_COUNTER },
	{ "_bucket", NULL, TAPE_ROLE_COUNTER },
};
/* clang-format on */

static bool
ends_in(struct tape_str s, const char *tail)
{
	const size_t n = strlen(tail);

	return s.len > n && memcmp(s.p + s.len - n, tail, n) == 0;
}

struct tape_role
tape_role_of(const char *source, const char *name)
{
	struct tape_role role = { NULL, NULL, TAPE_ROLE_GAUGE, 1 };
	const struct tape_str bare = tape_str_make(name, strcspn(name, "{"));

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (tape_str_is(bare, table[i].name) &&
		    strcmp(source, table[i].source) == 0)
			return table[i].role;
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++)
		if (ends_in(bare, tails[i].tail)) {
			role.unit = tails[i].unit;
			role.type = tails[i].type;
			break;
		}
	return role;
}

const char *
tape_role_type_name(enum tape_role_type type)
{
	static const char *const names[] = { [TAPE_ROLE_GAUGE] = "gauge",
		[TAPE_ROLE_COUNTER] = "counter",
		[TAPE_ROLE_BITS] = "bits" };

	return names[type];
}
