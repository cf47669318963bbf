# SPDX-License-Identifier: GPL-3.0-or-later
"""A peer's own record of what it read, as a wire stream on standard output.

    to_wire.py aiperf profile_export_raw.jsonl
    to_wire.py vllm|sglang|guidellm RECORD.PID ...

AIPerf exports what it read; of the others see record/sitecustomize.py.  Each
message becomes a read of its own at the peer's time of it, so that decoding and
reducing it is to give the peer's own numbers.  SKIP requests, the first ones,
are those of a peer's warm-up.  ASKED is the length that was asked for, PROMPT
the tokens of a prompt by the peer's tokenizer, if it has counted them.
"""

import json
import os
import sys


def requests_of_aiperf(path):
    for line in open(path):
        raw = json.loads(line)
        reads = []
        for answer in raw.get("responses") or []:
            text = "\n".join(
                f"{p['name']}: {p['value']}" for p in answer["packets"]
            )
            reads.append((answer["perf_ns"], text))
        meta = raw["metadata"]
        if meta["benchmark_phase"] != "profiling":
            continue
        start = raw["start_perf_ns"]
        yield {
            "start": start,
            "end": start + meta["request_end_ns"] - meta["request_start_ns"],
            "reads": reads,
            "status": raw.get("status"),
            "error": json.dumps(raw.get("error") or ""),
        }


def ns(seconds):
    # A double has 238 ns at the time of day, far less at that of a machine.
    return round(seconds * 1e9)


def notes_of(paths):
    tasks = {}
    for path in paths:
        for line in open(path):
            task, kind, value = json.loads(line)
            tasks.setdefault(task, []).append((kind, value))
    return tasks.values()


def finish(request, error):
    if request:
        reads = request["reads"]
        # What has not been given a time came with what was last timed.
        last = request["start"]
        for i, (t, text) in enumerate(reads):
            last = t or last
            reads[i] = (last, text)
        request["end"] = request["end"] or last
        request["error"] = error
        request["status"] = 500 if "Internal Server Error" in error else 200
        yield request


def requests_of_notes(peer, paths):
    """Each note of a time is of the message before it that has none yet."""
    for notes in notes_of(paths):
        request = None
        for kind, value in notes:
            if kind == "t" and (request is None or not request["reads"]):
                # The last before the first message is the start.
                request = {"start": ns(value), "end": None, "reads": []}
            elif kind == "m" and request is not None:
                request["reads"].append((None, value))
            elif kind == "t":
                time_it(peer, request, ns(value))
            else:
                yield from finish(request, value)
                request = None
        yield from finish(request, "failed")


def is_timed(peer, text):
    return peer != "vllm" or not (
        text.startswith(":") or text.endswith("[DONE]")
    )


def time_it(peer, request, t):
    reads = request["reads"]
    for i, (known, text) in enumerate(reads):
        if known is None and is_timed(peer, text):
            reads[i] = (t, text)
            return
    last = reads[-1][1]
    if peer == "sglang":
        # Read twice an event with text: the second time is that of its gaps.
        reads[-1] = (t, last)
    elif peer == "guidellm" and last.endswith("[DONE]"):
        # The stream is closed: to guidellm the end of the request.
        reads[-1] = (t, last)
        request["end"] = t


# What the peer says of a connection; what stands in the stream is found again.
CLASSES = {
    "ClientPayloadError": ("truncated", "other"),
    "RemoteProtocolError": ("truncated", "other"),
    "ReadError": ("reset", "other"),
    "ServerDisconnected": ("reset", "other"),
    "ClientOSError": ("reset", "other"),
    "failed": ("reset", "other"),
}


def error_of(text):
    for name, (kind, cause) in CLASSES.items():
        if name in text:
            return {"class": kind, "cause": cause, "message": text[:200]}
    return None


def write(kind, **fields):
    fields = {k: v for k, v in fields.items() if v is not None}
    print(json.dumps({"kind": kind, **fields}, separators=(",", ":")))


def main(peer, paths):
    skip = int(os.environ.get("SKIP", 0))
    asked = os.environ.get("ASKED")
    prompt = os.environ.get("PROMPT")
    requests = list(
        requests_of_aiperf(paths[0])
        if peer == "aiperf"
        else requests_of_notes(peer, paths)
    )
    requests.sort(key=lambda r: r["start"])
    requests = requests[skip:]
    epoch = requests[0]["start"]
    write(
        "header",
        format="llmtape.wire",
        version="1.0",
        epoch="2026-01-01T00:00:00.000000000Z",
        epoch_mono=f"{epoch // 10**9}.{epoch % 10**9:09}",
        run_id=f"0123456789{peer[:6]:x<6}".encode().hex()[:16],
        prov=[],
    )
    write("run", at="start", run=1, requests=len(requests), stream=True)
    for i, r in enumerate(requests):
        start = r["start"]
        reads = [(t - start, text + "\n\n") for t, text in r["reads"]]
        write(
            "exchange",
            x=i,
            run=1,
            id=f"r{i}",
            attempt=1,
            stage="measure",
            api="chat",
            stream=True,
            req={
                k: int(v)
                for k, v in (("output_tokens", asked), ("input_tokens", prompt))
                if v
            },
            start_ns=start - epoch,
            end_ns=r["end"] - epoch,
            status=r["status"],
            headers=[["content-type", "text/event-stream"]],
            reads={
                "t_ns": [t for t, _ in reads],
                "lag_ns": [-1] * len(reads),
                "bytes": [len(text.encode()) for _, text in reads],
            },
            body="".join(text for _, text in reads),
            error=error_of(r["error"]),
        )
    write("run", at="end", run=1, stop="complete")
    write("end", records=len(requests) + 2, status="complete")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
