# SPDX-License-Identifier: MIT
"""The answers as one page of HTML, like that of a run."""

from .. import charts
from ..page import render
from ..sections import Figure

_BARS_MAX = 20


def page(answers):
    return render("fleet.html", title="okram: the fleet", answers=answers, figure=figure)


def figure(answer):
    """The chart of an answer, or None."""
    draw = {"modules": _shares, "corrected_errors": _shares, "slow_nodes": _nodes}.get(answer.name)
    shown = [row for row in answer.rows if row.get("bad", 1)][:_BARS_MAX]
    return draw(answer, shown) if draw and shown else None


def _shares(answer, rows):
    groups = [
        (
            _group(row),
            [
                (
                    100 * row["share"],
                    f"{row['bad']} of {row['machines']}",
                    f"{_group(row)}: {row['bad']} of {row['machines']} machines,"
                    f" {100 * row['low']:.3g} to {100 * row['high']:.3g} %",
                )
            ],
        )
        for row in rows
    ]
    title = f"{answer.table.title}: share of machines"
    description = "; ".join(label for _, ((_, _, label),) in groups)
    return Figure(charts.bars(title, description, groups, ["share"], "%"))


def _group(row):
    return f"{row['part'][:24]} {row.get('made', '')}"


def _nodes(answer, rows):
    groups = [
        (
            f"{row['machine'][:13]} node {row['cpu_node']} {row['op']}",
            [
                (row["mb_s"], f"{row['mb_s']:.0f}", f"{row['machine']}: {row['mb_s']:.0f} MB/s"),
                (row["median"], f"{row['median']:.0f}", f"the median: {row['median']:.0f} MB/s"),
            ],
        )
        for row in rows
    ]
    title = "Slow nodes and their model's median"
    description = "; ".join(label for _, ((_, _, label), _) in groups)
    return Figure(charts.bars(title, description, groups, ["node", "median"], "MB/s"))
