# SPDX-License-Identifier: MIT
"""The answers to the questions, as tables for people and as rows for the CSV files. Each says how
many machines it is about, and what it cannot say."""

from dataclasses import dataclass

from .. import records
from ..tables import Table
from ..units import count, format_seconds, format_size
from . import groups, intervals, questions
from .engines import rows
from .groups import Group, Member
from .questions import Questions

_ALL_WEEKS = "all"


@dataclass(frozen=True)
class Answer:
    name: str  # of the CSV file, and in the page
    table: Table
    columns: tuple  # of the CSV
    rows: list  # dictionaries
    lines: tuple = ()  # (machine, badram line): to be copied


def answers(tables, since=None):
    """All of them, one by one."""
    ask = Questions(tables, since)
    overview = rows(ask.overview())[0]
    yield _overview(overview, rows(ask.statuses()))
    yield _bad_machines(rows(ask.bad_machines()), rows(ask.suspect_modules()), overview)
    yield _modules_to_order(rows(ask.modules_to_order()), overview)
    yield _modules(ask)
    yield _slow_nodes(rows(ask.slow_nodes()), rows(ask.nodes_compared())[0])
    yield _corrected(ask)
    yield _kinds(rows(ask.kinds()), overview)
    yield _unfinished(rows(ask.unfinished()), overview)
    yield _changing_pages(rows(ask.changing_pages()), rows(ask.compared_runs())[0])
    if since:
        firsts = rows(ask.first_times())
        yield _rates(rows(ask.campaigns()), firsts, since)
        yield _new(firsts, rows(ask.new_pages()), since)


def _answer(name, title, columns, found, notes, *, cells=None, shown=None, lines=(), more=()):
    """columns: {name in the CSV: heading of the table}; more: columns of the CSV alone. cells:
    {name: what shows it of a row}, where _SHOW does not tell how. shown: the rows of the table, if
    they are not all that are found."""
    cells = cells or {}
    table_rows = [
        [
            cells[column](row) if column in cells else _SHOW.get(column, _text)(row[column])
            for column in columns
        ]
        for row in (found if shown is None else shown)
    ]
    table = Table(title, tuple(columns.values()), table_rows, tuple(notes))
    return Answer(name, table, (*columns, *more), found, tuple(lines))


def _text(value):
    return "" if value is None else str(value)


def _when(text):
    return (text or "").replace("T", " ")


def _rate(mb_s):
    return f"{mb_s:.0f}"


def _percent(value):
    return f"{100 * value:.3g} %"


# How a column is shown; others as they are.
_SHOW = {
    "started": _when,
    "last_started": _when,
    "first": _when,
    "last": _when,
    "seconds": format_seconds,
    "tested_bytes": lambda value: "" if value is None else format_size(value),
    "size_bytes": lambda value: "" if value is None else format_size(value),
    "share": _percent,
    "mb_s": _rate,
    "median": _rate,
    "z": "{:.1f}".format,
    "kind": records.words("kind", "kind").get,
}


# --- the fleet -----------------------------------------------------------------------------------


def _overview(found, statuses):
    statuses.sort(key=lambda row: (-row["runs"], row["status"]))
    notes = [
        f"{count(found['machines'], 'machine')}, {count(found['runs'], 'run')},"
        f" from {_when(found['first'])} to {_when(found['last'])} by the machines' clocks.",
        f"{count(found['tested_machines'], 'machine')} tested to the end of a run;"
        f" {found['bad_machines']} with bad pages.",
    ]
    notes.append(
        f"{count(found['signed'] or 0, 'run')} signed, which only the machine itself can check;"
        f" {found['runs'] - (found['signed'] or 0)} unsigned."
    )
    if found["without_name"]:
        notes.append(
            f"{count(found['without_name'], 'run')} without a UUID or serial numbers: each counts"
            " as a machine of its own."
        )
    if found["date_by_file"]:
        notes.append(
            f"{count(found['date_by_file'], 'run')} without a date of the machine: that of the file"
            " is taken."
        )
    if found["lines_left_out"]:
        notes.append(
            f"{count(found['lines_left_out'], 'line')} of these reports were damaged or are unknown"
            " to this okram; what was in them is missing in all tables."
        )
    columns = {"status": "<result", "runs": "runs", "machines": "machines"}
    return _answer("runs", "Runs", columns, statuses, notes)


def _suspects(modules):
    """{machine: its modules that are bad, or of which one is, in words}."""
    of_machine = {}
    for row in modules:
        words = " ".join(filter(None, (row["slot"], row["part"], row["serial"])))
        of_machine.setdefault(row["machine"], []).append(words)
    return {machine: sorted(words) for machine, words in of_machine.items()}


