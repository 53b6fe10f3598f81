# SPDX-License-Identifier: MIT
"""Figures of the results: what each tester found of what it was given. Pure."""

import statistics
from dataclasses import dataclass

from okramlib.fleet.intervals import share
from testers.trial import FAILED, FOUND, LIMIT, SILENT

CPU_S_LEAST, WRITES_LEAST = 0.1, 1
_CURVE_ROWS = 20  # at least


@dataclass(frozen=True)
class Score:
    """Of some runs of one tester."""

    runs: int
    found: int
    right: int  # of those found, told with a page of the fault
    wrong: int
    untold: int  # without a page
    limit: int  # not found, and no pass was complete
    failed: int  # it did not begin, or ended in an error
    cpu_s: float | None  # median to the fault, of those found alone in the machine
    writes: float | None  # the same of all that were found

    @property
    def interval(self):
        return share(self.found, self.runs) if self.runs else (0.0, 1.0)


def score(rows):
    found = [row for row in rows if row["end"] == FOUND]
    pages = [row["page"] for row in found]
    return Score(
        runs=len(rows),
        found=len(found),
        right=pages.count("right"),
        wrong=pages.count("wrong"),
        untold=pages.count("untold"),
        limit=sum(row["end"] == LIMIT for row in rows),
        failed=sum(row["end"] in (FAILED, SILENT) for row in rows),
        cpu_s=_median([row["cpu_s"] for row in found if _has_seconds(row)]),
        writes=_median([row["writes"] for row in found]),
    )


def _has_seconds(row):
    """That compare with others': in a machine with several faults, those found before this one cost
    time, as do the host's page faults, and older rows lack what a kernel did before it was seen."""
    return row["together"] == 1 and row["preallocated"] and row["from_entry"]


def _median(values):
    return statistics.median(values) if values else None


@dataclass(frozen=True)
class Pair:
    """Two testers, on the faults that both were given."""

    faults: int
    both: int
    first_only: list  # rows of the first tester
    second_only: list  # of the second
    unfinished: int  # of the second's runs: no pass was complete, and no fault found
    cpu_ratio: float | None  # median of second's CPU seconds by first's, where both found it
    writes_ratio: float | None
    cpu_ahead: tuple[int, int, int]  # of these: how many the first finds sooner, as soon, later
    writes_ahead: tuple[int, int, int]

    @property
    def first(self):
        """How many the first finds."""
        return self.both + len(self.first_only)

    @property
    def second(self):
        return self.both + len(self.second_only)


def pair(first, second):
    """first, second: {fault: row}."""
    common = sorted(first.keys() & second.keys())
    both = [n for n in common if _is_found(first[n]) and _is_found(second[n])]
    first_only = [n for n in common if _is_found(first[n]) and not _is_found(second[n])]
    second_only = [n for n in common if _is_found(second[n]) and not _is_found(first[n])]
    alone = [n for n in both if _is_comparable(first[n], second[n])]
    return Pair(
        faults=len(common),
        both=len(both),
        first_only=[first[n] for n in first_only],
        second_only=[second[n] for n in second_only],
        unfinished=sum(second[n]["end"] == LIMIT for n in common),
        cpu_ratio=_median(_ratios(first, second, alone, "cpu_s", CPU_S_LEAST)),
        writes_ratio=_median(_ratios(first, second, both, "writes", WRITES_LEAST)),
        cpu_ahead=_ahead(_ratios(first, second, alone, "cpu_s", CPU_S_LEAST)),
        writes_ahead=_ahead(_ratios(first, second, both, "writes", WRITES_LEAST)),
    )


def _is_comparable(a, b):
    """Another day the host may be faster."""
    return _has_seconds(a) and _has_seconds(b) and a["date"] == b["date"]


def _ratios(first, second, numbers, what, least):
    """Less than the least is that much: it is not known better."""
    return [max(least, second[n][what]) / max(least, first[n][what]) for n in numbers]


def _ahead(ratios):
    return (
        sum(ratio > 1 for ratio in ratios),
        sum(ratio == 1 for ratio in ratios),
        sum(ratio < 1 for ratio in ratios),
    )


def _is_found(row):
    return row["end"] == FOUND


def found_by(rows, what):
    """[(amount, share of the rows that were found with it or less)], rising, each amount once. Of
    CPU seconds, by rows that have them; none if these are few."""
    if what == "cpu_s":
        rows = [row for row in rows if _has_seconds(row)]
        rows = rows if len(rows) >= _CURVE_ROWS else []
    amounts = sorted(row[what] for row in rows if _is_found(row))
    shares = {amount: n / len(rows) for n, amount in enumerate(amounts, 1)}
    return list(shares.items())


def only_others(ours, others):
    """[(row, names)]: a row of each fault that we do not find, and who does. others: {name: {fault:
    row}}."""
    found = {}
    for name, of in others.items():
        for number, row in of.items():
            if _is_found(row) and number in ours and not _is_found(ours[number]):
                found.setdefault(number, (ours[number], []))[1].append(name)
    return [found[number] for number in sorted(found)]
