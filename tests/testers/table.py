# SPDX-License-Identifier: MIT
"""Tables and a plot of the results, into docs/testers.md and docs/testers.svg."""

import re
import statistics
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools")]

from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: E402

from okramlib import version  # noqa: E402
from testers import faults, figures, released  # noqa: E402
from testers.okram import Okram  # noqa: E402
from testers.plot import Axis, Point, curves  # noqa: E402
from testers.run import RESULTS, TESTERS, read_results  # noqa: E402
from testers.trial import FOUND, LIMIT, PASSED, WIDE_PAGES  # noqa: E402

DOCUMENT = TESTS.parent / "docs" / "testers.md"
OURS = "okram-standard"
SUMS = TESTS / "testers" / "sums"

WAIT_S = 2  # of the test retention

BLOCKS = "summary", "testers"  # of the template; in the document each has its place

# The colours of the report's page, for a picture of its own.
_STYLE = """<style>
svg { --text: #1b232c; --soft: #57626e; --line: #dde2e8; background: #fff;
  font-family: system-ui, sans-serif }
.s0 { --series: #1f6fb5 } .s1 { --series: #b8570a } .s2 { --series: #2d7d3a }
.s3 { --series: #8b3fa8 } .s4 { --series: #a3263f } .s5 { --series: #5a6570 }
.s6 { --series: #0e8a8a } .s7 { --series: #c78a00 } .s8 { --series: #6a9e1f }
.s9 { --series: #d05c9c } .s10 { --series: #3f4aa8 } .s11 { --series: #7a5230 }
text { font-size: 13px; fill: var(--text) } .axis { fill: var(--soft) }
.middle { text-anchor: middle } .end { text-anchor: end }
.grid { stroke: var(--line) } .edge { stroke: var(--soft) }
circle, .curve rect, .curve path, [class^="s"] > rect, [class^="s"] > path { fill: var(--series) }
.curve .steps { fill: none; stroke: var(--series); stroke-width: 1.6 }
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
    "Faults found by CPU seconds",
    "CPU seconds until a fault is reported (log scale)",
    "CPU seconds",
    figures.CPU_S_LEAST,
)


def main():
    results = read_results(RESULTS)
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(), results))
    for curve in (WRITES, SECONDS):
        curve.path.write_text(plot(results, curve) + "\n")


def with_tables(text, results):
    for block in BLOCKS:
        begin, end = f"<!-- {block} -->\n", f"<!-- /{block} -->\n"
        before, rest = text.split(begin, 1)
        text = before + begin + tables(results, block) + end + rest.split(end, 1)[1]
    return text


def by_tester(results):
    """{tester: {fault: row}}, good memory not included; in the testers' order."""
    rows = defaultdict(dict)
    for (number, name), row in results.items():
        if number:
            rows[name][number] = row
    return {name: rows[name] for name in [*TESTERS, *sorted(rows - TESTERS.keys())] if rows[name]}


def tables(results, block):
    """Markdown of a block."""
    rows = by_tester(results)
    if not rows:
        return "Nothing was run yet.\n\n"
    good = {name: results[0, name] for name in rows if (0, name) in results}
    missed = figures.only_others(rows.get(OURS, {}), _others(rows))
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
        "ended": _ended,
        "why": _why_missed,
    }
    pairs = _pairs(rows)
    others = [(name, of) for name, of in pairs.items() if _is_another(name)]
    template = environment.get_template("tables.md.j2")
    context = {
        "names": list(rows),
        "title": _title,
        "version": _version,
        "sets": _sets(rows),
        "sums": [line.split() for line in SUMS.read_text().splitlines()],
        "dates": sorted({row["date"] for row in all_rows}),
        "good": good,
        "cut_off": sorted({row["limit_s"] for row in all_rows if row["end"] == "limit"}),
        "rows": rows,
        "score": figures.score,
        "only_others": [row for row, names in missed if any(map(_is_another, names))],
        "only_longer": [row for row, names in missed if not any(map(_is_another, names))],
        "kinds": _scores(rows, "kind", (*faults.KINDS, *released.FORMS)),
        "places": _scores(rows, "place", faults.PLACES),
        "ours": OURS,
        "pairs": pairs,
        "ahead": [_title(name) for name, of in others if of.second > of.first],
        "undecided": [
            _title(name) for name, of in others if of.second <= of.first < of.second + of.unfinished
        ],
        "given_up": _given_up(rows),
    }
    return "".join(template.blocks[block](template.new_context(context)))


def _title(name):
    return TESTERS[name].title if name in TESTERS else name


