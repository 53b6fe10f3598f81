# SPDX-License-Identifier: MIT
"""Runs side by side: the difference of each measurement, and whether it is significant."""

import statistics
from dataclasses import dataclass

from . import measured, records, settings
from .tables import Table, mean_and_spread, percent
from .ttest import rate_p, welch_p
from .units import count, format_size

P_LIMIT = 0.01

RULE = f"""\
A difference is significant if Welch's t-test on mean, standard deviation and number of runs, or
the exact test of two rates on numbers of errors, gives p < {P_LIMIT}: of 100 measurements that did
not change about one is marked all the same. The spread is that of the repeats within a run;
another boot of the machine may differ by more. What was measured once has no spread and is not
tested."""

SIGNIFICANT = "<significant"
STABILITY = "Stability"
HIGHER, LOWER, WITHIN, UNKNOWN = "yes: higher", "yes: lower", "no", "not tested"


@dataclass(frozen=True)
class Value:
    unit: str
    mean: float
    stddev: float | None  # None: of one run
    runs: int | None
    errors: int | None = None  # of a rate, for moved_bytes
    moved_bytes: int = 0


@dataclass(frozen=True)
class Row:
    """A measurement that both runs have."""

    group: str
    what: str
    at: str
    a: Value
    b: Value

    def difference_percent(self):
        """Of b to a; None when a is nothing."""
        return 100 * (self.b.mean - self.a.mean) / self.a.mean if self.a.mean > 0 else None

    def significant(self):
        a, b = self.a, self.b
        if a.errors is not None and b.errors is not None:
            p = rate_p(a.errors, a.moved_bytes, b.errors, b.moved_bytes)
        elif a.stddev is None or b.stddev is None:
            return UNKNOWN
        else:
            p = welch_p(a.mean, a.stddev, a.runs, b.mean, b.stddev, b.runs)
        if p >= P_LIMIT:
            return WITHIN
        return HIGHER if b.mean > a.mean else LOWER


def rows(types_a, types_b):
    """A Row for each measurement that both runs have, in the order of the first."""
    a, b = _values_of_two(types_a, types_b)
    return [Row(*key, value, b[key]) for key, value in a.items() if key in b]


def only_in_one(types_a, types_b):
    """What the first has and the second has not, and the other way round: keys of measurements."""
    a, b = _values_of_two(types_a, types_b)
    return [key for key in a if key not in b], [key for key in b if key not in a]


def _values_of_two(types_a, types_b):
    orders = [_orders(types) for types in (types_a, types_b)]
    places = all(_has_places(types) for types in (types_a, types_b))
    return (
        _values(types_a, _stands_for_both(orders[0], orders[1]), places),
        _values(types_b, _stands_for_both(orders[1], orders[0]), places),
    )


def _has_places(types):
    """Whether scaling rows say what the threads run on, as those of older reports do not."""
    return any("cores" in r for r in types.get("bandwidth", []))


def _orders(types):
    return {r["order"] for r in types.get("bandwidth", []) if "order" in r}


def _stands_for_both(orders, others):
    """One node filled is all nodes in turn, too: such a run has no spread of its own."""
    return "spread" not in orders and "spread" in others


def _values(types, fill_is_spread, places):
    """{(group, what, at): Value} of all that a run measured."""
    found = {}
    for part in (
        _stability,
        _caches,
        _matrix,
        _latency,
        _cache_to_cache,
        _loaded,
        _contention,
        _redundancy,
    ):
        found.update(part(types))
    found.update(_scaling(types, fill_is_spread, places))
    return found


def _value(key, record, quantity="mb_s"):
    """The key with the value, if it was measured."""
    stats = measured.stats(record, quantity)
    if stats:
        unit = records.unit(record["type"], quantity)
        yield key, Value(unit, stats["mean"], stats["stddev"], stats["runs"])


def _stability(types):
    found = settings.rate(types)
    if found and not settings.is_always_bad(types):
        key = (STABILITY, "errors at random times", "all that was read and written")
        counts = found["errors"], found["moved_bytes"]
        yield key, Value("per TB", found["per_tb"], None, None, *counts)


def _caches(types):
    for cache in types.get("cache", []):
        yield from _value(("Caches", "read", measured.level(cache)), cache)
        yield from _value(("Caches", "latency", measured.level(cache)), cache, "ns")


def _matrix(types):
    for r in types.get("bandwidth", []):
        if "order" not in r:
            at = f"{_between(r)}, {count(r['threads'], 'CPU')}"
            yield from _value(("Bandwidth between nodes", r["op"], at), r)


def _between(record):
    return f"node {record['cpu_node']} to {record['mem_node']}"


def _scaling(types, fill_is_spread, places):
    for op, orders in measured.scaling(types.get("bandwidth", [])).items():
        for order, row in orders.items():
            for name in ("fill", "spread") if fill_is_spread and order == "fill" else (order,):
                for r in row:
                    at = f"{name}, {count(r['threads'], 'CPU')}"
                    if places:
                        on = (count(n, what.removesuffix("s")) for n, what in measured.places(r))
                        at += f" ({' + '.join(on)})"
                    yield from _value(("Scaling", op, at), r)


def _latency(types):
    found = types.get("latency", [])
    for r in measured.latency_matrix(found).values():
        yield from _value(("Idle latency between nodes", "latency", _between(r)), r, "ns")
    for curve in measured.latency_curves(found).values():
        for r in curve:
            at = f"{format_size(r['size_bytes'])}, {_between(r)}"
            yield from _value(("Idle latency over size", "latency", at), r, "ns")
    for r in measured.busy_latency(found):
        at = f"{_between(r)}, {r['load']}"
        yield from _value(("Latency under other load", "latency", at), r, "ns")


