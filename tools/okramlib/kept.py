# SPDX-License-Identifier: MIT
"""The records of one run that are kept in memory: what okram writes, and not more than that.

A file may be of any length. Of what there is no end, the first records are kept, as okram itself
writes only the first of its faults (docs/json.md); of what the last one counts, that one is.
"""

from collections import Counter

from . import records

# Of okram's kernel: kernel/hw/memory/nodes.h. Charts and tables are nodes by nodes.
NODES_MAX = 64

_OF_TYPE_MAX_ELSE = 100_000
_BYTES_MAX = 128 << 20  # in memory, about

_MEASURED = (
    "node",
    "bandwidth",
    "latency",
    "cache_to_cache",
    "contention",
    "redundancy",
    "unmeasured",
)
_NODES = ("node", "cpu_node", "mem_node", "load_node", "other_node")

# What Python takes for a text, a list or an object in a record.
_OBJECT_BYTES = 64


class Kept:
    def __init__(self):
        self.records = []
        self.left_out = Counter()  # by type
        self._bytes = 0
        self._of_type = Counter()
        self._last_at = {}  # {type: index of the last one}
        self._nodes = set()

    def add(self, record, line):
        """Keeps the record of that line, or counts it as left out."""
        kind = record["type"]
        size = _memory(line)
        is_first_to_count = _last_counts(kind) and not self._of_type[kind]
        if is_first_to_count or (self._has_room(kind, size) and self._has_nodes(record)):
            self._bytes += size
            self._of_type[kind] += 1
            self._last_at[kind] = len(self.records)
            self.records.append(record)
        elif _last_counts(kind):
            self.records[self._last_at[kind]] = record
            self.left_out[kind] += 1
        else:
            self.left_out[kind] += 1

    def notes(self):
        """What was left out, in sentences."""
        for kind, n in self.left_out.items():
            which = ", the last one among them" if _last_counts(kind) else ""
            yield (
                f"{self._of_type[kind]} records of type {kind} are used{which}; {n} more are"
                " beyond what okram writes or this tool holds"
            )

    def _has_room(self, kind, size):
        most = records.definitions()[kind].get("most", _OF_TYPE_MAX_ELSE)
        return self._of_type[kind] < most and self._bytes + size <= _BYTES_MAX

    def _has_nodes(self, record):
        """Whether all its nodes are among the first NODES_MAX."""
        if record["type"] not in _MEASURED:
            return True
        nodes = {record[name] for name in _NODES if name in record}
        if nodes <= self._nodes:
            return True
        nodes |= self._nodes
        if len(nodes) > NODES_MAX:
            return False
        self._nodes = nodes
        return True


def _last_counts(kind):
    return "last_counts" in records.definitions()[kind]


def _memory(line):
    objects = line.count('"') // 2 + line.count("[") + line.count("{")
    return len(line) + objects * _OBJECT_BYTES
