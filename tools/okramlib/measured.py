# SPDX-License-Identifier: MIT
"""What a run measured, picked out of its records for tables, charts and comparisons.

Bandwidth with an order is a scaling row; without one it belongs to the node matrix, which is there
for all CPUs of a node and for one. Latency with a mix is a loaded-latency curve; next to "idle" it
is the curve over sizes (a pair of nodes at many sizes) or the node matrix (all pairs at one size).
"""

from collections import Counter

from . import records

ALL_CPUS = "all"
ONE_CPU = "one"

ORDERS = ("fill", "spread", "efficient")

STATS = ("runs", "mean", "best", "stddev", "min", "max")


def stats(record, quantity):
    """{name of STATS: number} of a row of runs; None for what is not known, such as the deviation
    of one run, and all of what older reports have as a mean alone. None: it was not measured."""
    value = record.get(quantity)
    if value is None:
        return None
    is_row = isinstance(value, dict)
    found = dict.fromkeys(STATS)
    found |= {"runs": record.get("runs"), **value} if is_row else {"mean": value}
    found |= record.get(f"{quantity}_stats", {})
    if is_row and "best" not in value:
        found["best"] = value["max"]  # of bandwidth: older reports have no such rows of latencies
    if (found["runs"] or 0) < 2:
        found["stddev"] = None
    return found


def figures(record):
    """(quantity, its unit, its stats, the facts that it is of) of each that the record has."""
    quantities = records.measured().get(record["type"], ())
    others = {"t", "type", "runs", *quantities}
    facts = {
        name: value
        for name, value in record.items()
        if name not in others and not isinstance(value, dict | list)
    }
    for quantity in quantities:
        if found := stats(record, quantity):
            yield quantity, records.unit(record["type"], quantity), found, facts


def level(cache):
    return f"L{cache['level']}" if cache["level"] else "memory"


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


def places(record):
    """What the threads of a scaling row run on, in their order: [(number, name)]; [] in older
    reports."""
    hybrid = record.get("efficient_cores", 0)
    names = ("performance cores" if hybrid else "cores", "efficient cores", "siblings")
    found = zip(("cores", "efficient_cores", "siblings"), names, strict=True)
    return [(record[field], name) for field, name in found if record.get(field)]


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


# What a contention record has of each: without the load, under it, and time added.
CONTESTS = {
    "read": ("idle_mb_s", "loaded_mb_s", "read_time_percent"),
    "write": ("idle_write_mb_s", "loaded_write_mb_s", "write_time_percent"),
    "latency": ("idle_ns", "loaded_ns", "latency_percent"),
}


def contention(types):
    """The records, with what older reports leave out: both nodes read the same memory."""
    for r in types.get("contention", []):
        yield {"load": "reads", "load_mem_node": r["mem_node"], **r}


def time_added(record, what):
    """The row of per cents, or None: it was not measured."""
    found = stats(record, CONTESTS[what][2])
    lost = record.get("slowdown_percent")
    if found is None and what == "read" and lost is not None and lost < 100:
        found = dict.fromkeys(STATS) | {"mean": 100 * lost / (100 - lost)}
    return found


def nodes_of(pairs):
    """The rows and the columns of a matrix: sorted CPU nodes, sorted memory nodes."""
    return sorted({cpu for cpu, _ in pairs}), sorted({memory for _, memory in pairs})


def warnings(types):
    """Everything a run warned of: what it found in the machine, and what came later."""
    found = [w for machine in types.get("machine", [])[-1:] for w in machine["warnings"]]
    found += [w for result in types.get("result", [])[-1:] for w in result.get("warnings", ())]
    return list(dict.fromkeys(found))
