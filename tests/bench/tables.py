"""What pass_bench has measured, as text for people."""

from statistics import median

from okramlib.units import GIB, format_size

# What okram promises; a figure is shown beside its promise.
FASTER_THAN_MEMTEST86 = 8
SPEED_UP = 1.8
SIZES_APART_PERCENT = 10
START_MEMORY = 4 * GIB
START_S = 1

_WARM = "  the second pass"


def of(results):
    parts = [_head(results), _pass(results), _cpus(results), _sizes(results)]
    parts.append([f"Note: {note}" for note in results["notes"]])
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _head(results):
    return [
        f"okram {results['okram']} in QEMU {results['qemu']} (TCG, thread=multi, -cpu max)",
        f"Host: {results['host_cpus']} CPUs, load average {results['load_before']:.2f} before,"
        f" {results['load_after']:.2f} after. Medians (smallest-largest, runs).",
        "In a run's first pass the host has to find the memory: so the second pass's figures, too.",
    ]


def _pass(results):
    most = results["cpus"][-1]
    alone, whole = _values(most, "test_seconds"), _values(most, "result_seconds")
    lines = [
        f"A pass, {format_size(results['memory'])}, CPUs: {most['cpus']}",
        _row("okram, standard: its tests", alone, "s"),
        _row("okram, kernel entry to result", whole, "s"),
        _row("  host CPUs that QEMU had", _values(most, "host_cpus_used"), ""),
    ]
    runs = results["memtest86"]
    if not runs:
        return lines
    theirs = [run["seconds"] for run in runs]
    ratio = median(theirs) / median(whole)
    lines += [
        _row(f"memtest86+ {runs[0]['version']}, first pass", theirs, "s"),
        _row("  host CPUs that QEMU had", [run["host_cpus_used"] for run in runs], ""),
        f"    without bit fade; {runs[0]['cpus']} CPUs {runs[0]['mode']};"
        f" errors it counted: {sum(run['errors'] for run in runs)}",
        _figure("memtest86+ / okram's tests", f"{median(theirs) / median(alone):.1f}"),
        _figure(
            "memtest86+ / okram, entry to result",
            f"{ratio:.1f}",
            f"at least {FASTER_THAN_MEMTEST86}",
        ),
    ]
    return lines


def _cpus(results):
    lines = [f"CPUs, a standard pass, {format_size(results['memory'])}"]
    for run in results["cpus"]:
        lines.append(_row(f"CPUs: {run['cpus']}", _values(run, "test_seconds"), "s"))
        lines.append(_row(_WARM, _values(run, "warm_seconds"), "s"))
    whole, warm = speed_up(results, "test_seconds"), speed_up(results, "warm_seconds")
    lines.append(_figure("speed-up", f"{whole:.2f}"))
    lines.append(_figure(_WARM, f"{warm:.2f}", f"at least {SPEED_UP}"))
    return lines


def _sizes(results):
    sizes = results["sizes"]
    if not sizes:
        return []
    lines = [f"Sizes, CPUs: {results['cpus'][-1]['cpus']}, tests={results['size_tests']}"]
    for run in sizes:
        lines.append(_row(format_size(run["memory"]), _values(run, "seconds_per_gib"), "s/GiB"))
        lines.append(_row(_WARM, _values(run, "warm_seconds_per_gib"), "s/GiB"))
    if len(sizes) > 1:
        whole = sizes_apart_percent(results, "seconds_per_gib")
        warm = sizes_apart_percent(results, "warm_seconds_per_gib")
        lines.append(_figure("furthest apart", f"{whole:.1f} %"))
        lines.append(_figure(_WARM, f"{warm:.1f} %", f"within {SIZES_APART_PERCENT} %"))
    for run in sizes:
        if run["memory"] == START_MEMORY:
            start = _values(run, "first_sweep_seconds")
            name = f"kernel entry to first sweep, {format_size(START_MEMORY)}"
            lines.append(_row(name, start, "s", f"under {START_S} s"))
    return lines


def speed_up(results, what):
    one, most = results["cpus"][0], results["cpus"][-1]
    return median(_values(one, what)) / median(_values(most, what))


def sizes_apart_percent(results, what):
    """How much longer a GiB takes at the worst size than at the best."""
    medians = [median(_values(run, what)) for run in results["sizes"]]
    return (max(medians) / min(medians) - 1) * 100


def _values(run, name):
    return [one[name] for one in run["passes"]]


def _row(name, values, unit, wanted=None):
    spread = f"({min(values):.2f}-{max(values):.2f}, {len(values)})"
    return _figure(name, f"{median(values):.2f} {unit}".strip(), wanted, spread)


def _figure(name, value, wanted=None, spread=""):
    line = f"  {name:<36} {value:>12}  {spread:<22}"
    return f"{line} wanted: {wanted}" if wanted else line.rstrip()
