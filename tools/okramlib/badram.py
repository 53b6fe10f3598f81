# SPDX-License-Identifier: MIT
"""`tools/okram badram`: bad pages in, lines for bootloaders and systems out."""

import argparse
import codecs
import contextlib
import io
import itertools
import os
import subprocess
import sys

from . import BUILD, EXIT_LINES_LOST, Trouble, environment, faulty, reading
from .memory_map import BYTES_MAX, parse_map
from .units import count, parse_size

_PROGRAM = BUILD / "badram"
_NAMED_MAX = 20  # lines that are skipped, each by a sentence
_RANGES_CHARS_MAX = 64 << 20  # more than any list for the guard
_FORMS_AT_ONCE = 4096

_EPILOG = f"""{faulty.__doc__}
Lines for --to: grub, grub-default, cutmem, memmap, memmap-dollar, windows, xen, freebsd, refind,
pages, ranges; or all. The cost of a line is on standard error.

GRUB on BIOS takes a pattern in one piece of the memory map at a time: with --map and --firmware
bios the pairs are ordered and repeated for it, and --check checks a line as it is.

Exit code: 0: each line of the input with an address was used; 1 when --check found something wrong;
2 if there was no usable input or output; 5: what may be a bad page was skipped, or is not in RAM.
"""


def add_parser(commands):
    parser = commands.add_parser(
        "badram",
        help="make lines for bootloaders and systems from bad pages",
        description="Makes lines by which bootloaders and systems leave out bad pages.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", nargs="*", help="files with bad pages; default: - (standard input)")
    add("--to", metavar="NAMES", help="lines to make, with commas between (grub)")
    add("--patterns", metavar="N", help="most patterns in the badram line (64)")
    add("--ranges", metavar="N", help="most contiguous runs of RAM that it may make (by the map)")
    add("--pages", action="store_true", help="numbers are page numbers (address / 4096)")
    add("--base", type=int, choices=(10, 16), help="of numbers without 0x (by the list)")
    add(
        "--map",
        metavar="FILE",
        help="the machine's /proc/iomem, dmesg with e820 lines, or xl dmesg",
    )
    add("--ram", action="append", metavar="START-END", help="where RAM is; END exclusive; repeat")
    add("--firmware", choices=("bios", "uefi"), help="GRUB's firmware (of the report, or uefi)")
    add("--explain", action="store_true", help="print what each pattern covers and costs")
    add("--json", action="store_true", help="one JSON object")
    add("--check", metavar="LINE", help="check a badram line; bad pages only from a FILE")
    parser.set_defaults(do=_badram)


def bad_ranges(bad, ram):
    """What a Faulty names as bad in these spans of RAM: BASE-END, ascending, one a line."""
    spans = [word for base, end in ram for word in ("--ram", f"{base:#x}-{end:#x}")]
    with _in_memory("ranges") as ranges, _in_memory("errors") as errors:
        code = _run(["--to", "ranges", *spans], bad, stdout=ranges, stderr=errors)
        errors.seek(0)
        for line in errors:
            if "skipped" in line or code not in (0, EXIT_LINES_LOST):
                print(line.rstrip("\n"), file=sys.stderr)
        if code not in (0, EXIT_LINES_LOST):
            raise Trouble("there is no bad page to list.")
        ranges.seek(0)
        listed = ranges.read(_RANGES_CHARS_MAX)
    if len(listed) == _RANGES_CHARS_MAX:
        raise Trouble("the bad pages are too scattered for a list.")
    return listed


def _in_memory(name):
    """A file that no disk has: `guard test` writes nothing."""
    return open(os.memfd_create(name), "w+")


def _run(arguments, bad, **streams):
    """The exit code of build/badram with these, and what a Faulty names as bad."""
    try:
        # Its messages are clean, and its lines are as they have to be copied.
        with subprocess.Popen(
            [environment.program(_PROGRAM), *arguments], stdin=subprocess.PIPE, text=True, **streams
        ) as program:
            forms = bad.forms()
            with contextlib.suppress(BrokenPipeError):  # it says why
                while some := list(itertools.islice(forms, _FORMS_AT_ONCE)):
                    program.stdin.write("".join(f"{form}\n" for form in some))
            with contextlib.suppress(BrokenPipeError):
                program.stdin.close()
    except OSError as error:
        raise Trouble(f"{_PROGRAM.name} cannot be started: {error.strerror}.") from None
    return program.returncode


