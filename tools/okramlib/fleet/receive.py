# SPDX-License-Identifier: MIT
"""`okram fleet receive`: the reports that iPXE has sent become files."""

import sys
from pathlib import Path

from .. import EXIT_ERROR, EXIT_PASS, Trouble, delivery, environment
from ..guard import lists
from . import arrivals

_NAMED_MAX = 10


def add_parser(subcommands):
    parser = subcommands.add_parser(
        "receive",
        help="make files of the reports in nginx's log",
        description="Writes each whole report of the log that iPXE's requests are in as a file"
        " MACHINE-CRC.jsonl. Those that are there stay, so it can be run again and again.",
        epilog="Exit code: 0; 2 when nothing could be done, a file could not be written, or parts"
        " of too many reports came at a time.",
    )
    add = parser.add_argument
    add("log", nargs="+", type=Path, metavar="LOG", help="such as DIR/log/arrived.log")
    add("--to", type=Path, required=True, metavar="DIR", help="the folder of the reports")
    parser.set_defaults(do=_receive)


def _receive(arguments):
    environment.need_built(lists.PROGRAM)
    if not arguments.to.is_dir():
        raise Trouble(f"{arguments.to} is not a folder.")
    n_new = n_known = n_dropped = 0
    problems = []
    for path in arguments.log:
        found = arrivals.Arrivals()
        with arrivals.open_log(path) as file:
            for arrival in arrivals.read(file, found):
                is_known = (arguments.to / arrival.report.name).exists()
                try:
                    delivery.put(arrival.report, arguments.to)
                except Trouble as trouble:
                    problems.append(str(trouble))
                    continue
                n_known += is_known
                n_new += not is_known
        _tell(path, found)
        n_dropped += found.n_dropped
    for problem in problems[:_NAMED_MAX]:
        print(f"okram: {problem}", file=sys.stderr)
    if len(problems) > _NAMED_MAX:
        print(f"okram: and {len(problems) - _NAMED_MAX} more", file=sys.stderr)
    print(f"{n_new} new in {arguments.to}, {n_known} were there.")
    return EXIT_ERROR if problems or n_dropped else EXIT_PASS


def _tell(path, found):
    """What of the log is not a report."""
    if found.n_bad:
        print(
            f"okram: {path}: {found.n_bad} of {found.n_lines} lines are not of a report, such as"
            f" line {found.first_bad}",
            file=sys.stderr,
        )
    for machine, at in list(found.unfinished.items())[:_NAMED_MAX]:
        print(
            f"okram: {path}: the last report of {machine} ({at}) is not whole: it comes again when"
            " the machine starts from the network",
            file=sys.stderr,
        )
    if len(found.unfinished) > _NAMED_MAX:
        more = len(found.unfinished) - _NAMED_MAX
        print(f"okram: {path}: and {more} more that are not whole", file=sys.stderr)
    if found.n_dropped:
        print(f"okram: {path}: {arrivals.dropped(found.n_dropped)}", file=sys.stderr)
