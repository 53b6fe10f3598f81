# SPDX-License-Identifier: MIT
"""A run as text for Prometheus (exposition format 0.0.4), for the textfile collector of
node_exporter, which takes no times of samples. Base units, and names as Prometheus' "Metric and
label naming" has them; all are gauges, since a file is about one run."""

from collections import Counter
from datetime import UTC

from . import measured, records, totals
from .measured import ALL_CPUS

_MB = 1_000_000
_NS = 1_000_000_000

# Of what is measured, by its unit: the name's end, and the number in base units.
_BASES = {
    "MB/s": ("bytes_per_second", lambda mb_s: round(mb_s * _MB)),
    "ns": ("seconds", lambda ns: round(ns / _NS, 15)),
    "%": ("ratio", lambda percent: round(percent / 100, 6)),
}


def write(file, run, problems=()):
    """Writes the run; what is not known is left out. problems: what could not be read of its
    file."""
    types = measured.by_type(run)
    for name, text, samples in _metrics(types, problems):
        shown = [f"{name}{_labels(labels)} {value}\n" for labels, value in samples]
        if shown:
            file.write(f"# HELP {name} {text}\n# TYPE {name} gauge\n{''.join(shown)}")


def _labels(labels):
    pairs = (f'{name}="{_escaped(str(value))}"' for name, value in labels.items())
    return f"{{{','.join(pairs)}}}" if labels else ""


def _escaped(value):
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _one(value):
    return [] if value is None else [({}, value)]


def _metrics(types, problems):
    """(name, help, [(labels, value)])"""
    result = totals.last(types, "result") or {}
    ecc = result.get("ecc", {})
    yield "okram_run_info", "What was run on which machine.", [(_run(types), 1)]
    yield (
        "okram_run_start_time_seconds",
        "When the run started, in seconds since 1970, by a clock taken for one of UTC.",
        _one(_start(types)),
    )
    yield "okram_run_duration_seconds", "Duration of the run.", _one(result.get("seconds"))
    yield (
        "okram_result",
        "The result of the run: 1 for the status that it has.",
        [({"status": s}, int(s == totals.status(types))) for s in totals.STATUSES],
    )
    yield "okram_bad_pages", "Bad pages of 4 KiB.", _one(totals.bad_pages(types))
    yield "okram_faults", "Faults that the tests found.", _one(totals.faults(types))
    yield "okram_passes", "Whole passes.", _one(totals.passes(types))
    yield "okram_tested_bytes", "RAM tested.", _one(totals.tested_bytes(types))
    yield "okram_untested_bytes", "RAM not tested.", _one(result.get("untested_bytes"))
    for name in ("corrected", "uncorrected"):
        what = f"Errors of memory that ECC has {'' if name == 'corrected' else 'not '}corrected."
        yield f"okram_{name}_errors", what, _one(ecc.get(name))
    yield (
        "okram_bandwidth_bytes_per_second",
        "Bandwidth of all CPUs of a node to the memory of a node.",
        _bandwidth(types),
    )
    yield (
        "okram_latency_seconds",
        "Idle latency of a CPU of a node to the memory of a node.",
        _latency(types),
    )
    yield from _figures(types)
    yield (
        "okram_report_problems",
        "What could not be read of the report.",
        _one(len(problems)),
    )


def _run(types):
    start, state = totals.last(types, "start") or {}, totals.last(types, "state") or {}
    return {
        "version": start.get("version", ""),
        "boot": start.get("boot", ""),
        "cmdline": start.get("cmdline", ""),
        "board": state.get("board", ""),
        "cpu": (totals.last(types, "machine") or {}).get("cpu", ""),
    }


def _start(types):
    started = totals.started(types)
    return started and int(started.replace(tzinfo=UTC).timestamp())


def _bandwidth(types):
    for op, matrices in measured.matrices(types.get("bandwidth", [])).items():
        for (cpu_node, mem_node), record in matrices[ALL_CPUS].items():
            labels = {"cpu_node": cpu_node, "mem_node": mem_node, "op": op}
            yield labels, round(record["mb_s"]["mean"] * _MB)


def _latency(types):
    for (cpu_node, mem_node), record in measured.latency_matrix(types.get("latency", [])).items():
        yield {"cpu_node": cpu_node, "mem_node": mem_node}, round(record["ns"] / _NS, 12)


def _figures(types):
    """Every figure of every measurement. Records that differ in what they measured alone, as the
    points of a curve do, have their number in the order measured."""
    found = {suffix: [] for suffix, _ in _BASES.values()}
    runs = []
    for kind in records.measured():
        numbers = Counter()
        for record in types.get(kind, []):
            for quantity, unit, stats, facts in measured.figures(record):
                labels = {"record": kind, "quantity": quantity} | facts
                numbers[str(labels)] += 1
                labels |= {"number": numbers[str(labels)]}
                suffix, base = _BASES[unit]
                for name in ("mean", "best", "stddev", "min", "max"):
                    if stats[name] is not None:
                        found[suffix].append((labels | {"stat": name}, base(stats[name])))
                if stats["runs"] is not None:
                    runs.append((labels, stats["runs"]))
    for suffix, samples in found.items():
        yield (
            f"okram_measured_{suffix}",
            "What was measured: mean, best and spread of the runs.",
            samples,
        )
    yield "okram_measured_runs", "How often it was measured.", runs
