# SPDX-License-Identifier: MIT
"""What makes the next start okram's: each thing that it needs is checked before one is written."""

import os
from dataclasses import dataclass, field

from .. import Trouble, environment, saved, varstore
from .. import esp as own_esp
from ..efivars import Variables
from ..guard import GLOBAL, lists
from ..guard import esp as esps
from ..guard.here import Here
from ..guard.partition import load_option
from ..guard.steps import VariableChange
from ..units import KIB
from . import Kept, entry, secure

STATE_FILE = "next.json"  # of the unit okram-result, too
_VARIABLES_BYTES = KIB  # Boot####, BootNext
_OPTIONS_MAX = 2047  # of the loader (boot/boot_info.h)

# So that the machine comes back by itself: no menu, a restart, also out of a hang where okram knows
# the watchdog, one pass. What follows wins.
_COMES_BACK = "menu=0 exit=reboot after=next save=on watchdog=10m"
_ENDS = "passes=1"


@dataclass
class Next:
    """Of arguments with esp, disk, part, efivars, sys, proc, state; words are okram's options."""

    arguments: object
    words: list
    notes: list = field(default_factory=list)  # sentences

    def steps(self):
        """What is to be done. Trouble if it cannot be."""
        variables = _writable(self.arguments.efivars)
        bits = Here(self.arguments.sys, self.arguments.proc).firmware_bits() or 64
        options = self._options(bits)
        esp, name, data = self._program(bits)
        file, before = secure.way(variables, esp, name, data)
        _check_boot_next(variables)
        _check_room(variables)
        return list(self._steps(variables, esp, file, before + options))

    def _steps(self, variables, esp, file, options):
        name = entry.name_for_new(variables)
        option = load_option(entry.DESCRIPTION, esp.partition, file, options)
        shown = f"{entry.DESCRIPTION!r}, {esp.partition}/{file}, {options}"
        if variables.data(name, GLOBAL) != option:
            yield VariableChange(variables, name, GLOBAL, option, shown)
        yield Noted(state_file(self.arguments), report_crc(self.arguments.efivars))
        yield entry.boot_next(variables, name)

    def _options(self, bits):
        given = " ".join(f'"{word}"' if " " in word else word for word in self.words)
        if not (given.isascii() and (given.isprintable() or not given)):
            raise Trouble("okram's options are printable ASCII.")
        has_end = any(word.startswith(("passes=", "time=")) for word in self.words)
        options = " ".join(filter(None, [_COMES_BACK, "" if has_end else _ENDS, given]))
        if len(options) > _OPTIONS_MAX:
            raise Trouble(f"the options are longer than okram takes ({_OPTIONS_MAX} characters).")
        found = lists.run_reader("options", data=options.encode())
        if found["warnings"]:
            raise Trouble(f"{found['warnings'][0]}.")
        self._note(found, bits)
        return options

    def _note(self, found, bits):
        if not found["ends"]:
            self.notes.append("this test does not end by itself: the key q ends it.")
        if not found["restarts"]:
            self.notes.append("the computer does not restart by itself after this test (exit=).")
        if not found["keeps"] or bits == 32:
            why = "by 32-bit UEFI okram keeps none" if bits == 32 else "save=off"
            self.notes.append(f"no report stays in the machine ({why}): look at the screen.")
        if _is_on_battery(self.arguments.sys):
            self.notes.append("this computer runs on its battery: plug it in before the test.")

    def _program(self, bits):
        """(esp, name, bytes) of okram on the EFI system partition."""
        built, file = own_esp.PROGRAMS[bits]
        esp = esps.find(self.arguments)
        esp.warn()
        if esp.partition is None:
            raise Trouble(
                f"cannot find out on which partition {esp.folder} is: use --disk and --part."
            )
        name = f"{own_esp.FOLDER}\\{file}"
        data = esp.read(name)
        if data is None:
            raise Trouble(f"okram is not on {esp.folder}: `okram esp install --yes` puts it there.")
        if not own_esp.is_same(data, environment.program(own_esp.BUILD / built).read_bytes()):
            raise Trouble(
                f"{esp.path(name)} is another okram than this command's:"
                " `okram esp install --yes` replaces it."
            )
        return esp, name, data


@dataclass
class Noted:
    """A step: which report was in the machine before, so that another is known as the test's."""

    kept: Kept
    report: str | None

    @property
    def name(self):
        return str(self.kept.path)

    def __str__(self):
        return f"write   {self.name}: that a test is due"

    def do(self):
        self._old = self.kept.read()
        try:
            self.kept.write({"report": self.report})
        except Trouble as trouble:
            raise OSError(5, str(trouble).rstrip(".")) from None

    def undo(self):
        if self._old:
            self.kept.write(self._old)
        else:
            self.kept.delete()


def state_file(arguments):
    return Kept(arguments.state / STATE_FILE)


def report_crc(efivars):
    """Of the report in the variables; None: there is none."""
    head = saved.decode(varstore.read(efivars, saved.NAME)).head
    return head["crc32c"] if head else None


def _writable(folder):
    variables = Variables(folder)
    if not os.access(folder, os.W_OK):
        raise Trouble(f"only root can write UEFI variables ({folder}).")
    return variables


def _check_boot_next(variables):
    number = entry.next_number(variables)
    if number is None or entry.is_waiting(variables):
        return
    found = entry.option_of(variables, number).description or "an entry that is not there"
    raise Trouble(
        f"{entry.BOOT_NEXT} is set already, to {found} (Boot{number:04X}): somebody else wants that"
        " at the next start. Restart first, or delete it by `efibootmgr --delete-bootnext`."
    )


def _check_room(variables):
    free = variables.free_bytes()
    if free is not None and free < _VARIABLES_BYTES:
        raise Trouble(
            f"UEFI variables have room for only {free} bytes: {_VARIABLES_BYTES} are needed."
        )


def _is_on_battery(sysfs):
    """Its own, not a mouse's (Linux, Documentation/ABI/testing/sysfs-class-power)."""
    states = [
        _word(folder / "status")
        for folder in (sysfs / "class" / "power_supply").glob("*")
        if _word(folder / "type") == "Battery" and _word(folder / "scope") != "Device"
    ]
    return "Discharging" in states


def _word(path):
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return ""
