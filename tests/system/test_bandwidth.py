# SPDX-License-Identifier: MIT
"""What is measured of each node's memory: all records there, complete and consistent."""

import resource
from itertools import product

import pytest

from okramlib.run import run
from okramlib.units import MIB
from system.harness import TIMEOUT_S, follow, named
from system.watchers import Once, press_q
from tools import everywhere

QUICK_OPS = {"read", "write"}
FULL_OPS = QUICK_OPS | {"copy", "scale", "add", "triad"}
LOAD_LEVELS = 12
MIXES = ["reads", "3:1", "2:1", "1:1"]
LOADS = ["reads", "writes", "2:1"]
KINDS = ["plain", "mirror", "parity"]
FULL_TIMEOUT_S = 600  # generously: a minute or two on a quiet machine
QUICK_CPU_S = 60  # of the host, which has others at work, too: QEMU 10 takes 23 for 8 nodes
STOPS_WITHIN_S = 5


def measured(name, runs=2, level="full", **machine):
    machine = named(name, **machine, cmdline=f"tests=quick bandwidth={level} bandwidth.runs={runs}")
    return follow(machine, timeout=FULL_TIMEOUT_S)


def children_cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpus_of(outcome):
    """The CPUs of each node that has any."""
    return {n["node"]: len(n["cpus"]) for n in outcome.of_type("node") if n["cpus"]}


def nodes_with_memory(outcome):
    return {n["node"] for n in outcome.of_type("node") if n["ram_bytes"]}


def small_memory_warnings(outcome):
    late = outcome.last("result").get("warnings", [])
    return [text for text in late if "last-level caches" in text]


def unmeasured(outcome):
    """{(what, node of the CPUs, node of the memory): why}"""
    found = outcome.of_type("unmeasured")
    return {(r["what"], r.get("cpu_node"), r.get("mem_node")): r["why"] for r in found}


ONE_NODE = {("contention", None, None): "CPUs of one node alone are in use"}
UNEVEN = {
    ("all", None, 0): "the node has no memory",
    ("all", 2, None): "no CPU of the node is in use",
}


def check_row(stats):
    assert 0 < stats["min"] <= stats["mean"] <= stats["max"]
    assert stats["stddev"] is None if stats["runs"] == 1 else stats["stddev"] >= 0


def check_caches(outcome):
    caches = outcome.of_type("cache")
    # The CPU model says so; its figures are of QEMU's making.
    assert [cache["level"] for cache in caches] == [1, 2, 3, 0]
    sizes = [cache["size_bytes"] for cache in caches]
    assert sizes == sorted(sizes) and sizes[-2] == 16 * MIB
    assert all(cache["mb_s"] > 0 and cache["ns"] > 0 for cache in caches)


def check_matrix(outcome, ops, runs, alone):
    """Every pair and op once, by all CPUs of the node and, if it has several, by one alone."""
    expected = []
    for (node, cpus), memory, op in product(
        cpus_of(outcome).items(), nodes_with_memory(outcome), ops
    ):
        expected += [(node, memory, op, threads) for threads in ({cpus, 1} if alone else {cpus})]
    matrix = [b for b in outcome.of_type("bandwidth") if "order" not in b]
    told = [(b["cpu_node"], b["mem_node"], b["op"], b["threads"]) for b in matrix]
    assert sorted(told) == sorted(expected)
    for b in matrix:
        check_row(b["mb_s"])
        assert b["runs"] == runs


def check_latency(outcome, first):
    """A curve on the first pair, and at its end every pair, well beyond the caches."""
    idle = [r for r in outcome.of_type("latency") if r["load"] == "idle"]
    end = max(r["size_bytes"] for r in idle)
    assert end >= 4 * outcome.of_type("cache")[-2]["size_bytes"]
    curve = [r for r in idle if r["size_bytes"] < end]
    assert {(r["cpu_node"], r["mem_node"]) for r in curve} == {first}
    sizes = [r["size_bytes"] for r in curve]
    assert sizes == sorted(set(sizes)) and sizes[0] == 16 << 10 and sizes[-1] * 2 >= end
    matrix = [(r["cpu_node"], r["mem_node"]) for r in idle if r["size_bytes"] == end]
    assert sorted(matrix) == sorted(product(cpus_of(outcome), nodes_with_memory(outcome)))
    assert all(r["ns"] > 0 for r in outcome.of_type("latency"))


