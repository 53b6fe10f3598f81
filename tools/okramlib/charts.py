# SPDX-License-Identifier: MIT
"""Charts as SVG: heat maps of node pairs, curves with error bars, and bars.

A browser shows each mark's numbers under the pointer (SVG titles). Colour is never alone: there is
a number in the cell, too, or another shape of the mark.

Why not matplotlib: its curves read as well, but its SVG has no titles, descriptions or dark
colours, is 3 times as large, and axes in bytes (64 KiB, 4 MiB) need code there, too.
"""

import itertools
from dataclasses import dataclass

from .svg import VALUE_MIN, Scale, drawing, hint, log_ticks, nice_ticks, tag, text

HEAT_STEPS = 7  # classes h0 to h6 of the style sheet, from little to much
SERIES = 6  # classes s0 to s5
_CURVES_MAX = 16  # of a chart

_CELL_WIDTH, _CELL_HEIGHT = 62, 34
_NARROW_CELL_WIDTH, _WIDE_CELLS_MAX = 54, 5  # so that two maps of 8 nodes fit side by side
_HEAT_LEFT, _HEAT_TOP = 68, 46

_WIDTH, _HEIGHT = 860, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 36, 44, 52

_BAR, _BAR_GAP, _GROUP_GAP, _BARS_LEFT, _BARS_RIGHT = 15, 2, 12, 262, 120
_LETTER = 7.2  # width of a letter in a legend, about


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    label: str
    error: float = 0.0  # the bar reaches as far to both sides


@dataclass(frozen=True)
class Axis:
    label: str
    is_log: bool = False
    format: callable = "{:g}".format
    ticks: tuple = ()  # instead of round numbers


def heat_map(title, description, cells, step_of, rows_are, columns_are):
    """cells: {(row, column): (text, value, label)}; step_of(value) is 0 to HEAT_STEPS - 1."""
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    wide = _CELL_WIDTH if len(columns) <= _WIDE_CELLS_MAX else _NARROW_CELL_WIDTH
    parts = [
        text(columns_are, _HEAT_LEFT + len(columns) * wide / 2, 16, class_="axis middle"),
        text(rows_are, 0, _HEAT_TOP - 10, class_="axis"),
    ]
    for i, column in enumerate(columns):
        x = _HEAT_LEFT + (i + 0.5) * wide
        parts.append(text(str(column), x, _HEAT_TOP - 10, class_="tick middle"))
    for j, row in enumerate(rows):
        y = _HEAT_TOP + j * _CELL_HEIGHT
        parts.append(text(str(row), _HEAT_LEFT - 12, y + 21, class_="tick end"))
        for i, column in enumerate(columns):
            if (row, column) in cells:
                value_text, value, label = cells[row, column]
                x = _HEAT_LEFT + i * wide
                parts.append(_heat_cell(x, y, wide, value_text, step_of(value), label))
    width = _HEAT_LEFT + len(columns) * wide + 4
    return drawing(width, _HEAT_TOP + len(rows) * _CELL_HEIGHT + 4, title, description, *parts)


def _heat_cell(x, y, wide, value_text, step, label):
    middle = x + wide / 2
    return tag(
        "g",
        hint(label),
        tag("rect", x=x + 1, y=y + 1, width=wide - 2, height=_CELL_HEIGHT - 2, rx=3),
        text(value_text, middle, y + 21, class_="middle"),
        class_=f"h{step}",
    )


def curves(title, description, series, x_axis, y_axis, marks=()):
    """series: {name: [Point, …]}, of which the first are drawn; marks: [(x, name)], dashed lines
    over the whole height."""
    series = dict(itertools.islice(series.items(), _CURVES_MAX))
    points = [point for row in series.values() for point in row]
    x_low, x_ticks, x_high = _range([p.x for p in points], x_axis)
    y_values = [p.y + e for p in points for e in (p.error, -p.error)]
    y_low, y_ticks, y_high = _range(y_values, y_axis)
    across = Scale(x_low, x_high, _LEFT, _WIDTH - _RIGHT, x_axis.is_log)
    up = Scale(y_low, y_high, _HEIGHT - _BOTTOM, _TOP, y_axis.is_log)
    parts = [
        *_grid(across, up, x_ticks, y_ticks, x_axis, y_axis),
        *(_mark(across(x), name) for x, name in marks if x_low <= x <= x_high),
        *_legend(list(series), _LEFT),
    ]
    for number, row in enumerate(series.values()):
        parts.append(_curve(number % SERIES, row, across, up))
    return drawing(_WIDTH, _HEIGHT, title, description, *parts)


