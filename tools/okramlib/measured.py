# SPDX-License-Identifier: MIT
"""What a run measured, picked out of its records for tables, charts and comparisons.

Bandwidth with an order is a scaling row; without one it belongs to the node matrix, which is there
for all CPUs of a node and for one. Latency with a mix is a loaded-latency curve; next to "idle" it
is the curve over sizes (a pair of nodes at many sizes) or the node matrix (all pairs at one size).
"""

from collections import Counter

ALL_CPUS = "all"
ONE_CPU = "one"

ORDERS = ("fill", "spread")


def by_type(records):
    """Lists of records by their type; a type that is not there is an empty list."""
    found = {}
    for record in records:
        found.setdefault(record["type"], []).append(record)
    return found


def pair(record):
    return record["cpu_node"], record["mem_node"]


def matrices(bandwidths):
    """{op: {ALL_CPUS: {(cpu_node, mem_node): record}, ONE_CPU: …}}, in the order of the records.

    ONE_CPU is there only where it differs: a node with one CPU has one record for both.
    """
    found = {}
    for record in bandwidths:
        if "order" in record:
            continue
        of_op = found.setdefault(record["op"], {ALL_CPUS: {}, ONE_CPU: {}})
        most = of_op[ALL_CPUS].get(pair(record))
        if most is None or record["threads"] >= most["threads"]:
            of_op[ALL_CPUS][pair(record)] = record
        if record["threads"] == 1:
            of_op[ONE_CPU][pair(record)] = record
    for of_op in found.values():
        if all(of_op[ALL_CPUS][at] is record for at, record in of_op[ONE_CPU].items()):
            del of_op[ONE_CPU]
    return found


def scaling(bandwidths):
    """{op: {order: [record, …]}}, each row by growing numbers of threads."""
    found = {}
    for record in bandwidths:
        if "order" in record:
            rows = found.setdefault(record["op"], {})
            rows.setdefault(record["order"], {})[record["threads"]] = record
    return {
        op: {
            order: [rows[order][threads] for threads in sorted(rows[order])]
            for order in ORDERS
            if order in rows
        }
        for op, rows in found.items()
    }


def speed_up(record, row):
    """How many times what one thread of the row reached; None when that was not measured."""
    first = row[0]
    if first["threads"] != 1 or first["mb_s"]["mean"] <= 0:
        return None
    return record["mb_s"]["mean"] / first["mb_s"]["mean"]


def _idle(latencies):
    return [r for r in latencies if r["load"] == "idle" and "mix" not in r]


def latency_matrix(latencies):
    """{(cpu_node, mem_node): record}: at the size that most pairs have, else a pair's largest."""
    of_pair = {}
    for record in _idle(latencies):
        of_pair.setdefault(pair(record), {})[record["size_bytes"]] = record
    sizes = Counter(size for sizes in of_pair.values() for size in sizes)
    if not sizes:
        return {}
    common = max(sizes, key=lambda size: (sizes[size], size))
    return {at: found.get(common, found[max(found)]) for at, found in of_pair.items()}


def latency_curves(latencies):
    """{(cpu_node, mem_node): [record, …]} of the pairs with several sizes, by growing size."""
    of_pair = {}
    for record in _idle(latencies):
        of_pair.setdefault(pair(record), {})[record["size_bytes"]] = record
    return {
        at: [found[size] for size in sorted(found)]
        for at, found in of_pair.items()
        if len(found) > 1
    }


def loaded_latency(latencies):
    """{(cpu_node, mem_node, mix): [record, …]}, in the order measured."""
    found = {}
    for record in latencies:
        if "mix" in record:
            found.setdefault((*pair(record), record["mix"]), []).append(record)
    return found


def busy_latency(latencies):
    """The latencies under another load that is not a loaded-latency curve."""
    return [r for r in latencies if r["load"] != "idle" and "mix" not in r]


def memory_row(types):
    """The caches' last row, memory: (mb_s or None, ns or None, node), or None.

    It is what one CPU gets of its own node's memory, of the first node that has such a measurement.
    """
    if not types.get("cache"):
        return None
    reads = matrices(types.get("bandwidth", [])).get("read", {})
    one = reads.get(ONE_CPU) or reads.get(ALL_CPUS, {})
    rates = {at[0]: r for at, r in one.items() if at[0] == at[1] and r["threads"] == 1}
    waits = {
        at[0]: r
        for at, r in latency_matrix(types.get("latency", [])).items()
        if at[0] == at[1] and _is_beyond_caches(r, types["cache"])
    }
    nodes = sorted(rates.keys() & waits.keys() or rates.keys() | waits.keys())
    if not nodes:
        return None
    rate, wait = rates.get(nodes[0]), waits.get(nodes[0])
    return rate and rate["mb_s"]["mean"], wait and wait["ns"], nodes[0]


def _is_beyond_caches(latency, caches):
    return latency["size_bytes"] > max(cache["size_bytes"] for cache in caches)


def nodes_of(pairs):
    """The rows and the columns of a matrix: sorted CPU nodes, sorted memory nodes."""
    return sorted({cpu for cpu, _ in pairs}), sorted({memory for _, memory in pairs})


def warnings(types):
    """Everything a run warned of: what it found in the machine, and what came later."""
    found = [w for machine in types.get("machine", [])[-1:] for w in machine["warnings"]]
    found += [w for result in types.get("result", [])[-1:] for w in result.get("warnings", ())]
    return list(dict.fromkeys(found))