def _one_of(modules, is_named):
    return f"one of {len(modules)}" if len(modules) > 1 and not is_named else "; ".join(modules)


def _bad_machines(found, modules, overview):
    found.sort(key=lambda row: (row["started"], row["machine"]), reverse=True)
    suspects = _suspects(modules)
    named = {row["machine"] for row in modules if row["is_named"]}
    for row in found:
        row["modules"] = "; ".join(suspects.get(row["machine"], ()))
    return _answer(
        "bad_machines",
        "Machines with bad pages",
        {
            "machine": "<machine",
            "model": "<model",
            "started": "<last found",
            "signature": "<signature",
            "bad_pages": "bad pages",
            "modules": "<module",
            "bad_runs": "runs with bad pages",
            "runs": "runs",
            "last_status": "<last result",
            "last_started": "<last run",
            "line": "<badram line",
        },
        found,
        [
            f"{len(found)} of {count(overview['machines'], 'machine')}. The line is that of the"
            " last run that found bad pages; pages that only other runs found are not in it.",
            "A machine without bad pages is not proven sound: see what its tests exclude.",
        ],
        cells={
            "modules": lambda row: _one_of(
                suspects.get(row["machine"], ()), row["machine"] in named
            )
        },
        lines=[(row["machine"], row["line"]) for row in found if row["line"]],
    )


def _modules_to_order(found, overview):
    found.sort(key=lambda row: (row["maker"], row["part"], row["machine"], row["slot"]))
    machines = len({row["machine"] for row in found})
    return _answer(
        "modules_to_order",
        "Modules to order",
        {
            "machine": "<machine",
            "model": "<model",
            "slot": "<slot",
            "maker": "<maker",
            "part": "<part",
            "size_bytes": "size",
            "serial": "<serial of the bad one",
            "started": "<last found",
        },
        found,
        [
            f"{machines} of {count(overview['bad_machines'], 'machine')} with bad pages, whose last"
            " run that found any names the module: the only one, one that a search has found, or"
            " those that faults are in by the memory controller's registers, which measurements"
            " confirm.",
        ],
    )


# --- modules -------------------------------------------------------------------------------------


def _modules(ask):
    of_all = rows(ask.modules_of_all())[0]
    found = [row | {"made": _ALL_WEEKS} for row in rows(ask.modules())]
    found += [row | {"made": _week(row)} for row in rows(ask.modules("year", "week"))]
    _compare(found, of_all, ask.machines_of_parts)
    return _answer(
        "modules",
        "Modules by part number and week of manufacture",
        {
            "part": "<part",
            "made": "<week",
            "modules": "modules",
            "machines": "machines",
            "bad": "bad",
            "share": "bad share",
            "low": "<95 %",
            "named": "named",
            "is_more": "<",
        },
        found,
        [
            f"{count(of_all['machines'], 'machine')} with modules that have a part number,"
            f" {of_all['bad'] or 0} of them with bad pages. Parts without any are in the CSV"
            " only.",
            "bad: machines with bad pages that have this part. A report rarely says which"
            " module is bad, so a machine counts for each part in it; named: machines whose"
            " report names a module of this part.",
            "more than the rest: by chance alone any part of this table would be marked in 1 %"
            " of such tables (Fisher's exact test, Bonferroni). as with: it has more only by"
            " machines that it shares with that group. It does not say that the modules are the"
            " cause: machines with this part may have something else in common.",
        ],
        cells={"low": _interval, "is_more": _mark},
        shown=[row for row in found if row["bad"]],
        more=("high", "as_with"),
    )


def _corrected(ask):
    of_all = rows(ask.corrected_of_all())[0]
    found = rows(ask.corrected())
    _compare(found, of_all, ask.corrected_of_parts)
    return _answer(
        "corrected_errors",
        "Corrected errors by part number",
        {
            "part": "<part",
            "machines": "machines",
            "bad": "with errors",
            "share": "share",
            "low": "<95 %",
            "errors": "errors",
            "named": "named",
            "is_more": "<",
        },
        found,
        [
            f"{count(of_all['machines'], 'machine')} with ECC on and modules that have a part"
            f" number, {of_all['bad'] or 0} of them with corrected errors.",
            "named: machines whose firmware names a slot with this part. Otherwise a machine's"
            " errors count for each part in it. Errors come in bursts: machines are compared,"
            " not errors. A machine without ECC cannot show any.",
        ],
        cells={"low": _interval, "is_more": _mark},
        shown=[row for row in found if row["bad"]],
        more=("high", "as_with"),
    )


