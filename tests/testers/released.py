# SPDX-License-Identifier: MIT
"""Faults of kinds that no tester was made for, drawn from the hash of the release's name.

A form names its cells: v is the faulty one, a and b are elsewhere, n is the same bit of another
word of v's line, m is beside v in its byte; page is v's.
"""

import hashlib
import random

from okramlib import version
from okramlib.units import GIB, KIB, MIB, PAGE
from testers import faults

_ACPI = (faults.LOW_BYTES - 128 * KIB, faults.LOW_BYTES)  # reserved by SeaBIOS, with its tables
_MIDDLE = 128 * MIB  # where the second node begins
_END_PAGES = (MIB, _MIDDLE - PAGE, _MIDDLE, 4 * GIB + faults.HIGH_BYTES - PAGE)

_CELLS = ("stuck0@{v}", "rise@{v}", "disturb@{v}", "deceive@{v}", "fall@{v}")


def _linked(second, *pairs):
    """Each time one coupling does what the other undoes."""
    return [
        f"couple@{{a}}>{{v}}:{one}/{value} couple@{{{second}}}>{{v}}:{other}/{1 - value}"
        for one, other in pairs
        for value in (0, 1)
    ]


# Of each kind its forms, each of which is drawn once. Their sum is 120.
FORMS = {
    "linked, same aggressor": _linked("a", "rf", "wr", "wf", "lr", "lf", "wl"),
    "linked, two aggressors": _linked("b", "rr", "ff", "rf", "fr", "wr", "lf"),
    "linked, aggressor and victim": [
        f"{own}@{{v}} couple@{{a}}>{{v}}:{coupling}"
        for own, couplings in {
            "rise": ("r/1", "f/1", "l/1"),
            "fall": ("r/0", "f/0", "l/0"),
            "disturb": ("r/x", "f/x"),
            "deceive": ("r/0", "w/x"),
        }.items()
        for coupling in couplings
    ],
    "three cells": [
        f"couple@{{a}}>{{v}}:{coupling}/{{b}}={held}"
        for coupling in ("r/0", "r/1", "f/0", "f/1", "w/x")
        for held in (0, 1)
    ],
    "lost beat": [f"lost-beat@{{page}}.{{bit}}:{n}" for n in (2, 7, 7, 50, 50, 400, 400)],
    "shifted beats": [f"shifted-beats@{{page}}.{{beat}}:{n}" for n in (1, 1, 7, 7, 50, 50, 400)],
    "bridged data lines": 5 * ["bridge@{page}:{line}-{next}", "bridge@{page}:{line}-{far}"],
    "masking pair in one line": [
        "stuck0@{v} stuck1@{n}",
        "stuck0@{v} stuck1@{m}",
        "rise@{v} fall@{n}",
        "rise@{v} couple@{n}>{v}:r/1",
        "fall@{v} couple@{n}>{v}:f/0",
        "couple@{n}>{v}:rf/x couple@{v}>{n}:rf/x",
        "disturb@{v} couple@{n}>{v}:w/x",
        "lapse@{v}:50 lapse@{n}:50",
    ],
    "misread, 1 in 20": 6 * ["misread@{v}:20"],
    "misread, 1 in 1000": 6 * ["misread@{v}:1000"],
    "by both CPUs only": 6 * ["all-cpus@{v}"],
    "by one CPU only": 3 * ["one-cpu@{v}:0", "one-cpu@{v}:1"],
    "neighbouring rows": 2 * ["holes@{row}+0x40*256.{bit}", "alias@{row}>{next_row}*2"],
    "alias of 4 MiB": 3 * ["alias@{block}>{next_block}*1024"],
    "alias of 64 MiB": [f"alias@{_MIDDLE:#x}>{at:#x}*16384" for at in (4 * GIB, 0)],
    faults.ENDS: _CELLS,
    faults.TABLES: ("stuck0@{v}", "stuck1@{v}", "fade@{v}:0.1"),
    faults.ACPI: ("stuck0@{v}", "stuck1@{v}", "fade@{v}:0.1"),
}


def draw(first, name=None):
    """Those of a release; the first has that number."""
    name = name or version()
    chance = random.Random(int(hashlib.sha256(name.encode()).hexdigest(), 16))
    return faults.numbered(
        (
            ((i + 0.5) / len(forms), {**_draw_one(kind, form, i, chance), "release": name})
            for kind, forms in FORMS.items()
            for i, form in enumerate(forms)
        ),
        first,
    )


def every():
    """The fixed ones, and those of this release."""
    fixed = faults.draw()
    return [*fixed, *draw(len(fixed) + 1)]


def _draw_one(kind, form, i, chance):
    where = {**faults.cell(chance), **_SPECIAL.get(kind, lambda *_: {})(i, chance)}
    line = faults.between(chance, 0, 63)
    block = faults.between(chance, 4, 20) * 8 * MIB  # not that of the good cell
    row = faults.between(chance, 16 * 64, 180 * 64) * 16 * KIB
    drawn = {
        "bit": faults.bit(chance),
        "beat": faults.between(chance, 1, 8),
        "line": line,
        "next": line + 1,
        "far": (line + faults.between(chance, 2, 63)) % 64,
        "block": hex(block),
        "next_block": hex(block + 4 * MIB),
        "row": hex(row),
        "next_row": hex(row + 8 * KIB),
    }
    return {
        "kind": kind,
        "word": "form",
        **where,
        "form": form.format_map({**{name: f"{{{name}}}" for name in _CELL_NAMES}, **drawn}),
        "bit": drawn["bit"],
        "partner": faults.partner(chance),
        "partner_bit": faults.bit(chance),
        "second": faults.partner(chance),
        "second_bit": faults.bit(chance),
        "is_alone": kind in _ALONE,
    }


def _at_an_end(i, chance):
    page = _END_PAGES[i % len(_END_PAGES)]
    return {"place": faults.ENDS, "addr": page + faults.between(chance, 0, PAGE)}


_CELL_NAMES = ("v", "a", "b", "n", "m", "page")
_ELSEWHERE = {"place": "elsewhere", "addr": 0}
_SPECIAL = {
    "neighbouring rows": lambda *_: _ELSEWHERE,
    "alias of 4 MiB": lambda *_: _ELSEWHERE,
    "alias of 64 MiB": lambda *_: _ELSEWHERE,
    faults.ENDS: _at_an_end,
    faults.TABLES: lambda i, chance: {
        "place": faults.TABLES,
        "addr": faults.between(chance, 0, 1 << 32),
    },
    faults.ACPI: lambda i, chance: {
        "place": faults.ACPI,
        "addr": faults.between(chance, *_ACPI),
    },
}
_ALONE = tuple(_SPECIAL)
