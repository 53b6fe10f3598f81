# SPDX-License-Identifier: MIT
"""`tools/okram badram`: bad pages in, lines for bootloaders and systems out."""

import argparse
import subprocess
import sys

from . import BUILD, Trouble, environment, faulty
from .memory_map import parse_map
from .units import parse_size

_PROGRAM = BUILD / "badram"
_NAMED_MAX = 20  # lines that are skipped, each by a sentence

_EPILOG = f"""{faulty.__doc__}
Lines for --to: grub, grub-default, cutmem, memmap, memmap-dollar, windows, xen, freebsd, refind,
pages, ranges; or all. The cost of a line is on standard error.

GRUB on BIOS takes a pattern in one piece of the memory map at a time: with --map and --firmware
bios the pairs are ordered and repeated for it, and --check checks a line as it is.

Exit code: 0; 1 when --check found something wrong; 2 if there was no usable input or output.
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
    add("--map", metavar="FILE", help="the machine's /proc/iomem, or dmesg with its e820 lines")
    add("--ram", action="append", metavar="START-END", help="where RAM is; END exclusive; repeat")
    add("--firmware", choices=("bios", "uefi"), help="GRUB's firmware (of the report, or uefi)")
    add("--explain", action="store_true", help="print what each pattern covers and costs")
    add("--json", action="store_true", help="one JSON object")
    add("--check", metavar="LINE", help="check a badram line; bad pages only from a FILE")
    parser.set_defaults(do=_badram)


def bad_ranges(bad, ram):
    """What a Faulty names as bad in these spans of RAM: BASE-END, ascending, one a line."""
    spans = [word for base, end in ram for word in ("--ram", f"{base:#x}-{end:#x}")]
    ran = subprocess.run(
        [environment.program(_PROGRAM), "--to", "ranges", *spans],
        input="".join(f"{form}\n" for form in bad.forms()),
        capture_output=True,
        text=True,
        check=False,
    )
    for line in ran.stderr.splitlines():
        if "skipped" in line or ran.returncode:
            print(line, file=sys.stderr)
    if ran.returncode:
        raise Trouble("there is no bad page to list.")
    return ran.stdout


def _badram(arguments):
    environment.need_modules()
    program = []
    if arguments.check is not None:
        program += ["--check", _checked(arguments.check)]
    for name in ("to", "patterns", "ranges"):
        if getattr(arguments, name) is not None:
            program += [f"--{name}", getattr(arguments, name)]
    program += [f"--{name}" for name in ("explain", "json") if getattr(arguments, name)]

    has_input = arguments.check is None or bool(arguments.file)
    bad = read_files(arguments.file or ["-"], arguments.pages) if has_input else faulty.Faulty()
    program += _ram(arguments, bad) + _firmware(arguments, bad)
    if not has_input:
        program.append("--no-input")
    forms = bad.forms()
    if has_input and not forms:
        raise Trouble("no usable line in the input.")
    environment.need_built(_PROGRAM)
    ran = subprocess.run(
        [_PROGRAM, *program], input="".join(f"{form}\n" for form in forms), text=True, check=False
    )
    return ran.returncode if ran.returncode in (0, 1) else 2


def _checked(line):
    try:
        pairs = faulty.parse_patterns(line)
    except ValueError as error:
        raise Trouble(f"--check: {error}.") from None
    return ",".join(f"{addr:#x},{mask:#x}" for addr, mask in pairs)


def read_files(names, pages):
    """The Faulty of what these files ("-": standard input) name as bad pages. Lines that name none
    are reported."""
    bad = faulty.Faulty()
    n_skipped = 0
    for name in names:
        where = "" if len(names) == 1 else f"{name}: "
        for number, why in bad.read(_text(name).splitlines(), pages):
            n_skipped += 1
            if n_skipped <= _NAMED_MAX:
                print(f"okram: {where}line {number}: {why}: skipped", file=sys.stderr)
    if n_skipped > _NAMED_MAX:
        print(f"okram: and {n_skipped - _NAMED_MAX} lines more", file=sys.stderr)
    return bad


def _text(name):
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode(errors="replace")
        with open(name, errors="replace") as file:
            return file.read()
    except OSError as error:
        raise Trouble(f"{name} cannot be read: {error.strerror}.") from None


def _ram(arguments, bad):
    """RAM by the user, by the map, or by the report with the bad pages."""
    options = []
    spans = bad.ram
    if arguments.map and arguments.ram:
        raise Trouble("--map and --ram both define RAM: use one of them.")
    if arguments.map:
        memory = parse_map(_text(arguments.map), arguments.map)
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
