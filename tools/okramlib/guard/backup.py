# SPDX-License-Identifier: MIT
"""What an installation changed: the variable OkramGuardBackup, one JSON line (docs/guard.md)."""

import json
import re
import struct
from dataclasses import dataclass

from .. import Trouble
from . import BACKUP, LIST_FILE, VENDOR

VERSION = 1
_BYTES_MAX = 4096
_OPTION = re.compile(r"(Driver|Boot)[0-9A-F]{4}")
_ORDER = re.compile(r"([0-9a-f]{4})*")
_PARTITION = re.compile(r"[0-9a-f-]{1,40}")
_PATH = re.compile(r"(\\[^\\/:*?\"<>|\x00-\x1f]+)+")


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
    why = "it is no line of JSON"
    try:
        if len(data) <= _BYTES_MAX:
            record = json.loads(data.decode().strip().rstrip("\0"))
            why = _problem(record)
            if not why:
                order = record["order"]
                order = None if order is None else bytes.fromhex(order)
                paths = (tuple(record.get(name, ())) for name in ("files", "folders"))
                partition = record.get("partition")
                return Backup(record["way"], record["driver"], order, partition, *paths)
    except (ValueError, RecursionError):
        pass
    raise Trouble(f"the variable {BACKUP} is damaged: {why}.")


def _problem(record):
    if not isinstance(record, dict) or record.get("type") != "guard-backup":
        return "its type is not guard-backup"
    if record.get("version") != VERSION:
        return f"its version is {record.get('version')!r}; this tool reads version {VERSION}"
    driver, order, partition = (record.get(name) for name in ("driver", "order", "partition"))
    if not isinstance(record.get("way"), str):
        return "it names no way"
    if not _is_null_or(_OPTION, driver):
        return "its driver is no Driver####"
    if not _is_null_or(_ORDER, order):
        return "its order is no DriverOrder"
    if not _is_null_or(_PARTITION, partition):
        return "its partition is no GUID"
    for name in ("files", "folders"):
        paths = record.get(name, [])
        if not isinstance(paths, list) or not all(map(_is_path, paths)):
            return f"its {name} are no list of paths"
    return None


def _is_null_or(pattern, value):
    return value is None or (isinstance(value, str) and pattern.fullmatch(value))


def _is_path(name):
    """No path that leaves the partition."""
    return isinstance(name, str) and _PATH.fullmatch(name) and ".." not in name.split("\\")


def parse_order(data):
    """The numbers of DriverOrder. An odd byte at its end does not count."""
    return list(struct.unpack(f"<{len(data) // 2}H", data[: len(data) & ~1]))


def encode_order(numbers):
    return struct.pack(f"<{len(numbers)}H", *numbers)


def order_text(data):
    return " ".join(f"{number:04X}" for number in parse_order(data)) if data else "(none)"
