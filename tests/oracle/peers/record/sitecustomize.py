# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets a peer write down what it read and at which of its own times.

With this folder in PYTHONPATH and PEERS_RECORD=FILE, Python loads this file by
itself.  The modules below get a clock that notes each time it has given, and a
hand on each message that they look at.  A peer's numbers are made from just
these times, so that they can be made again, to the last digit.

FILE.PID gets a line for each note: the task it was made in, then "t" and a time
in seconds, or "m" and a message as it stood in the stream, or "x" and the error
("" if none) at the end of a request.  to_wire.py makes a wire stream of it.
"""

import asyncio
import importlib.abc
import importlib.util
import json
import os
import sys

OUT = None


def note(kind, value):
    global OUT
    if OUT is None:
        name = os.environ["PEERS_RECORD"]
        OUT = open(f"{name}.{os.getpid()}", "a", buffering=1)
    try:
        task = asyncio.current_task().get_name()
    except (RuntimeError, AttributeError):
        task = "none"
    OUT.write(json.dumps([f"{os.getpid()} {task}", kind, value]) + "\n")


class Clock:
    """The module time, but that what NAME gives is noted."""

    def __init__(self, name):
        import time

        self._time = time
        self._name = name

    def __getattr__(self, name):
        found = getattr(self._time, name)
        if name != self._name:
            return found

        def timed():
            value = found()
            note("t", value)
            return value

        return timed


def ending(function):
    async def wrapped(*args, **kwargs):
        output = await function(*args, **kwargs)
        error = output.error.strip() or ("" if output.success else "failed")
        note("x", error.split("\n")[-1])
        return output

    return wrapped


def patch_requests(module):
    functions = module.ASYNC_REQUEST_FUNCS
    for name in list(functions):
        functions[name] = ending(functions[name])


def patch_vllm(module):
    handler = module.StreamedResponseHandler
    add_chunk = handler.add_chunk

    def noted(self, chunk):
        messages = add_chunk(self, chunk)
        for message in messages:
            note("m", message)
        return messages

    handler.add_chunk = noted
    module.time = Clock("perf_counter")
    patch_requests(module)


def patch_sglang(module):
    remove_prefix = module.remove_prefix

    def noted(text, prefix):
        if prefix == "data: ":
            note("m", text)
        return remove_prefix(text, prefix)

    module.remove_prefix = noted
    module.time = Clock("perf_counter")
    patch_requests(module)


def patch_guidellm(module):
    backend = module.OpenAIHTTPBackend
    lines = backend._aiter_lines

    async def noted(self, stream):
        async for line in lines(self, stream):
            note("m", line)
            yield line

    resolve = backend._resolve_streaming

    async def resolved(self, *args, **kwargs):
        try:
            async for item in resolve(self, *args, **kwargs):
                yield item
        except BaseException as error:
            note("x", repr(error))
            raise
        note("x", "")

    backend._aiter_lines = noted
    backend._resolve_streaming = resolved
    module.time = Clock("time")


PATCHES = {
    "vllm.benchmarks.lib.endpoint_request_func": patch_vllm,
    "sglang.benchmark.serving": patch_sglang,
    "guidellm.backends.openai.http": patch_guidellm,
}


class Finder(importlib.abc.MetaPathFinder):
    """Patches a module when it has been loaded."""

    def find_spec(self, name, path, target=None):
        if name not in PATCHES:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            PATCHES[name](module)

        spec.loader.exec_module = exec_module
        return spec


if os.environ.get("PEERS_RECORD"):
    sys.meta_path.insert(0, Finder())
