# SPDX-License-Identifier: MIT
"""`okram fleet report`."""

import argparse
import contextlib
import csv
import sys
from datetime import datetime
from pathlib import Path

from .. import EXIT_PASS, Trouble, environment, output
from . import need_modules

_ENGINES = ("duckdb", "pyspark")  # engines.ENGINES, which is not loaded for --help
_WIDTH_IN_A_PIPE = 160

_EPILOG = """\
Tables are printed unless --html or --csv is given. Each says how many machines it is about, and
what it cannot say. The badram lines follow the tables, each on a line of its own.

--engine pyspark asks the same of the same files by Spark, on this machine or where --master says
(spark://HOST:7077, yarn, k8s://...); DATA has to be a folder that all its workers see.

Exit code: 0; 2 when nothing could be done.
"""


def add_parser(actions):
    parser = actions.add_parser(
        "report",
        help="what the reports of all machines say together",
        description="Answers questions from a data set that `okram fleet import` has made.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("data", metavar="DATA", type=Path, help="the folder of the data set")
    add("--html", type=Path, metavar="OUT", help="write one page with all tables")
    add("--csv", type=Path, metavar="DIR", help="write a file of each table to that folder")
    add("--engine", choices=_ENGINES, default=_ENGINES[0], help="what answers (duckdb)")
    add("--master", metavar="URL", help="of Spark; default: within this machine")
    add("--since", type=_date, metavar="DATE", help="what is new since that day (2026-11-24)")
    parser.set_defaults(do=_report)


def _date(text):
    try:
        return datetime.strptime(text, "%Y-%m-%d").strftime("%Y-%m-%d")  # noqa: DTZ007
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a day such as 2026-11-24") from None


def _report(arguments):
    with_spark = arguments.engine == "pyspark"
    if arguments.master and not with_spark:
        raise Trouble("--master is for --engine pyspark.")
    environment.need_modules()
    need_modules(with_spark)
    found = ask(arguments.data, arguments.engine, arguments.master, arguments.since)
    if arguments.html:
        from . import page

        _written(arguments.html, page.page(found))
    if arguments.csv:
        _write_csv(arguments.csv, found)
    if not arguments.html and not arguments.csv:
        _print(found)
    return EXIT_PASS


def ask(data, engine="duckdb", master=None, since=None):
    """The answers of a data set."""
    from . import engines, journal
    from .answers import answers

    with journal.reading(data), engines.tables(engine, data, master) as tables:
        return list(answers(tables, since))


def _print(found):
    from .. import report

    width = None if sys.stdout.isatty() else _WIDTH_IN_A_PIPE
    console = output.console(width=width)
    for answer in found:
        report.print_table(console, _without_lines(answer.table), whole=("<machine", "<part"))
    for answer in found:
        for machine, line in answer.lines:
            console.print(f"{machine}:", markup=False, style="dim")
            console.print(line, markup=False, soft_wrap=True)


def _without_lines(table):
    """Lines to copy are printed whole, after the tables."""
    if table.columns[-1] != "<badram line":
        return table
    return type(table)(
        table.title, table.columns[:-1], [row[:-1] for row in table.rows], table.notes
    )


def _written(path, text):
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Trouble(f"{path} cannot be written: {error.strerror}.") from None
    print(f"{path} is written.")


def _write_csv(folder, found):
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True)
    for answer in found:
        with open(folder / f"{answer.name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerow(answer.columns)
            for row in answer.rows:
                writer.writerow([output.cell(row[column]) for column in answer.columns])
    print(f"{len(found)} files are written to {folder}.")
