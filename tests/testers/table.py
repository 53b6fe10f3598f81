# SPDX-License-Identifier: MIT
"""Tables and a plot of the results, into docs/testers.md and docs/testers.svg."""

import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: E402

from testers import faults, figures  # noqa: E402
from testers.plot import Axis, Point, curves  # noqa: E402
from testers.run import RESULTS, TESTERS, read_results  # noqa: E402
from testers.trial import WIDE_PAGES  # noqa: E402

DOCUMENT = TESTS.parent / "docs" / "testers.md"
OURS, RIVAL = "okram-standard", "memtest86+-7.20"

_BEGIN, _END = "<!-- testers -->\n", "<!-- /testers -->\n"

# The colours of the report's page, for a picture of its own.
_STYLE = """<style>
svg { --text: #1b232c; --soft: #57626e; --line: #dde2e8; background: #fff;
  font-family: system-ui, sans-serif }
.s0 { --series: #1f6fb5 } .s1 { --series: #b8570a } .s2 { --series: #2d7d3a }
.s3 { --series: #8b3fa8 } .s4 { --series: #a3263f } .s5 { --series: #5a6570 }
text { font-size: 13px; fill: var(--text) } .axis { fill: var(--soft) }
.middle { text-anchor: middle } .end { text-anchor: end }
.grid { stroke: var(--line) } .edge { stroke: var(--soft) }
polyline { fill: none; stroke: var(--series); stroke-width: 1.6 }
circle, .curve rect, .curve path, [class^="s"] > rect, [class^="s"] > path { fill: var(--series) }
</style>"""


@dataclass(frozen=True)
class Curve:
    what: str  # of a result
    path: Path
    title: str
    axis: str
    unit: str
    least: float


WRITES = Curve(
    "writes",
    DOCUMENT.with_suffix(".svg"),
    "Faults found by writes of a cell",
    "writes of a good cell until a fault is reported (log scale)",
    "writes",
    figures.WRITES_LEAST,
)
SECONDS = Curve(
    "cpu_s",
    DOCUMENT.with_name("testers-seconds.svg"),
    "Faults that both found, by CPU seconds",
    "CPU seconds until a fault is reported (log scale)",
    "CPU seconds",
    figures.CPU_S_LEAST,
)


def main():
    results = read_results(RESULTS)
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(), tables(results)))
    for curve in (WRITES, SECONDS):
        curve.path.write_text(plot(results, curve) + "\n")


def with_tables(text, new):
    before, rest = text.split(_BEGIN, 1)
    return before + _BEGIN + new + _END + rest.split(_END, 1)[1]


def tables_of(text):
    """What is between the markers."""
    return text.split(_BEGIN, 1)[1].split(_END, 1)[0]


def by_tester(results):
    """{tester: {fault: row}}, good memory not included; in the testers' order."""
    rows = defaultdict(dict)
    for (number, name), row in results.items():
        if number:
            rows[name][number] = row
    return {name: rows[name] for name in [*TESTERS, *sorted(rows - TESTERS.keys())] if rows[name]}


def tables(results):
    """Markdown."""
    rows = by_tester(results)
    if not rows:
        return "Nothing was run yet.\n\n"
    good = {name: results[0, name] for name in rows if (0, name) in results}
    all_rows = [row for of in rows.values() for row in of.values()]
    environment = Environment(
        loader=FileSystemLoader(TESTS / "testers"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {
        "percent": _percent,
        "number": _number,
        "cell": _cell,
        "counts": _counts,
    }
    return environment.get_template("tables.md.j2").render(
        title=_title,
        version=_version,
        n_faults=len(faults.draw()),
        n_run=len({row["fault"] for row in all_rows}),
        n_all=len(set.intersection(*(set(of) for of in rows.values()))),
        dates=sorted({row["date"] for row in all_rows}),
        good=good,
        cut_off=sorted({row["limit_s"] for row in all_rows if row["end"] == "limit"}),
        rows=rows,
        score=figures.score,
        kinds=_scores(rows, "kind", faults.KINDS),
        places=_scores(rows, "place", faults.PLACES),
        ours=OURS,
        pairs=_pairs(rows),
        given_up=_given_up(rows),
    )


def _title(name):
    return TESTERS[name].title if name in TESTERS else name


def _version(rows):
    """What it called itself; of several, all."""
    return ", ".join(sorted({row["version"] for row in rows.values() if row["version"]}))


def _scores(rows, what, order):
    """{kind: {tester: score}}"""
    return {
        value: {
            name: figures.score([row for row in of.values() if row[what] == value])
            for name, of in rows.items()
        }
        for value in order
    }


def _given_up(rows):
    """{(kind, bad pages): {tester: median of the pages that its line takes}}, of wide faults."""
    taken = defaultdict(lambda: defaultdict(list))
    for name, of in rows.items():
        for row in of.values():
            if row["bad_pages"] > WIDE_PAGES and row["given_up"] is not None:
                taken[row["kind"], row["bad_pages"]][name].append(row["given_up"])
    return {
        kind: {name: statistics.median(pages) for name, pages in of.items()}
        for kind, of in sorted(taken.items())
    }


def _pairs(rows):
    ours = rows.get(OURS, {})
    return {name: figures.pair(ours, of) for name, of in rows.items() if name != OURS}


def _percent(share):
    return f"{100 * share:.0f}"


def _number(value):
    if value is None:
        return ""
    return f"{value:.1f}" if value < 10 and value != int(value) else f"{value:.0f}"


def _cell(score):
    return f"{score.found}/{score.runs}" if score.runs else ""


def _counts(ahead):
    return ", ".join(map(str, ahead)) if any(ahead) else ""


def plot(results, curve):
    rows = by_tester(results)
    if curve is SECONDS and OURS in rows and RIVAL in rows:
        rows[OURS], rows[RIVAL] = figures.comparable(rows[OURS], rows[RIVAL])
        rows = {name: rows[name] for name in (OURS, RIVAL)}
    series = {
        name: [
            Point(
                max(curve.least, amount),
                100 * share,
                f"{name}: {100 * share:.0f} % in {amount} {curve.unit}",
            )
            for amount, share in figures.found_by(list(of.values()), curve.what)
        ]
        for name, of in rows.items()
    }
    series = {name: points for name, points in series.items() if points}
    drawn = curves(
        curve.title,
        "; ".join(f"{name}: {points[-1].label}" for name, points in series.items()),
        series,
        Axis(curve.axis, True, "{:g}".format),
        Axis("faults found, %", ticks=(0, 20, 40, 60, 80, 100)),
    )
    head, rest = str(drawn).split(">", 1)
    return f'{head} xmlns="http://www.w3.org/2000/svg">{_STYLE}{rest}'


if __name__ == "__main__":
    main()
