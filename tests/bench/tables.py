# SPDX-License-Identifier: MIT
"""The results of pass_bench as text."""

from statistics import median

from okramlib.units import GIB, format_size

# What okram promises; a figure is shown next to its promise.
FASTER_THAN_MEMTEST86 = 18  # without what both wait for on purpose: retention, bit fade
RESULT_FASTER_THAN_MEMTEST86 = 10
SPEED_UP = 1.9
SIZES_APART_PERCENT = 10
START_MEMORY = 4 * GIB
START_S = 1
LARGE_START_S = 3

_WARM = "  later passes"


def of(results):
    parts = [_head(results), _pass(results), _tests(results), _coverage(results)]
    parts += [_cpus(results), _sizes(results), _ends(results)]
    parts.append([f"Note: {note}" for note in results["notes"]])
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _head(results):
    return [
        f"okram {results['okram']} in QEMU {results['qemu']} (TCG, thread=multi, -cpu max)",
        f"Host: {results['host_cpus']} CPUs, load average {results['load_before']:.2f} before,"
        f" {results['load_after']:.2f} after. Medians (smallest-largest, runs).",
        "In a run's first pass the host has to find the memory: so the later passes' figures, too.",
    ]


def _pass(results):
    most = results["cpus"][-1]["passes"]
    busy, whole = _values(most, "busy_seconds"), _values(most, "result_seconds")
    lines = [
        f"A pass, {_machine(results)}",
        _row("okram, standard: its tests", _values(most, "seconds"), "s"),
        _figure("  sweeps", _sweeps(most, "sweeps")),
        _row("  without retention", busy, "s"),
        _figure("    sweeps", _sweeps(most, "busy_sweeps")),
        _row("okram, kernel entry to result", whole, "s"),
        _row("  host CPUs that QEMU had", _values(most, "host_cpus_used"), ""),
    ]
    runs = results["memtest86"]
    if not runs:
        return lines
    theirs = _values(runs, "seconds")
    return lines + [
        _memtest86(runs),
        _figure("  sweeps", _memtest86_sweeps(runs)),
        _row("  host CPUs that QEMU had", _values(runs, "host_cpus_used"), ""),
        f"    without bit fade; {runs[0]['cpus']} CPUs {runs[0]['mode']};"
        f" errors it counted: {sum(_values(runs, 'errors'))}",
        _times("memtest86+ / okram without retention", theirs, busy, FASTER_THAN_MEMTEST86),
        _times("memtest86+ / okram, entry to result", theirs, whole, RESULT_FASTER_THAN_MEMTEST86),
    ]


