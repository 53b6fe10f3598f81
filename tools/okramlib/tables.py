# SPDX-License-Identifier: MIT
"""A run's measurements as tables, for the terminal."""

from dataclasses import dataclass

from . import measured, records
from .measured import ALL_CPUS, ONE_CPU
from .units import count, format_seconds, format_size

# Wider matrices have the spread below the mean, to fit 100 columns.
_SPREAD_IN_CELLS_MAX = 4
_CONTENTION_ROWS_MAX = 24
_LIST_ROWS_MAX = 16  # a longer list of two columns is split side by side

_OP_BYTES = {
    "read": "load only",
    "write": "non-temporal stores",
    "copy": "c = a",
    "scale": "b = q*c",
    "add": "c = a+b",
    "triad": "a = b+q*c",
}


@dataclass(frozen=True)
class Table:
    """Cells are text. A column is right-aligned unless its name starts with "<"."""

    title: str
    columns: tuple
    rows: list
    notes: tuple = ()


def shown(table, most):
    """The table with its first rows, and how many more there are; the CSV has all."""
    if len(table.rows) <= most:
        return table
    more = f"… and {count(len(table.rows) - most, 'row')} more."
    return Table(table.title, table.columns, table.rows[:most], (*table.notes, more))


def rate(mb_s):
    """MB/s, with the significant digits."""
    return f"{mb_s:.0f}" if abs(mb_s) >= 100 else f"{mb_s:.1f}"


def wait(ns):
    return f"{ns:.1f}"


def percent(value):
    return "" if value is None else f"{value:+.1f} %"


def spread(stats):
    """The standard deviation in per cent of the mean; None: there is none."""
    if stats["stddev"] is None or stats["mean"] <= 0:
        return None
    return 100 * stats["stddev"] / stats["mean"]


_FORMATS = {"MB/s": rate, "ns": lambda ns: f"{ns:.2f}"}

_SPREAD_COLUMNS = ("std dev", "min", "max")
_STATS_COLUMNS = ("CPUs", "runs", "mean", *_SPREAD_COLUMNS)


def mean_and_spread(stats, unit="MB/s"):
    """ "" for what was not measured."""
    if stats is None:
        return ""
    mean = wait(stats["mean"]) if unit == "ns" else rate(stats["mean"])
    return mean if stats["stddev"] is None else f"{mean} ±{_FORMATS[unit](stats['stddev'])}"


def _spread_cells(stats, unit="MB/s"):
    """ "" for what is not known."""
    found = [(stats or {}).get(name) for name in ("stddev", "min", "max")]
    return ["" if value is None else _FORMATS[unit](value) for value in found]


def _mean_cells(record, quantity):
    """The mean, and the columns of the spread."""
    stats = measured.stats(record, quantity)
    if quantity.endswith("mb_s"):
        return [rate(stats["mean"]) if stats else "", *_spread_cells(stats)]
    return [wait(stats["mean"]) if stats else "", *_spread_cells(stats, "ns")]


def _stats_cells(record):
    return [str(record["threads"]), str(record["runs"]), *_mean_cells(record, "mb_s")]


def node_list(numbers):
    """0-3,8: in the syntax of cpus=."""
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) or "none"


def nodes(types):
    rows = []
    for node in types.get("node", []):
        spans = ", ".join(f"{base}-{end}" for base, end in node["spans"])
        rows.append(
            [str(node["node"]), node_list(node["cpus"]), format_size(node["ram_bytes"]), spans]
        )
    if rows:
        yield Table("Nodes", ("node", "<CPUs", "RAM", "<at"), rows)


def _speed(speed, spd):
    """With its timings, where they are known."""
    timings = spd.get("timings")
    return f"{speed} ({'-'.join(map(str, timings.values()))})" if timings else str(speed)


_SETTINGS = {
    "overclock": "an overclock, beyond JEDEC's figures in the SPD: faults may come from it",
    "overclock-below-profile": "an overclock, slower than its fastest profile: faults may come"
    " from it",
    "below-profile": "slower than its fastest profile",
}


def _running(m):
    """The speed, and the timings by the memory controllers."""
    running = m.get("running")
    if not running:
        return str(m["configured_mt_s"] or "")
    clocks = [running[name] for name in ("cl", "rcd", "rp", "ras")]
    rate = f" {running['command_rate']}T" if running["command_rate"] else ""
    speed = running["mt_s"] or m["configured_mt_s"] or "speed not known"
    return f"{speed} ({'-'.join(map(str, clocks))}{rate})"


