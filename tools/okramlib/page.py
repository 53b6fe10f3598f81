# SPDX-License-Identifier: MIT
"""A run as one page of HTML that needs nothing but itself: no network, no other file."""

from html import escape

from . import glance, measured, outcome, tables
from .sections import HEAT_KEYS, sections
from .style import STYLE
from .svg import tag
from .units import count

# The line can be marked and copied without it, too.
_SCRIPT = """
for (const button of document.querySelectorAll("button[data-for]")) {
  button.hidden = false;
  button.onclick = async () => {
    const line = document.getElementById(button.dataset.for);
    const said = button.textContent;
    try { await navigator.clipboard.writeText(line.textContent); button.textContent = "copied"; }
    catch { getSelection().selectAllChildren(line); button.textContent = "marked: press Ctrl-C"; }
    setTimeout(() => { button.textContent = said; }, 2000);
  };
}
"""


def page(records, problems=()):
    """The page of a run. problems: what could not be read of its file."""
    types = measured.by_type(records)
    made = sections(types)
    parts = [_header(types, problems), _navigation(types, made)]
    parts += [_lines(types), *map(_section, made)]
    if not made:
        parts.append(
            frame(
                "measurements",
                "Measurements",
                paragraph("This run measured no bandwidth or latency."),
            )
        )
    parts.append(_findings(types))
    return document(_title(types), "".join(parts))


def document(title, body):
    return (
        "<!DOCTYPE html>\n"
        + tag(
            "html",
            tag(
                "head",
                tag("meta", charset="utf-8"),
                tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
                tag("title", escape(title)),
                tag("style", STYLE),
            ),
            tag("body", tag("main", body), tag("script", _SCRIPT)),
            lang="en",
        )
        + "\n"
    )


def table_of(table, cell_class=None):
    """A table with its caption and notes. cell_class(column name, cell) may add a class."""
    lefts = [column.startswith("<") for column in table.columns]
    head = [
        tag("th", escape(column.lstrip("<")) or " ", scope="col", class_="left" if left else None)
        for column, left in zip(table.columns, lefts, strict=True)
    ]
    body = []
    for row in table.rows:
        cells = []
        for column, left, cell in zip(table.columns, lefts, row, strict=True):
            classes = ["left"] if left else []
            if cell_class and cell_class(column, cell):
                classes.append(cell_class(column, cell))
            # Never an empty element, which HTML would not take for closed.
            cells.append(tag("td", escape(cell) or " ", class_=" ".join(classes) or None))
        body.append(tag("tr", *cells))
    whole = tag(
        "table",
        tag("caption", escape(table.title)),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body) if body else "",
    )
    notes = "".join(paragraph(note, "soft") for note in table.notes)
    return tag("div", whole, class_="scroll") + notes


def paragraph(words, class_=None):
    return tag("p", escape(words), class_=class_)


def frame(name, title, *inside):
    return tag(
        "section",
        tag("h2", escape(title), id=f"h-{name}"),
        *inside,
        id=name,
        aria_labelledby=f"h-{name}",
    )


def _title(types):
    for found in types.get("machine", [])[-1:]:
        return f"okram: {found['cpu']}"
    return "okram: report"


def _header(types, problems):
    start = types["start"][-1] if types.get("start") else None
    parts = [tag("h1", "okram report")]
    if types.get("machine"):
        parts.append(paragraph(outcome.machine(types)))
    if start:
        said = f"okram {start['version']}, {outcome.booted(types)}"
        options = f"; options: {start['cmdline']}" if start["cmdline"] else ""
        parts.append(paragraph(said + options, "soft"))
    parts.append(_verdict(types))
    warned = [*measured.warnings(types), *(f"In the file: {problem}." for problem in problems)]
    if warned:
        items = [tag("li", escape(warning)) for warning in warned]
        parts.append(tag("ul", *items, class_="warnings", aria_label="Warnings and findings"))
    if outcome.badram_line(types):
        parts.append(_copied("badram", outcome.cost(types), outcome.badram_line(types)))
    parts.append(_tiles(glance.glance(types)))
    return tag("header", *parts)


def _verdict(types):
    if not types.get("result"):
        return paragraph("No result: the run's end is not in this file.", "verdict error")
    result = types["result"][-1]
    verdict = tag("strong", escape(outcome.verdict(result)), class_=outcome.kind(result))
    said = tag("p", verdict, escape(f" {outcome.ending(result)}"), class_="verdict")
    return said + "".join(paragraph(line) for line in result.get("error", "").splitlines() if line)


def _copied(name, says, line):
    """A text to copy: one click marks all of it, the button copies it."""
    button = tag(
        "button",
        "copy",
        type="button",
        data_for=f"line-{name}",
        hidden="hidden",
        aria_label=f"copy the line {name}",
    )
    head = tag("div", tag("span", escape(says)), button, class_="copied")
    return head + tag("pre", escape(line), id=f"line-{name}")


def _tiles(facts):
    if not facts:
        return ""
    tiles = [
        tag(
            "div",
            tag("dt", escape(name)),
            tag("dd", escape(value)),
            tag("dd", escape(more), class_="soft") if more else "",
        )
        for name, value, more in facts
    ]
    return tag("dl", *tiles, class_="tiles")


def _navigation(types, made):
    links = [("lines", "Lines for other systems")] if types.get("line") else []
    links += [(section.name, section.title) for section in made]
    links.append(("findings", "Memory and tests"))
    return tag(
        "nav",
        *(tag("a", escape(title), href=f"#{name}") for name, title in links),
        aria_label="Parts of this page",
    )


def _lines(types):
    """The same pages, as other bootloaders and systems want to be told."""
    parts = []
    for number, line in enumerate(types.get("line", [])):
        says = f"{line['name']} ({line['place']}): {line['note']}"
        if line["text"]:
            parts.append(_copied(f"{number}", says, line["text"]))
        else:
            parts.append(paragraph(says))
    return frame("lines", "Lines for other systems", *parts) if parts else ""


def _section(section):
    parts = [paragraph(section.says)]
    for name, figures, found in section.groups:
        if name:
            parts.append(tag("h3", escape(name)))
        if any(figure.is_heat_map for figure in figures):
            parts.append(_key(*HEAT_KEYS[section.name]))
        if figures:
            parts.append(tag("div", *map(figure_of, figures), class_="figures"))
        if found:
            parts.append(_numbers(figures, found))
    return frame(section.name, section.title, *parts)


def _key(says, steps):
    shown = [
        tag("span", tag("i", " ", class_=f"k{step}"), escape(name))
        for step, name in enumerate(steps)
    ]
    return tag("div", tag("span", escape(says)), *shown, class_="key")


def figure_of(figure):
    caption = tag("figcaption", escape(figure.caption)) if figure.caption else ""
    return tag("figure", caption, figure.svg)


def _numbers(figures, found):
    """Tables stand under their charts, and fold up so that the charts stay in sight."""
    whole = "".join(table_of(table) for table in found)
    if not figures:
        return whole
    rows = sum(len(table.rows) for table in found)
    return tag("details", tag("summary", f"All numbers as a table ({count(rows, 'row')})"), whole)


def _findings(types):
    made = (tables.nodes, *outcome.FINDINGS)
    found = [table for make in made for table in make(types)]
    parts = [table_of(table) for table in found]
    if not types.get("test"):
        parts.append(paragraph("This run has no record of a memory test."))
    return frame("findings", "Memory and tests", *parts)
