# SPDX-License-Identifier: MIT
"""Whole runs of a machine with several nodes; the same seed makes the same run."""

import random
import statistics

from tools.samples import GOOD

_OPS = {"read": 21000, "write": 11500, "copy": 17000, "scale": 16800, "add": 18600, "triad": 18400}
_CHASE_BYTES = 256 << 20
_MEMORY_NS = 92.0
_CACHES = ((1, 48 << 10, 310000, 1.3), (2, 2 << 20, 120000, 4.2), (3, 60 << 20, 34000, 22.0))
_MEMORY = (0, 1 << 34, 21000, _MEMORY_NS)
_CHANNEL_LIMIT = 9.0  # a node's memory is worth as many CPUs


def make_run(nodes=4, cpus_per_node=8, seed=1, runs=20, speed=1.0, faster=None, bandwidth=True):
    """Records with their times. `faster` maps an op to a factor that it alone gets."""
    make = _Maker(nodes, cpus_per_node, random.Random(seed), runs, speed, faster or {})
    records = [dict(_good("start"), cmdline="bandwidth=full tests=quick"), make.machine()]
    records += make.nodes()
    if bandwidth:
        for part in (
            make.caches,
            make.latency_curve,
            make.latency_matrix,
            make.matrix,
            make.scaling,
            make.contention,
            make.loaded_latency,
            make.redundancy,
            make.cache_to_cache,
        ):
            records += part()
    records += [_good(kind) for kind in ("test", "fault", "badram", "line", "result")]
    return [{"t": i / 10, **record} for i, record in enumerate(records)]


def _good(kind):
    return next(record for record in GOOD if record["type"] == kind)