def _badram(arguments):
    environment.need_modules()
    program = []
    if arguments.check is not None:
        program += ["--check", _checked(arguments.check)]
    for name in ("to", "patterns", "ranges"):
        value = getattr(arguments, name)
        if value is not None:
            if not value.isprintable():
                raise Trouble(f"--{name} {value}: not what --help shows.")
            program += [f"--{name}", value]
    program += [f"--{name}" for name in ("explain", "json") if getattr(arguments, name)]

    has_input = arguments.check is None or bool(arguments.file)
    bad = faulty.Faulty()
    if has_input:
        bad = read_files(arguments.file or ["-"], arguments.pages, arguments.base)
    program += _ram(arguments, bad) + _firmware(arguments, bad)
    if not has_input:
        program.append("--no-input")
    if has_input and not bad:
        raise Trouble("no usable line in the input.")
    environment.need_built(_PROGRAM)
    code = _run(program, bad)
    if bad.n_lost:
        lines = count(
            bad.n_lost,
            "line that may name a bad page was",
            "lines that may name bad pages were",
        )
        print(f"okram: {lines} not used", file=sys.stderr)
    if code == 0 and bad.n_lost:
        return EXIT_LINES_LOST
    return code if code in (0, 1, EXIT_LINES_LOST) else 2


def _checked(line):
    try:
        pairs = faulty.parse_patterns(line)
    except ValueError as error:
        raise Trouble(f"--check: {error}.") from None
    return ",".join(f"{addr:#x},{mask:#x}" for addr, mask in pairs)


def read_files(names, pages, base=None):
    """The Faulty of what these files ("-": standard input) name as bad pages. Lines that name none
    are reported."""
    bad = faulty.Faulty()
    n_skipped = 0
    for name in names:
        where = "" if len(names) == 1 else f"{name}: "
        with _opened(name) as file:
            for number, why in bad.read(_lines(file), pages, base):
                n_skipped += 1
                if n_skipped <= _NAMED_MAX:
                    print(f"okram: {where}line {number}: {why}: skipped", file=sys.stderr)
    if n_skipped > _NAMED_MAX:
        print(f"okram: and {n_skipped - _NAMED_MAX} lines more", file=sys.stderr)
    if bad.inferred_base:
        shown = "decimal" if bad.inferred_base == 10 else "hexadecimal"
        print(f"okram: numbers without 0x are taken as {shown}: --base changes it", file=sys.stderr)
    return bad


@contextlib.contextmanager
def _opened(name):
    """For reading; an error of it is a Trouble."""
    try:
        if name == "-":
            if sys.stdin is None:
                raise Trouble("standard input is closed.")
            with _as_text(sys.stdin.buffer) as file:
                yield file
            return
        with open(name, "rb") as file, _as_text(file) as text:
            yield text
    except OSError as error:
        raise Trouble(f"{name} cannot be read: {error.strerror}.") from None


@contextlib.contextmanager
def _as_text(file):
    """Of bytes in UTF-8 or, as Windows writes it, in UTF-16; with or without a byte order mark."""
    file = io.BufferedReader(file)
    begin = file.peek(2)[:2]
    is_utf16 = begin in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    encoding = "utf-16" if is_utf16 else "utf-16-le" if begin[1:] == b"\0" else "utf-8-sig"
    text = io.TextIOWrapper(file, encoding, errors="replace")
    try:
        yield text
    finally:
        text.detach().detach()


def _lines(file):
    """One by one; of one that is too long, as many as it takes."""
    while line := file.readline(reading.LINE_CHARS_MAX):
        yield line


def _map_text(name):
    with _opened(name) as file:
        text = file.read(BYTES_MAX)
    if len(text) == BYTES_MAX:
        raise Trouble(f"{name} is too long for a memory map.")
    return text


def _ram(arguments, bad):
    """RAM by the user, by the map, or by the report with the bad pages."""
    options = []
    spans = bad.ram
    if arguments.map and arguments.ram:
        raise Trouble("--map and --ram both define RAM: use one of them.")
    if arguments.map:
        memory = parse_map(_map_text(arguments.map), arguments.map)
        options = ["--map-entries", str(memory.entries), "--map-top", f"{memory.top:#x}"]
        for base, end in memory.pieces:
            options += ["--entry", f"{base:#x}-{end:#x}"]
        spans = memory.ram
    elif arguments.ram:
        spans = [_parse_span(text) for text in arguments.ram]
    for base, end in spans:
        options += ["--ram", f"{base:#x}-{end:#x}"]
    return options


def _firmware(arguments, bad):
    """By the user, or by the report with the bad pages."""
    if arguments.firmware:
        return ["--firmware", arguments.firmware]
    return ["--firmware", bad.boot] if bad.boot and arguments.map else []


def _parse_span(text):
    base, dash, end = text.partition("-")
    try:
        return parse_size(base), parse_size(end)
    except ValueError as error:
        why = error if dash else "no START-END"
        raise Trouble(f"--ram {text}: {why}.") from None