def check_scaling(outcome, runs, first):
    cpus = cpus_of(outcome)
    orders = ["fill", "spread"] if len(cpus) > 1 else ["fill"]
    scaling = [b for b in outcome.of_type("bandwidth") if "order" in b]
    told = [(b["order"], b["op"], b["threads"]) for b in scaling]
    counts = range(1, sum(cpus.values()) + 1)
    ops = ["triad", "read", "write", "copy", "scale", "add"]
    assert sorted(told) == sorted(product(orders, ops, counts))
    for b in scaling:
        assert b["cores"] + b["efficient_cores"] + b["siblings"] == b["threads"]
        check_row(b["mb_s"])
        assert b["runs"] == runs and (b["cpu_node"], b["mem_node"]) == first


def contests_of(outcome):
    """Nodes of (CPUs, memory, load, its memory): both on the memory of one of them or of a node
    without CPUs, and each on its own."""
    cpus, memory = cpus_of(outcome), nodes_with_memory(outcome)
    for a, b in product(cpus, cpus):
        if a != b:
            both = ({a, b} | (memory - set(cpus))) & memory
            yield from ((a, mem, b, mem) for mem in both)
            if {a, b} <= memory:
                yield a, a, b, b


def check_cores_come_first(outcome, cores):
    """With two threads a core, which the MADT lists side by side."""
    for b in outcome.of_type("bandwidth"):
        if "order" in b:
            on = (min(b["threads"], cores), 0, max(b["threads"] - cores, 0))
            assert (b["cores"], b["efficient_cores"], b["siblings"]) == on


def check_contention(outcome, runs):
    cpus = cpus_of(outcome)
    expected = [(*nodes, load) for nodes in contests_of(outcome) for load in LOADS]
    contests = outcome.of_type("contention")
    told = [
        (c["cpu_node"], c["mem_node"], c["load_node"], c["load_mem_node"], c["load"])
        for c in contests
    ]
    assert sorted(told) == sorted(expected)
    for c in contests:
        assert c["threads"] == cpus[c["cpu_node"]] and c["load_threads"] == cpus[c["load_node"]]
        assert c["idle_ns"] > 0 and c["loaded_ns"] > 0
        for of in ("idle_mb_s", "loaded_mb_s", "idle_write_mb_s", "loaded_write_mb_s"):
            check_row(c[of])
        for of in ("read_time_percent", "write_time_percent", "latency_percent_stats"):
            added = c[of]
            assert added["runs"] == runs and added["min"] <= added["mean"] <= added["max"]


def check_loaded_latency(outcome, loads):
    """From each node to each, all mixes, from the least load to the most; loads: words by node."""
    curves = {}
    for r in outcome.of_type("latency"):
        if "mix" in r:
            curves.setdefault((r["cpu_node"], r["mem_node"], r["mix"]), []).append(r)
    cells = product(cpus_of(outcome), nodes_with_memory(outcome), MIXES)
    assert list(curves) == sorted(cells, key=lambda at: (*at[:2], MIXES.index(at[2])))
    for (cpu, mem, mix), curve in curves.items():
        does = "read" if mix == "reads" else "read and write"
        assert {r["load"] for r in curve} == {f"{loads[cpu]} {does} node {mem}"}
        assert len(curve) == LOAD_LEVELS and all(r["load_mb_s"] > 0 for r in curve)
    for mix in MIXES:
        moved = {at: [r["load_mb_s"] for r in curves[at]] for at in curves if at[2] == mix}
        assert sum(m[-1] for m in moved.values()) > sum(m[0] for m in moved.values())


def check_redundancy(outcome, runs, places):
    """places: (CPU node, node of the data, the other node)."""
    rows = outcome.of_type("redundancy")
    told = [(r["cpu_node"], r["mem_node"], r["other_node"], r["kind"]) for r in rows]
    assert told == [(*place, kind) for place in places for kind in KINDS]
    for at, r in enumerate(rows):
        plain = rows[at - at % len(KINDS)]["mb_s"]["mean"]
        check_row(r["mb_s"])
        assert r["runs"] == runs and r["threads"] == cpus_of(outcome)[r["cpu_node"]]
        assert r["cost_percent"] == pytest.approx(100 - 100 * r["mb_s"]["mean"] / plain, abs=0.1)


