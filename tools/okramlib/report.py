"""A run's records as a report that a person reads."""

from rich import box
from rich.table import Table

from .units import PAGE, count, format_seconds, format_size

_ROWS_MAX = 20  # of bad pages, and of ranges left out


def print_report(console, records):
    """Prints everything but the badram line, which is for print_line."""
    by_type = {}
    for record in records:
        by_type.setdefault(record["type"], []).append(record)
    for machine in by_type.get("machine", [])[-1:]:
        _print_machine(console, by_type.get("start", [{}])[-1], machine)
    parts = [
        _nodes(by_type.get("node", [])),
        _caches(by_type.get("cache", [])),
        *_bandwidths(by_type.get("bandwidth", [])),
        _latencies(by_type.get("latency", [])),
        _tests(by_type.get("test", []), by_type.get("result", [])),
        _bad_pages(by_type.get("fault", [])),
        _aliases(by_type.get("alias", [])),
        _machine_checks(by_type.get("mce", [])),
    ]
    for table in parts:
        if table is not None:
            console.print(table)
    _print_other_lines(console, by_type.get("line", []))
    for result in by_type.get("result", [])[-1:]:
        _print_result(console, result, by_type.get("badram", [{}])[-1])


def print_line(records):
    """Prints the badram line, whole, on a line of its own; nothing when no page is bad."""
    lines = [record["line"] for record in records if record["type"] == "badram"]
    if lines and lines[-1]:
        print(lines[-1], flush=True)


def _table(title, *columns):
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE)
    for column in columns:
        right = not column.startswith("<")
        table.add_column(column.lstrip("<"), justify="right" if right else "left")
    return table


def _print_machine(console, start, machine):
    boot = f", {start['boot'].upper()} by {start['loader']}" if start else ""
    console.print(f"[bold]okram {start.get('version', '')}[/]{boot}")
    console.print(
        f"{machine['cpu']}, {count(machine['cpus'], 'CPU')}, {count(machine['nodes'], 'node')},"
        f" {format_size(machine['ram_bytes'])} RAM,"
        f" {format_size(machine['testable_bytes'])} of it testable",
        markup=False,
    )
    for warning in machine["warnings"]:
        console.print(f"warning: {warning}", style="yellow", markup=False)


def _nodes(nodes):
    if not nodes:
        return None
    table = _table("Nodes", "node", "<CPUs", "RAM", "<at")
    for node in nodes:
        spans = ", ".join(f"{base}-{end}" for base, end in node["spans"])
        cpus = ", ".join(map(str, node["cpus"])) or "none"
        table.add_row(str(node["node"]), cpus, format_size(node["ram_bytes"]), spans)
    return table


def _caches(caches):
    if not caches:
        return None
    table = _table("Caches", "level", "size", "MB/s")
    for cache in caches:
        table.add_row(str(cache["level"]), format_size(cache["size_bytes"]), _rate(cache["mb_s"]))
    return table


def _bandwidths(records):
    """One matrix an operation: a row for each node whose CPUs worked."""
    for op in dict.fromkeys(record["op"] for record in records):
        pairs = {(r["cpu_node"], r["mem_node"]): r for r in records if r["op"] == op}
        memories = sorted({memory for _, memory in pairs})
        title = f"{op}, MB/s: mean (standard deviation)"
        table = _table(title, "CPUs of node", *(f"memory of node {m}" for m in memories))
        for cpus in sorted({cpus for cpus, _ in pairs}):
            cells = [_mean(pairs.get((cpus, memory))) for memory in memories]
            table.add_row(str(cpus), *cells)
        yield table


def _mean(record):
    if record is None:
        return ""
    return f"{_rate(record['mb_s']['mean'])} ({_rate(record['mb_s']['stddev'])})"


def _rate(mb_s):
    return f"{mb_s:.0f}"


def _latencies(records):
    if not records:
        return None
    table = _table("Latency", "CPUs of node", "memory of node", "size", "ns", "<beside")
    for r in records:
        size = format_size(r["size_bytes"])
        table.add_row(
            str(r["cpu_node"]), str(r["mem_node"]), size, f"{r['ns']:.1f}", r["load"]
        )
    return table


