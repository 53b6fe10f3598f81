# SPDX-License-Identifier: MIT
"""A run's records as a report for the terminal."""

import sys

from rich import box
from rich import table as rich_table
from rich.text import Text

from . import copied, measured, outcome, tables

_STYLES = {
    "pass": "bold green",
    "fail": "bold red",
    "corrected": "bold yellow",
    "stopped": "bold yellow",
    "incomplete": "bold yellow",
    "error": "bold red",
}

_ROWS_MAX = 1000


def print_report(console, records):
    """Prints everything but the badram line, which is for print_line."""
    types = measured.by_type(records)
    _print_machine(console, types)
    for make in (*tables.FITTED, *tables.MEASUREMENTS, *outcome.FINDINGS):
        for table in make(types):
            print_table(console, table)
    _print_other_lines(console, types.get("line", []))
    _print_result(console, types)


def print_line(records):
    """Prints the badram line, whole, on a line of its own; nothing when no page is bad. What is
    wrong with it goes to standard error."""
    types = measured.by_type(records)
    line, problem = outcome.badram_line(types), outcome.badram_problem(types)
    if problem:
        print(f"okram: {problem}", file=sys.stderr)
    if line:
        print(line, flush=True)


def print_table(console, table, whole=()):
    """One of tables.Table, with its notes; the columns `whole` are the last to be cut."""
    table = tables.shown(table, _ROWS_MAX)
    shown = rich_table.Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for column in table.columns:
        right = not column.startswith("<")
        justify = "right" if right else "left"
        shown.add_column(Text(column.lstrip("<")), justify=justify, no_wrap=column in whole)
    for row in table.rows:
        # Text: a name in brackets is not markup.
        shown.add_row(*map(Text, row))
    console.print(table.title, style="bold", markup=False)
    console.print(shown)
    for note in table.notes:
        console.print(f"  {note}", style="dim", markup=False)
    if table.notes:
        console.print()


def _print_machine(console, types):
    version = types["start"][-1]["version"] if types.get("start") else ""
    booted = outcome.booted(types)
    if version:
        console.print(f"okram {version}, {booted}", style="bold", markup=False)
    if outcome.kept(types):
        console.print(outcome.kept(types), markup=False)
    if outcome.signature(types):
        console.print(outcome.signature(types), markup=False)
    for sentence in outcome.identity(types):
        console.print(sentence, markup=False)
    if types.get("machine"):
        console.print(outcome.machine(types), markup=False)
        for warning in types["machine"][-1]["warnings"]:
            console.print(f"warning: {warning}", style="yellow", markup=False)


def _print_other_lines(console, lines):
    """Each as it has to be copied: never wrapped."""
    for line in lines:
        console.print(f"{line['name']} ({line['place']}): {line['note']}", markup=False)
        text, problem = copied.other(line)
        if problem:
            console.print(problem, style="bold red", markup=False)
        if text:
            console.print(text, markup=False, soft_wrap=True)
        console.print()


def _print_result(console, types):
    if outcome.unfinished(types):
        console.print(outcome.unfinished(types), style="bold yellow", markup=False)
    for result in types.get("result", [])[-1:]:
        warnings = [f"warning: {warning}" for warning in result.get("warnings", ())]
        for text in [*warnings, *result.get("error", "").splitlines()]:
            console.print(text, style="yellow", markup=False)
        if headline := outcome.headline(types):
            console.print(f"{headline}. This run:", style="bold magenta", markup=False)
        verdict = outcome.verdict(result, outcome.faults(types))
        text = Text(verdict, style=_STYLES[outcome.kind(result)])
        console.print(text.append(f" {outcome.ending(result)}", style="default"))
    for sentence in [
        *outcome.fault_kind(types),
        *outcome.diagnosis(types),
        *outcome.board_slots(types),
    ]:
        console.print(sentence, markup=False)
    if outcome.advice(types):
        console.print(f"What to do next: {outcome.advice(types)}", markup=False)
    for sentence in (outcome.excluded(types), outcome.stability(types), outcome.starts(types)):
        if sentence:
            console.print(sentence, markup=False)
    if outcome.cost(types):
        console.print(outcome.cost(types), markup=False)
