# SPDX-License-Identifier: MIT
"""Curves as SVG, for a picture of its own."""

import itertools
import math
import re
from dataclasses import dataclass
from html import escape

SERIES = 12  # classes s0 to s11
_CURVES_MAX = 16  # of a chart

_WIDTH, _HEIGHT = 860, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 210, 44, 52

_LEGEND_LINE = 22


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


def curves(title, description, series, x_axis, y_axis, marks=()):
    """Steps. series: {name: [Point, …]}, of which the first are drawn; one without points keeps its
    colour, so that it is the same in several pictures. marks: [(x, name)], dashed lines over the
    whole height."""
    series = dict(itertools.islice(series.items(), _CURVES_MAX))
    points = [point for row in series.values() for point in row]
    numbers = {name: i % SERIES for i, (name, row) in enumerate(series.items()) if row}
    x_low, x_ticks, x_high = _range([p.x for p in points], x_axis)
    y_values = [p.y + e for p in points for e in (p.error, -p.error)]
    y_low, y_ticks, y_high = _range(y_values, y_axis)
    across = Scale(x_low, x_high, _LEFT, _WIDTH - _RIGHT, x_axis.is_log)
    up = Scale(y_low, y_high, _HEIGHT - _BOTTOM, _TOP, y_axis.is_log)
    parts = [
        *_grid(across, up, x_ticks, y_ticks, x_axis, y_axis),
        *(_mark(across(x), name) for x, name in marks if x_low <= x <= x_high),
        *_legend(numbers),
        *(_curve(number, series[name], across, up) for name, number in numbers.items()),
    ]
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


def _legend(numbers):
    """At the right; a single curve needs none."""
    if len(numbers) < 2:
        return
    x = _WIDTH - _RIGHT + 20
    for line, (name, number) in enumerate(numbers.items()):
        y = _TOP + _LEGEND_LINE * line
        yield tag("g", _shape(number, x + 6, y), class_=f"s{number}")
        yield text(name, x + 18, y + 4, class_="tick")


def _curve(number, row, across, up):
    shown = [p for p in row if not across.is_log or p.x > 0]
    line = "".join(f"H{across(p.x):.1f}V{up(p.y):.1f}" for p in shown)
    start = f"M{across(shown[0].x):.1f} {up(0):.1f}" if shown else ""
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
    return tag("g", tag("path", d=start + line, class_="steps"), *marks, class_=f"curve s{number}")


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


def tag(name, /, *inside, **attributes):
    """An element; the content is markup already. class_ is class, x_y is x-y."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    body = "".join(inside)
    return f"<{name}{written}>{body}</{name}>" if body else f"<{name}{written}/>"


def _attribute(value):
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return escape(str(value))


def text(content, x, y, **attributes):
    return tag("text", escape(content), x=float(x), y=float(y), **attributes)


def hint(content):
    """What a browser shows while the pointer is on the enclosing element."""
    return tag("title", escape(content))


def drawing(width, height, title, description, *inside):
    """A whole picture, with title and description for screen readers.

    The title is unique in the page.
    """
    name = re.sub(r"[^a-z0-9]+", "-", title.lower())
    return tag(
        "svg",
        tag("title", escape(title), id=f"title-{name}"),
        tag("desc", escape(description), id=f"desc-{name}"),
        *inside,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        role="img",
        aria_labelledby=f"title-{name} desc-{name}",
    )


VALUE_MIN = 1e-6  # of any figure of a run: less is nothing


@dataclass(frozen=True)
class Scale:
    """Values from low to high onto pixels from start to end; values outside are clamped, and where
    low is high all of them are at the start. On a logarithmic scale low is more than 0."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, value):
        low, high = self.low, self.high
        value = min(max(value, low), high)
        if self.is_log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        share = (value - low) / (high - low) if high > low else 0.0
        return self.start + share * (self.end - self.start)


def nice_ticks(high, about=6):
    """0 and round steps up to the first one that is not below high, which is VALUE_MIN or more."""
    raw = high / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= raw * 0.999)
    return [step * i for i in range(math.ceil(high / step - 1e-9) + 1)]


def log_ticks(low, high):
    """1, 2, 5, 10, 20, … from the last at or below low to the first at or above high."""
    ticks = [
        n * 10.0**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for n in (1, 2, 5)
    ]
    first = max(i for i, tick in enumerate(ticks) if tick <= low * 1.000001)
    last = min(i for i, tick in enumerate(ticks) if tick >= high * 0.999999)
    return ticks[first : max(last, first + 1) + 1]
