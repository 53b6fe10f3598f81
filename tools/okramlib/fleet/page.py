# SPDX-License-Identifier: MIT
"""The answers as one page of HTML: tables, some with a chart, that the viewer draws."""

from .. import page as pages

_BARS_MAX = 20


def page(answers):
    return pages.fleet("okram: the fleet", [pages.table(a.table, chart(a)) for a in answers])


def chart(answer):
    """The bars of an answer, or None."""
    draw = {"modules": _shares, "corrected_errors": _shares, "slow_nodes": _nodes}.get(answer.name)
    shown = [row for row in answer.rows if row.get("bad", 1)][:_BARS_MAX]
    return draw(answer, shown) if draw and shown else None


def _shares(answer, rows):
    groups = [[_group(row), [_share(row)]] for row in rows]
    title = f"{answer.table.title}: share of machines"
    return {"title": title, "names": ["share"], "unit": "%", "groups": groups}


def _share(row):
    found = f"{row['bad']} of {row['machines']}"
    limits = f"{100 * row['low']:.3g} to {100 * row['high']:.3g} %"
    return [100 * row["share"], found, f"{_group(row)}: {found} machines, {limits}"]


def _group(row):
    return f"{row['part'][:24]} {row.get('made', '')}"


def _nodes(answer, rows):
    groups = [
        [
            f"{row['machine'][:13]} node {row['cpu_node']} {row['op']}",
            [
                [row["mb_s"], f"{row['mb_s']:.0f}", f"{row['machine']}: {row['mb_s']:.0f} MB/s"],
                [row["median"], f"{row['median']:.0f}", f"the median: {row['median']:.0f} MB/s"],
            ],
        ]
        for row in rows
    ]
    title = "Slow nodes and their model's median"
    return {"title": title, "names": ["node", "median"], "unit": "MB/s", "groups": groups}
