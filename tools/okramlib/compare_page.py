# SPDX-License-Identifier: MIT
"""Two runs side by side as one page of HTML, like that of a run."""

from html import escape

from . import charts, compare, measured
from .charts import Axis
from .compare import BEYOND, HIGHER, LOWER
from .page import document, figure_of, frame, paragraph, table_of
from .sections import Figure, latency_axes, latency_points, scaling_axes, scaling_points
from .svg import tag
from .units import count


def page(types_a, types_b, names, problems=()):
    """The page; names are those of the files, problems what could not be read of them."""
    warned = [tag("li", escape(f"In the file {problem}.")) for problem in problems]
    made = list(compare.tables(types_a, types_b, names))
    header = tag(
        "header",
        tag("h1", "okram: two runs compared"),
        table_of(made[0]),
        tag("p", escape(compare.summary(types_a, types_b)), class_="verdict"),
        tag("ul", *warned, class_="warnings") if warned else "",
        paragraph(compare.RULE.replace("\n", " "), "soft"),
    )
    parts = [header, *_curves(types_a, types_b)]
    for number, table in enumerate(made[1:]):
        words = tag("summary", f"{count(len(table.rows), 'row')}")
        whole = tag("details", words, table_of(table, _class), open="open")
        parts.append(frame(f"table-{number}", table.title, whole))
    return document(f"okram: {names[0]} and {names[1]}", "".join(parts))


def _class(column, cell):
    """Colour for what is beyond the spread; the word stands in the cell, too."""
    return {HIGHER: "higher", LOWER: "lower"}.get(cell) if column == BEYOND else None


def _curves(types_a, types_b):
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
            figures.append(_figure(title, series, *scaling_axes(op, series)))
    if figures:
        yield frame(
            "scaling",
            "Scaling with CPUs",
            paragraph(
                "What 1 CPU to all of them move together, in both runs. The bars at the points"
                " reach one standard deviation to both sides."
            ),
            *figures,
        )
    curves = [measured.latency_curves(types.get("latency", [])) for types in (types_a, types_b)]
    if all(curves):
        series = {
            f"{letter}: node {cpu} to {memory}": latency_points(row)
            for letter, found in zip("ab", curves, strict=True)
            for (cpu, memory), row in found.items()
        }
        says = paragraph("How long one CPU waits for a datum of an array that grows, in both runs.")
        figure = _figure("Latency over size in both runs", series, *latency_axes(series))
        yield frame("latency", "Idle latency", says, figure)


def _figure(title, series, x_axis: Axis, y_axis: Axis):
    says = "; ".join(f"{name} ends at {points[-1].says}" for name, points in series.items())
    return figure_of(Figure(charts.curves(title, says, series, x_axis, y_axis)))
