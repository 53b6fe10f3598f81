# SPDX-License-Identifier: MIT
"""The measurements of a run as sections of the page: what they show, charts, and tables."""

import math
from dataclasses import dataclass, field

from . import charts, measured, tables
from .charts import Axis, Point
from .measured import ALL_CPUS, ONE_CPU
from .units import count, format_size

_HEAT_LOW_SHARE = 0.3  # of the best pair; what is below is all in the palest step
_LATENCY_STEPS = (1.1, 1.25, 1.5, 1.75, 2, 2.5)  # times the shortest
HEAT_KEYS = {
    "bandwidth": (
        "Share of the best pair:",
        ("below 40 %", "40 %", "50 %", "60 %", "70 %", "80 %", "90 % and more"),
    ),
    "latency": (
        "Multiple of the lowest:",
        ("1", *(f"{limit:g}" for limit in _LATENCY_STEPS[:-1]), f"{_LATENCY_STEPS[-1]:g} and more"),
    ),
}
_BARS_MAX = 12  # groups in a chart; the table has all
_CPUS_MAX = 1 << 16  # beyond, an axis is marked as any other


@dataclass(frozen=True)
class Figure:
    svg: str
    caption: str = ""
    is_heat_map: bool = False


@dataclass(frozen=True)
class Section:
    """`text` explains the charts; a group is (name, figures side by side, tables)."""

    name: str
    title: str
    text: str
    groups: list = field(default_factory=list)


def sections(types):
    made = (
        _caches(types),
        _bandwidth(types),
        _latency(types),
        _scaling(types),
        _loaded(types),
        _contention(types),
        _redundancy(types),
    )
    return [section for section in made if section and section.groups]


def _capital(text):
    return text[:1].upper() + text[1:]


def _caches(types):
    found = list(tables.caches(types))
    text = "Read bandwidth and latency of one CPU at each level; the size is the level's capacity."
    return Section("caches", "Caches", text, [("", [], found)] if found else [])


def _bandwidth(types):
    matrices = measured.matrices(types.get("bandwidth", []))
    pairs = {at for of_op in matrices.values() for matrix in of_op.values() for at in matrix}
    if len(pairs) == 1:
        return _one_node_bandwidth(types, matrices, *pairs)
    groups = []
    for which in (ALL_CPUS, ONE_CPU):
        shown = {op: of_op[which] for op, of_op in matrices.items() if of_op.get(which)}
        if shown:
            whose = dict.fromkeys(tables.whose(which, matrix) for matrix in shown.values())
            maps = [_bandwidth_map(op, which, matrix) for op, matrix in shown.items()]
            details = [
                tables.bandwidth_details(op, {which: matrix}) for op, matrix in shown.items()
            ]
            groups.append((_capital(" or ".join(whose)), maps, details))
    text = (
        "Bandwidth between the CPUs of one node (row) and the memory of one node (column), in MB/s"
        " (10⁶ bytes), counted as STREAM does; the mean of all runs. The diagonal is local memory."
        " The stronger the colour, the closer to the best pair of the map."
    )
    return Section("bandwidth", "Bandwidth between nodes", text, groups)


def _one_node_bandwidth(types, matrices, at):
    groups, names = [], []
    for which in (ALL_CPUS, ONE_CPU):
        found = [of_op[which][at] for of_op in matrices.values() if of_op.get(which)]
        if found:
            names.append((tables.whose(which, dict(enumerate(found))), found))
    ops = list(dict.fromkeys(r["op"] for _, found in names for r in found))
    rows = [
        (op, [_rate_bar(r) for _, found in names for r in found if r["op"] == op]) for op in ops
    ]
    title = "Bandwidth by function"
    chart = charts.bars(
        title,
        "; ".join(f"{op} {', '.join(bar[1] for bar in row)} MB/s" for op, row in rows),
        rows,
        [name for name, _ in names],
        "MB/s",
    )
    groups.append(("", [Figure(chart)], list(tables.bandwidth(types))))
    text = (
        "Bandwidth between CPUs and memory, in MB/s (10⁶ bytes), counted as STREAM does; the mean"
        " of all runs."
    )
    return Section("bandwidth", "Bandwidth", text, groups)


