# SPDX-License-Identifier: MIT
"""The rows of a report in the tables of schema.py."""

import re
import time
from datetime import datetime, timedelta

from .. import copied, measured, totals, units
from ..units import PAGE
from . import machine_name

_TEXT_MAX = 1000  # characters; firmware's texts are far shorter
_LINE_MAX = 1 << 20
_PAGE_ROWS_MAX = 100_000  # of a run
_PAGES_LIMIT = 2**52  # of 64 bits of addresses
_FIRST = datetime(2020, 1, 1)  # noqa: DTZ001  before okram: the clock has lost the time
_FIRST_S = _FIRST.timestamp()


def rows_of(report, date, date_by):
    """{table: [row]}, a row as a dictionary with the columns of its table."""
    types = report.types
    pages, has_all = _pages(types)
    made = {
        "runs": [_run(report, types, date, date_by, has_all)],
        "modules": _modules(types),
        "pages": pages,
        "bandwidth": _bandwidth(types),
        "ecc": list(_ecc(types)),
        "kinds": list(_kinds(types)),
        "lines": list(_lines(types)),
    }
    name = {"report": report.name}
    return {table: [name | row for row in rows] for table, rows in made.items()}


def says(run, pages):
    """The result of a run in words, with a sum of its list of pages if all are in it; "": there is
    none."""
    if run["status"] == totals.UNFINISHED and not run["bad_pages"]:
        return ""
    text = run["status"]
    if run["bad_pages"]:
        text += f", {units.count(run['bad_pages'], 'bad page')}"
    if run["has_all_pages"] and pages:
        listed = sorted((row["base"], row["end"]) for row in pages)
        text += f" (list {machine_name.digest(str(listed))[:8]})"
    return text


def are_at_odds(one, other):
    """Whether two reports of one run cannot both be true. A run that went on has more pages."""
    if not one or not other:
        return False
    if totals.UNFINISHED in (one.split(",")[0], other.split(",")[0]):
        return ("bad page" in one) != ("bad page" in other)
    (one, list_one), (other, list_other) = (text.partition(" (")[::2] for text in (one, other))
    return one != other or bool(list_one and list_other and list_one != list_other)


def started(report):
    """When the run started, and who says so: the run, or the file's own time."""
    identity = totals.last(report.types, "identity") or {}
    state = totals.last(report.types, "state") or {}
    for text in (identity.get("date"), state.get("started")):
        if _is_date(text):
            return text, "run"
    return report.source.date, "file"


def file_date(seconds):
    """A file's time as a date. Who sends a file by HTTP may choose it: one that cannot be is taken
    for the current time."""
    now = time.time()
    found = datetime.fromtimestamp(seconds if _FIRST_S <= seconds <= now else now)  # noqa: DTZ006
    return found.isoformat(timespec="seconds")


def _is_date(text):
    try:
        found = datetime.fromisoformat(text)
        tomorrow = datetime.now() + timedelta(days=1)  # noqa: DTZ005
        # As text it sorts as time does: only in one form.
        return found.isoformat() == text and _FIRST <= found <= tomorrow
    except (TypeError, ValueError):
        return False


def _text(value, most=_TEXT_MAX):
    return None if value is None else value[:most]


def _is_of_all_memory(result):
    """Whether a page that is not in its list was tested: not in a part, and not what an old line
    hides."""
    is_part = result.get("part_of_bytes") or result.get("hole_pages")
    return bool(result.get("complete")) and not is_part


def _run(report, types, date, date_by, has_all):
    machine, machine_by = machine_name.name(types, report.source.machine, report.key)
    result = totals.last(types, "result") or {}
    found = totals.last(types, "machine") or {}
    state = totals.last(types, "state") or {}
    start = totals.last(types, "start") or {}
    tests = types.get("test", [])
    ecc = result.get("ecc", {})
    return {
        "key": report.key,
        "version": report.version,
        "machine": machine,
        "machine_by": machine_by,
        "model": _text(machine_name.model(types)),
        "cpu": _text(found.get("cpu", "")),
        "okram": _text(start.get("version", "")),
        "started": date,
        "date_by": date_by,
        "source": _text(report.source.name),
        "signature": report.signature,
        "status": totals.status(types),
        "complete": _is_of_all_memory(result),
        "passes": totals.passes(types),
        "seconds": float(_seconds(report, result)),
        "tested_bytes": totals.tested_bytes(types),
        "ram_bytes": found.get("ram_bytes", state.get("ram_bytes")),
        "bad_pages": totals.bad_pages(types),
        "has_all_pages": has_all,
        "faults": totals.faults(types),
        "corrected": ecc.get("corrected"),
        "uncorrected": ecc.get("uncorrected"),
        "memory_ecc": found.get("memory_ecc", {}).get("state"),
        "nodes": found.get("nodes"),
        "last_test": _text(state.get("test") or (tests[-1]["test"] if tests else "")),
        "lines": report.n_lines,
        "lines_left_out": report.left_out,
    }


