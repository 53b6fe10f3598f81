# SPDX-License-Identifier: MIT
"""Reports in the log that nginx writes of what iPXE sends: a line for each UEFI variable.

{"okram":1,"at":"2026-11-26T01:12:00+00:00","from":"192.0.2.7","machine":"UUID or MAC","part":"00",
"data":"hexadecimal digits"}

Machines send their report at each start, so the same one may be there often. Anybody can make such
requests: a report is one only if its CRC-32C is right. However many names are made up, the parts
that came last are kept, and the oldest of what is not complete go.
"""

import json
import re
from collections import OrderedDict
from dataclasses import dataclass, field

from .. import Trouble, delivery, saved
from ..efivars import KEPT, Variable

_HEAD = re.compile(rb'\{"type":"saved",[^\n]{0,200}?"bytes":(\d{1,6})[,}][^\n]{0,200}\n')
LINE_MAX = 2 * saved.VARIABLE_MAX + 1024
_SENDERS_MAX = 200_000
_BYTES_MAX = 64 << 20  # of parts, until their reports are complete
FORM = {
    "machine": re.compile(r"[0-9A-Za-z-]{1,64}"),
    "from": re.compile(r"[0-9A-Fa-f.:]{2,45}"),
    "at": re.compile(r"[0-9T:+-]{19,25}"),
    "part": re.compile(r"0[0-9A-F]"),
    "data": re.compile(rf"([0-9a-f]{{2}}){{1,{saved.VARIABLE_MAX}}}"),
}


BEGIN = '{"okram":1,'  # of each line


@dataclass(frozen=True)
class Sent:
    """All parts of a report, as many as its head says."""

    machine: str  # what iPXE called it: its UUID, else the address of a card
    at: str  # when the last part was there, by the server's clock
    parts: tuple  # of bytes


class NoPart(ValueError):
    """The line is not one of the log."""


class Log:
    """Puts the parts together, line by line. `unfinished` is {machine: when its last part came}."""

    def __init__(self):
        # {(machine, address): {number: bytes}, or None once it was complete}, the newest last
        self._parts = OrderedDict()
        self._bytes = 0
        self.unfinished = {}
        self.n_dropped = 0  # of what was not complete

    def take(self, line):
        """The Sent that is complete with that line, else None."""
        entry = _entry(line)
        if entry is None:
            raise NoPart
        machine, whose = entry["machine"], (entry["machine"], entry["from"])
        ours = self._parts.pop(whose, {})
        if entry["part"] == 0:
            self._bytes -= _size(ours)
            ours = {}
        self._parts[whose] = ours
        if ours is None:  # this part is of an older, longer report
            return None
        self._bytes += len(entry["data"]) - len(ours.get(entry["part"], b""))
        ours[entry["part"]] = entry["data"]
        self.unfinished[machine] = entry["at"]
        needed = _needed(ours)
        if needed is None:
            self._make_room()
            return None
        del self.unfinished[machine]
        self._bytes -= _size(ours)
        self._parts[whose] = None
        return Sent(machine, entry["at"], needed)

    def _make_room(self):
        while len(self._parts) > _SENDERS_MAX or self._bytes > _BYTES_MAX:
            whose, parts = self._parts.popitem(last=False)
            if parts is not None:
                self._bytes -= _size(parts)
                self.unfinished.pop(whose[0], None)
                self.n_dropped += 1

    def left(self):
        """(machine, when its last part came, the bytes there are) of what is not complete."""
        parts_of = {}
        for (machine, _), parts in self._parts.items():
            parts_of.setdefault(machine, []).extend(sorted((parts or {}).items()))
        for machine, at in self.unfinished.items():
            yield machine, at, b"".join(data for _, data in parts_of.get(machine, ()))


def dropped(n):
    """A sentence for so many reports of Log.n_dropped."""
    return (
        f"{n} reports that were not whole are dropped: there are more than {_SENDERS_MAX} senders,"
        f" or {_BYTES_MAX >> 20} MiB of parts"
    )


def _size(parts):
    return sum(map(len, (parts or {}).values()))


@dataclass
class Arrival:
    """A whole report, as it came first."""

    machine: str
    at: str
    report: delivery.Packet


@dataclass
class Arrivals:
    """What a log has. Counts are of lines."""

    n_lines: int = 0
    n_bad: int = 0
    first_bad: int = 0
    unfinished: dict = field(default_factory=dict)  # as that of Log
    n_dropped: int = 0  # likewise


def read(file, found):
    """Yields each Arrival once; `found`, an Arrivals, is complete at the end."""
    log, seen = Log(), set()
    found.unfinished = log.unfinished
    for line in iter(lambda: file.readline(LINE_MAX), ""):
        found.n_lines += 1
        try:
            sent = log.take(line)
        except NoPart:
            found.n_bad += 1
            found.first_bad = found.first_bad or found.n_lines
            continue
        if not sent or (key := hash((sent.machine, sent.parts))) in seen:
            continue
        if report := _report(sent.parts, sent.machine):
            seen.add(key)
            yield Arrival(sent.machine, sent.at, report)
        else:
            log.unfinished[sent.machine] = sent.at
    found.n_dropped = log.n_dropped


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