def _rate_bar(record):
    return record["mb_s"]["mean"], tables.rate(record["mb_s"]["mean"]), _stats_hint(record)


def _stats_hint(record):
    stats = record["mb_s"]
    return (
        f"{tables.rate(stats['mean'])} MB/s, standard deviation {tables.rate(stats['stddev'])},"
        f" {tables.rate(stats['min'])} to {tables.rate(stats['max'])},"
        f" {count(record['runs'], 'run')}, {count(record['threads'], 'CPU')}"
    )


def _bandwidth_map(op, which, matrix):
    best = max(r["mb_s"]["mean"] for r in matrix.values())

    def step(value):
        share = value / best if best > 0 else 0.0
        scaled = (share - _HEAT_LOW_SHARE) / (1 - _HEAT_LOW_SHARE) * charts.HEAT_STEPS
        return min(max(math.floor(scaled), 0), charts.HEAT_STEPS - 1)

    cells = {
        at: (
            tables.rate(r["mb_s"]["mean"]),
            r["mb_s"]["mean"],
            f"CPUs of node {at[0]}, memory of node {at[1]}: {_stats_hint(r)}",
        )
        for at, r in matrix.items()
    }
    title = f"{op}, {tables.whose(which, matrix)}"
    description = f"{op} between nodes in MB/s: {_extremes(cells)}."
    picture = charts.heat_map(title, description, cells, step, "CPUs of", "memory of node")
    return Figure(picture, op, is_heat_map=True)


def _extremes(cells):
    low, high = (choose(cells, key=lambda at: cells[at][1]) for choose in (min, max))
    return (
        f"the lowest {cells[low][0]} from node {low[0]} to {low[1]},"
        f" the highest {cells[high][0]} from node {high[0]} to {high[1]}"
    )


def _latency(types):
    records = types.get("latency", [])
    groups = []
    curves = measured.latency_curves(records)
    if curves:
        numbers = list(tables.latency_curves(curves))
        groups.append(("Over the size of the array", [_latency_curve(types, curves)], numbers))
    matrix = measured.latency_matrix(records)
    if len(matrix) > 1:
        numbers = [tables.latency_matrix(matrix)]
        groups.append(("Between nodes", [_latency_map(matrix)], numbers))
    elif matrix:
        groups.append(("", [], [tables.latency_matrix(matrix)]))
    text = (
        "Latency of one CPU while nothing else runs, in ns: a random pointer chase, a line of 64"
        " bytes a step. The curve rises a step where the array outgrows a cache."
    )
    return Section("latency", "Idle latency", text, groups)


def _latency_curve(types, curves):
    series = {
        f"node {cpu} to {memory}": latency_points(row) for (cpu, memory), row in curves.items()
    }
    description = "; ".join(
        f"{name}: {row[0].label} to {row[-1].label}" for name, row in series.items()
    )
    caches = [
        (cache["size_bytes"], f"L{cache['level']} {format_size(cache['size_bytes'])}")
        for cache in types.get("cache", [])
        if cache["level"]
    ]
    marks = list(dict.fromkeys(caches))
    return Figure(
        charts.curves("Latency over size", description, series, *latency_axes(series), marks)
    )


def latency_points(row):
    return [
        Point(
            r["size_bytes"], r["ns"], f"{format_size(r['size_bytes'])}: {tables.wait(r['ns'])} ns"
        )
        for r in row
    ]


def latency_axes(series):
    sizes = [p.x for row in series.values() for p in row if p.x > 0]
    return (
        Axis("size of the array (log scale)", True, format_size, _doublings(sizes)),
        Axis("ns (log scale)", True),
    )


