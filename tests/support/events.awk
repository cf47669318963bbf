# SPDX-License-Identifier: GPL-3.0-or-later
# events.awk: a stream of events for tests, the same each time: one run of arm
# A, closed loop of 8.
#
#	awk -f events.awk -v requests=120 [-v fail=N] [-v cut=1] ...
#
#	requests   measured requests, after two of the warm-up (20)
#	tokens     output tokens and token events of each (5)
#	fail       every Nth request has failed
#	short      every Nth request stops a token early
#	usage      0: no answer has usage (1)
#	merged     every Nth event is merged
#	verdict    of fidelity (sound)
#	lag        99th percentile of user minus kernel time, ns; then there are
#	           arrivals, too (none)
#	stop       of the run (complete)
#	status     of the end record (complete)
#	cut        there is neither end of the run nor end record
function ms(v)
{
	return v ? v "000000" : "0"
}
function put(line)
{
	print line
	records++
}
function response(i, stage,   start, at, j, t, class, clk, n, text)
{
	start = i * 20 + (i * 7) % 5
	at = 50 + (i * 37) % 100
	n = short && i % short == 0 ? tokens - 1 : tokens
	for (j = 0; j < n; j++) {
		t = t (j ? "," : "") ms(at)
		class = class "c"
		clk = clk (merged && (i + j) % merged == 0 ? "m" : "k")
		last = at
		at += 10 + ((i + j) * 13) % 7
	}
	text = "{\"kind\":\"response\",\"x\":" i ",\"run\":1,\"id\":\"r" i \
	    "\",\"attempt\":1,\"pass\":0,\"stage\":\"" stage "\"," \
	    "\"api\":\"chat\",\"stream\":true,\"labels\":{\"isl\":" \
	    (i % 3 == 0 ? 1024 : 128) "},\"req\":{\"output_tokens\":" tokens \
	    ",\"input_tokens\":" (i % 3 == 0 ? 1024 : 128) ",\"bytes\":900}," \
	    "\"due_ns\":" ms(i * 20) ",\"start_ns\":" ms(start) \
	    ",\"sent_ns\":" ms(start + 1) ",\"end_ns\":" ms(start + at)
	if (fail && i % fail == 0)
		return text ",\"error\":{\"class\":\"reset\",\"cause\":" \
		    "\"rst\",\"message\":\"connection reset by peer\"}}"
	return text ",\"status\":200,\"reads\":" n ",\"body_bytes\":" n * 200 \
	    ",\"events\":{\"t_ns\":[" t "],\"class\":\"" class "\",\"clk\":\"" \
	    clk "\"},\"tokens\":{" (usage ? "\"input\":" \
	    (i % 3 == 0 ? 1024 : 128) + 9 ",\"output\":" n ",\"cached\":" \
	    (i % 3 == 0 ? 512 : 0) ",\"source\":\"usage\"" : \
	    "\"output\":" n ",\"source\":\"events\"") "},\"finish\":[\"" \
	    (n < tokens ? "stop" : "length") "\"]}"
}
BEGIN {
	if (requests == "")
		requests = 20
	if (tokens == "")
		tokens = 5
	if (usage == "")
		usage = 1
	if (verdict == "")
		verdict = "sound"
	if (stop == "")
		stop = "complete"
	if (status == "")
		status = "complete"
	print "{\"kind\":\"header\",\"format\":\"llmtape.events\"," \
	    "\"version\":\"1.0\",\"epoch\":\"2026-03-01T12:00:00.000000000Z\"," \
	    "\"epoch_mono\":\"0.000000000\",\"run_id\":\"0123456789abcdef\"," \
	    "\"meta\":{\"revision\":\"r7\"},\"prov\":[]}"
	put("{\"kind\":\"run\",\"at\":\"start\",\"run\":1,\"arm\":\"A\"," \
	    "\"round\":1,\"position\":1,\"targets\":" \
	    "[\"http://127.0.0.1:8000\"],\"api\":\"chat\",\"model\":\"m-7b\"," \
	    "\"stream\":true,\"loop\":\"closed\",\"concurrency\":8," \
	    "\"requests\":" requests ",\"warmup\":2,\"labels\":" \
	    "{\"site\":\"lab\"},\"start_ns\":0}")
	for (i = 0; i < requests + 2; i++)
		put(response(i, i < 2 ? "warmup" : "measure"))
	put("{\"kind\":\"fidelity\",\"run\":1,\"verdict\":\"" verdict "\"," \
	    "\"reasons\":[" (verdict == "sound" ? "" : \
	    "\"the network loop stalled over 1 ms 7 times\"") "]," \
	    "\"sends\":{\"n\":" requests ",\"late_p50_ns\":21000," \
	    "\"late_p99_ns\":140000,\"late_max_ns\":163000}" \
	    (lag ? ",\"reads\":{\"n\":900,\"kernel\":891,\"user\":9," \
	    "\"lag_p50_ns\":8000,\"lag_p99_ns\":" lag "}," \
	    "\"arrivals\":{\"n\":99,\"planned_per_s\":50.25," \
	    "\"achieved_per_s\":50.125,\"gaps\":98,\"gap_stride\":1," \
	    "\"planned_ad_p\":0.4321,\"ad_p\":0.1234}," \
	    "\"kernel_ratio\":0.99" : "") "}")
	if (cut)
		exit
	put("{\"kind\":\"run\",\"at\":\"end\",\"run\":1,\"sent\":" requests \
	    ",\"stop\":\"" stop "\",\"end_ns\":" ms((requests + 2) * 20) "}")
	print "{\"kind\":\"end\",\"records\":" records ",\"status\":\"" \
	    status "\"}"
}
