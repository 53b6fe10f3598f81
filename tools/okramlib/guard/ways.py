# SPDX-License-Identifier: MIT
"""The ways to start the guard at each boot, and the record of what an installation changed: the
variable OkramGuardBackup, one JSON line (docs/guard-forms.md)."""

import ast
import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from .. import Trouble
from . import BACKUP, FOLDER, GLOBAL, LIST_FILE, OPTIONS_FILE, VENDOR, lists

_VERSION = 1
_NUMBERS = 1 << 16
_MOKMANAGER = "mmx64.efi"


@dataclass(frozen=True)
class Way:
    """A row of ways.inc."""

    name: str
    folder: str  # of the driver
    file: str
    prefix: str  # of the variable #### that starts it
    row: str  # these two for okram's menu
    row_on: str
    needs: str  # the folder that must be there
    why: str  # what starts it
    shim: str  # the file that the variable starts instead, or ""

    @property
    def order(self):
        return f"{self.prefix}Order"

    @property
    def driver(self):
        return f"{self.folder}\\{self.file}"

    @property
    def list(self):
        return f"{self.folder}\\{FOLDER}\\{LIST_FILE}"

    @property
    def options(self):
        return f"{self.folder}\\{FOLDER}\\{OPTIONS_FILE}"

    @property
    def is_application(self):
        """EDK2 starts no boot entry that is a driver. Shim does."""
        return self.prefix == "Boot" and not self.shim

    @property
    def shims(self):
        """The paths of shim and of its MokManager, if there are any."""
        return [f"{self.folder}\\{name}" for name in (self.shim, _MOKMANAGER) if self.shim]

    @property
    def started(self):
        """What the variable starts."""
        return self.shims[0] if self.shim else self.driver

    def load_options(self, options):
        """The variable's, for these of the guard: shim takes the first word for what it starts."""
        return f"{self.file} {options}".rstrip() if self.shim else options

    def guard_options(self, load_options):
        return load_options.partition(" ")[2] if self.shim else load_options

    def check(self, esp):
        """Trouble if the boot manager is not on that partition."""
        if self.needs and not esp.path(self.needs).is_dir():
            raise Trouble(f"--way {self.name}: {esp.folder} has no {self.needs}.")


def _read():
    """C's string literals here are Python's, too."""
    text = Path(__file__).with_name("ways.inc").read_text()
    rows = re.findall(r"^WAY(\(.*?\))$", text, re.MULTILINE | re.DOTALL)
    return {row[0]: Way(*row) for row in map(ast.literal_eval, rows)}


BY_NAME = _read()


@dataclass(frozen=True)
class Backup:
    way: str
    driver: str | None = None  # the Driver#### or Boot#### that was made
    order: bytes | None = None  # DriverOrder or BootOrder before; None: there was none
    partition: str | None = None  # with the files, as Linux's PARTUUID has it
    files: tuple = ()  # that were made, from the partition's root
    folders: tuple = ()  # the same, each before what is in it

    @property
    def list_file(self):
        """None: the list is in the variable."""
        return next((name for name in self.files if name.endswith(f"\\{LIST_FILE}")), None)

    def encode(self):
        record = {"type": "guard-backup", "version": _VERSION, **vars(self)}
        record["order"] = None if self.order is None else self.order.hex()
        return (json.dumps(record, separators=(",", ":")) + "\n").encode()


def read_backup(variables):
    """None: the guard is not installed. Trouble if the variable is damaged: it is not believed."""
    data = variables.data(BACKUP, VENDOR)
    if data is None:
        return None
    try:
        record = lists.run_reader("backup", data=data)
    except lists.Invalid as why:
        raise Trouble(f"the variable {BACKUP} is damaged: {why}.") from None
    order = None if record["order"] is None else bytes.fromhex(record["order"])
    paths = (tuple(record[name]) for name in ("files", "folders"))
    return Backup(record["way"], record["driver"], order, record["partition"], *paths)


def parse_order(data):
    """The numbers of DriverOrder. An odd byte at its end does not count."""
    return list(struct.unpack(f"<{len(data) // 2}H", data[: len(data) & ~1]))


def encode_order(numbers):
    return struct.pack(f"<{len(numbers)}H", *numbers)


def free_name(variables, prefix, order):
    """Of the first #### that is neither a variable nor in the order. Trouble if there is none."""
    taken = {name[-4:].upper() for name in variables.names(prefix, GLOBAL)}
    taken |= {f"{number:04X}" for number in order}
    free = (number for number in range(_NUMBERS) if f"{number:04X}" not in taken)
    if (number := next(free, None)) is None:
        raise Trouble(f"all numbers of {prefix}#### are in use.")
    return f"{prefix}{number:04X}"


def order_text(data):
    return " ".join(f"{number:04X}" for number in parse_order(data)) if data else "(none)"