def _tests(tests, results):
    if not tests:
        return None
    table = _table("Tests", "pass", "<test", "time", "sweeps", "swept", "MB/s", "seed", "faults")
    tested = results[-1]["tested_bytes"] if results else 0
    for test in tests:
        swept, seconds = test["swept_bytes"], test["seconds"]
        table.add_row(
            str(test["pass"]),
            test["test"],
            format_seconds(seconds),
            f"{swept / tested:.0f}" if tested else "",
            format_size(swept),
            _rate(swept / 1e6 / seconds) if seconds else "",
            str(test.get("seed", "")),
            str(test["faults"]),
        )
    return table


def _bad_pages(faults):
    if not faults:
        return None
    pages = {}
    for fault in faults:
        page = int(fault["addr"], 16) // PAGE * PAGE
        pages.setdefault(page, []).append(fault)
    table = _table("Bad pages, of the faults recorded", "page", "node", "faults", "<bits", "<tests")
    for page, there in sorted(pages.items())[:_ROWS_MAX]:
        bits = 0
        for fault in there:
            bits |= int(fault["expected"], 16) ^ int(fault["found"], 16)
        tests = ", ".join(dict.fromkeys(fault["test"] for fault in there))
        table.add_row(f"{page:#x}", str(there[0]["node"]), str(len(there)), f"{bits:#x}", tests)
    if len(pages) > _ROWS_MAX:
        table.add_row("…", "", "", f"and {len(pages) - _ROWS_MAX} pages more", "")
    return table


def _aliases(aliases):
    if not aliases:
        return None
    told = {alias["diff"]: alias for alias in aliases}  # the last of each: it may have grown
    title = "Aliases: addresses that reach the same cells"
    table = _table(title, "pages", "<such as", "<and", "<address bits", "<test")
    for alias in told.values():
        table.add_row(
            str(alias["pages"]),
            alias["addr"],
            alias["partner"],
            alias["diff"] or "various",
            alias["test"],
        )
    return table


def _machine_checks(checks):
    if not checks:
        return None
    table = _table("Machine checks", "CPU", "bank", "status", "<address", "<corrected")
    for check in checks:
        corrected = "yes" if check["corrected"] else "no"
        table.add_row(
            str(check["cpu"]), str(check["bank"]), check["status"], check["addr"] or "", corrected
        )
    return table


def _print_other_lines(console, lines):
    """Each as it has to be copied: never wrapped."""
    for line in lines:
        console.print(f"{line['name']} ({line['place']}): {line['note']}", markup=False)
        if line["text"]:
            console.print(line["text"], markup=False, soft_wrap=True)
        console.print()


def _print_result(console, result, badram):
    if result["untested"]:
        table = _table("Not tested", "size", "<from", "<to", "<because")
        for part in result["untested"][:_ROWS_MAX]:
            size = int(part["end"], 16) - int(part["base"], 16)
            table.add_row(format_size(size), part["base"], part["end"], part["why"])
        console.print(table)
    style = {"pass": "bold green", "fail": "bold red", "error": "bold red"}[result["status"]]
    words = {"pass": "no hole found", "fail": "holes found", "error": "nothing was tested"}
    for text in [*result.get("warnings", ()), *result.get("error", "").splitlines()]:
        console.print(text, style="yellow", markup=False)
    console.print(
        f"[{style}]{words[result['status']]}[/] after {count(result['passes'], 'pass', 'passes')},"
        f" {format_seconds(result['seconds'])};"
        f" {format_size(result['tested_bytes'])} tested,"
        f" {format_size(result['untested_bytes'])} not"
    )
    if result["bad_pages"] and badram:
        console.print(
            f"{count(result['bad_pages'], 'bad page')};"
            f" the line gives up {count(badram['sacrificed_pages'], 'page')}"
            f" by {count(len(badram['patterns']), 'pattern')}"
            f" in {count(badram['ranges'], 'range')}:"
        )
