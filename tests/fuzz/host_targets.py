# SPDX-License-Identifier: MIT
"""Readers in Python as fuzz targets: each takes any bytes; a reader may only raise Trouble.

With a name and libFuzzer's options, runs that target under atheris, which is in build/fuzz/python:

    PYTHONPATH=build/fuzz/python:tests:tools python3 -m fuzz.host_targets py_varstore -runs=1000
"""

import atexit
import functools
import importlib
import io
import json
import os
import re
import sys
import tempfile
from pathlib import Path

# What atheris instruments: by name, so that nothing of them is imported before.
_MODULES = (
    "okramlib.varstore",
    "okramlib.guard.partition",
    "okramlib.reading",
    "okramlib.console_log",
    "okramlib.terminal",
    "okramlib.bare_numbers",
    "okramlib.faulty",
    "okramlib.memory_map",
    "okramlib.compare",
    "okramlib.fleet.arrivals",
)


def _module(name):
    return importlib.import_module(name)


def _trouble():
    return _module("okramlib").Trouble


@functools.cache
def _path():
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()
    path = Path(memory) / f"okram-fuzz-{os.getpid()}"
    atexit.register(path.unlink, missing_ok=True)
    return path


def _as_file(content):
    """A file of that content, in memory where that can be: always the same one."""
    _path().write_bytes(content)
    return _path()


def py_varstore(content):
    """OVMF's file of variables."""
    try:
        found = _module("okramlib.varstore").read(_as_file(content), "")
    except _trouble():
        return
    assert sum(len(variable.data) for variable in found) <= len(content)
    assert len({(v.name, v.vendor) for v in found}) == len(found)


def py_partition(content):
    """A disk's table of partitions; the first byte is the partition's number."""
    number = content[0] if content else 1
    try:
        found = _module("okramlib.guard.partition").read(_as_file(content[1:]), number)
    except _trouble():
        return
    assert found.partition.number == number >= 1
    assert isinstance(found.is_efi_system, bool)


def py_compare(content):
    """Two runs, halves of the input, as far as their records are right."""
    reading, compare = _module("okramlib.reading"), _module("okramlib.compare")
    runs = []
    for half in (content[: len(content) // 2], content[len(content) // 2 :]):
        try:
            read = reading.read_text(half.decode(errors="replace"), "a run")
        except _trouble():
            return
        runs.append(_module("okramlib.measured").by_type(read.records))
    for row in compare.rows(*runs):
        assert row.significant() in (
            compare.HIGHER,
            compare.LOWER,
            compare.WITHIN,
            compare.UNKNOWN,
        )
        row.difference_percent()
    only = compare.only_in_one(*runs)
    assert not set(only[0]) & set(only[1])
    list(compare.tables(runs, ("a", "b")))
    compare.summary(*runs)


def py_console(content):
    """The log of a console: whole records in it, and what a person is told of the rest."""
    text = content.decode(errors="replace")
    for line in text.splitlines():
        whole, rest = _module("okramlib.console_log").split(line)
        assert sum(map(len, whole)) + sum(map(len, rest)) <= len(line)
        assert all(isinstance(json.loads(record), dict) for record in whole)
        assert all(part.strip() for part in rest)
    try:
        read = _module("okramlib.reading").read_text(text, "a log")
    except _trouble():
        return
    assert all(record["type"] for record in read.records)
    for sentence in (*read.problems, *read.notes):
        assert sentence.isprintable(), sentence


def py_arrivals(content):
    """nginx's log of the reports that iPXE sends: what is complete, and right by its CRC."""
    arrivals = _module("okramlib.fleet.arrivals")
    found = arrivals.Arrivals()
    file = io.StringIO(content.decode("ascii", errors="replace"), newline="\n")
    for arrival in arrivals.read(file, found):
        assert arrivals.FORM["machine"].fullmatch(arrival.machine)
        assert arrival.report.data and "/" not in arrival.report.name
    assert 0 <= found.n_bad <= found.n_lines
    assert bool(found.n_bad) == bool(found.first_bad)


_FORM = re.compile(r"(0x[0-9a-f]+)([-,])(0x[0-9a-f]+)|=0x[0-9a-f]+")


def py_faulty(content):
    """Bad pages, of any origin. The first byte: whether numbers are pages, and which base."""
    options, text = content[:1] or b"\0", content[1:].decode(errors="replace")
    bad, n_lost = _module("okramlib.faulty").Faulty(), 0
    base = (None, 10, 16)[options[0] >> 1 & 3] if options[0] >> 1 & 3 < 3 else None
    try:
        skipped = list(bad.read(text.splitlines(keepends=True), options[0] & 1, base))
    except _trouble():
        return
    for number, why in skipped:
        assert 1 <= number <= text.count("\n") + len(text) and why
        n_lost += "names no bad page" not in why
    assert n_lost <= bad.n_lost <= len(skipped)
    assert not bad.inferred_base or base is None
    for form in bad.forms():
        match = _FORM.fullmatch(form)
        assert match and (not match[1] or int(match[1], 16) < 1 << 46)
        if match[2] == "-":
            assert int(match[1], 16) < int(match[3], 16) <= 1 << 46


def py_map(content):
    """A memory map, of a log or of /proc/iomem."""
    try:
        found = _module("okramlib.memory_map").parse_map(content.decode(errors="replace"), "a map")
    except _trouble():
        return
    for spans in (found.ram, found.pieces):
        assert all(base < end for base, end in spans)
        assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:]))
    assert found.entries >= len(found.ram) > 0


TARGETS = {
    target.__name__: target
    for target in (
        py_varstore,
        py_partition,
        py_compare,
        py_console,
        py_arrivals,
        py_faulty,
        py_map,
    )
}


def main(name, *options):
    import atheris

    with atheris.instrument_imports(include=list(_MODULES)):
        for module in _MODULES:
            importlib.import_module(module)
    if name == "py_compare":
        _module("scipy.stats")  # which takes seconds, not for the first input to pay
    atheris.Setup([sys.argv[0], *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
