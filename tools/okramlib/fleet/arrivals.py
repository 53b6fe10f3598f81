# SPDX-License-Identifier: MIT
"""Reports in the log that nginx writes of what iPXE sends: a line for each UEFI variable.

{"okram":1,"at":"2026-11-26T01:12:00+00:00","from":"192.0.2.7","machine":"UUID or MAC","part":"00",
"data":"hexadecimal digits"}

Machines send their report at each start, so the same one may be there often. Anybody can make such
requests: a report is one only if its CRC-32C is right.
"""

import json
import re
from dataclasses import dataclass, field

from .. import Trouble, delivery, saved
from ..efivars import KEPT, Variable

_HEAD = re.compile(rb'\{"type":"saved",[^\n]{0,200}?"bytes":(\d{1,6})[,}][^\n]{0,200}\n')
_LINE_MAX = 2 * saved.VARIABLE_MAX + 1024
_MACHINES_MAX = 200_000
FORM = {
    "machine": re.compile(r"[0-9A-Za-z-]{1,64}"),
    "from": re.compile(r"[0-9A-Fa-f.:]{2,45}"),
    "at": re.compile(r"[0-9T:+-]{19,25}"),
    "part": re.compile(r"0[0-9A-F]"),
    "data": re.compile(rf"([0-9a-f]{{2}}){{1,{saved.VARIABLE_MAX}}}"),
}


@dataclass
class Arrival:
    """A whole report, as it came first."""

    machine: str  # what iPXE called it: its UUID, else the address of a card
    at: str  # when it was there, by the server's clock
    report: delivery.Packet


@dataclass
class Arrivals:
    """What a log has. Counts are of lines."""

    n_lines: int = 0
    n_bad: int = 0
    first_bad: int = 0
    unfinished: dict = field(default_factory=dict)  # {machine: when its last part came}


def read(file, found):
    """Yields each Arrival once; `found`, an Arrivals, is complete at the end."""
    parts, seen = {}, set()
    for line in iter(lambda: file.readline(_LINE_MAX), ""):
        found.n_lines += 1
        entry = _entry(line)
        if entry is None or (len(parts) >= _MACHINES_MAX and entry["machine"] not in parts):
            found.n_bad += 1
            found.first_bad = found.first_bad or found.n_lines
            continue
        whose = entry["machine"], entry["from"]
        ours = parts.setdefault(whose, {})
        if entry["part"] == 0:
            ours.clear()
        ours[entry["part"]] = entry["data"]
        found.unfinished[entry["machine"]] = entry["at"]
        needed = _needed(ours)
        if needed is None:
            continue
        del found.unfinished[entry["machine"]]
        key = hash((entry["machine"], needed))
        if key in seen:
            continue
        if report := _report(needed, entry["machine"]):
            seen.add(key)
            yield Arrival(entry["machine"], entry["at"], report)
        else:
            found.unfinished[entry["machine"]] = entry["at"]


def _entry(line):
    """None: it is not such a line."""
    try:
        entry = json.loads(line)
        is_good = entry["okram"] == 1 and all(
            form.fullmatch(entry[name]) for name, form in FORM.items()
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not is_good:
        return None
    return entry | {"part": int(entry["part"], 16), "data": bytes.fromhex(entry["data"])}


def _needed(parts):
    """As many parts, in order, as the head says; None: not all of them have come. What is beyond is
    of an older report."""
    head = _HEAD.match(parts.get(0, b""))
    if not head:
        return None
    missing, needed = head.end() + int(head[1]), []
    for number in range(saved.PARTS_MAX):
        if number not in parts:
            return None
        needed.append(parts[number])
        missing -= len(parts[number])
        if missing <= 0:
            return tuple(needed)
    return None


def _report(parts, machine):
    """The Packet; None: its CRC is wrong."""
    kept = saved.decode(
        Variable(f"{saved.NAME}{number:02X}", saved.VENDOR, KEPT, data)
        for number, data in enumerate(parts)
    )
    return delivery.packet(kept, machine) if kept.data else None


def open_log(path):
    """For reading. Trouble if it cannot be."""
    try:
        return open(path, encoding="ascii", errors="replace", newline="\n")
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.") from None