class _Maker:
    def __init__(self, nodes, cpus_per_node, chance, runs, speed, faster):
        self._n_nodes = nodes
        self._n_cpus = cpus_per_node
        self._chance = chance
        self._runs = runs
        self._speed = speed
        self._faster = faster

    def machine(self):
        return {
            "type": "machine",
            "cpu": "Example 6454S @ 2.20GHz",
            "cpus": self._n_nodes * self._n_cpus,
            "nodes": self._n_nodes,
            "ram_bytes": self._n_nodes << 34,
            "testable_bytes": (self._n_nodes << 34) - (40 << 20),
            "installed_bytes": self._n_nodes * 3 << 33,
            "warnings": ["96 GiB are installed but 64 GiB usable: slots <A2> & B2 do not count"],
        }

    def nodes(self):
        for node in range(self._n_nodes):
            yield {
                "type": "node",
                "node": node,
                "cpus": list(range(node * self._n_cpus, (node + 1) * self._n_cpus)),
                "ram_bytes": 1 << 34,
                "spans": [[f"{node << 34:#x}", f"{(node + 1) << 34:#x}"]],
            }

    def caches(self):
        for level, size, mb_s, ns in (*_CACHES, _MEMORY):
            record = {"type": "cache", "level": level, "size_bytes": size}
            yield record | self._mean("mb_s", mb_s) | self._mean("ns", ns)

    def latency_curve(self):
        size = 16 << 10
        while size < _CHASE_BYTES:
            for step in (size, size * 3 // 2):
                fits = [ns for _, cache, _, ns in _CACHES if step <= cache]
                yield self._latency(0, 0, step, fits[0] if fits else _MEMORY_NS)
            size *= 2

    def latency_matrix(self):
        for cpu, memory in self._pairs():
            yield self._latency(cpu, memory, _CHASE_BYTES, self._wait(cpu, memory))

    def cache_to_cache(self):
        """CPU 1 from its sibling, from its node's third CPU, and from the next node's first."""
        pairs = [("core", 0, 18.0)] * (self._n_cpus > 1) + [("l3", 2, 60.0)] * (self._n_cpus > 2)
        if self._n_nodes > 1:
            pairs.append(("none", self._n_cpus, 180.0))
        for share, other, ns in pairs:
            node = other // self._n_cpus
            for memory in dict.fromkeys((0, node)):
                for state in ("clean", "modified"):
                    yield {
                        "type": "cache_to_cache",
                        "share": share,
                        "state": state,
                        "cpu": 1,
                        "other_cpu": other,
                        "cpu_node": 0,
                        "other_node": node,
                        "mem_node": memory,
                        "size_bytes": 32768,
                        **self._mean("ns", ns * (1 + 0.1 * memory)),
                    }

    def loaded_latency(self):
        for mix, worst in (("reads", 3.0), ("2:1", 3.8)):
            for level in range(8):
                share = 1 - level / 8
                yield {
                    **self._latency(0, 0, _CHASE_BYTES, 92 + 92 * (worst - 1) * share**6),
                    "load": f"{self._n_cpus - 1} CPUs of node 0, pause {level}",
                    "mix": mix,
                    **self._mean("load_mb_s", 150000 * share + 900),
                }

    def matrix(self):
        for op, mb_s in _OPS.items():
            for cpu, memory in self._pairs():
                for threads in dict.fromkeys((self._n_cpus, 1)):
                    one = mb_s * self._reach(cpu, memory)
                    yield self._bandwidth(cpu, memory, op, threads, one * _gain(threads))

    def scaling(self):
        for op in ("triad", "read"):
            for order in ("fill", "spread")[: 1 if self._n_nodes == 1 else 2]:
                for threads in range(1, self._n_nodes * self._n_cpus + 1):
                    mean = _OPS[op] * sum(map(_gain, self._on_nodes(order, threads)))
                    siblings = max(0, threads - self._n_nodes * max(1, self._n_cpus // 2))
                    places = {"cores": threads - siblings, "efficient_cores": 0}
                    row = self._bandwidth(0, 0, op, threads, mean)
                    yield row | {"order": order, **places, "siblings": siblings}

    def contention(self):
        for cpu in range(self._n_nodes):
            for other in range(self._n_nodes):
                places = ((cpu, cpu), (other, other), (cpu, other)) if cpu != other else ()
                for memory, load_memory in places:
                    for load in ("reads", "writes", "2:1"):
                        yield self._contended(cpu, memory, other) | {
                            "load_mem_node": load_memory,
                            "load": load,
                        }

    def redundancy(self):
        for cpu in range(self._n_nodes):
            other = (cpu + 1) % self._n_nodes
            for memory, second in dict.fromkeys(((cpu, other), (other, cpu))):
                for kind, cost in (("plain", 0), ("mirror", 56), ("parity", 21.5)):
                    plain = _OPS["write"] * self._reach(cpu, memory) * _gain(self._n_cpus)
                    yield {
                        "type": "redundancy",
                        "cpu_node": cpu,
                        "mem_node": memory,
                        "other_node": second,
                        "kind": kind,
                        "threads": self._n_cpus,
                        "runs": self._runs,
                        "mb_s": self._stats(plain * (1 - cost / 100)),
                        "cost_percent": cost,
                    }

    def _contended(self, cpu, memory, other):
        part = 0.62 if memory == cpu else 0.45
        reads, writes = (
            _OPS[op] * self._reach(cpu, memory) * _gain(self._n_cpus) for op in ("read", "write")
        )
        idle, loaded = self._stats(reads), self._stats(reads * part)
        idle_ns = self._wait(cpu, memory)
        return {
            "type": "contention",
            "cpu_node": cpu,
            "mem_node": memory,
            "load_node": other,
            "threads": self._n_cpus,
            "load_threads": self._n_cpus,
            "runs": self._runs,
            "idle_mb_s": idle,
            "loaded_mb_s": loaded,
            "slowdown_percent": round(100 * (1 - loaded["mean"] / idle["mean"]), 1),
            "read_time_percent": self._stats(100 / part - 100),
            "idle_write_mb_s": self._stats(writes),
            "loaded_write_mb_s": self._stats(writes * part),
            "write_time_percent": self._stats(100 / part - 100),
            **self._mean("idle_ns", idle_ns),
            **self._mean("loaded_ns", idle_ns * 1.7),
            **self._mean("latency_percent", 70.0),
        }

    def _latency(self, cpu, memory, size, ns):
        return {
            "type": "latency",
            "cpu_node": cpu,
            "mem_node": memory,
            "size_bytes": size,
            **self._mean("ns", ns),
            "load": "idle",
        }

    def _bandwidth(self, cpu, memory, op, threads, mean):
        return {
            "type": "bandwidth",
            "cpu_node": cpu,
            "mem_node": memory,
            "op": op,
            "threads": threads,
            "runs": self._runs,
            "mb_s": self._stats(mean * self._faster.get(op, 1)),
        }

    def _pairs(self):
        return [(a, b) for a in range(self._n_nodes) for b in range(self._n_nodes)]

    def _reach(self, cpu, memory):
        """What is left of bandwidth on the way: neighbours share a socket, others do not."""
        return 1.0 if cpu == memory else 0.74 if cpu // 2 == memory // 2 else 0.46

    def _wait(self, cpu, memory):
        return _MEMORY_NS / self._reach(cpu, memory) ** 0.6

    def _on_nodes(self, order, threads):
        if order == "fill":
            return [max(0, min(self._n_cpus, threads - n * self._n_cpus)) for n in self._nodes()]
        return [(threads + self._n_nodes - 1 - n) // self._n_nodes for n in self._nodes()]

    def _nodes(self):
        return range(self._n_nodes)

    def _near(self, value):
        return value * self._chance.gauss(1, 0.008)

    def _mean(self, quantity, value):
        """As the fields that older okrams write as a mean alone."""
        is_rate = quantity.endswith("mb_s")
        stats = self._stats(value if is_rate else value / self._speed**2, max if is_rate else min)
        return {quantity: round(stats["mean"], 1), f"{quantity}_stats": stats}

    def _stats(self, mean, best=max):
        values = [round(self._near(mean * self._speed), 3) for _ in range(self._runs)]
        return {
            "runs": self._runs,
            "mean": round(statistics.fmean(values), 3),
            "best": best(values),
            "stddev": round(statistics.stdev(values), 3) if len(values) > 1 else None,
            "min": min(values),
            "max": max(values),
        }


def _gain(threads):
    """What CPUs of a node reach together, in CPUs: memory gives out before they do."""
    return _CHANNEL_LIMIT * threads / (_CHANNEL_LIMIT + threads - 1)


def by_module(faulty, words=(12,), gib=16, ranks=2, equal=False):
    """Records of a machine with as many modules as `faulty` has letters, two a channel; those that
    are "x" have faults, which measurements confirm. Equal modules have no slots' names."""
    chance = random.Random(faulty)
    at = [(i // 2, i % 2) for i in range(len(faulty))]
    bad = [place for place, letter in zip(at, faulty, strict=True) if letter == "x"]
    names = {(c, d): f"DIMM_{chr(65 + c)}{d + 1}" for c, d in at}
    counts = dict(zip(bad, (words * len(bad))[: len(bad)], strict=True))
    dimm = {"bytes": gib << 30, "ranks": ranks, "chip_bits": 8, "banks": 16, "rows": 1 << 16}
    none = {**dimm, "bytes": 0, "ranks": None, "chip_bits": None, "banks": None, "rows": None}
    channels = [
        {**_channel(c), "dimms": [dimm if (c, d) in names else none for d in (0, 1)]}
        for c in range((len(faulty) + 1) // 2)
    ]
    yield {
        "type": "controller",
        "family": "AMD Zen 4",
        "unknown": None,
        "channels": channels,
        "registers": ["cpu.amd.25.97.2"],
        "is_cut": False,
    }
    for i, place in enumerate(at):
        yield {**_good("module"), "slot": names[place], "bank": f"BANK {i}", "serial": f"{i:08X}"}
    found = [
        {
            "channel": c,
            "dimm": d,
            "words": counts[c, d],
            "slot": None if equal else names[c, d],
            "bank": None if equal else f"BANK {2 * c + d}",
            "part": None if equal else _good("module")["part"],
            "serial": None if equal else f"{2 * c + d:08X}",
            "why": "modules of the same size leave several possibilities" if equal else None,
        }
        for c, d in bad
    ]
    for (c, d), n in counts.items():
        row = chance.randrange(1 << 16)
        for i in range(n):
            yield {
                **_good("fault"),
                "addr": f"{(1 << 30) + chance.randrange(1 << 20) * 4096:#x}",
                "place": f"channel {c}, module {d}, rank {i % ranks}, bank {(3 * i) % 16},"
                f" row {(row + 999 * i) % (1 << 16):#x}, column 0x170",
            }
    said = "; ".join(
        f"{n} of {sum(counts.values())} words in {names[at]}" for at, n in counts.items()
    )
    which = "both" if len(bad) == len(faulty) == 2 else f"{len(bad)} of {len(faulty)}"
    said = f"faults in {which} modules: {said}"
    if len(bad) == 1:
        said = f"all {words[0]} faulty words are in {names[bad[0]]}: {gib} GiB"
    yield {
        **_good("kind"),
        "channels": f"{said}; by the memory controller's registers, which timing confirms",
        "modules": found,
        "modules_fitted": len(faulty),
        "modules_by": "timing",
        "channels_counted": False,
    }


def _channel(number):
    of = {"node": 0, "controller": number, "number": 0, "ecc": "off"}
    timing = {"mt_s": 5200, "cl": 40, "rcd": 39, "rp": 39, "ras": 77}
    return {**of, "timing": {**timing, "command_rate": 1, "gear": None}}
