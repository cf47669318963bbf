# SPDX-License-Identifier: GPL-3.0-or-later
"""A minimal asyncio client of event streams, as a stand-in baseline.

It is nobody's product: aiohttp, one task a slot, json.loads of each event, and
time.perf_counter() when its chunk has been handed over, which is how the Python
clients of this field take their times.  Standard output gets an object for each
request: id, ttft_s, gaps_s, and by the stamps that trace-serve --stamp put into
its events gaps_true_s and error_s, time minus stamp.

    aiohttp_client.py URL STREAMS REQUESTS TOKENS
"""

import asyncio
import json
import sys
import time

import aiohttp


async def one(session, url, name, tokens):
    body = {
        "model": "llmtape",
        "messages": [{"role": "user", "content": "one two three four"}],
        "max_tokens": tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    times, stamps, left = [], [], b""
    start = time.perf_counter()
    async with session.post(
        url, json=body, headers={"x-request-id": name}
    ) as answer:
        answer.raise_for_status()
        async for chunk in answer.content.iter_any():
            now = time.perf_counter()
            *events, left = (left + chunk).split(b"\n\n")
            for event in events:
                data = event.removeprefix(b"data: ").strip()
                if data == b"[DONE]":
                    continue
                data = json.loads(data)
                choices = data["choices"]
                if choices and choices[0]["delta"].get("content"):
                    times.append(now)
                    stamps.append(float(data["llmtape"]["t"]))
    return {
        "id": name,
        "ttft_s": times[0] - start,
        "gaps_s": [b - a for a, b in zip(times, times[1:])],
        "gaps_true_s": [b - a for a, b in zip(stamps, stamps[1:])],
        "error_s": [t - s for t, s in zip(times, stamps)],
    }


async def main(url, streams, requests, tokens):
    names = iter(range(requests))
    done = []
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def slot():
            for i in names:
                done.append(await one(session, url, f"a-{i}", tokens))

        await asyncio.gather(*(slot() for _ in range(streams)))
    for record in done:
        print(json.dumps(record))


asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:5])))
