# SPDX-License-Identifier: MIT
"""What an installation changed: the variable OkramGuardBackup, one JSON line (docs/guard.md). It is
read by the code of okram's menu (program.py)."""

import json
import struct
from dataclasses import dataclass

from .. import Trouble
from . import BACKUP, LIST_FILE, VENDOR, program

VERSION = 1


@dataclass(frozen=True)
class Backup:
    way: str
    driver: str | None = None  # the Driver#### or Boot#### that was made
    order: bytes | None = None  # DriverOrder or BootOrder before; None: there was none
    partition: str | None = None  # with the files, as Linux's PARTUUID has it
    files: tuple = ()  # that were made, from the partition's root
    folders: tuple = ()  # the same, each before what is in it

    @property
    def order_name(self):
        return "BootOrder" if (self.driver or "").startswith("Boot") else "DriverOrder"

    @property
    def list_file(self):
        """None: the list is in the variable."""
        return next((name for name in self.files if name.endswith(f"\\{LIST_FILE}")), None)

    def encode(self):
        record = {
            "type": "guard-backup",
            "version": VERSION,
            "way": self.way,
            "driver": self.driver,
            "order": None if self.order is None else self.order.hex(),
            "partition": self.partition,
            "files": self.files,
            "folders": self.folders,
        }
        return (json.dumps(record, separators=(",", ":")) + "\n").encode()


def read(variables):
    """None: the guard is not installed. Trouble if the variable is damaged: it is not believed."""
    data = variables.data(BACKUP, VENDOR)
    if data is None:
        return None
    try:
        record = program.read("backup", data=data)
    except program.Invalid as why:
        raise Trouble(f"the variable {BACKUP} is damaged: {why}.") from None
    order = None if record["order"] is None else bytes.fromhex(record["order"])
    paths = (tuple(record[name]) for name in ("files", "folders"))
    return Backup(record["way"], record["driver"], order, record["partition"], *paths)


def parse_order(data):
    """The numbers of DriverOrder. An odd byte at its end does not count."""
    return list(struct.unpack(f"<{len(data) // 2}H", data[: len(data) & ~1]))


def encode_order(numbers):
    return struct.pack(f"<{len(numbers)}H", *numbers)


def order_text(data):
    return " ".join(f"{number:04X}" for number in parse_order(data)) if data else "(none)"
