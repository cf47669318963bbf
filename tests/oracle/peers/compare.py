# SPDX-License-Identifier: GPL-3.0-or-later
"""A peer's own summary beside what metrics-reduce makes by its definitions.

    compare.py PEER SUMMARY.json [METRICS]

METRICS is a metrics stream (plain), SUMMARY the peer's JSON.  A line a metric:
how many of its statistics both have, the largest relative difference and where
it is.  What differs by more than 1e-6 is shown with both values.  Without METRICS
the peer's values are written, as an object of metrics and their statistics.
"""

import json
import sys

QUANTILES = ("p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99")


def ours(path, peer):
    found = {}
    for line in open(path):
        record = json.loads(line)
        if record.get("definitions") != peer:
            continue
        values = dict(record.get("quantiles", {}))
        for name in ("mean", "sd", "min", "max", "value"):
            if name in record:
                values[name] = record[name]
        found[record["metric"]] = values
    return found


def of_aiperf(summary):
    names = dict(avg="mean", std="sd", min="min", max="max")
    names.update({q: q for q in QUANTILES})
    for tag, stats in summary.items():
        if not isinstance(stats, dict) or "unit" not in stats:
            continue
        values = {names[k]: v for k, v in stats.items() if k in names}
        if set(values) == {"mean"}:
            values = {"value": values["mean"]}
        yield tag, values


def of_vllm(summary):
    """SGLang's, too: MEAN_NAME, or one value under its name."""
    stats = dict(mean="mean", median="p50", std="sd", max="max")
    stats.update({q: q for q in QUANTILES})
    found = {}
    for key, value in summary.items():
        head, _, name = key.partition("_")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if head in stats and name.endswith("_ms"):
            found.setdefault(name, {})[stats[head]] = value
        else:
            found[key] = {"value": value}
    return found.items()


def of_guidellm(summary):
    metrics = summary["benchmarks"][0]["metrics"]
    for tag, value in metrics.items():
        if not isinstance(value, dict) or "successful" not in value:
            continue
        value = value["successful"]
        if isinstance(value, int):
            yield f"{tag}.successful", {"value": value}
            errored = metrics[tag]["errored"]
            yield f"{tag}.errored", {"value": errored}
            continue
        names = {f"p{int(q[1:]):02}": q for q in QUANTILES}
        values = {
            names[k]: v for k, v in value["percentiles"].items() if k in names
        }
        values["p999"] = value["percentiles"]["p999"]
        values["mean"] = value["mean"]
        values["sd"] = value["std_dev"]
        values["min"] = value["min"]
        values["max"] = value["max"]
        yield tag, values


def of_genai(summary):
    return of_aiperf(summary)


OF = {
    "aiperf": of_aiperf,
    "vllm": of_vllm,
    "sglang": of_vllm,
    "guidellm": of_guidellm,
    "genai-perf": of_genai,
}


def difference(a, b):
    return 0 if a == b else abs(a - b) / max(abs(a), abs(b))


def main(peer, summary, metrics=None):
    theirs = dict(OF[peer](json.load(open(summary))))
    if metrics is None:
        print(json.dumps(theirs, separators=(",", ":"), sort_keys=True))
        return
    for tag, mine in ours(metrics, peer).items():
        if tag not in theirs:
            print(f"{tag:34} not in its summary")
            continue
        both = [k for k in mine if k in theirs[tag]]
        if not both:
            print(f"{tag:34} no statistic in common")
            continue
        worst = max(both, key=lambda k: difference(mine[k], theirs[tag][k]))
        most = difference(mine[worst], theirs[tag][worst])
        text = f"{tag:34} {len(both):2} values  {most:8.1e}"
        if most > 1e-6:
            text += (
                f"  {worst}: {theirs[tag][worst]:.9g}, ours {mine[worst]:.9g}"
            )
        print(text)


if __name__ == "__main__":
    main(*sys.argv[1:4])