def check_cache_to_cache(outcome, homes):
    """homes: {share: the nodes whose lines two CPUs exchange}; both states of each."""
    rows = outcome.of_type("cache_to_cache")
    told = [(r["share"], r["mem_node"], r["state"]) for r in rows]
    expected = [(share, node) for share, nodes in homes.items() for node in nodes]
    assert told == [(*at, state) for at in expected for state in ("clean", "modified")]
    node_of = {cpu: n["node"] for n in outcome.of_type("node") for cpu in n["cpus"]}
    for r in rows:
        check_row(r["ns_stats"])
        assert r["cpu"] != r["other_cpu"] and r["size_bytes"] % 1024 == 0
        assert (r["cpu_node"], r["other_node"]) == (node_of[r["cpu"]], node_of[r["other_cpu"]])


@pytest.mark.parametrize(
    "nodes", [1, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 8))]
)
def test_quick(nodes, tmp_path):
    before = children_cpu_s()
    outcome = measured(f"{nodes}-nodes", level="quick", runs=5)
    assert children_cpu_s() - before < QUICK_CPU_S
    check_caches(outcome)
    check_matrix(outcome, QUICK_OPS, runs=5, alone=False)
    assert not unmeasured(outcome)
    assert not any(map(outcome.of_type, ("latency", "cache_to_cache", "contention", "redundancy")))
    everywhere.check_all(outcome.records)
    everywhere.check_page(outcome.records, tmp_path / "page.html")


def test_quick_with_nodes_without_cpus_and_without_memory():
    outcome = measured("uneven-nodes", level="quick")
    assert nodes_with_memory(outcome) == {1, 2} and list(cpus_of(outcome)) == [0, 1]
    assert unmeasured(outcome) == UNEVEN
    check_caches(outcome)
    check_matrix(outcome, QUICK_OPS, runs=2, alone=False)


def test_full_on_one_node(tmp_path):
    outcome = measured("256M")
    check_caches(outcome)
    check_matrix(outcome, FULL_OPS, runs=2, alone=True)
    check_latency(outcome, first=(0, 0))
    check_scaling(outcome, runs=2, first=(0, 0))
    check_loaded_latency(outcome, {0: "other CPUs of node 0"})
    check_redundancy(outcome, runs=2, places=[(0, 0, 0)])
    check_cache_to_cache(outcome, {"socket": [0]})
    assert not outcome.of_type("contention") and unmeasured(outcome) == ONE_NODE
    everywhere.check_all(outcome.records)
    everywhere.check_page(outcome.records, tmp_path / "page.html")


def test_a_pair_of_cpus_for_each_cache_that_some_share():
    """Of the few that may share one, the boot CPU is the last choice."""
    machine = named("small-each-share", cmdline="tests=quick bandwidth=full bandwidth.runs=1")
    machine.cmdline += f" range={32 * MIB:#x}-{34 * MIB:#x}"
    outcome = follow(machine)
    check_cache_to_cache(outcome, dict.fromkeys(("core", "l3", "socket", "none"), [0]))
    pairs = {r["share"]: (r["cpu"], r["other_cpu"]) for r in outcome.of_type("cache_to_cache")}
    assert pairs == {"core": (1, 0), "l3": (1, 2), "socket": (1, 3), "none": (1, 4)}
    assert {r["size_bytes"] for r in outcome.of_type("cache_to_cache")} == {512 * 64}  # 2 MiB


@pytest.mark.slow
def test_full_on_two_nodes(tmp_path):
    outcome = measured("768M-4cpus-2nodes")
    check_caches(outcome)
    check_matrix(outcome, FULL_OPS, runs=2, alone=True)
    check_latency(outcome, first=(0, 0))
    check_scaling(outcome, runs=2, first=(0, 0))
    check_contention(outcome, runs=2)
    check_cache_to_cache(outcome, {"socket": [0], "none": [0, 1]})
    check_loaded_latency(outcome, {node: f"other CPUs of node {node}" for node in (0, 1)})
    check_redundancy(outcome, runs=2, places=[(0, 0, 1), (0, 1, 0), (1, 1, 0), (1, 0, 1)])
    everywhere.check_all(outcome.records)
    everywhere.check_page(outcome.records, tmp_path / "page.html")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["1-cpu-160M", "2-nodes-8-cpus-160M", "2-nodes-4G", "3-nodes-cxl", "4-nodes-5-cpus", "hmat"],
)
def test_every_cell_is_there(name):
    """From each node with CPUs to each with memory: without and with a load, alone and beside the
    others. Only a node without CPUs has no row, and only one without memory no column."""
    outcome = measured(name, runs=1)
    cpus = cpus_of(outcome)
    alone = sum(cpus.values()) == 1
    check_matrix(outcome, FULL_OPS, runs=1, alone=True)
    check_contention(outcome, runs=1)
    if name == "2-nodes-8-cpus-160M":
        check_cores_come_first(outcome, cores=4)
        check_cache_to_cache(outcome, {"core": [0], "socket": [0], "none": [0, 1]})
    loads = {
        node: f"other CPUs of node {node}" if n > 1 else "CPUs of other nodes"
        for node, n in cpus.items()
    }
    if alone:
        assert not any("mix" in r for r in outcome.of_type("latency"))
        assert ("loaded latency", None, None) in unmeasured(outcome)
    else:
        check_loaded_latency(outcome, loads)