def _module_notes(types):
    for geometry in types.get("geometry", [])[-1:]:
        yield f"{geometry['text']}."
    for m in types.get("module", []):
        place = m["slot"] or m["address"]
        if m.get("setting") in _SETTINGS:
            yield f"{place}: {_SETTINGS[m['setting']]}."
        for problem in m["problems"]:
            yield f"{place}: {problem}."


def modules(types):
    rows = []
    for m in types.get("module", []):
        made = f"{m['year']}-W{m['week']:02}" if m["year"] else ""
        rows.append(
            [
                m["slot"] or m["address"] or "",
                " ".join(filter(None, (m["kind"], m["form"]))),
                format_size(m["size_bytes"]) if m["size_bytes"] else "",
                " ".join(filter(None, (m["maker"], m["part"]))),
                m["serial"] or "",
                made,
                _running(m),
                _speed(m["jedec_mt_s"] or "", m),
                ", ".join(_speed(f"{p['kind'].upper()} {p['mt_s']}", p) for p in m["profiles"]),
            ]
        )
    columns = ("<slot", "<kind", "size", "<made by", "<serial", "<week", "<runs at", "JEDEC")
    if rows:
        yield Table("Memory modules", (*columns, "<profiles"), rows, tuple(_module_notes(types)))


_WHEN = {"start": "start", "fault": "first faults", "hot": "hot", "end": "end"}


def temperatures(types):
    rows = []
    for record in types.get("temperature", []):
        if record["when"] not in _WHEN:
            continue
        found = [("CPU", record["cpu"])] if record["cpu"] else []
        found += [(m["slot"] or m["address"], m) for m in record["modules"]]
        rows += [
            [_WHEN[record["when"]], name, _now(degrees), _degrees(degrees["highest"])]
            for name, degrees in found
        ]
    if rows:
        columns = ("<at", "<of", "now", "highest")
        notes = tuple(_pauses(types["temperature"][-1]))
        yield Table("Temperatures, degrees Celsius", columns, rows, notes)


def _now(degrees):
    """ "?" where the reading is not to be believed."""
    return f"? ({degrees['doubt']})" if degrees.get("doubt") else f"{degrees['now']:.1f}"


def _pauses(last):
    if last.get("mb_s") is None:
        return  # of an older report
    limits = ", ".join(
        f"{last[f'{name}_max']:.4g} °C of {of}"
        for name, of in (("module", "a module"), ("cpu", "the CPU"))
        if last.get(f"{name}_max") is not None
    )
    text = f"Traffic pauses above: {limits or 'no limit'}."
    if last.get("paused_s") is not None:
        text += f" {count(last['pauses'], 'pause')}, {format_seconds(last['paused_s'])} in all."
    if last.get("governs") == "time":
        text += " The modules' sensors have failed: pauses are timed."
    yield text


def _degrees(value):
    return "?" if value is None else f"{value:.1f}"


def caches(types):
    rows = [
        [
            measured.level(cache),
            format_size(cache["size_bytes"]),
            *_mean_cells(cache, "mb_s"),
            *_mean_cells(cache, "ns"),
        ]
        for cache in types.get("cache", [])
    ]
    if rows:
        columns = ("<level", "size", "MB/s read", *_SPREAD_COLUMNS, "ns", *_SPREAD_COLUMNS)
        runs = sorted({measured.stats(r, "mb_s")["runs"] or 0 for r in types["cache"]})
        notes = (f"Means of {count(runs[-1], 'run')}.",) if runs[-1] else ()
        yield Table(f"Caches and memory, one CPU{by_how(types['cache'])}", columns, rows, notes)


def by_how(found):
    """The instructions that measured them, prefetchers that were to be off, ..., for a title."""
    sets = sorted({record["isa"] for record in found if "isa" in record})
    off = sorted({record["prefetch"] for record in found if "prefetch" in record})
    parts = [("", sets), ("prefetchers ", off)]
    if any(record.get("in_caches") for record in found):
        parts.append(("partly in caches", [""]))
    return "".join(f", {name}{' and '.join(values)}" for name, values in parts if values)