def _seconds(report, result):
    """How long the run took, or of one that has not ended: up to its last record."""
    if result:
        return max(0, result["seconds"])
    return max((record.get("t", 0) for record in report.records), default=0)


def _modules(types):
    modules = types.get("module", [])
    named = _named(types, modules)
    return [
        {
            "slot": _text(module["slot"]),
            "kind": _text(module["kind"]),
            "size_bytes": module["size_bytes"],
            "maker": _text(module["maker"]),
            "part": _text(module["part"]),
            "serial": _text(module["serial"]),
            "chip_maker": _text(module["chip_maker"]),
            "year": module["year"],
            "week": module["week"],
            "configured_mt_s": module["configured_mt_s"],
            "is_named": any(module is one for one in named),
        }
        for module in modules
    ]


def _named(types, modules):
    """The modules that the report says are bad: that of a diagnosis which has ended, those that
    faults were measured in, or the only one."""
    if len(modules) == 1:
        return modules if totals.bad_pages(types) else []
    diagnosis = totals.last(types, "diagnosis")
    if not diagnosis or not diagnosis["end"]:
        return totals.faulty_modules(types)
    if diagnosis["end"] != "module":
        return []
    for before, field in (("", "serial"), ("is now in ", "slot")):
        found = [
            m for m in modules if m[field] and _has_word(diagnosis["found"], before + m[field])
        ]
        if len(found) == 1:
            return found
    return []


def _has_word(text, word):
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _pages(types):
    """Rows of runs of bad pages, and whether these are all bad pages of the report."""
    records = types.get("pages", [])
    if records:
        runs = [
            (int(base, 16) // PAGE, -(-int(end, 16) // PAGE))
            for record in records
            for base, end in record["runs"]
        ]
        left_out = any(record.get("more") for record in records)
    else:
        runs, left_out = [(page, page + 1) for page in _named_pages(types)], False
    joined = _joined(runs)
    is_cut = len(joined) > _PAGE_ROWS_MAX
    n_pages = sum(end - base for base, end in joined)
    has_all = (
        not left_out
        and not is_cut
        and n_pages == (totals.bad_pages(types) or 0) + totals.hidden_pages(types)
    )
    rows = [{"base": base, "end": end} for base, end in joined[:_PAGE_ROWS_MAX]]
    return rows, has_all


def _named_pages(types):
    """Numbers of bad pages in records of other types."""
    for kind, field in (
        ("fault", "addr"),
        ("retest", "page"),
        ("mce", "page"),
        ("cper", "page"),
        ("ecc_page", "page"),
    ):
        for record in types.get(kind, []):
            if record.get(field):
                yield int(record[field], 16) // PAGE


def _joined(runs):
    """In rising order, those that touch as one."""
    joined = []
    for base, end in sorted(runs):
        if base >= end or end > _PAGES_LIMIT:
            continue
        if joined and base <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((base, end))
    return joined


def _bandwidth(types):
    return [
        {
            "cpu_node": record["cpu_node"],
            "mem_node": record["mem_node"],
            "op": record["op"],
            "threads": record["threads"],
            "mean": float(record["mb_s"]["mean"]),
            "stddev": measured.stats(record, "mb_s")["stddev"],
            "repeats": record["runs"],
        }
        for record in types.get("bandwidth", [])
        if "order" not in record
    ]


def _ecc(types):
    for record in types.get("mce", []):
        if record.get("memory"):
            yield _error(record, "mce", record["corrected"], "")
    for record in types.get("cper", []):
        if record["severity"] != "information":
            slot = record.get("part", "")
            yield _error(record, "cper", record["severity"] == "corrected", slot)


def _error(record, source, corrected, slot):
    page = record.get("page")
    return {
        "source": source,
        "corrected": corrected,
        "errors": record.get("count", 1),
        "channel": _text(record.get("channel", "")),
        "slot": _text(slot),
        "page": int(page, 16) // PAGE if page else None,
    }


def _kinds(types):
    for record in types.get("kind", [])[-1:]:
        yield {
            "kind": record["kind"],
            "confidence": record["confidence"],
            "bit": record.get("bit"),
            "bits": record.get("bits"),
            "bus_bits": record.get("bus_bits"),
            "chip": _text(record.get("chip", "")),
        }


def _lines(types):
    """Only lines that are of okram's own forms: people copy them."""
    for record in types.get("badram", [])[-1:]:
        if line := copied.badram(record)[0]:
            yield {"name": "badram", "place": "", "text": line[:_LINE_MAX]}
    for record in types.get("line", []):
        if line := copied.other(record)[0]:
            yield {"name": record["name"], "place": _text(record["place"]), "text": line}
