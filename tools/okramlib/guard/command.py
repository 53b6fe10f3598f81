# SPDX-License-Identifier: MIT
"""The command line of okram guard. It builds nothing."""

import argparse
import re
from pathlib import Path

from .. import EXIT_BAD_PAGES, EXIT_PASS, Trouble, environment
from ..efivars import EFIVARS
from . import images, lists, steps, ways
from .install import GUARD, Installation
from .plan import Plan
from .remove import Removal
from .status import print_status

_OPTION = re.compile(r"patrol=(\d{1,3})|quiet=(on|off)")
_PATROL_MAX = 240  # seconds, as of the guard

_EPILOG = f"""\
install shows what it would write, and writes with --yes: the driver to the EFI system partition,
the list of bad pages, and what makes firmware start the driver at each boot. Each is read back
before the next; when one fails, all is as it was. remove gives back what install changed, byte by
byte. test says of each thing that install needs whether it is there, and writes nothing.

Bad pages come from okram's last run on this machine (UEFI), or by --list from a badram line, a log
of okram or of another memory tester, JSON lines, addresses, or a list of the guard itself. They are
added to those that the guard has.

Ways to start the guard:
{chr(10).join(f"  {way.name:8} {way.why}" for way in ways.BY_NAME.values())}

Exit code: 0; 1 when status finds that the guard does not protect Linux, or test that install would
fail; 2 when nothing could be done.
"""


_ENROLL = """\
With Secure Boot on, shim starts only what is enrolled. If the next start shows a blue screen,
Security Violation, press: Enter; any key; then choose Enroll hash from disk, this partition, the
file {}, Continue, Yes, Reboot."""


def add_parser(commands):
    parser = commands.add_parser(
        "guard",
        help="mask bad pages for every system (UEFI): install, status, remove, test",
        description="Masks bad pages at each boot, before any system starts, by a UEFI driver.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_install(_add(actions, "install", _install, "install the guard, or change its list"))
    status = _add(actions, "status", print_status, "what it does, and whether Linux is safe")
    status.add_argument("--json", action="store_true", help="one JSON object")
    remove = _add(actions, "remove", _remove, "remove it, and give back what it changed")
    remove.add_argument("--yes", action="store_true", help="do it; without, it is only shown")
    _add_install(_add(actions, "test", _test, "whether install would work; writes nothing"))


def _add(actions, name, do, help):
    parser = actions.add_parser(
        name,
        help=help,
        description=f"{help[0].upper()}{help[1:]}.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--esp", type=Path, metavar="DIR", help="where the EFI system partition is mounted")
    add("--disk", type=Path, metavar="DISK", help="its disk, if that cannot be found out")
    add("--part", type=int, metavar="N", help="and its number there")
    add("--efivars", type=Path, default=EFIVARS, metavar="DIR", help=f"({EFIVARS})")
    add("--sys", type=Path, default=Path("/sys"), metavar="DIR", help="Linux's (/sys)")
    add("--proc", type=Path, default=Path("/proc"), metavar="DIR", help="Linux's (/proc)")
    parser.set_defaults(do=lambda arguments: _as_installed(do, arguments))
    return parser


def _as_installed(do, arguments):
    environment.need_installed("guard")
    return do(arguments)


def _add_install(parser):
    add = parser.add_argument
    add("--list", action="append", metavar="FILE", help="bad pages; - is standard input")
    add("--pages", action="store_true", help="numbers in it are page numbers (address / 4096)")
    add("--replace", action="store_true", help="drop the pages of the existing list")
    add("--way", choices=ways.BY_NAME, help="what starts the guard at each boot (driver)")
    add("--file", action="store_true", help="keep the list in a file, not in a variable")
    add("--options", type=_options, metavar="WORDS", help='such as "patrol=20 quiet=on"')
    add(
        "--guard", type=Path, default=GUARD, metavar="FILE", help="the driver, such as a signed one"
    )
    add(
        "--shim", type=Path, default=images.SHIM, metavar="DIR",
        help=f"where shim and MokManager are ({images.SHIM})",
    )  # fmt: skip
    add("--yes", action="store_true", help="do it; without, it is only shown")


def _options(text):
    for word in text.split():
        match = _OPTION.fullmatch(word)
        if not match or int(match[1] or 0) > _PATROL_MAX:
            raise argparse.ArgumentTypeError(
                f"{word!r} is not patrol=SECONDS, up to {_PATROL_MAX}, or quiet=on or off"
            )
    return " ".join(text.split())


def _install(arguments):
    installation = _prepare(arguments)
    for name in installation.CHECKS:
        print(getattr(installation, name)())
    wanted = Plan(installation).steps()
    if not wanted:
        print("All of it is installed: there is nothing to do.")
        return EXIT_PASS
    if _do(wanted, arguments.yes):
        print("The guard is installed. Restart, then see okram guard status.")
        if installation.way.shim:
            print(_ENROLL.format(installation.way.driver))
    return EXIT_PASS


def _remove(arguments):
    removal = Removal(arguments)
    left = removal.left()
    if _do(removal.steps(), arguments.yes):
        print("The guard is removed. What it masked at this boot stays masked until the next.")
    if left:
        print(left)
    return EXIT_PASS


def _test(arguments):
    installation, failed = _prepare(arguments), 0
    for name in installation.CHECKS:
        try:
            print(f"ok      {getattr(installation, name)()}")
        except Trouble as trouble:
            failed += 1
            print(f"FAILED  {trouble}")
            if name in ("driver_file", "partition"):  # what comes after needs these
                break
    return EXIT_BAD_PAGES if failed else EXIT_PASS


def _prepare(arguments):
    lists.need_modules(arguments.list or [])
    if arguments.guard == GUARD:
        environment.program(GUARD)
    return Installation(arguments)


def _do(wanted, is_meant):
    if is_meant:
        steps.do(wanted)
        return True
    print("This would be done, in this order:")
    steps.show(wanted)
    print("Nothing is written: --yes does it.")
    return False