def _cache_to_cache(types):
    for r in types.get("cache_to_cache", []):
        at = f"CPU {r['cpu']} from {r['other_cpu']}, share: {r['share']}, mem {r['mem_node']}"
        yield from _value(("Lines in another CPU's cache", r["state"], at), r, "ns")


def _loaded(types):
    """By the point's place on the curve: the load itself is measured, so it differs."""
    for (cpu, memory, mix), curve in measured.loaded_latency(types.get("latency", [])).items():
        for number, r in enumerate(curve, 1):
            at = f"{mix}, node {cpu} to {memory}, point {number}"
            yield from _value(("Latency under load", "injected", at), r, "load_mb_s")
            yield from _value(("Latency under load", "latency", at), r, "ns")


def _contention(types):
    for r in measured.contention(types):
        load = f"{r['load']} of {r['load_node']} on {r['load_mem_node']}"
        at = f"{_between(r)}, {load}, {r['threads']}+{r['load_threads']} CPUs"
        for what, (idle, loaded, _) in measured.CONTESTS.items():
            yield from _value(("Contention", f"{what} idle", at), r, idle)
            yield from _value(("Contention", f"{what} loaded", at), r, loaded)


def _redundancy(types):
    for r in types.get("redundancy", []):
        at = f"{_between(r)}, second on {r['other_node']}, {count(r['threads'], 'CPU')}"
        yield from _value(("Redundancy", r["kind"], at), r)


def tables(runs, names, named_max=None):
    """The comparison as tables: what was compared, by settings, and, of two runs, a table a group
    and what only one has.

    The last names all places that only one run has, or as many as named_max of a group.
    """
    yield _runs(runs, names)
    yield from settings.tables(runs, names)
    if len(runs) == 2:
        yield from _of_two(*runs, names, named_max)


def _of_two(types_a, types_b, names, named_max):
    groups = {}
    for row in rows(types_a, types_b):
        if row.group != STABILITY:  # by settings
            groups.setdefault(row.group, []).append(row)
    for group, found in groups.items():
        notes = ()
        if group == "Idle latency between nodes":
            notes = _other_sizes(types_a, types_b)
        columns = ("<what", "<where", "unit", "a", "b", "difference", SIGNIFICANT)
        yield Table(group, columns, [_cells(row) for row in found], notes)
    yield from _only(types_a, types_b, names, named_max)


def _cells(row):
    difference = percent(row.difference_percent())
    return [
        row.what,
        row.at,
        row.a.unit,
        _in_words(row.a),
        _in_words(row.b),
        difference,
        row.significant(),
    ]


def _in_words(value):
    return mean_and_spread({"mean": value.mean, "stddev": value.stddev}, value.unit)


def _runs(runs, names):
    table_rows = []
    for letter, types, name in zip(settings.LETTERS, runs, names, strict=False):
        machine = types["machine"][-1] if types.get("machine") else {}
        start = types["start"][-1] if types.get("start") else {}
        table_rows.append(
            [
                letter,
                name,
                machine.get("cpu", "?"),
                str(machine.get("cpus", "?")),
                str(machine.get("nodes", "?")),
                format_size(machine["ram_bytes"]) if machine else "?",
                settings.name(types),
                start.get("cmdline", ""),
            ]
        )
    columns = ("<", "<run", "<processor", "CPUs", "nodes", "RAM", "<memory at", "<options")
    return Table("What is compared", columns, table_rows)


def _other_sizes(types_a, types_b):
    sizes = [
        {r["size_bytes"] for r in measured.latency_matrix(types.get("latency", [])).values()}
        for types in (types_a, types_b)
    ]
    if sizes[0] == sizes[1]:
        return ()
    a, b = (", ".join(map(format_size, sorted(found))) for found in sizes)
    return (f"Not measured over the same size: {a} in a, {b} in b.",)


def _only(types_a, types_b, names, named_max):
    found = []
    for letter, keys in zip("ab", only_in_one(types_a, types_b), strict=True):
        groups = {}
        for group, what, at in keys:
            whats, places = groups.setdefault(group, ({}, {}))
            whats[what] = places[at] = None
        for group, (whats, places) in groups.items():
            found.append([letter, group, ", ".join(whats), _listed(list(places), named_max)])
    if found:
        columns = ("<", "<measurement", "<what", "<where")
        yield Table(f"Only in one: a is {names[0]}, b is {names[1]}", columns, found)


def _listed(places, named_max):
    named = places[:named_max]
    more = len(places) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")


def summary(*runs):
    """The outcome in sentences."""
    if len(runs) > 2:
        return f"{len(runs)} runs: with more than two, only errors and starts are compared."
    found = rows(*runs)
    if not found:
        return "The two runs have no measurement in common."
    known = [row for row in found if row.significant() != UNKNOWN]
    changed = [row for row in known if row.significant() != WITHIN]
    text = f"{count(len(found), 'measurement')} in both runs"
    if known:
        higher = sum(row.significant() == HIGHER for row in changed)
        text += (
            f"; {len(changed)} of {len(known)} with a spread differ significantly:"
            f" {higher} higher and {len(changed) - higher} lower in b"
            f" (by chance alone about {P_LIMIT * len(known):.0f} would)"
        )
    rates = [r.difference_percent() for r in found if r.a.unit == "MB/s" and r.a.mean > 0]
    waits = [r.difference_percent() for r in found if r.a.unit == "ns" and r.a.mean > 0]
    medians = [
        f"{name} {percent(statistics.median(values))}"
        for name, values in (("MB/s", rates), ("ns", waits))
        if values
    ]
    return f"{text}. Median difference of b to a: {', '.join(medians)}." if medians else f"{text}."