def _doublings(sizes):
    """Powers of two over the sizes, few enough for their labels."""
    if not sizes:
        return (1, 2)
    low, high = math.floor(math.log2(min(sizes))), math.ceil(math.log2(max(sizes)))
    high = max(high, low + 1)
    step = -(-(high - low) // 9)
    return tuple(2**power for power in range(low, high + step, step))


def _latency_map(matrix):
    shortest = min((r["ns"] for r in matrix.values() if r["ns"] > 0), default=1.0)

    def step(value):
        return sum(value / shortest >= limit for limit in _LATENCY_STEPS)

    cells = {
        at: (
            tables.wait(r["ns"]),
            r["ns"],
            f"CPU of node {at[0]}, memory of node {at[1]}: {tables.wait(r['ns'])} ns,"
            f" over {format_size(r['size_bytes'])}",
        )
        for at, r in matrix.items()
    }
    title = "Idle latency between nodes, ns"
    description = f"{title}: {_extremes(cells)}."
    picture = charts.heat_map(title, description, cells, step, "CPU of", "memory of node")
    return Figure(picture, title, is_heat_map=True)


def _scaling(types):
    groups = []
    found = {table.title: table for table in tables.scaling(types)}
    rows = measured.scaling(types.get("bandwidth", []))
    for (op, orders), table in zip(rows.items(), found.values(), strict=True):
        groups.append((op, [_scaling_chart(op, orders)], [table]))
    has_both = any(len(orders) > 1 for orders in rows.values())
    how = ": nodes filled one after another (fill), or in turn (spread)" if has_both else ""
    text = (
        f"Bandwidth of 1 CPU to all CPUs together, each with local memory{how}. Error bars: one"
        " standard deviation to each side. Where a curve flattens, memory is saturated."
    )
    return Section("scaling", "Scaling with CPUs", text, groups)


def _scaling_chart(op, orders):
    series = {order: scaling_points(order, row) for order, row in orders.items()}
    description = "; ".join(f"{order} ends at: {row[-1].label}" for order, row in series.items())
    return Figure(charts.curves(f"Scaling of {op}", description, series, *scaling_axes(op, series)))


def scaling_points(order, row):
    return [
        Point(
            r["threads"],
            r["mb_s"]["mean"],
            f"{order}, {_stats_hint(r)}{_times(measured.speed_up(r, row))}",
            r["mb_s"]["stddev"],
        )
        for r in row
    ]


def scaling_axes(op, series):
    most = max((int(p.x) for row in series.values() for p in row), default=1)
    ticks = _cpu_ticks(most) if most <= _CPUS_MAX else ()
    return Axis("CPUs", ticks=ticks), Axis(f"{op}, MB/s")


def _times(speed_up):
    return "" if speed_up is None else f", {speed_up:.2f} times one CPU"


def _cpu_ticks(most):
    step = max(1, -(-most // 16))
    step = next((n for n in (1, 2, 4, 5, 8, 10, 16, 20, 32, 64) if n >= step), step)
    return tuple(dict.fromkeys([0, *range(step, most - step // 2, step), most]))


def _x(point):
    return point.x


def _loaded(types):
    rows = measured.loaded_latency(types.get("latency", []))
    pairs = {at[:2] for at in rows}
    series = {}
    for (cpu, memory, mix), row in rows.items():
        name = mix if len(pairs) == 1 else f"{mix}, node {cpu} to {memory}"
        series[name] = [
            Point(
                r["load_mb_s"],
                r["ns"],
                f"{tables.wait(r['ns'])} ns at {tables.rate(r['load_mb_s'])} MB/s ({r['load']})",
            )
            for r in row
        ]
    if not series:
        return None
    description = "; ".join(
        f"{name} from {min(row, key=_x).label} to {max(row, key=_x).label}"
        for name, row in series.items()
    )
    x_axis = Axis("bandwidth of the other CPUs, MB/s")
    chart = charts.curves("Loaded latency", description, series, x_axis, Axis("latency, ns"))
    text = (
        "Latency of one CPU while the others increase their load (to the right): reads only, or"
        " two reads for each write. Where the curve bends up, memory is saturated."
    )
    groups = [("", [Figure(chart)], list(tables.loaded_latency(types)))]
    return Section("loaded", "Latency under load", text, groups)


def _contention(types):
    records = types.get("contention", [])
    worst = sorted(records, key=lambda r: -(r["slowdown_percent"] or 0.0))[:_BARS_MAX]
    groups = [
        (
            f"CPUs of {r['cpu_node']} on mem {r['mem_node']}, load by {r['load_node']}",
            [
                _contention_bar(r, "idle_mb_s", "idle", ""),
                _contention_bar(r, "loaded_mb_s", "loaded", _slow_down(r)),
            ],
        )
        for r in worst
    ]
    text = (
        "Read bandwidth of a node's CPUs, alone and while another node's CPUs read the same memory,"
        " with the loss in per cent. The table has the latency, too."
    )
    most = f"the {_BARS_MAX} with the greatest loss" if len(records) > _BARS_MAX else "all pairs"
    found = [*tables.contention_rows(types), *tables.busy_latency(types)]
    drawn = []
    if groups:
        description = "; ".join(
            f"{label}: {row[0][1]} to {row[1][1]} MB/s" for label, row in groups
        )
        names = ["alone", "under load"]
        chart = charts.bars(f"Contention: {most}", description, groups, names, "MB/s read")
        drawn.append(Figure(chart))
    made = [(_capital(most) if drawn else "", drawn, found)] if found else []
    return Section("contention", "Contention", text, made)


def _contention_bar(record, name, when, more):
    stats = record[name]
    label = (
        f"{when}: {tables.rate(stats['mean'])} MB/s, standard deviation"
        f" {tables.rate(stats['stddev'])}, {tables.rate(stats['min'])} to"
        f" {tables.rate(stats['max'])}"
    )
    return stats["mean"], f"{tables.rate(stats['mean'])}{more}", label


def _slow_down(record):
    lost = record["slowdown_percent"]
    return "" if lost is None else f" ({tables.percent(0.0 - lost)})"


_KINDS = ("plain", "mirror", "parity")


def _redundancy(types):
    plain, kept = {}, {}
    for r in types.get("redundancy", []):
        if r["kind"] == "plain":
            plain[measured.pair(r)] = r
        else:
            kept.setdefault((*measured.pair(r), r["other_node"]), {})[r["kind"]] = r
    of_pair = {at: {"plain": plain.get(at[:2]), **kinds} for at, kinds in kept.items()}
    groups = [
        (
            f"CPUs of {cpu}, data on {memory}, second on {other}",
            [_redundancy_bar(kinds[kind]) for kind in _KINDS],
        )
        for (cpu, memory, other), kinds in of_pair.items()
        if all(kinds.get(kind) for kind in _KINDS)
    ][:_BARS_MAX]
    found = list(tables.redundancy(types))
    drawn = []
    if groups:
        description = "; ".join(f"{label}: {', '.join(b[1] for b in row)}" for label, row in groups)
        drawn = [
            Figure(
                charts.bars("Cost of redundancy", description, groups, list(_KINDS), "MB/s of data")
            )
        ]
    text = (
        "Write bandwidth of data kept plain, twice (mirror, the copy on another node), or with a"
        " line of XOR for each four of data (parity, on another node), as a firmware's mirroring or"
        " lockstep mode would do."
    )
    return Section("redundancy", "Cost of redundancy", text, [("", drawn, found)] if found else [])


def _redundancy_bar(record):
    mean = record["mb_s"]["mean"]
    cost = "" if record["kind"] == "plain" else f" ({tables.percent(0.0 - record['cost_percent'])})"
    return mean, f"{tables.rate(mean)}{cost}", f"{record['kind']}: {_stats_hint(record)}"
