# SPDX-License-Identifier: MIT
"""What an installation needs and what it writes, in this order: the backup, the driver's file, the
list, and last what makes firmware start the driver."""

from dataclasses import replace

from .. import BUILD, Trouble
from ..units import KIB, PAGE, count, format_size
from . import BACKUP, FOUND, GLOBAL, LIST, MASKED, VENDOR, backup, image, lists, ways
from . import esp as esps
from .backup import Backup, encode_order, order_text, parse_order
from .here import Here
from .load_option import Invalid, LoadOption, decode, options_bytes
from .steps import DeleteFile, DeleteVariable, Either, WriteFile, WriteVariable
from .variables import KEPT, Variables

GUARD = BUILD / "okram-guard.efi"
DESCRIPTION = "okram guard"
_SPARE_BYTES = 64 * KIB  # of the partition, for FAT's own needs
_ORDER_MAX = 512  # entries, as of the menu: the backup holds them
_NUMBERS = 1 << 16
_VARIABLES_BYTES = KIB  # without the list: Driver####, DriverOrder and the backup

# A list that Linux cannot write, for it is out of its reach or would not be believed.
_BY_MENU = (
    "okram's own menu takes it from there: start okram, and choose to add the bad pages of the"
    " last run"
)


class Installation:
    """CHECKS in their order, each a method that returns a sentence or raises a Trouble; then
    steps()."""

    CHECKS = ("firmware", "secure_boot", "driver_file", "partition", "bad_pages", "entry", "room")

    def __init__(self, arguments):
        self.arguments = arguments
        self.here = Here(arguments.sys, arguments.proc)
        self.variables = Variables(arguments.efivars)
        self.former = backup.read(self.variables)
        self.way = ways.BY_NAME[self._way_name()]
        self.is_secure = False
        self.image = self.esp = self.list = self.order = self.driver = None

    def firmware(self):
        bits = self.here.firmware_bits()
        if bits == 32:
            raise Trouble("firmware is 32-bit; the guard is for 64-bit UEFI.")
        return "firmware is 64-bit UEFI." if bits else "the system was started by UEFI."

    def secure_boot(self):
        self.is_secure = self.variables.data("SecureBoot", GLOBAL) == b"\1"
        if not self.is_secure:
            return "Secure Boot is off."
        return f"Secure Boot is on: the list goes to {FOUND}; {_BY_MENU}."

    def driver_file(self):
        self.image = image.read(self.arguments.guard)
        if self.is_secure and not self.image.is_signed:
            raise Trouble(
                f"{self.image.path} is not signed, and Secure Boot is on: firmware would refuse"
                " it (docs/guard.md, Secure Boot)."
            )
        signed = "signed" if self.image.is_signed else "not signed"
        return f"{self.image.path} is a UEFI driver, {signed}."

    def partition(self):
        a = self.arguments
        self.esp = esps.find(a, self.former.partition if self.former else None)
        if self.esp.is_read_only():
            raise Trouble(f"{self.esp.folder} is mounted read-only.")
        ways.check(self.way, self.esp)
        if self.way.prefix and self.esp.partition is None:
            raise Trouble(
                f"it cannot be told on which partition {self.esp.folder} is: use --disk and --part."
            )
        needed = len(self.image.data) + _SPARE_BYTES
        if self.esp.free_bytes() < needed:
            raise Trouble(
                f"{self.esp.folder} is full: {format_size(self.esp.free_bytes())} are free,"
                f" {format_size(needed)} are needed."
            )
        partition = self.esp.partition or "partition unknown"
        return f"{self.esp.folder} is the EFI system partition, {partition}."

    def bad_pages(self):
        fresh = self._fresh_list()
        former = None if self.arguments.replace else self.former_list()
        self.list = fresh or former
        if not self.list:
            raise Trouble(
                f"no bad pages are known: the variable {FOUND} is not there. Run okram first, or"
                " name a log or a badram line by --list."
            )
        added = ""
        if fresh and former:
            # What the guard masks, okram does not see: pages of former runs stay bad.
            self.list = lists.from_runs(fresh.runs + former.runs, self.here)
            if self.list.runs == former.runs:
                self.list = former
            n_kept = self.list.n_pages - fresh.n_pages
            added = f"; {count(n_kept, 'page')} of it from the list that is there" if n_kept else ""
        ram_bytes = self.here.ram_bytes()
        if self.list.n_pages * PAGE > ram_bytes // 2:
            raise Trouble(
                f"the list has {self.list}, more than half of {format_size(ram_bytes)} of RAM:"
                " the guard would refuse it."
            )
        return f"the list has {self.list}{added}."

    def entry(self):
        way = self.way
        if not way.prefix:
            return f"{way.why} starts the guard."
        data = self.variables.data(way.order, GLOBAL)
        if data is not None and len(data) % 2:
            raise Trouble(f"{way.order} is damaged: it has {len(data)} bytes, an odd number.")
        self.order = parse_order(data or b"")
        if len(self.order) > _ORDER_MAX:
            raise Trouble(
                f"{way.order} is full: it has {count(len(self.order), 'entry', 'entries')}."
            )
        if way.prefix == "Boot" and not self.order:
            raise Trouble("BootOrder is empty: no entry would be started after the guard.")
        self.driver = self._free_name()
        return f"the guard is {self.driver}; {way.order} is {order_text(data)} now."

    def room(self):
        free, needed = self.variables.free_bytes(), _VARIABLES_BYTES
        if free is None:
            return "Linux does not say how much room there is for UEFI variables."
        if free < needed:
            raise Trouble(
                f"there is room for {free} bytes of UEFI variables only: {needed} are needed."
            )
        place = "variable" if free >= needed + len(self.list.data) else "file"
        return f"there is room for {free} bytes of UEFI variables: the list goes into a {place}."

    def former_list(self):
        """What the guard takes so far, if it is for this machine as it is."""
        for data in (
            self.variables.data(LIST, VENDOR),
            self.esp.read(self.way.list),
            self.variables.data(MASKED, VENDOR),
        ):
            if not data:
                continue
            try:
                found = lists.read(data, self.here)
            except lists.Invalid:
                continue
            if not found.differs and found.n_pages:
                return found
        return None

    def steps(self):
        """The backup first: whatever comes of the rest, it can be removed."""
        return [*self._backup(), *self._files(), *self._list_steps(), *self._switch()]

    def _way_name(self):
        asked = self.arguments.way
        if not self.former:
            return asked or "driver"
        if asked and asked != self.former.way:
            raise Trouble(
                f"the guard is installed by another way, {self.former.way}: remove it first."
            )
        if self.former.way not in ways.BY_NAME:
            raise Trouble(
                f"the guard is installed as a {self.former.way}: only okram's own menu can change"
                " that."
            )
        return self.former.way

    def _fresh_list(self):
        if self.arguments.list:
            return lists.from_files(self.arguments.list, self.arguments.pages, self.here)
        data = self.variables.data(FOUND, VENDOR)
        return lists.read_for(data, self.here, f"the variable {FOUND}") if data else None

    def _free_name(self):
        if self.former and self.former.driver:
            return self.former.driver
        prefix = self.way.prefix
        taken = {name[-4:].upper() for name in self.variables.names(prefix, GLOBAL)}
        taken |= {f"{number:04X}" for number in self.order}
        free = (number for number in range(_NUMBERS) if f"{number:04X}" not in taken)
        if (number := next(free, None)) is None:
            raise Trouble(f"all numbers of {prefix}#### are in use.")
        return f"{prefix}{number:04X}"

    def _files(self):
        if self.esp.read(self.way.driver) != self.image.data:
            yield WriteFile(self.esp, self.way.driver, self.image.data)
        if not self.way.prefix and self.arguments.options is not None:
            yield from self._options_file(self.arguments.options)

    def _options_file(self, options):
        wanted = f"{options}\n".encode() if options else None
        now = self.esp.read(self.way.options)
        if now != wanted:
            if wanted:
                yield WriteFile(self.esp, self.way.options, wanted, options)
            else:
                yield DeleteFile(self.esp, self.way.options)

    def _list_steps(self):
        shown, data = str(self.list), self.list.data
        in_variable, in_file = self.variables.data(LIST, VENDOR), self.esp.read(self.way.list)
        if self._goes_to_menu():
            if self.variables.data(FOUND, VENDOR) != data:
                shown = f"{shown}. {_BY_MENU}"
                yield WriteVariable(self.variables, FOUND, VENDOR, KEPT, data, shown)
            return
        to_file = [WriteFile(self.esp, self.way.list, data, shown)]
        if in_variable is not None:  # it would go first
            to_file.append(DeleteVariable(self.variables, LIST, VENDOR))
        if self._is_in_file():
            yield from to_file[in_file == data :]
        elif in_variable != data:
            to_variable = WriteVariable(self.variables, LIST, VENDOR, KEPT, data, shown)
            yield Either(to_variable, [self._backup_step(in_file=True), *to_file])

    def _goes_to_menu(self):
        """Secure Boot, or the menu has installed: its variable is for boot services only."""
        if self.is_secure:
            return True
        is_kept = self.former and not self.former.list_file and not self.arguments.file
        return bool(is_kept) and self.variables.data(LIST, VENDOR) is None

    def _is_in_file(self):
        return self.arguments.file or bool(self.former and self.former.list_file)

    def _switch(self):
        if not self.way.prefix:
            return
        option, order = self._option(), self.way.order
        if self.variables.data(self.driver, GLOBAL) != option.encode():
            shown = f"{DESCRIPTION!r}, {option.partition}/{option.path}"
            shown += f", {option.options_text()}" if option.options else ""
            yield WriteVariable(self.variables, self.driver, GLOBAL, KEPT, option.encode(), shown)
        number = int(self.driver[-4:], 16)
        if number not in self.order:
            now = encode_order([number, *self.order])
            shown = f"{order_text(now)}; it was {order_text(encode_order(self.order))}"
            yield WriteVariable(self.variables, order, GLOBAL, KEPT, now, shown)

    def _option(self):
        options = self.arguments.options
        if options is None:
            options = self._former_options()
        return LoadOption(
            DESCRIPTION, self.esp.partition, self.way.driver, options_bytes(options or "")
        )

    def _former_options(self):
        data = self.variables.data(self.driver, GLOBAL)
        if not (self.former and data):
            return ""
        try:
            return decode(data).options_text()
        except Invalid:
            return ""

    def _backup(self):
        step = self._backup_step(self._is_in_file())
        if self.variables.data(BACKUP, VENDOR) != step.data:
            yield step

    def _backup_step(self, in_file):
        former = self.former or self._fresh_backup()
        names = [self.way.driver]
        if not self.way.prefix and self.arguments.options:
            names.append(self.way.options)
        if in_file:
            names.append(self.way.list)
        files = (*former.files, *(n for n in names if self.esp.read(n) is None))
        folders = (*former.folders, *(f for f in _folders(names) if not self.esp.path(f).is_dir()))
        made = replace(former, files=_once(files), folders=_once(folders))
        data = made.encode()
        shown = f"{len(data)} bytes: what is needed to remove it all"
        return WriteVariable(self.variables, BACKUP, VENDOR, KEPT, data, shown)

    def _fresh_backup(self):
        partition = self.esp.partition.uuid if self.esp.partition else None
        if not self.way.prefix:
            return Backup(self.way.name, partition=partition)
        order = self.variables.data(self.way.order, GLOBAL)
        return Backup(self.way.name, self.driver, order, partition)


def _once(names):
    return tuple(dict.fromkeys(names))


def _folders(names):
    """All that are on the ways to these files, each before what is in it."""
    for name in names:
        parts = name.split("\\")
        for n in range(2, len(parts)):
            yield "\\".join(parts[:n])
