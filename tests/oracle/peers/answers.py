# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules for trace-serve --script: answers in which peers see other tokens.

Every third answer reasons first, every second of the others has an empty delta
and ends with a tool call; the rest is the model's.
"""

import json


def chunk(delta, finish=None, usage=None):
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1772366400,
        "model": "llmtape",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    if usage:
        body["choices"] = []
        body["usage"] = {
            "prompt_tokens": 16,
            "completion_tokens": usage,
            "total_tokens": 16 + usage,
        }
    return f"data: {json.dumps(body, separators=(',', ':'))}\n\n"


def rule(every, pieces, usage):
    play = [{"text": chunk({"role": "assistant", "content": ""})}]
    for wait, delta in pieces:
        play += [{"wait": f"{wait}ms"}, {"text": chunk(delta)}]
    play += [
        {"wait": "4ms"},
        {"text": chunk({}, "stop")},
        {"wait": "3ms"},
        {"text": chunk({}, usage=usage)},
        {"wait": "5ms"},
        {"text": "data: [DONE]\n\n"},
    ]
    print(
        json.dumps(
            {
                "path": "/v1/chat/completions",
                "every": every,
                "headers": {"Content-Type": "text/event-stream"},
                "play": play,
            }
        )
    )


def tool(arguments, **more):
    function = {"arguments": arguments, **more}
    return {"tool_calls": [{"index": 0, "id": "c1", "function": function}]}


rule(
    3,
    [
        (31, {"reasoning": "one two"}),
        (12, {"reasoning": " three"}),
        (23, {"content": "four five"}),
        (9, {"content": " six"}),
        (7, {"content": " seven"}),
    ],
    7,
)
rule(
    2,
    [
        (17, {"content": ""}),
        (19, {"content": "one"}),
        (8, {"content": ""}),
        (11, {"content": " two three"}),
        (13, tool("", name="look")),
        (6, tool('{"a":1}')),
    ],
    8,
)
