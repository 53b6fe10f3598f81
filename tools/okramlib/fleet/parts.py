# SPDX-License-Identifier: MIT
"""Reports that came as parts in the URLs of a web server's log, as iPXE sends UEFI variables
(docs/fleet.md): `/report/MACHINE/00?d=HEX`, one request a line, parts of several machines between
each other."""

import re
from collections import OrderedDict

from .. import saved
from . import kept_report, machine_name
from .found import Refused, Source

_PART = re.compile(
    rb'/report/([^/?\s"]{1,64})/([0-9A-Fa-f]{2})\?d=([0-9A-Fa-f]*)(?=[&\s"]|$)',
)
_MACHINES_MAX = 4096  # whose reports are not whole yet


class Parts:
    def __init__(self, source):
        self._source = source
        self._of_machine = OrderedDict()  # {name: {number: bytes}}

    def add(self, line):
        """Takes a line of the log. Yields a report that is whole now, or what is given up."""
        part = _PART.search(line)
        if not part or not part[3] or len(part[3]) % 2:
            return
        name, number = part[1].decode(errors="replace"), int(part[2], 16)
        data = bytes.fromhex(part[3].decode())
        if len(data) > saved.VARIABLE_MAX:
            yield Refused(f"part {number:02X} of {name} is longer than a variable", line)
            return
        there = self._of_machine.setdefault(name, {})
        if there.get(number, data) != data:  # of another report
            yield self._give_up(name)
            there = self._of_machine.setdefault(name, {})
        there[number] = data
        self._of_machine.move_to_end(name)
        if report := self._whole(name, there):
            del self._of_machine[name]
            yield report
        elif len(self._of_machine) > _MACHINES_MAX:
            yield self._give_up(next(iter(self._of_machine)))

    def end(self):
        for name in list(self._of_machine):
            yield self._give_up(name)

    def _whole(self, name, there):
        """The report, or Refused, once no part of it is missing; else None."""
        if 0 not in there:
            return None
        numbers = range(next(n for n in range(len(there) + 1) if n not in there))
        data = b"".join(there[n] for n in numbers)
        line, end, body = data.partition(b"\n")
        if not end:
            return None
        head = kept_report.head_of(line)
        if isinstance(head, dict) and len(body) < head["bytes"]:
            return None
        machine = machine_name.usable(name)
        source = Source(self._source.name, self._source.date, machine)
        return kept_report.read(line + end, body, source)

    def _give_up(self, name):
        there = self._of_machine.pop(name)
        numbers = ", ".join(f"{n:02X}" for n in sorted(there))
        data = b"".join(b"%02X %s\n" % (n, there[n].hex().encode()) for n in sorted(there))
        return Refused(f"of a report of {name} only these parts came: {numbers}", data)
