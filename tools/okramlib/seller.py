# SPDX-License-Identifier: MIT
"""A sheet for the seller of a bad memory module: which modules, what was tested, which faults.

The loader writes the same sheet into its own page (boot/uefi/last_report/report_seller.c)."""

from dataclasses import dataclass

from . import outcome
from .tables import Table
from .units import count, format_seconds, format_size

_MODULES_MAX = 8  # that have room on a page of A4
_FAULTS_MAX = 8

_VERDICTS = {"fail": "FAIL", "corrected": "ERRORS CORRECTED"}


@dataclass
class Sheet:
    verdict: str
    of: str  # after headings: the run that they are about
    which: str  # module it is, as far as that is known
    modules: Table | None
    tested: list[str]  # sentences
    found: list[str]
    faults: Table | None


def sheet(types):
    """None without faults; but always once a search has found the bad module."""
    for result in types.get("result", [])[-1:]:
        is_found = result["status"] != "error" and _found_module(types)
        if result["status"] in _VERDICTS or is_found:
            own = _VERDICTS.get(result["status"], "BAD MODULE FOUND")
            return Sheet(
                (is_found and outcome.headline(types)) or own,
                " in the last run" if is_found else "",
                _which(types),
                _modules(types),
                list(_tested(types, result)),
                list(_found(types, result)),
                _faults(types),
            )
    return None


def _found_module(types):
    """The record of a search that has found the module, or None."""
    for diagnosis in types.get("diagnosis", [])[-1:]:
        is_found = diagnosis["end"] == "module" and diagnosis["found"]
        if is_found and diagnosis["runs"] > 1:  # older reports had it after one run
            return diagnosis
    return None


def _which(types):
    n = len(types.get("module", []))
    if found := _found_module(types):
        runs = count(found["runs"], "run")
        return (
            f"{found['found']} Found by testing with modules exchanged, in {runs}."
            f" {found['reasons'].removesuffix(found.get('remedy', '')).rstrip()}"
        )
    if n == 1:
        return "The machine has one memory module, listed below."
    if n:
        return "The fault is in one of the memory modules listed below; which one was not tested."
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
    faults = outcome.faults(types)
    if result["status"] not in _VERDICTS:
        yield "No fault: see above for the runs with it."
    elif not result["bad_pages"] or (not faults and outcome.ecc_errors(result)):
        is_good = result["status"] == "corrected"
        did = "corrected" if is_good else "reported" if result["bad_pages"] else "could not correct"
        yield f"The memory made errors, which its error correction (ECC) {did}."
        if errors := outcome.ecc_errors(result):
            yield f"{errors}. Good memory hardly ever does that."
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