def _range(values, axis):
    """Low, ticks and high of an axis."""
    if axis.is_log:
        positive = [v for v in values if v >= VALUE_MIN] or [1.0]
        ticks = axis.ticks or log_ticks(min(positive), max(positive))
        return min([*ticks, *positive]), ticks, max([*ticks, *positive])
    ticks = axis.ticks or nice_ticks(_highest(values))
    return 0.0, ticks, ticks[-1]


def _highest(values):
    most = max(values, default=0.0)
    return most if most >= VALUE_MIN else 1.0


def _grid(across, up, x_ticks, y_ticks, x_axis, y_axis):
    for y in y_ticks:
        at = up(y)
        yield tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, class_="grid")
        yield text(y_axis.format(y), _LEFT - 8, at + 4, class_="tick end")
    for x in x_ticks:
        at, bottom = across(x), _HEIGHT - _BOTTOM
        yield tag("line", x1=at, x2=at, y1=bottom, y2=bottom + 5, class_="edge")
        yield text(x_axis.format(x), at, bottom + 19, class_="tick middle")
    bottom = _HEIGHT - _BOTTOM
    yield tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=bottom, y2=bottom, class_="edge")
    yield text(x_axis.label, (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, class_="axis middle")
    yield text(y_axis.label, 0, 16, class_="axis")


def _mark(at, name):
    return tag("line", x1=at, x2=at, y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="mark") + text(
        name, at - 5, _TOP + 12, class_="tick end"
    )


def _legend(names, left):
    """At the top right; a single curve needs none."""
    if len(names) < 2:
        return
    x = _WIDTH - _RIGHT - sum(26 + len(name) * _LETTER for name in names)
    for number, name in enumerate(names):
        yield tag("g", _shape(number % SERIES, x + 6, 12), class_=f"s{number % SERIES}")
        yield text(name, x + 16, 16, class_="tick")
        x += 26 + len(name) * _LETTER


def _curve(number, row, across, up):
    shown = [p for p in row if not across.is_log or p.x > 0]
    line = " ".join(f"{across(p.x):.1f},{up(p.y):.1f}" for p in shown)
    marks = []
    for p in shown:
        x, y = across(p.x), up(p.y)
        bar = ""
        if p.error > 0:
            high, low = up(p.y + p.error), up(p.y - p.error)
            bar = tag(
                "path",
                d=f"M{x - 3:.1f} {high:.1f}h6M{x:.1f} {high:.1f}V{low:.1f}M{x - 3:.1f} {low:.1f}h6",
                class_="error",
            )
        marks.append(tag("g", hint(p.label), bar, _shape(number, x, y)))
    return tag("g", tag("polyline", points=line), *marks, class_=f"curve s{number}")


def _shape(number, x, y):
    """Circle, square, triangle, diamond: a curve is known without its colour, too."""
    r = 4.0
    if number % 4 == 0:
        return tag("circle", cx=float(x), cy=float(y), r=r)
    if number % 4 == 1:
        return tag("rect", x=x - r, y=y - r, width=2 * r, height=2 * r)
    if number % 4 == 2:
        return tag("path", d=f"M{x:.1f} {y - 5:.1f}l5 9h-10z")
    return tag("path", d=f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z")


def bars(title, description, groups, names, unit):
    """groups: [(group, [(value, text after the bar, label), …])], a bar for each of names."""
    values = [bar[0] for _, row in groups for bar in row]
    ticks = nice_ticks(_highest(values), 5)
    across = Scale(0.0, ticks[-1], _BARS_LEFT, _WIDTH - _BARS_RIGHT)
    top, parts = 58, []
    height = top + sum(len(row) * (_BAR + _BAR_GAP) + _GROUP_GAP for _, row in groups)
    for tick in ticks:
        at = across(tick)
        parts.append(tag("line", x1=at, x2=at, y1=top - 8, y2=height - 6, class_="grid"))
        parts.append(text(f"{tick:g}", at, top - 14, class_="tick middle"))
    parts.append(text(unit, 0, top - 14, class_="axis"))
    parts += _legend(names, _BARS_LEFT)
    y = float(top)
    for group, row in groups:
        middle = y + len(row) * (_BAR + _BAR_GAP) / 2 + 4
        parts.append(text(group, _BARS_LEFT - 10, middle, class_="tick end"))
        for number, (value, value_text, label) in enumerate(row):
            width = max(0.0, across(value) - _BARS_LEFT)
            parts.append(
                tag(
                    "g",
                    hint(label),
                    tag("rect", x=_BARS_LEFT, y=y, width=width, height=_BAR, rx=2),
                    text(value_text, _BARS_LEFT + width + 6, y + 12, class_="tick"),
                    class_=f"s{number % SERIES} bar",
                )
            )
            y += _BAR + _BAR_GAP
        y += _GROUP_GAP
    return drawing(_WIDTH, height, title, description, *parts)
