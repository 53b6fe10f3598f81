# SPDX-License-Identifier: MIT
"""The picture of all RAM that a run ended with, as SVG: the cells of its `picture` record.

Kinds of cells differ by their shapes, not by their colours alone.
"""

import itertools
import re
from dataclasses import dataclass

from .svg import drawing, hint, tag, text
from .units import count, format_size

_CELLS_MAX = 512  # of all nodes together: okram's picture has no more
_COLUMNS = 64
_CELL, _GAP = 11, 2  # pixels
_LEFT, _TOP = 70, 8
_ROW = _CELL + _GAP
_LEGEND = 30  # its height
_RUN = re.compile(r"(\d*)(.)")


@dataclass(frozen=True)
class Kind:
    letter: str
    name: str
    shape: str  # an SVG path from the cell's corner


_FULL = f"h{_CELL}v{_CELL}h-{_CELL}z"
_KINDS = (
    Kind("t", "tested", _FULL),
    Kind(".", "not tested", f"m4 4h{_CELL - 8}v{_CELL - 8}h-{_CELL - 8}z"),
    Kind("-", "left out", f"m1 {_CELL // 2}h{_CELL - 2}v1h-{_CELL - 2}z"),
    Kind("o", "okram", f"m0 {_CELL}l{_CELL / 2:g} -{_CELL}l{_CELL / 2:g} {_CELL}z"),
    Kind("X", "bad page", "m0 2l2 -2l3.5 3.5l3.5 -3.5l2 2l-3.5 3.5l3.5 3.5l-2 2l-3.5 -3.5"
         "l-3.5 3.5l-2 -2l3.5 -3.5z"),
)  # fmt: skip


def draw(types):
    """The picture, or None: the run has none, or one that is not okram's."""
    for record in types.get("picture", [])[-1:]:
        nodes = [(node["node"], _RUN.findall(node["cells"])) for node in record["nodes"]]
        if 0 < sum(int(n or 1) for _, runs in nodes for n, _ in runs) <= _CELLS_MAX:
            return _draw(record["cell_bytes"], [(n, _cells(runs)) for n, runs in nodes])
    return None


def _cells(runs):
    return "".join(letter * int(n or 1) for n, letter in runs)


def _draw(cell_bytes, nodes):
    places, parts, y = {}, [], _TOP
    for node, cells in nodes:
        parts.append(text(f"node {node}", _LEFT - 12, y + _CELL, class_="axis end"))
        for i, letter in enumerate(cells):
            at = _LEFT + i % _COLUMNS * _ROW, y + i // _COLUMNS * _ROW
            places.setdefault(letter, []).append(at)
        y += -(-len(cells) // _COLUMNS) * _ROW + _GAP
    parts += (_marks(kind, places[kind.letter]) for kind in _KINDS if kind.letter in places)
    parts += _legend(y + _LEGEND - _CELL, [k for k in _KINDS if k.letter in places])
    numbers = (
        f"{count(len(places[k.letter]), 'cell')} {k.name}" for k in _KINDS if k.letter in places
    )
    description = f"All RAM, {format_size(cell_bytes)} a cell: {', '.join(numbers)}."
    width = _LEFT + _COLUMNS * _ROW
    return drawing(width, y + _LEGEND, "All RAM", description, *parts)


def _marks(kind, places):
    path = "".join(f"M{x:g} {y:g}{kind.shape}" for x, y in places)
    return tag("path", hint(kind.name), class_=f"ram-{_class(kind)}", d=path)


def _class(kind):
    return kind.name.split()[0]


def _legend(y, kinds):
    widths = [26 + 8 * len(kind.name) for kind in kinds]
    for x, kind in zip(itertools.accumulate(widths, initial=_LEFT), kinds, strict=False):
        yield tag("path", class_=f"ram-{_class(kind)}", d=f"M{x:g} {y:g}{kind.shape}")
        yield text(kind.name, x + _CELL + 5, y + _CELL - 1, class_="tick")
