# SPDX-License-Identifier: MIT
"""`okram esp`: okram.efi on the EFI system partition, and its entry in systemd-boot's menu.

The entry is one of the Boot Loader Specification (type 1). rEFInd finds the program by itself; GRUB
and a firmware shell start it by its name.
"""

import argparse
import contextlib
import re
import sys
from pathlib import Path

from . import BUILD, EXIT_PASS, Trouble, environment
from .efivars import Variables
from .guard import esp as esps
from .guard import steps
from .guard.here import Here
from .guard.steps import DeleteFolder, FileChange
from .once import secure
from .units import KIB, format_size

FOLDER = "\\EFI\\okram"  # the guard's, too
PROGRAMS = {64: ("okram.efi", "okramx64.efi"), 32: ("okram-ia32.efi", "okramia32.efi")}
_ENTRIES = "\\loader\\entries"
_ENTRY = f"{_ENTRIES}\\okram.conf"
_SPARE_BYTES = 64 * KIB  # of the partition, for FAT's own needs

# What tells whose a file is: the first line of an entry, and the section .sbat of a program.
_OURS = "# Written by `okram esp install`, removed by `okram esp remove`.\n"
_SBAT = re.compile(rb"\nokram,\d+,okram,")

_EPILOG = f"""\
install writes okram's UEFI program to {FOLDER} and, where systemd-boot is on the partition,
an entry of its menu. A newer okram replaces an older one; a file of that name that is not okram's
is left as it is. remove deletes both. Each says what it would do, and does it with --yes. If a step
fails, those before it are undone.

Exit code: 0; 2 when nothing could be done.
"""


def add_parser(commands):
    parser = commands.add_parser(
        "esp",
        help="put okram onto the EFI system partition (UEFI): install, remove",
        description="Puts okram onto the EFI system partition, so that boot managers can start it.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, do, text in (
        ("install", _install, "put it there, or replace an older one"),
        ("remove", _remove, "remove it from there"),
    ):
        action = actions.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=_EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add = action.add_argument
        add("--esp", type=Path, metavar="DIR", help="where the EFI system partition is mounted")
        add("--sys", type=Path, default=Path("/sys"), metavar="DIR", help="Linux's (/sys)")
        add("--proc", type=Path, default=Path("/proc"), metavar="DIR", help="Linux's (/proc)")
        add("--yes", action="store_true", help="do it; without, it is only shown")
        action.set_defaults(do=do, disk=None, part=None)


def _install(arguments):
    environment.need_installed("esp")
    esp, bits = _partition(arguments), Here(arguments.sys, arguments.proc).firmware_bits() or 64
    if not esp.is_fat:
        raise Trouble(
            f"{esp.folder} is not a FAT volume, which is all that firmware can read:"
            " name the folder where the EFI system partition is mounted."
        )
    built, name = PROGRAMS[bits]
    data = environment.program(BUILD / built).read_bytes()
    wanted = [FileChange(esp, f"{FOLDER}\\{name}", data)]
    if esp.path(_ENTRIES).is_dir() or esp.path("\\EFI\\systemd").is_dir():
        shown = "an entry of systemd-boot's menu"
        wanted.append(FileChange(esp, _ENTRY, _entry(name), shown))
    _warn_of_secure_boot(arguments, esp, wanted[0].name, data)
    for step in wanted:
        _refuse_foreign(esp, step.name)
    wanted = [step for step in wanted if step.read() != step.wanted]
    if not wanted:
        print(f"okram is on {esp.folder} already: there is nothing to do.")
        return EXIT_PASS
    _check_room(esp, sum(len(step.wanted) for step in wanted))
    _do(wanted, arguments.yes)
    return EXIT_PASS


def _remove(arguments):
    environment.need_installed("esp")
    esp = _partition(arguments)
    names = [_ENTRY, *(f"{FOLDER}\\{name}" for _, name in PROGRAMS.values())]
    found = [name for name in names if esp.read(name) is not None]
    for name in found:
        _refuse_foreign(esp, name)
    if not found:
        print(f"okram is not on {esp.folder}: there is nothing to do.")
        return EXIT_PASS
    folder = [DeleteFolder(esp, FOLDER)] if any(n.startswith(FOLDER) for n in found) else []
    _do([*(FileChange(esp, name) for name in found), *folder], arguments.yes)
    return EXIT_PASS


def _partition(arguments):
    esp = esps.find(arguments)
    esp.warn()
    if esp.is_read_only():
        raise Trouble(f"{esp.folder} is mounted read-only.")
    if esp.is_fat:
        print(f"{esp.folder} is the EFI system partition, {esp.partition or 'partition unknown'}.")
    return esp


def _entry(name):
    return f"{_OURS}title Memory test (okram)\nefi /EFI/okram/{name}\n".encode()


def is_same(data, built):
    """Whether it is that program, signed or not."""
    return data == built or secure.authenticode(data) == secure.authenticode(built)


def _warn_of_secure_boot(arguments, esp, name, data):
    """That it would not start as it is now."""
    with contextlib.suppress(Trouble):
        variables = Variables(arguments.sys / "firmware" / "efi" / "efivars")
        try:
            secure.way(variables, esp, name, data)
        except Trouble as trouble:
            print(f"okram: warning: {trouble}", file=sys.stderr)


def _refuse_foreign(esp, name):
    data = esp.read(name)
    if data is None:
        return
    ours = data.startswith(_OURS.encode()) if name == _ENTRY else _SBAT.search(data)
    if not ours:
        raise Trouble(f"{esp.path(name)} is not okram's: it is left as it is, and so is all else.")


def _check_room(esp, needed):
    needed += _SPARE_BYTES
    if esp.free_bytes() < needed:
        raise Trouble(
            f"{esp.folder} is full: {format_size(esp.free_bytes())} are free,"
            f" {format_size(needed)} are needed."
        )


def _do(wanted, is_meant):
    if is_meant:
        steps.do(wanted)
        return
    print("This would be done, in this order:")
    steps.show(wanted)
    print("Nothing is written: --yes does it.")
