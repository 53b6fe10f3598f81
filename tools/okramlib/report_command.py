# SPDX-License-Identifier: MIT
"""`tools/okram report`: a report of a run, or of two runs side by side."""

import argparse
import io
import json
import sys
from pathlib import Path

from . import (
    EXIT_ERROR,
    EXIT_LINES_LOST,
    EXIT_PASS,
    Trouble,
    atomic,
    compare,
    delivery,
    environment,
    output,
    reading,
    saved,
    varstore,
)
from .efivars import EFIVARS
from .guard import lists
from .settings import LETTERS

_STDOUT = "-"
_WIDTH_IN_A_PIPE = 100
_NAMED_MAX = 8  # places that only one of two runs has; the page and the CSV name all
_ENDINGS = {
    "html": (".html", ".htm", ".xhtml"),
    "csv": (".csv", ".txt"),
    "ocp": (".ocp", ".ldjson"),
    "prometheus": (".prom",),
}
_OF_ONE_RUN = ("ocp", "prometheus")
_RUN_ENDINGS = (".jsonl", ".json")
_RUN_BEGINS = (b'{"t":', saved.HEAD_BEGIN.encode())

_EPILOG = f"""\
Tables are printed unless --html, --csv, --ocp or --prometheus is given. These write to standard
output when no OUT is named (or OUT is "-"), and never over a run's JSON lines.

--html: one page that draws the run, or both, in a browser; it needs no network and no other file.
--csv: one table, a row for each number: record and quantity identify it (bandwidth mb_s,
latency ns, contention loaded_mb_s, …), name the operation, kind, mix, test, cache level or what two
CPUs share, order the row of growing numbers of CPUs; mean, best, stddev, min and max of `runs`
repeats; one run has no stddev. With --compare: a row for each measurement, with both numbers.
--ocp: output of OCP Test & Validation 2.0, for what reads such output in a data center. A test is a
step; faults are measurements that have to be 0; the diagnosis is in the step "result". A run that
was stopped or is incomplete has the status SKIP, one that did not finish ERROR. ECC's corrected
errors are FAIL with the verdict memory-corrected: okram does not call that a pass.
--prometheus: metrics for the textfile collector of node_exporter; name OUT *.prom in its folder.
The file is replaced as a whole, so the collector never reads half of it.
Times of both are by the machine's clock, taken for one of UTC; without it, --ocp counts from 1970.
--compare: by settings, which are what memory runs at, the errors of tests=stability and the starts
of cycles=, each beside those of the first run that has them. Of two runs also all measurements;
what only one of them has is named, too. A run on a single node has its one order of scaling
compared with both orders of a run on several, as with node interleaving on and off.
{compare.RULE}
--efivars: the report that okram has kept in UEFI variables: those of the running Linux, or those
in FILE, as OVMF keeps them (OVMF_VARS.fd). What is damaged or not okram's is named and not
used. Of a run that did not finish, it prints how far that was.
--send, --to: that report itself, as JSON lines, to a server (HTTP PUT) or a folder, as
MACHINE-CRC.jsonl. Nothing is printed but errors. It stays in the machine, and is sent until the
server says that it has it. With both, it is sent unless it is in the folder, where it is put once
it was sent: so each report is sent once.
FILE may be the log of a console, such as that of serial over LAN: what is not okram's is skipped.

Exit code: 0; 2 when a record could not be read (it is named, and the rest is reported), when the
lines end before the run's result, when the badram line is not that of its patterns (it is not
shown then), or when nothing could be done; 5 when the result is there, but lines before it are cut
or missing.
"""


