# SPDX-License-Identifier: MIT
"""A run as one page of HTML that needs nothing but itself: no network, no other file."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from . import copied, glance, measured, outcome, ram_picture, seller, tables
from .sections import HEAT_KEYS, sections
from .units import count

_ROWS_MAX = 5000  # more than all pairs of nodes

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals["count"] = count
_TEMPLATES.globals["shown"] = lambda table: tables.shown(table, _ROWS_MAX)


def render(template, **values):
    style, script = (_inline(name) for name in ("page.css", "copy.js"))
    return _TEMPLATES.get_template(template).render(
        values, style=style, script=script, policy=_policy(style, script)
    )


def _inline(name):
    return Markup(f"\n{_TEMPLATES.get_template(name).render()}\n")


def _policy(style, script):
    """For the browser: only this style and this script are the page's, whatever text is in it, and
    nothing is loaded from elsewhere (Content Security Policy Level 3, 6.1 and 8.4)."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text):
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def page(records, problems=()):
    """The page of a run. problems: what could not be read of its file."""
    types = measured.by_type(records)
    result = _last(types, "result")
    machine = _last(types, "machine")
    return render(
        "run.html",
        title=f"okram: {machine['cpu'] if machine else 'report'}",
        machine=outcome.machine(types),
        kept=outcome.kept(types),
        identity=list(outcome.identity(types)),
        start=_last(types, "start"),
        booted=outcome.booted(types),
        result=result,
        kind=result and outcome.kind(result),
        headline=outcome.headline(types),
        verdict=result and outcome.verdict(result, outcome.faults(types)),
        ending=result and outcome.ending(result),
        sentences=[*outcome.fault_kind(types), *outcome.diagnosis(types)],
        advice=outcome.advice(types),
        warnings=[
            *filter(None, [outcome.unfinished(types), outcome.badram_problem(types)]),
            *measured.warnings(types),
            *(f"In the file: {p}." for p in problems),
        ],
        badram=outcome.badram_line(types),
        cost=outcome.cost(types),
        glance=glance.glance(types),
        seller=seller.sheet(types),
        lines=[(line, *copied.other(line)) for line in types.get("line", [])],
        sections=sections(types),
        heat_keys=HEAT_KEYS,
        findings=[table for make in (*tables.FITTED, *outcome.FINDINGS) for table in make(types)],
        has_tests="test" in types,
        picture=ram_picture.draw(types),
    )


def _last(types, kind):
    return types[kind][-1] if types.get(kind) else None