def _tests(results):
    """Of one run, so that the seconds are those of one pass."""
    passes = sorted(results["cpus"][-1]["passes"], key=lambda run: run["busy_seconds"])
    run = passes[(len(passes) - 1) // 2]
    lines = [
        f"Tests of a standard pass, {_machine(results)}: the median run",
        _test_row("", "sweeps", "seconds", "MB/s swept"),
    ]
    for test in run["tests"]:
        seconds, speed = f"{test['seconds']:.2f}", f"{test['mb_s']:.0f}"
        lines.append(_test_row(test["name"], f"{test['sweeps']:.4g}", seconds, speed))
    lines.append(_test_row("all", f"{run['sweeps']:.4g}", f"{run['seconds']:.2f}"))
    return lines


def _test_row(name, sweeps, seconds, speed=""):
    return f"  {name:<20} {sweeps:>8} {seconds:>10} {speed:>12}".rstrip()


def _coverage(results):
    """What covers the same, next to each other; and what more costs."""
    quick, most, runs = results["quick"], results["cpus"][-1]["passes"], results["memtest86"]
    lines = [
        f"Equal coverage, {_machine(results)}",
        "    between lines: 24 of 36 two-cell faults, and all of address decoders, by",
        "    `make coverage`: quick; moving inversions with a pattern and its complement.",
        "    memtest86+'s sweeps are counted in its source.",
        _row("okram, quick", _values(quick, "seconds"), "s"),
        _figure("  sweeps", _sweeps(quick, "sweeps")),
        _row("  host CPUs that QEMU had", _values(quick, "host_cpus_used"), ""),
    ]
    if runs:
        lines += [
            _memtest86(runs),
            _figure("  sweeps", _memtest86_sweeps(runs)),
            _times("memtest86+ / okram", _values(runs, "seconds"), _values(quick, "seconds")),
        ]
    return lines + [
        "    With 36 of 36, and with every coupling between bits of a word, which quick has not,",
        "    and for which memtest86+ has its many patterns:",
        _row("okram, standard without retention", _values(most, "busy_seconds"), "s"),
        _figure("  sweeps", _sweeps(most, "busy_sweeps")),
    ]


def _machine(results):
    return f"{format_size(results['memory'])}, CPUs: {results['cpus'][-1]['cpus']}"


def _memtest86(runs):
    name = f"memtest86+ {runs[0]['version']}, first pass"
    return _row(name, _values(runs, "seconds"), "s")


def _memtest86_sweeps(runs):
    sweeps = runs[0]["sweeps"]
    return "not counted" if sweeps is None else f"{sweeps}"


def _cpus(results):
    """Without retention: pauses last as long on any number of CPUs."""
    lines = [f"CPUs, a standard pass without retention, {format_size(results['memory'])}"]
    for run in results["cpus"]:
        passes = run["passes"]
        lines.append(_row(f"CPUs: {run['cpus']}", _values(passes, "busy_seconds"), "s"))
        lines.append(_row(_WARM, _values(passes, "warm_busy_seconds"), "s"))
    whole, warm = speed_up(results, "busy_seconds"), speed_up(results, "warm_busy_seconds")
    lines.append(_figure("speed-up", f"{whole:.2f}"))
    lines.append(_figure(_WARM, f"{warm:.2f}", f"at least {SPEED_UP}"))
    return lines


def _sizes(results):
    sizes = results["sizes"]
    if not sizes:
        return []
    lines = [f"Sizes, CPUs: {results['cpus'][-1]['cpus']}, tests={results['size_tests']}"]
    for run in sizes:
        passes, size = run["passes"], format_size(run["memory"])
        lines.append(_row(size, _values(passes, "seconds_per_gib"), "s/GiB"))
        lines.append(_row(_WARM, _values(passes, "warm_seconds_per_gib"), "s/GiB"))
    if len(sizes) > 1:
        whole = sizes_apart_percent(results, "seconds_per_gib")
        warm = sizes_apart_percent(results, "warm_seconds_per_gib")
        lines.append(_figure("furthest apart", f"{whole:.1f} %"))
        lines.append(_figure(_WARM, f"{warm:.1f} %", f"within {SIZES_APART_PERCENT} %"))
    for run in sizes:
        if run["memory"] == START_MEMORY:
            start = _values(run["passes"], "first_sweep_seconds")
            name = f"kernel entry to first sweep, {format_size(START_MEMORY)}"
            lines.append(_row(name, start, "s", f"under {START_S} s"))
    return lines


def _ends(results):
    """By the second pass: in the first the host has to find what is tested."""
    ends = results["ends"]
    if not ends:
        return []
    memory = format_size(results["ends_memory"])
    lines = [f"The ends of {memory}, CPUs: {results['cpus'][-1]['cpus']}, tests=quick"]
    for end in ends:
        passes = end["passes"]
        lines.append(_row(end["name"], _values(passes, "seconds_per_gib"), "s/GiB"))
        lines.append(_row(_WARM, _values(passes, "warm_seconds_per_gib"), "s/GiB"))
    warm = apart_percent(ends, "warm_seconds_per_gib")
    lines.append(_figure("apart, later passes", f"{warm:.1f} %", f"within {SIZES_APART_PERCENT} %"))
    start = [seconds for end in ends for seconds in _values(end["passes"], "first_sweep_seconds")]
    lines.append(_row("kernel entry to first sweep", start, "s", f"under {LARGE_START_S} s"))
    return lines


def speed_up(results, what):
    one, most = results["cpus"][0]["passes"], results["cpus"][-1]["passes"]
    return median(_values(one, what)) / median(_values(most, what))


def sizes_apart_percent(results, what):
    return apart_percent(results["sizes"], what)


def apart_percent(runs, what):
    """How much longer a GiB takes in the worst of the machines than in the best."""
    medians = [median(_values(run["passes"], what)) for run in runs]
    return (max(medians) / min(medians) - 1) * 100


def _values(runs, name):
    return [run[name] for run in runs]


def _sweeps(passes, name):
    return f"{median(_values(passes, name)):.4g}"


def _times(name, theirs, ours, at_least=None):
    wanted = f"at least {at_least}" if at_least else None
    return _figure(name, f"{median(theirs) / median(ours):.1f}", wanted)


def _row(name, values, unit, wanted=None):
    spread = f"({min(values):.2f}-{max(values):.2f}, {len(values)})"
    return _figure(name, f"{median(values):.2f} {unit}".strip(), wanted, spread)


def _figure(name, value, wanted=None, spread=""):
    line = f"  {name:<36} {value:>12}  {spread:<22}"
    return f"{line} wanted: {wanted}" if wanted else line.rstrip()