def _interval(row):
    return f"{_percent(row['low'])} to {_percent(row['high'])}"


def _mark(row):
    if row["is_more"]:
        return "more than the rest"
    return f"as with {row['as_with']}" if row["as_with"] else ""


def _compare(found, of_all, machines_of_parts):
    """Adds to each group its share, the interval, and whether it is more than the rest's, or only
    as with another group; and puts them in order."""
    total = Group(of_all["machines"], of_all["bad"] or 0)
    counted = {_name(row): Group(row["machines"], row["bad"]) for row in found}
    suspects = groups.suspects(counted, total)
    explained = {}
    if suspects:
        parts = sorted({part for part, _ in suspects})
        members = _members(rows(machines_of_parts(parts)), set(suspects))
        explained = groups.explain(counted, total, members)
    for row in found:
        row["share"] = row["bad"] / row["machines"]
        row["low"], row["high"] = intervals.share(row["bad"], row["machines"])
        name = _name(row)
        row["is_more"] = name in explained and explained[name] is None
        row["as_with"] = " ".join(explained.get(name) or ()).strip()
    found.sort(key=lambda row: (not row["is_more"], -row["low"], *_name(row)))


def _name(row):
    return row["part"], row.get("made", "")


def _members(machines, suspects):
    """{machine: Member} of those in suspects."""
    members = {}
    for row in machines:
        made = (_ALL_WEEKS, _week(row)) if "week" in row else ("",)
        for name in {(row["part"], of) for of in made} & suspects:
            member = members.setdefault(row["machine"], Member(bool(row["has_bad"]), {}))
            member.groups[name] = member.groups.get(name, False) or bool(row["is_bad"])
    return members


def _week(row):
    if row["year"] is None:
        return "unknown"
    return f"{row['year']}-W{row['week'] or 0:02}"


# --- nodes, kinds of fault -----------------------------------------------------------------------


def _slow_nodes(found, compared):
    found.sort(key=lambda row: (row["machine"], row["cpu_node"], row["op"]))
    return _answer(
        "slow_nodes",
        "Nodes slower than their model's median",
        {
            "machine": "<machine",
            "model": "<model",
            "cpu": "<processor",
            "cpu_node": "node",
            "op": "<operation",
            "mb_s": "MB/s",
            "median": "median",
            "z": "deviations",
            "machines": "of machines",
        },
        found,
        [
            f"{compared['compared']} of {count(compared['measured'], 'machine')} with bandwidth"
            f" could be compared: with {questions.MODEL_MACHINES_MIN} or more of the same model,"
            " processor and number of nodes.",
            f"Slow: {questions.SLOW_DEVIATIONS} deviations (from the median absolute deviation)"
            f" and {round(100 - 100 * questions.SLOW_SHARE)} % below the median of its like. It"
            " does not say why: a module that is missing or runs slower, a setting, heat.",
        ],
    )


def _kinds(found, overview):
    found.sort(key=lambda row: (-row["machines"], row["kind"], _text(row["lane"])))
    return _answer(
        "kinds",
        "Kinds of fault by byte lane",
        {
            "kind": "<kind",
            "lane": "byte lane",
            "bits": "data bits",
            "bus_bits": "of",
            "machines": "machines",
            "sure": "sure",
        },
        found,
        [
            f"{sum(row['machines'] for row in found)} of"
            f" {count(overview['bad_machines'], 'machine')} with bad pages, each by its last run"
            " that says a kind. Without a byte lane the fault does not keep to some data bits, or"
            " memory is encrypted.",
        ],
    )


# --- runs of one machine -------------------------------------------------------------------------


def _unfinished(found, overview):
    found.sort(key=lambda row: (row["started"], row["machine"]), reverse=True)
    return _answer(
        "unfinished",
        "Runs that never ended",
        {
            "machine": "<machine",
            "model": "<model",
            "runs": "runs",
            "started": "<last such run",
            "last_test": "<last test",
            "seconds": "known for",
            "tested_bytes": "tested",
            "last_status": "<last result",
            "last_started": "<last run",
        },
        found,
        [
            f"{len(found)} of {count(overview['machines'], 'machine')}. A hang, a reset and a power"
            " cut look alike, and so does a console whose last lines are lost, or a run that is"
            " still going on.",
        ],
    )


