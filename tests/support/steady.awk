# SPDX-License-Identifier: GPL-3.0-or-later
# steady.awk: a run whose warm-up and drain are known.
#
#	awk -f steady.awk [-v requests=100] [-v slow=20] [-v drift=1]
#	awk -f steady.awk -v closed=4
#
# Open: request i is sent at i s.  Its first token comes after 90 ms, or 110 if i
# is odd, two more after 20 ms each; those of the first slow ones after 500 ms
# and 60 each.  One request of the slow time, and one of the later, failed.  With
# drift each is 10 ms slower than the one before.
#
# Closed: slot k of 4 begins at 310 * k ms and sends one request after another,
# each of 100 ms, the last of them before 3 s: those of slots 0 to 3 end at 3000,
# 3010, 3020 and 3030 ms.  closed is the concurrency that the run is said to have.
function ms(v)
{
	return v ? v "000000" : "0"
}
function put(line)
{
	print line
	records++
}
function begin(id, start, end)
{
	return "{\"kind\":\"response\",\"x\":" ++x ",\"run\":1,\"id\":\"" id \
	    "\",\"attempt\":1,\"pass\":0,\"stage\":\"measure\"," \
	    "\"api\":\"chat\",\"stream\":true,\"labels\":{\"isl\":" \
	    1 + x % 2 "},\"due_ns\":" ms(start) ",\"start_ns\":" ms(start) \
	    ",\"sent_ns\":" ms(start + 1) ",\"end_ns\":" ms(end)
}
function response(id, start, first, gap)
{
	put(begin(id, start, start + first + 2 * gap) ",\"status\":200," \
	    "\"reads\":3,\"body_bytes\":600,\"events\":{\"t_ns\":[" \
	    ms(first) "," ms(first + gap) "," ms(first + 2 * gap) \
	    "],\"class\":\"ccc\",\"clk\":\"kkk\"},\"tokens\":{\"input\":9," \
	    "\"output\":3,\"source\":\"usage\"},\"finish\":[\"stop\"]}")
}
function fails(id, start)
{
	put(begin(id, start, start + 5) \
	    ",\"error\":{\"class\":\"reset\",\"cause\":\"rst\"}}")
}
BEGIN {
	if (requests == "")
		requests = 100
	print "{\"kind\":\"header\",\"format\":\"llmtape.events\"," \
	    "\"version\":\"1.1\",\"epoch\":" \
	    "\"2026-03-01T12:00:00.000000000Z\",\"epoch_mono\":" \
	    "\"5.000000000\",\"run_id\":\"steady\",\"prov\":[]}"
	put("{\"kind\":\"run\",\"at\":\"start\",\"run\":1,\"arm\":\"A\"," \
	    "\"round\":1,\"loop\":\"" (closed ? "closed" : "open") "\"" \
	    (closed ? ",\"concurrency\":" closed : "") \
	    ",\"keep\":\"events\",\"start_ns\":0}")
	if (closed)
		for (k = 0; k < 4; k++)
			for (t = 310 * k; t < 3000; t += 100)
				response("s" k "-" t, t, 50, 25)
	for (i = 0; !closed && i < requests; i++)
		response("r" i, i * 1000, (i < slow ? 500 : 90 + i % 2 * 20) + \
		    (drift ? i * 10 : 0), i < slow ? 60 : 20)
	if (slow) {
		fails("early", 2500)
		fails("late", 50500)
	}
	print "{\"kind\":\"end\",\"records\":" records \
	    ",\"status\":\"complete\"}"
}
