# SPDX-License-Identifier: MIT
"""What an installation needs: each is checked before anything is written."""

from .. import BUILD, Trouble
from ..efivars import Variables
from ..units import KIB, PAGE, count, format_size
from . import FOUND, GLOBAL, LIST, MASKED, SBAT_LEVEL, SHIM_VENDOR, VENDOR, images, lists, ways
from . import esp as esps
from .here import Here
from .ways import free_name, order_text, parse_order

GUARD = BUILD / "okram-guard.efi"
_SPARE_BYTES = 64 * KIB  # of the partition, for FAT's own needs
_ORDER_MAX = 512  # entries, as of the menu: the backup holds them
_VARIABLES_BYTES = KIB  # without the list: Driver####, DriverOrder and the backup


class Installation:
    """CHECKS in their order, each a method that returns a sentence or raises a Trouble. Then a Plan
    says what is to be written."""

    CHECKS = ("firmware", "secure_boot", "driver_file", "partition", "bad_pages", "entry", "room")

    def __init__(self, arguments):
        self.arguments = arguments
        self.here = Here(arguments.sys, arguments.proc)
        self.variables = Variables(arguments.efivars)
        self.former = ways.read_backup(self.variables)
        self.way = ways.BY_NAME[self._way_name()]
        self.is_secure = False
        self.image = self.esp = self.list = self.order = self.driver = None
        self.shim = []  # the Images of shim and of MokManager, if that is the way

    def firmware(self):
        bits = self.here.firmware_bits()
        if bits == 32:
            raise Trouble("firmware is 32-bit; the guard is for 64-bit UEFI.")
        return "firmware is 64-bit UEFI." if bits else "the system was started by UEFI."

    def secure_boot(self):
        self.is_secure = self.variables.data("SecureBoot", GLOBAL) == b"\1"
        if not self.is_secure:
            return "Secure Boot is off."
        return f"Secure Boot is on: the list goes to {FOUND}, from which okram's menu takes it."

    def driver_file(self):
        self.image = images.read_guard(self.arguments.guard)
        if self.way.shim:
            level = self.variables.data(SBAT_LEVEL, SHIM_VENDOR)
            self.shim = images.read_shim(self.arguments.shim, level)
            return f"{self.image.path} is a UEFI driver, which {self.shim[0].path} starts."
        if self.is_secure and not self.image.is_signed:
            raise Trouble(
                f"{self.image.path} is not signed, and Secure Boot is on: firmware would refuse"
                " it. Use --way shim."
            )
        if self.is_secure and self.way.is_application:
            raise Trouble(
                "under Secure Boot the guard can be a boot entry only by shim, for it is signed as"
                " a driver: use --way shim."
            )
        signed = (
            "signed"
            if self.image.is_signed
            else "not signed: once Secure Boot is on, it starts only by --way shim"
        )
        return f"{self.image.path} is a UEFI driver, {signed}."

    def partition(self):
        self.esp = esps.find(self.arguments, self.former.partition if self.former else None)
        self.esp.warn()
        if self.esp.is_read_only():
            raise Trouble(f"{self.esp.folder} is mounted read-only.")
        self.way.check(self.esp)
        if self.way.prefix and self.esp.partition is None:
            raise Trouble(
                f"cannot find out on which partition {self.esp.folder} is: use --disk and --part."
            )
        needed = sum(len(image.data) for image in [self.image, *self.shim]) + _SPARE_BYTES
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
            added = f"; {count(n_kept, 'page')} of it from the existing list" if n_kept else ""
        ram_bytes = self.here.ram_bytes()
        if self.list.is_refused or self.list.n_pages * PAGE > ram_bytes // 2:
            raise Trouble(
                f"the list has {self.list}, more than half of {format_size(ram_bytes)} of RAM, or"
                " of what is below 4 GiB: the guard would refuse it."
            )
        left = (
            f"; the guard will leave {count(self.list.left, 'bad page')} of it in use, so that a"
            " system can start"
            if self.list.left
            else ""
        )
        return f"the list has {self.list}{added}{left}."

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
            raise Trouble(f"UEFI variables have room for only {free} bytes: {needed} are needed.")
        enough = "enough" if free >= needed + len(self.list.data) else "too few"
        return f"there is room for {free} bytes of UEFI variables, {enough} for the list."

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

    def _way_name(self):
        asked = self.arguments.way
        if not self.former:
            return asked or "driver"
        if asked and asked != self.former.way:
            raise Trouble(
                f"the guard is installed by another way, {self.former.way}: remove it first."
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
        return free_name(self.variables, self.way.prefix, self.order)
