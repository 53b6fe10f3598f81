# SPDX-License-Identifier: MIT
"""A sheet for the seller of a bad memory module: which modules, what was tested, which faults.

The loader writes the same sheet into its own page (boot/uefi/last_report/report_seller.c)."""

from dataclasses import dataclass

from . import outcome
from .tables import Table
from .units import count, format_seconds, format_size

_MODULES_MAX = 8  # that have room on a page of A4
_FAULTS_MAX = 8

_VERDICTS = {"fail": "FAIL", "corrected": "CORRECTED"}


@dataclass
class Sheet:
    verdict: str
    which: str  # module it is, as far as that is known
    modules: Table | None
    tested: list[str]  # sentences
    found: list[str]
    faults: Table | None


def sheet(types):
    """None without faults."""
    for result in types.get("result", [])[-1:]:
        if result["status"] in _VERDICTS:
            return Sheet(
                _VERDICTS[result["status"]],
                _which(types),
                _modules(types),
                list(_tested(types, result)),
                list(_found(types, result)),
                _faults(types),
            )
    return None


def _which(types):
    n = len(types.get("module", []))
    for diagnosis in types.get("diagnosis", [])[-1:]:
        is_found = diagnosis["end"] == "module" and diagnosis["found"]
        if is_found and diagnosis["runs"] > 1:  # one run has exchanged nothing
            runs = count(diagnosis["runs"], "run")
            return f"{diagnosis['found']} Found by testing with modules exchanged, in {runs}."
    if n == 1:
        return "The machine has one memory module, listed below."
    if n:
        return "The fault is in one of the memory modules listed below; it was not tested which."
    return "The machine does not say which memory modules it has."


def _modules(types):
    rows = []
    modules = types.get("module", [])
    for module in modules[:_MODULES_MAX]:
        week, year = module.get("week"), module.get("year")
        rows.append(
            [
                *(module.get(key) or "" for key in ("slot", "maker", "part", "serial")),
                f"week {week} of {year}" if week and year else "",
                format_size(module["size_bytes"]) if module.get("size_bytes") else "",
            ]
        )
    if not rows:
        return None
    columns = ("<slot", "<maker", "<part number", "<serial number", "<made", "<size")
    more = len(modules) - _MODULES_MAX
    return Table("Memory modules", columns, rows, (f"And {more} more.",) if more > 0 else ())


def _tested(types, result):
    machine = (outcome.kept(types) or outcome.machine(types)).rstrip(".")
    tests = dict.fromkeys(test["test"] for test in types.get("test", []))
    yield (
        f"{format_size(result['tested_bytes'])} of memory, in"
        f" {count(result['passes'], 'whole pass', 'whole passes')},"
        f" {format_seconds(max(0, result['seconds']))}."
    )
    if machine:
        yield f"Machine: {machine}."
    if tests:
        yield f"Tests: {', '.join(tests)}."
    version = f" {types['start'][-1]['version']}" if types.get("start") else ""
    yield (
        f"By okram{version}, a memory test that starts without an operating system: neither"
        " drivers nor programs were running."
    )


def _found(types, result):
    faults = sum(test["faults"] for test in types.get("test", []))
    if result["status"] == "corrected":
        yield "The memory made errors, which its error correction (ECC) corrected."
    elif not result["bad_pages"]:
        yield "The memory made errors that its error correction (ECC) could not correct."
    else:
        times = f"{count(faults, 'time')}, memory" if faults else "Memory"
        yield (
            f"{times} did not return what had been written, in"
            f" {count(result['bad_pages'], 'part')} of it (pages of 4 KiB). Good memory never"
            " does that."
        )
    for kind in types.get("kind", [])[-1:]:
        chip = f"; {kind['chip']}" if kind.get("chip") else ""
        sure = "" if kind["kind"] == "unclear" else f", {kind['confidence']}"
        yield (
            f"Kind of fault: {outcome.KINDS[kind['kind']]}{sure}{chip}."
            f" Evidence: {kind['evidence']}."
        )


def _faults(types):
    rows, hides_bits = [], outcome.is_encrypted(types)
    for fault in types.get("fault", [])[:_FAULTS_MAX]:
        wrong = 0 if hides_bits else int(fault["expected"], 16) ^ int(fault["found"], 16)
        bits = ", ".join(str(i) for i in range(64) if wrong >> i & 1)
        rows.append([fault["addr"], fault["expected"], fault["found"], bits])
    if not rows:
        return None
    columns = ("<address", "<written", "<read", "<wrong bits")
    return Table("The first faults, each of a word of 64 bits", columns, rows)
