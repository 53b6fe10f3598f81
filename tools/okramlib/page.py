# SPDX-License-Identifier: MIT
"""A run as one page of HTML that needs nothing but itself: its JSON lines in the viewer
(tools/viewer), which draws them in the browser."""

import json

from . import BUILD, environment

_HEAD, _END = (BUILD / "viewer" / name for name in ("head.html", "end.html"))


def run(records, problems=(), name=""):
    """The page of a run. problems: what could not be read of its file."""
    return _page([_file(name, problems), *records])


def comparison(summary, notes, tables, runs, problems=()):
    """The page of several runs. tables: tables.Table; runs: (name, records) each."""
    head = {
        "type": "page",
        "title": "okram: " + " and ".join(name for name, _ in runs),
        "sentences": [summary],
        "notes": notes,
        "problems": list(problems),
    }
    files = [record for name, records in runs for record in (_file(name), *records)]
    return _page([head, *map(table, tables), *files])


def fleet(title, tables):
    """tables: those that table() makes."""
    return _page([{"type": "page", "title": title}, *tables])


def table(made, bars=None):
    """The record of a tables.Table; bars: a chart above it (tools/viewer/viewer.js, bars())."""
    found = {"type": "table", "title": made.title, "columns": made.columns, "rows": made.rows}
    return found | {"notes": made.notes} | ({"bars": bars} if bars else {})


def _file(name, problems=()):
    return {"type": "file", "name": name, "problems": list(problems)}


def _page(records):
    environment.need_built(_HEAD, _END)
    lines = (json.dumps(record) for record in records)
    return "".join([_HEAD.read_text(), *(f"{escaped(line)}\n" for line in lines), _END.read_text()])


def escaped(line):
    """The same JSON, which can be neither markup nor the end of an element: both characters are in
    its strings alone."""
    return line.replace("<", "\\u003c").replace("&", "\\u0026")