@pytest.mark.slow
def test_full_with_nodes_without_cpus_and_without_memory():
    outcome = measured("uneven-nodes")
    check_matrix(outcome, FULL_OPS, runs=2, alone=False)
    check_latency(outcome, first=(1, 1))
    check_scaling(outcome, runs=2, first=(0, 2))
    check_contention(outcome, runs=2)
    check_loaded_latency(outcome, dict.fromkeys((0, 1), "CPUs of other nodes"))
    check_redundancy(outcome, runs=2, places=[(1, 1, 2), (1, 2, 1)])
    assert not small_memory_warnings(outcome)


def test_one_cpu_has_nobody_to_load_it():
    outcome = measured("256M-1cpu")
    check_matrix(outcome, FULL_OPS, runs=2, alone=False)
    check_scaling(outcome, runs=2, first=(0, 0))
    assert not outcome.of_type("contention") and not outcome.of_type("cache_to_cache")
    alone = dict.fromkeys(("cache to cache", "loaded latency"), "only one CPU is in use")
    found = {(what, None, None): why for what, why in alone.items()}
    assert unmeasured(outcome) == ONE_NODE | found
    assert all(r["load"] == "idle" for r in outcome.of_type("latency"))


def test_too_little_memory_is_said_once():
    outcome = measured("small")
    check_matrix(outcome, FULL_OPS, runs=2, alone=True)
    assert len(small_memory_warnings(outcome)) == 1
    assert all(b["in_caches"] for b in outcome.of_type("bandwidth"))
    assert outcome.of_type("cache")[-1]["in_caches"]
    assert not any("in_caches" in cache for cache in outcome.of_type("cache")[:-1])


@pytest.mark.parametrize("bytes_, enough", [(MIB - 64, False), (MIB, True)])
def test_least_memory(bytes_, enough):
    """Less than 1 MiB in one piece is as good as none."""
    machine = named("small", cmdline="tests=quick bandwidth=full bandwidth.runs=2")
    machine.cmdline += f" range={32 * MIB:#x}-{32 * MIB + bytes_:#x}"
    outcome = follow(machine)
    assert outcome.last("result")["tested_bytes"] == bytes_
    if enough:
        check_matrix(outcome, FULL_OPS, runs=2, alone=True)
        check_redundancy(outcome, runs=2, places=[(0, 0, 0)])
        few = "the largest piece of tested memory is smaller than the array for a cache"
        assert unmeasured(outcome) == ONE_NODE | {("caches", None, None): few}
    else:
        none = "no 1 MiB of the node's memory is tested in one piece"
        assert unmeasured(outcome) == ONE_NODE | {("all", None, 0): none}
        kinds = ("cache", "bandwidth", "latency", "cache_to_cache", "contention", "redundancy")
        assert not any(map(outcome.of_type, kinds))


def test_q_ends_it_early():
    cmdline = "tests=quick bandwidth=full bandwidth.runs=200"
    stopper = Once("latency", press_q)
    outcome = run(named("256M", cmdline=cmdline), stopper, timeout=TIMEOUT_S)
    result = outcome.last("result")
    assert not outcome.trouble and not outcome.bad_lines
    assert result["status"] == "stopped" and result["tested_bytes"] == 0
    assert result["seconds"] - stopper.came["t"] < STOPS_WITHIN_S
    assert not outcome.of_type("bandwidth") and not outcome.of_type("test")
    assert all(r["ns"] > 0 for r in outcome.of_type("latency"))
