# SPDX-License-Identifier: MIT
"""The pieces of SVG that charts are drawn with. Colours come from the page's style sheet."""

import math
import re
from dataclasses import dataclass
from html import escape

from markupsafe import Markup


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
    picture = tag(
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
    return Markup(picture)  # not escaped by templates


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