def _version(name, rows):
    """What it called itself; of several, all. Of okram's builds, how many rows each has: another
    program is always the one in the list of sums."""
    versions = sorted({row["version"] for row in rows if row["version"]})
    builds = Counter(row["program"] for row in rows if row["program"])
    if _is_another(name):
        return ", ".join(versions)
    noted = ", ".join(f"{build[:6]}: {n}" for build, n in builds.most_common())
    return ", ".join(versions) + (f" ({noted} of {len(rows)})" if noted else "")


def _scores(rows, what, order):
    """{kind: {tester: score}}"""
    return {
        value: {
            name: figures.score([row for row in of.values() if row[what] == value])
            for name, of in rows.items()
        }
        for value in order
    }


def _is_another(name):
    """Not okram at another level."""
    return not isinstance(TESTERS.get(name), Okram)


def _others(rows):
    return {name: of for name, of in rows.items() if name != OURS}


def _sets(rows):
    """[(title, number of faults, {tester: its rows})]: of the fixed seed, of the release's."""
    drawn = released.every()
    sets = []
    for name in (None, version()):
        numbers = {one.number for one in drawn if one.release == name}
        of_each = {
            tester: [row for number, row in of.items() if number in numbers]
            for tester, of in rows.items()
        }
        title = f"of the name {name}" if name else "of the fixed seed"
        sets.append((title, len(numbers), {name: of for name, of in of_each.items() if of}))
    return sets


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
    return {name: figures.pair(ours, of) for name, of in _others(rows).items()}


def _percent(share):
    return f"{100 * share:.0f}"


def _number(value):
    if value is None:
        return ""
    return f"{value:.1f}" if value < 10 and value != int(value) else f"{value:.0f}"


def _cell(score):
    return f"{score.found}/{score.runs}" if score.runs else ""


def _ended(row):
    if not row:
        return ""
    return {FOUND: "found", PASSED: "no", LIMIT: "cut off"}.get(row["end"], "did not run")


def _why_missed(row):
    """Why a pass of okram standard does not find it, as far as the fault's text tells."""
    if row["end"] != PASSED:
        return _ended(row)
    if lapse := re.search(r"^lapse@[^ ]*:(\d+)(?:/(\d+))?(?: |$)", row["spec"]):
        store = int(lapse[1]) - int(lapse[2] or lapse[1])  # before the run, if a pass has as many
        when = f"store {store}" if store > row["writes"] else f"one store of {lapse[1]}"
        return f"fails at {when}; a pass has {row['writes']}"
    if misread := re.search(r"^misread@.*:(\d+)$", row["spec"]):
        return f"by chance: one load in {misread[1]} is wrong"
    if row["place"] == faults.LOW:
        return "below 1 MiB only what comes again counts"
    if held := re.search(r"^(?:fade|leak)@.*:([0-9.]+)(?:/\d+)?$", row["spec"]):
        if float(held[1]) > WAIT_S:
            return f"holds its data for {float(held[1]):.1f} s; a pass waits {WAIT_S} s"
        return "a pass tries two of the eight states of three cells"
    if row["kind"].startswith("linked"):
        return "one coupling undoes the other before a read"
    if row["kind"].endswith("only"):
        return "by chance: which CPU stores, and when"
    return "by chance: the data, and the order of the cells" if row["kind"] == "three cells" else ""


def _counts(ahead):
    return ", ".join(map(str, ahead)) if any(ahead) else ""


def plot(results, curve):
    """Over the faults of the fixed seed, of testers that were given half of them or more: any part
    from the start on has its share of each kind."""
    _, number, of_each = _sets(by_tester(results))[0]
    rows = {
        name: of_each.get(name, []) for name in [*TESTERS, *sorted(of_each.keys() - TESTERS.keys())]
    }
    series = {
        name: [
            Point(
                max(curve.least, amount),
                100 * share,
                f"{name}: {100 * share:.0f} % in {amount} {curve.unit}",
            )
            for amount, share in figures.found_by(of, curve.what)
            if 2 * len(of) >= number
        ]
        for name, of in rows.items()
    }
    drawn = curves(
        curve.title,
        "; ".join(points[-1].label for points in series.values() if points),
        series,
        Axis(curve.axis, True, "{:g}".format),
        Axis("faults found, %", ticks=(0, 20, 40, 60, 80, 100)),
    )
    head, rest = str(drawn).split(">", 1)
    return f'{head} xmlns="http://www.w3.org/2000/svg">{_STYLE}{rest}'


if __name__ == "__main__":
    main()
