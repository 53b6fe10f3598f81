# SPDX-License-Identifier: MIT
"""The answers to the questions, as tables for people and as rows for the CSV files. Each says how
many machines it is about, and what it cannot say."""

from dataclasses import dataclass

from ..outcome import KINDS
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
    yield _modules(ask)
    yield _slow_nodes(rows(ask.slow_nodes()), rows(ask.nodes_compared())[0])
    yield _corrected(ask)
    yield _kinds(rows(ask.kinds()), overview)
    yield _unfinished(rows(ask.unfinished()), overview)
    yield _changing_pages(rows(ask.changing_pages()), rows(ask.compared_runs())[0])
    if since:
        yield _campaigns(rows(ask.campaigns()), rows(ask.first_times()), since)
        yield _new(rows(ask.first_times()), rows(ask.new_pages()), since)


def _answer(name, title, columns, cells, data, notes, lines=(), more=()):
    """columns: {name in the CSV: name in the table}; cells(row) are those of the table; more: names
    in the CSV alone."""
    table = Table(title, tuple(columns.values()), [cells(row) for row in data], tuple(notes))
    return Answer(name, table, (*columns, *more), data, tuple(lines))


def _when(text):
    return (text or "").replace("T", " ")


def _text(value):
    return "" if value is None else str(value)


def _mark(row):
    if row["is_more"]:
        return "more than the rest"
    return f"as with {row['as_with']}" if row["as_with"] else ""


def _percent(value):
    return f"{100 * value:.3g} %"


def _interval(row):
    return f"{_percent(row['low'])} to {_percent(row['high'])}"


# --- the fleet -----------------------------------------------------------------------------------


def _overview(found, statuses):
    statuses.sort(key=lambda row: (-row["runs"], row["status"]))
    notes = [
        f"{count(found['machines'], 'machine')}, {count(found['runs'], 'run')},"
        f" from {_when(found['first'])} to {_when(found['last'])} by the machines' clocks.",
        f"{count(found['tested_machines'], 'machine')} tested to the end of a run;"
        f" {found['bad_machines']} with bad pages.",
    ]
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
    return _answer(
        "runs",
        "Runs",
        {"status": "<result", "runs": "runs", "machines": "machines"},
        lambda row: [row["status"], str(row["runs"]), str(row["machines"])],
        statuses,
        notes,
    )


def _suspects(modules):
    """{machine: its modules of which one is bad, in words}."""
    of_machine = {}
    for row in modules:
        words = " ".join(filter(None, (row["slot"], row["part"], row["serial"])))
        of_machine.setdefault(row["machine"], []).append(words)
    return {machine: sorted(words) for machine, words in of_machine.items()}


def _one_of(modules):
    return modules[0] if len(modules) == 1 else f"one of {len(modules)}" if modules else ""


def _bad_machines(found, modules, overview):
    found.sort(key=lambda row: (row["started"], row["machine"]), reverse=True)
    suspects = _suspects(modules)
    for row in found:
        row["modules"] = "; ".join(suspects.get(row["machine"], ()))
    return _answer(
        "bad_machines",
        "Machines with bad pages",
        {
            "machine": "<machine",
            "model": "<model",
            "started": "<last found",
            "bad_pages": "bad pages",
            "modules": "<module",
            "bad_runs": "runs with bad pages",
            "runs": "runs",
            "last_status": "<last result",
            "last_started": "<last run",
            "line": "<badram line",
        },
        lambda row: [
            row["machine"],
            row["model"],
            _when(row["started"]),
            str(row["bad_pages"]),
            _one_of(suspects.get(row["machine"], ())),
            str(row["bad_runs"]),
            str(row["runs"]),
            row["last_status"],
            _when(row["last_started"]),
            row["line"] or "",
        ],
        found,
        [
            f"{len(found)} of {count(overview['machines'], 'machine')}. The line is that of the"
            " last run that found bad pages; pages that only other runs found are not in it.",
            "A machine without bad pages is not proven sound: see what its tests exclude.",
        ],
        [(row["machine"], row["line"]) for row in found if row["line"]],
    )


# --- modules -------------------------------------------------------------------------------------


def _modules(ask):
    of_all = rows(ask.modules_of_all())[0]
    found = [row | {"made": _ALL_WEEKS} for row in rows(ask.modules())]
    found += [row | {"made": _week(row)} for row in rows(ask.modules("year", "week"))]
    _compare(found, of_all, ask.machines_of_parts)
    found.sort(key=_module_order)
    shown = [row for row in found if row["bad"]]
    return Answer(
        "modules",
        Table(
            "Modules by part number and week of manufacture",
            ("<part", "<week", "modules", "machines", "bad", "bad share", "<95 %", "named", "<"),
            [
                [
                    row["part"],
                    row["made"],
                    str(row["modules"]),
                    str(row["machines"]),
                    str(row["bad"]),
                    _percent(row["share"]),
                    _interval(row),
                    str(row["named"]),
                    _mark(row),
                ]
                for row in shown
            ],
            (
                f"{count(of_all['machines'], 'machine')} with modules that have a part number,"
                f" {of_all['bad'] or 0} of them with bad pages. Parts without any are in the CSV"
                " only.",
                "bad: machines with bad pages that have this part. A report seldom says which"
                " module is bad, so a machine counts for each part in it; named: machines whose"
                " report names a module of this part.",
                "more than the rest: by chance alone any part of this table would be marked in 1 %"
                " of such tables (Fisher's exact test, Bonferroni). as with: it has more only by"
                " machines that it shares with that group. It does not say that the modules are the"
                " cause: machines with this part may have something else in common.",
            ),
        ),
        (
            *("part", "made", "modules", "machines", "bad", "share", "low", "high"),
            *("named", "is_more", "as_with"),
        ),
        found,
    )