def whose(which, matrix):
    """The CPUs that measured a matrix of bandwidths."""
    threads = sorted({record["threads"] for record in matrix.values()})
    if which == ONE_CPU or threads == [1]:
        return "1 CPU"
    if len(threads) == 1:
        return f"all {threads[0]} CPUs of a node"
    return f"all CPUs of a node ({threads[0]} to {threads[-1]})"


def bandwidth(types):
    """A matrix an operation; on a machine with one pair of nodes one table of all operations."""
    matrices = measured.matrices(types.get("bandwidth", []))
    pairs = {at for of_op in matrices.values() for matrix in of_op.values() for at in matrix}
    if len(pairs) == 1:
        yield _stream_table(matrices, *pairs)
        return
    for which in (ALL_CPUS, ONE_CPU):
        for op, of_op in matrices.items():
            if of_op.get(which):
                yield matrix_of(op, which, of_op[which])


def _stream_table(matrices, at):
    rows = [
        [op, _OP_BYTES[op], *_stats_cells(of_op[which][at])]
        for which in (ALL_CPUS, ONE_CPU)
        for op, of_op in matrices.items()
        if of_op.get(which)
    ]
    of_all = [
        record for of_op in matrices.values() for which in of_op for record in of_op[which].values()
    ]
    title = f"Bandwidth, MB/s: CPUs of node {at[0]}, memory of node {at[1]}{by_how(of_all)}"
    return Table(title, ("<function", "<does", *_STATS_COLUMNS), rows)


def matrix_of(op, which, matrix):
    title = f"{op}, MB/s ({_OP_BYTES[op]}), {whose(which, matrix)}{by_how(matrix.values())}"
    return _matrix(title, matrix, "mb_s", "MB/s")


def _matrix(title, matrix, quantity, unit):
    cpu_nodes, memories = measured.nodes_of(matrix)
    found = {at: measured.stats(record, quantity) for at, record in matrix.items()}

    def cell(at):
        return mean_and_spread(found[at], unit) if at in found else "-"

    rows = [[str(cpu), *(cell((cpu, memory)) for memory in memories)] for cpu in cpu_nodes]
    if len(memories) > _SPREAD_IN_CELLS_MAX:
        rows = [line for row in rows for line in _mean_over_spread(row)]
    columns = ("CPUs of node", *(f"mem {memory}" for memory in memories))
    return Table(title, columns, rows, (*_widest_spread(found, unit),))


def _mean_over_spread(row):
    parts = [cell.partition(" ") for cell in row]
    yield [mean for mean, *_ in parts]
    if any(deviations := [deviation for *_, deviation in parts]):
        yield deviations


def _widest_spread(found, unit):
    spreads = {at: spread(stats) for at, stats in found.items()}
    known = [at for at in spreads if spreads[at] is not None]
    if not known:
        return
    at = max(known, key=spreads.get)
    stddev, low, high = _spread_cells(found[at], unit)
    yield (
        f"Means of {count(found[at]['runs'], 'run')}; widest spread: node {at[0]} to {at[1]},"
        f" std dev {spreads[at]:.1f} %, {low} to {high}."
    )


def latency(types):
    """The node matrix and the curves."""
    found = types.get("latency", [])
    matrix = measured.latency_matrix(found)
    if matrix:
        yield latency_matrix(matrix)
    yield from latency_curves(measured.latency_curves(found))


def latency_curves(curves):
    for (cpu, memory), curve in curves.items():
        rows = [[format_size(r["size_bytes"]), *_mean_cells(r, "ns")] for r in curve]
        where = f"CPU of node {cpu}, memory of node {memory}{by_how(curve)}"
        title = f"Idle latency over the size of the array: {where}"
        yield _beside_itself(title, ("size", "ns", *_SPREAD_COLUMNS), rows)


def busy_latency(types):
    """Latency under other load; contention has it next to the idle latency."""
    rows = [
        [
            *map(str, measured.pair(r)),
            format_size(r["size_bytes"]),
            *_mean_cells(r, "ns"),
            r["load"],
        ]
        for r in measured.busy_latency(types.get("latency", []))
    ]
    if rows:
        columns = ("CPU of node", "memory of node", "size", "ns", *_SPREAD_COLUMNS, "<load")
        yield Table("Latency under other load", columns, rows)


