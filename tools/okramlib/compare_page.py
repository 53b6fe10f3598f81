# SPDX-License-Identifier: MIT
"""Two runs side by side as one page of HTML, like that of a run."""

from . import charts, compare, measured
from .compare import HIGHER, LOWER
from .page import render
from .sections import Figure, Section, latency_axes, latency_points, scaling_axes, scaling_points


def page(types_a, types_b, names, problems=()):
    """The page; names are those of the files, problems what could not be read of them."""
    runs, *tables = compare.tables(types_a, types_b, names)
    return render(
        "comparison.html",
        title=f"okram: {names[0]} and {names[1]}",
        runs=runs,
        summary=compare.summary(types_a, types_b),
        problems=problems,
        rule=compare.RULE.replace("\n", " "),
        sections=list(_sections(types_a, types_b)),
        tables=tables,
        marks={HIGHER: "higher", LOWER: "lower"},
    )


def _sections(types_a, types_b):
    rows = [measured.scaling(types.get("bandwidth", [])) for types in (types_a, types_b)]
    figures = []
    for op in rows[0]:
        if op in rows[1]:
            series = {
                f"{letter}: {order}": scaling_points(order, row)
                for letter, found in zip("ab", rows, strict=True)
                for order, row in found[op].items()
            }
            title = f"Scaling of {op} in both runs"
            figures.append(_figure(title, series, scaling_axes(op, series)))
    if figures:
        text = (
            "Bandwidth of 1 CPU to all CPUs together, in both runs. Error bars: one standard"
            " deviation to each side."
        )
        yield Section("scaling", "Scaling with CPUs", text, [("", figures, [])])
    curves = [measured.latency_curves(types.get("latency", [])) for types in (types_a, types_b)]
    if all(curves):
        series = {
            f"{letter}: node {cpu} to {memory}": latency_points(row)
            for letter, found in zip("ab", curves, strict=True)
            for (cpu, memory), row in found.items()
        }
        text = "Latency of one CPU over the size of the array, in both runs."
        figure = _figure("Latency over size in both runs", series, latency_axes(series))
        yield Section("latency", "Idle latency", text, [("", [figure], [])])


def _figure(title, series, axes):
    description = "; ".join(f"{name} ends at {points[-1].label}" for name, points in series.items())
    return Figure(charts.curves(title, description, series, *axes))