def _changing_pages(found, compared):
    found.sort(key=lambda row: row["machine"])
    return _answer(
        "changing_pages",
        "Pages that come and go",
        {
            "machine": "<machine",
            "runs": "whole runs",
            "first": "<from",
            "last": "<to",
            "is_always": "bad in all",
            "came": "came",
            "went": "went",
            "other": "in between",
        },
        found,
        [
            f"{count(compared['machines'], 'machine')} with {questions.PAGES_RUNS_MIN} or more"
            " whole runs whose bad pages are all known. Pages that came were bad in the last run"
            " and not in the first; those that went, the other way round.",
            "Runs may have used other tests, and addresses move when modules are moved or settings"
            " change: it is a reason to look, not a proof.",
        ],
    )


# --- since a date --------------------------------------------------------------------------------

_EVENTS = {
    "bad pages": "machines with bad pages, first time",
    "corrected errors": "machines with corrected errors, first time",
    "unfinished": "runs that never ended",
}


def _rates(campaigns, firsts, since):
    before, after = (_campaign(campaigns, firsts, is_since) for is_since in (0, 1))
    found = [_compared_rates(what, before, after) for what in _EVENTS]
    return _answer(
        "rates",
        f"Since {since}: rates",
        {
            "what": "<what",
            "before": "before",
            "hours_before": "hours",
            "rate_before": "in 1000 h",
            "low_before": "<95 %",
            "since": "since",
            "hours_since": "hours",
            "rate_since": "in 1000 h",
            "low_since": "<95 %",
            "is_more": "<",
        },
        found,
        [
            f"{count(before['machines'], 'machine')} before, {after['machines']} since; hours are"
            " those of all runs. The intervals are exact for events that come independently of"
            " each other (Poisson).",
            "A first time is less likely the longer a machine was tested, and other tests find"
            " other faults: compare campaigns with the same options.",
        ],
        cells={
            "what": lambda row: _EVENTS[row["what"]],
            "hours_before": lambda row: f"{row['hours_before']:g}",
            "rate_before": lambda row: _three_digits(row["rate_before"]),
            "low_before": lambda row: _rate_interval(row, "before"),
            "hours_since": lambda row: f"{row['hours_since']:g}",
            "rate_since": lambda row: _three_digits(row["rate_since"]),
            "low_since": lambda row: _rate_interval(row, "since"),
            "is_more": lambda row: "higher than before" if row["is_more"] else "",
        },
        more=("high_before", "high_since"),
    )


def _three_digits(value):
    return "" if value is None else f"{value:.3g}"


def _rate_interval(row, when):
    low, high = (_three_digits(row[f"{end}_{when}"]) for end in ("low", "high"))
    return low and f"{low} to {high}"


def _campaign(campaigns, firsts, is_since):
    found = next((row for row in campaigns if row["is_since"] == is_since), None)
    found = found or {"machines": 0, "hours": 0.0, "unfinished": 0}
    for what in ("bad pages", "corrected errors"):
        found[what] = sum(row["what"] == what and row["is_since"] == is_since for row in firsts)
    return found


def _compared_rates(what, before, after):
    row = {"what": what, "is_more": False}
    for name, found in (("before", before), ("since", after)):
        hours = found["hours"] or 0.0
        row |= {name: found[what], f"hours_{name}": round(hours, 1)}
        row |= {f"{kind}_{name}": None for kind in ("rate", "low", "high")}
        if hours > 0:
            low, high = intervals.rate(found[what], hours / 1000)
            row |= {
                f"rate_{name}": found[what] / hours * 1000,
                f"low_{name}": low,
                f"high_{name}": high,
            }
    if before["hours"] and after["hours"]:
        row["is_more"] = intervals.is_higher_rate(
            after[what], after["hours"], before[what], before["hours"], len(_EVENTS)
        )
    return row


def _new(firsts, pages, since):
    nothing = dict.fromkeys(("model", "first", "runs_before", "pages"))
    found = [nothing | row for row in firsts if row["is_since"]]
    with_first = {row["machine"] for row in found if row["what"] == "bad pages"}
    found += [
        nothing | row | {"what": "more bad pages"}
        for row in pages
        if row["machine"] not in with_first
    ]
    found.sort(key=lambda row: (row["what"], row["machine"]))
    return _answer(
        "new",
        f"Since {since}: what is new",
        {
            "machine": "<machine",
            "model": "<model",
            "what": "<new",
            "first": "<first in the run of",
            "runs_before": "runs before",
            "pages": "pages",
        },
        found,
        [
            f"{count(len({row['machine'] for row in found}), 'machine')}. Without runs before, it"
            " is not known whether it is new.",
        ],
    )
