/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Readings of nvidia-smi, tegrastats and Prometheus exporters.  The lines of
 * tegrastats have the forms of an Orin Nano (JetPack 6), an Orin NX, a TX2 and a
 * Nano (JetPack 4), as printed in public notes about these boards.
 */
#include "engine/reading.h"
#include "base/mem.h"
#include "unit/tap.h"

static struct tape_reading r;
static struct tape_err err;

static void
smi_is(const char *line, const char *device, const char *values)
{
	tape_err_clear(&err);
	is_int(
	    tape_reading_smi(&r, tape_str_of(line), &err), TAPE_OK, "%s", line);
	is_str(r.device, device, "its device");
	is_str(r.values.data, values, "its values");
}

static void
test_smi(void)
{
	smi_is("0, NVIDIA H100 80GB HBM3, 1980, 1980, 2619, 689.42, 700.00, "
	       "62, 71, 100, 54, 71234, 81559, P0, 0x0000000000000004",
	    "0 NVIDIA H100 80GB HBM3",
	    "{\"sm_clock_mhz\":1980,\"sm_clock_max_mhz\":1980,"
	    "\"memory_clock_mhz\":2619,\"power_w\":689.42,"
	    "\"power_limit_w\":700,\"temperature_c\":62,"
	    "\"memory_temperature_c\":71,\"utilization_percent\":100,"
	    "\"memory_utilization_percent\":54,\"memory_used_mib\":71234,"
	    "\"memory_total_mib\":81559,\"performance_state\":0,"
	    "\"throttle_reasons\":4}");
	smi_is("1, Orin (nvgpu), 1300, [N/A], [N/A], [N/A], [N/A], "
	       "[Not Supported], N/A, [N/A], [N/A], [N/A], [N/A], [N/A], "
	       "[N/A]",
	    "1 Orin (nvgpu)", "{\"sm_clock_mhz\":1300}");
	tape_err_clear(&err);
	is_int(tape_reading_smi(&r, tape_str_of("No devices were found"), &err),
	    TAPE_E_FORMAT, "a message");
	is_str(err.text, "1 fields, where nvidia-smi was asked for 15", "why");
	is_int(tape_reading_smi(&r, tape_str_of(",,,,,,,,,,,,,,"), &err),
	    TAPE_E_FORMAT, "no number");
	is_int(tape_reading_smi(&r, tape_str_of("0,n,1,,,,,,,,,,,,,9"), &err),
	    TAPE_E_FORMAT, "one field more");
}

static void
tegra_is(const char *line, const char *values)
{
	tape_err_clear(&err);
	is_int(tape_reading_tegra(&r, tape_str_of(line), &err), TAPE_OK,
	    "%.40s", line);
	is_str(r.values.data, values, "its values");
	is_str(r.device, "", "one device");
}

static void
test_tegra(void)
{
	tegra_is("09-24-2026 10:15:32 RAM 2467/7471MB (lfb 2x4MB) SWAP 0/994MB "
		 "(cached 0MB) CPU [2%@729,1%@730,off,0%@729] EMC_FREQ 0%@2133 "
		 "GR3D_FREQ 12%@[305,306] NVDEC off NVJPG off VIC off OFA off "
		 "APE 200 cpu@47.5C soc2@-256C tj@47.5C VDD_IN 4462mW/4460mW "
		 "VDD_CPU_GPU_CV 480mW/480mW",
	    "{\"ram_used_mib\":2467,\"ram_total_mib\":7471,\"swap_used_mib\":0,"
	    "\"swap_total_mib\":994,\"cpu_utilization_percent\":1,"
	    "\"cpu_clock_mhz\":730,\"cpu_cores_online\":3,"
	    "\"emc_utilization_percent\":0,\"emc_clock_mhz\":2133,"
	    "\"gr3d_utilization_percent\":12,\"gr3d_clock_mhz\":306,"
	    "\"cpu_temperature_c\":47.5,\"tj_temperature_c\":47.5,"
	    "\"vdd_in_power_mw\":4462,\"vdd_cpu_gpu_cv_power_mw\":480}");
	tegra_is("RAM 1710/7854MB (lfb 84x4MB) CPU [0%@499,off,off,3%@499] "
		 "EMC_FREQ 0%@665 GR3D_FREQ 0%@140 APE 150 BCPU@32C "
		 "Tdiode@29.25C VDD_IN 1183/1180 VDD_WIFI 0/0",
	    "{\"ram_used_mib\":1710,\"ram_total_mib\":7854,"
	    "\"cpu_utilization_percent\":1.5,\"cpu_clock_mhz\":499,"
	    "\"cpu_cores_online\":2,\"emc_utilization_percent\":0,"
	    "\"emc_clock_mhz\":665,\"gr3d_utilization_percent\":0,"
	    "\"gr3d_clock_mhz\":140,\"bcpu_temperature_c\":32,"
	    "\"tdiode_temperature_c\":29.25,\"vdd_in_power_mw\":1183,"
	    "\"vdd_wifi_power_mw\":0}");
	tegra_is("RAM 5/10MB IRAM 0/252kB(lfb 252kB) GR3D_FREQ 7% VIC_FREQ 115",
	    "{\"ram_used_mib\":5,\"ram_total_mib\":10,"
	    "\"gr3d_utilization_percent\":7,\"vic_clock_mhz\":115}");
	tegra_is("CPU [off,off] RAM 5 GR3D_FREQ unavailable EMC_FREQ 3%@[] "
		 "VDD_IN 5W a@b@3C VDD_X 3mW/2mW",
	    "{\"emc_utilization_percent\":3,\"vdd_x_power_mw\":3}");
	is_int(tape_reading_tegra(&r, tape_str_of("not found"), NULL),
	    TAPE_E_FORMAT, "no numbers");
	is_int(tape_reading_tegra(&r, tape_str_of(""), NULL), TAPE_E_FORMAT,
	    "an empty line");
}