def add_parser(commands):
    parser = commands.add_parser(
        "report",
        help="make a report from JSON lines",
        usage="okram report [-h] [--html [OUT]] [--csv [OUT]] [--ocp [OUT]] [--prometheus [OUT]]\n"
        "                    [FILE | --compare A B [C ...] | --efivars [FILE] [--send URL]\n"
        "                    [--to DIR]]",
        description="Makes a report of a run's JSON lines.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="JSON lines of a run; default: standard input")
    add("--html", nargs="?", const=_STDOUT, metavar="OUT", help="write one page with charts")
    add("--csv", nargs="?", const=_STDOUT, metavar="OUT", help="write the numbers, comma-separated")
    add("--ocp", nargs="?", const=_STDOUT, metavar="OUT", help="write OCP Test & Validation output")
    add(
        "--prometheus",
        nargs="?",
        const=_STDOUT,
        metavar="OUT",
        help="write metrics for node_exporter's textfile collector",
    )
    add("--compare", nargs="+", metavar=("A", "B"), help="two runs, or up to 8, side by side")
    add(
        "--efivars",
        nargs="?",
        const=EFIVARS,
        type=Path,
        metavar="FILE",
        help="the report kept in UEFI variables",
    )
    add("--send", metavar="URL", help="send that report there by HTTP PUT")
    add("--to", type=Path, metavar="DIR", help="put that report into the folder")
    parser.set_defaults(do=_report)


def _report(arguments):
    _resolve(arguments)
    if arguments.send or arguments.to:
        return _deliver(arguments)
    environment.need_modules()
    if sys.stdout is None:
        raise Trouble("standard output is closed.")

    if arguments.efivars:
        paths, readings = [arguments.efivars], [_read_variables(arguments.efivars)]
    else:
        paths = arguments.compare or [arguments.file or "-"]
        readings = [reading.read(path) for path in paths]
    problems, lost = _print_problems(paths, readings)
    for name in _ENDINGS:
        _must_not_hold_a_run(getattr(arguments, name), paths)
    try:
        if arguments.compare:
            _compare(arguments, readings, problems + lost)
        else:
            problems += _report_one(arguments, readings[0], problems + lost, _name(paths[0]))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Trouble(f"standard output cannot be written: {error.strerror}.") from None
    if problems:
        return EXIT_ERROR
    return EXIT_LINES_LOST if lost else EXIT_PASS


def _resolve(arguments):
    """`--html run.jsonl` names the run, not what to write: OUT gives back what is FILE."""
    for name, endings in _ENDINGS.items():
        out = getattr(arguments, name)
        is_free = all(v is None for v in (arguments.file, arguments.compare, arguments.efivars))
        if is_free and out not in (None, _STDOUT) and _is_input(Path(out), endings):
            arguments.file = out
            setattr(arguments, name, _STDOUT)
    if arguments.compare and arguments.file:
        raise Trouble("--compare takes the runs themselves, and no other FILE.")
    if arguments.compare and not 2 <= len(arguments.compare) <= len(LETTERS):
        raise Trouble(f"--compare takes 2 to {len(LETTERS)} runs.")
    if arguments.csv and len(arguments.compare or ()) > 2:
        raise Trouble("--csv takes two runs only.")
    if arguments.efivars and (arguments.file or arguments.compare):
        raise Trouble("--efivars takes the place of a run's FILE and of --compare.")
    for name in _OF_ONE_RUN:
        if arguments.compare and getattr(arguments, name):
            raise Trouble(f"--{name} is of one run, and does not go with --compare.")
    _check_delivery(arguments)
    printed = [f"--{name}" for name in _ENDINGS if getattr(arguments, name) == _STDOUT]
    if len(printed) > 1:
        both = " and ".join(printed[:2])
        raise Trouble(f"{both} cannot both go to standard output; name a file for one.")
    if (arguments.compare or []).count("-") > 1:
        raise Trouble("only one of the runs can come from standard input.")


def _check_delivery(arguments):
    if not (arguments.send or arguments.to):
        return
    if not arguments.efivars:
        raise Trouble("--send and --to are for the report in UEFI variables: add --efivars.")
    if any(getattr(arguments, name) for name in _ENDINGS):
        raise Trouble("--send and --to are of the report itself, and do not go with other forms.")
    if arguments.send:
        delivery.check_url(arguments.send)


def _deliver(arguments):
    """Needs no module of others."""
    kept = _kept(arguments.efivars)
    for problem in kept.problems:
        print(f"okram: {problem}", file=sys.stderr)
    machine = delivery.this_machine() if arguments.efivars == EFIVARS else ""
    delivery.deliver(delivery.packet(kept, machine), arguments.send, arguments.to)
    return EXIT_PASS


def _kept(path):
    """The saved.Saved of the variables. Trouble if there is no report."""
    environment.need_built(lists.PROGRAM)
    kept = saved.decode(varstore.read(path, saved.NAME))
    if not kept.head:
        for problem in kept.problems:
            print(f"okram: {problem}", file=sys.stderr)
        raise Trouble(f"{path} holds no report of okram.")
    return kept


def _read_variables(path):
    """The Reading of the report in UEFI variables: of how far the run was if there is no whole one.
    Trouble if there is none at all."""
    kept = _kept(path)
    read = reading.read_text(f"{json.dumps(kept.head)}\n{kept.jsonl}", str(path))
    read.notes += kept.problems
    return read


def _is_input(path, endings):
    ending = path.suffix.lower()
    return ending in _RUN_ENDINGS or (path.exists() and ending not in endings)


def _must_not_hold_a_run(out, paths):
    """A wrong argument must not overwrite a run of hours."""
    if out in (None, _STDOUT) or not Path(out).is_file():
        return
    with open(out, "rb") as file:
        is_run = file.read(max(map(len, _RUN_BEGINS))).startswith(_RUN_BEGINS)
    if is_run or any(path != "-" and Path(path).samefile(out) for path in paths):
        raise Trouble(f"{out} holds JSON lines of a run; it is not overwritten.")


def _print_problems(paths, readings):
    """Prints what is wrong to standard error; returns the problems and the lost lines, with the
    files' names if two."""
    problems, lost = [], []
    for path, read in zip(paths, readings, strict=True):
        where = f"{_name(path)}: " if len(paths) > 1 else ""
        problems += [f"{where}{problem}" for problem in read.problems]
        lost += [f"{where}{line}" for line in read.lost]
        for text in (*read.problems, *read.lost, *read.notes):
            print(f"okram: {where}{text}", file=sys.stderr)
    return problems, lost


def _name(path):
    return "standard input" if path == "-" else output.line(str(path))


def _report_one(arguments, read, problems, name):
    """Returns what else is wrong."""
    from . import csv_rows, measured, ocp, outcome, page, prometheus, report

    problem = outcome.badram_problem(measured.by_type(read.records))
    if arguments.html:
        _write(arguments.html, page.run(read.records, problems, name))
    if arguments.csv:
        _write(arguments.csv, _text(csv_rows.write, read.records))
    found = [*problems, *filter(None, [problem])]
    if arguments.ocp:
        _write(arguments.ocp, _text(ocp.write, read.records, found))
    if arguments.prometheus:
        _write(arguments.prometheus, _text(prometheus.write, read.records, found), _replace)
    if not any(getattr(arguments, name) for name in _ENDINGS):
        report.print_report(_console(), read.records)
        report.print_line(read.records)
    elif problem:
        print(f"okram: {problem}", file=sys.stderr)
    return [problem] if problem else []


def _compare(arguments, readings, problems):
    from . import csv_rows, measured, page, report

    types = [measured.by_type(read.records) for read in readings]
    names = [_name(path) for path in arguments.compare]
    if arguments.html:
        tables = compare.tables(types, names)
        runs = zip(names, (read.records for read in readings), strict=True)
        summary, rule = compare.summary(*types), compare.RULE.replace("\n", " ")
        _write(arguments.html, page.comparison(summary, [rule], tables, [*runs], problems))
    if arguments.csv:
        _write(arguments.csv, _text(csv_rows.write_comparison, *types))
    if not arguments.html and not arguments.csv:
        console = _console()
        for table in compare.tables(types, names, _NAMED_MAX):
            report.print_table(console, table)
        console.print(compare.summary(*types), markup=False)


def _console():
    return output.console(width=None if sys.stdout.isatty() else _WIDTH_IN_A_PIPE)


def _text(write, *what):
    text = io.StringIO()
    write(text, *what)
    return text.getvalue()


def _write(out, text, to_file=Path.write_text):
    if out == _STDOUT:
        # The page is UTF-8 even where the terminal is not.
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
        return
    try:
        to_file(Path(out), text, encoding="utf-8")
    except OSError as error:
        raise Trouble(f"{out} cannot be written: {error.strerror}.") from None
    print(f"{out} is written.")


def _replace(path, text, encoding):
    """Whoever reads the file meanwhile reads the old one or the new one."""
    path = path.resolve()  # a link stays
    if path.exists() and not path.is_file():  # a device
        path.write_text(text, encoding=encoding)
        return
    with atomic.file(path) as file:
        file.write(text.encode(encoding))
