# SPDX-License-Identifier: MIT
"""A run as one page of HTML that needs nothing but itself: no network, no other file."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from . import glance, measured, outcome, tables
from .sections import HEAT_KEYS, sections
from .units import count

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals["count"] = count


def render(template, **values):
    return _TEMPLATES.get_template(template).render(values)


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
        start=_last(types, "start"),
        booted=outcome.booted(types),
        result=result,
        kind=result and outcome.kind(result),
        verdict=result and outcome.verdict(result),
        ending=result and outcome.ending(result),
        warnings=[
            *filter(None, [outcome.unfinished(types)]),
            *measured.warnings(types),
            *(f"In the file: {p}." for p in problems),
        ],
        badram=outcome.badram_line(types),
        cost=outcome.cost(types),
        glance=glance.glance(types),
        lines=types.get("line", []),
        sections=sections(types),
        heat_keys=HEAT_KEYS,
        findings=[table for make in (tables.nodes, *outcome.FINDINGS) for table in make(types)],
        has_tests="test" in types,
    )


def _last(types, kind):
    return types[kind][-1] if types.get(kind) else None