static void
prom_is(
    const char *page, const char *const *patterns, size_t n, const char *values)
{
	tape_err_clear(&err);
	is_int(
	    tape_reading_prometheus(&r, tape_str_of(page), patterns, n, &err),
	    values == NULL ? TAPE_E_FORMAT : TAPE_OK, "%.30s", page);
	if (values != NULL)
		is_str(r.values.data, values, "its values");
}

static void
test_prometheus(void)
{
	static const char page[] =
	    "# HELP vllm:num_requests_running Number running.\n"
	    "# TYPE vllm:num_requests_running gauge\n"
	    "vllm:num_requests_running{model_name=\"a, } b\\\"c\"} 2.0\n"
	    "vllm:kv_cache_usage_perc{engine=\"0\"} 0.25 1395066363000\r\n"
	    "vllm:preemptions_total 1.2e+03\n"
	    "bad{ 1\nbad\nbad x\n 7\n"
	    "up +1\nnan NaN\ninf +Inf\nlast -3";
	static const char *const some[] = { "vllm:kv_*", "up" };

	prom_is(page, NULL, 0,
	    "{\"vllm:num_requests_running{model_name=\\\"a, } b\\\\\\\"c\\\"}\":2,"
	    "\"vllm:kv_cache_usage_perc{engine=\\\"0\\\"}\":0.25,"
	    "\"vllm:preemptions_total\":1200,\"up\":1,\"last\":-3}");
	prom_is(page, some, 2,
	    "{\"vllm:kv_cache_usage_perc{engine=\\\"0\\\"}\":0.25,\"up\":1}");
	prom_is("<html>404</html>", NULL, 0, NULL);
	prom_is("", NULL, 0, NULL);
}

/* What is too long, too many or no text is left out and counted. */
static void
test_limits(void)
{
	struct tape_buf page;

	tape_buf_init(&page, SIZE_MAX / 2);
	for (int i = 0; i < TAPE_READING_VALUES + 3; i++)
		(void)tape_buf_add_fmt(&page, "a%d 1\n", i);
	(void)tape_buf_add_str(&page, "a{b=\"\xff\"} 1\n");
	is_int(tape_reading_prometheus(
		   &r, tape_str_make(page.data, page.len), NULL, 0, &err),
	    TAPE_OK, "many values");
	is_int((int64_t)r.n, TAPE_READING_VALUES, "as many as there may be");
	is_int((int64_t)r.dropped, 4, "the others counted");
	tape_buf_clear(&page);
	(void)tape_buf_add_str(&page, "b 1\n");
	for (int i = 0; i < TAPE_READING_NAME; i++)
		(void)tape_buf_add_char(&page, 'a');
	(void)tape_buf_add_str(&page, " 1\n");
	is_int(tape_reading_prometheus(
		   &r, tape_str_make(page.data, page.len), NULL, 0, &err),
	    TAPE_OK, "a long name");
	is_str(r.values.data, "{\"b\":1}", "the other");
	is_int((int64_t)r.dropped, 1, "it is counted");
	tape_buf_release(&page);
}

static void
test_memory(void)
{
	struct tape_reading x;

	tape_reading_init(&x);
	(void)tape_mem_fail_at(1);
	is_int(tape_reading_tegra(&x, tape_str_of("RAM 1/2MB"), &err),
	    TAPE_E_NOMEM, "no memory");
	(void)tape_mem_fail_at(0);
	is_int(tape_reading_tegra(&x, tape_str_of("RAM 1/2MB"), &err), TAPE_OK,
	    "and again");
	tape_reading_release(&x);
}

int
main(void)
{
	tape_reading_init(&r);
	test_smi();
	test_tegra();
	test_prometheus();
	test_limits();
	test_memory();
	tape_reading_release(&r);
	return done_testing();
}
