# SPDX-License-Identifier: MIT
"""`okram fleet import`."""

import argparse
import contextlib
import os
import sqlite3
import sys
from pathlib import Path

from .. import EXIT_ERROR, EXIT_PASS, Trouble, environment, output
from ..units import count, parse_size
from . import need_modules

_JOBS_MAX = 256
_JOBS_DEFAULT_MAX = 8  # each takes some 120 MiB, and one process writes for all

_EPILOG = """\
A source is a file, or a folder with all that is in it: reports as okram sends and keeps them, JSON
lines of runs, logs of serial consoles, a web server's log of the parts that iPXE has sent, a
stick's folder okram. Each is checked before anything of it becomes part of the data set: size,
UTF-8, the schema of the lines, CRC-32C.

What is refused is named, and copied to DATA/rejected with the reason; nothing is deleted. A report
that is there already is left out; one that has more of its run takes the place of the one before.
An import may be ended at any time: it goes on when it is started again. Without a SOURCE it ends
what was interrupted.

Exit code: 0; 2 when something was refused now or before, when two reports of one run contradict
each other (the one with bad pages counts), or when nothing could be done.
"""


def add_parser(actions):
    parser = actions.add_parser(
        "import",
        help="reports into the data set",
        description="Imports reports of runs into a data set of Parquet files.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", metavar="DATA", type=Path, help="the folder of the data set")
    parser.add_argument("sources", metavar="FILE", nargs="*", help="files and folders")
    parser.add_argument(
        "--max-size",
        type=_size,
        default="256M",
        metavar="SIZE",
        help="of a file; larger ones are refused (256M)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=min(len(os.sched_getaffinity(0)), _JOBS_DEFAULT_MAX),
        metavar="N",
        help="processes that read (as many as there are CPUs, up to 8)",
    )
    parser.set_defaults(do=_import)


def _size(text):
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _import(arguments):
    if not 1 <= arguments.jobs <= _JOBS_MAX:
        raise Trouble(f"--jobs {arguments.jobs}: 1 to {_JOBS_MAX} are possible.")
    environment.need_modules()
    need_modules()
    from . import importing

    try:
        outcome = importing.run(
            arguments.data,
            arguments.sources,
            arguments.max_size,
            arguments.jobs,
            _progress(arguments),
        )
    except sqlite3.Error as error:
        raise Trouble(f"the journal of {arguments.data} cannot be written: {error}.") from None
    for text in outcome.named:
        print(f"okram: {output.line(text)}.", file=sys.stderr)
    print(summary(outcome.counts, arguments.data))
    is_bad = (importing.REFUSED, importing.REFUSED_BEFORE, importing.AT_ODDS)
    return EXIT_ERROR if any(outcome.counts[what] for what in is_bad) else EXIT_PASS


@contextlib.contextmanager
def _progress(arguments):
    """A bar of bytes on a terminal; gives what tells it of them."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    from . import importing

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda size: None
        return
    total = importing.total_bytes(arguments.sources, arguments.data)
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("import", total=total)
        yield lambda size: progress.advance(task, size)


def summary(counts, data):
    """The counts in sentences."""
    from .batch import BETTER, KNOWN, NEW
    from .importing import AT_ODDS, DAMAGED, FILES, REFUSED, REFUSED_BEFORE, SKIPPED

    text = [
        f"{count(counts[NEW], 'run')} new in {count(counts[FILES], 'file')},"
        f" {counts[BETTER]} with more than before, {counts[KNOWN]} known already."
    ]
    if counts[SKIPPED]:
        text.append(f"{count(counts[SKIPPED], 'file')} not read again: nothing has changed.")
    if counts[DAMAGED]:
        text.append(f"{count(counts[DAMAGED], 'damaged line')} left out.")
    if counts[AT_ODDS]:
        text.append(f"{count(counts[AT_ODDS], 'report')} at odds with another of the same run.")
    if counts[REFUSED]:
        text.append(f"{count(counts[REFUSED], 'part')} refused: see {data}/rejected.")
    if counts[REFUSED_BEFORE]:
        text.append(f"{count(counts[REFUSED_BEFORE], 'file')} refused before.")
    return " ".join(text)