def latency_matrix(matrix):
    sizes = sorted({record["size_bytes"] for record in matrix.values()})
    size = " to ".join(format_size(s) for s in dict.fromkeys((sizes[0], sizes[-1])))
    title = f"Idle latency, ns: 1 CPU, a random chase over {size}{by_how(matrix.values())}"
    return _matrix(title, matrix, "ns", "ns")


def _beside_itself(title, columns, rows):
    """A long list of few columns, as several side by side."""
    beside = -(-len(rows) // _LIST_ROWS_MAX)
    height = -(-len(rows) // beside)
    blank = [""] * len(columns)
    parts = [rows[i : i + height] for i in range(0, len(rows), height)]
    lines = [
        [cell for part in parts for cell in (part[i] if i < len(part) else blank)]
        for i in range(height)
    ]
    return Table(title, columns * len(parts), lines)


_ORDERS = {
    "fill": "fill: a node's CPUs before the next node's",
    "spread": "spread: the nodes in turn",
    "efficient": "efficient: efficiency cores alone",
}


def cache_to_cache(types):
    rows = [
        [
            r["share"],
            r["state"],
            *(str(r[of]) for of in ("cpu", "other_cpu", "mem_node")),
            format_size(r["size_bytes"]),
            *_mean_cells(r, "ns"),
        ]
        for r in types.get("cache_to_cache", [])
    ]
    if rows:
        columns = ("<share", "<lines", "CPU", "from", "memory", "size", "ns", *_SPREAD_COLUMNS)
        note = "share: the nearest that both CPUs do; from: the CPU whose caches held the lines."
        title = f"Lines in another CPU's cache{by_how(types['cache_to_cache'])}"
        yield Table(title, columns, rows, (note,))


def scaling(types):
    for op, orders in measured.scaling(types.get("bandwidth", [])).items():
        by_threads = {o: {r["threads"]: r for r in row} for o, row in orders.items()}
        rows = []
        for threads in sorted({t for found in by_threads.values() for t in found}):
            cells = [str(threads)]
            for order, row in orders.items():
                cells += _scaling_cells(by_threads[order].get(threads), row)
            rows.append(cells)
        columns = ["CPUs"]
        for order in orders:
            columns += [order, *_SPREAD_COLUMNS, "speed-up"]
        runs = sorted({r["runs"] for row in orders.values() for r in row})
        notes = [f"Means of {count(runs[-1], 'run')}."]
        if len(orders) > 1:
            notes.append("; ".join(_ORDERS[order] for order in orders) + ".")
        notes += _places_notes(next(iter(orders.values()))[-1])
        yield Table(f"Scaling of {op}, MB/s", tuple(columns), rows, tuple(notes))


def _places_notes(record):
    """Which CPUs are what, where not each has a core of its own."""
    places, first = measured.places(record), 1
    if len(places) < 2:
        return []
    parts = []
    for n, name in places:
        parts.append(f"{first} to {first + n - 1}: {name}")
        first += n
    return [f"CPUs {'; '.join(parts)}."]


def _scaling_cells(record, row):
    if record is None:
        return [""] * 5
    times = measured.speed_up(record, row)
    return [*_mean_cells(record, "mb_s"), "" if times is None else f"{times:.2f}"]


_CONTENTION_NOTE = (
    "Time: what the same work takes more under the load than in the run beside it without; 2:1: two"
    " reads for each write."
)

# Whose memory the measured CPUs use, and whose the others.
_PLACES = {
    "from local memory, the others on theirs": lambda r: r["load_mem_node"] != r["mem_node"],
    "from local memory, the others on it, too": lambda r: r["mem_node"] == r["cpu_node"],
    "from the others' memory": lambda r: r["mem_node"] == r["load_node"],
    "from memory of a node without CPUs": lambda r: True,
}


def contention(types):
    """Every number in few rows; matrices of the time added where that would be many."""
    found = list(measured.contention(types))
    if not found:
        yield from busy_latency(types)
        return
    if len(found) <= _CONTENTION_ROWS_MAX:
        yield from contention_rows(types)
        return
    at_place = {place: [] for place in _PLACES}
    for r in found:
        at_place[next(place for place, is_there in _PLACES.items() if is_there(r))].append(r)
    for place, there in at_place.items():
        for what in measured.CONTESTS:
            if most := _most_time(there, what):
                title = f"Contention: time added to {what} {place}, %"
                yield _contention_matrix(title, most)


def _most_time(found, what):
    """{(CPU node, load node): the mean}: of the load that costs most."""
    most = {}
    for r in found:
        added = measured.time_added(r, what)
        if added:
            at = r["cpu_node"], r["load_node"]
            most[at] = max(added["mean"], most.get(at, added["mean"]))
    return most


def _contention_matrix(title, most):
    cpu_nodes, loaders = measured.nodes_of(most)
    rows = [
        [
            str(cpu),
            *(f"{most[cpu, load]:+.1f}" if (cpu, load) in most else "-" for load in loaders),
        ]
        for cpu in cpu_nodes
    ]
    columns = ("CPUs of node", *(f"load {load}" for load in loaders))
    return Table(title, columns, rows, (_CONTENTION_NOTE, "The load that costs most."))


def contention_rows(types):
    """Every number of contention: three rows for each place of the memory and each load."""
    rows = []
    for r in measured.contention(types):
        for what, (idle, loaded, _) in measured.CONTESTS.items():
            unit = "ns" if what == "latency" else "MB/s"
            if measured.stats(r, loaded) is None:
                continue
            rows.append(
                [
                    str(r["cpu_node"]),
                    str(r["mem_node"]),
                    f"{r['load']} of {r['load_node']} on {r['load_mem_node']}",
                    f"{r['threads']}+{r['load_threads']}",
                    f"{what}, {unit}",
                    mean_and_spread(measured.stats(r, idle), unit),
                    mean_and_spread(measured.stats(r, loaded), unit),
                    _time_and_spread(measured.time_added(r, what)),
                ]
            )
    if rows:
        columns = ("CPUs of", "memory", "<load", "CPUs", "<what", "idle", "loaded", "time")
        yield Table("Contention between nodes", columns, rows, (_CONTENTION_NOTE,))


def _time_and_spread(stats):
    if stats is None:
        return ""
    stddev = "" if stats["stddev"] is None else f" ±{stats['stddev']:.1f}"
    return percent(stats["mean"]) + stddev


def _less(slowdown):
    return percent(None if slowdown is None else 0.0 - slowdown)


def loaded_latency(types):
    rows = []
    for (cpu, memory, mix), curve in measured.loaded_latency(types.get("latency", [])).items():
        for r in curve:
            moved = mean_and_spread(measured.stats(r, "load_mb_s"))
            size = format_size(r["size_bytes"])
            ns = _mean_cells(r, "ns")
            rows.append([mix, f"{cpu} to {memory}", size, moved, *ns, r["load"]])
    if rows:
        columns = ("<mix", "<nodes", "size", "load MB/s", "ns", *_SPREAD_COLUMNS, "<load")
        yield Table("Loaded latency", columns, rows, ("3:1, 2:1, 1:1: reads to writes.",))


def redundancy(types):
    rows = [
        [
            r["kind"],
            str(r["cpu_node"]),
            str(r["mem_node"]),
            "" if r["kind"] == "plain" else str(r["other_node"]),
            *_stats_cells(r),
            "" if r["kind"] == "plain" else _less(r["cost_percent"]),
        ]
        for r in types.get("redundancy", [])
    ]
    if rows:
        columns = ("<kind", "CPUs of", "data on", "second on", *_STATS_COLUMNS, "change")
        note = (
            "MB/s of data written. mirror: written twice;"
            " parity: a line of XOR for each four of data."
        )
        yield Table("Cost of redundancy", columns, rows, (note,))


def _jumps(n):
    return f"{count(n, 'run')} left out: a time stamp counter went back"


def unmeasured(types):
    rows = [
        [r["what"], *(str(r.get(of, "")) for of in ("cpu_node", "mem_node")), r["why"]]
        for r in types.get("unmeasured", [])
    ]
    rows += [
        [f"{kind}, {quantity}", *(str(r.get(of, "")) for of in ("cpu_node", "mem_node")), _jumps(n)]
        for kind, quantities in records.measured().items()
        for r in types.get(kind, [])
        for quantity in quantities
        if (n := (measured.stats(r, quantity) or {}).get("left_out"))
    ]
    if rows:
        yield Table("Not measured", ("<what", "CPUs of node", "memory of node", "<why"), rows)


FITTED = (nodes, modules, temperatures)

MEASUREMENTS = (
    unmeasured,
    caches,
    bandwidth,
    latency,
    cache_to_cache,
    scaling,
    loaded_latency,
    contention,
    redundancy,
)
