# SPDX-License-Identifier: GPL-3.0-or-later
# samples.awk: a stream of telemetry for tests, the same each time, by the clock
# of events.awk: two GPUs, a Jetson and a server.
#
#	awk -f samples.awk [-v from=-500] [-v to=3000] ...
#
#	from, to   first and last time, ms from the epoch of events.awk
#	every      ms from sample to sample (250)
#	shift      ms by which the epoch of this stream is later (100)
#	what       of smi, tegra and vllm, those that are there (all)
#	bits       of nvidia-smi's throttle reasons of the first GPU, from the
#	           sample at 1000 ms on (0)
#	hot        the Jetson's temperature; from 85 on its clock falls by a
#	           third (50)
#	hole       no sample from 500 to so many ms (none)
#	boot       seconds by which wall clock minus monotonic is another (0)
#	host       in the provenance (none)
function put(t, source, device, values)
{
	printf "{\"kind\":\"sample\",\"t_ns\":%s,\"source\":\"%s\"%s,", \
	    t == shift ? 0 : t - shift "000000", source, \
	    device == "" ? "" : ",\"device\":\"" device "\""
	printf "\"values\":{%s}}\n", values
	records++
}
function gpu(t, i,   load)
{
	load = t >= 0 ? 98 : 0
	put(t, "nvidia-smi", i " NVIDIA H100", \
	    "\"sm_clock_mhz\":" (t >= 0 ? 1980 - i * 15 : 345) \
	    ",\"sm_clock_max_mhz\":1980,\"power_w\":" 300 + 100 * i + (t % 500 ? 10 : 0) \
	    ",\"temperature_c\":" 60 + i ",\"utilization_percent\":" load \
	    ",\"memory_used_mib\":71680,\"throttle_reasons\":" \
	    (i == 0 && t >= 1000 ? bits : 0))
}
function jetson(t,   low)
{
	low = hot >= 85 && t >= 500
	put(t, "tegrastats", "", "\"ram_used_mib\":2467,\"ram_total_mib\":7471" \
	    ",\"gr3d_utilization_percent\":" (t >= 0 ? 99 : 3) \
	    ",\"gr3d_clock_mhz\":" (low ? 612 : 918) \
	    ",\"gpu_temperature_c\":" hot ",\"vdd_in_power_mw\":15000")
}
function vllm(t,   n)
{
	n = t < 0 ? 0 : t
	put(t, "prometheus", "localhost:8000", \
	    "\"vllm:num_requests_waiting{model_name=\\\"m\\\"}\":" (t % 500 ? 2 : 0) \
	    ",\"vllm:num_requests_running{model_name=\\\"m\\\"}\":" (t >= 0 ? 8 : 0) \
	    ",\"vllm:kv_cache_usage_perc{model_name=\\\"m\\\"}\":0.125" \
	    ",\"vllm:num_preemptions_total{model_name=\\\"m\\\"}\":" 7 + int(n / 1000) \
	    ",\"vllm:prefix_cache_queries_total{model_name=\\\"m\\\"}\":" 1000 + n \
	    ",\"vllm:prefix_cache_hits_total{model_name=\\\"m\\\"}\":" 500 + n / 4 \
	    ",\"vllm:spec_decode_num_drafts_total{model_name=\\\"m\\\"}\":" n / 5 \
	    ",\"vllm:spec_decode_num_draft_tokens_total{model_name=\\\"m\\\"}\":" n \
	    ",\"vllm:spec_decode_num_accepted_tokens_total{model_name=\\\"m\\\"}\":" n * 0.6 \
	    ",\"process_resident_memory_bytes\":1e9")
}
BEGIN {
	if (from == "")
		from = -500
	if (to == "")
		to = 3000
	if (every == "")
		every = 250
	if (shift == "")
		shift = 100
	if (what == "")
		what = "smi tegra vllm"
	if (hot == "")
		hot = 50
	if (bits == "")
		bits = 0
	printf "{\"kind\":\"header\",\"format\":\"llmtape.wire\",\"version\":" \
	    "\"1.1\",\"epoch\":\"2026-03-01T12:%02d:%02d.%03d000000Z\"," \
	    "\"epoch_mono\":\"0.%03d000000\",\"run_id\":\"00000000000000aa\"," \
	    "\"prov\":[", int(boot / 60), boot % 60, shift, shift
	if (host != "")
		printf "{\"id\":\"p1\",\"tool\":\"telemetry-sample\"," \
		    "\"version\":\"1\",\"argv\":[\"telemetry-sample\"]," \
		    "\"host\":\"%s\"}", host
	print "]}"
	for (t = from; t <= to; t += every) {
		if (hole && t >= 500 && t <= hole)
			continue
		if (what ~ /smi/) {
			gpu(t, 0)
			gpu(t, 1)
		}
		if (what ~ /tegra/)
			jetson(t)
		if (what ~ /vllm/)
			vllm(t)
	}
	printf "{\"kind\":\"end\",\"records\":%d,\"status\":\"complete\"}\n", \
	    records
}