def _compare(found, of_all, machines_of_parts):
    """Adds to each group its share, the interval, and whether it is more than the rest's, or only
    as with another group."""
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


def _module_order(row):
    return (
        not row["is_more"],
        -row["low"],
        row["part"],
        row.get("made", ""),
    )


def _week(row):
    if row["year"] is None:
        return "unknown"
    return f"{row['year']}-W{row['week'] or 0:02}"


def _corrected(ask):
    of_all = rows(ask.corrected_of_all())[0]
    found = rows(ask.corrected())
    _compare(found, of_all, ask.corrected_of_parts)
    found.sort(key=_module_order)
    shown = [row for row in found if row["bad"]]
    return Answer(
        "corrected_errors",
        Table(
            "Corrected errors by part number",
            ("<part", "machines", "with errors", "share", "<95 %", "errors", "named", "<"),
            [
                [
                    row["part"],
                    str(row["machines"]),
                    str(row["bad"]),
                    _percent(row["share"]),
                    _interval(row),
                    str(row["errors"]),
                    str(row["named"]),
                    _mark(row),
                ]
                for row in shown
            ],
            (
                f"{count(of_all['machines'], 'machine')} with ECC on and modules that have a part"
                f" number, {of_all['bad'] or 0} of them with corrected errors.",
                "named: machines whose firmware names a slot with this part. Otherwise a machine's"
                " errors count for each part in it. Errors come in bursts: machines are compared,"
                " not errors. A machine without ECC cannot show any.",
            ),
        ),
        (
            *("part", "machines", "bad", "share", "low", "high", "errors", "named"),
            *("is_more", "as_with"),
        ),
        found,
    )


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
        lambda row: [
            row["machine"],
            row["model"],
            row["cpu"],
            str(row["cpu_node"]),
            row["op"],
            f"{row['mb_s']:.0f}",
            f"{row['median']:.0f}",
            f"{row['z']:.1f}",
            str(row["machines"]),
        ],
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
        lambda row: [
            KINDS[row["kind"]],
            _text(row["lane"]),
            _text(row["bits"]),
            _text(row["bus_bits"]),
            str(row["machines"]),
            str(row["sure"]),
        ],
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
        lambda row: [
            row["machine"],
            row["model"],
            str(row["runs"]),
            _when(row["started"]),
            row["last_test"],
            format_seconds(row["seconds"]),
            "" if row["tested_bytes"] is None else format_size(row["tested_bytes"]),
            row["last_status"],
            _when(row["last_started"]),
        ],
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
        lambda row: [
            row["machine"],
            str(row["runs"]),
            _when(row["first"]),
            _when(row["last"]),
            str(row["is_always"]),
            str(row["came"]),
            str(row["went"]),
            str(row["other"]),
        ],
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


def _campaigns(campaigns, firsts, since):
    before, after = (_campaign(campaigns, firsts, is_since) for is_since in (0, 1))
    whats = ("bad pages", "corrected errors", "unfinished")
    found = [_rates(what, before, after, len(whats)) for what in whats]
    names = {
        "bad pages": "machines with bad pages, first time",
        "corrected errors": "machines with corrected errors, first time",
        "unfinished": "runs that never ended",
    }
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
        lambda row: [
            names[row["what"]],
            *_rate_cells(row, "before"),
            *_rate_cells(row, "since"),
            "higher than before" if row["is_more"] else "",
        ],
        found,
        [
            f"{count(before['machines'], 'machine')} before, {after['machines']} since; hours are"
            " those of all runs. The intervals are exact for events that come independently of"
            " each other (Poisson).",
            "A first time is less likely the longer a machine was tested, and other tests find"
            " other faults: compare campaigns with the same options.",
        ],
        more=("high_before", "high_since"),
    )


def _campaign(campaigns, firsts, is_since):
    found = next((row for row in campaigns if row["is_since"] == is_since), None)
    found = found or {"machines": 0, "runs": 0, "hours": 0.0, "unfinished": 0}
    for what in ("bad pages", "corrected errors"):
        found[what] = sum(row["what"] == what and row["is_since"] == is_since for row in firsts)
    return found


def _rates(what, before, after, looked_at):
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
            after[what], after["hours"], before[what], before["hours"], looked_at
        )
    return row


def _rate_cells(row, name):
    hours = f"{row[f'hours_{name}']:g}"
    if row[f"rate_{name}"] is None:
        return [str(row[name]), hours, "", ""]
    interval = f"{row[f'low_{name}']:.3g} to {row[f'high_{name}']:.3g}"
    return [str(row[name]), hours, f"{row[f'rate_{name}']:.3g}", interval]


def _new(firsts, pages, since):
    found = [
        {
            "machine": row["machine"],
            "model": row["model"],
            "what": row["what"],
            "first": row["first"],
            "runs_before": row["runs_before"],
            "pages": None,
        }
        for row in firsts
        if row["is_since"]
    ]
    with_first = {row["machine"] for row in found if row["what"] == "bad pages"}
    found += [
        {
            "machine": row["machine"],
            "model": "",
            "what": "more bad pages",
            "first": None,
            "runs_before": None,
            "pages": row["pages"],
        }
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
        lambda row: [
            row["machine"],
            row["model"],
            row["what"],
            _when(row["first"]),
            _text(row["runs_before"]),
            _text(row["pages"]),
        ],
        found,
        [
            f"{count(len({row['machine'] for row in found}), 'machine')}. Without runs before, it"
            " is not known whether it is new.",
        ],
    )
