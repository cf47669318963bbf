#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Events to metrics: events per CPU second of metrics-reduce, user and system,
# over a generated stream: REQUESTS (50000) of EVENTS (200) events each, kernel
# times, 20 ms apart, in runs of 10,000 requests; plain and compressed, to a
# stream and to a table.  Then one large run, made as fast as it is read: BIG
# (1000000) requests of BIG_EVENTS (2) events, to a table; CPU of all and peak of
# memory.  It reports and judges nothing.
#
#	make tests && B=$PWD/build/release PATH=$PWD/bin:$PATH \
#	    sh tests/bench/reduce.sh
#	BIG=10000000 ... (about 6 GB of events, through a pipe)
#	BIG=200000 BIG_EVENTS=500 ... (a hundred million gaps)

requests=${REQUESTS:-50000}
events=${EVENTS:-200}
big=${BIG:-1000000}
big_events=${BIG_EVENTS:-2}
tool=${TOOL:-metrics-reduce}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# 400 sets of times are drawn and used in turn: they come again only beyond what
# zstd looks back at level 1.
generate()
{
	awk -v requests="$requests" -v events="$events" '
	function run_record(at) {
		records++
		return "{\"kind\":\"run\",\"at\":\"" at "\",\"run\":" run \
		    ",\"arm\":\"A\",\"round\":" run ",\"api\":\"chat\"," \
		    "\"model\":\"m\",\"stream\":true,\"loop\":\"closed\"," \
		    "\"concurrency\":64,\"requests\":10000,\"warmup\":0," \
		    (at == "start" ? "\"start_ns\":0}" : "\"end_ns\":" t \
		    ",\"sent\":10000,\"stop\":\"complete\"}")
	}
	function draw(k,  i, at) {
		at = 180000000 + int(rand() * 40000000)
		for (i = 0; i < events; i++) {
			times[k] = times[k] (i ? "," : "") at
			lags[k] = lags[k] (i ? "," : "") \
			    (3000 + int(rand() * 9000))
			bytes[k] = bytes[k] (i ? "," : "") \
			    (1 + int(rand() * 9))
			at += 20000000 + int((rand() - 0.5) * 2000000)
		}
		last[k] = at
	}
	BEGIN {
		CONVFMT = "%.0f"
		srand(1)
		for (k = 0; k < 400; k++)
			draw(k)
		for (i = 0; i < events; i++) {
			class = class "c"
			clk = clk "k"
		}
		print "{\"kind\":\"header\",\"format\":\"llmtape.events\"," \
		    "\"version\":\"1.0\",\"epoch\":" \
		    "\"2026-03-01T12:00:00.000000000Z\",\"epoch_mono\":" \
		    "\"0.000000000\",\"run_id\":\"bench\",\"prov\":[]}"
		for (r = 0; r < requests; r++) {
			if (r % 10000 == 0) {
				if (run)
					print run_record("end")
				run++
				print run_record("start")
			}
			k = r % 400
			t += 1000000
			records++
			printf "{\"kind\":\"response\",\"x\":%d,\"run\":%d," \
			    "\"id\":\"r%d\",\"attempt\":1,\"pass\":0," \
			    "\"stage\":\"measure\",\"api\":\"chat\"," \
			    "\"stream\":true,\"model\":\"m\",\"target\":" \
			    "\"http://127.0.0.1:8000/v1/chat/completions\"," \
			    "\"labels\":{\"isl\":512,\"osl\":%d},\"req\":{" \
			    "\"output_tokens\":%d,\"input_tokens\":512," \
			    "\"bytes\":2400,\"hash\":\"cbf29ce484222325\"}," \
			    "\"due_ns\":%d,\"start_ns\":%d,\"conn_ns\":%d," \
			    "\"reused\":true,\"sent_ns\":%d,\"head_ns\":%d," \
			    "\"end_ns\":%d,\"status\":200,\"headers\":[[" \
			    "\"content-type\",\"text/event-stream\"]]," \
			    "\"reads\":%d,\"body_bytes\":%d,\"events\":{", \
			    r, run, r, events, events, t, t + 4000, t + 5000, \
			    t + 60000, t + 170000000, t + last[k], events, \
			    events * 210
			printf "\"t_ns\":[%s],\"class\":\"%s\",\"clk\":" \
			    "\"%s\",\"lag_ns\":[%s],\"text_bytes\":[%s]},", \
			    times[k], class, clk, lags[k], bytes[k]
			printf "\"tokens\":{\"input\":520,\"output\":%d," \
			    "\"cached\":0,\"source\":\"usage\"},\"finish\":[" \
			    "\"length\"]}\n", events
		}
		print run_record("end")
		printf "{\"kind\":\"end\",\"records\":%d,\"status\":" \
		    "\"complete\"}\n", records
	}'
}

# measure NAME ARG...: one line of figures, from the times of the children of a
# shell of its own.
measure()
{
	name=$1
	shift
	(
		"$tool" "$@" >"$dir/out" || exit 1
		times >"$dir/time"
	) || exit 1
	awk -v name="$name" -v n=$((requests * events)) '
	NR == 2 {
		for (i = 1; i <= 2; i++) {
			split($i, part, /[ms]/)
			cpu += 60 * part[1] + part[2]
		}
	}
	END {
		printf "%-16s %6.2f s CPU %8.2f M events/CPU-s\n", name, cpu,
		    n / cpu / 1e6
	}' "$dir/time"
}

generate >"$dir/events.jsonl" || exit 1
zstd -q -1 "$dir/events.jsonl" -o "$dir/events.zst" || exit 1
echo "$requests requests of $events events," \
    "$(wc -c <"$dir/events.jsonl") bytes, $(wc -c <"$dir/events.zst") in zstd"
measure 'plain to stream' "$dir/events.jsonl"
measure 'plain to table' --format table "$dir/events.jsonl"
measure 'zstd to stream' "$dir/events.zst"
measure 'zstd to table' --format table "$dir/events.zst"

# large ARG...: the figures of one large run.
large()
{
	"$B/bench/reduce_feed" "$big" "$big_events" |
	    "$B/bench/cost" -t 1800 -o "$dir/cost" "$tool" --format table \
		"$@" >"$dir/out" || exit 1
	awk -v n="$big" -v events="$big_events" -v args="$*" -F '[:,}]' '{
		for (i = 1; i < NF; i++) {
			if ($i ~ /"cpu_s"/)
				cpu = $(i + 1)
			if ($i ~ /"maxrss_kb"/)
				kb = $(i + 1)
		}
		printf "%d requests of %d events%s: %.2f s CPU, %.2f us a " \
		    "request, %.2f M events/CPU-s, %d MiB, %.0f bytes a " \
		    "request\n", n, events, args == "" ? "" : ", " args, cpu, \
		    1e6 * cpu / n, n * events / cpu / 1e6, kb / 1024, \
		    1024 * kb / n
	}' "$dir/cost"
}

if [ -n "$B" ]; then
	large
	large --max-memory 64M
fi
