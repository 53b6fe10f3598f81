# SPDX-License-Identifier: MIT
"""A run's most important numbers."""

from . import measured
from .measured import ALL_CPUS
from .units import count


def glance(types):
    """(name, value, detail) each, of what was measured."""
    parts = (_bandwidth(types), _latency(types), _scaling(types), _contention(types))
    return [fact for part in parts for fact in part]


def _gb_s(mb_s):
    return f"{mb_s / 1000:.1f} GB/s"


def _bandwidth(types):
    matrices = measured.matrices(types.get("bandwidth", []))
    op = next((op for op in ("triad", "read") if op in matrices), None)
    if op is None:
        return
    matrix = {at: r["mb_s"]["mean"] for at, r in matrices[op][ALL_CPUS].items()}
    yield from _local_and_remote(matrix, f"{op} of a node", _gb_s)


def _latency(types):
    matrix = measured.latency_matrix(types.get("latency", []))
    found = {at: r["ns"] for at, r in matrix.items()}
    yield from _local_and_remote(found, "idle latency", "{:.1f} ns".format)


def _local_and_remote(matrix, name, in_words):
    local = [value for (cpu, memory), value in matrix.items() if cpu == memory]
    remote = [value for (cpu, memory), value in matrix.items() if cpu != memory]
    if local:
        yield f"{name}, local memory", _range(local, in_words), _nodes(local)
    if remote:
        more = ""
        if local and sum(local) > 0:
            mean = sum(remote) / len(remote) / (sum(local) / len(local))
            more = f"on average {100 * mean:.0f} % of local"
        yield f"{name}, remote memory", _range(remote, in_words), more


def _range(values, in_words):
    low, high = in_words(min(values)), in_words(max(values))
    return high if low == high else f"{low.split()[0]} to {high}"


def _nodes(values):
    return f"over {len(values)} nodes" if len(values) > 1 else ""


def _scaling(types):
    for op, orders in measured.scaling(types.get("bandwidth", [])).items():
        row = max(orders.values(), key=lambda row: row[-1]["threads"])
        last = row[-1]
        times = measured.speed_up(last, row)
        more = count(last["threads"], "CPU")
        more += "" if times is None else f": {times:.1f} times one CPU"
        yield f"{op}, all CPUs, local memory", _gb_s(last["mb_s"]["mean"]), more
        return


def _contention(types):
    slow = [
        (r["slowdown_percent"], r)
        for r in types.get("contention", [])
        if r["slowdown_percent"] is not None and r["cpu_node"] == r["mem_node"]
    ]
    if slow:
        worst, r = max(slow, key=lambda item: item[0])
        yield (
            "local bandwidth under load",
            f"{0.0 - worst:+.0f} %",
            f"worst: node {r['cpu_node']} with load by node {r['load_node']}",
        )
