# SPDX-License-Identifier: GPL-3.0-or-later
"""GenAI-Perf's own parser on what another client read.

    genai_perf_stats.py WIRE TOKENIZER >SUMMARY.json

GenAI-Perf makes its numbers from an export of Perf Analyzer.  Such an export is
made here of a wire stream (plain), and given to GenAI-Perf, which is to be in
the Python that runs this.  It asks for no usage, and fails on an event without
choices: that one is left out.
"""

import json
import sys
import tempfile

from genai_perf.profile_data_parser import LLMProfileDataParser
from transformers import AutoTokenizer


def export_of(path):
    requests = []
    for line in open(path):
        x = json.loads(line)
        if x["kind"] != "exchange":
            continue
        body, at, answers = x["body"].encode(), 0, []
        for size in x["reads"]["bytes"]:
            answers.append({"response": body[at : at + size].decode().strip()})
            at += size
        times = [x["start_ns"] + t for t in x["reads"]["t_ns"]]
        kept = [
            (t, a)
            for t, a in zip(times, answers)
            if '"choices":[]' not in a["response"]
        ]
        words = " ".join(["the"] * x["req"]["input_tokens"])
        payload = {"messages": [{"role": "user", "content": words}]}
        requests.append(
            {
                "timestamp": x["start_ns"],
                "request_inputs": {"payload": json.dumps(payload)},
                "response_timestamps": [t for t, _ in kept],
                "response_outputs": [a for _, a in kept],
            }
        )
    return {
        "service_kind": "openai",
        "endpoint": "v1/chat/completions",
        "experiments": [
            {
                "experiment": {"mode": "concurrency", "value": 1},
                "requests": requests,
            }
        ],
    }


def main(wire, tokenizer):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(export_of(wire), f)
        f.flush()
        parser = LLMProfileDataParser(
            filename=f.name, tokenizer=AutoTokenizer.from_pretrained(tokenizer)
        )
    stats = parser.get_statistics("concurrency", "1")
    stats.scale_data()
    print(json.dumps(stats.stats_dict))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
