# SPDX-License-Identifier: MIT
"""The command line of okram test. It builds nothing."""

import argparse
import os
import subprocess
from pathlib import Path

from .. import EXIT_PASS, EXIT_UNFINISHED, Trouble, environment
from ..efivars import EFIVARS, Variables
from ..guard import steps
from . import STATE, crash, entry, login, result
from .start import Next, state_file

_EPILOG = """\
--next makes the next start, and no other, okram's, by a boot entry of its own and BootNext. okram
tests, restarts the computer, and firmware starts what its order says: also after faults, and after
a hang once the computer was reset, by the chipset's watchdog or by hand. It shows what it would
write, and writes with --yes. OPTION is one of okram's options, such as tests=quick or time=8h;
without passes= and time= it is one pass.
--result shows the result, and removes the entry; with the Debian package that is done at the
next start, and shown at each login until the one after. okram report --efivars has the whole
report.
--after-crash enable does the same by a systemd unit after a panic, an uncorrected machine check, or
an uncorrected error that EDAC counts: once for each, at most daily, and not after a test has
found faults. The computer is tested when it is restarted the next time; with --restart the unit
restarts it.

Exit code: 0; 2 when nothing could be done. Of --result: 0 no bad page, 1 bad pages, 2 no report, 3
the test has not run yet, was stopped or is incomplete, 4 ECC corrected errors.
"""

_CRASH = {
    "enable": crash.enable,
    "disable": crash.disable,
    "status": crash.status,
    "check": crash.check,
}


def add_parser(commands):
    parser = commands.add_parser(
        "test",
        help="test memory at the next start (UEFI), and show the result",
        description="Tests memory at the next start of this computer.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--next", action="store_true", help="test at the next start")
    what.add_argument("--cancel", action="store_true", help="take that back")
    what.add_argument("--result", action="store_true", help="show the result of that test")
    what.add_argument("--after-crash", choices=_CRASH, help="test after a crash, by a systemd unit")
    add = parser.add_argument
    add(
        "options",
        nargs="*",
        metavar="OPTION",
        help="an option of okram, with --next or --after-crash enable",
    )
    add("--yes", action="store_true", help="do it; without, --next only shows it")
    add("--restart", action="store_true", help="and restart for it")
    add("--tell", action="store_true", help="show the result at each login, too")
    add("--esp", type=Path, metavar="DIR", help="where the EFI system partition is mounted")
    add("--disk", type=Path, metavar="DISK", help="its disk, if that cannot be found out")
    add("--part", type=int, metavar="N", help="and its number there")
    add("--efivars", type=Path, default=EFIVARS, metavar="DIR", help=f"({EFIVARS})")
    add("--sys", type=Path, default=Path("/sys"), metavar="DIR", help="Linux's (/sys)")
    add("--proc", type=Path, default=Path("/proc"), metavar="DIR", help="Linux's (/proc)")
    add("--run", type=Path, default=Path("/run"), metavar="DIR", help="Linux's (/run)")
    add("--state", type=Path, default=STATE, metavar="DIR", help=f"okram's own ({STATE})")
    parser.set_defaults(do=_test)


def _test(arguments):
    environment.need_installed("test")
    if arguments.options and (arguments.cancel or arguments.result):
        raise Trouble(f"{arguments.options[0]}: okram's options go with --next.")
    if arguments.next:
        return _next(arguments)
    if arguments.cancel:
        return _cancel(arguments)
    return _result(arguments) if arguments.result else _CRASH[arguments.after_crash](arguments)


def _next(arguments):
    start = Next(arguments, arguments.options)
    wanted = start.steps()
    for note in start.notes:
        print(f"Note: {note}")
    if not arguments.yes:
        print("This would be done, in this order:")
        steps.show(wanted)
        print("Nothing is written: --yes does it.")
        return EXIT_PASS
    steps.do(wanted)
    print("The next start tests memory. `okram test --result` then shows the result.")
    if arguments.restart:
        subprocess.run(["systemctl", "reboot"], check=True)
    return EXIT_PASS


def _cancel(arguments):
    variables = Variables(arguments.efivars)
    wanted = list(entry.removal(variables))
    if not wanted:
        print("No test is due: there is nothing to do.")
    steps.do(wanted)
    state_file(arguments).delete()
    crash.learn(arguments, None)
    login.forget(arguments)
    return EXIT_PASS


def _result(arguments):
    variables = Variables(arguments.efivars)
    if entry.is_waiting(variables):
        print("The test has not run yet: it comes at the next start.")
        return EXIT_UNFINISHED
    found = result.read(arguments)
    try:
        if os.access(arguments.efivars, os.W_OK):
            _settle(arguments, variables, found)
    finally:
        print("\n".join(found.lines))
    return found.code


def _settle(arguments, variables, found):
    """What the test needed is removed."""
    steps.do(entry.removal(variables))
    crash.learn(arguments, found.is_bad)
    state_file(arguments).delete()
    if arguments.tell:
        login.tell(arguments, [*found.lines, "`okram report --efivars` has the whole report."])
