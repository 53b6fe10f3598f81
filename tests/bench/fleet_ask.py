# SPDX-License-Identifier: MIT
"""Asks a data set everything, and says when each answer is there.

usage: fleet_ask.py DATA ENGINE OUT: prints a line when the engine has started, then the name of
each answer; OUT gets the rows of all as JSON.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

from fleet import reports  # noqa: E402
from okramlib.fleet import engines, journal  # noqa: E402
from okramlib.fleet.answers import answers  # noqa: E402


def main(data, engine, out):
    rows = {}
    with journal.reading(data), engines.tables(engine, data) as tables:
        print("start", flush=True)
        for answer in answers(tables, reports.SINCE):
            print(answer.name, flush=True)
            rows[answer.name] = answer.rows
    Path(out).write_text(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
